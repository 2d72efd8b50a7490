//! Drawings of models as SVG that can be embedded in a page: no ids, classes, style sheets or
//! scripts, and all names escaped.
//!
//! Boxes are tests, rounded boxes leaves; solid lines lead to true branches, dashed lines to
//! false ones. Long tests are wrapped and truncated; tooltips show them in full.

mod layout;
mod node;

use std::fmt::Write;

use super::figure::font::{self, FAMILY};
use crate::files::xml::escape;
use crate::learn::{TreeModel, tree_title};
use layout::{Edge, TreeLayout};
use node::NodeBox;

/// Margin around a drawing.
const MARGIN: f64 = 10.0;
/// Height of the title of a tree.
const TITLE: f64 = 24.0;
/// Largest width of a row of trees.
const MAX_WIDTH: f64 = 1100.0;
/// Gap between trees.
const GAP: f64 = 28.0;

/// Draws the `index`-th tree of a model, from 0.
pub fn tree(model: &TreeModel, index: usize) -> String {
    let of = model.trees().len();
    let Some(drawn) = TreeDrawing::new(model, index) else {
        return document("no tree", 200.0, 40.0, &format!("<text x=\"10\" y=\"25\">there are {of} trees</text>\n"));
    };
    let (width, height) = (drawn.width + 2.0 * MARGIN, drawn.height + 2.0 * MARGIN);
    let label = format!("Tree {} of {of} for {}", index + 1, model.target_name());
    document(&label, width, height, &drawn.placed(MARGIN, MARGIN))
}

/// Draws the first `max` trees of a model, side by side in rows.
pub fn ensemble(model: &TreeModel, max: usize) -> String {
    let drawn: Vec<TreeDrawing> =
        (0..model.trees().len().min(max)).filter_map(|i| TreeDrawing::new(model, i)).collect();
    let mut body = String::new();
    let (mut x, mut y, mut row, mut widest) = (MARGIN, MARGIN + TITLE, 0.0f64, 0.0f64);
    for tree in &drawn {
        if x > MARGIN && x + tree.width > MAX_WIDTH {
            (x, y, row) = (MARGIN, y + row + GAP, 0.0);
        }
        body += &tree.placed(x, y);
        widest = widest.max(x + tree.width);
        x += tree.width + GAP;
        row = row.max(tree.height);
    }
    let (of, shown) = (model.trees().len(), drawn.len());
    let number = if shown == of { format!("{of} trees") } else { format!("the first {shown} of {of} trees") };
    let prior = model.prior.to_string().replace('-', "−");
    let title = format!("{number}; ψ = {prior} + {} × the sum of their values", model.step);
    let line = format!("<text x=\"{MARGIN}\" y=\"{}\" font-size=\"13\">{}</text>\n", MARGIN + 13.0, escape(&title));
    let width = widest.max(MARGIN + font::reserved_width(&title, 13.0)) + MARGIN;
    document(&title, width, y + row + MARGIN, &(line + &body))
}

/// Formats a document with a white background, so that it is readable on dark pages as well.
fn document(label: &str, width: f64, height: f64, body: &str) -> String {
    let (width, height, label) = (width.ceil(), height.ceil(), escape(label));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{label}\" font-family=\"{FAMILY}\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// A tree with its layout.
struct TreeDrawing {
    title: String,
    boxes: Vec<NodeBox>,
    layout: TreeLayout,
    width: f64,
    height: f64,
}

impl TreeDrawing {
    fn new(model: &TreeModel, index: usize) -> Option<Self> {
        let tree = model.printed_trees().nth(index)?;
        let boxes: Vec<NodeBox> = tree.nodes().iter().map(|node| NodeBox::new(model, node)).collect();
        let children: Vec<Option<[usize; 2]>> = tree.nodes().iter().map(node::children).collect();
        let sizes: Vec<(f64, f64)> = boxes.iter().map(|node_box| node_box.size).collect();
        let layout = TreeLayout::new(&children, &sizes);
        let title = tree_title(model, index);
        let width = layout.width.max(font::reserved_width(&title, 13.0));
        Some(TreeDrawing { title, boxes, width, height: TITLE + layout.height, layout })
    }

    /// Draws the tree with its upper left corner at a position.
    fn placed(&self, x: f64, y: f64) -> String {
        let mut out = format!("<g transform=\"translate({x:.1} {y:.1})\">\n");
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out + "</g>\n"
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "<text x=\"0\" y=\"13\" font-size=\"13\">{}</text>", escape(&self.title))?;
        writeln!(out, "<g transform=\"translate(0 {TITLE})\">")?;
        for Edge { path, label, yes } in &self.layout.edges {
            let points: Vec<String> = path.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dash = if *yes { "" } else { " stroke-dasharray=\"5 3\"" };
            let points = points.join(" ");
            writeln!(out, "<polyline points=\"{points}\" fill=\"none\" stroke=\"#555\" stroke-width=\"1.3\"{dash}/>")?;
            let (x, y, word) = (label.0, label.1, if *yes { "yes" } else { "no" });
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\" fill=\"#555\">{word}</text>",
                layout::LABEL_SIZE
            )?;
        }
        for (node_box, corner) in self.boxes.iter().zip(&self.layout.corners) {
            node_box.write(out, *corner)?;
        }
        writeln!(out, "</g>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model whose predicate contains markup.
    const HOSTILE: &str = include_str!("hostile.json");

    #[test]
    fn names_are_escaped() {
        let model = TreeModel::from_json(HOSTILE).unwrap();
        for svg in [tree(&model, 0), ensemble(&model, 3), tree(&model, 9)] {
            assert!(!svg.contains("<script") && !svg.contains("<b>"), "{svg}");
            assert!(!svg.contains(" id=") && !svg.contains("class=") && !svg.contains("<style"));
            assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        }
        let svg = tree(&model, 0);
        assert!(svg.contains("&lt;script&gt;"), "{svg}");
        assert!(svg.contains("stroke-dasharray") && svg.contains(">yes<") && svg.contains(">no<"));
        assert_eq!(tree(&model, 0), tree(&model, 0));
    }
}

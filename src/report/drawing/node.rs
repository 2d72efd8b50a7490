//! Boxes of tree nodes: their text and size.

use std::fmt::Write;

use super::super::figure::font;
use crate::cover::show_test;
use crate::files::xml::escape;
use crate::learn::{LeafWeights, TreeModel, leaf_weights};
use crate::tree::Node;

/// Font size.
const SIZE: f64 = 12.0;
/// Line height.
const LINE: f64 = 15.0;
/// Padding.
const PADDING: (f64, f64) = (8.0, 6.0);
/// Largest width of a line.
const MAX_WIDTH: f64 = 190.0;
/// Largest number of lines.
const MAX_LINES: usize = 6;

/// A box with text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeBox {
    lines: Vec<String>,
    /// Full text, for the tooltip.
    full: String,
    /// Width and height.
    pub size: (f64, f64),
    fill: &'static str,
    round: f64,
}

/// Returns the children of a node: true branch, false branch.
pub(super) fn children<L>(node: &Node<L>) -> Option<[usize; 2]> {
    match node {
        Node::Split(split) => Some([split.yes, split.no].map(|child| child.0 as usize)),
        Node::Leaf(_) => None,
    }
}

impl NodeBox {
    pub fn new(model: &TreeModel, node: &Node<LeafWeights>) -> Self {
        let show = |test, at_least| show_test(test, at_least, model.predicates(), model.symbols());
        let (lines, full, fill, round) = match node {
            Node::Split(split) => {
                let full = show(&split.test, split.at_least);
                (wrap(&pieces(&full)), full, "#f4f4f4", 2.0)
            }
            Node::Leaf(leaf) => {
                let sign = if leaf.value < 0.0 { "−" } else { "+" };
                let value = format!("ψ {sign}{:.3}", leaf.value.abs());
                let counts = format!("{} pos, {} neg", leaf.positives, leaf.negatives);
                // Distinguished by sign as well as by color.
                let fill = if leaf.value < 0.0 { "#fde3cf" } else { "#d6eaf5" };
                (vec![value, counts], format!("{}; {}", leaf.value, leaf_weights(leaf, " ")), fill, 10.0)
            }
        };
        let widest = lines.iter().map(|line| font::reserved_width(line, SIZE)).fold(0.0, f64::max);
        let size = (widest + 2.0 * PADDING.0, LINE * lines.len() as f64 + 2.0 * PADDING.1);
        NodeBox { lines, full, size, fill, round }
    }

    /// Draws the box with its upper left corner at a position.
    pub fn write(&self, out: &mut String, (x, y): (f64, f64)) -> std::fmt::Result {
        let (width, height) = self.size;
        writeln!(out, "<g><title>{}</title>", escape(&self.full))?;
        writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{}\" fill=\"{}\" stroke=\"#555\"/>",
            self.round, self.fill
        )?;
        let middle = x + width / 2.0;
        for (i, line) in self.lines.iter().enumerate() {
            let baseline = y + PADDING.1 + LINE * i as f64 + 0.78 * LINE;
            writeln!(
                out,
                "<text x=\"{middle:.1}\" y=\"{baseline:.1}\" text-anchor=\"middle\">{}</text>",
                escape(line)
            )?;
        }
        writeln!(out, "</g>")
    }
}

/// Splits a test where lines may break: between literals, or between arguments if these are too
/// long.
fn pieces(test: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut depth, mut piece) = (0u32, String::new());
    for c in test.chars() {
        piece.push(c);
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && piece.ends_with(", ") => pieces.push(std::mem::take(&mut piece)),
            _ => {}
        }
    }
    pieces.push(piece);
    let short = |piece: &String| font::reserved_width(piece.trim_end(), SIZE) <= MAX_WIDTH;
    let parts = |piece: String| match short(&piece) {
        true => vec![piece],
        false => piece.split_inclusive(", ").map(str::to_owned).collect(),
    };
    pieces.into_iter().flat_map(parts).collect()
}

/// Fills lines with pieces, none wider than [`MAX_WIDTH`]; the rest is truncated.
fn wrap(pieces: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if font::reserved_width(format!("{line}{piece}").trim_end(), SIZE) <= MAX_WIDTH => {
                line.push_str(piece)
            }
            _ => lines.push(piece.clone()),
        }
    }
    let cut = lines.len() > MAX_LINES;
    lines.truncate(MAX_LINES);
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        *last = format!("{} …", last.trim_end());
    }
    lines.iter().map(|line| font::truncated(line.trim_end(), SIZE, MAX_WIDTH)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_literals() {
        assert_eq!(wrap(&pieces("p(A, B), q(B)")), ["p(A, B), q(B)"]);
        let long = "advisedby(A, B), publication(C, A), publication(C, B)";
        assert_eq!(wrap(&pieces(long)), ["advisedby(A, B),", "publication(C, A),", "publication(C, B)"]);
    }

    #[test]
    fn long_literals_break_between_arguments_and_long_names_are_truncated() {
        let long = format!("p({}, B)", ["a_constant_of_some_length"; 3].join(", "));
        let lines = wrap(&pieces(&long));
        assert!(lines.len() > 1 && lines.iter().all(|line| font::reserved_width(line, SIZE) <= MAX_WIDTH), "{lines:?}");
        let lines = wrap(&pieces(&format!("{}(A)", "x".repeat(300))));
        assert!(lines.len() == 1 && lines[0].ends_with('…'), "{lines:?}");
        let many = vec!["predicate_with_a_name(A, B)"; 20].join(", ");
        let lines = wrap(&pieces(&many));
        assert!(lines.len() == MAX_LINES && lines[MAX_LINES - 1].ends_with('…'), "{lines:?}");
    }
}

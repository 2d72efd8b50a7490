//! Drawings of networks: predicates, rules and classes in three layers, with the weights on the
//! edges.

use std::fmt::{self, Write};

use super::{Hidden, Network};
use crate::files::visible::visible_lines;
use crate::files::xml;

/// Escapes text for a quoted string in Graphviz's language.
pub fn escape_dot(text: &str) -> String {
    visible_lines(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The approximate number of characters per line of a rule.
const LINE_WIDTH: usize = 72;
/// Pixels: width of a character, height of a line, gaps between boxes and between layers, margin,
/// title.
const CHARACTER: f64 = 7.3;
const LINE_HEIGHT: f64 = 16.0;
const GAP: f64 = 14.0;
const LAYER_GAP: f64 = 190.0;
const MARGIN: f64 = 20.0;
const TITLE: f64 = 46.0;

impl Network {
    /// Formats the network in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_dot(&mut text);
        text
    }

    fn write_dot(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "digraph network {{")?;
        writeln!(out, "  rankdir=LR;\n  node [fontname=\"Helvetica\"];\n  edge [arrowhead=none];")?;
        let visible = self.visible();
        for (k, &id) in visible.iter().enumerate() {
            let name = self.predicates.show(id).to_string();
            writeln!(out, "  v{k} [shape=ellipse, label=\"{}\"];", escape_dot(&name))?;
        }
        for (y, class) in self.classes().iter().enumerate() {
            let label = format!("{class}\nd = {:.4}", self.d[y]);
            writeln!(out, "  y{y} [shape=doublecircle, label=\"{}\"];", escape_dot(&label))?;
        }
        for (j, node) in self.hidden.iter().enumerate() {
            let label = format!("{}\nc = {:.4}", self.lines(node).join("\n"), node.c);
            writeln!(out, "  h{j} [shape=box, label=\"{}\"];", escape_dot(&label))?;
            for (id, w) in node.rule.predicates().into_iter().zip(&node.w) {
                let k = visible.iter().position(|&other| other == id).unwrap_or_default();
                writeln!(out, "  v{k} -> h{j} [tooltip=\"W = {w:.4}\"];")?;
            }
            for (y, u) in node.u.iter().enumerate() {
                writeln!(out, "  h{j} -> y{y} [tooltip=\"U = {u:.4}\"];")?;
            }
        }
        writeln!(out, "}}")
    }

    /// Draws the network as SVG: predicates on the left, rules in the middle with the strongest on
    /// top, classes on the right. The weights are shown when hovering over an edge or a node.
    pub fn to_svg(&self) -> String {
        self.to_svg_with_active(|_| true)
    }

    /// Draws the network with the active nodes and what they are connected to in full, all others
    /// faint.
    pub fn to_svg_with_active(&self, active: impl Fn(usize) -> bool) -> String {
        let mut text = String::new();
        let active = (0..self.hidden.len()).map(active).collect();
        let _ = Drawing::new(self, active).write(&mut text);
        text
    }

    /// Returns the body of a rule, broken into lines.
    fn lines(&self, node: &Hidden) -> Vec<String> {
        let body = node.rule.show_body(self.names()).to_string();
        let mut lines: Vec<String> = vec![String::new()];
        for literal in body.split_inclusive("), ") {
            match lines.last_mut() {
                Some(line) if line.is_empty() || line.chars().count() + literal.chars().count() <= LINE_WIDTH => {
                    line.push_str(literal);
                }
                _ => lines.push(literal.to_owned()),
            }
        }
        lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
        lines
    }
}

/// A box with text.
struct Card {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    lines: Vec<String>,
}

impl Card {
    fn middle(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

struct Drawing<'a> {
    network: &'a Network,
    /// The hidden nodes in drawing order.
    order: Vec<usize>,
    /// Whether each hidden node is drawn in full.
    active: Vec<bool>,
    predicates: Vec<Card>,
    rules: Vec<Card>,
    classes: Vec<Card>,
    width: f64,
    height: f64,
}

/// Stacks cards from `x`; returns them with their width and the end of the last.
fn column(texts: Vec<Vec<String>>, x: f64) -> (Vec<Card>, f64, f64) {
    let longest = texts.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = CHARACTER * longest as f64 + 20.0;
    let mut y = TITLE;
    let card = |lines: Vec<String>| {
        let height = LINE_HEIGHT * lines.len() as f64 + 10.0;
        y += height + GAP;
        Card { x, y: y - height - GAP, width, height, lines }
    };
    let cards = texts.into_iter().map(card).collect();
    (cards, width, y)
}

/// Centers cards vertically.
fn center(cards: &mut [Card], end: f64, height: f64) {
    let shift = ((height - end) / 2.0).max(0.0);
    cards.iter_mut().for_each(|card| card.y += shift);
}

impl<'a> Drawing<'a> {
    fn new(network: &'a Network, active: Vec<bool>) -> Self {
        let order = network.strongest_first();
        let visible = network.visible().into_iter().map(|id| vec![network.predicates.show(id).to_string()]).collect();
        let (mut predicates, left, end_predicates) = column(visible, MARGIN);
        let bodies = order.iter().map(|&j| network.lines(&network.hidden[j])).collect();
        let (rules, middle, end_rules) = column(bodies, MARGIN + left + LAYER_GAP);
        let names =
            network.classes().iter().map(|class| vec![format!("{} = {class}", network.target_name())]).collect();
        let (mut classes, right, end_classes) = column(names, MARGIN + left + 2.0 * LAYER_GAP + middle);
        let height = end_predicates.max(end_rules).max(end_classes);
        center(&mut predicates, end_predicates, height);
        center(&mut classes, end_classes, height);
        let width = 2.0 * MARGIN + left + middle + right + 2.0 * LAYER_GAP;
        Drawing { network, order, active, predicates, rules, classes, width, height }
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let (width, height) = (self.width, self.height);
        let network = self.network;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"12\">"
        )?;
        writeln!(out, "<style>path {{ fill: none; stroke-opacity: 0.45 }} path:hover {{ stroke-opacity: 1 }} ")?;
        writeln!(out, "rect {{ fill: #fff; stroke: #555 }}</style>")?;
        writeln!(out, "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" style=\"stroke: none\"/>")?;
        let title = format!("{}/{}: {}", network.target_name(), network.target_arity(), network.size());
        writeln!(out, "<text x=\"{MARGIN}\" y=\"26\" font-weight=\"bold\">{}</text>", xml::escape(&title))?;
        self.edges(out)?;
        for (k, card) in self.predicates.iter().enumerate() {
            let id = network.visible()[k];
            let rules =
                || network.hidden.iter().zip(&self.active).filter(|(node, _)| node.rule.predicates().contains(&id));
            let faint = !rules().any(|(_, active)| *active);
            card_svg(out, card, &format!("in {} rules", rules().count()), 12.0, faint)?;
        }
        for (&j, card) in self.order.iter().zip(&self.rules) {
            let node = &network.hidden[j];
            let clause = node.rule.show(network.target, network.names());
            card_svg(
                out,
                card,
                &format!("{clause}\nc = {:.4}\ncontribution {:.4}", node.c, node.strength()),
                3.0,
                !self.active[j],
            )?;
        }
        for (y, card) in self.classes.iter().enumerate() {
            card_svg(out, card, &format!("d = {:.4}", network.d[y]), 12.0, false)?;
        }
        writeln!(out, "</svg>")
    }

    fn edges(&self, out: &mut String) -> fmt::Result {
        let network = self.network;
        let visible = network.visible();
        let strongest = network.hidden.iter().map(Hidden::strength).fold(1e-9, f64::max);
        for (&j, rule) in self.order.iter().zip(&self.rules) {
            let node = &network.hidden[j];
            for (id, w) in node.rule.predicates().into_iter().zip(&node.w) {
                let Some(from) = visible.iter().position(|&other| other == id) else { continue };
                let title = format!("{} to rule: W = {w:.4}", network.predicates.show(id));
                edge_svg(out, &self.predicates[from], rule, &title, ("#888", 1.0, !self.active[j]))?;
            }
            // Width shows the strength; blue supports the class, red opposes it.
            let contributions = node.contributions();
            let mean = contributions.iter().sum::<f64>() / contributions.len() as f64;
            for (y, class) in self.classes.iter().enumerate() {
                let color = if contributions[y] >= mean { "#2166ac" } else { "#b2182b" };
                let thick = 0.5 + 6.0 * (contributions[y] - mean).abs() / strongest;
                let title = format!("rule to {}: U = {:.4}", network.classes()[y], node.u[y]);
                edge_svg(out, rule, class, &title, (color, thick, !self.active[j]))?;
            }
        }
        Ok(())
    }
}

/// The style of inactive nodes.
const FAINT: &str = " opacity=\"0.2\"";

/// Draws an edge with a color and width, optionally faint.
fn edge_svg(out: &mut String, from: &Card, to: &Card, title: &str, look: (&str, f64, bool)) -> fmt::Result {
    let (color, thick, faint) = look;
    let faint = if faint { FAINT } else { "" };
    let (x1, y1, x2, y2) = (from.x + from.width, from.middle(), to.x, to.middle());
    let bend = (x1 + x2) / 2.0;
    writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1} C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x2:.1} {y2:.1}\" stroke=\"{color}\" \
         stroke-width=\"{thick:.2}\"{faint}><title>{}</title></path>",
        xml::escape(title)
    )
}

fn card_svg(out: &mut String, card: &Card, title: &str, corner: f64, faint: bool) -> fmt::Result {
    let Card { x, y, width, height, lines } = card;
    write!(out, "<g{}><title>{}</title>", if faint { FAINT } else { "" }, xml::escape(title))?;
    write!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner}\"/>")?;
    for (k, line) in lines.iter().enumerate() {
        let (x, y) = (x + 10.0, y + LINE_HEIGHT * (k + 1) as f64 + 1.0);
        write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", xml::escape(line))?;
    }
    writeln!(out, "</g>")
}

#[cfg(test)]
mod tests {
    use super::super::tests::network;
    use super::*;

    #[test]
    fn every_node_and_edge_is_drawn() {
        let svg = network().to_svg();
        // 8 edges below, 12 above; 5 predicates, 3 rules, 4 classes.
        assert_eq!(svg.matches("<path ").count(), 20);
        assert_eq!(svg.matches("<g>").count(), 12);
        assert!(svg.contains("<title>actedIn/2 to rule: W = 3.4000</title>"), "{svg}");
        assert!(svg.contains("d = 0.0500"));
        let dot = network().to_dot();
        assert_eq!(dot.matches("tooltip=\"W").count(), 8);
        assert_eq!(dot.matches("tooltip=\"U").count(), 12);
        assert!(dot.contains(r"\\+ sameGenre(D, F)"), "{dot}");
    }

    #[test]
    fn inactive_nodes_are_faint() {
        let svg = network().to_svg_with_active(|j| j == 2);
        // h₃ and actedIn in full; h₁, h₂ and four predicates faint, with 4 + 3 edges on the left
        // and 8 on the right.
        assert_eq!(svg.matches("<g opacity").count(), 6);
        assert_eq!(svg.matches("opacity=\"0.2\"><title>").count(), 6 + 7 + 8);
        assert!(!network().to_svg().contains(" opacity="));
    }

    #[test]
    fn escaped_text_does_not_end_the_string() {
        assert_eq!(escape_dot("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}

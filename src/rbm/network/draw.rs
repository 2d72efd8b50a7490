//! Drawings of networks: predicates, rules and classes in three layers, with the weights on the
//! edges.

use std::fmt::{self, Write};

use super::{Hidden, Network};
use crate::files::visible::visible_lines;
use crate::files::xml;
use crate::logic::PredicateId;

/// Escapes text for a quoted string in Graphviz's language.
pub fn escape_dot(text: &str) -> String {
    visible_lines(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The number of rules drawn by default.
pub const DRAWN_RULES: usize = 12;

/// Pixels: height of a line, gap between boxes, margin, title.
const LINE_HEIGHT: f64 = 16.0;
const GAP: f64 = 14.0;
const MARGIN: f64 = 20.0;
const TITLE: f64 = 46.0;

/// Width of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingWidth {
    /// For a page or a screen, about 1000 pixels.
    Wide,
    /// For a telephone, about 500 pixels.
    Narrow,
}

impl DrawingWidth {
    /// Returns the number of characters per line of a rule.
    fn line(self) -> usize {
        match self {
            DrawingWidth::Wide => 64,
            DrawingWidth::Narrow => 26,
        }
    }

    /// Returns the gap between layers in pixels.
    fn layer_gap(self) -> f64 {
        match self {
            DrawingWidth::Wide => 110.0,
            DrawingWidth::Narrow => 36.0,
        }
    }

    /// Returns the font size.
    fn font(self) -> f64 {
        match self {
            DrawingWidth::Wide => 12.0,
            DrawingWidth::Narrow => 11.0,
        }
    }

    /// Returns the space for a character, whatever the font.
    fn character(self) -> f64 {
        0.61 * self.font()
    }

    /// Returns the smallest width of the drawing, for title and legend.
    fn min(self) -> f64 {
        match self {
            DrawingWidth::Wide => 640.0,
            DrawingWidth::Narrow => 420.0,
        }
    }
}

/// Breaks a text into lines of about `width` characters: between literals, or between arguments
/// of literals that are too long.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let length = |text: &str| text.trim_end().chars().count();
    let pieces = text.split_inclusive("), ").flat_map(|literal| match length(literal) <= width {
        true => vec![literal],
        false => literal.split_inclusive(' ').collect(),
    });
    let mut lines: Vec<String> = vec![String::new()];
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.is_empty() || line.chars().count() + length(piece) <= width => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

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
            let label = format!("{}\nc = {:.4}", self.lines(node, "", DrawingWidth::Wide.line()).join("\n"), node.c);
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

    /// Draws all rules of the network as SVG: predicates on the left, rules in the middle with the
    /// strongest on top, classes on the right. The weights are shown when hovering over an edge or
    /// a node.
    pub fn to_svg(&self) -> String {
        self.to_svg_of_strongest(self.hidden.len())
    }

    /// Draws at most `max` of the strongest rules.
    pub fn to_svg_of_strongest(&self, max: usize) -> String {
        let order: Vec<usize> = self.strongest_first().into_iter().take(max).collect();
        self.draw(order, vec![true; self.hidden.len()], DrawingWidth::Wide)
    }

    /// Draws the active nodes and what they are connected to in full, and up to [`DRAWN_RULES`]
    /// rules in all, the others faint.
    pub fn to_svg_with_active(&self, active: impl Fn(usize) -> bool, width: DrawingWidth) -> String {
        let active: Vec<bool> = (0..self.hidden.len()).map(active).collect();
        let mut free = DRAWN_RULES.saturating_sub(active.iter().filter(|active| **active).count());
        let mut order = self.strongest_first();
        order.retain(|&node| {
            let is_drawn = active[node] || free > 0;
            free -= usize::from(is_drawn && !active[node]);
            is_drawn
        });
        self.draw(order, active, width)
    }

    fn draw(&self, order: Vec<usize>, active: Vec<bool>, width: DrawingWidth) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = Drawing::new(self, order, active, width).write(&mut text);
        text
    }

    /// Returns the body of a rule, broken into lines.
    fn lines(&self, node: &Hidden, start: &str, width: usize) -> Vec<String> {
        wrapped(&format!("{start}{}", node.rule.show_body(self.names())), width)
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

/// Color and width of a line, if the entry has one, and its text.
type LegendEntry = (Option<(&'static str, f64)>, &'static str);

struct Drawing<'a> {
    network: &'a Network,
    /// The drawn hidden nodes, from top to bottom.
    order: Vec<usize>,
    /// Whether each hidden node is drawn in full.
    active: Vec<bool>,
    /// The predicates of the drawn rules.
    visible: Vec<PredicateId>,
    predicates: Vec<Card>,
    rules: Vec<Card>,
    classes: Vec<Card>,
    size: DrawingWidth,
    width: f64,
    /// Where the legend starts.
    legend: f64,
}

/// Stacks cards from `x`; returns them with their width and the end of the last.
fn column(texts: Vec<Vec<String>>, (x, top): (f64, f64), size: DrawingWidth) -> (Vec<Card>, f64, f64) {
    let longest = texts.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = size.character() * longest as f64 + 20.0;
    let mut y = top;
    let card = |lines: Vec<String>| {
        let height = LINE_HEIGHT * lines.len() as f64 + 10.0;
        y += height + GAP;
        Card { x, y: y - height - GAP, width, height, lines }
    };
    let cards = texts.into_iter().map(card).collect();
    (cards, width, y)
}

/// Centers cards vertically.
fn center(cards: &mut [Card], end: f64, bottom: f64) {
    let shift = ((bottom - end) / 2.0).max(0.0);
    cards.iter_mut().for_each(|card| card.y += shift);
}

impl<'a> Drawing<'a> {
    fn new(network: &'a Network, order: Vec<usize>, active: Vec<bool>, size: DrawingWidth) -> Self {
        let mut visible = network.visible();
        visible.retain(|id| order.iter().any(|&j| network.hidden[j].rule.predicates().contains(id)));
        let names = visible.iter().map(|&id| vec![network.predicates.show(id).to_string()]).collect();
        let gap = size.layer_gap();
        let top = TITLE + LINE_HEIGHT * (title(network, order.len(), size).len() - 1) as f64;
        let (mut predicates, left, end_predicates) = column(names, (MARGIN, top), size);
        // Numbers as in the printed network.
        let numbered = network.strongest_first().into_iter().zip(1..);
        let drawn = numbered.filter(|(j, _)| order.contains(j));
        let body = |(j, number): (usize, usize)| network.lines(&network.hidden[j], &format!("{number}: "), size.line());
        let bodies = drawn.map(body).collect();
        let (mut rules, middle, end_rules) = column(bodies, (MARGIN + left + gap, top), size);
        let class = |class: &String| match size {
            DrawingWidth::Wide => vec![format!("{} = {class}", network.target_name())],
            DrawingWidth::Narrow => vec![class.clone()],
        };
        let names = network.classes().iter().map(class).collect();
        let (mut classes, right, end_classes) = column(names, (MARGIN + left + 2.0 * gap + middle, top), size);
        let bottom = end_predicates.max(end_rules).max(end_classes);
        center(&mut predicates, end_predicates, bottom);
        center(&mut rules, end_rules, bottom);
        center(&mut classes, end_classes, bottom);
        let width = (2.0 * MARGIN + left + middle + right + 2.0 * gap).max(size.min());
        Drawing { network, order, active, visible, predicates, rules, classes, size, width, legend: bottom }
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let network = self.network;
        let legend = self.legend_entries();
        let (width, height) = (self.width, self.legend + LINE_HEIGHT * self.legend_lines(&legend) as f64 + GAP);
        // Attributes instead of a style sheet, which would apply to the whole page that embeds it.
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"{}\">",
            self.size.font()
        )?;
        writeln!(out, "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
        for (i, line) in title(network, self.order.len(), self.size).iter().enumerate() {
            let (y, weight) = (26.0 + LINE_HEIGHT * i as f64, if i == 0 { " font-weight=\"bold\"" } else { "" });
            writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\"{weight}>{}</text>", xml::escape(line))?;
        }
        self.edges(out)?;
        for (&id, card) in self.visible.iter().zip(&self.predicates) {
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
        self.write_legend(out, &legend)?;
        writeln!(out, "</svg>")
    }

    /// Returns the entries of the legend.
    fn legend_entries(&self) -> Vec<LegendEntry> {
        let mut entries = vec![
            (Some((FOR, 4.0)), "rule for the class"),
            (Some((AGAINST, 4.0)), "rule against the class"),
            (Some((INPUT, 1.0)), "predicate in the rule"),
            (None, "wider: stronger; 1 is the strongest rule"),
        ];
        if self.order.iter().any(|&j| !self.active[j]) {
            entries.push((None, "faint: not true here"));
        }
        entries
    }

    /// Returns the position of each entry: line and x.
    fn legend_positions(&self, entries: &[LegendEntry]) -> Vec<(usize, f64)> {
        let (mut line, mut x) = (0, MARGIN);
        let place = |(symbol, text): &LegendEntry| {
            let needed =
                self.size.character() * text.chars().count() as f64 + if symbol.is_some() { SYMBOL + 6.0 } else { 0.0 };
            if x > MARGIN && x + needed > self.width - MARGIN {
                (line, x) = (line + 1, MARGIN);
            }
            x += needed + 18.0;
            (line, x - needed - 18.0)
        };
        entries.iter().map(place).collect()
    }

    fn legend_lines(&self, entries: &[LegendEntry]) -> usize {
        self.legend_positions(entries).last().map_or(0, |(line, _)| line + 1)
    }

    fn write_legend(&self, out: &mut String, entries: &[LegendEntry]) -> fmt::Result {
        for ((symbol, text), (line, x)) in entries.iter().zip(self.legend_positions(entries)) {
            let y = self.legend + LINE_HEIGHT * line as f64 + 8.0;
            let mut x = x;
            if let Some((color, thick)) = symbol {
                let end = x + SYMBOL;
                write!(
                    out,
                    "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{end:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" \
                     stroke-width=\"{thick}\" stroke-opacity=\"{OPACITY}\"/>"
                )?;
                x = end + 6.0;
            }
            writeln!(out, "<text x=\"{x:.1}\" y=\"{:.1}\">{text}</text>", y + 4.0)?;
        }
        Ok(())
    }

    fn edges(&self, out: &mut String) -> fmt::Result {
        let network = self.network;
        let visible = &self.visible;
        let strongest = network.hidden.iter().map(Hidden::strength).fold(1e-9, f64::max);
        for (&j, rule) in self.order.iter().zip(&self.rules) {
            let node = &network.hidden[j];
            for (id, w) in node.rule.predicates().into_iter().zip(&node.w) {
                let Some(from) = visible.iter().position(|&other| other == id) else { continue };
                let title = format!("{} to rule: W = {w:.4}", network.predicates.show(id));
                edge_svg(out, &self.predicates[from], rule, &title, (INPUT, 1.0, !self.active[j]))?;
            }
            // Width shows the strength; blue supports the class, red opposes it.
            let contributions = node.contributions();
            let mean = contributions.iter().sum::<f64>() / contributions.len() as f64;
            for (y, class) in self.classes.iter().enumerate() {
                let color = if contributions[y] >= mean { FOR } else { AGAINST };
                let thick = 0.5 + 6.0 * (contributions[y] - mean).abs() / strongest;
                let title = format!("rule to {}: U = {:.4}", network.classes()[y], node.u[y]);
                edge_svg(out, rule, class, &title, (color, thick, !self.active[j]))?;
            }
        }
        Ok(())
    }
}

/// Lines of the title: target, then size, and how much of it is drawn.
fn title(network: &Network, drawn: usize, size: DrawingWidth) -> Vec<String> {
    let all = network.hidden.len();
    let mut text = network.size().to_string();
    if drawn < all {
        text = format!("{drawn} of {all} rules drawn; all: {text}");
    }
    let columns = match size {
        DrawingWidth::Wide => size.min() / size.character(),
        DrawingWidth::Narrow => (size.min() - 2.0 * MARGIN) / size.character(),
    };
    let mut lines = vec![format!("{}/{}", network.target_name(), network.target_arity()), String::new()];
    for word in text.split_inclusive(' ') {
        match lines.last_mut() {
            Some(line) if (line.chars().count() + word.trim_end().chars().count()) as f64 <= columns => {
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Colors of edges: of rules that support and oppose a class, and of predicates.
const FOR: &str = "#2166ac";
const AGAINST: &str = "#b2182b";
const INPUT: &str = "#888";
const OPACITY: f64 = 0.45;
/// Length of a symbol of the legend.
const SYMBOL: f64 = 24.0;

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
        "<path d=\"M{x1:.1} {y1:.1} C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x2:.1} {y2:.1}\" fill=\"none\" stroke=\"{color}\" \
         stroke-width=\"{thick:.2}\" stroke-opacity=\"{OPACITY}\"{faint}><title>{}</title></path>",
        xml::escape(title)
    )
}

fn card_svg(out: &mut String, card: &Card, title: &str, corner: f64, faint: bool) -> fmt::Result {
    let Card { x, y, width, height, lines } = card;
    write!(out, "<g{}><title>{}</title>", if faint { FAINT } else { "" }, xml::escape(title))?;
    write!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner}\" fill=\"#fff\" stroke=\"#555\"/>"
    )?;
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
        let svg = network().to_svg_with_active(|j| j == 2, DrawingWidth::Wide);
        // h₃ and actedIn in full; h₁, h₂ and four predicates faint, with 4 + 3 edges on the left
        // and 8 on the right.
        assert_eq!(svg.matches("<g opacity").count(), 6);
        assert_eq!(svg.matches("opacity=\"0.2\"><title>").count(), 6 + 7 + 8);
        assert!(!network().to_svg().contains(" opacity="));
    }

    #[test]
    fn the_strongest_rules_are_drawn_with_their_numbers_and_a_legend() {
        let network = network();
        let svg = network.to_svg_of_strongest(2);
        assert!(svg.contains(">1: ") && svg.contains(">2: ") && !svg.contains(">3: "), "{svg}");
        assert!(svg.contains("2 of 3 rules drawn") && svg.contains(">rule against the class<"), "{svg}");
        assert!(
            !svg.contains("faint:") && network.to_svg_with_active(|_| false, DrawingWidth::Wide).contains("faint:")
        );
        // A style sheet in it would change other drawings of the page.
        assert!(!svg.contains("<style"));
        // Active rules are drawn even if they are weak.
        let last = network.strongest_first()[2];
        assert!(network.to_svg_with_active(|j| j == last, DrawingWidth::Wide).contains(">3: "));
    }

    #[test]
    fn narrow_drawings_fit_a_telephone() {
        let width =
            |svg: &str| -> f64 { svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap() };
        let narrow = network().to_svg_with_active(|_| true, DrawingWidth::Narrow);
        assert!(width(&narrow) <= 560.0 && width(&network().to_svg()) > 600.0, "{narrow}");
    }

    #[test]
    fn clauses_break_between_literals_then_between_arguments() {
        assert_eq!(wrapped("p(A, B), q(B, C), r(C)", 18), ["p(A, B), q(B, C),", "r(C)"]);
        assert_eq!(
            wrapped("1: not (alpha(A, B), beta(B, C)), r(C)", 16),
            ["1: not (alpha(A,", "B), beta(B, C)),", "r(C)"]
        );
        assert_eq!(wrapped("averyverylongname", 5), ["averyverylongname"]);
    }

    #[test]
    fn escaped_text_does_not_end_the_string() {
        assert_eq!(escape_dot("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}

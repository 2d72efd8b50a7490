//! Bar chart of importance.

use std::fmt::{self, Write};

use super::{Importance, Weight};
use crate::files::xml::escape;

/// Largest number of bars per group; the CSV has all.
const BARS: usize = 25;
/// Longer names are truncated; tooltips show them in full.
const NAME: usize = 90;
/// Sizes in pixels.
const CHARACTER: f64 = 6.7;
const LINE: f64 = 22.0;
const LONGEST: f64 = 320.0;
const MARGIN: f64 = 20.0;

/// Draws bars for the mean contribution of each rule and predicate, with the losses without it.
pub fn chart(importance: &Importance, title: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, importance, title);
    text
}

fn write(out: &mut String, importance: &Importance, title: &str) -> fmt::Result {
    let groups = [("predicates", &importance.predicates), ("rules", &importance.rules)];
    let shown = || groups.iter().flat_map(|(_, weights)| weights.iter().take(BARS));
    let longest_name = shown().map(|weight| short(&weight.name).chars().count()).max().unwrap_or(0);
    let left = MARGIN + CHARACTER * longest_name as f64 + 10.0;
    let width = left + LONGEST + 330.0;
    let lines = 4 + groups.iter().map(|(_, weights)| 2 + weights.len().min(BARS)).sum::<usize>();
    let height = LINE * lines as f64;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"11\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    let mut y = 1.3 * LINE;
    writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-size=\"13\" font-weight=\"bold\">{}</text>", escape(title))?;
    y += LINE;
    writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{y:.1}\">bar: mean |contribution to ψ| over {}; behind it: loss of AUC-ROC and of \
         log-likelihood without it</text>",
        escape(&importance.counted())
    )?;
    let max = shown().map(|weight| weight.mean_contribution).fold(1e-300, f64::max);
    for (name, weights) in groups {
        y += 1.5 * LINE;
        let more = weights.len().saturating_sub(BARS);
        let more = if more > 0 { format!(" (the first {BARS} of {})", weights.len()) } else { String::new() };
        writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-weight=\"bold\">{name}{more}</text>")?;
        for weight in weights.iter().take(BARS) {
            y += LINE;
            bar(out, weight, left, y, LONGEST * weight.mean_contribution / max)?;
        }
    }
    writeln!(out, "</svg>")
}

fn bar(out: &mut String, weight: &Weight, left: f64, y: f64, length: f64) -> fmt::Result {
    let area = weight.auc_roc_drop.map_or("undefined".to_owned(), |drop| format!("{drop:+.4}"));
    let (end, top) = (left - 8.0, y - 11.0);
    write!(out, "<g><title>{}</title>", escape(&weight.name))?;
    write!(out, "<text x=\"{end:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", escape(&short(&weight.name)))?;
    write!(out, "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"14\" fill=\"#0072b2\"/>")?;
    let behind = left + length + 6.0;
    writeln!(
        out,
        "<text x=\"{behind:.1}\" y=\"{y:.1}\">{:.4}  AUC {area}  LL {:+.4}</text></g>",
        weight.mean_contribution, weight.log_likelihood_drop
    )
}

fn short(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    name.chars().take(NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_truncated() {
        let weight = |name: &str, mean_contribution| Weight {
            name: name.into(),
            rules: 1,
            holds_for: 0.5,
            mean_contribution,
            auc_roc_drop: None,
            log_likelihood_drop: 0.1,
        };
        let importance = Importance {
            examples: (1, 0),
            classes: Vec::new(),
            auc_roc: None,
            log_likelihood: -0.5,
            rules: (0..30).map(|k| weight(&"x".repeat(200), f64::from(30 - k))).collect(),
            predicates: vec![weight("<script>&\"/1", 4.0)],
        };
        let svg = chart(&importance, "<b>");
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{svg}");
        assert!(svg.contains("&lt;script&gt;&amp;&quot;/1"));
        assert!(svg.contains("(the first 25 of 30)") && svg.contains(&format!("{}…<", "x".repeat(89))));
        assert_eq!(svg.matches("<g>").count(), 26);
        assert!(svg.contains("width=\"320.0\""), "the longest bar has the full width");
    }
}

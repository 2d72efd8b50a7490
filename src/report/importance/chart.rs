//! Bar chart of importance.

use std::fmt::{self, Write};

use super::{Importance, Weight};
use crate::files::xml::escape;
use crate::rbm::network::draw::wrapped;

/// Largest number of bars per group; the CSV has all.
const BARS: usize = 25;
/// Characters per line of a name, and lines; tooltips show names in full.
const NAME: usize = 64;
const NAME_LINES: usize = 3;
/// Sizes in pixels.
const CHARACTER: f64 = 6.8;
const LINE: f64 = 22.0;
/// Height of a further line of a name.
const NEXT_LINE: f64 = 14.0;
const LONGEST: f64 = 240.0;
const MARGIN: f64 = 20.0;
/// Columns of numbers behind the bars.
const COLUMNS: [&str; 3] = ["contribution", "AUC-ROC lost", "log-lik. lost"];
const COLUMN: f64 = 96.0;

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
    let longest_name = shown().flat_map(|weight| name_lines(&weight.name)).map(|line| line.chars().count()).max();
    let left = MARGIN + CHARACTER * longest_name.unwrap_or(0).max(12) as f64 + 10.0;
    let width = left + LONGEST + COLUMN * COLUMNS.len() as f64 + MARGIN;
    let about = format!(
        "Bars: mean |contribution to ψ| over {}. Lost: the drop if the rule, or every rule with the predicate, covers \
         no example.",
        importance.counted()
    );
    let about = words_in_lines(&about, ((width - 2.0 * MARGIN) / CHARACTER) as usize);
    let mut body = String::new();
    let mut y = 2.3 * LINE + NEXT_LINE * (about.len() - 1) as f64;
    let max = shown().map(|weight| weight.mean_contribution).fold(1e-300, f64::max);
    for (name, weights) in groups {
        y += 1.5 * LINE;
        let more = weights.len().saturating_sub(BARS);
        let more = if more > 0 { format!(" (the first {BARS} of {})", weights.len()) } else { String::new() };
        writeln!(body, "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-weight=\"bold\">{name}{more}</text>")?;
        for (i, heading) in COLUMNS.iter().enumerate() {
            let end = left + LONGEST + COLUMN * (i + 1) as f64;
            writeln!(body, "<text x=\"{end:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{heading}</text>")?;
        }
        for weight in weights.iter().take(BARS) {
            y += LINE;
            bar(&mut body, weight, left, y, LONGEST * weight.mean_contribution / max)?;
            y += NEXT_LINE * (name_lines(&weight.name).len() - 1) as f64;
        }
    }
    let height = y + LINE;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"11\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    let y = 1.3 * LINE;
    writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-size=\"13\" font-weight=\"bold\">{}</text>", escape(title))?;
    for (i, line) in about.iter().enumerate() {
        let y = 2.3 * LINE + NEXT_LINE * i as f64;
        writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\">{}</text>", escape(line))?;
    }
    writeln!(out, "{body}</svg>")
}

fn bar(out: &mut String, weight: &Weight, left: f64, y: f64, length: f64) -> fmt::Result {
    write!(out, "<g><title>{}</title>", escape(&weight.name))?;
    for (i, line) in name_lines(&weight.name).iter().enumerate() {
        let y = y + NEXT_LINE * i as f64;
        write!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\">{}</text>", escape(line))?;
    }
    let top = y - 11.0;
    write!(out, "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"14\" fill=\"#0072b2\"/>")?;
    let area = weight.auc_roc_drop.map_or("undefined".to_owned(), |drop| format!("{drop:+.4}"));
    let numbers = [format!("{:.4}", weight.mean_contribution), area, format!("{:+.4}", weight.log_likelihood_drop)];
    for (i, number) in numbers.iter().enumerate() {
        let end = left + LONGEST + COLUMN * (i + 1) as f64;
        write!(out, "<text x=\"{end:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{number}</text>")?;
    }
    writeln!(out, "</g>")
}

/// Breaks a name into lines, the last of which may be truncated.
fn name_lines(name: &str) -> Vec<String> {
    let mut lines = wrapped(name, NAME);
    let is_cut = lines.len() > NAME_LINES;
    lines.truncate(NAME_LINES);
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        *last += " …";
    }
    let short = |line: String| match line.chars().count() > NAME + 2 {
        true => line.chars().take(NAME - 1).chain(['…']).collect(),
        false => line,
    };
    lines.into_iter().map(short).collect()
}

/// Breaks a text between words.
fn words_in_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() || line.chars().count() + word.trim_end().chars().count() <= width => {
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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
        assert!(svg.contains("(the first 25 of 30)") && svg.contains(&format!("{}…<", "x".repeat(63))));
        assert_eq!(svg.matches("<g>").count(), 26);
        // Names end before the bars, and bars before the numbers.
        let left: f64 = MARGIN + CHARACTER * 64.0 + 10.0;
        assert!(svg.contains(&format!("<rect x=\"{left:.1}\"")), "{svg}");
        assert!(svg.contains("width=\"240.0\""), "the longest bar has the full width");
    }
}

//! CSV tables of scores.

use std::fmt::Write;

use crate::data::load::Dataset;
use crate::math::sigmoid;
use crate::metric::classes::decisions;

/// Returns a CSV table with a line for each example: positives first, in the order of their file.
pub fn of_examples(loaded: &Dataset, psi: &[f64]) -> String {
    let db = &loaded.database;
    let mut text = String::from("example,label,psi,probability\n");
    for index in loaded.file_order.iter().map(|&index| index as usize) {
        let (example, psi) = (&loaded.examples[index], psi[index]);
        let atom = db.show_atom(loaded.target, &example.args).replace('"', "\"\"");
        let label = u8::from(example.positive);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\"{atom}\",{label},{},{}", shortest(psi), shortest(sigmoid(psi)));
    }
    text
}

/// Returns a CSV table with a line for each example, in the order of their file: its class, the
/// most likely class and the probability of each class.
pub fn of_classes(loaded: &Dataset, names: &[String], labels: &[usize], odds: &[Vec<f64>]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = String::from("example,class,decision");
    // Writing to a string cannot fail.
    for k in 0..names.len() {
        let _ = write!(text, ",probability_{k}");
    }
    text.push('\n');
    let decided = decisions(odds);
    for i in loaded.file_order.iter().map(|&index| index as usize) {
        let (example, said) = (&loaded.examples[i], decided[i]);
        let atom = loaded.database.show_atom(loaded.target, &example.args);
        let _ = write!(text, "{},{},{}", quoted(&atom), quoted(&names[labels[i]]), quoted(&names[said]));
        for row in odds {
            let _ = write!(text, ",{}", shortest(sigmoid(row[i])));
        }
        text.push('\n');
    }
    text
}

/// Returns the shortest decimal form that parses to the same number.
fn shortest(value: f64) -> String {
    let (plain, exponent) = (value.to_string(), format!("{value:e}"));
    if plain.len() <= exponent.len() { plain } else { exponent }
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn numbers_are_shortest_and_exact() {
        assert_eq!(shortest(0.1), "0.1");
        assert_eq!(shortest(1e-300), "1e-300");
        assert_eq!(shortest(-1.8), "-1.8");
        for value in [std::f64::consts::PI, 1e-17, 123_456_789.5, 0.0] {
            assert_eq!(shortest(value).parse(), Ok(value));
        }
    }
}

//! The Mutagenesis molecules from a relational dump: `INSERT INTO \`table\` VALUES (…),(…);`, one
//! line per table.
//!
//! Its numbers are bins. Its bonds name the molecule, which nearly reveals the target; the manifest
//! says so.

use std::fmt::Write;

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ConvertedFiles, ExampleFiles};
use super::text::each_line;
use crate::determinism::IndexSet;

pub(super) fn read(
    input: &AdaptorInput<'_>,
    adaptor: &'static str,
    converted: &mut ConvertedFiles,
) -> Result<ExampleFiles, AdaptError> {
    let path = input.file("Mutagenesis_std.sql", adaptor)?;
    let target = input.manifest.target.predicate.as_str();
    let mut texts = ExampleFiles::default();
    let mut molecules = IndexSet::default();
    each_line(&path, |number, line| {
        let Some((table, rows)) = line.strip_prefix("INSERT INTO `").and_then(|rest| rest.split_once("` VALUES "))
        else {
            return Ok(());
        };
        let invalid_line = |reason: &str| AdaptError::Line {
            id: input.id().to_owned(),
            path: path.clone(),
            line: number,
            reason: format!("table {table}: {reason}"),
        };
        for row in tuples(rows).ok_or_else(|| invalid_line("expected rows `(value,…)`"))? {
            let (facts, positives) = (&mut texts.facts, &mut texts.positives);
            // Writing to a string cannot fail.
            let _ = match (table, row.as_slice()) {
                ("Atom", [atom, element, kind, charge]) => {
                    write!(
                        facts,
                        "element(a{atom},{element}).\natomtype(a{atom},t{kind}).\ncharge(a{atom},{charge}).\n"
                    )
                }
                ("Mole", [molecule, ind1, inda, lumo, logp, label]) => {
                    molecules.insert((*molecule).to_owned());
                    for (predicate, value) in [("ind1", ind1), ("inda", inda), ("active", label)] {
                        if *value == "1" {
                            let _ = writeln!(facts, "{predicate}(m{molecule}).");
                        }
                    }
                    write!(facts, "logp(m{molecule},{logp}).\nlumo(m{molecule},{lumo}).\n")
                }
                ("bond", [molecule, atom, kind]) => writeln!(facts, "bond(m{molecule},a{atom},k{kind})."),
                ("moleatm", [molecule, atom]) => {
                    converted.count("sfu_positives", 1);
                    writeln!(positives, "{target}(m{molecule},a{atom}).")
                }
                _ => return Err(invalid_line(&format!("unexpected row of {} values", row.len()))),
            };
        }
        Ok(())
    })?;
    converted.count("sfu_molecules", molecules.len() as u64);
    Ok(texts)
}

/// Parses rows such as `(1,'a'),(2,'b');` into unquoted values; returns `None` for any other text.
///
/// Values consist of letters and digits only, so none contains a comma, a parenthesis or a quote.
fn tuples(text: &str) -> Option<Vec<Vec<&str>>> {
    let inside = text.trim_end().strip_suffix(';')?.strip_prefix('(')?.strip_suffix(')')?;
    fn value(word: &str) -> Option<&str> {
        let word = word.trim_matches('\'');
        word.bytes().all(|b| b.is_ascii_alphanumeric()).then_some(word)
    }
    inside.split("),(").map(|row| row.split(',').map(value).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_split_and_unexpected_values_rejected() {
        assert_eq!(tuples("(1,'a'),(2,'b');"), Some(vec![vec!["1", "a"], vec!["2", "b"]]));
        assert_eq!(tuples("(1,'a b');"), None);
        assert_eq!(tuples("(1)"), None);
    }
}

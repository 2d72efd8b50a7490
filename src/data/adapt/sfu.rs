//! The same molecules from a relational dump: `INSERT INTO \`table\` VALUES (…),(…);`, one line a table.
//!
//! Its numbers are bins. Its bond names the molecule, so it nearly states the target; the manifest says so.

use std::fmt::Write;

use super::mutagenesis::NAME;
use super::text::each_line;
use super::{AdaptError, Input, Made, Part};
use crate::determinism::IndexSet;

pub(super) fn read(input: &Input<'_>, made: &mut Made) -> Result<Part, AdaptError> {
    let path = input.file("Mutagenesis_std.sql", NAME)?;
    let target = input.manifest.target.predicate.as_str();
    let mut part = Part::default();
    let mut molecules = IndexSet::default();
    each_line(&path, |number, line| {
        let Some((table, rows)) = line.strip_prefix("INSERT INTO `").and_then(|rest| rest.split_once("` VALUES "))
        else {
            return Ok(());
        };
        let wrong = |reason: &str| AdaptError::Line {
            id: input.id().to_owned(),
            path: path.clone(),
            line: number,
            reason: format!("table {table}: {reason}"),
        };
        for row in tuples(rows).ok_or_else(|| wrong("expected rows `(value,…)`"))? {
            let (facts, positives) = (&mut part.facts, &mut part.positives);
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
                    made.count("sfu_positives", 1);
                    writeln!(positives, "{target}(m{molecule},a{atom}).")
                }
                _ => return Err(wrong(&format!("no row of {} values is known", row.len()))),
            };
        }
        Ok(())
    })?;
    made.count("sfu_molecules", molecules.len() as u64);
    Ok(part)
}

/// The rows of `(1,'a'),(2,'b');` with their values, without quotes; `None` if it is anything else.
///
/// Values are letters and digits only, so no value holds a comma, a bracket or a quote.
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
    fn rows_are_parted_and_strange_values_refused() {
        assert_eq!(tuples("(1,'a'),(2,'b');"), Some(vec![vec!["1", "a"], vec!["2", "b"]]));
        assert_eq!(tuples("(1,'a b');"), None);
        assert_eq!(tuples("(1)"), None);
    }
}

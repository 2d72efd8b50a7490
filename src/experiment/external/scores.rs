//! `scores.csv`: the score of every query.

use super::output::LastLines;
use crate::determinism::HashMap;
use crate::files::visible::visible;
use crate::logic::query::parse_atom;
use crate::logic::{Atom, Term};

/// File name.
pub const FILE: &str = "scores.csv";

/// Scores in the order of the queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Scores {
    /// Numbers that increase with the likelihood of the positive class.
    Ranked(Vec<f64>),
    /// Probabilities of the positive class.
    Probabilities(Vec<f64>),
}

/// Reason why scores cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoresError {
    /// The file is not valid UTF-8.
    #[error("{FILE} is not valid UTF-8")]
    NotText,
    /// The header is not one of the two.
    #[error("{FILE}:1: the header is `{}`; expected `example,score` or `example,probability`", visible(.0))]
    Header(String),
    /// A line has no comma.
    #[error("{FILE}:{line}: `{}` is not an example, a comma and a number", visible(text))]
    NoComma {
        /// The line, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// A score is not a number.
    #[error("{FILE}:{line}: the score of {example} is `{}`; expected {expected}", visible(value))]
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// The example.
        example: String,
        /// The value.
        value: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// An example is not an atom.
    #[error("{FILE}:{line}: `{}` is not an atom such as `advisedby(ann,bob)`", visible(text))]
    NotAnAtom {
        /// The line, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// An example is not a query.
    #[error("{FILE}:{line}: {} is not in test/queries.txt", visible(example))]
    Unknown {
        /// The line, from 1.
        line: usize,
        /// The example.
        example: String,
    },
    /// An example has two scores.
    #[error("{FILE}:{line}: {} has a second score", visible(example))]
    Duplicate {
        /// The line, from 1.
        line: usize,
        /// The example.
        example: String,
    },
    /// Queries have no score.
    #[error("{FILE} lacks {count} of {of} queries, the first is {}", visible(first))]
    Missing {
        /// Number of queries without a score.
        count: usize,
        /// Number of queries.
        of: usize,
        /// The first of them.
        first: String,
    },
}

impl ScoresError {
    /// Returns the message, followed by the end of the output of the command.
    pub fn with_output(&self, output: &str) -> String {
        format!("{self}{}", LastLines(output))
    }
}

/// Parses the scores of queries, which are atoms without a full stop. The numbers are in the order
/// of the queries.
///
/// # Errors
/// If a query has no score or several, an example is unknown, or a score is invalid.
pub fn parse(bytes: &[u8], queries: &[String]) -> Result<Scores, ScoresError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ScoresError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(str::trim).enumerate();
    let header = lines.next().map(|(_, line)| line).unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    let (probabilities, expected) = match names[..] {
        ["example", "score"] => (false, "a number"),
        ["example", "probability"] => (true, "a number from 0 to 1"),
        _ => return Err(ScoresError::Header(header.to_owned())),
    };
    let positions: HashMap<&str, usize> = queries.iter().enumerate().map(|(i, query)| (query.as_str(), i)).collect();
    let mut scores: Vec<Option<f64>> = vec![None; queries.len()];
    for (line, text) in lines.filter(|(_, line)| !line.is_empty()).map(|(at, text)| (at + 1, text)) {
        let Some((example, value)) = text.rsplit_once(',') else {
            return Err(ScoresError::NoComma { line, text: text.to_owned() });
        };
        let example = unquoted(example.trim());
        let position = match positions.get(example.as_str()) {
            Some(&position) => position,
            None => {
                let Ok(atom) = parse_atom(&example, FILE) else {
                    return Err(ScoresError::NotAnAtom { line, text: example });
                };
                let unknown = ScoresError::Unknown { line, example };
                *positions.get(canonical(&atom).as_str()).ok_or(unknown)?
            }
        };
        let example = &queries[position];
        let value = value.trim().trim_matches('"');
        let number = value.parse::<f64>().ok().filter(|number| match probabilities {
            true => (0.0..=1.0).contains(number),
            false => !number.is_nan(),
        });
        let Some(number) = number else {
            let (example, value) = (example.clone(), value.to_owned());
            return Err(ScoresError::NotANumber { line, example, value, expected });
        };
        if scores[position].replace(number).is_some() {
            return Err(ScoresError::Duplicate { line, example: example.clone() });
        }
    }
    let absent = || scores.iter().zip(queries).filter(|(score, _)| score.is_none());
    if let Some((_, first)) = absent().next() {
        return Err(ScoresError::Missing { count: absent().count(), of: queries.len(), first: first.clone() });
    }
    let scores = scores.into_iter().flatten().collect();
    Ok(if probabilities { Scores::Probabilities(scores) } else { Scores::Ranked(scores) })
}

/// Removes the quotes of a CSV field.
fn unquoted(field: &str) -> String {
    match field.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.to_owned(),
    }
}

/// Returns an atom in the notation of [`crate::kb::Database::show_atom`]. A capitalized name is a
/// constant, since queries are ground.
fn canonical(atom: &Atom) -> String {
    let name = |term: &Term| match term {
        Term::Variable(name) => Term::Name(name.clone()).to_string(),
        other => other.to_string(),
    };
    let args: Vec<String> = atom.args.iter().map(name).collect();
    format!("{}({})", atom.predicate, args.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queries() -> Vec<String> {
        ["p(a,b)", "p(\"Ann B\",c)", "p(d,3)"].map(str::to_owned).to_vec()
    }

    fn read(text: &str) -> Result<Scores, ScoresError> {
        parse(text.as_bytes(), &queries())
    }

    #[test]
    fn atoms_are_compared_as_parsed() {
        let plain = "example,score\np(a,b),1\np(\"Ann B\",c),2\np(d,3),-inf\n";
        let quoted =
            "\u{feff}example,score\r\n\"p( 'a' , b ).\",1\r\n\"p(\"\"Ann B\"\", c)\",2.0\n\n p(d, 3.0). , -inf\n";
        let expected = Scores::Ranked(vec![1.0, 2.0, f64::NEG_INFINITY]);
        assert_eq!(read(plain), Ok(expected.clone()));
        assert_eq!(read(quoted), Ok(expected));
        let probabilities = "example,probability\np(d,3),0\np(a,b),1\np(\"Ann B\",c),0.5\n";
        assert_eq!(read(probabilities), Ok(Scores::Probabilities(vec![1.0, 0.5, 0.0])));
    }

    #[test]
    fn every_error_names_its_line() {
        let with = |line: &str| read(&format!("example,score\np(a,b),1\n{line}\n")).unwrap_err().to_string();
        assert_eq!(with("p(a,b),2"), "scores.csv:3: p(a,b) has a second score");
        assert_eq!(with("p(b,a),2"), "scores.csv:3: p(b,a) is not in test/queries.txt");
        assert_eq!(with("p(d,3),NaN"), "scores.csv:3: the score of p(d,3) is `NaN`; expected a number");
        assert_eq!(with("p(d,3),high"), "scores.csv:3: the score of p(d,3) is `high`; expected a number");
        assert_eq!(with("p(d"), "scores.csv:3: `p(d` is not an example, a comma and a number");
        assert_eq!(with("p(,1"), "scores.csv:3: `p(` is not an atom such as `advisedby(ann,bob)`");
        assert_eq!(with(""), "scores.csv lacks 2 of 3 queries, the first is p(\"Ann B\",c)");
        let header = read("p(a,b),1\n").unwrap_err().to_string();
        assert!(header.contains("the header is `p(a,b),1`; expected `example,score`"), "{header}");
        assert!(read("").is_err());
        assert_eq!(parse(b"\xff", &queries()), Err(ScoresError::NotText));
        let large = read("example,probability\np(a,b),1.5\n").unwrap_err().to_string();
        assert!(large.ends_with("is `1.5`; expected a number from 0 to 1"), "{large}");
    }
}

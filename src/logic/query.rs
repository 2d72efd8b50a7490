//! Parses a ground atom given on the command line.

use std::path::Path;

use super::diagnostic::{Diagnostic, Location};
use super::lexer::{LexError, SyntaxError};
use super::parser::parse_sentence;
use super::sentence::{Notation, Sentence};
use super::term::Atom;

/// Parses one atom, with or without a full stop; `name` is the location shown in messages.
///
/// # Errors
/// If the text is anything but one atom.
pub fn parse_atom(text: &str, name: &str) -> Result<Atom, Diagnostic> {
    let has_full_stop = text.trim_end().ends_with('.');
    let sentence = if has_full_stop { text.to_owned() } else { format!("{text} .") };
    let located = |error: SyntaxError| {
        let diagnostic = Diagnostic::error("query", error.message, error.help);
        diagnostic.at(locate(text, name, error.at, error.width))
    };
    let help = "a query looks like `advisedby(ann, bob)`";
    let parsed = match parse_sentence(&sentence, 0, true, Notation::Prolog, false) {
        Ok(parsed) => parsed,
        Err(LexError::Syntax(mut error)) => {
            if error.at >= text.len() {
                error.message = "the query ends too early".to_owned();
            }
            return Err(located(error));
        }
        Err(LexError::NeedMore) => {
            return Err(located(SyntaxError::new(0, text.len(), "the query ends too early", help)));
        }
    };
    if let Some(more) = sentence[parsed.end..].find(|c: char| !c.is_whitespace()) {
        let message = "unexpected text after the query";
        return Err(located(SyntaxError::new(parsed.end + more, 1, message, help)));
    }
    match parsed.sentence {
        Sentence::Fact { atom, negated: false, weight: None } => Ok(atom),
        _ => Err(located(SyntaxError::new(
            0,
            text.len(),
            "a query must be one atom without weight, negation or body",
            help,
        ))),
    }
}

/// Returns a location within a command-line argument.
fn locate(text: &str, name: &str, at: usize, width: usize) -> Location {
    // Offsets are converted to characters and line breaks to spaces, so that the caret is aligned.
    let at = text.floor_char_boundary(at.min(text.len()));
    let caret = text[..at].chars().count();
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let width = width.min(line.chars().count().saturating_sub(caret)).max(1);
    Location { file: Path::new(name).to_owned(), line: 1, column: caret as u64 + 1, text: line, caret, width }
}

#[cfg(test)]
mod tests {
    use super::super::term::Term;
    use super::*;

    #[test]
    fn the_full_stop_is_optional() {
        for text in ["p(a, 3)", "p(a,3).", " p( a , 3 ) . "] {
            let atom = parse_atom(text, "--query").unwrap();
            assert_eq!(atom, Atom { predicate: "p".into(), args: vec![Term::Name("a".into()), Term::Number(3.0)] });
        }
        assert_eq!(parse_atom("rain", "--query").unwrap().args, []);
    }

    #[test]
    fn anything_but_an_atom_is_an_error_with_a_location() {
        for (text, message, column) in [
            ("p(a", "the query ends too early", 4),
            ("p(a b)", "expected `,` or `)`, found `b`", 5),
            ("p(ä ö)", "expected `,` or `)`, found `ö`", 5),
            ("", "the query ends too early", 1),
            ("p(a). q(b)", "unexpected text after the query", 7),
            ("p(a) :- q(a)", "a query must be one atom without weight, negation or body", 1),
            ("~p(a)", "a query must be one atom without weight, negation or body", 1),
            ("2 p(a)", "a query must be one atom without weight, negation or body", 1),
            ("p(\"a)", "", 3),
        ] {
            let error = parse_atom(text, "--query").unwrap_err();
            assert!(error.message.starts_with(message), "{text}: {error}");
            assert_eq!(error.location.unwrap().column, column, "{text}");
            assert!(!error.help.is_empty());
        }
    }
}

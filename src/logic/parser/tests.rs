//! Tests of directives and terms, sentence by sentence; `tests/properties/parse.rs` has the others.

use super::*;
use crate::logic::sentence::ImportKind;
use crate::logic::term::Term;

fn parse(text: &str) -> Result<Parsed, LexError> {
    parse_sentence(text, 0, true, Notation::Prolog, false)
}

fn sentence(text: &str) -> Sentence {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}")).sentence
}

fn error(text: &str) -> SyntaxError {
    match parse(text) {
        Err(LexError::Syntax(error)) => error,
        other => panic!("{text}: {other:?}"),
    }
}

fn first_argument(text: &str) -> Term {
    match sentence(text) {
        Sentence::Fact { atom, .. } => atom.args[0].clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn families_of_keywords_are_recognized() {
    for word in ["precompute", "precompute12", "relevantClause", "numericFunctionAsPred", "functionAsPred"] {
        let unused = sentence(&format!("{word}: anything, really."));
        assert_eq!(unused, Sentence::Unused(word.to_owned(), "anything, really".to_owned()));
    }
    for word in ["precomputes", "irrelevant"] {
        assert_eq!(error(&format!("{word}: anything.")).at, 0, "{word}");
    }
}

#[test]
fn predicates_of_directives_have_a_small_natural_arity() {
    assert_eq!(sentence("bridger: p/2."), Sentence::Bridger("p".to_owned(), 2));
    assert_eq!(sentence("bridger: p/255."), Sentence::Bridger("p".to_owned(), 255));
    let found = error("bridger: p/256.");
    assert_eq!((found.at, found.width), (11, 3));
    assert!(found.message.contains("at most 255 arguments, got 256"), "{}", found.message);
    for arity in ["2.5", "-1", "4294967297", "x"] {
        assert_eq!(error(&format!("bridger: p/{arity}.")).at, 11, "{arity}");
    }
}

#[test]
fn the_dot_of_an_imported_file_belongs_to_its_name() {
    let path = |text: &str| match sentence(text) {
        Sentence::Import(ImportKind::Required, path) => path,
        other => panic!("{other:?}"),
    };
    assert_eq!(path("import: modes.txt."), "modes.txt");
    assert_eq!(path("import: \"../modes.txt\"."), "../modes.txt");
    assert_eq!(path("import: modes.\np(a)."), "modes");
    assert_eq!(path("import: modes.2"), "modes", "a number is no extension");
    assert!(parse("import: modes .txt.").is_ok_and(|found| found.end == 15), "ends at the dot");
}

#[test]
fn the_dot_of_a_file_in_an_unused_directive_ends_nothing() {
    let rest = |text: &str| match sentence(text) {
        Sentence::Unused(_, rest) => rest,
        other => panic!("{other:?}"),
    };
    assert_eq!(rest("output: fileName=a.txt."), "fileName=a.txt");
    assert_eq!(rest("output: a. b."), "a");
    assert_eq!(rest("output: 3.b."), "3");
}

#[test]
fn nesting_is_limited() {
    let mode = |depth: usize| format!("mode: p({}+a{}).", "f(".repeat(depth), ")".repeat(depth));
    assert!(matches!(sentence(&mode(10)), Sentence::Mode(_)));
    assert!(error(&mode(11)).message.contains("deeper than 10"));
    let fact = |depth: usize| format!("p({}a{}).", "f(".repeat(depth), ")".repeat(depth));
    assert!(matches!(sentence(&fact(50)), Sentence::Fact { .. }));
    assert!(error(&fact(200)).message.contains("deeper than 100"));
}

#[test]
fn numbers_may_have_a_sign_and_be_infinite() {
    for (text, value) in [("-inf", f64::NEG_INFINITY), ("+Infinity", f64::INFINITY), ("-5.25", -5.25), ("+2", 2.0)] {
        assert_eq!(first_argument(&format!("p({text}).")), Term::Number(value), "{text}");
    }
    assert_eq!(first_argument("p(inf)."), Term::Name("inf".to_owned()));
    let found = error("p(+person).");
    assert!(found.message.contains("`+person` looks like a mode argument"), "{}", found.message);
    assert_eq!((found.at, found.width), (2, 7));
}

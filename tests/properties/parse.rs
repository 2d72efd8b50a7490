//! Properties of parsing: printing and parsing round-trips, the fast path agrees with the parser,
//! and the result does not depend on the chunk size.

use lrbm::internal::logic::lexer::LexError;
use lrbm::internal::logic::mode::{ModeArg, ModeDeclaration, ModeSymbol, ValueLimit};
use lrbm::internal::logic::parser::parse_sentence;
use lrbm::internal::logic::reader::intern_term;
use lrbm::internal::logic::{
    Atom, BodyLiteral, CapacityError, Constant, Diagnostic, FileRole, ImportKind, Notation, Reader, Sentence, Sink,
    SourceWindow, Symbols, Term,
};
use proptest::prelude::*;
use std::path::Path;

fn predicate() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9_]{0,6}".prop_filter("keywords of clause bodies", |w| w != "not" && w != "is")
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("NaN has no syntax", |v| !v.is_nan()),
        (-1000i32..1000).prop_map(f64::from),
        Just(f64::INFINITY),
        Just(1e-300),
    ]
    .prop_map(|v| if v == 0.0 { 0.0 } else { v })
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Term::Name),
        "[a-z0-9][a-zA-Z0-9_]{0,6}".prop_map(Term::Name),
        number().prop_map(Term::Number),
        "[A-Z_?][a-zA-Z0-9_]{0,4}".prop_map(Term::Variable),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            ("[a-z][a-z0-9_]{0,4}", prop::collection::vec(inner.clone(), 0..4)).prop_map(|(f, t)| Term::Compound(f, t)),
            prop::collection::vec(inner, 0..4).prop_map(Term::List),
        ]
    })
}

fn atom() -> impl Strategy<Value = Atom> {
    (predicate(), prop::collection::vec(term(), 0..5)).prop_map(|(predicate, args)| Atom { predicate, args })
}

fn mode_arg() -> impl Strategy<Value = ModeArg> {
    let symbol = prop::sample::select(ModeSymbol::ALL.map(|(_, symbol)| symbol).to_vec());
    let constant = prop_oneof![any::<String>().prop_map(Term::Name), number().prop_map(Term::Number)];
    let limit = prop_oneof![(0u32..5).prop_map(ValueLimit::Exactly), (0u32..5).prop_map(ValueLimit::AtMost)];
    (symbol, "[a-zA-Z][a-zA-Z0-9_]{0,6}", prop::option::of(constant), prop::option::of(limit))
        .prop_map(|(symbol, type_name, constant, limit)| ModeArg::Typed { symbol, type_name, constant, limit })
}

fn mode() -> impl Strategy<Value = ModeDeclaration> {
    let target = prop::option::of((predicate(), 0u32..5));
    let count = || prop::option::of(0u32..9);
    (predicate(), prop::collection::vec(mode_arg(), 0..4), any::<bool>(), count(), count(), target).prop_map(
        |(predicate, args, withdrawn, max, max_per_input, target)| ModeDeclaration {
            predicate,
            args,
            withdrawn,
            max,
            max_per_input,
            target,
        },
    )
}

fn sentence() -> impl Strategy<Value = Sentence> {
    let literal = (any::<bool>(), atom()).prop_map(|(negated, atom)| BodyLiteral { negated, atom });
    let value = || prop_oneof![any::<String>().prop_map(Term::Name), number().prop_map(Term::Number)];
    prop_oneof![
        (atom(), prop::option::of(number())).prop_map(|(atom, weight)| Sentence::Fact { atom, negated: false, weight }),
        atom().prop_map(|atom| Sentence::Fact { atom, negated: true, weight: None }),
        (atom(), prop::collection::vec(literal, 1..4)).prop_map(|(head, body)| Sentence::Clause { head, body }),
        mode().prop_map(Sentence::Mode),
        ("[a-zA-Z][a-zA-Z0-9]{0,8}", value()).prop_map(|(name, value)| Sentence::Parameter(name, value)),
        prop::sample::select(vec![Notation::Prolog, Notation::StandardLogic, Notation::QuestionMark])
            .prop_map(Sentence::Notation),
        (predicate(), 0u32..6).prop_map(|(name, arity)| Sentence::Bridger(name, arity)),
        ("[a-z]{1,6}", prop::collection::vec(value(), 1..5)).prop_map(|(name, values)| Sentence::Range(name, values)),
        "[a-zA-Z0-9_./\\\\\" -]{1,12}".prop_map(|path| Sentence::Import(ImportKind::Required, path)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_round_trips(sentence in sentence()) {
        let text = sentence.to_string();
        let parsed = parse_sentence(&text, 0, true, Notation::Prolog, false);
        prop_assert!(parsed.is_ok(), "{text}: {parsed:?}");
        let parsed = parsed.unwrap();
        prop_assert_eq!(&parsed.sentence, &sentence, "{}", &text);
        prop_assert_eq!(parsed.end, text.len());
        prop_assert_eq!(parsed.warnings, vec![]);
    }

    /// A prefix of a text gives either the same sentence or a request for more input.
    #[test]
    fn truncated_text_requests_more_input(sentence in sentence(), cut in any::<prop::sample::Index>()) {
        let text = format!("{sentence} p(a).");
        let mut cut = cut.index(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        match parse_sentence(&text[..cut], 0, false, Notation::Prolog, false) {
            Ok(parsed) => prop_assert_eq!(parsed.sentence, sentence),
            Err(error) => prop_assert_eq!(error, LexError::NeedMore),
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>(), allow_bare_modes in any::<bool>()) {
        let _ = parse_sentence(&text, 0, true, Notation::Prolog, allow_bare_modes);
    }

    #[test]
    fn chunk_size_does_not_affect_the_result(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..30),
        chunk in 1usize..9,
    ) {
        let text = pieces.concat();
        let once = read(&text, 1 << 20, FileRole::Background);
        prop_assert_eq!(read(&text, chunk, FileRole::Background), once);
    }

    /// The fast path and the parser intern the same constants.
    #[test]
    fn the_fast_path_agrees_with_the_parser(
        pieces in prop::collection::vec(prop::sample::select(FACT_PIECES.to_vec()), 0..12),
    ) {
        let text = format!("p({}", pieces.concat());
        let (mut symbols, mut args) = (Symbols::new(), Vec::new());
        if let Ok(Some(fact)) = lrbm::internal::logic::fast::plain_fact(&text, 0, &mut symbols, &mut args) {
            let parsed = parse_sentence(&text, 0, true, Notation::Prolog, false).unwrap();
            let Sentence::Fact { atom, negated: false, weight: None } = &parsed.sentence else { panic!("{parsed:?}") };
            let mut again = symbols.clone();
            let constants: Vec<Constant> = atom.args.iter().map(|t| intern_term(&mut again, t).unwrap()).collect();
            prop_assert_eq!(&constants, &args);
            prop_assert_eq!(parsed.end, fact.end);
            prop_assert_eq!(&parsed.warnings, &vec![]);
        }
    }
}

const PIECES: &[&str] = &[
    "p",
    "(",
    ")",
    "a",
    "A",
    ",",
    ".",
    ";",
    " ",
    "\n",
    "+",
    "-",
    "#",
    "1",
    "1.5",
    "1e-5",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "%",
    ":-",
    ":",
    "mode:",
    "setParam:",
    "range: t = {",
    "}",
    "...",
    "import: x.",
    "~",
    "!",
    "\\+",
    "[",
    "]",
    "=",
    "é",
    "…",
    "p(a).",
    "bridger: p/2",
];

const FACT_PIECES: &[&str] = &[
    "a", "bc_1", "12", "007", ",", ", ", ")", ").", ") ;", "\"", "\"a b\"", "\"x\"", "\"X\"", " ", "1a", "-3", "1.5",
    "A", "'q'",
];

/// Sink that records everything it receives.
#[derive(Default)]
struct RecordingSink {
    symbols: Symbols,
    lines: Vec<String>,
}

impl Sink for RecordingSink {
    fn symbols(&mut self) -> &mut Symbols {
        &mut self.symbols
    }

    fn fact(
        &mut self,
        line: u64,
        predicate: &str,
        args: &[Constant],
        weight: Option<f64>,
    ) -> Result<(), CapacityError> {
        let args: Vec<String> = args.iter().map(|&c| self.symbols.show(c).to_string()).collect();
        self.lines.push(format!("{line}: {weight:?} {predicate}({})", args.join(", ")));
        Ok(())
    }

    fn sentence(&mut self, _: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, CapacityError> {
        self.lines.push(sentence.to_string());
        Ok(Vec::new())
    }
}

fn read(text: &str, chunk: usize, role: FileRole) -> (Vec<String>, String) {
    let (mut reader, mut record) = (Reader::default(), RecordingSink::default());
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let mut source = SourceWindow::with_chunk(Path::new("file"), Box::new(bytes), chunk);
    reader.read(&mut source, role, &mut record).unwrap();
    (record.lines, reader.diagnostics.to_string())
}

#[test]
fn facts_across_window_borders_are_read_once() {
    let text: String = (0..200_000).map(|i| format!("edge(n{i}, m{}). % to the next\n", i / 7)).collect();
    let (lines, diagnostics) = read(&text, 1 << 20, FileRole::Examples);
    assert_eq!(lines.len(), 200_000);
    assert_eq!(lines[123_456], "123457: None edge(n123456, m17636)");
    assert_eq!(diagnostics, "");
}

#[test]
fn long_comments_are_skipped() {
    let long = "x".repeat(5 << 20);
    for text in [format!("/* {long} */ p(a)."), format!("// {long}\np(a)."), format!("% {long}\n\n  p(a).")] {
        let (lines, diagnostics) = read(&text, 1 << 20, FileRole::Facts);
        assert_eq!((lines, diagnostics.as_str()), (vec!["0: None p(a)".to_owned()], ""));
    }
    let (_, diagnostics) = read(&format!("p(a).\n/* {long}"), 1 << 20, FileRole::Facts);
    assert!(diagnostics.starts_with("file:2:1: error[syntax]: unclosed comment"), "{diagnostics}");
}

#[test]
fn facts_are_parsed_as_the_format_specifies() {
    let facts = |text: &str| {
        let (lines, diagnostics) = read(text, 1 << 20, FileRole::Facts);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_start_matches("0: None ")).collect();
        let codes: Vec<&str> =
            diagnostics.lines().filter_map(|l| l.split_once('[')?.1.split_once("]:")).map(|s| s.0).collect();
        (lines.join(" "), codes.join(" "))
    };
    let cases = [
        ("p(a,-5.25). p(a,+3).", "p(a, -5.25) p(a, 3)", ""),
        ("p(1.5e5). p(1.5e-5).", "p(150000) p(0.000015)", ""),
        ("p(1e5). p(1e-5).", "p(100000) p(0.00001)", "scientific-notation"),
        ("p(007). p(\"5\").", "p(7) p(\"5\")", ""),
        ("p(X).", "p(\"X\")", "capitalised-constant"),
        ("useStdLogicVariables: true. p(Bob).", "useStdLogicVariables: true. p(\"Bob\")", ""),
        ("useStdLogicVariables: true. p(bob).", "useStdLogicVariables: true. p(bob)", "capitalised-constant"),
        ("p(a)", "", "syntax"),
        ("p(a)\nq(b).", "q(b)", "syntax"),
        ("p(12.)", "", "syntax syntax"),
        ("p(a.b). q(c).", "q(c)", "syntax syntax"),
        ("p(a b). q(c).", "q(c)", "syntax"),
        ("p(a:b). q(c).", "q(c)", "syntax"),
        ("p(a,,b). q(c).", "q(c)", "syntax"),
        ("p(a-b). p(c/d).", "p(\"a-b\") p(\"c/d\")", "hyphenated-constant"),
        ("!p(a). q(c).", "q(c)", "syntax"),
        ("~p(a). q(c).", "q(c)", "negated-fact"),
        ("p([a,b,3]). p(f(a),b). p. p().", "p([a, b, 3]) p(f(a), b) p() p()", ""),
        ("\u{feff}p(a).", "p(a)", "byte-order-mark"),
        ("P(a).", "P(a)", ""),
        (":- dynamic p/1. q(c).", ":-: dynamic p/1. q(c)", ""),
        ("p('13, 30'). p('it\\'s').", "p(\"13, 30\") p(\"it's\")", ""),
        ("p(a); q(b); r(c). // end", "p(a) q(b) r(c)", ""),
    ];
    for (text, expected, codes) in cases {
        assert_eq!(facts(text), (expected.to_owned(), codes.to_owned()), "{text}");
    }
    let weighted = read("0.5 p(a). weight: 0.25 q(b).", 1 << 20, FileRole::Facts).0;
    assert_eq!(weighted, ["0: Some(0.5) p(a)", "0: Some(0.25) q(b)"]);
}

#[test]
fn background_sentences_are_parsed() {
    let background = |text: &str| read(text, 1 << 20, FileRole::Background);
    let cases = [
        ("mode:p(+a,-b).", "mode: p(+a,-b)."),
        (
            "MODE: p( +a , #b!1 ), max=2 maxPerInputVars=3, target=q/2.",
            "mode: p(+a,#b!1), max=2, maxPerInputVars=3, target=q/2.",
        ),
        ("noMode: p(+a).", "noMode: p(+a)."),
        ("mode: p(@c:red, +d:5, `e$).", "mode: p(@c:red,+d:5,`e$1)."),
        ("mode: p(f(+a),-b).", "mode: p(f(+a),-b)."),
        (
            "setParam: nodeSize=2 setParam: x = \"a b\". setParam: y 0.5",
            "setParam: nodeSize = 2. setParam: x = \"a b\". setParam: y = 0.5.",
        ),
        ("bridger: p/2 bridger: q/3.", "bridger: p/2. bridger: q/3."),
        ("range: size = {1, ..., 4}.", "range: size = {1, 2, 3, 4}."),
        ("range: c = red, green.", "range: c = {red, green}."),
        ("import: \"../x.txt\". import: y.txt. import: z.", "import: \"../x.txt\". import: \"y.txt\". import: \"z\"."),
        ("importLibrary: listsInLogic.", "importLibrary: \"listsInLogic\"."),
        (
            "okIfUnknown: p/#. cost: p/2, 1.5 isa: dog isa animal.",
            "okIfUnknown: p/#. cost: p/2, 1.5. isa: dog isa animal.",
        ),
        ("precompute3: fileName=a.txt, p(X) :- q(X, 0.5).", "precompute3: fileName=a.txt, p(X) :- q(X, 0.5)."),
        ("disc: p([2],[4]).", "disc: p([2],[4])."),
        ("h(X) :- p(X,Y), \\+ q(Y), not r(Y), ~s.", "h(X) :- p(X, Y), ~q(Y), ~r(Y), ~s."),
        ("h(X) :- p(X), X > 5.", "h(X) :-: p(X), X > 5."),
        ("useProlognotation: yes.", "usePrologVariables: true."),
    ];
    for (text, expected) in cases {
        let (lines, diagnostics) = background(text);
        assert_eq!((lines.join(" ").as_str(), diagnostics.as_str()), (expected, ""), "{text}");
    }
    let (lines, diagnostics) = background("p(+a,-b).\nq(+c).");
    assert_eq!(lines, ["mode: p(+a,-b).", "mode: q(+c)."]);
    assert!(diagnostics.starts_with("file:1:1: warning[bare-mode]") && diagnostics.contains("(and once more)"));
}

#[test]
fn at_most_twenty_errors_per_file_are_shown() {
    let (lines, diagnostics) = read(&"p(a b). q(c).\n".repeat(30), 1 << 20, FileRole::Facts);
    assert_eq!(lines.len(), 30);
    assert_eq!(diagnostics.matches("error[syntax]").count(), 20);
    assert!(diagnostics.ends_with("… and 10 more errors"));
}

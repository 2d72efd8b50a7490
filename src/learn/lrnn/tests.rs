use std::path::Path;

use super::net::Net;
use super::unroll::unroll_naively;
use super::*;
use crate::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, sample};
use crate::learn::{Model, Resources, SavedModel, Scored, Stored};
use crate::logic::Constant;
use crate::logic::rule::parse_rules;
use crate::math::sigmoid;
use proptest::prelude::*;

fn template(text: &str, target: (&str, usize)) -> Result<Template, String> {
    let rules = parse_rules(Path::new("rules.txt"), text).map_err(|error| error.to_string())?;
    Template::from_rules(&rules, target).map_err(|error| error.to_string())
}

/// Molecules with atoms of elements, and bonds between atoms.
const MOLECULES: &str = "mode: toxic(+molecule). has(m1, a1). has(m1, a2). has(m2, b1). has(m2, b2). has(m3, c1). has(m3, c2).
    element(a1, oxygen). element(a2, carbon). element(b1, carbon). element(b2, carbon). element(c1, sulphur). element(c2, oxygen).
    bond(a1, a2). bond(b1, b2). bond(c1, c2). has(m4, d1).";

const RULES: &str = "toxic(M) :- has(M, X), group(X), bond(X, Y), group(Y).
    2 group(X) :- element(X, oxygen).
    group(X) :- element(X, carbon).
    0.5 group(X) :- element(X, sulphur).";

fn examples(database: &Database, names: [&str; 4], positive: [bool; 4]) -> Vec<Example> {
    let constants = sample::constants(database, names);
    let example =
        |(constant, positive)| Example { args: Box::new([constant]), positive, class: 0, weight: 1.0, line: 0 };
    constants.into_iter().zip(positive).map(example).collect()
}

#[test]
fn templates_unroll_over_the_facts_of_each_example() {
    let (database, ..) = sample::build(MOLECULES, None);
    let target = database.predicates.find("toxic", 1).unwrap();
    let template = template(RULES, ("toxic", 1)).unwrap();
    let examples = examples(&database, ["m1", "m2", "m3", "m4"], [true, false, true, false]);
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    let unrolled = unroll(&template, &coverage, Family::Max, 100);
    // m4 has an atom without an element: no grounding, so ψ is the bias d.
    assert_eq!((unrolled.nets().len(), unrolled.of.as_slice()), (4, &[0, 1, 2, 3][..]));
    let layout = Layout { rules: 4, heads: 2 };
    let all = [3.0, 0.5, 2.0, 1.0, -1.0, 0.0, 0.5, 1.5, -0.25, 0.125];
    let weights = NetWeights { all: &all, layout, family: Family::Max };
    let oxygen = sigmoid(2.0 * sigmoid(1.0) + 0.125);
    let carbon = sigmoid(-sigmoid(0.0) + 0.125);
    let sulphur = sigmoid(0.5 * sigmoid(1.5) + 0.125);
    // Of the four atoms in the body, has and bond are facts.
    let rule = |x: f64, y: f64| sigmoid(1.0 + x + 1.0 + y - 4.0 + 0.5);
    let expected = [rule(oxygen, carbon), rule(carbon, carbon), rule(sulphur, oxygen)].map(|value| -0.25 + 3.0 * value);
    for (net, expected) in unrolled.nets().iter().zip(expected.into_iter().chain([-0.25])) {
        assert!((net.psi(weights) - expected).abs() < 1e-12, "{} {expected}", net.psi(weights));
    }
}

#[test]
fn averages_count_groundings_and_exhausted_budgets_are_reported() {
    let text = "mode: good(+x). p(m, a). p(m, b). p(m, c). p(n, a). q(a). r(b). r(c). q(c).";
    let (database, ..) = sample::build(text, None);
    let target = database.predicates.find("good", 1).unwrap();
    let template = template("good(X) :- p(X, Y), h(Y). h(Y) :- q(Y). h(Y) :- r(Y).", ("good", 1)).unwrap();
    let [m, n] = sample::constants(&database, ["m", "n"]);
    let examples =
        [m, n].map(|args| Example { args: Box::new([args]), positive: true, class: 0, weight: 1.0, line: 0 });
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    let layout = Layout { rules: 3, heads: 2 };
    let all = [2.0, 0.0, 1.0, 0.0, -2.0, 0.5, 0.0, 0.25];
    let [q, r] = [0.5, sigmoid(0.5)];
    let [a, b, c] = [sigmoid(q + 0.25), sigmoid(-2.0 * r + 0.25), sigmoid(q - 2.0 * r + 0.25)];
    let rule = |h: f64| sigmoid(1.0 + h - 2.0);
    for (family, max_groundings, expected, hits) in [
        (Family::Avg, 100, [(rule(a) + rule(b) + rule(c)) / 3.0, rule(a)], 0),
        (Family::Max, 100, [rule(a).max(rule(b)).max(rule(c)), rule(a)], 0),
        // Two of the three groundings are taken.
        (Family::Avg, 2, [(rule(a) + rule(b)) / 2.0, rule(a)], 1),
    ] {
        let unrolled = unroll(&template, &coverage, family, max_groundings);
        assert_eq!(unrolled.budget_hits, hits);
        for (net, expected) in unrolled.nets().iter().zip(expected) {
            let psi = net.psi(NetWeights { all: &all, layout, family });
            assert!((psi - 2.0 * expected).abs() < 1e-12, "{family:?} {max_groundings}: {psi} {expected}");
        }
    }
}

#[test]
fn uniform_rules_unfold_into_conjunctions() {
    let text = "mode: good(+x). p(m, a). p(n, b). q(a). q(b). s(a, z).";
    let (database, ..) = sample::build(text, None);
    let target = database.predicates.find("good", 1).unwrap();
    // Both latent predicates have one rule; the inner Z is not the outer Z.
    let template = template("good(X) :- p(X, Z), h(Z). h(Y) :- q(Y), g(Y). g(Z) :- s(Z, Y).", ("good", 1)).unwrap();
    let [m, n] = sample::constants(&database, ["m", "n"]);
    let examples =
        [m, n].map(|args| Example { args: Box::new([args]), positive: true, class: 0, weight: 1.0, line: 0 });
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    // The grounding budget does not apply to existence queries.
    let unrolled = unroll(&template, &coverage, Family::Max, 1);
    assert_eq!((unrolled.budget_hits, unrolled.of.as_slice()), (0, &[0, 1][..]));
    let all = [1.0; 9];
    let psi = |net: &Net| net.psi(NetWeights { all: &all, layout: Layout { rules: 3, heads: 3 }, family: Family::Max });
    let g = sigmoid(1.0 + sigmoid(1.0));
    let h = sigmoid(1.0 + sigmoid(1.0 + g - 2.0 + 1.0));
    assert!((psi(&unrolled.nets()[0]) - (1.0 + sigmoid(1.0 + h - 2.0 + 1.0))).abs() < 1e-12);
    assert!((psi(&unrolled.nets()[1]) - 1.0).abs() < 1e-12);
}

#[test]
fn rules_that_double_at_every_level_unroll_quickly() {
    use std::fmt::Write;
    let (database, ..) = sample::build("mode: t(+x). p(a). q(a, b).", None);
    let target = database.predicates.find("t", 1).unwrap();
    let [a, b] = sample::constants(&database, ["a", "b"]);
    let examples =
        [a, b].map(|args| Example { args: Box::new([args]), positive: true, class: 0, weight: 1.0, line: 0 });
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    // The same literal twice, and two literals of one predicate: 2^60 facts if fully unfolded.
    for (other, last) in [("A", "p(A)"), ("B", "q(A, B)")] {
        let mut text = String::from("t(A) :- a0(A).\n");
        for level in 0..60 {
            let under = if other == "A" { "" } else { ", q(A, B)" };
            writeln!(text, "a{level}(A) :- a{}(A), a{}({other}){under}.", level + 1, level + 1).unwrap();
        }
        writeln!(text, "a60(A) :- {last}.").unwrap();
        let template = template(&text, ("t", 1)).unwrap();
        let layout = Layout { rules: template.rules.len(), heads: template.heads().len() };
        let unrolled = unroll(&template, &coverage, Family::Max, 10);
        let holds = if other == "A" { [true, false] } else { [false, false] };
        let all = vec![1.0; layout.size()];
        let psi: Vec<f64> =
            unrolled.nets().iter().map(|net| net.psi(NetWeights { all: &all, layout, family: Family::Max })).collect();
        for (&net, holds) in unrolled.of.iter().zip(holds) {
            // Without a grounding ψ is d. A level is σ(1 + σ(2x − 2 + 1)) of the one below.
            let mut x = sigmoid(1.0 + sigmoid(1.0));
            (0..60).for_each(|_| x = sigmoid(1.0 + sigmoid(2.0 * x - 2.0 + 1.0)));
            let expected = if holds { 1.0 + sigmoid(x - 1.0 + 1.0) } else { 1.0 };
            assert!((psi[net] - expected).abs() < 1e-12, "{other} {} {expected}", psi[net]);
        }
    }
}

#[test]
fn templates_beyond_the_depth_limit_are_rejected() {
    // A chain of nested rules with this many literals each; two rules per predicate prevent
    // unfolding.
    let chain = |rules: usize, literals: usize, twice: bool| {
        let mut text = String::from("t(A) :- a1(A).\n");
        let more: String = (1..literals).map(|k| format!(", q(A, X{k})")).collect();
        for k in 1..rules {
            let under = if k + 1 < rules { format!("a{}(A)", k + 1) } else { "p(A)".to_owned() };
            let rule = format!("a{k}(A) :- {under}{more}.\n");
            text.push_str(&rule.repeat(1 + usize::from(twice)));
        }
        text
    };
    let wide = |literals: usize, latent: bool| {
        let last = if latent { "h(X0)" } else { "p(X0)" };
        let steps: Vec<String> = (1..literals).map(|k| format!("q(X{}, X{k})", k - 1)).collect();
        let rules = if latent { "h(X) :- p(X). h(X) :- r(X)." } else { "" };
        format!("t(X0) :- {}, {last}. {rules}", steps.join(", "))
    };
    let (database, ..) = sample::build("mode: t(+x). p(a). q(a, a). q(b, a). r(c).", None);
    let target = database.predicates.find("t", 1).unwrap();
    let [a, b] = sample::constants(&database, ["a", "b"]);
    let examples =
        [a, b].map(|args| Example { args: Box::new([args]), positive: true, class: 0, weight: 1.0, line: 0 });
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    for (text, rejected) in [
        (chain(100, 1, false), false),
        (chain(100, 1, true), false),
        (chain(100, 10, true), false),
        (chain(101, 1, false), true),
        (chain(100, 12, true), true),
        (chain(20_000, 1, false), true),
        (wide(1000, false), false),
        (wide(1001, false), true),
        (wide(999, true), false),
        (wide(20_000, true), true),
    ] {
        match template(&text, ("t", 1)) {
            Err(message) => {
                assert!(rejected, "{message}");
                assert!(
                    message.contains("t/1")
                        && message.contains("nested too deeply: more than 100 levels, or more than 1000 literals"),
                    "{message}"
                );
            }
            Ok(template) => {
                assert!(!rejected, "{}", template.rules.len());
                let unrolled = unroll(&template, &coverage, Family::Avg, 10);
                // All rules cover a and none covers b, for which p is unknown.
                assert_eq!((unrolled.of.as_slice(), unrolled.budget_hits), (&[0, 1][..], 0));
            }
        }
    }
}

#[test]
fn the_grounding_limit_itself_is_not_exceeded() {
    // Two groundings; the third p fact fails q or r.
    let text = "mode: good(+x). p(m, a). p(m, b). p(m, c). q(a). q(b). q(c). r(a). r(b). u(a). u(b). u(c).";
    let (database, ..) = sample::build(text, None);
    let target = database.predicates.find("good", 1).unwrap();
    let rules = "good(X) :- p(X, Y), h(Y), k(Y). h(Y) :- q(Y). h(Y) :- u(Y). k(Y) :- r(Y). k(Y) :- r(Y), q(Y).";
    let template = template(rules, ("good", 1)).unwrap();
    let [m] = sample::constants(&database, ["m"]);
    let examples = [Example { args: Box::new([m]), positive: true, class: 0, weight: 1.0, line: 0 }];
    let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
    let hits = |max_groundings| unroll(&template, &coverage, Family::Avg, max_groundings).budget_hits;
    assert_eq!([hits(1), hits(2), hits(3)], [1, 0, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    /// Bodies with the same facts are enumerated once for all rules, with the same networks, neuron
    /// by neuron, and the same warnings as if each rule had been enumerated by itself.
    #[test]
    fn shared_enumerations_change_nothing(
        facts in prop::collection::vec((0usize..3, 0usize..5, 0usize..5), 1..40),
        max_groundings in 1usize..12,
        max: bool,
    ) {
        let mut text = String::from("mode: t(+x, +x). p(e, e). q(e, e). r(e). r(c0). ");
        for (predicate, a, b) in facts {
            text += &match predicate {
                0 => format!("p(c{a}, c{b}). "),
                1 => format!("q(c{a}, c{b}). "),
                _ => format!("r(c{a}). "),
            };
        }
        let (database, ..) = sample::build(&text, None);
        let mut rules = String::from(
            "g(X) :- r(X). g(X) :- p(X, Y). g(X) :- q(X, X). h(X) :- q(Y, X). h(X) :- p(X, c0). u(X) :- unseen(X).
             u(X) :- unheard(X). v(X, Y) :- p(X, Y). v(X, Y) :- q(X, Y). w(X) :- g(X). w(X) :- r(X), q(X, Y). ",
        );
        for body in ["p(A, C), q(C, B)", "q(C, A), p(D, B), p(D, D)", "p(A, C), p(C, D), p(B, D)", "p(A, B)"] {
            let latent = ["g(A)", "h(A)", "g(B)", "h(C)", "g(C)", "g(D)", "h(D)", "u(A)", "w(C)", "v(A, B)", "g(A), h(B)"];
            for atom in latent.into_iter().filter(|atom| ["A", "B"].iter().chain(&["C", "D"]).all(|variable| {
                !atom.contains(variable) || body.contains(variable) || *variable < "C"
            })) {
                rules += &format!("t(A, B) :- {body}, {atom}. ");
            }
        }
        let template = template(&rules, ("t", 2)).unwrap();
        let target = database.predicates.find("t", 2).unwrap();
        let constants = sample::constants(&database, ["c0", "e"]);
        let pairs = constants.iter().flat_map(|&a| constants.iter().map(move |&b| [a, b]));
        let example = |args: [Constant; 2]| Example { args: Box::new(args), positive: true, class: 0, weight: 1.0, line: 0 };
        let examples: Vec<Example> = pairs.map(example).collect();
        let coverage = Coverage::new(&database, target, &examples, DEFAULT_MEMORY_BYTES);
        let family = if max { Family::Max } else { Family::Avg };
        let shared = unroll(&template, &coverage, family, max_groundings);
        let naive = unroll_naively(&template, &coverage, family, max_groundings);
        prop_assert_eq!((shared.nets(), &shared.of), (naive.nets(), &naive.of));
        prop_assert_eq!(shared.budget_hits, naive.budget_hits);
    }
}

#[test]
fn invalid_templates_are_rejected() {
    let wrong = |text: &str| template(text, ("t", 1)).unwrap_err();
    for (text, message) in [
        ("h(X) :- p(X).", "no rule has the target t/1 as its head"),
        ("t(X) :- h(X). h(X) :- g(X). g(X) :- h(X).", "h/1 depends on itself, through g/1"),
        ("t(X) :- p(X), t(X).", "t/1 depends on itself"),
        ("t(X) :- h(X). h(X) :- p(X), t(X).", "t/1 depends on itself, through h/1"),
        ("t(X) :- p(X), \\+ q(X).", "has a class, a negation or a condition"),
        ("t(X) :- p(X), not (q(X)).", "has a class, a negation or a condition"),
        ("t(X) :- h(X, Y). h(X, Y) :- p(X).", "does not bind all variables of its head"),
        ("t(a) :- p(a).", "`a` in the head; the arguments of a head must be distinct variables"),
        ("t(X). t(X) :- p(X).", "a rule for t/1 has no body"),
        ("5000 t(X) :- p(X).", "the initial weight is too large"),
    ] {
        assert!(wrong(text).contains(message), "{text}: {}", wrong(text));
    }
}

#[test]
fn weights_are_learned_saved_and_printed() {
    let (database, ..) = sample::build(MOLECULES, None);
    let target = database.predicates.find("toxic", 1).unwrap();
    let examples = examples(&database, ["m1", "m2", "m3", "m4"], [true, false, true, false]);
    let task = Task { database: &database, target, examples: &examples, seed: 1, resources: Resources::default() };
    let params = Lrnn::params().epochs(300).learning_rate(0.1).build().unwrap();
    let lrnn = Lrnn { params, template: template(RULES, ("toxic", 1)).ok() };
    let model = lrnn.fit(&task, &mut |_| {}).unwrap().model;
    let psi = model.score(&database, target, &examples).unwrap().scores;
    assert!(psi[0] > 0.5 && psi[1] < 0.0 && psi[2] > 0.5 && psi[3] < 0.0, "{psi:?}");
    let again = SavedModel::from_json(&model.to_json()).unwrap();
    assert_eq!(again.to_json(), model.to_json());
    assert_eq!(again.score(&database, target, &examples).unwrap().scores, psi);
    assert_eq!(again.describe(), model.describe());
    assert!(model.describe().contains("toxic(A) :- has(A, B), group(B), bond(B, C), group(C). % c="));
    let Scored { scores: fired, warnings } = model.fired(&database, target, &examples).unwrap();
    assert_eq!(warnings.iter().count(), 0);
    assert_eq!(fired.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 0]);
    assert!((model.head_weight(0) + fired[0][0].contribution - psi[0]).abs() < 1e-12);
    for (from, to, message) in [
        ("\"version\": 1", "\"version\": 9", "a template with weights of format version 9"),
        (
            "\n  \"max_groundings\": 1000",
            "\n  \"max_groundings\": 0",
            "max_groundings must be a whole number from 1 to 1000000, got 0",
        ),
        ("\n  \"family\": \"max\"", "\n  \"family\": \"min\"", "unknown family \"min\"; expected max or avg"),
        ("\"kind\": \"lrnn\"", "\"kind\": \"rrbm-c\"", "models of kind rrbm-c have another format"),
        ("\"w\"", "\"weight\"", "unknown field `weight`"),
        (
            "\"name\": \"group\"",
            "\"name\": \"groups\"",
            "offsets must have one d for each head, in this order: toxic/1",
        ),
        (
            "\"predicate\": \"has\"",
            "\"negated\": true, \"predicate\": \"has\"",
            "a rule for toxic/1 has a negated literal",
        ),
    ] {
        let text = model.to_json();
        assert!(text.contains(from), "{from}");
        let error = SavedModel::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

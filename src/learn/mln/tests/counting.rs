use proptest::prelude::*;

use crate::cover::{Bits, Coverage};
use crate::kb::sample::{self, constants};
use crate::kb::{Database, Example, naive};
use crate::learn::mln::tally::*;
use crate::learn::mln::*;
use crate::logic::{Argument, Literal, PredicateId, Variable};
use crate::tree::{Expand, Language, LanguageOptions};

fn examples_of(database: &Database, names: &[&str]) -> Vec<Example> {
    let example = |name: &&str| Example {
        args: constants(database, [*name]).into(),
        positive: true,
        class: 0,
        weight: 1.0,
        line: 0,
    };
    names.iter().map(example).collect()
}

/// Actors and their movies: a is in three, of which two are comedies and one of those is old; b is
/// in one; c in none.
const MOVIES: &str = "
    mode: h(+person). mode: in(+person, -movie). mode: in(-person, +movie). mode: comedy(+movie). mode: old(+movie).
    in(a, m1). in(a, m2). in(a, m3). in(b, m3). comedy(m1). comedy(m2). old(m2). age(c, 7).
    h(A) :- in(A, M). h(A) :- in(A, M), comedy(M). h(A) :- comedy(M), old(M). h(A) :- in(A, M), in(P, M).
";

#[test]
fn counts_match_hand_computation() {
    let (database, clauses, _) = sample::build(MOVIES, None);
    let examples = examples_of(&database, &["a", "b", "c"]);
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let tally = Tally::new(&coverage, 1000);
    let [movies, comedies, _, together] = [0, 1, 2, 3].map(|k| clauses[k].1.clone());
    let counts = |literals: &[Literal], none_of: &[&[Literal]]| {
        let none_of = none_of.iter().map(|group| group.to_vec()).collect();
        tally.counts(&Pattern { literals: literals.to_vec(), none_of })
    };
    assert_eq!(counts(&[], &[]), [1.0, 1.0, 1.0]);
    assert_eq!(counts(&movies, &[]), [3.0, 1.0, 0.0]);
    assert_eq!(counts(&comedies, &[]), [2.0, 0.0, 0.0]);
    // m1 and m2 have one actor, m3 two.
    assert_eq!(counts(&together, &[]), [4.0, 2.0, 0.0]);
    // Movies other than comedies, and examples without a movie.
    assert_eq!(counts(&movies, &[&comedies[1..]]), [1.0, 1.0, 0.0]);
    assert_eq!(counts(&[], &[&movies]), [0.0, 0.0, 1.0]);
    // Not (comedy and old), under one substitution: m1 and m3, not m2.
    let old = Literal::new(database.predicates.find("old", 1).unwrap(), comedies[1].args.clone());
    assert_eq!(counts(&movies, &[&[comedies[1].clone(), old]]), [2.0, 1.0, 0.0]);
    // Of the movies of each, those without another actor; the actor is the conjunction's own
    // variable, so everyone has one.
    assert_eq!(counts(&movies, &[&together[1..]]), [0.0, 0.0, 0.0]);
    assert_eq!(tally.cut(), (0, 0));
}

#[test]
fn exceeded_budgets_are_reported() {
    let (database, clauses, _) = sample::build(MOVIES, None);
    let examples = examples_of(&database, &["a", "b"]);
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let tally = Tally::new(&coverage, 1);
    let counts = tally.counts(&Pattern { literals: clauses[3].1.clone(), none_of: Vec::new() });
    assert!(counts[0] < 4.0, "{counts:?}");
    assert_eq!(tally.cut(), (1, 2));
    tally.counts(&Pattern { literals: clauses[3].1.clone(), none_of: Vec::new() });
    assert_eq!(tally.cut(), (1, 2), "each component once");
}

/// Groundings of a long acyclic pattern are counted without enumeration: 30^5 here.
#[test]
fn acyclic_patterns_are_counted_without_enumeration() {
    use std::fmt::Write;
    let mut text = String::from("mode: h(+x). mode: e(+x, -x).");
    for i in 0..30 {
        for j in 0..30 {
            write!(text, "e(v{i}, v{j}).").unwrap();
        }
    }
    text.push_str("h(A) :- e(A, B), e(B, C), e(C, D), e(C, E), e(B, F).");
    let (database, clauses, _) = sample::build(&text, None);
    let examples = examples_of(&database, &["v0", "v7"]);
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let tally = Tally::new(&coverage, 10_000);
    let counts = tally.counts(&Pattern { literals: clauses[0].1.clone(), none_of: Vec::new() });
    assert_eq!(counts, [30f64.powi(5); 2]);
    assert_eq!(tally.cut(), (0, 0));
}

#[test]
fn trees_and_clauses_fit_counts() {
    // The gradient is the number of comedies, minus 0.5 for each other movie.
    let text = MOVIES.replace("age(c, 7).", "in(d, m1). in(d, m3). in(e, m3). in(e, m4).");
    let (database, clauses, _) = sample::build(&text, None);
    let examples = examples_of(&database, &["a", "b", "d", "e", "m4"]);
    let gradients = [2.0 - 0.5, -0.5, 1.0 - 0.5, -1.0, 0.0];
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let options = LanguageOptions { node_size: 1, ..LanguageOptions::default() };
    let language = Language::new(&database, clauses[0].0, options);
    let tally = Tally::new(&coverage, 1000);
    let grower = CountGrower::new(&tally, &language, 6);
    let options =
        CountOptions { max_leaves: Some(3), max_depth: None, min_leaf: 1, expand: Expand::Total, shrinkage: 0.0 };
    let (leaves, _) = grower.grow(&options, &gradients, &Bits::ones(5));
    let fitted: Vec<f64> = (0..5).map(|i| leaves.iter().map(|leaf| leaf.weight * leaf.counts[i]).sum()).collect();
    assert!(fitted.iter().zip(gradients).all(|(a, b)| (a - b).abs() < 1e-9), "{fitted:?}: {leaves:?}");
    // in(A, B) and comedy(B), in(A, B) without, no movie at all.
    let weights: Vec<f64> = leaves.iter().map(|leaf| (leaf.weight * 1e6).round() / 1e6).collect();
    assert_eq!(weights, [1.0, -0.5, 0.0]);
    assert_eq!(leaves[1].pattern.none_of.len(), 1);
    assert_eq!(leaves[1].counts, [1.0, 1.0, 1.0, 2.0, 0.0]);
    // Clauses over movies and comedies express the same.
    let options = CountClauseOptions { clauses: 4, max_length: 2, beam: 3, min_examples: 1, shrinkage: 0.0 };
    let (clauses, _) = grower.clauses(&options, &gradients, &Bits::ones(5));
    assert!(clauses[0].pattern.literals.is_empty());
    let error: f64 =
        (0..5).map(|i| (gradients[i] - clauses.iter().map(|c| c.weight * c.counts[i]).sum::<f64>()).powi(2)).sum();
    assert!(error < 1e-9, "{error}: {clauses:?}");
}

/// A literal as numbers: predicate 0 is p/2, 1 is q/1, 2 is r/2; arguments from 5 on are constants.
type Drawn = (u32, [u32; 2]);

fn literal(database: &Database, &(predicate, args): &Drawn) -> Literal {
    let (name, arity) = [("p", 2), ("q", 1), ("r", 2)][predicate as usize];
    let id: PredicateId = database.predicates.find(name, arity).unwrap();
    let arg = |&k: &u32| match k {
        0..5 => Argument::Variable(Variable(k)),
        _ => Argument::Constant(constants(database, [NAMES[k as usize - 5]])[0]),
    };
    Literal::new(id, args[..arity].iter().map(arg).collect())
}

/// Facts over four constants, as text: predicate 0 is p/2, 1 is q/1, 2 is r/2.
fn facts_text(facts: &[(u32, [usize; 2])]) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "mode: h(+x). mode: p(+x, -x). mode: p(-x, +x). mode: q(+x). mode: r(+x, -x). mode: s(+x).
        s(a). s(b). s(c). s(d). h(A) :- p(A, B), q(B), r(A, B).",
    );
    for &(predicate, [i, j]) in facts {
        let (a, b) = (NAMES[i], NAMES[j]);
        let _ = match predicate {
            0 => write!(text, "p({a}, {b})."),
            1 => write!(text, "q({a})."),
            _ => write!(text, "r({a}, {b})."),
        };
    }
    text
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Products of many counts are clamped to a finite number.
#[test]
fn products_of_counts_are_finite() {
    let mut text = String::from("mode: h(+x). mode: e(+x, -x).");
    (0..300).for_each(|i| text.push_str(&format!("e(v0, v{i}).")));
    text.push_str("h(A) :- e(A, B).");
    let (database, clauses, _) = sample::build(&text, None);
    let examples = examples_of(&database, &["v0", "v1"]);
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let edge = &clauses[0].1[0];
    let to = |k| Literal::new(edge.predicate, vec![edge.args[0], Argument::Variable(Variable(k))]);
    let tally = Tally::new(&coverage, 1000);
    let counts = |literals: u32| tally.counts(&Pattern { literals: (1..=literals).map(to).collect(), none_of: vec![] });
    assert_eq!(counts(3), [27e6, 0.0]);
    assert_eq!(counts(200), [MAX_PRODUCT, 0.0]);
}

/// Both movies of `a` have a star, found only after several facts: the count without one is 0.
#[test]
fn unchecked_groundings_are_not_counted() {
    let mut text = String::from(
        "mode: h(+x). mode: in(+x, -x). mode: by(+x, -x). mode: star(+x). in(a, m1). in(a, m2).
        h(A) :- in(A, B). h(A) :- by(B, C), star(C).",
    );
    // The star is the last person of each movie; there are many stars, so the plan does not start
    // there.
    (0..10).for_each(|i| text.push_str(&format!("by(m1, s{i}). by(m2, s{i}).")));
    (9..99).for_each(|i| text.push_str(&format!("star(s{i}).")));
    let (database, clauses, _) = sample::build(&text, None);
    let examples = examples_of(&database, &["a"]);
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let without_star = Pattern { literals: clauses[0].1.clone(), none_of: vec![clauses[1].1.clone()] };
    for budget in (1..100).chain([u64::MAX]) {
        let tally = Tally::new(&coverage, budget);
        assert_eq!(tally.counts(&without_star), [0.0], "{budget}");
        // Ten facts precede the star of the first movie.
        assert!(budget > 10 || tally.cut() == (1, 1), "{budget}");
    }
}

proptest! {
    /// A truncated count does not depend on the other examples or their order, and is never too
    /// high.
    #[test]
    fn truncated_counts_do_not_depend_on_other_examples(
        facts in prop::collection::vec((0u32..3, [0usize..4, 0..4]), 0..40),
        literals in prop::collection::vec((0u32..3, [0u32..9, 0..9]), 1..6),
        none_of in prop::collection::vec(prop::collection::vec((0u32..3, [0u32..9, 0..9]), 1..4), 0..3),
        budget in 1u64..80,
        order in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let (database, clauses, _) = sample::build(&facts_text(&facts), None);
        let target = clauses[0].0;
        let read = |drawn: &Vec<Drawn>| drawn.iter().map(|d| literal(&database, d)).collect::<Vec<_>>();
        let pattern = Pattern { literals: read(&literals), none_of: none_of.iter().map(read).collect() };
        let counts = |names: &[&str]| {
            let examples = examples_of(&database, names);
            let coverage = Coverage::new(&database, target, &examples, 1 << 20);
            let tally = Tally::new(&coverage, budget);
            (tally.counts(&pattern), tally.cut().1)
        };
        let (together, cut) = counts(&NAMES);
        // Oracle: each example alone, without shared caches.
        let alone = NAMES.map(|name| counts(&[name]));
        prop_assert_eq!(&together, &alone.iter().map(|(count, _)| count[0]).collect::<Vec<_>>());
        prop_assert_eq!(cut, alone.iter().map(|(_, cut)| cut).sum::<usize>());
        let (shuffled, _) = counts(&order.map(|k| NAMES[k]));
        prop_assert_eq!(shuffled, order.map(|k| together[k]).to_vec());
        for (example, (count, cut)) in examples_of(&database, &NAMES).iter().zip(&alone) {
            let slow = naive::count_without(&database, &pattern.literals, &pattern.none_of, target, &example.args) as f64;
            prop_assert!(if *cut == 0 { count[0] == slow } else { count[0] <= slow }, "{} {cut} {slow}", count[0]);
        }
    }

    #[test]
    fn counts_match_the_naive_evaluator(
        facts in prop::collection::vec((0u32..3, [0usize..4, 0..4]), 0..24),
        literals in prop::collection::vec((0u32..3, [0u32..9, 0..9]), 0..4),
        none_of in prop::collection::vec(prop::collection::vec((0u32..3, [0u32..9, 0..9]), 1..3), 0..3),
    ) {
        let (database, clauses, _) = sample::build(&facts_text(&facts), None);
        let target = clauses[0].0;
        let examples = examples_of(&database, &NAMES);
        let coverage = Coverage::new(&database, target, &examples, 1 << 20);
        let read = |drawn: &Vec<Drawn>| drawn.iter().map(|d| literal(&database, d)).collect::<Vec<_>>();
        let pattern = Pattern { literals: read(&literals), none_of: none_of.iter().map(read).collect() };
        let tally = Tally::new(&coverage, u64::MAX);
        let slow = |e: &Example| {
            naive::count_without(&database, &pattern.literals, &pattern.none_of, target, &e.args) as f64
        };
        let slow: Vec<f64> = examples.iter().map(slow).collect();
        prop_assert_eq!(tally.counts(&pattern), slow.clone());
        // Again, from the cache.
        prop_assert_eq!(tally.counts(&pattern), slow);
        prop_assert_eq!(tally.cut(), (0, 0));
    }
}

//! Rules that close nodes and reject candidate tests, each against a hand-computed case.

use super::Mean;
use crate::cover::{Bits, Coverage};
use crate::determinism::Stream;
use crate::kb::Example;
use crate::kb::sample::{self, constants};
use crate::tree::stopping::draw_seeds;
use crate::tree::{GrowOptions, Grower, Language, LanguageOptions, Node, StoppingRules, Tree};

/// Grows a tree over as many examples as gradients; each property, named by a letter, covers
/// some of them. Returns the tree and the property of its root.
fn grow(
    properties: &[(&str, &[usize])],
    gradients: &[f64],
    options: GrowOptions,
    seed: u64,
) -> (Tree<()>, Option<String>) {
    let mut text = String::from("mode: h(+x). h(X) :- a(X). ");
    for (name, covered) in properties {
        text.push_str(&format!("mode: {name}(+x). "));
        covered.iter().for_each(|i| text.push_str(&format!("{name}(e{i}). ")));
    }
    (0..gradients.len()).for_each(|i| text.push_str(&format!("other(e{i}). ")));
    let (database, clauses, _) = sample::build(&text, None);
    let example = |i: usize| {
        let [arg] = constants(&database, [format!("e{i}").as_str()]);
        Example { args: Box::new([arg]), positive: true, class: 0, weight: 1.0, line: 0 }
    };
    let examples: Vec<Example> = (0..gradients.len()).map(example).collect();
    let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20);
    let options_of_tests = LanguageOptions { node_size: 1, ..LanguageOptions::default() };
    let language = Language::new(&database, clauses[0].0, options_of_tests);
    let grower = Grower::new(&coverage, &language, options);
    let tree = grower.grow(&Mean, gradients, &Bits::ones(examples.len()), seed, 0).tree;
    let root = match tree.node(tree.root()) {
        Node::Split(split) => Some(database.predicates.name(split.test[0].predicate).to_owned()),
        Node::Leaf(_) => None,
    };
    (tree, root)
}

fn options(stopping: StoppingRules) -> GrowOptions {
    GrowOptions { max_leaves: None, stopping, ..GrowOptions::default() }
}

#[test]
fn both_sides_of_a_test_have_three_examples() {
    let gradients = [1.0, 1.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0];
    let properties: [(&str, &[usize]); 2] = [("a", &[0, 1]), ("b", &[2, 3, 4])];
    let root = |min_leaf| {
        let two = GrowOptions { min_leaf, max_leaves: Some(2), ..GrowOptions::default() };
        grow(&properties, &gradients, GrowOptions { stopping: StoppingRules::default(), ..two }, 1).1
    };
    // The first covers two examples only, although it lowers the error most.
    assert_eq!((root(1), root(3)), (Some("a".to_owned()), Some("b".to_owned())));
}

#[test]
fn small_nodes_are_not_split() {
    // The root has 20 examples; the first test leaves 9 and 11 of them, both mixed.
    let gradients: Vec<f64> = (0..20).map(|i| if i < 9 { 5.0 } else { 0.0 } + (i % 2) as f64).collect();
    let odd: Vec<usize> = (0..20).filter(|i| i % 2 == 1).collect();
    let first: Vec<usize> = (0..9).collect();
    let properties: [(&str, &[usize]); 2] = [("a", &first), ("b", &odd)];
    let leaves = |min_split| {
        grow(&properties, &gradients, options(StoppingRules { min_split, ..StoppingRules::default() }), 1).0.leaves()
    };
    assert_eq!([9, 10, 11, 12, 21].map(leaves), [4, 3, 3, 2, 1]);
}

#[test]
fn a_split_without_gain_needs_permission() {
    // Both sides have the mean of all.
    let properties: [(&str, &[usize]); 1] = [("a", &[0, 1])];
    let leaves = |require_gain| {
        let stopping = StoppingRules { require_gain, ..StoppingRules::default() };
        grow(&properties, &[1.0, -1.0, 1.0, -1.0], options(stopping), 1).0.leaves()
    };
    assert_eq!((leaves(true), leaves(false)), (1, 2));
}

#[test]
fn nodes_of_small_error_are_not_split() {
    // The covered side has the gradients 1 ± x, so half its mean squared error is x²/2; the
    // other side has none.
    let properties: [(&str, &[usize]); 2] = [("a", &[0, 1, 2, 3]), ("b", &[0, 1])];
    let leaves = |x: f64, scale: f64| {
        let gradients = [1.0 + x, 1.0 + x, 1.0 - x, 1.0 - x, 0.0, 0.0, 0.0, 0.0].map(|g| scale * g);
        let stopping = StoppingRules { min_variance: 0.0025, ..StoppingRules::default() };
        grow(&properties, &gradients, options(stopping), 1).0.leaves()
    };
    // x² = 0.005 at x = 0.0707; the root's is 0.125 and does not matter.
    assert_eq!((leaves(0.070, 1.0), leaves(0.071, 1.0)), (2, 3));
    // Scaled by 0.1, a quarter of the root's (0.25 + x²/2) / 2 · 0.01 is smaller than 0.0025.
    // It equals x²/2 · 0.01 at x² = 1/14.
    let x = (1.0f64 / 14.0).sqrt();
    assert_eq!((leaves(x - 0.01, 0.1), leaves(x + 0.01, 0.1)), (2, 3));
}

#[test]
fn tests_cover_at_most_a_share_of_the_node() {
    let root = |examples: usize| {
        let gradients: Vec<f64> = (0..examples).map(|i| if i + 1 < examples { 0.0 } else { 1.0 }).collect();
        let most: Vec<usize> = (0..examples - 1).collect();
        let stopping = StoppingRules { max_share: 0.975, ..StoppingRules::default() };
        grow(&[("a", &most)], &gradients, options(stopping), 1).1
    };
    // 39 of 40 are 0.975; 40 of 41 are more.
    assert_eq!((root(40), root(41)), (Some("a".to_owned()), None));
}

#[test]
fn tests_cover_a_seed() {
    // Both tests gain; each covers four of eight examples, the first with the larger gain.
    let gradients = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5];
    let properties: [(&str, &[usize]); 2] = [("a", &[0, 1, 2, 3]), ("b", &[4, 5, 6])];
    let root = |seeds, seed| {
        let two = GrowOptions { max_leaves: Some(2), ..GrowOptions::default() };
        let stopping = StoppingRules { seeds, ..StoppingRules::default() };
        grow(&properties, &gradients, GrowOptions { stopping, ..two }, seed).1
    };
    let mut seen = [0; 3];
    for seed in 0..40 {
        let stream = &mut Stream::new(seed, &["tree", "0", "node", "0", "seeds"]);
        let drawn = draw_seeds(&Bits::ones(8), 1, stream);
        let (expected, at) = match drawn.iter().next() {
            Some(0..4) => (Some("a".to_owned()), 0),
            Some(4..7) => (Some("b".to_owned()), 1),
            _ => (None, 2),
        };
        assert_eq!(root(1, seed), expected);
        seen[at] += 1;
        // All examples are seeds.
        assert_eq!(root(8, seed), Some("a".to_owned()));
    }
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

#[test]
fn seeds_are_drawn_without_replacement() {
    let examples = Bits::from_fn(100, |i| i % 2 == 0);
    let mut times = [0; 100];
    for seed in 0..200 {
        let drawn = draw_seeds(&examples, 10, &mut Stream::new(seed, &["test"]));
        assert!(drawn.count() == 10 && !drawn.and_not(&examples).any());
        drawn.iter().for_each(|i| times[i] += 1);
    }
    // 40 expected for each of the fifty, with a standard deviation of 5.7.
    assert!(examples.iter().all(|i| (12..68).contains(&times[i])), "{times:?}");
    let few = Bits::from_fn(100, |i| i < 7);
    assert_eq!(draw_seeds(&few, 10, &mut Stream::new(1, &["test"])), few);
}

#[test]
fn literals_on_a_path_and_searches_are_limited() {
    let gradients = [0.0, 1.0, 3.0, 4.0, 9.0, 10.0, 12.0, 13.0];
    let properties: [(&str, &[usize]); 3] = [("a", &[4, 5, 6, 7]), ("b", &[2, 3, 6, 7]), ("c", &[1, 3, 5, 7])];
    let tree = |max_path_literals, max_searches| {
        let stopping = StoppingRules { max_path_literals, max_searches, ..StoppingRules::default() };
        grow(&properties, &gradients, options(stopping), 1).0
    };
    assert_eq!(tree(None, None).leaves(), 8);
    // Paths of one true literal: a, then b without a, then c without both.
    assert_eq!(tree(Some(1), None).leaves(), 4);
    assert!(tree(Some(2), None).paths().iter().all(|path| path.literals.len() <= 2));
    assert_eq!([1, 2, 3].map(|searches| tree(None, Some(searches)).leaves()), [2, 3, 4]);
}

//! Networks compared with reference implementations: active rules with the naive evaluator, and
//! conversions with the trees they come from.

use lrbm::internal::cover::{Coverage, DEFAULT_MEMORY_BYTES};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, Signature};
use lrbm::internal::logic::{Argument, Comparison, Constant, Literal, Number, PredicateId, Variable};
use lrbm::internal::math::{sigmoid, softmax};
use lrbm::internal::rbm::network::{Ensemble, TreeSum, exact, paper};
use lrbm::internal::rbm::{Network, Theta};
use lrbm::internal::tree::{Leaf, NodeId, Tree, assign};
use proptest::prelude::*;

/// A small random database with examples of a target.
struct World {
    database: Database,
    target: PredicateId,
    examples: Vec<Example>,
    evidence: Vec<PredicateId>,
    constants: Vec<Constant>,
    /// Whether comparisons may use unbound variables. They are never true, and no rule can express
    /// them.
    unbound_comparisons: bool,
}

fn draw<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.index(from.len())]
}

impl World {
    fn new(seed: u64) -> World {
        let stream = &mut Stream::new(seed, &["world"]);
        let mut builder = DatabaseBuilder::new();
        let mut constants: Vec<Constant> =
            (0..4).map(|i| builder.symbols.intern(&format!("ann{i}")).unwrap()).collect();
        constants.extend([7.5, -2.0, 40.0].map(|x| builder.symbols.intern_number(x).unwrap()));
        let target = builder.predicates.intern("target", 1 + stream.index(2));
        let mut evidence = Vec::new();
        for p in 0..3 {
            let arity = 1 + stream.index(2);
            let predicate = builder.predicates.intern(&format!("p{p}"), arity);
            evidence.push(predicate);
            for _ in 0..stream.index(9) {
                let args: Vec<Constant> = (0..arity).map(|_| draw(stream, &constants)).collect();
                builder.fact(predicate, &args).unwrap();
            }
        }
        let arity = builder.predicates.arity(target);
        let example = |stream: &mut Stream| Example {
            args: (0..arity).map(|_| draw(stream, &constants)).collect(),
            positive: stream.index(2) == 0,
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples = (0..6 + stream.index(6)).map(|_| example(stream)).collect();
        let (database, _) = builder.build(None).unwrap();
        World { database, target, examples, evidence, constants, unbound_comparisons: false }
    }

    /// Allows comparisons of unbound variables for odd seeds.
    fn with_unbound_comparisons(seed: u64) -> World {
        World { unbound_comparisons: seed % 2 == 1, ..World::new(seed) }
    }

    fn arity(&self) -> usize {
        self.database.predicates.arity(self.target)
    }

    fn conjunction(&self, stream: &mut Stream) -> Vec<Literal> {
        let variables = self.arity() + 2;
        let literal = |stream: &mut Stream| {
            let predicate = draw(stream, &self.evidence);
            let arg = |stream: &mut Stream| match stream.index(6) {
                0 => Argument::Constant(draw(stream, &self.constants)),
                _ => Argument::Variable(Variable(stream.index(variables) as u32)),
            };
            let args = (0..self.database.predicates.arity(predicate)).map(|_| arg(stream)).collect();
            Literal { negated: stream.index(4) == 0, predicate, args }
        };
        let mut body: Vec<Literal> = (0..1 + stream.index(2)).map(|_| literal(stream)).collect();
        if stream.index(2) == 0 {
            let bound = body.iter().filter(|literal| !literal.negated).flat_map(Literal::variables);
            let mut known: Vec<Variable> = (0..self.arity() as u32).map(Variable).chain(bound).collect();
            if self.unbound_comparisons {
                known.push(Variable(variables as u32 - 1));
            }
            let mut side = |number: f64| match stream.index(2) {
                0 => Argument::Number(Number::new(number)),
                _ => Argument::Variable(draw(stream, &known)),
            };
            let (left, right) = (side(7.5), side(-0.1));
            let compared = Literal::compare(left, draw(stream, &Comparison::ALL), right);
            body.push(Literal { negated: stream.index(4) == 0, ..compared });
        }
        body
    }

    fn tree(&self, stream: &mut Stream, leaves: usize) -> Tree<Option<Theta>> {
        let leaf = |stream: &mut Stream| {
            let mut number = || 4.0 * stream.unit() - 2.0;
            let theta = Theta { d: number(), c: number(), w: number(), u0: number(), u1: number() };
            let positives = stream.index(5) as u32;
            Leaf { value: theta.psi(), positives, negatives: 1, leaf: Some(theta) }
        };
        let mut tree = Tree::single(leaf(stream));
        let mut open = vec![tree.root()];
        while open.len() < leaves {
            let id: NodeId = open.remove(stream.index(open.len()));
            let at_least = draw(stream, &[1, 1, 1, 2, 3]);
            let test = self.conjunction(stream);
            let (yes, no) = tree.split(id, test, at_least, leaf(stream), leaf(stream));
            open.extend([yes, no]);
        }
        tree
    }

    fn trees(&self, stream: &mut Stream) -> Vec<Tree<Option<Theta>>> {
        (0..1 + stream.index(5))
            .map(|_| {
                let leaves = 1 + stream.index(5);
                self.tree(stream, leaves)
            })
            .collect()
    }

    fn coverage(&self) -> Coverage<'_> {
        Coverage::new(&self.database, self.target, &self.examples, DEFAULT_MEMORY_BYTES)
    }

    /// Returns an ensemble of two classes whose trees add to the second.
    fn binary<'a>(&'a self, trees: &'a [Tree<Option<Theta>>], prior: f64, step: f64) -> Ensemble<'a> {
        let sums = vec![TreeSum { class: 1, step, trees }];
        let signature = self.database.signature(self.target);
        Ensemble { signature, prior: vec![0.0, prior], sums, names: self.database.names() }
    }

    /// Returns the sum of prior and trees for each example.
    fn sums(&self, trees: &[Tree<Option<Theta>>], prior: f64, step: f64) -> Vec<f64> {
        let mut sums = vec![prior; self.examples.len()];
        for tree in trees {
            for (sum, value) in sums.iter_mut().zip(assign::values(tree, &self.coverage())) {
                *sum += step * value;
            }
        }
        sums
    }

    /// Returns the examples of each active rule, after comparing them with inference per example.
    fn checked_active(&self, network: &Network) -> Vec<lrbm::internal::cover::Bits> {
        let active = network.active(&self.coverage());
        for (i, example) in self.examples.iter().enumerate() {
            let inferred = network.infer(&self.database, self.target, &example.args);
            let found: Vec<bool> = active.iter().map(|bits| bits.get(i)).collect();
            let expected: Vec<bool> = inferred.witnesses.iter().map(Option::is_some).collect();
            assert_eq!(found, expected, "{}", self.database.show_atom(self.target, &example.args));
        }
        active
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn exact_conversion_of_two_classes_equals_the_ensemble(seed: u64, step in 0.1..3.0f64, prior in -3.0..3.0f64) {
        let world = World::with_unbound_comparisons(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        let network = exact(&world.binary(&trees, prior, step)).unwrap();
        let active = world.checked_active(&network);
        let psi = network.psi(&active, world.examples.len());
        let probabilities = network.probabilities(&active, world.examples.len());
        for ((sum, psi), of_classes) in world.sums(&trees, prior, step).into_iter().zip(psi).zip(probabilities) {
            prop_assert!((sigmoid(sum) - sigmoid(psi)).abs() < 1e-12, "{sum} {psi}");
            prop_assert!((sigmoid(sum) - of_classes[1]).abs() < 1e-12, "{sum} {of_classes:?}");
        }
        // One hidden node per path of each tree that has a test.
        let paths: usize = trees.iter().map(Tree::leaves).filter(|&leaves| leaves > 1).sum();
        prop_assert_eq!(network.hidden().len(), paths);
    }

    #[test]
    fn exact_conversion_of_several_classes_equals_the_ensemble(seed: u64, classes in 3..6usize) {
        let world = World::new(seed);
        let stream = &mut Stream::new(seed, &["trees"]);
        let trees: Vec<_> = (0..classes).map(|_| world.trees(stream)).collect();
        let prior: Vec<f64> = (0..classes).map(|_| stream.unit()).collect();
        let sums = trees.iter().enumerate().map(|(class, trees)| TreeSum { class, step: 1.5, trees }).collect();
        let names = (0..classes).map(|class| class.to_string()).collect();
        let signature = Signature { classes: Some(names), ..world.database.signature(world.target) };
        let ensemble = Ensemble { signature, prior: prior.clone(), sums, names: world.database.names() };
        let network = exact(&ensemble).unwrap();
        let found = network.probabilities(&world.checked_active(&network), world.examples.len());
        let scores: Vec<_> = trees.iter().zip(&prior).map(|(trees, &prior)| world.sums(trees, prior, 1.5)).collect();
        for (i, found) in found.iter().enumerate() {
            let expected = softmax(&scores.iter().map(|scores| scores[i]).collect::<Vec<_>>());
            for (a, b) in expected.iter().zip(found) {
                prop_assert!((a - b).abs() < 1e-12, "{expected:?} {found:?}");
            }
        }
    }

    #[test]
    fn merging_preserves_probabilities(seed: u64) {
        let world = World::with_unbound_comparisons(seed);
        let mut trees = world.trees(&mut Stream::new(seed, &["trees"]));
        // Duplicated trees give rules to merge.
        trees.extend(trees.clone());
        for network in [exact(&world.binary(&trees, -0.5, 1.0)), paper(&world.binary(&trees, -0.5, 1.0))] {
            let network = network.unwrap();
            let merged = network.merged();
            prop_assert!(2 * merged.hidden().len() <= network.hidden().len());
            let n = world.examples.len();
            let before = network.psi(&network.active(&world.coverage()), n);
            let after = merged.psi(&world.checked_active(&merged), n);
            for (a, b) in before.iter().zip(&after) {
                prop_assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
            // Dropping redundant literals changes no score of these examples.
            let shorter = merged.without_redundant_literals(&world.coverage());
            let again = shorter.psi(&world.checked_active(&shorter), n);
            for (a, b) in after.iter().zip(&again) {
                prop_assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
            let dropped: u32 = shorter.hidden().iter().map(|node| node.dropped).sum();
            prop_assert_eq!(merged.size().literals, shorter.size().literals + dropped as usize);
        }
    }

    #[test]
    fn files_round_trip(seed: u64) {
        let world = World::new(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        let network = exact(&world.binary(&trees, 0.25, 1.0)).unwrap();
        let text = network.to_json();
        let read = Network::from_json(&text).unwrap();
        prop_assert_eq!(read.to_json(), text);
        prop_assert_eq!(read.active(&world.coverage()), network.active(&world.coverage()));
        // The printed rules can be read back and cover the same examples.
        let rules = lrbm::internal::logic::rule::parse_rules(std::path::Path::new("rules"), &network.describe()).unwrap();
        let reread = Network::from_rules(&rules, 1.0).unwrap();
        prop_assert_eq!(reread.hidden().len(), network.hidden().len());
        let order = network.strongest_first();
        let active = network.active(&world.coverage());
        for (found, j) in reread.active(&world.coverage()).into_iter().zip(order) {
            prop_assert_eq!(&found, &active[j]);
        }
    }

    #[test]
    fn the_papers_conversion_transfers_the_leaf_weights(seed: u64) {
        let world = World::new(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        for step in [1.0, 2.0] {
            let network = paper(&world.binary(&trees, -1.8, step)).unwrap();
            let active = world.checked_active(&network);
            let psi = network.psi(&active, world.examples.len());
            // Expected ψ: the prior, the mean d of each tree, and log((1 + e^…) / (1 + e^…)) of
            // each leaf, with W where it is reached and without elsewhere.
            for (i, psi) in psi.into_iter().enumerate() {
                let mut expected = -1.8;
                for tree in &trees {
                    let reached = assign::leaves(tree, &world.coverage())[i];
                    let (mut d, mut examples) = (0.0, 0.0);
                    for path in tree.paths() {
                        let (theta, here) = (path.leaf.leaf.unwrap(), f64::from(path.leaf.positives + 1));
                        (d, examples) = (d + here * theta.d, examples + here);
                        let value = theta.psi() - theta.d;
                        let off = Theta { d: 0.0, w: 0.0, ..theta };
                        if path.id == reached {
                            expected += step * value;
                        } else if step == 1.0 {
                            expected += off.psi();
                        }
                    }
                    expected += step * d / examples;
                }
                // With another step, the terms of inactive nodes are taken from the network.
                if step != 1.0 {
                    for (node, _) in network.hidden().iter().zip(&active).filter(|(_, active)| !active.get(i)) {
                        let terms = node.class_terms(false);
                        expected += terms[1] - terms[0];
                    }
                }
                prop_assert!((psi - expected).abs() < 1e-9 * (1.0 + expected.abs()), "step {step}: {psi} {expected}");
            }
        }
    }
}

//! Networks against slow, obvious readings of what they promise: rules hold where the slow evaluator finds them to hold, and a
//! conversion of trees says what the trees say.

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
    /// Whether comparisons may be about variables that nothing binds; they never hold, and no rule can say them.
    wild: bool,
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
        World { database, target, examples, evidence, constants, wild: false }
    }

    fn wild(seed: u64) -> World {
        World { wild: seed % 2 == 1, ..World::new(seed) }
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
            if self.wild {
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

    /// The trees add to the second of two classes.
    fn binary<'a>(&'a self, trees: &'a [Tree<Option<Theta>>], prior: f64, step: f64) -> Ensemble<'a> {
        let sums = vec![TreeSum { class: 1, step, trees }];
        let signature = self.database.signature(self.target);
        Ensemble { signature, prior: vec![0.0, prior], sums, names: self.database.names() }
    }

    /// The sum of the trees for each example.
    fn sums(&self, trees: &[Tree<Option<Theta>>], prior: f64, step: f64) -> Vec<f64> {
        let mut sums = vec![prior; self.examples.len()];
        for tree in trees {
            for (sum, value) in sums.iter_mut().zip(assign::values(tree, &self.coverage())) {
                *sum += step * value;
            }
        }
        sums
    }

    /// The network over another table of names, as it is after it was written to a file.
    fn lit_as_asked_one_by_one(&self, network: &Network) -> Vec<lrbm::internal::cover::Bits> {
        let lit = network.active(&self.coverage());
        for (i, example) in self.examples.iter().enumerate() {
            let slow = network.infer(&self.database, self.target, &example.args);
            let fast: Vec<bool> = lit.iter().map(|lit| lit.get(i)).collect();
            let slow: Vec<bool> = slow.witnesses.iter().map(Option::is_some).collect();
            assert_eq!(fast, slow, "{}", self.database.show_atom(self.target, &example.args));
        }
        lit
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_exact_conversion_of_two_classes_is_the_ensemble(seed: u64, step in 0.1..3.0f64, prior in -3.0..3.0f64) {
        let world = World::wild(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        let network = exact(&world.binary(&trees, prior, step)).unwrap();
        let lit = world.lit_as_asked_one_by_one(&network);
        let psi = network.psi(&lit, world.examples.len());
        let probabilities = network.probabilities(&lit, world.examples.len());
        for ((sum, psi), of_classes) in world.sums(&trees, prior, step).into_iter().zip(psi).zip(probabilities) {
            prop_assert!((sigmoid(sum) - sigmoid(psi)).abs() < 1e-12, "{sum} {psi}");
            prop_assert!((sigmoid(sum) - of_classes[1]).abs() < 1e-12, "{sum} {of_classes:?}");
        }
        // One hidden node for each path of a tree with a test.
        let paths: usize = trees.iter().map(Tree::leaves).filter(|&leaves| leaves > 1).sum();
        prop_assert_eq!(network.hidden().len(), paths);
    }

    #[test]
    fn the_exact_conversion_of_many_classes_is_the_ensemble(seed: u64, classes in 3..6usize) {
        let world = World::new(seed);
        let stream = &mut Stream::new(seed, &["trees"]);
        let trees: Vec<_> = (0..classes).map(|_| world.trees(stream)).collect();
        let prior: Vec<f64> = (0..classes).map(|_| stream.unit()).collect();
        let sums = trees.iter().enumerate().map(|(class, trees)| TreeSum { class, step: 1.5, trees }).collect();
        let names = (0..classes).map(|class| class.to_string()).collect();
        let signature = Signature { classes: Some(names), ..world.database.signature(world.target) };
        let ensemble = Ensemble { signature, prior: prior.clone(), sums, names: world.database.names() };
        let network = exact(&ensemble).unwrap();
        let found = network.probabilities(&world.lit_as_asked_one_by_one(&network), world.examples.len());
        let scores: Vec<_> = trees.iter().zip(&prior).map(|(trees, &prior)| world.sums(trees, prior, 1.5)).collect();
        for (i, found) in found.iter().enumerate() {
            let expected = softmax(&scores.iter().map(|scores| scores[i]).collect::<Vec<_>>());
            for (a, b) in expected.iter().zip(found) {
                prop_assert!((a - b).abs() < 1e-12, "{expected:?} {found:?}");
            }
        }
    }

    #[test]
    fn merging_changes_no_probability(seed: u64) {
        let world = World::wild(seed);
        let mut trees = world.trees(&mut Stream::new(seed, &["trees"]));
        // Twice the same trees, so there is something to merge.
        trees.extend(trees.clone());
        for network in [exact(&world.binary(&trees, -0.5, 1.0)), paper(&world.binary(&trees, -0.5, 1.0))] {
            let network = network.unwrap();
            let merged = network.merged();
            prop_assert!(2 * merged.hidden().len() <= network.hidden().len());
            let n = world.examples.len();
            let before = network.psi(&network.active(&world.coverage()), n);
            let after = merged.psi(&world.lit_as_asked_one_by_one(&merged), n);
            for (a, b) in before.iter().zip(&after) {
                prop_assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
            // Idle literals are idle for these examples, and fewer are left.
            let shorter = merged.without_redundant_literals(&world.coverage());
            let again = shorter.psi(&world.lit_as_asked_one_by_one(&shorter), n);
            for (a, b) in after.iter().zip(&again) {
                prop_assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
            let dropped: u32 = shorter.hidden().iter().map(|node| node.dropped).sum();
            prop_assert_eq!(merged.size().literals, shorter.size().literals + dropped as usize);
        }
    }

    #[test]
    fn files_keep_everything(seed: u64) {
        let world = World::new(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        let network = exact(&world.binary(&trees, 0.25, 1.0)).unwrap();
        let text = network.to_json();
        let read = Network::from_json(&text).unwrap();
        prop_assert_eq!(read.to_json(), text);
        prop_assert_eq!(read.active(&world.coverage()), network.active(&world.coverage()));
        // What is printed is a file of rules, and its rules hold for the same examples.
        let rules = lrbm::internal::logic::rule::parse_rules(std::path::Path::new("rules"), &network.describe()).unwrap();
        let written = Network::from_rules(&rules, 1.0).unwrap();
        prop_assert_eq!(written.hidden().len(), network.hidden().len());
        let order = network.strongest_first();
        let lit = network.active(&world.coverage());
        for (found, j) in written.active(&world.coverage()).into_iter().zip(order) {
            prop_assert_eq!(&found, &lit[j]);
        }
    }

    #[test]
    fn the_papers_conversion_carries_the_leaves_over(seed: u64) {
        let world = World::new(seed);
        let trees = world.trees(&mut Stream::new(seed, &["trees"]));
        for step in [1.0, 2.0] {
            let network = paper(&world.binary(&trees, -1.8, step)).unwrap();
            let lit = world.lit_as_asked_one_by_one(&network);
            let psi = network.psi(&lit, world.examples.len());
            // ψ by hand: the prior, and of each tree the mean d, and of each leaf log((1 + e^…) / (1 + e^…)) with W or without.
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
                // What nodes that are not lit add with another step is theirs.
                if step != 1.0 {
                    for (node, lit) in network.hidden().iter().zip(&lit).filter(|(_, lit)| !lit.get(i)) {
                        let _ = lit;
                        let adds = node.class_terms(false);
                        expected += adds[1] - adds[0];
                    }
                }
                prop_assert!((psi - expected).abs() < 1e-9 * (1.0 + expected.abs()), "step {step}: {psi} {expected}");
            }
        }
    }
}

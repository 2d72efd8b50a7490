//! Growing a tree best-first: the paper's FitRegressionTree.

use std::cell::LazyCell;
use std::sync::{Arc, Mutex};

use super::candidates::Frontier;
use super::language::{Known, Language};
use super::node::{Leaf, NodeId, Tree};
use super::sample::{Picked, Sample};
use super::split::{self as score, Gradients, Margins};
use crate::cover::Bits;
use crate::cover::Coverage;
use crate::cover::{Cache, lock};
use crate::determinism::Stream;
use crate::kb::Example;
use crate::logic::Literal;
use crate::parallel;

/// What a fit gives: the leaf and the value it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit<L> {
    /// What is kept in the tree.
    pub leaf: L,
    /// The ψ that the leaf adds to each of its examples.
    pub value: f64,
}

/// Whether the candidates that screening likes best are fitted in earnest before one of them is chosen.
///
/// Screening takes each side for the mean of its gradients. No other value has a smaller squared error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screening {
    /// A fit reaches the mean gradient, so the first candidate is the best.
    Exact,
    /// A fit may end elsewhere and have a larger error, so candidates are fitted and compared again.
    Rescore,
}

/// Finds the value of a leaf from the gradients of its examples.
pub trait LeafFitter: Sync {
    /// What is kept in the tree beside the value.
    type Leaf: Clone + Send;

    /// The leaf of all examples, before any test.
    fn fit_root(&self, all: Sample<'_>, stream: &mut Stream) -> Fit<Self::Leaf>;

    /// The leaves on both sides of a test. They are fitted together, as a fit of the second may depend on what the first left.
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<Self::Leaf>, Fit<Self::Leaf>);

    /// Whether screening is all there is to it.
    fn screening(&self) -> Screening {
        Screening::Rescore
    }
}

/// Which leaf is expanded next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expand {
    /// The one with the largest mean squared error.
    #[default]
    Mean,
    /// The one with the largest sum of squared errors.
    Total,
}

/// When a tree stops growing, and how candidates are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowOptions {
    /// The most leaves; `None` means any number.
    pub max_leaves: Option<usize>,
    /// The most tests on the way to a leaf; `None` means any number.
    pub max_depth: Option<usize>,
    /// The fewest examples on either side of a test; where examples have weights, the least weight if it is above 1.
    pub min_leaf: usize,
    /// The most candidates that are fitted in earnest, those first that screening likes best; `None` means all that could
    /// be chosen. These are mostly one to ten, but where all gradients are the same it is every candidate, to no avail.
    pub rescore: Option<usize>,
    /// Which leaf is expanded next.
    pub expand: Expand,
    /// Whether the grower is for one tree only, of a language without numbers of groundings. Then nothing is remembered of a leaf below the half of the examples, and no
    /// more examples are looked at than it has.
    pub single: bool,
    /// How much more than any other test one for several groundings must gain, as a part of the squared error of a leaf.
    pub count_margin: f64,
    /// The same for a test that looks ahead and does not tie variables of the head together, for each literal beyond the first.
    pub look_ahead_margin: f64,
}

impl Default for GrowOptions {
    fn default() -> Self {
        GrowOptions {
            max_leaves: Some(4),
            max_depth: None,
            min_leaf: 1,
            rescore: Some(64),
            expand: Expand::Mean,
            single: false,
            count_margin: 0.05,
            look_ahead_margin: 0.0,
        }
    }
}

/// What was done to grow a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrowStatistics {
    /// Leaves for which a test was looked for.
    pub expansions: u64,
    /// Leaves that stay as they are because no test lowers their error.
    pub closed: u64,
    /// Candidates that were screened.
    pub screened: u64,
    /// Candidates that were fitted in earnest.
    pub rescored: u64,
    /// How often the choice after the fits was not the candidate that screening liked best.
    pub differed: u64,
    /// How often there were more candidates than the budget allows.
    pub budget_hits: u64,
}

/// A tree and what it took.
#[derive(Clone, Debug)]
pub struct Grown<L> {
    /// The tree.
    pub tree: Tree<L>,
    /// The leaf each example of the coverage reaches, whether it was in use or not.
    pub reached: Vec<NodeId>,
    /// What was done.
    pub statistics: GrowStatistics,
}

/// Grows trees over the same examples and tests, and remembers what does not depend on the gradients.
#[derive(Debug)]
pub struct Grower<'a> {
    coverage: &'a Coverage<'a>,
    language: &'a Language,
    options: GrowOptions,
    /// How much each example counts; `None` if all count 1.
    weights: Option<&'a [f64]>,
    /// By the true literals of a path and the types of their variables.
    frontiers: Mutex<Cache<PathKey, Arc<Frontier>>>,
}

type PathKey = (Vec<Literal>, Vec<Known>);

/// Candidates are fitted in batches of at most so many at the same time. The first is fitted alone and each batch is up to
/// twice the one before, since the first few mostly show that no other can be better.
const MOST_AT_ONCE: usize = 4;

/// A leaf that may still be expanded.
struct Open {
    id: NodeId,
    /// The literals that are true here.
    path: Vec<Literal>,
    /// The variables that tests may use.
    known: Vec<Known>,
    depth: usize,
    /// The examples in use that end here.
    in_use: Bits,
    /// All examples that end here.
    all: Bits,
    /// How much the examples in use count.
    weight: f64,
    /// The squared error of the examples in use; at the root the least that it could be.
    error: f64,
}

/// The test that is best for a leaf.
struct Choice<L> {
    test: Vec<Literal>,
    at_least: u32,
    new: Vec<Known>,
    covered: Bits,
    yes: (Fit<L>, f64),
    no: (Fit<L>, f64),
}

/// What all fits of a tree share.
struct Run<'r, F> {
    fitter: &'r F,
    gradients: &'r [f64],
    weights: Option<&'r [f64]>,
    units: Gradients,
    seed: u64,
    tree: String,
}

impl<'a> Grower<'a> {
    /// A grower that has no tree yet. It keeps lists of tests in half of the memory that the coverage may use.
    pub fn new(coverage: &'a Coverage<'a>, language: &'a Language, options: GrowOptions) -> Self {
        let frontiers = Mutex::new(Cache::new(coverage.memory_bytes() / 2));
        Grower { coverage, language, options, weights: None, frontiers }
    }

    /// The same with weights of the examples: an example of weight 2 is as good as two of weight 1.
    ///
    /// # Panics
    /// If there is not one weight for each example.
    pub fn weighted(self, weights: Option<&'a [f64]>) -> Self {
        let examples = self.coverage.examples().len();
        assert!(weights.is_none_or(|weights| weights.len() == examples), "one weight for each example");
        Grower { weights, ..self }
    }

    /// Grows a tree that fits the gradients of the examples in use.
    ///
    /// The draws of a fit come from a stream of its own, given by the seed, the number of the tree, the node and the rank
    /// of the candidate, so neither threads nor other fits can move them.
    ///
    /// # Panics
    /// If there is not one gradient and one bit for each example.
    // Paper: Alg. 1, line 10
    pub fn grow<F: LeafFitter>(
        &self,
        fitter: &F,
        gradients: &[f64],
        in_use: &Bits,
        seed: u64,
        tree: usize,
    ) -> Grown<F::Leaf> {
        let examples = self.coverage.examples().len();
        assert_eq!(gradients.len(), examples, "one gradient for each example");
        assert_eq!(in_use.len(), examples, "one bit for each example");
        let weights = self.weights;
        let units = Gradients::new(gradients, weights, in_use);
        let run = Run { fitter, gradients, weights, units, seed, tree: tree.to_string() };
        let mut statistics = GrowStatistics::default();

        // Paper: Alg. 1, line 11
        // Departs from paper: the leaf of all examples is fitted only if it matters, that is, if it may stay, or if it is
        // not certain that the first test lowers its error. No value has a smaller error than the mean.
        let here = run.pick(in_use);
        let fit = LazyCell::new(|| {
            let fit = fitter.fit_root(here.sample(), &mut run.stream(NodeId(0), None));
            let error = here.sample().squared_error(fit.value);
            (fit, error)
        });
        let least = here.sample().squared_error(here.sample().mean());
        let mut tree: Option<Tree<F::Leaf>> = None;
        let mut reached = vec![NodeId(0); examples];

        // Paper: Alg. 1, line 12
        let mut beam = vec![Open {
            id: NodeId(0),
            path: Vec::new(),
            known: self.language.head(),
            depth: 0,
            in_use: in_use.clone(),
            all: Bits::ones(examples),
            weight: here.sample().weight(),
            error: if least > 0.0 { least } else { fit.1 },
        }];
        let mut leaves = 1;

        // Paper: Alg. 1, line 13
        // Departs from paper: the loop ends at L leaves, because the text says that a tree has L of them; `while i <= L`
        // would make one more. It also ends when no leaf can be expanded.
        while self.options.max_leaves.is_none_or(|most| leaves < most) {
            // Paper: Alg. 1, line 14
            let Some(node) = self.next_to_expand(&mut beam) else { break };
            statistics.expansions += 1;
            let choice = self.best_test(&run, &node, &mut statistics);
            let gains = |choice: &Choice<F::Leaf>| {
                // What is gained must be more than rounding.
                let below = |error: f64| choice.yes.1 + choice.no.1 < error * (1.0 - 1e-10);
                below(node.error) || (node.id == NodeId(0) && below(fit.1))
            };
            let Some(choice) = choice.filter(gains) else {
                statistics.closed += 1;
                continue;
            };
            leaves += 1;

            // Paper: Alg. 1, line 24
            let Choice { test, at_least, new, covered, yes, no } = choice;
            let sides = |examples: &Bits| (examples.and(&covered), examples.and_not(&covered));
            let (in_use_yes, in_use_no) = sides(&node.in_use);
            let (all_yes, all_no) = sides(&node.all);
            let (yes_leaf, no_leaf) = (self.leaf(yes.0, &in_use_yes), self.leaf(no.0, &in_use_no));
            // What stands at the root of a new tree is replaced at once.
            let tree = tree.get_or_insert_with(|| Tree::single(yes_leaf.clone()));
            let (yes_id, no_id) = tree.split(node.id, test.clone(), at_least, yes_leaf, no_leaf);
            all_yes.iter().for_each(|i| reached[i] = yes_id);
            all_no.iter().for_each(|i| reached[i] = no_id);

            let depth = node.depth + 1;
            if self.options.max_depth.is_some_and(|most| depth >= most) {
                continue;
            }
            // Paper: Alg. 1, line 25
            // A test on a number binds no variable, so there is nothing of it that tests below could speak of.
            let path = if at_least == 1 { [&node.path[..], &test].concat() } else { node.path.clone() };
            let known = [&node.known[..], &new].concat();
            let weight = run.weight(&in_use_yes);
            beam.push(Open { id: yes_id, path, known, depth, in_use: in_use_yes, all: all_yes, weight, error: yes.1 });
            // Paper: Alg. 1, line 26
            // The variables of a test that failed are bound to nothing, so this side has those from above only.
            let (path, known) = (node.path, node.known);
            let weight = run.weight(&in_use_no);
            beam.push(Open { id: no_id, path, known, depth, in_use: in_use_no, all: all_no, weight, error: no.1 });
        }
        // Paper: Alg. 1, line 27
        // Paper: Alg. 1, line 28
        // Paper: Alg. 1, line 29
        let tree = tree.unwrap_or_else(|| Tree::single(self.leaf(fit.0.clone(), in_use)));
        Grown { tree, reached, statistics }
    }

    /// Takes the leaf with the largest error out of the beam; of equals, the oldest.
    fn next_to_expand(&self, beam: &mut Vec<Open>) -> Option<Open> {
        beam.retain(|open| self.may_expand(open));
        let key = |open: &Open| match self.options.expand {
            Expand::Mean => open.error / open.weight,
            Expand::Total => open.error,
        };
        let mut best = 0;
        for at in 1..beam.len() {
            if key(&beam[at]).total_cmp(&key(&beam[best])).is_gt() {
                best = at;
            }
        }
        // The beam is in the order of age, and stays so.
        (best < beam.len()).then(|| beam.remove(best))
    }

    fn may_expand(&self, open: &Open) -> bool {
        let deep = self.options.max_depth.is_some_and(|most| open.depth >= most);
        let twice = 2 * self.options.min_leaf.max(1);
        let enough = match self.weights {
            Some(_) if self.options.min_leaf > 1 => open.weight >= twice as f64,
            _ => open.in_use.count() >= if self.weights.is_some() { 2 } else { twice },
        };
        !deep && open.error > 0.0 && enough
    }

    /// The test that leaves the least error; of equals, the first. `None` if none divides the examples.
    fn best_test<F: LeafFitter>(
        &self,
        run: &Run<'_, F>,
        node: &Open,
        statistics: &mut GrowStatistics,
    ) -> Option<Choice<F::Leaf>> {
        let here = node.all.count();
        if self.options.single && 2 * here <= node.all.len() {
            return self.best_test_among(run, node, statistics);
        }
        let frontier = self.frontier(&node.path, &node.known);
        self.best_of(run, node, &frontier, statistics)
    }

    /// The same, found by looking at no example but those of the node. What is found out on the way is of no use elsewhere,
    /// so it is forgotten. Tests that differ only outside the node count once here, so the ranks of the others, and with them
    /// the draws of a fit that shuffles, may be others.
    fn best_test_among<F: LeafFitter>(
        &self,
        run: &Run<'_, F>,
        node: &Open,
        statistics: &mut GrowStatistics,
    ) -> Option<Choice<F::Leaf>> {
        let numbers: Vec<usize> = node.all.iter().collect();
        let examples: Vec<Example> = numbers.iter().map(|&i| self.coverage.examples()[i].clone()).collect();
        let coverage = self.coverage.restricted_to(&examples, &numbers);
        let frontier = self.new_frontier(&coverage, &node.path, &node.known);
        let pick = |bits: &Bits| Bits::from_fn(numbers.len(), |k| bits.get(numbers[k]));
        let narrow = Open {
            path: node.path.clone(),
            known: node.known.clone(),
            in_use: pick(&node.in_use),
            all: Bits::ones(numbers.len()),
            ..*node
        };
        let some = |of: &[f64]| -> Vec<f64> { numbers.iter().map(|&i| of[i]).collect() };
        let (gradients, weights) = (some(run.gradients), run.weights.map(some));
        let run = Run {
            fitter: run.fitter,
            gradients: &gradients,
            weights: weights.as_deref(),
            units: run.units.pick(&numbers),
            seed: run.seed,
            tree: run.tree.clone(),
        };
        let mut choice = self.best_of(&run, &narrow, &frontier, statistics)?;
        let mut covered = Bits::zeros(node.all.len());
        choice.covered.iter().for_each(|k| covered.set(numbers[k], true));
        choice.covered = covered;
        Some(choice)
    }

    /// The best of these tests.
    fn best_of<F: LeafFitter>(
        &self,
        run: &Run<'_, F>,
        node: &Open,
        // Paper: Alg. 1, line 15
        frontier: &Frontier,
        statistics: &mut GrowStatistics,
    ) -> Option<Choice<F::Leaf>> {
        statistics.budget_hits += u64::from(frontier.over_budget);

        // Paper: Alg. 1, line 16
        // Departs from paper: not every candidate is fitted by coordinate descent. The least error that any two values
        // leave has a closed form in the counts and sums of both sides. Candidates are fitted in its order until that of
        // the next is above the error of the best fit, so that none of the rest could be chosen.
        let most = match run.fitter.screening() {
            Screening::Exact => Some(1),
            Screening::Rescore => self.options.rescore,
        };
        let scores = score::Node::new(&run.units, &node.in_use);
        let (ranked, screened) = scores.screen(frontier, self.options.min_leaf, most);
        statistics.screened += screened as u64;
        let mut best: Option<(f64, usize, Choice<F::Leaf>)> = None;
        // The sizes of batches are fixed: the number of threads must not decide what is fitted.
        let (mut done, mut batch) = (0, 1);
        loop {
            let enough = best.as_ref().map_or(f64::INFINITY, |(error, ..)| error + scores.rounding());
            let hopeful = ranked[done..].iter().take(batch).take_while(|&&(least, _)| least <= enough).count();
            if hopeful == 0 {
                break;
            }
            let batch_of: Vec<usize> = (done..done + hopeful).collect();
            let fit = |&rank: &usize| self.fit_test(run, node, frontier, ranked[rank].1, rank);
            let fitted: Vec<(f64, Choice<F::Leaf>)> = parallel::map(&batch_of, node.in_use.count(), fit);
            // Paper: Alg. 1, line 22

            // Paper: Alg. 1, line 23
            // Candidates of equal error stand in the order of the tests, and the first is taken.
            for (rank, (error, choice)) in (done..).zip(fitted) {
                let error = error + scores.handicap(frontier, ranked[rank].1);
                let better = |&(least, of, _): &(f64, usize, _)| {
                    error.total_cmp(&least).then(ranked[rank].1.cmp(&ranked[of].1)).is_lt()
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((error, rank, choice));
                }
            }
            done += hopeful;
            batch = (2 * batch).min(MOST_AT_ONCE);
        }
        if run.fitter.screening() == Screening::Rescore {
            statistics.rescored += done as u64;
        }
        let (_, rank, choice) = best?;
        statistics.differed += u64::from(rank != 0);
        Some(choice)
    }

    /// The error that a test leaves when both of its sides are fitted.
    fn fit_test<F: LeafFitter>(
        &self,
        run: &Run<'_, F>,
        node: &Open,
        frontier: &Frontier,
        test: usize,
        rank: usize,
    ) -> (f64, Choice<F::Leaf>) {
        // Paper: Alg. 1, line 17
        // Paper: Alg. 1, line 19
        let covered = Bits::from_words(node.in_use.len(), frontier.row(test).to_vec());
        let yes = run.pick(&node.in_use.and(&covered));
        let no = run.pick(&node.in_use.and_not(&covered));
        let (yes, no) = (yes.sample(), no.sample());
        // Paper: Alg. 1, line 18
        // Paper: Alg. 1, line 20
        let (yes_fit, no_fit) = run.fitter.fit(yes, no, &mut run.stream(node.id, Some(rank)));
        // Paper: Alg. 1, line 21
        let (yes_error, no_error) = (yes.squared_error(yes_fit.value), no.squared_error(no_fit.value));
        let at_least = frontier.at_least(test);
        let (test, new) = frontier.test(test);
        let choice = Choice { test, at_least, new, covered, yes: (yes_fit, yes_error), no: (no_fit, no_error) };
        (yes_error + no_error, choice)
    }

    /// The tests that a node below these true literals may ask, in their order, each with the examples that satisfy it
    /// together with the path.
    ///
    /// No two of them hold for the same examples, and each divides the examples of the path. The number is how many
    /// groundings a test asks for.
    pub fn candidates(&self, path: &[Literal]) -> Vec<(Vec<Literal>, u32, Bits)> {
        let known = [self.language.head(), self.language.new_variables(path)].concat();
        let frontier = self.frontier(path, &known);
        let bits = |test| Bits::from_words(self.coverage.examples().len(), frontier.row(test).to_vec());
        (0..frontier.len()).map(|test| (frontier.test(test).0, frontier.at_least(test), bits(test))).collect()
    }

    /// The tests below a path with these variables, made once.
    fn frontier(&self, path: &[Literal], known: &[Known]) -> Arc<Frontier> {
        let key = (path.to_vec(), known.to_vec());
        if let Some(frontier) = lock(&self.frontiers).get(&key) {
            return frontier;
        }
        let frontier = Arc::new(self.new_frontier(self.coverage, path, known));
        let bytes = frontier.bytes();
        lock(&self.frontiers).insert(key, frontier.clone(), bytes, bytes as u64);
        frontier
    }

    fn new_frontier(&self, coverage: &Coverage<'_>, path: &[Literal], known: &[Known]) -> Frontier {
        let next = known.iter().map(|known| known.variable.0 + 1).max().unwrap_or(0);
        let margins = Margins { counts: self.options.count_margin, ahead: self.options.look_ahead_margin };
        let frontier = Frontier::new(coverage, self.language, margins, path, known, next);
        show_to_audit(coverage, path, &frontier);
        frontier
    }

    fn leaf<L>(&self, fit: Fit<L>, in_use: &Bits) -> Leaf<L> {
        let positives = in_use.iter().filter(|&i| self.coverage.examples()[i].positive).count() as u32;
        let negatives = in_use.count() as u32 - positives;
        Leaf { value: fit.value, positives, negatives, leaf: fit.leaf }
    }
}

impl<F> Run<'_, F> {
    /// What some examples are fitted to.
    fn pick(&self, here: &Bits) -> Picked {
        Picked::new(here, self.gradients, self.weights)
    }

    /// How much some examples count.
    fn weight(&self, here: &Bits) -> f64 {
        self.weights.map_or(here.count() as f64, |weights| here.sum(weights))
    }

    /// The stream of one fit: the root's own, or that of a candidate for a node by its rank.
    fn stream(&self, node: NodeId, rank: Option<usize>) -> Stream {
        let node = node.0.to_string();
        match rank {
            None => Stream::new(self.seed, &["tree", &self.tree, "root"]),
            Some(rank) => Stream::new(self.seed, &["tree", &self.tree, "node", &node, "rank", &rank.to_string()]),
        }
    }
}

/// Tests of several blocks were put together from the answers of a coverage, and are answers of their own.
fn show_to_audit(coverage: &Coverage<'_>, path: &[Literal], frontier: &Frontier) {
    if !coverage.is_audited() {
        return;
    }
    for test in (0..frontier.len()).filter(|&test| frontier.at_least(test) == 1) {
        let covered = Bits::from_words(coverage.examples().len(), frontier.row(test).to_vec());
        coverage.record_for_audit(&[path, &frontier.test(test).0].concat(), 1, &covered);
    }
}

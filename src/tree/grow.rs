//! Best-first tree growth: the paper's FitRegressionTree.

use std::cell::LazyCell;
use std::sync::{Arc, Mutex, Weak};

use super::candidates::Candidates;
use super::fit::{Fit, LeafFitter, Screening};
use super::language::{Language, TypedVariable};
use super::margins::Margins;
use super::node::{Leaf, NodeId, Tree};
use super::options::{Expand, GrowOptions};
use super::sample::OwnedSample;
use super::split::{CoveredSums, QuantizedGradients, SplitScorer};
use super::stopping::Admission;
use crate::cover::{Bits, Cache, Coverage, lock};
use crate::determinism::Stream;
use crate::kb::Example;
use crate::logic::Literal;
use crate::parallel;

/// Statistics of growing a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrowStatistics {
    /// The number of leaves for which a test was searched.
    pub expansions: u64,
    /// The number of leaves that no test improves.
    pub closed: u64,
    /// The number of candidates screened.
    pub screened: u64,
    /// The number of candidates refitted exactly.
    pub rescored: u64,
    /// How often the chosen candidate did not have the best screening score.
    pub differed: u64,
    /// How often the candidate limit was exceeded.
    pub budget_hits: u64,
}

/// A grown tree.
#[derive(Clone, Debug)]
pub struct Grown<L> {
    /// The tree.
    pub tree: Tree<L>,
    /// The leaf that each example of the coverage reaches, whether in use or not.
    pub reached: Vec<NodeId>,
    /// The statistics of its growth.
    pub statistics: GrowStatistics,
}

/// Grows trees over the same examples and language, and caches what does not depend on the
/// gradients.
#[derive(Debug)]
pub struct Grower<'a> {
    coverage: &'a Coverage<'a>,
    language: &'a Language,
    options: GrowOptions,
    /// The weights of the examples; `None` if all are 1.
    weights: Option<&'a [f64]>,
    candidate_cache: CandidateCache,
}

/// The candidate tests of a language over the examples of a coverage, by the true literals of a
/// path and its typed variables. Growers of the same language, coverage and margins may share it.
#[derive(Clone, Debug)]
pub struct CandidateCache(Arc<Mutex<Cache<PathKey, Arc<Candidates>>>>);

impl CandidateCache {
    /// Creates a cache for one of `users` languages that share the memory budget of a coverage.
    /// Together they take up to half of it, less what growing a tree takes.
    pub fn new(coverage: &Coverage<'_>, users: usize) -> Self {
        CandidateCache(Arc::new(Mutex::new(Cache::new(coverage.memory_bytes() / 8 * 3 / users.max(1)))))
    }
}

/// The candidates of a node, for the false side of its test: both have the same path, so they
/// differ in the examples only.
#[derive(Clone, Debug)]
struct Inherited {
    candidates: Arc<Candidates>,
    /// The examples of their rows; `None` for all.
    examples: Option<Arc<[usize]>>,
}

impl Inherited {
    /// Returns the candidates for these examples of the node.
    fn restricted_to(&self, examples: &[usize]) -> Candidates {
        match &self.examples {
            None => self.candidates.restricted_to(examples),
            Some(all) => {
                let index = |example: &usize| all.partition_point(|other| other < example);
                self.candidates.restricted_to(&examples.iter().map(index).collect::<Vec<_>>())
            }
        }
    }
}

type PathKey = (Vec<Literal>, Vec<TypedVariable>);

/// The maximum number of candidates refitted concurrently. The first is fitted alone and each batch
/// is at most twice the previous one, since the first few usually exclude all others.
const MAX_BATCH: usize = 4;

/// A leaf that may be expanded.
struct OpenLeaf {
    id: NodeId,
    /// The true literals of its path.
    path: Vec<Literal>,
    /// The variables in scope.
    known: Vec<TypedVariable>,
    depth: usize,
    /// The examples in use that reach it.
    in_use: Bits,
    /// All examples that reach it.
    all: Bits,
    /// The total weight of the examples in use.
    weight: f64,
    /// The squared error of the examples in use; at the root a lower bound.
    error: f64,
    /// On the false side of a test that covers less than half of the examples in use: the sums of
    /// the node above, and the examples on the true side.
    above: Option<(Screened, Bits)>,
}

/// The sums of the candidates of a node.
#[derive(Clone)]
struct Screened {
    /// The cache decides how long candidates are kept.
    candidates: Weak<Candidates>,
    sums: Arc<CoveredSums>,
}

/// A test with both of its sides fitted.
struct FittedTest<L> {
    test: Vec<Literal>,
    at_least: u32,
    new: Vec<TypedVariable>,
    covered: Bits,
    yes: (Fit<L>, f64),
    no: (Fit<L>, f64),
}

/// The outcome of the search for the best test of a node.
struct SearchedNode<L> {
    /// `None` if no test splits the examples.
    best: Option<FittedTest<L>>,
    /// The sums of all candidates, if these are cached.
    screened: Option<Screened>,
    /// The candidates, if the false side can use them.
    candidates: Option<Inherited>,
}

/// The inputs shared by all fits of a tree.
struct TreeFit<'r, F> {
    fitter: &'r F,
    gradients: &'r [f64],
    weights: Option<&'r [f64]>,
    quantized: QuantizedGradients,
    seed: u64,
    tree: String,
}

impl<'a> Grower<'a> {
    /// Creates a grower. Its cache of candidate tests takes up to half of the memory budget of the
    /// coverage.
    pub fn new(coverage: &'a Coverage<'a>, language: &'a Language, options: GrowOptions) -> Self {
        let candidate_cache = CandidateCache::new(coverage, 1);
        Grower { coverage, language, options, weights: None, candidate_cache }
    }

    /// Uses candidate tests that another grower of the same language, coverage and margins found.
    pub fn sharing(self, cache: &CandidateCache) -> Self {
        Grower { candidate_cache: cache.clone(), ..self }
    }

    /// Sets the weights of the examples: weight 2 is equivalent to two copies of weight 1.
    ///
    /// # Panics
    /// If the number of weights differs from that of the examples.
    pub fn weighted(self, weights: Option<&'a [f64]>) -> Self {
        let examples = self.coverage.examples().len();
        assert!(
            weights.is_none_or(|weights| weights.len() == examples),
            "the number of weights differs from that of the examples"
        );
        Grower { weights, ..self }
    }

    /// Grows a tree that fits the gradients of the examples in use.
    ///
    /// Each fit draws from its own stream, derived from the seed, the number of the tree, the node
    /// and the rank of the candidate, so that neither threads nor other fits affect it.
    ///
    /// # Panics
    /// If the length of `gradients` or `in_use` differs from the number of examples.
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
        assert_eq!(gradients.len(), examples, "the number of gradients differs from that of the examples");
        assert_eq!(in_use.len(), examples, "the size of the example set differs from the number of examples");
        let weights = self.weights;
        let quantized = QuantizedGradients::new(gradients, weights, in_use);
        let run = TreeFit { fitter, gradients, weights, quantized, seed, tree: tree.to_string() };
        let mut statistics = GrowStatistics::default();
        let mut inherited: Cache<NodeId, Inherited> = Cache::new(self.coverage.memory_bytes() / 8);

        // Paper: Alg. 1, line 11
        // Departs from paper: the root leaf is fitted only if it matters, that is, if it may remain
        // or if the first test may not lower its error. No value has a smaller error than the mean.
        let here = run.pick(in_use);
        let fit = LazyCell::new(|| {
            let fit = fitter.fit_root(here.sample(), &mut run.stream(NodeId(0), None));
            let error = here.sample().squared_error(fit.value);
            (fit, error)
        });
        let min_error = here.sample().squared_error(here.sample().mean());
        let mut tree: Option<Tree<F::Leaf>> = None;
        let mut reached = vec![NodeId(0); examples];

        // Paper: Alg. 1, line 12
        let mut beam = vec![OpenLeaf {
            id: NodeId(0),
            path: Vec::new(),
            known: self.language.head(),
            depth: 0,
            in_use: in_use.clone(),
            all: Bits::ones(examples),
            weight: here.sample().weight(),
            error: if min_error > 0.0 { min_error } else { fit.1 },
            above: None,
        }];
        let mut leaves = 1;
        let stopping = &self.options.stopping;
        let is_uniform =
            |error: f64, weight: f64| stopping.is_uniform(error / weight, || fit.1 / here.sample().weight());

        // Paper: Alg. 1, line 13
        // Departs from paper: the loop ends at L leaves, as the description of L requires; the
        // pseudocode's bound would give one more. It also ends when no leaf can be expanded.
        while self.options.max_leaves.is_none_or(|max| leaves < max) && stopping.may_search(statistics.expansions) {
            // Paper: Alg. 1, line 14
            let Some(node) = self.next_to_expand(&mut beam) else { break };
            statistics.expansions += 1;
            let SearchedNode { best, screened, candidates } =
                self.best_test(&run, &node, inherited.take(&node.id), &mut statistics);
            let gains = |fitted: &FittedTest<F::Leaf>| {
                // The gain must exceed rounding errors.
                let below = |error: f64| fitted.yes.1 + fitted.no.1 < error * (1.0 - 1e-10);
                !stopping.require_gain || below(node.error) || (node.id == NodeId(0) && below(fit.1))
            };
            let Some(fitted) = best.filter(gains) else {
                statistics.closed += 1;
                continue;
            };
            leaves += 1;

            // Paper: Alg. 1, line 24
            let FittedTest { test, at_least, new, covered, yes, no } = fitted;
            let sides = |examples: &Bits| (examples.and(&covered), examples.and_not(&covered));
            let (in_use_yes, in_use_no) = sides(&node.in_use);
            let (all_yes, all_no) = sides(&node.all);
            let (yes_leaf, no_leaf) = (self.leaf(yes.0, &in_use_yes), self.leaf(no.0, &in_use_no));
            // This root is a placeholder that the split replaces.
            let tree = tree.get_or_insert_with(|| Tree::single(yes_leaf.clone()));
            let (yes_id, no_id) = tree.split(node.id, test.clone(), at_least, yes_leaf, no_leaf);
            all_yes.iter().for_each(|i| reached[i] = yes_id);
            all_no.iter().for_each(|i| reached[i] = no_id);

            let depth = node.depth + 1;
            if self.options.max_depth.is_some_and(|max| depth >= max) {
                continue;
            }
            // Paper: Alg. 1, line 25
            // An at-least-k test binds no variables for the tests below.
            let path = if at_least == 1 { [&node.path[..], &test].concat() } else { node.path.clone() };
            let known = [&node.known[..], &new].concat();
            let weight = run.weight(&in_use_yes);
            let above =
                screened.filter(|_| in_use_yes.count() < in_use_no.count()).map(|above| (above, in_use_yes.clone()));
            if stopping.may_extend(path.len()) && !is_uniform(yes.1, weight) {
                beam.push(OpenLeaf {
                    id: yes_id,
                    path,
                    known,
                    depth,
                    in_use: in_use_yes,
                    all: all_yes,
                    weight,
                    error: yes.1,
                    above: None,
                });
            }
            // Paper: Alg. 1, line 26
            // The variables of a failed test are unbound, so this side keeps those from above.
            let (weight, error) = (run.weight(&in_use_no), no.1);
            if !is_uniform(error, weight) {
                let (path, known) = (node.path, node.known);
                if let Some(candidates) = candidates {
                    let bytes = candidates.candidates.bytes();
                    inherited.insert(no_id, candidates, bytes, bytes as u64);
                }
                beam.push(OpenLeaf {
                    id: no_id,
                    path,
                    known,
                    depth,
                    in_use: in_use_no,
                    all: all_no,
                    weight,
                    error,
                    above,
                });
            }
        }
        // Paper: Alg. 1, line 27
        // Paper: Alg. 1, line 28
        // Paper: Alg. 1, line 29
        let tree = tree.unwrap_or_else(|| Tree::single(self.leaf(fit.0.clone(), in_use)));
        Grown { tree, reached, statistics }
    }

    /// Removes the leaf with the largest error from the beam; of equals, the oldest.
    fn next_to_expand(&self, beam: &mut Vec<OpenLeaf>) -> Option<OpenLeaf> {
        beam.retain(|open| self.may_expand(open));
        let key = |open: &OpenLeaf| match self.options.expand {
            Expand::Mean => open.error / open.weight,
            Expand::Total => open.error,
        };
        let mut best = 0;
        for at in 1..beam.len() {
            if key(&beam[at]).total_cmp(&key(&beam[best])).is_gt() {
                best = at;
            }
        }
        // The beam is ordered by age, and removal keeps that order.
        (best < beam.len()).then(|| beam.remove(best))
    }

    fn may_expand(&self, open: &OpenLeaf) -> bool {
        let is_deep = self.options.max_depth.is_some_and(|max| open.depth >= max);
        let twice = 2 * self.options.min_leaf.max(1);
        let has_enough = match self.weights {
            Some(_) if self.options.min_leaf > 1 => open.weight >= twice as f64,
            _ => open.in_use.count() >= if self.weights.is_some() { 2 } else { twice },
        };
        let is_large = open.weight >= self.options.stopping.min_split as f64 || self.options.stopping.min_split <= 1;
        !is_deep && open.error > 0.0 && has_enough && is_large
    }

    /// Finds the test with the smallest error, the first of equals.
    fn best_test<F: LeafFitter>(
        &self,
        run: &TreeFit<'_, F>,
        node: &OpenLeaf,
        inherited: Option<Inherited>,
        statistics: &mut GrowStatistics,
    ) -> SearchedNode<F::Leaf> {
        let here = node.all.count();
        if self.options.single && 2 * here <= node.all.len() {
            return self.best_test_on_own_examples(run, node, inherited, statistics);
        }
        let candidates = self.cached_candidates(&node.path, &node.known);
        let scores = SplitScorer::new(&run.quantized, &node.in_use);
        let from_above = node.above.as_ref().and_then(|(above, others)| {
            let same = above.candidates.upgrade().is_some_and(|above| Arc::ptr_eq(&above, &candidates));
            let others = || SplitScorer::new(&run.quantized, others).covered_sums(&candidates);
            same.then(|| above.sums.without(&others()))
        });
        let sums = Arc::new(from_above.unwrap_or_else(|| scores.covered_sums(&candidates)));
        let best = self.best_candidate(run, node, &candidates, (&scores, &sums), statistics);
        let screened = Some(Screened { candidates: Arc::downgrade(&candidates), sums });
        SearchedNode { best, screened, candidates: self.to_inherit(candidates, None) }
    }

    /// Returns the candidates of a node in the form that the false side of its test inherits, if it
    /// can use them.
    fn to_inherit(&self, candidates: Arc<Candidates>, examples: Option<Arc<[usize]>>) -> Option<Inherited> {
        (self.options.single && candidates.is_exhaustive).then_some(Inherited { candidates, examples })
    }

    /// Finds the best test, evaluating candidates on the examples of the node only.
    ///
    /// Tests that differ only outside the node are merged here. This may change the ranks of other
    /// tests, and with them the random draws of a fit that shuffles.
    fn best_test_on_own_examples<F: LeafFitter>(
        &self,
        run: &TreeFit<'_, F>,
        node: &OpenLeaf,
        inherited: Option<Inherited>,
        statistics: &mut GrowStatistics,
    ) -> SearchedNode<F::Leaf> {
        let indices: Arc<[usize]> = node.all.iter().collect();
        let candidates = match inherited.filter(|_| !self.coverage.is_audited()) {
            Some(inherited) => inherited.restricted_to(&indices),
            None => {
                let examples: Vec<Example> = indices.iter().map(|&i| self.coverage.examples()[i].clone()).collect();
                let coverage = self.coverage.restricted_to(&examples, &indices);
                self.generate_candidates(&coverage, &node.path, &node.known)
            }
        };
        let candidates = Arc::new(candidates);
        let pick = |bits: &Bits| Bits::from_fn(indices.len(), |k| bits.get(indices[k]));
        let restricted = OpenLeaf {
            path: node.path.clone(),
            known: node.known.clone(),
            in_use: pick(&node.in_use),
            all: Bits::ones(indices.len()),
            above: None,
            ..*node
        };
        let pick_values = |of: &[f64]| -> Vec<f64> { indices.iter().map(|&i| of[i]).collect() };
        let (gradients, weights) = (pick_values(run.gradients), run.weights.map(pick_values));
        let run = TreeFit {
            fitter: run.fitter,
            gradients: &gradients,
            weights: weights.as_deref(),
            quantized: run.quantized.pick(&indices),
            seed: run.seed,
            tree: run.tree.clone(),
        };
        let scores = SplitScorer::new(&run.quantized, &restricted.in_use);
        let sums = scores.covered_sums(&candidates);
        let mut best = self.best_candidate(&run, &restricted, &candidates, (&scores, &sums), statistics);
        if let Some(fitted) = &mut best {
            let mut covered = Bits::zeros(node.all.len());
            fitted.covered.iter().for_each(|k| covered.set(indices[k], true));
            fitted.covered = covered;
        }
        SearchedNode { best, screened: None, candidates: self.to_inherit(candidates, Some(indices)) }
    }

    /// Returns the best of these candidates.
    fn best_candidate<F: LeafFitter>(
        &self,
        run: &TreeFit<'_, F>,
        node: &OpenLeaf,
        // Paper: Alg. 1, line 15
        candidates: &Candidates,
        (scores, sums): (&SplitScorer<'_>, &CoveredSums),
        statistics: &mut GrowStatistics,
    ) -> Option<FittedTest<F::Leaf>> {
        statistics.budget_hits += u64::from(candidates.over_budget);

        // Paper: Alg. 1, line 16
        // Departs from paper: not every candidate is fitted by coordinate descent. The minimum
        // error of any two values has a closed form in the counts and sums of both sides.
        // Candidates are fitted in the order of this lower bound, until the next bound exceeds the
        // error of the best fit: none of the rest could be chosen.
        let max = match run.fitter.screening() {
            Screening::Exact => Some(1),
            Screening::Rescore => self.options.rescore,
        };
        let seeds = || run.seed_stream(node.id);
        let admission = Admission::new(&self.options.stopping, &node.path, &node.in_use, run.weights, seeds);
        let admits = |test| admission.admits(candidates, test);
        let (ranked, screened) = scores.screen(candidates, sums, self.options.min_leaf, max, admits);
        statistics.screened += screened as u64;
        let mut best: Option<(f64, usize, FittedTest<F::Leaf>)> = None;
        // Batch sizes are fixed: the number of threads must not decide which candidates are fitted.
        let (mut done, mut batch) = (0, 1);
        loop {
            let bound = best.as_ref().map_or(f64::INFINITY, |(error, ..)| error + scores.rounding());
            let viable = ranked[done..].iter().take(batch).take_while(|&&(min_error, _)| min_error <= bound).count();
            if viable == 0 {
                break;
            }
            let batch_of: Vec<usize> = (done..done + viable).collect();
            let fit = |&rank: &usize| self.fit_test(run, node, candidates, ranked[rank].1, rank);
            let fitted: Vec<(f64, FittedTest<F::Leaf>)> = parallel::map(&batch_of, node.in_use.count(), fit);
            // Paper: Alg. 1, line 22

            // Paper: Alg. 1, line 23
            // Candidates of equal error are in the order of tests, and the first is chosen.
            for (rank, (error, fitted)) in (done..).zip(fitted) {
                let error = error + scores.penalty(candidates, ranked[rank].1);
                let better = |&(best_error, best_rank, _): &(f64, usize, _)| {
                    error.total_cmp(&best_error).then(ranked[rank].1.cmp(&ranked[best_rank].1)).is_lt()
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((error, rank, fitted));
                }
            }
            done += viable;
            batch = (2 * batch).min(MAX_BATCH);
        }
        if run.fitter.screening() == Screening::Rescore {
            statistics.rescored += done as u64;
        }
        let (_, rank, fitted) = best?;
        statistics.differed += u64::from(rank != 0);
        Some(fitted)
    }

    /// Fits both sides of a test; returns their total error.
    fn fit_test<F: LeafFitter>(
        &self,
        run: &TreeFit<'_, F>,
        node: &OpenLeaf,
        candidates: &Candidates,
        test: usize,
        rank: usize,
    ) -> (f64, FittedTest<F::Leaf>) {
        // Paper: Alg. 1, line 17
        // Paper: Alg. 1, line 19
        let covered = candidates.rows().bits(test);
        let yes = run.pick(&node.in_use.and(&covered));
        let no = run.pick(&node.in_use.and_not(&covered));
        let (yes, no) = (yes.sample(), no.sample());
        // Paper: Alg. 1, line 18
        // Paper: Alg. 1, line 20
        let (yes_fit, no_fit) = run.fitter.fit(yes, no, &mut run.stream(node.id, Some(rank)));
        // Paper: Alg. 1, line 21
        let (yes_error, no_error) = (yes.squared_error(yes_fit.value), no.squared_error(no_fit.value));
        let at_least = candidates.at_least(test);
        let (test, new) = candidates.test(test);
        let fitted = FittedTest { test, at_least, new, covered, yes: (yes_fit, yes_error), no: (no_fit, no_error) };
        (yes_error + no_error, fitted)
    }

    /// Returns the candidate tests below the true literals `path`, in order: literals, required
    /// number of groundings, and the examples covered together with the path.
    ///
    /// Their coverages are distinct, and each splits the examples of the path.
    pub fn candidates(&self, path: &[Literal]) -> Vec<(Vec<Literal>, u32, Bits)> {
        let known = [self.language.head(), self.language.new_variables(path)].concat();
        let candidates = self.cached_candidates(path, &known);
        let test = |test| (candidates.test(test).0, candidates.at_least(test), candidates.rows().bits(test));
        (0..candidates.len()).map(test).collect()
    }

    /// Returns the candidates below a path with these variables, cached.
    fn cached_candidates(&self, path: &[Literal], known: &[TypedVariable]) -> Arc<Candidates> {
        let key = (path.to_vec(), known.to_vec());
        if let Some(candidates) = lock(&self.candidate_cache.0).get(&key) {
            return candidates;
        }
        let candidates = Arc::new(self.generate_candidates(self.coverage, path, known));
        let bytes = candidates.bytes();
        lock(&self.candidate_cache.0).insert(key, candidates.clone(), bytes, bytes as u64);
        candidates
    }

    fn generate_candidates(&self, coverage: &Coverage<'_>, path: &[Literal], known: &[TypedVariable]) -> Candidates {
        let next = known.iter().map(|known| known.variable.0 + 1).max().unwrap_or(0);
        let margins = Margins { count: self.options.count_margin, look_ahead: self.options.look_ahead_margin };
        let candidates = Candidates::new(coverage, self.language, margins, path, known, next);
        record_for_audit(coverage, path, &candidates);
        candidates
    }

    fn leaf<L>(&self, fit: Fit<L>, in_use: &Bits) -> Leaf<L> {
        let positives = in_use.iter().filter(|&i| self.coverage.examples()[i].positive).count() as u32;
        let negatives = in_use.count() as u32 - positives;
        Leaf { value: fit.value, positives, negatives, leaf: fit.leaf }
    }
}

impl<F> TreeFit<'_, F> {
    /// Returns the gradients and weights of some examples.
    fn pick(&self, here: &Bits) -> OwnedSample {
        OwnedSample::new(here, self.gradients, self.weights)
    }

    /// Returns the total weight of some examples.
    fn weight(&self, here: &Bits) -> f64 {
        self.weights.map_or(here.count() as f64, |weights| here.sum(weights))
    }

    /// Returns the random stream of one fit: of the root, or of a candidate of a node by its rank.
    fn stream(&self, node: NodeId, rank: Option<usize>) -> Stream {
        let node = node.0.to_string();
        match rank {
            None => Stream::new(self.seed, &["tree", &self.tree, "root"]),
            Some(rank) => Stream::new(self.seed, &["tree", &self.tree, "node", &node, "rank", &rank.to_string()]),
        }
    }

    /// Returns the random stream of the seeds of a node.
    fn seed_stream(&self, node: NodeId) -> Stream {
        Stream::new(self.seed, &["tree", &self.tree, "node", &node.0.to_string(), "seeds"])
    }
}

/// Records tests of several conjuncts: their coverage was combined from the answers of the engine.
fn record_for_audit(coverage: &Coverage<'_>, path: &[Literal], candidates: &Candidates) {
    if !coverage.is_audited() {
        return;
    }
    for test in (0..candidates.len()).filter(|&test| candidates.at_least(test) == 1) {
        let covered = candidates.rows().bits(test);
        coverage.record_for_audit(&[path, &candidates.test(test).0].concat(), 1, &covered);
    }
}

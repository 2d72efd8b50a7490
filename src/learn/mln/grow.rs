//! Trees whose leaves weight their groundings, as in MLN-Boost (Khot et al., 2011).
//!
//! A test splits the groundings of a node: the extensions of a path by the test go to the yes side,
//! groundings without an extension to the no side. An example may reach several leaves, each with a
//! number of groundings; a leaf contributes its weight times that number.

use std::sync::{Arc, Mutex};

use super::solve::{TwoColumnSums, least_squares};
use super::tally::{Pattern, Tally};
use crate::cover::Bits;
use crate::cover::lock;
use crate::determinism::HashMap;
use crate::logic::Literal;
use crate::parallel;
use crate::tree::Expand;
use crate::tree::{Conjuncts, Needed};
use crate::tree::{Language, TypedVariable};

/// Stopping rules of tree growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountOptions {
    /// Maximum number of leaves; `None` for no limit.
    pub max_leaves: Option<usize>,
    /// Maximum number of tests on a path; `None` for no limit.
    pub max_depth: Option<usize>,
    /// Minimum number of examples with a grounding on the yes side, and on the no side if it has
    /// any.
    pub min_leaf: usize,
    /// Which leaf is expanded next.
    pub expand: Expand,
    /// L2 penalty λ: minimizes Σ (Σ w·n − Δ)² + λ Σ w².
    pub shrinkage: f64,
}

/// A pattern with the weight of each grounding.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPattern {
    /// Pattern.
    pub pattern: Pattern,
    /// Contribution of a grounding to ψ.
    pub weight: f64,
    /// Number of groundings of every example, in use or not.
    pub counts: Vec<f64>,
}

/// A candidate test of a node.
#[derive(Debug)]
pub(super) struct CountCandidate {
    pub test: Vec<Literal>,
    pub new: Vec<TypedVariable>,
}

/// The candidates of a path, and whether the budget was exceeded.
pub(super) type CountCandidates = (Vec<CountCandidate>, bool);

/// The literals of a path, its variables, and the next free variable.
type CountPathKey = (Vec<Literal>, Vec<TypedVariable>, u32);

/// Grows trees over fixed examples and language; caches what does not depend on the gradients.
#[derive(Debug)]
pub struct CountGrower<'g, 'c, 'a> {
    pub(super) tally: &'g Tally<'c, 'a>,
    pub(super) language: &'g Language,
    /// Connected components of a path with this many literals are not extended.
    largest_part: usize,
    candidates: Mutex<HashMap<CountPathKey, Arc<CountCandidates>>>,
}

/// Counters of growing a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountStatistics {
    /// Nodes for which a test was searched.
    pub expansions: u64,
    /// Candidates scored.
    pub screened: u64,
    /// Nodes that exceeded the candidate budget.
    pub budget_hits: u64,
}

/// A leaf of a growing tree.
struct CountLeaf {
    leaf: WeightedPattern,
    known: Vec<TypedVariable>,
    /// Next free variable; variables of failed tests stay reserved.
    next: u32,
    depth: usize,
    /// Whether a test may still be found.
    open: bool,
}

/// The best test of a leaf, with the counts of both sides.
struct BestTest {
    error: f64,
    at: usize,
    yes: Vec<f64>,
    no: Vec<f64>,
}

impl<'g, 'c, 'a> CountGrower<'g, 'c, 'a> {
    /// Creates a grower. Connected components of a path that have `largest_part` literals are not
    /// extended: counting groundings of large cyclic components is slow.
    pub fn new(tally: &'g Tally<'c, 'a>, language: &'g Language, largest_part: usize) -> Self {
        CountGrower { tally, language, largest_part, candidates: Mutex::default() }
    }

    /// Grows a tree that fits the gradients of the examples in use; returns a pattern for each
    /// leaf.
    ///
    /// All weights of a tree are fitted jointly, minimizing Σᵢ (Σ w·n(xᵢ) − Δᵢ)² + λ Σ w². For a
    /// leaf that shares no example with another this is w = Σ Δ·n / (λ + Σ n²).
    ///
    /// # Panics
    /// If there is not one gradient and one bit per example.
    pub fn grow(
        &self,
        options: &CountOptions,
        gradients: &[f64],
        in_use: &Bits,
    ) -> (Vec<WeightedPattern>, CountStatistics) {
        let examples = self.tally.coverage().examples().len();
        assert!(gradients.len() == examples && in_use.len() == examples, "one gradient and one bit per example");
        let rows: Vec<usize> = in_use.iter().collect();
        let known = self.language.head();
        let root = WeightedPattern { pattern: Pattern::default(), weight: 0.0, counts: vec![1.0; examples] };
        let mut leaves = vec![CountLeaf { leaf: root, next: known.len() as u32, known, depth: 0, open: true }];
        let mut residuals = refit(leaves.iter_mut().map(|open| &mut open.leaf), gradients, &rows, options.shrinkage);
        let mut statistics = CountStatistics::default();
        while options.max_leaves.is_none_or(|max| leaves.len() < max) {
            let Some(at) = next_to_expand(&leaves, &residuals, &rows, options) else { break };
            statistics.expansions += 1;
            let node = &leaves[at];
            let candidates = self.candidates(&node.leaf.pattern.literals, &node.known, node.next);
            statistics.screened += candidates.0.len() as u64;
            statistics.budget_hits += u64::from(candidates.1);
            match self.best_test(options, node, &candidates.0, &residuals, &rows) {
                None => leaves[at].open = false,
                Some(choice) => {
                    let candidate = &candidates.0[choice.at];
                    let [yes, no] = leaves.remove(at).split(candidate, choice);
                    // The two leaves replace their parent in place: depth-first order, yes before
                    // no.
                    leaves.splice(at..at, [yes, no]);
                    residuals =
                        refit(leaves.iter_mut().map(|open| &mut open.leaf), gradients, &rows, options.shrinkage);
                }
            }
        }
        (leaves.into_iter().map(|open| open.leaf).collect(), statistics)
    }

    /// Returns the cached candidate tests below a path.
    pub(super) fn candidates(&self, path: &[Literal], known: &[TypedVariable], next: u32) -> Arc<CountCandidates> {
        let key = (path.to_vec(), known.to_vec(), next);
        if let Some(candidates) = lock(&self.candidates).get(&key) {
            return candidates.clone();
        }
        let blocks = {
            let (coverage, size) = (self.tally.coverage(), self.largest_part);
            Conjuncts::new(coverage, self.language, path, known, next, size, Needed::All)
        };
        let over_budget = blocks.over_budget;
        let candidate = |block: crate::tree::Conjunct| CountCandidate { test: block.literals, new: block.new };
        let candidates = Arc::new((blocks.list.into_iter().map(candidate).collect(), over_budget));
        lock(&self.candidates).entry(key).or_insert(candidates).clone()
    }

    /// Returns the test with the smallest squared error, the first of ties; `None` if none lowers
    /// it.
    fn best_test(
        &self,
        options: &CountOptions,
        node: &CountLeaf,
        candidates: &[CountCandidate],
        residuals: &[f64],
        rows: &[usize],
    ) -> Option<BestTest> {
        let WeightedPattern { pattern, weight, counts } = &node.leaf;
        // Only this leaf is refitted: the target excludes its own contribution and keeps the
        // others'.
        let here: Vec<usize> = rows.iter().copied().filter(|&i| counts[i] > 0.0).collect();
        let target: Vec<f64> =
            residuals.iter().zip(counts).map(|(residual, count)| residual + weight * count).collect();
        let before: f64 = here.iter().map(|&i| residuals[i] * residuals[i]).sum();
        let numbers: Vec<usize> = (0..candidates.len()).collect();
        let sides = |at: usize| {
            let test = &candidates[at].test;
            let yes = self.tally.counts(&pattern.with(test));
            let no = self.tally.counts(&pattern.without(test));
            (yes, no)
        };
        let error = |&at: &usize| -> Option<(f64, usize)> {
            let (yes, no) = sides(at);
            let sums = TwoColumnSums::new([&yes, &no], &target, &here);
            let [on_yes, on_no] = sums.reached;
            let min = options.min_leaf.max(1);
            if on_yes < min || (on_no > 0 && on_no < min) {
                return None;
            }
            Some((two_weight_error([&yes, &no], &target, &here, &sums.weights(options.shrinkage)), at))
        };
        let errors = parallel::map(&numbers, 16 * counts.len(), error);
        let best = errors.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        // The gain must exceed rounding.
        (best.0 < before * (1.0 - 1e-9)).then(|| {
            let (yes, no) = sides(best.1);
            BestTest { error: best.0, at: best.1, yes, no }
        })
    }
}

impl CountLeaf {
    fn split(self, candidate: &CountCandidate, choice: BestTest) -> [CountLeaf; 2] {
        let CountLeaf { leaf, known, next, depth, .. } = self;
        debug_assert!(choice.error.is_finite(), "errors of finite counts are finite");
        let side = |pattern, counts, known| CountLeaf {
            leaf: WeightedPattern { pattern, weight: 0.0, counts },
            known,
            next: next + candidate.new.len() as u32,
            depth: depth + 1,
            open: true,
        };
        let more = [&known[..], &candidate.new].concat();
        let yes = side(leaf.pattern.with(&candidate.test), choice.yes, more);
        [yes, side(leaf.pattern.without(&candidate.test), choice.no, known)]
    }
}

/// Returns the squared error over `here` with these weights of both sides.
fn two_weight_error([yes, no]: [&[f64]; 2], target: &[f64], here: &[usize], weights: &[f64]) -> f64 {
    here.iter().map(|&i| (target[i] - weights[0] * yes[i] - weights[1] * no[i]).powi(2)).sum()
}

/// Fits the weights of all patterns jointly; returns the residuals.
pub(super) fn refit<'w>(
    all: impl Iterator<Item = &'w mut WeightedPattern>,
    gradients: &[f64],
    rows: &[usize],
    shrinkage: f64,
) -> Vec<f64> {
    let all: Vec<&mut WeightedPattern> = all.collect();
    let columns: Vec<&[f64]> = all.iter().map(|weighted| &weighted.counts[..]).collect();
    let weights = least_squares(&columns, gradients, rows, shrinkage);
    let mut residuals = gradients.to_vec();
    for (weighted, weight) in all.into_iter().zip(weights) {
        weighted.weight = weight;
        residuals.iter_mut().zip(&weighted.counts).for_each(|(residual, count)| *residual -= weight * count);
    }
    residuals
}

/// Returns the open leaf with the largest error; the first of ties.
fn next_to_expand(leaves: &[CountLeaf], residuals: &[f64], rows: &[usize], options: &CountOptions) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (at, open) in leaves.iter().enumerate().filter(|(_, open)| open.open) {
        let here: Vec<usize> = rows.iter().copied().filter(|&i| open.leaf.counts[i] > 0.0).collect();
        let deep = options.max_depth.is_some_and(|max| open.depth >= max);
        let error: f64 = here.iter().map(|&i| residuals[i] * residuals[i]).sum();
        if deep || here.len() < 2 * options.min_leaf.max(1) || error <= 0.0 {
            continue;
        }
        let value = match options.expand {
            Expand::Mean => error / here.len() as f64,
            Expand::Total => error,
        };
        if best.is_none_or(|(highest, _)| value > highest) {
            best = Some((value, at));
        }
    }
    best.map(|(_, at)| at)
}

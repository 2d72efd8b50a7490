//! Trees whose leaves say a weight for each grounding that ends in them, as MLN-Boost grows them (Khot et al., 2011).
//!
//! A test divides the groundings of a node: those of the path that it extends, in as many ways as it can, go to the yes side, and
//! those that it does not extend to the no side. So an example may end in several leaves, in each as often as it has groundings
//! there, and a leaf adds its weight times that number.

use std::sync::{Arc, Mutex};

use super::solve::least_squares;
use super::tally::{Pattern, Tally};
use crate::cover::Bits;
use crate::cover::lock;
use crate::determinism::HashMap;
use crate::logic::Literal;
use crate::parallel;
use crate::tree::Expand;
use crate::tree::conjunct::Blocks;
use crate::tree::language::{Known, Language};

/// When a tree stops growing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountOptions {
    /// The most leaves; `None` means any number.
    pub max_leaves: Option<usize>,
    /// The most tests on the way to a leaf; `None` means any number.
    pub max_depth: Option<usize>,
    /// The fewest examples with a grounding on the yes side of a test, and on the no side if it has any.
    pub min_leaf: usize,
    /// Which leaf is expanded next.
    pub expand: Expand,
    /// How much weights are held back: with λ, Σ (Σ w·n − Δ)² + λ Σ w² is made least.
    pub shrinkage: f64,
}

/// A pattern and what each of its groundings is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighted {
    /// The pattern.
    pub pattern: Pattern,
    /// What a grounding adds.
    pub weight: f64,
    /// The groundings of each example, whether it was in use or not.
    pub counts: Vec<f64>,
}

/// A test that a node may ask.
#[derive(Debug)]
pub(super) struct Candidate {
    pub test: Vec<Literal>,
    pub new: Vec<Known>,
}

/// The candidates of a path, and whether there were too many.
pub(super) type Candidates = (Vec<Candidate>, bool);

/// The literals of a path, its variables, and the number of the next one.
type PathKey = (Vec<Literal>, Vec<Known>, u32);

/// Grows trees over the same examples and tests, and remembers what does not depend on the gradients.
#[derive(Debug)]
pub struct CountGrower<'g, 'c, 'a> {
    pub(super) tally: &'g Tally<'c, 'a>,
    pub(super) language: &'g Language,
    /// So many literals of a path that hang together are not added to.
    largest_part: usize,
    candidates: Mutex<HashMap<PathKey, Arc<Candidates>>>,
}

/// What was done to grow a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountStatistics {
    /// Nodes for which a test was looked for.
    pub expansions: u64,
    /// Candidates that were scored.
    pub screened: u64,
    /// How often there were more candidates than the budget allows.
    pub budget_hits: u64,
}

/// A leaf, while the tree grows.
struct Open {
    leaf: Weighted,
    known: Vec<Known>,
    /// The number of the next variable; those of tests that failed are taken.
    next: u32,
    depth: usize,
    /// Whether a test may still be found.
    open: bool,
}

/// A test for a leaf, and both sides of it.
struct Choice {
    error: f64,
    at: usize,
    yes: Vec<f64>,
    no: Vec<f64>,
}

impl<'g, 'c, 'a> CountGrower<'g, 'c, 'a> {
    /// A grower that has no tree yet. Nothing is tied to a part of a path that has `largest_part` literals already: to count the
    /// groundings of parts that are large and hang together in more than one way takes long.
    pub fn new(tally: &'g Tally<'c, 'a>, language: &'g Language, largest_part: usize) -> Self {
        CountGrower { tally, language, largest_part, candidates: Mutex::default() }
    }

    /// Grows a tree that fits the gradients of the examples in use. Gives a pattern for each leaf.
    ///
    /// All weights of a tree are found together, those for which Σᵢ (Σ w·n(xᵢ) − Δᵢ)² + λ Σ w² is least; for a leaf that shares no
    /// example with another this is w = Σ Δ·n / (λ + Σ n²).
    ///
    /// # Panics
    /// If there is not one gradient and one bit for each example.
    pub fn grow(&self, options: &CountOptions, gradients: &[f64], in_use: &Bits) -> (Vec<Weighted>, CountStatistics) {
        let examples = self.tally.coverage().examples().len();
        assert!(gradients.len() == examples && in_use.len() == examples, "one gradient and one bit for each example");
        let of: Vec<usize> = in_use.iter().collect();
        let known = self.language.head();
        let whole = Weighted { pattern: Pattern::default(), weight: 0.0, counts: vec![1.0; examples] };
        let mut leaves = vec![Open { leaf: whole, next: known.len() as u32, known, depth: 0, open: true }];
        let mut left = refit(leaves.iter_mut().map(|open| &mut open.leaf), gradients, &of, options.shrinkage);
        let mut statistics = CountStatistics::default();
        while options.max_leaves.is_none_or(|most| leaves.len() < most) {
            let Some(at) = next_to_expand(&leaves, &left, &of, options) else { break };
            statistics.expansions += 1;
            let node = &leaves[at];
            let candidates = self.candidates(&node.leaf.pattern.literals, &node.known, node.next);
            statistics.screened += candidates.0.len() as u64;
            statistics.budget_hits += u64::from(candidates.1);
            match self.best_test(options, node, &candidates.0, &left, &of) {
                None => leaves[at].open = false,
                Some(choice) => {
                    let candidate = &candidates.0[choice.at];
                    let [yes, no] = leaves.remove(at).split(candidate, choice);
                    // The sides stand where the leaf stood: nearest to the root first, yes before no.
                    leaves.splice(at..at, [yes, no]);
                    left = refit(leaves.iter_mut().map(|open| &mut open.leaf), gradients, &of, options.shrinkage);
                }
            }
        }
        (leaves.into_iter().map(|open| open.leaf).collect(), statistics)
    }

    /// The tests below a path, made once.
    pub(super) fn candidates(&self, path: &[Literal], known: &[Known], next: u32) -> Arc<Candidates> {
        let key = (path.to_vec(), known.to_vec(), next);
        if let Some(candidates) = lock(&self.candidates).get(&key) {
            return candidates.clone();
        }
        let blocks = Blocks::new(self.tally.coverage(), self.language, path, known, next, self.largest_part);
        let over_budget = blocks.over_budget;
        let candidate = |block: crate::tree::conjunct::Block| Candidate { test: block.literals, new: block.new };
        let candidates = Arc::new((blocks.list.into_iter().map(candidate).collect(), over_budget));
        lock(&self.candidates).entry(key).or_insert(candidates).clone()
    }

    /// The test that leaves the least error; of equals the first. `None` if none lowers the error.
    fn best_test(
        &self,
        options: &CountOptions,
        node: &Open,
        candidates: &[Candidate],
        left: &[f64],
        of: &[usize],
    ) -> Option<Choice> {
        let Weighted { pattern, weight, counts } = &node.leaf;
        // What this leaf says is to be said anew; what the others say stays.
        let here: Vec<usize> = of.iter().copied().filter(|&i| counts[i] > 0.0).collect();
        let target: Vec<f64> = left.iter().zip(counts).map(|(left, count)| left + weight * count).collect();
        let before: f64 = here.iter().map(|&i| left[i] * left[i]).sum();
        let numbers: Vec<usize> = (0..candidates.len()).collect();
        let sides = |at: usize| {
            let test = &candidates[at].test;
            let yes = self.tally.counts(&pattern.with(test));
            let no = self.tally.counts(&pattern.without(test));
            (yes, no)
        };
        let error = |&at: &usize| -> Option<(f64, usize)> {
            let (yes, no) = sides(at);
            let reached = |side: &[f64]| here.iter().filter(|&&i| side[i] > 0.0).count();
            let (some, others) = (reached(&yes), reached(&no));
            let least = options.min_leaf.max(1);
            if some < least || (others > 0 && others < least) {
                return None;
            }
            Some((error_of([&yes, &no], &target, &here, options.shrinkage), at))
        };
        let errors = parallel::map(&numbers, 16 * counts.len(), error);
        let best = errors.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        // What is gained must be more than rounding.
        (best.0 < before * (1.0 - 1e-9)).then(|| {
            let (yes, no) = sides(best.1);
            Choice { error: best.0, at: best.1, yes, no }
        })
    }
}

impl Open {
    fn split(self, candidate: &Candidate, choice: Choice) -> [Open; 2] {
        let Open { leaf, known, next, depth, .. } = self;
        debug_assert!(choice.error.is_finite(), "errors of finite counts are finite");
        let side = |pattern, counts, known| Open {
            leaf: Weighted { pattern, weight: 0.0, counts },
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

/// The squared error over these examples with the best two weights for the counts of both sides.
fn error_of([yes, no]: [&[f64]; 2], target: &[f64], here: &[usize], shrinkage: f64) -> f64 {
    let weights = least_squares(&[yes, no], target, here, shrinkage);
    here.iter().map(|&i| (target[i] - weights[0] * yes[i] - weights[1] * no[i]).powi(2)).sum()
}

/// Gives all patterns their best weights; what is left of the gradients then.
pub(super) fn refit<'w>(
    all: impl Iterator<Item = &'w mut Weighted>,
    gradients: &[f64],
    of: &[usize],
    shrinkage: f64,
) -> Vec<f64> {
    let all: Vec<&mut Weighted> = all.collect();
    let columns: Vec<&[f64]> = all.iter().map(|weighted| &weighted.counts[..]).collect();
    let weights = least_squares(&columns, gradients, of, shrinkage);
    let mut left = gradients.to_vec();
    for (weighted, weight) in all.into_iter().zip(weights) {
        weighted.weight = weight;
        left.iter_mut().zip(&weighted.counts).for_each(|(left, count)| *left -= weight * count);
    }
    left
}

/// The leaf whose examples are fitted worst; of equals the first.
fn next_to_expand(leaves: &[Open], left: &[f64], of: &[usize], options: &CountOptions) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (at, open) in leaves.iter().enumerate().filter(|(_, open)| open.open) {
        let here: Vec<usize> = of.iter().copied().filter(|&i| open.leaf.counts[i] > 0.0).collect();
        let deep = options.max_depth.is_some_and(|most| open.depth >= most);
        let error: f64 = here.iter().map(|&i| left[i] * left[i]).sum();
        if deep || here.len() < 2 * options.min_leaf.max(1) || error <= 0.0 {
            continue;
        }
        let value = match options.expand {
            Expand::Mean => error / here.len() as f64,
            Expand::Total => error,
        };
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, at));
        }
    }
    best.map(|(_, at)| at)
}

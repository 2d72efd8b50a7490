//! Rules that close nodes and reject candidate tests, beyond the sizes of trees and leaves.

use super::candidates::Candidates;
use crate::cover::Bits;
use crate::determinism::Stream;
use crate::logic::Literal;

/// Rules of growth that the paper does not state. The default has none of them, except that a split
/// must lower the squared error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRules {
    /// The minimum weight of the examples of a node that is split.
    pub min_split: usize,
    /// Whether a split must lower the squared error.
    pub require_gain: bool,
    /// Half the mean squared error of a node around its value up to which it is not split; the
    /// authors' program calls it variance. A quarter of that at the root takes its place if it is
    /// smaller. The root itself is exempt.
    pub min_variance: f64,
    /// The maximum share of the weight of a node that a test covers.
    pub max_share: f64,
    /// The number of random examples of a node of which a test must cover one; 0 for none.
    pub seeds: usize,
    /// The maximum number of true literals on a path; `None` for no limit.
    pub max_path_literals: Option<usize>,
    /// The maximum number of nodes of a tree for which a test is searched; `None` for no limit.
    pub max_searches: Option<usize>,
}

impl Default for StoppingRules {
    fn default() -> Self {
        StoppingRules {
            min_split: 1,
            require_gain: true,
            min_variance: 0.0,
            max_share: 1.0,
            seeds: 0,
            max_path_literals: None,
            max_searches: None,
        }
    }
}

impl StoppingRules {
    /// Returns whether the examples of a node deviate too little from its value to split it, given
    /// their mean squared error and that of the root.
    pub(super) fn is_uniform(&self, mean_error: f64, root: impl FnOnce() -> f64) -> bool {
        self.min_variance > 0.0 && mean_error / 2.0 <= self.min_variance.min(root() / 2.0 / 4.0)
    }

    /// Returns whether a test may follow this many literals.
    pub(super) fn may_extend(&self, literals: usize) -> bool {
        self.max_path_literals.is_none_or(|max| literals < max)
    }

    /// Returns whether a test may be searched after this many searches.
    pub(super) fn may_search(&self, searches: u64) -> bool {
        self.max_searches.is_none_or(|max| searches < max as u64)
    }
}

/// Decides which candidate tests of a node may be chosen.
pub(super) struct Admission<'n> {
    rules: &'n StoppingRules,
    path: &'n [Literal],
    in_use: &'n Bits,
    weights: Option<&'n [f64]>,
    /// The maximum weight that a test covers.
    max_covered: f64,
    seeds: Bits,
}

impl<'n> Admission<'n> {
    /// Prepares the decision for a node with this path and these examples; draws its seeds.
    pub fn new(
        rules: &'n StoppingRules,
        path: &'n [Literal],
        in_use: &'n Bits,
        weights: Option<&'n [f64]>,
        stream: impl FnOnce() -> Stream,
    ) -> Self {
        // Without a rule, nothing is computed: this is the inner loop of growth.
        let weight = || weights.map_or(in_use.count() as f64, |weights| in_use.sum(weights));
        // The product must not fall below a whole number by rounding.
        let max_covered = if rules.max_share < 1.0 { rules.max_share * weight() + 1e-9 } else { f64::INFINITY };
        let seeds = if rules.seeds > 0 { draw_seeds(in_use, rules.seeds, &mut stream()) } else { Bits::zeros(0) };
        Admission { rules, path, in_use, weights, max_covered, seeds }
    }

    /// Returns whether a candidate may be chosen.
    pub fn admits(&self, candidates: &Candidates, test: usize) -> bool {
        let covers_a_seed = || candidates.rows().get(test).intersects(&self.seeds);
        (self.rules.seeds == 0 || covers_a_seed())
            && (self.rules.max_share >= 1.0 || self.covered_weight(candidates, test) <= self.max_covered)
            && self.rules.max_path_literals.is_none_or(|max| self.path.len() + candidates.literals(test) <= max)
    }

    fn covered_weight(&self, candidates: &Candidates, test: usize) -> f64 {
        match self.weights {
            None => candidates.rows().get(test).count_and(self.in_use) as f64,
            Some(weights) => self.in_use.and(&candidates.rows().bits(test)).sum(weights),
        }
    }
}

/// Draws up to `max` examples, uniformly and without replacement.
pub(super) fn draw_seeds(examples: &Bits, max: usize, stream: &mut Stream) -> Bits {
    let mut seeds = Bits::zeros(examples.len());
    let mut all: Vec<usize> = examples.iter().collect();
    stream.shuffle(&mut all);
    all.iter().take(max).for_each(|&i| seeds.set(i, true));
    seeds
}

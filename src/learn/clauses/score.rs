//! Compression of clauses on the training examples.

use std::sync::Arc;

use super::options::ClauseOptions;
use crate::cover::{Bits, Coverage};
use crate::determinism::HashSet;
use crate::kb::Example;

/// Scores clauses against the training examples.
pub(super) struct ClauseScorer<'s, 'a> {
    pub coverage: &'s Coverage<'a>,
    pub positives: Bits,
    pub negatives: Bits,
    /// Positives that too few clauses cover yet.
    pub uncovered: Bits,
    /// The coverage of the clauses of the theory; another clause with the same adds nothing.
    pub chosen: HashSet<Arc<Bits>>,
    /// Factor on the weights of negatives.
    negative_weight: f64,
    pub options: ClauseOptions,
}

/// Coverage and score of a clause.
#[derive(Clone, Debug)]
pub(super) struct ClauseScore {
    pub covered: Arc<Bits>,
    /// Weight of the covered positives that too few clauses cover yet.
    pub gained: f64,
    /// That weight, minus that of covered negatives, minus literals.
    pub compression: f64,
    /// Whether the theory may include it.
    pub acceptable: bool,
}

impl<'s, 'a> ClauseScorer<'s, 'a> {
    pub fn new(coverage: &'s Coverage<'a>, options: &ClauseOptions) -> Self {
        let examples = coverage.examples();
        let of_class = |label: bool| Bits::from_fn(examples.len(), |i| examples[i].positive == label);
        let weight = |label: bool| -> f64 { examples.iter().filter(|e| e.positive == label).map(|e| e.weight).sum() };
        let negative_weight = match options.balance {
            true if weight(false) > 0.0 => (weight(true) / weight(false)).min(1.0),
            _ => 1.0,
        };
        let (positives, negatives) = (of_class(true), of_class(false));
        let share = (options.min_share * positives.count() as f64).ceil() as usize;
        let options = ClauseOptions { min_positives: options.min_positives.max(share), ..*options };
        ClauseScorer {
            coverage,
            uncovered: positives.clone(),
            chosen: HashSet::default(),
            positives,
            negatives,
            negative_weight,
            options,
        }
    }

    pub fn score(&self, length: usize, covered: Arc<Bits>) -> ClauseScore {
        let examples: &[Example] = self.coverage.examples();
        let weight = |of: &Bits| -> f64 { covered.and(of).iter().map(|i| examples[i].weight).sum() };
        let (positives, negatives) = (weight(&self.positives), self.negative_weight * weight(&self.negatives));
        let gained = weight(&self.uncovered);
        let compression = gained - negatives - length as f64;
        let enough = covered.count_and(&self.uncovered) >= self.options.min_positives;
        let acceptable = enough
            && compression > 0.0
            && negatives <= self.options.noise * (positives + negatives)
            && !self.chosen.contains(&covered);
        ClauseScore { covered, gained, compression, acceptable }
    }
}

//! Compression of clauses on the training examples.

use std::sync::Arc;

use super::options::ClauseOptions;
use crate::cover::{Bits, Coverage};
use crate::kb::Example;

/// Scores clauses against the training examples.
pub(super) struct ClauseScorer<'s, 'a> {
    pub coverage: &'s Coverage<'a>,
    pub positives: Bits,
    pub negatives: Bits,
    /// Positives that no clause covers yet.
    pub uncovered: Bits,
    /// Factor on the weights of negatives.
    negative_weight: f64,
    pub options: ClauseOptions,
}

/// Coverage and score of a clause.
#[derive(Clone, Debug)]
pub(super) struct ClauseScore {
    pub covered: Arc<Bits>,
    /// Weight of the newly covered positives.
    pub gained: f64,
    /// Newly covered positives minus negatives minus literals.
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
        ClauseScorer {
            coverage,
            uncovered: positives.clone(),
            positives,
            negatives,
            negative_weight,
            options: *options,
        }
    }

    pub fn score(&self, length: usize, covered: Arc<Bits>) -> ClauseScore {
        let examples: &[Example] = self.coverage.examples();
        let weight = |of: &Bits| -> f64 { covered.and(of).iter().map(|i| examples[i].weight).sum() };
        let (positives, negatives) = (weight(&self.positives), self.negative_weight * weight(&self.negatives));
        let gained = weight(&self.uncovered);
        let compression = gained - negatives - length as f64;
        let enough = covered.count_and(&self.uncovered) >= self.options.min_positives;
        let acceptable = enough && compression > 0.0 && negatives <= self.options.noise * (positives + negatives);
        ClauseScore { covered, gained, compression, acceptable }
    }
}

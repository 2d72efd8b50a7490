//! The input of training.

use super::weights::Weights;
use crate::cover::{Audit, Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// A training task: examples of a target and the facts that explain them.
///
/// Time limits, recursion and classes belong to the database; models store them, see
/// [`crate::kb::Signature`].
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Facts and modes.
    pub database: &'a Database,
    /// The predicate to learn.
    pub target: PredicateId,
    /// Its training examples.
    pub examples: &'a [Example],
    /// Seed of all random streams.
    pub seed: u64,
    /// Memory limit and audit.
    pub resources: Resources<'a>,
}

/// Resources of training. They do not change the result.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'a> {
    /// Approximate limit, in bytes, for caching which examples a test covers.
    pub memory_bytes: usize,
    /// Collects a sample of coverage answers, to be checked after training.
    pub audit: Option<&'a Audit>,
}

impl Default for Resources<'_> {
    fn default() -> Self {
        Resources { memory_bytes: DEFAULT_MEMORY_BYTES, audit: None }
    }
}

impl<'a> Task<'a> {
    /// Returns the class names of a multi-class target.
    pub fn classes(&self) -> Option<&'a [String]> {
        self.database.classes_of(self.target)
    }

    /// Creates the cache of which examples a test covers.
    pub(super) fn coverage(&self) -> Coverage<'a> {
        let Resources { memory_bytes, audit } = self.resources;
        Coverage::new(self.database, self.target, self.examples, memory_bytes).audited(audit)
    }

    /// Returns the number of negative examples per positive one. Of a multi-class target, all other
    /// classes count as negative and classes as equally frequent.
    pub(super) fn negatives_per_positive(&self) -> f64 {
        if let Some(classes) = self.classes() {
            return classes.len().saturating_sub(1) as f64;
        }
        let positives = self.examples.iter().filter(|example| example.positive).count();
        (self.examples.len() - positives) as f64 / positives.max(1) as f64
    }

    /// Returns the log-odds of the training examples by their weights.
    pub(super) fn log_odds(&self) -> f64 {
        Weights::new(self.examples, 1.0).log_odds(self.examples)
    }
}

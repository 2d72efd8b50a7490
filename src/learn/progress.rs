//! Progress reports and counters of training.

use crate::tree::GrowStatistics;

/// Progress of training, reported after each tree or epoch.
#[derive(Clone, Copy)]
pub struct Progress<'p> {
    /// Trees grown or epochs done.
    pub done: usize,
    /// Trees or epochs to do at most; early stopping may end training before.
    pub of: usize,
    log_likelihood: &'p dyn Fn() -> f64,
}

impl<'p> Progress<'p> {
    /// Creates a report. The likelihood is computed on demand: for small data it costs about as
    /// much as a tree.
    pub(super) fn new(done: usize, of: usize, log_likelihood: &'p dyn Fn() -> f64) -> Self {
        Progress { done, of, log_likelihood }
    }

    /// Returns the mean log-likelihood of the examples that trees are grown on.
    pub fn log_likelihood(&self) -> f64 {
        (self.log_likelihood)()
    }
}

/// Counters of training, summed over all trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Trees in the model.
    pub trees: u64,
    /// Leaves for which a split was searched.
    pub expansions: u64,
    /// Candidates scored by screening.
    pub screened: u64,
    /// Candidates refitted exactly.
    pub rescored: u64,
    /// Splits for which exact refitting chose another candidate than the best one of screening.
    pub differed: u64,
    /// Searches that exceeded the candidate budget.
    pub budget_hits: u64,
}

impl Statistics {
    /// Adds the counters of one more tree.
    pub(super) fn after(mut self, tree: &GrowStatistics) -> Self {
        self.trees += 1;
        self.expansions += tree.expansions;
        self.screened += tree.screened;
        self.rescored += tree.rescored;
        self.differed += tree.differed;
        self.budget_hits += tree.budget_hits;
        self
    }
}

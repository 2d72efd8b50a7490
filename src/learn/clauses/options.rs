//! Options of clause learning.

use crate::learn::params::shared::{ClauseLength, ClauseSearch};

/// Limits of clauses and of the search for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClauseOptions {
    /// Maximum number of literals in a body.
    pub max_length: usize,
    /// Maximum distance of a variable from the head in literals: the saturation rounds of a bottom
    /// clause.
    pub variable_depth: usize,
    /// Maximum number of facts that a mode contributes per binding of its inputs.
    pub recall: usize,
    /// Maximum fraction of the covered weight that may be negative.
    pub noise: f64,
    /// Whether negatives are down-weighted to the total weight of the positives.
    pub balance: bool,
    /// Number of clauses that cover a positive before it no longer counts.
    pub covers: u32,
    /// Maximum number of clauses.
    pub max_clauses: usize,
    /// Minimum number of newly covered positives.
    pub min_positives: usize,
    /// The same as a share of all positives, if that is more.
    pub min_share: f64,
    /// Maximum number of clauses evaluated per seed; variants up to variable names and literal
    /// order count once.
    pub search_limit: usize,
    /// Maximum number of seeds in a pass.
    pub max_seeds: usize,
}

impl Default for ClauseOptions {
    fn default() -> Self {
        ClauseOptions::new(&ClauseLength::default(), &ClauseSearch::default())
    }
}

impl ClauseOptions {
    /// Creates the options from the parameters of a kind.
    pub(crate) fn new(length: &ClauseLength, search: &ClauseSearch) -> Self {
        ClauseOptions {
            max_length: length.clause_length as usize,
            variable_depth: search.variable_depth as usize,
            recall: search.recall as usize,
            noise: search.clause_noise,
            balance: search.balance,
            covers: search.covers,
            max_clauses: search.max_clauses as usize,
            min_positives: search.min_positives as usize,
            min_share: search.min_share,
            search_limit: search.search_limit as usize,
            max_seeds: search.max_seeds as usize,
        }
    }
}

//! What the file of a kind provides for the registry: its learner and an estimate of its cost.

use super::learner::Learner;
use super::params::ParamSet;

/// The typed parameters of a kind, which lead to its learner.
pub trait KindParams: ParamSet + Clone + Default {
    /// The learner.
    type Learner: Learner<Model: Send> + Sync;

    /// Returns the learner with these parameters.
    fn learner(self) -> Self::Learner;

    /// Returns the estimated cost of training per example, in splits of a first tree. It orders and
    /// groups jobs; no result depends on it.
    fn cost(&self) -> f64;

    /// Returns the number of boosting rounds, if the model equals the first rounds of every longer
    /// ensemble with otherwise equal parameters; see [`Learner::fit_prefixes`].
    fn prefix_rounds(&self) -> Option<u32> {
        None
    }
}

/// Returns the estimated cost of one tree of this maximum depth.
pub(super) fn tree_cost(depth: Option<u32>) -> f64 {
    6.0 * f64::from(depth.unwrap_or(10).min(20))
}

/// Returns the estimated cost of an ensemble of trees. Most tests of later trees were already
/// evaluated for the first.
pub(super) fn ensemble_cost(max_leaves: Option<u32>, trees: u32) -> f64 {
    f64::from(max_leaves.unwrap_or(8)) * (1.0 + 0.1 * f64::from(trees.saturating_sub(1)))
}

//! Options of tree growth.

use super::stopping::StoppingRules;

/// The criterion for the leaf to expand next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expand {
    /// The largest mean squared error.
    #[default]
    Mean,
    /// The largest sum of squared errors.
    Total,
}

/// Stopping criteria, and the comparison of candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowOptions {
    /// The maximum number of leaves; `None` for no limit.
    pub max_leaves: Option<usize>,
    /// The maximum number of tests on a path; `None` for no limit.
    pub max_depth: Option<usize>,
    /// The minimum number of examples on either side of a test; with example weights, the minimum
    /// weight if it is above 1.
    pub min_leaf: usize,
    /// The maximum number of candidates refitted exactly, in the order of their screening scores;
    /// `None` for all that could be chosen. These are usually one to ten, but all candidates if all
    /// gradients are equal, without any effect on the choice.
    pub rescore: Option<usize>,
    /// The criterion for the leaf to expand next.
    pub expand: Expand,
    /// Whether the grower is for a single tree of a language without at-least-k tests. Then
    /// candidates of a leaf with at most half of the examples are evaluated on its examples only,
    /// and not cached.
    pub single: bool,
    /// The additional gain required of an at-least-k test, as a fraction of the squared error of a
    /// leaf.
    pub count_margin: f64,
    /// The same for look-ahead that does not connect head variables, per literal beyond the first.
    pub look_ahead_margin: f64,
    /// Further rules that close nodes and reject candidates.
    pub stopping: StoppingRules,
}

impl Default for GrowOptions {
    fn default() -> Self {
        GrowOptions {
            max_leaves: Some(4),
            max_depth: None,
            min_leaf: 1,
            rescore: Some(64),
            expand: Expand::Mean,
            single: false,
            count_margin: 0.05,
            look_ahead_margin: 0.0,
            stopping: StoppingRules::default(),
        }
    }
}

//! Recursive targets, whose facts are evidence for their own examples.

use serde::{Deserialize, Serialize};

use crate::logic::PredicateId;

/// Makes facts of a target evidence for examples of the same target.
///
/// The fact of an example itself is excluded; for a symmetric target, so is the fact with the two
/// arguments swapped. With time limits, only facts strictly before the example are visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// The target.
    pub target: PredicateId,
    /// Whether p(a,b) and p(b,a) are equivalent.
    pub symmetric: bool,
}

/// Recursion as stored in a model: facts of its target are evidence for its examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredRecursion {
    /// Whether p(a,b) and p(b,a) are equivalent, so that neither is evidence for the other.
    pub symmetric: bool,
}

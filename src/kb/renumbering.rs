//! New ids of constants and predicates.

use crate::logic::{Constant, PredicateId, Ranks};

/// The new ids after [`DatabaseBuilder::canonicalize`](super::DatabaseBuilder::canonicalize).
#[derive(Clone, Debug)]
pub struct Renumbering {
    pub(super) constants: Ranks,
    /// The new id of each predicate.
    pub(super) predicates: Vec<PredicateId>,
}

impl Renumbering {
    /// Returns the new form of a constant.
    pub fn constant(&self, constant: Constant) -> Constant {
        self.constants.constant(constant)
    }

    /// Returns the new id of a predicate; comparisons keep theirs.
    pub fn predicate(&self, id: PredicateId) -> PredicateId {
        self.predicates.get(id.0 as usize).copied().unwrap_or(id)
    }
}

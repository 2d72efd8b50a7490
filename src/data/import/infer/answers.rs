//! Decisions that inference takes as given.

use crate::determinism::IndexMap;

/// What the user decided beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The target, as `TABLE` or `TABLE.COLUMN`.
    pub target: Option<String>,
    /// The key column of a table; `None` if its rows have no key.
    pub keys: IndexMap<String, Option<String>>,
}

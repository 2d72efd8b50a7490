//! Rules for the projection of predicates to binary ones.

use serde::{Deserialize, Serialize};

/// The projection of a predicate to binary ones.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArityRule {
    /// The predicate with more than two arguments.
    pub predicate: String,
    /// The type of each of its arguments.
    pub arguments: Vec<String>,
    /// The evidence variant to which the rule applies; all if absent.
    #[serde(default)]
    pub evidence: Option<String>,
    /// The binary predicates that replace it.
    pub becomes: Vec<Projection>,
}

/// A binary predicate that keeps two arguments of another predicate.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// The binary predicate.
    pub predicate: String,
    /// The arguments it keeps, from 1.
    pub keep: Vec<usize>,
    /// Its modes, one BoostSRL line each.
    pub modes: Vec<String>,
}

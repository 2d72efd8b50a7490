//! The choices that a dataset offers.

use serde::{Deserialize, Serialize};

use crate::data::manifest::{FoldScheme, NegativeScheme};

/// Which of the choices that a dataset offers to take; what is `None` is as the manifest has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// The evidence variant, by name.
    pub evidence: Option<String>,
    /// Whether predicates of more than two arguments stay as they are.
    pub arity: Arity,
    /// Whether examples of the form (a,a) stay.
    pub reflexive: Reflexive,
    /// Whether positives that are also among the test positives go from the training examples.
    pub drop_shared: bool,
    /// Where negatives come from.
    pub negatives: Option<NegativeScheme>,
    /// How examples are split.
    pub folds: Option<FoldScheme>,
    /// Whether examples are under the time limits of the dataset. Results from before there was a choice are under them, so that is
    /// left out of records.
    #[serde(skip_serializing_if = "TimeUse::is_limit")]
    pub time: TimeUse,
    /// Whether the last argument of a target that holds or does not becomes the class of its examples.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub classes: bool,
    /// How many examples such a class has at least; those of rarer ones are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub class_size: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What becomes of the times of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUse {
    /// An example sees only what lies before it.
    #[default]
    Limit,
    /// Examples see all facts, those of their future as well. Folds and negatives are the same as with limits.
    Ignore,
}

impl TimeUse {
    fn is_limit(&self) -> bool {
        *self == TimeUse::Limit
    }
}

/// What becomes of predicates of more than two arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arity {
    /// They stay.
    #[default]
    Original,
    /// Binary predicates take their place.
    Binary,
}

/// What becomes of examples of the form (a,a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reflexive {
    /// They stay.
    #[default]
    Keep,
    /// They go, positive and negative.
    Drop,
}

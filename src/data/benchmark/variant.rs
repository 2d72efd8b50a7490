//! The variant of a dataset: the choices it supports.

use serde::{Deserialize, Serialize};

use crate::data::manifest::{FoldScheme, NegativeScheme};

/// The variant of a dataset; a field that is `None` has the manifest's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// The evidence variant, by name.
    pub evidence: Option<String>,
    /// The treatment of predicates with more than two arguments.
    pub arity: Arity,
    /// The treatment of examples of the form (a,a).
    pub reflexive: Reflexive,
    /// Whether training positives that are also test positives are dropped.
    pub drop_shared: bool,
    /// The source of negatives.
    pub negatives: Option<NegativeScheme>,
    /// The fold scheme.
    pub folds: Option<FoldScheme>,
    /// Whether the time limits of the dataset apply. Omitted from records at its default, since
    /// records written before this choice existed have the limits.
    #[serde(skip_serializing_if = "TimeUse::is_limit")]
    pub time: TimeUse,
    /// Whether the last argument of a binary target becomes the class of its examples.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub classes: bool,
    /// The minimum number of examples of such a class; examples of smaller classes are dropped.
    #[serde(skip_serializing_if = "is_zero")]
    pub class_size: u32,
    /// The names of mode options, separated by `+`, whose modes are added to those of the
    /// manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<String>,
    /// Whether a recursive model sees p(b,a) as evidence for p(a,b) of a symmetric target.
    #[serde(skip_serializing_if = "Mirror::is_hidden")]
    pub mirror: Mirror,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The use of the times of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUse {
    /// An example sees only facts before its own time.
    #[default]
    Limit,
    /// Examples see all facts, including later ones. Folds and negatives are the same as with
    /// limits.
    Ignore,
}

impl TimeUse {
    fn is_limit(&self) -> bool {
        *self == TimeUse::Limit
    }
}

/// The visibility of the mirror image p(b,a) of an example p(a,b) of a symmetric target to models
/// with recursive evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mirror {
    /// Neither is evidence for the other: they are the same statement.
    #[default]
    Hide,
    /// A known mirror image is evidence, which reveals the label where both are listed.
    Show,
}

impl Mirror {
    fn is_hidden(&self) -> bool {
        *self == Mirror::Hide
    }
}

/// The treatment of predicates with more than two arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arity {
    /// Keep them.
    #[default]
    Original,
    /// Replace them by binary projections.
    Binary,
}

impl Arity {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Arity::Original => "original",
            Arity::Binary => "binary",
        }
    }
}

/// The treatment of examples of the form (a,a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reflexive {
    /// Keep them.
    #[default]
    Keep,
    /// Drop them, both positive and negative.
    Drop,
}

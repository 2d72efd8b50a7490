//! Claims and the relations they state.

use crate::data::dataset::Arity;
use crate::metric::Column;

/// A statement of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The question that it answers.
    pub question: &'static str,
    /// What of the paper it speaks of.
    pub source: &'static str,
    /// Its words.
    pub statement: &'static str,
    /// When it is taken to hold.
    pub read_as: &'static str,
    /// The kind of model it speaks of.
    pub first: &'static str,
    /// The kinds that this is compared with.
    pub others: &'static [&'static str],
    /// Metrics, each group with its datasets.
    pub cells: &'static [(&'static [Column], &'static [&'static str])],
    /// What is claimed of each of them.
    pub relation: ClaimedRelation,
    /// The arity that predicates must have, if the claim is about one.
    pub arity: Option<Arity>,
    /// The table of the paper with its own numbers.
    pub published: Option<&'static str>,
}

/// What is claimed of the first model against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedRelation {
    /// A higher mean.
    Better,
    /// A higher mean, by more than chance.
    ClearlyBetter,
    /// No lower mean by more than chance.
    NotWorse,
    /// The same, and a higher mean by more than chance somewhere.
    NotWorseAndSomewhereBetter,
    /// No difference by more than chance.
    Alike,
    /// No lower mean by more than the larger of the standard deviations.
    LossWithinDeviation,
}

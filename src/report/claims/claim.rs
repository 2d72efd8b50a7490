//! Claims and the relations they state.

use crate::data::benchmark::Arity;
use crate::metric::Column;

/// A claim of the paper, restated in our words.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Question it answers.
    pub question: &'static str,
    /// Place in the paper.
    pub source: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// Criterion by which we decide it.
    pub read_as: &'static str,
    /// Kind of model it is about.
    pub first: &'static str,
    /// Kinds of models it is compared with.
    pub others: &'static [&'static str],
    /// Metrics with the datasets they are compared on.
    pub cells: &'static [(&'static [Column], &'static [&'static str])],
    /// Relation claimed for each comparison.
    pub relation: ClaimedRelation,
    /// Required arity of predicates, if the claim depends on it.
    pub arity: Option<Arity>,
    /// Table of the paper with the published numbers.
    pub published: Option<&'static str>,
}

/// Relation between the model of a claim and another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimedRelation {
    /// A higher mean.
    Better,
    /// A significantly higher mean.
    ClearlyBetter,
    /// No significantly lower mean.
    NotWorse,
    /// No significantly lower mean, and a significantly higher one somewhere.
    NotWorseAndSomewhereBetter,
    /// No significant difference.
    Alike,
    /// No mean lower by more than the larger of the standard deviations.
    LossWithinDeviation,
}

//! Labeled examples with their evidence, borrowed from wherever they are kept.

use super::load::Dataset;
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// The examples of a target with the facts that explain them, borrowed from a [`Dataset`] or from
/// one side of a fold.
#[derive(Clone, Copy, Debug)]
pub struct ExampleSet<'a> {
    /// Facts, modes and types.
    pub database: &'a Database,
    /// The target predicate.
    pub target: PredicateId,
    /// The examples.
    pub examples: &'a [Example],
}

impl ExampleSet<'_> {
    /// Returns the label of each example.
    pub fn labels(&self) -> Vec<bool> {
        self.examples.iter().map(|example| example.positive).collect()
    }
}

impl<'a> From<&'a Dataset> for ExampleSet<'a> {
    fn from(data: &'a Dataset) -> Self {
        ExampleSet { database: &data.database, target: data.target, examples: &data.examples }
    }
}

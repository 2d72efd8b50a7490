//! The trait of all models: scoring examples.

use std::fmt;

use super::error::ScoreError;
use crate::data::example_set::ExampleSet;
use crate::kb::{Database, Example, Signature};
use crate::logic::{Diagnostics, PredicateId};
use crate::math::sigmoid;

/// Scores, with warnings about how they were computed.
///
/// A warning says, for example, that a count was cut off at its budget, so that a score is inexact.
#[derive(Clone, Debug)]
pub struct Scored<T = Vec<f64>> {
    /// One number for each example; for several classes one such row for each class.
    pub scores: T,
    /// Warnings for the user.
    pub warnings: Diagnostics,
}

impl Scored {
    /// Returns the probability of the target for each example.
    pub fn probabilities(&self) -> Vec<f64> {
        self.scores.iter().copied().map(sigmoid).collect()
    }
}

impl<T> Scored<T> {
    /// Returns the scores after a function was applied, with the same warnings.
    pub(super) fn map<U>(self, function: impl FnOnce(T) -> U) -> Scored<U> {
        Scored { scores: function(self.scores), warnings: self.warnings }
    }
}

impl<T> From<T> for Scored<T> {
    /// Wraps scores without warnings.
    fn from(scores: T) -> Self {
        Scored { scores, warnings: Diagnostics::default() }
    }
}

/// A model that scores examples of its target. Its `Display` form is the model in readable
/// notation.
pub trait Model: fmt::Display {
    /// Returns the task that the model was trained for.
    fn signature(&self) -> &Signature;

    /// Returns ψ of each example: the log-odds of the target, or of the second of two classes.
    ///
    /// # Errors
    /// If the target has another arity than the model's, or the model has more than two classes.
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError>;

    /// Returns ψ of each example of a dataset or of one side of a fold; see [`Model::score`].
    ///
    /// # Errors
    /// As [`Model::score`].
    fn predict<'d>(&self, data: impl Into<ExampleSet<'d>>) -> Result<Scored, ScoreError>
    where
        Self: Sized,
    {
        let ExampleSet { database, target, examples } = data.into();
        self.score(database, target, examples)
    }

    /// Returns the log-odds of each class against all others: a row for each class, with a number
    /// for each example.
    ///
    /// The sigmoid of a number is the probability of the class. A boolean target has two rows:
    /// false and true.
    ///
    /// # Errors
    /// If the target has another arity than the model's.
    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<f64>>>, ScoreError> {
        Ok(self.score(database, target, examples)?.map(of_two_classes))
    }

    /// Returns the class names of a multi-class model.
    fn classes(&self) -> Option<&[String]> {
        self.signature().classes.as_deref()
    }

    /// Returns the name of the target predicate.
    fn target_name(&self) -> &str {
        &self.signature().target
    }

    /// Returns the number of arguments of the target, without the class.
    fn target_arity(&self) -> usize {
        self.signature().arity
    }

    /// Returns the model in readable notation.
    fn describe(&self) -> String {
        self.to_string()
    }
}

/// Returns the log-odds of false and of true.
pub(super) fn of_two_classes(psi: Vec<f64>) -> Vec<Vec<f64>> {
    vec![psi.iter().map(|psi| -psi).collect(), psi]
}

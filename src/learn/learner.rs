//! The trait of all learners, and the result of training.

use super::error::LearnError;
use super::progress::{Progress, Statistics};
use super::scoring::Model;
use super::task::Task;
use crate::logic::Diagnostic;

/// A learning algorithm with its parameters.
pub trait Learner {
    /// The type of model it learns.
    type Model: Model;

    /// Learns a model. The result depends on the arguments only, not on the number of threads.
    ///
    /// # Errors
    /// If the examples do not have at least two classes, are too few for the parameters, or have
    /// features that the kind does not support.
    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<Self::Model>, LearnError>;
}

/// A learned model with the warnings and counters of its training.
#[derive(Clone, Debug)]
pub struct Trained<M> {
    /// The model.
    pub model: M,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
    /// Counters of training.
    pub statistics: Statistics,
}

//! The trait of all learners, and the result of training.

use super::auto::{Choice, Selection};
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

    /// Learns the ensembles with these numbers of boosting rounds by one training of the longest,
    /// instead of the number of the parameters; `None` if shorter ensembles of the kind are not
    /// prefixes of longer ones.
    fn fit_prefixes(
        &self,
        _task: &Task<'_>,
        _lengths: &[u32],
        _progress: &mut dyn FnMut(Progress),
    ) -> Option<Result<Vec<Trained<Self::Model>>, LearnError>> {
        None
    }

    /// Compares learners on held-out training examples and learns with the best, sharing work
    /// between the trainings; `None` if the kind has nothing to share.
    fn fit_best(
        _candidates: &[Self],
        _task: &Task<'_>,
        _progress: &mut dyn FnMut(Progress),
    ) -> Option<BestOf<Self::Model>>
    where
        Self: Sized,
    {
        None
    }
}

/// The outcome of comparing learners, and the model of the best.
pub type BestOf<M> = Result<(Selection, Trained<M>), LearnError>;

/// A learned model with the warnings and counters of its training.
#[derive(Clone, Debug)]
pub struct Trained<M> {
    /// The model.
    pub model: M,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
    /// Counters of training.
    pub statistics: Statistics,
    /// The choice of the preset, if it was left to the program ([`super::Preset::Auto`]).
    pub choice: Option<Choice>,
}

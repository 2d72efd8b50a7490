//! Training for library users: from typed parameters and examples to a model.

use super::error::LearnError;
use super::kind_params::KindParams;
use super::learner::{Learner, Trained};
use super::params::Builder;
use super::progress::Progress;
use super::task::{Resources, Task};
use crate::cancel::{self, Stopped, Token};
use crate::cover::DEFAULT_MEMORY_BYTES;
use crate::data::example_set::ExampleSet;

/// Observation and control of one training. None of it changes the model.
pub struct FitControl<'a> {
    /// Called after every boosting round or epoch.
    pub progress: Option<&'a mut (dyn FnMut(Progress) + Send)>,
    /// Cancels the training from another thread or from `progress`.
    pub cancel: Option<Token>,
    /// Approximate limit, in bytes, for caching which examples a test covers.
    pub memory_bytes: usize,
}

impl Default for FitControl<'_> {
    fn default() -> Self {
        FitControl { progress: None, cancel: None, memory_bytes: DEFAULT_MEMORY_BYTES }
    }
}

/// The model that parameters of type `P` lead to.
type ModelOf<P> = <<P as KindParams>::Learner as Learner>::Model;

impl<P: KindParams> Builder<P> {
    /// Checks the parameters and learns a model.
    ///
    /// # Errors
    /// If a parameter is outside its range, or nothing can be learned from the examples.
    pub fn fit<'d>(self, data: impl Into<ExampleSet<'d>>) -> Result<Trained<ModelOf<P>>, LearnError> {
        self.fit_with(data, FitControl::default())
    }

    /// Checks the parameters and learns a model, reporting progress and polling for cancellation.
    ///
    /// # Errors
    /// As [`Builder::fit`], and [`LearnError::Cancelled`] if the token is cancelled.
    pub fn fit_with<'d>(
        self,
        data: impl Into<ExampleSet<'d>>,
        control: FitControl<'_>,
    ) -> Result<Trained<ModelOf<P>>, LearnError> {
        let params = self.build()?;
        let seed = params.get("seed").and_then(|seed| seed.as_u64()).unwrap_or_default();
        let ExampleSet { database, target, examples } = data.into();
        let resources = Resources { memory_bytes: control.memory_bytes, audit: None };
        let task = Task { database, target, examples, seed, resources };
        let learner = params.learner();
        let mut report = control.progress;
        let mut work = || {
            learner.fit(&task, &mut |progress| {
                if let Some(report) = report.as_mut() {
                    report(progress);
                }
                cancel::poll();
            })
        };
        match control.cancel {
            None => work(),
            Some(token) => cancel::run(&token, work).map_err(|stopped| match stopped {
                Stopped::Cancelled => LearnError::Cancelled,
                Stopped::Threads(error) => LearnError::Threads(error.to_string()),
            })?,
        }
    }
}

//! Training for library users: from typed parameters and examples to a model.

use super::any::SavedModel;
use super::error::LearnError;
use super::kind_params::KindParams;
use super::learner::{Learner, Trained};
use super::params::Builder;
use super::progress::Progress;
use super::registry::{Params, fit, seed_of};
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
        let seed = seed_of(&params);
        let learner = params.learner();
        run(data.into(), seed, control, |task, progress| learner.fit(task, progress))
    }
}

impl Params {
    /// Learns a model of the kind of these parameters.
    ///
    /// # Errors
    /// If nothing can be learned from the examples.
    pub fn fit<'d>(&self, data: impl Into<ExampleSet<'d>>) -> Result<Trained<SavedModel>, LearnError> {
        self.fit_with(data, FitControl::default())
    }

    /// Learns a model, reporting progress and polling for cancellation.
    ///
    /// # Errors
    /// As [`Params::fit`], and [`LearnError::Cancelled`] if the token is cancelled.
    pub fn fit_with<'d>(
        &self,
        data: impl Into<ExampleSet<'d>>,
        control: FitControl<'_>,
    ) -> Result<Trained<SavedModel>, LearnError> {
        run(data.into(), self.seed(), control, |task, progress| fit(self.kind(), task, self, progress))
    }
}

/// Trains by `fit` with the progress, cancellation and memory limit of `control`.
fn run<M: Send>(
    data: ExampleSet<'_>,
    seed: u64,
    control: FitControl<'_>,
    fit: impl Fn(&Task<'_>, &mut dyn FnMut(Progress)) -> Result<Trained<M>, LearnError> + Sync,
) -> Result<Trained<M>, LearnError> {
    let ExampleSet { database, target, examples } = data;
    let resources = Resources { memory_bytes: control.memory_bytes, audit: None };
    let task = Task { database, target, examples, seed, resources };
    let mut report = control.progress;
    let mut work = || {
        fit(&task, &mut |progress| {
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

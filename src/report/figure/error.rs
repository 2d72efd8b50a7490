//! Errors of figures.

use crate::experiment::ResultsError;
use crate::experiment::frame::StoredJob;
use crate::metric::MetricError;
use crate::metric::significance::SampleError;

/// Why a figure cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The predictions of a job cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The predictions of a job are invalid.
    #[error("the predictions of {job} cannot be drawn: {error}; run it again with `--only` and `--fresh`")]
    Predictions {
        /// The directory of the job.
        job: String,
        /// What is wrong with them.
        error: MetricError,
    },
    /// Values cannot be ranked.
    #[error(transparent)]
    Ranks(#[from] SampleError),
    /// plotters failed.
    #[error("a figure cannot be drawn: {0}")]
    Drawing(String),
}

impl FigureError {
    /// Returns a conversion that names the job with invalid predictions.
    pub(super) fn predictions(stored: &StoredJob) -> impl FnOnce(MetricError) -> FigureError {
        let job = stored.directory.display().to_string();
        move |error| FigureError::Predictions { job, error }
    }

    pub(super) fn drawing(error: impl std::fmt::Display) -> Self {
        FigureError::Drawing(error.to_string())
    }
}

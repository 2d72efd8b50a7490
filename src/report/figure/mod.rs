//! Figures of a run, each as SVG and PNG.
//!
//! A figure is laid out as a [`scene`] of shapes, with the parts that all share ([`style`], [`axis`], [`panel`],
//! [`legend`], [`font`]), and painted by plotters, once for each kind of file. There is one maker for each kind of figure,
//! which gives nothing if the run has no data for it; [`figures`] calls all of them.

mod average;
mod bars;
mod calibration;
mod cases;
mod critical;
mod curves;
mod fidelity;
mod png;
mod rows;
mod sweep;
mod time;

pub mod axis;
pub mod font;
pub mod legend;
pub mod paint;
pub mod panel;
pub mod scene;
pub mod style;

pub use bars::bars;
pub use calibration::calibration;
pub use cases::cases;
pub use critical::{CriticalDifference, critical_difference, mean_ranks};
pub(in crate::report) use critical::{Ranked, friedman_words, ranked};
pub use curves::curves;
pub use fidelity::fidelity;
pub use sweep::sweep;
pub use time::time;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::experiment::results::Stored;
use crate::experiment::{Results, ResultsError};
use crate::metric::significance::SampleError;
use crate::metric::{Column, MetricError};
use scene::Scene;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of its files, without what tells their kind; safe on every system.
    pub name: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What is shown and how to read it, in a few sentences.
    pub caption: String,
    /// As an SVG document, which may stand in a page as it is.
    pub svg: String,
    /// As a PNG.
    pub png: Vec<u8>,
}

/// Why a figure cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The predictions of a job cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The predictions of a job are none.
    #[error("the predictions of {job} cannot be drawn: {error}; run it again with `--only` and `--force`")]
    Predictions {
        /// The directory of the job.
        job: String,
        /// What is wrong with them.
        error: MetricError,
    },
    /// Values cannot be ranked.
    #[error(transparent)]
    Ranks(#[from] SampleError),
    /// The drawing itself failed.
    #[error("a figure cannot be drawn: {0}")]
    Drawing(String),
}

impl FigureError {
    /// Names the job whose predictions are wrong.
    fn predictions(stored: &Stored) -> impl FnOnce(MetricError) -> FigureError {
        let job = stored.directory.display().to_string();
        move |error| FigureError::Predictions { job, error }
    }

    fn drawing(error: impl std::fmt::Display) -> Self {
        FigureError::Drawing(error.to_string())
    }
}

/// A number that somebody published, to be shown beside ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The name of the dataset in the experiment.
    pub dataset: String,
    /// The name of the model in the experiment.
    pub model: String,
    /// What was measured.
    pub column: Column,
    /// The number.
    pub mean: f64,
}

/// A figure that is laid out but not painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// As in [`Figure`].
    pub name: String,
    /// As in [`Figure`].
    pub title: String,
    /// As in [`Figure`].
    pub caption: String,
    /// What is on it.
    pub scene: Scene,
}

impl Sheet {
    /// Paints it.
    ///
    /// # Errors
    /// If plotters cannot draw it, which would be a bug.
    pub fn paint(self) -> Result<Figure, FigureError> {
        let Sheet { name, title, caption, scene } = self;
        let (svg, png) = (paint::svg(&scene, &title)?, paint::png(&scene)?);
        Ok(Figure { name, title, caption, svg, png })
    }
}

/// Lays out every figure that the run has data for, the most general first.
///
/// # Errors
/// If predictions of a job cannot be read.
pub fn sheets(results: &Results, published: &[Published]) -> Result<Vec<Sheet>, FigureError> {
    let mut sheets = Vec::new();
    for column in [Column::AucRoc, Column::AucPr] {
        sheets.extend(bars(results, column, published));
        sheets.extend(sweep(results, column));
        sheets.extend(cases(results, column));
    }
    for column in [Column::AucRoc, Column::AucPr] {
        sheets.extend(mean_ranks(results, column)?);
    }
    sheets.extend(curves(results)?);
    sheets.extend(calibration(results)?);
    sheets.extend(fidelity(results)?);
    sheets.extend(time(results, Column::AucRoc));
    Ok(sheets)
}

/// Makes every figure that the run has data for, the most general first. Published numbers are marked where a figure has
/// a place for them.
///
/// # Errors
/// If predictions of a job cannot be read.
pub fn figures(results: &Results, published: &[Published]) -> Result<Vec<Figure>, FigureError> {
    sheets(results, published)?.into_par_iter().map(Sheet::paint).collect()
}

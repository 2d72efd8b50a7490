//! Evaluation metrics: every number of a results table that is computed from one test set, and
//! summaries and significance tests over several of them.
//!
//! [`Column`] lists the metrics with their definitions and sources, and [`Metrics`] computes all
//! of them at once. The parts can be called alone: [`ranking`] takes any scores, [`calibration`]
//! takes probabilities, [`threshold`] takes a decision threshold. [`summary`] averages over
//! folds, and `significance`, a part of the program, tests differences between models.
//!
//! Invalid input, such as a NaN, is a [`MetricError`]. A value that does not exist for valid
//! input, such as the area under a ROC curve without negatives, is [`Undefined`] with its reason;
//! no number is substituted. The two columns that imitate auc.jar are the exception: they keep
//! the conventions of the published figures.

mod columns;
mod error;

pub mod calibration;
pub mod classes;
pub mod ranking;
#[cfg(feature = "harness")]
pub mod significance;
pub mod summary;
pub mod threshold;

pub use calibration::Probabilities;
pub use classes::ClassMetrics;
pub use columns::{Column, Metrics, Output};
pub use error::{MetricError, Undefined};
pub use ranking::Ranking;
pub use summary::Average;
pub use threshold::Threshold;

//! How good predictions are: every number of a results table that is computed from one test set, and what several of them say
//! together.
//!
//! The columns are listed in [`Column`], each with its definition and source, and [`Metrics`] computes all of them at
//! once. The parts can be called alone: [`ranking`] needs any scores, [`calibration`] needs probabilities, [`threshold`]
//! needs a cut. [`summary`] makes one number of those of several folds, and [`significance`] says which differences between
//! models are more than chance.
//!
//! Two rules hold throughout. Input that cannot be meant, such as a NaN, is a [`MetricError`]. A value that does not
//! exist for the input, such as the area under a ROC curve without negatives, is [`Undefined`] with its reason; no
//! number is made up for it. The two columns that imitate auc.jar keep the numbers that program's users publish.

mod columns;
mod error;

pub mod calibration;
pub mod classes;
pub mod ranking;
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

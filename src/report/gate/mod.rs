//! The gate: is a run as good as it was?
//!
//! A [`Baseline`] is a CSV that is kept with the code, one row for each dataset, model and metric. A mean may fall short of it
//! by the row's tolerance, or by k standard errors of the baseline if that is more, since folds differ that much
//! anyway. What falls further is a regression; what rises as far is said, since an unexpected rise wants an explanation, too. What
//! the spec itself expects is checked in both directions.

mod baseline;
mod bless;
mod check;
mod junit;
mod print;

pub use baseline::{Baseline, BaselineError, COLUMNS, Row};
pub use bless::{Blessed, NotBlessed, bless};
pub use check::{Check, Checked, Finding, Judgement, Reference, check};
pub use junit::junit;
pub use print::{changes, markdown, summary};

use crate::experiment::Results;
use crate::metric::Column;

/// The metrics of a new baseline unless others are asked for.
pub const METRICS: [Column; 3] = [Column::AucRoc, Column::AucPr, Column::Cll];

/// How many standard errors of the baseline a mean may lie away.
pub const K: f64 = 2.0;

/// The tolerance of new rows of a baseline unless another is asked for.
pub const TOLERANCE: f64 = 0.01;

/// Whether a run has nothing of a dataset because its data were not there, which the run itself has to say: results that
/// are missing for another reason are to be missed.
fn was_not_available(results: &Results, dataset: &str) -> bool {
    results.skipped.iter().any(|name| name == dataset)
}

//! The gate: is a run as good as it was?
//!
//! A [`Baseline`] is a CSV that is kept with the code, one row for each dataset, model and metric. A mean may fall short of it
//! by the row's tolerance, or by k standard errors of the baseline if that is more, since folds differ that much
//! anyway. What falls further is a regression; what rises as far is said, since an unexpected rise wants an explanation, too. What
//! the spec itself expects is checked in both directions.

mod baseline;
mod bless;
mod check;
mod defaults;
mod junit;
mod print;

pub use baseline::{Baseline, BaselineError, BaselineRow, COLUMNS};
pub use bless::{Blessed, NotBlessed, bless};
pub use check::{CheckedRow, Finding, GateReport, GateVerdict, Reference, check};
pub use defaults::{K, METRICS, TOLERANCE};
pub use junit::junit;
pub use print::{changes, markdown, summary};

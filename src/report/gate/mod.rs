//! The regression gate: compares a run with a baseline.
//!
//! A [`Baseline`] is a committed CSV with one row per dataset, model and metric. A mean may fall
//! short of it by the row's tolerance, or by k standard errors of the baseline if that is more,
//! since folds vary that much anyway. A larger loss is a regression; a gain of that size is
//! reported, since it needs an explanation as well. The `[expected]` values of the spec are
//! checked in both directions.

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

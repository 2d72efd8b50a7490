//! The regression gate: compares a run with a baseline.
//!
//! A [`Baseline`] is a committed CSV with one line per dataset, model, metric, fold and seed, and
//! the checksum of the predictions. Data and folds of a run are the same, so that cells are paired:
//! [`paired`] has the rule. A baseline of means, as earlier versions wrote it, is compared by
//! means: a loss may be as large as the tolerance, or k standard errors over folds if that is
//! more. The `[expected]` values of the spec are checked in both directions.

mod baseline;
mod bless;
mod check;
mod defaults;
mod finding;
mod json;
mod junit;
mod origin;
pub mod paired;
mod print;
#[cfg(test)]
mod tests;

pub use baseline::{Baseline, BaselineCell, BaselineError, BaselineRow, BaselineValues, COLUMNS, MEAN_COLUMNS};
pub use bless::{Blessed, NotBlessed, bless};
pub use check::{CheckedRow, GateOptions, GateReport, PooledRow, Reference, check};
pub use defaults::{K, METRICS, TOLERANCE};
pub use finding::{Finding, GateVerdict};
pub use json::json;
pub use junit::junit;
pub use origin::{Origin, SplitFingerprint, platform};
pub use print::{changes, markdown, summary};

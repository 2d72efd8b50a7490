//! Comparison of two runs, or of two models of a run, fold by fold.
//!
//! Rows with the same key (dataset, model, preset, case) are paired job by job, fold with fold
//! and seed with seed, so that both were trained and tested on the same examples. Seeds that draw
//! other folds repeat the cross-validation; others are averaged. Differences are decided by the
//! rule of [`crate::metric::significance::decision`], with the rows as one family, and over
//! datasets by Wilcoxon's test. Rows with different data or preparation are not compared, and the
//! reason is reported.

mod comparison;
mod json;
mod pairing;
mod print;

pub(crate) use comparison::compare_rows;
pub use comparison::{LEVEL, MetricComparison, OverDatasets, RowComparison, RunComparison, SHOWN, SkippedRow};
pub use json::json;
pub use pairing::{ModelsError, Pairing, RowPair, Side, pair};
pub use print::{csv, text};
pub(crate) use print::{interval, p_value, sentence, signed, with_sign};

//! Two runs, or two models of a run, held against each other fold by fold.
//!
//! The same row of both (dataset, model, preset, case) is paired job by job: fold with fold and seed with seed, so that both
//! were trained and tested on the same examples. Seeds of a fold are averaged, and the differences of folds are judged by
//! the corrected t-test, with Holm's correction for the number of rows, and over datasets by Wilcoxon's test. What was not made
//! from the same data in the same way is not paired, and it is said why.

mod comparison;
mod pairing;
mod print;

pub(crate) use comparison::compare_rows;
pub use comparison::{LEVEL, MetricComparison, OverDatasets, RowComparison, RunComparison, SHOWN, SkippedRow};
pub use pairing::{ModelsError, Pairing, RowPair, Side, pair};
pub use print::{csv, markdown};
pub(crate) use print::{p_value, sentence, signed, with_sign};

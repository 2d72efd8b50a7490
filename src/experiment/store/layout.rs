//! File names of a run directory.

/// Spec of the experiment as it was run.
pub const SPEC: &str = "spec.toml";
/// Job record.
pub const RECORD: &str = "run.json";
/// Model of a job.
pub const MODEL: &str = "model.json";
/// Predictions of a job on its test examples.
pub const PREDICTIONS: &str = "predictions.parquet";
/// Numbers of positive and negative test examples of a job at each score.
pub const SCORES: &str = "scores.csv";
/// Log of a job.
pub const LOG: &str = "log.txt";
/// Table of all jobs as Parquet.
pub const METRICS_PARQUET: &str = "metrics.parquet";
/// Table of all jobs as CSV.
pub const METRICS_CSV: &str = "metrics.csv";

/// Published values that a multiverse is compared with, if they are not those of the program.
pub const PUBLISHED: &str = "published.toml";

/// Names of the datasets that were skipped because their data were missing.
pub const SKIPPED: &str = "skipped.json";

/// Summary of the last run: job counts, seconds, share of time outside learning.
pub const TALLY: &str = "tally.json";

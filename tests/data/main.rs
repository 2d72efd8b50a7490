//! Datasets: fetching, verification, adaptors, counts, folds and negatives.
#![cfg(feature = "harness")]

mod datasets;
mod fetch;
mod sources;

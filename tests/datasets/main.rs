//! Datasets from files to folds: counts, drawn negatives, and the absence of leaks.
#![cfg(feature = "harness")]

mod adaptors;
mod counts;
mod lab;
mod leaks;
mod shuffled;
mod synthetic;

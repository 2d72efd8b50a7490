//! Datasets from files to folds: counts, drawn negatives, and the absence of leaks.

mod adaptors;
mod counts;
mod lab;
mod leaks;
mod shuffled;
mod synthetic;

//! Datasets from files to folds: what is counted, what is drawn, and that nothing leaks.

mod adaptors;
mod counts;
mod lab;
mod leaks;
mod made_up;
mod shuffled;

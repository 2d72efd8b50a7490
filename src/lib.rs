//! `lrbm` reproduces, questions and extends LRBM-Boost: *Non-parametric learning of lifted restricted Boltzmann
//! machines* (Kaur, Kunapuli, Natarajan; IJAR 2020).
//!
//! The rooms of the program, from the ground up; each uses only those before it:
//!
//! - [`order`]: hash maps and random streams, so that nothing depends on chance or threads
//! - [`parallel`]: work that is shared between threads where that pays
//! - [`patience`]: long work that asks whether somebody still waits for it
//! - [`files`]: files that appear whole or not at all
//! - [`logic`]: symbols, terms, modes, clauses, and the reader of BoostSRL files
//! - [`kb`]: facts indexed for joins, time limits, and the slow oracle of every fast evaluator
//! - [`data`]: datasets, the generated domains, folds and negatives
//! - [`tree`]: candidate tests, which examples they cover, growth of regression trees, walking them
//! - [`rbm`]: the five numbers of a leaf, ψ, coordinate descent, and the lifted RBM as one network
//! - [`learn`]: parameters, the boosting loop, one file for each kind of model, models as files
//! - [`metric`]: areas under curves, calibration, F1
//! - [`experiment`]: specifications, jobs, plans, and runs that can be resumed
//! - [`report`]: tables, figures, drawings, the page, comparisons and the gate
//! - [`cli`]: one file for each command

#![forbid(unsafe_code)]

pub mod cli;
pub mod data;
pub mod experiment;
pub mod files;
pub mod kb;
pub mod learn;
pub mod logic;
pub mod metric;
pub mod order;
pub mod parallel;
pub mod patience;
pub mod rbm;
pub mod report;
pub mod tree;

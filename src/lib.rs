//! `lrbm` reproduces, questions and extends LRBM-Boost: *Non-parametric learning of lifted restricted Boltzmann
//! machines* (Kaur, Kunapuli, Natarajan; IJAR 2020).
//!
//! The layers, bottom first; each imports only from those before it:
//!
//! - [`math`], [`determinism`], [`cancel`], [`parallel`], [`files`]: foundations
//! - [`logic`]: symbols, terms, modes, clauses, and the reader of BoostSRL files
//! - [`kb`]: the fact store indexed for joins, time limits, and the naive evaluator, oracle of every fast one
//! - [`data`]: datasets, generated domains, folds and negatives
//! - [`cover`]: the conjunctive-query engine: which examples a conjunction covers
//! - [`tree`]: language bias, candidate tests, growth of regression trees, and the leaf an example reaches
//! - [`rbm`]: leaf parameters θ, ψ, coordinate descent, and the lifted RBM as one network
//! - [`learn`]: parameters, the boosting loop, one module per kind of model, model files
//! - [`metric`]: ranking metrics, calibration, tests of significance
//! - [`experiment`]: specs, jobs, plans, and resumable runs
//! - [`report`]: tables, figures, drawings, the report page, comparisons and the regression gate
//! - [`cli`]: one file per subcommand

#![forbid(unsafe_code)]

pub mod cancel;
#[cfg(feature = "harness")]
pub mod cli;
pub mod cover;
pub mod data;
pub mod determinism;
#[cfg(feature = "harness")]
pub mod experiment;
pub mod files;
pub mod kb;
pub mod learn;
pub mod logic;
pub mod math;
pub mod metric;
pub mod parallel;
pub mod rbm;
#[cfg(feature = "harness")]
pub mod report;
pub mod tree;

//! Nested tuning: the parameters of a model are chosen on the training part of each outer fold.
//!
//! A tuned job has trials. Each trial is a setting of the parameters, trained and tested on the
//! inner folds of the outer training part ([`crate::data::split::TrainingPart`]), one job per inner
//! fold. The outer job starts when its trials have ended, and runs with the setting of the best
//! one. Trials are jobs like others, but their results never enter the tables of the outer ones.

pub mod choice;
pub mod choose;
pub mod config;
pub mod graph;
pub mod results;

pub use choice::{TrialChoice, TrialScore};
pub use choose::{ChoiceError, choose};
pub use config::{Trial, TrialConfig, TrialId, TrialSystem, Tuning};

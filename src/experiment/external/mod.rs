//! External systems: commands that train and score outside of this library, and scores that were
//! made elsewhere.
//!
//! A command starts in a fresh directory with the files of one fold ([`contract`]) and writes
//! `scores.csv` ([`scores`]). Labels of test examples are not in that directory, its parents or
//! its environment. Everything that its result depends on is part of the key of its job
//! ([`config::ExternalKey`]): the output of its `version` command, the checksums of its files, its
//! parameters. docs/src/external.md describes the contract.

pub mod config;
pub mod contract;
pub mod environment;
pub mod error;
pub mod features;
pub mod output;
pub mod process;
pub mod scores;
pub mod template;
pub mod version;

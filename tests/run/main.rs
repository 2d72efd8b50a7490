//! `lrbm run` end to end: finished, killed, concurrent, failing, resumed.
#![cfg(feature = "harness")]

#[path = "../common/mod.rs"]
mod common;

mod cluster;
mod concurrent;
mod determinism;
mod external;
mod failures;
#[cfg(unix)]
mod fake_slurm;
mod faults;
mod isolation;
mod kill;
mod lab;
mod links;
mod multiverse;
mod prefixes;
mod read;
mod resume;
mod slurm;
mod tuning;

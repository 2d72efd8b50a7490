//! What several groups of tests share.
#![allow(dead_code, reason = "each group of tests uses some of it")]

pub mod area;
pub mod params;
#[cfg(feature = "harness")]
pub mod program;
#[cfg(feature = "harness")]
pub mod snapshot;

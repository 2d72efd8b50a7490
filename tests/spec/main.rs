//! Specs: diagnostics, expansion into jobs, and job identity.
#![cfg(feature = "harness")]

#[path = "../common/mod.rs"]
mod common;

mod copy;
mod count;
mod filter;
mod identity;
mod lab;
mod multiverse;
mod plan;
mod raw;
mod schema;
mod set;
mod wrong;

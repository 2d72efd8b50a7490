//! Specs: diagnostics, expansion into jobs, and job identity.
#![cfg(feature = "harness")]

mod copy;
mod count;
mod filter;
mod identity;
mod lab;
mod plan;
mod raw;
mod schema;
mod set;
#[path = "../common/snapshot.rs"]
mod snapshot;
mod wrong;

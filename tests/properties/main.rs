//! Properties of the library: every fast path against a slow and obvious reference.

#[path = "../common/mod.rs"]
mod common;

mod auto;
mod baselines;
mod explain;
#[cfg(feature = "benchmarks")]
mod import;
mod kb;
mod learn;
mod metric;
mod network;
mod order;
mod parse;
mod path;
mod prefix;
mod recovery;
#[cfg(feature = "harness")]
mod significance;
mod template;
mod tree;
mod walk;

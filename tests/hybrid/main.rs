//! Features beyond binary facts: weights, numbers, recursion, time and any arity.
#![cfg(feature = "harness")]

mod arity;
mod cli;
mod files;
mod network;
mod numbers;
#[path = "../common/params.rs"]
mod params;
mod recursion;
mod time;
mod weights;

//! What the paper claims beyond binary facts: weights, numbers, recursion, time and any arity.

mod arity;
mod cli;
mod network;
mod numbers;
#[path = "../common/params.rs"]
mod params;
mod recursion;
mod time;
mod weights;
mod written;

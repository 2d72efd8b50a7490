//! Features beyond binary facts: weights, numbers, recursion, time and any arity.

mod arity;
mod cli;
mod files;
mod network;
mod numbers;
mod recursion;
mod time;
mod weights;

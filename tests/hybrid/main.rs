//! What the paper claims beyond binary facts: weights, numbers, recursion, time and any arity.

mod arity;
mod cli;
mod network;
mod numbers;
mod recursion;
mod time;
mod weights;

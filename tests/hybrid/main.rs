//! What the paper claims beyond binary facts: weights, numbers, recursion, time and any arity.

mod numbers;
mod weights;

//! `lrbm compare` and `lrbm check`: output on real runs and exit codes.
#![cfg(feature = "harness")]

mod check;
mod compare;
mod lab;

//! `lrbm compare` and `lrbm check`: output on real runs and exit codes.

mod check;
mod compare;
mod lab;

//! `lrbm compare`, `lrbm check` and histories: output on real runs and exit codes.

mod action;
mod check;
mod compare;
mod history;
mod lab;

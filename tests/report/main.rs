//! What is made from a run: figures, tables, page, comparison, and the regression gate.
#![cfg(feature = "harness")]

#[path = "../common/mod.rs"]
mod common;

mod committed;
mod figures;
mod gate;
mod page;

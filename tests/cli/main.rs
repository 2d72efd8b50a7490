//! The commands that learn, predict, explain and convert, as users call them.
#![cfg(feature = "harness")]

#[path = "../common/mod.rs"]
mod common;

mod book;
mod classes;
mod control;
mod convert;
mod dataset_ids;
mod datasets;
mod explain;
mod golden;
mod hostile;
mod hybrid;
mod import;
#[cfg(target_os = "linux")]
mod limits;
mod lint;
mod own_data;
mod programs;
mod train_predict;
mod user_errors;
mod walks_and_templates;

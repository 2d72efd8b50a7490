//! What people read of a run: tables, figures, drawings and the page, comparisons and the gate.
//!
//! Reports, comparisons and the gate start from [`crate::experiment::Results`]; [`explanation`] and [`importance`] are of a model and
//! its data. Nothing here changes a run directory but for the files of the report itself.

pub mod claims;
pub mod compare;
pub mod csv;
pub mod drawing;
pub mod explanation;
pub mod figure;
pub mod gate;
pub mod importance;
pub mod markdown;
pub mod page;
pub mod published;
pub mod rows;
pub mod splice;
pub mod table;
pub mod tables;

mod contents;
mod summary;
mod write;

pub use contents::Report;
pub use write::{ReportWriteError, WrittenFiles};

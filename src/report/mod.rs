//! Reports on runs and models: tables, figures, drawings, the HTML page, comparisons and the
//! regression gate.
//!
//! Reports, comparisons and the gate start from [`crate::experiment::Results`]; [`explanation`]
//! and [`importance`] describe a model and its data. The only files written to a run directory
//! are those of the report.

pub mod claims;
pub mod compare;
pub mod csv;
pub mod drawing;
pub mod explanation;
pub mod figure;
pub mod gate;
pub mod history;
mod html;
pub mod importance;
pub mod markdown;
pub mod multiverse;
pub mod page;
pub mod published;
pub mod recorded;
pub mod rows;
pub mod splice;
pub mod table;
pub mod tables;
pub mod versions;

mod answer;
mod contents;
mod summary;
mod write;

pub use contents::{Report, ReportError};
pub use write::{ReportWriteError, WrittenFiles};

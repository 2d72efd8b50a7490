//! What people read of a run: tables, figures, drawings and the page, comparisons and the gate.
//!
//! Everything starts from [`crate::experiment::Results`]. Nothing here changes a run directory but for the files of the
//! report itself.

pub mod explanation;
pub mod importance;

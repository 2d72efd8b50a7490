//! What people read of a run: tables, figures, drawings and the page, comparisons and the gate.
//!
//! Everything starts from [`crate::experiment::Results`]. Nothing here changes a run directory but for the files of the
//! report itself.

pub mod figure;
pub mod compare;
pub mod csv;
pub mod gate;
pub mod markdown;

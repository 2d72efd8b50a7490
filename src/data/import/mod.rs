//! Tables to facts: a mapping turns typed columns into a directory of BoostSRL files.
//!
//! Readers of file formats produce [`SourceTable`]s; [`infer()`] proposes a [`Mapping`], and
//! [`apply()`] evaluates it. The rules:
//!
//! - NULL (in CSV an empty field) gives no fact: a row with a NULL at an argument of a predicate is
//!   skipped for that predicate.
//! - A boolean column gives a fact for true and none for false; as a label, true is positive and
//!   false negative.
//! - A date is the number of days since 1970-01-01, with the time of day as a fraction, in UTC.
//! - An entity keeps its text as its name, quoted where necessary. If all columns of a type hold
//!   integers, their names are the type and the number: `person17`.
//! - A table without rows gives no facts; two columns of equal name are an error.

pub mod apply;
pub mod column;
pub mod date;
pub mod domain;
pub mod infer;
pub mod mapping;
pub mod names;
pub mod render;
pub mod write;

pub use apply::{ApplyError, Imported, apply};
pub use column::{ForeignKey, SourceColumn, SourceTable, Values};
pub use infer::{Proposal, infer};
pub use mapping::Mapping;

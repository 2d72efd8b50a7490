//! Facts indexed for joins, the types and modes that say which joins are asked for, time limits, and the slow
//! evaluator that every fast one is tested against.
//!
//! A [`DatabaseBuilder`] takes modes and facts; [`DatabaseBuilder::build`] sorts each relation once in every order that
//! the modes need and gives an immutable [`Database`]. Examples live beside the database, not in it.

pub mod change;
pub mod classes;
pub mod database;
pub mod directory;
pub mod facts;
pub mod naive;
pub mod ordering;
pub mod relation;
#[cfg(test)]
pub(crate) mod sample;
pub mod schema;
mod sorting;
pub mod time;
pub mod view;
mod warnings;
pub mod wire;

pub use change::{Change, Fact};
pub use classes::Classes;
pub use database::{Database, DatabaseBuilder, Example};
pub use facts::{FactError, Facts, FactsBuilder};
pub use ordering::{Pattern, pattern};
pub use relation::{Index, IndexId, Relation, Row, Rows};
pub use schema::{Mode, ModeSlot, Schema, TypeId};
pub use time::{TimeError, TimeRule, TimeSource, Times};
pub use view::{Recursion, Recursive, View};

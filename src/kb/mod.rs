//! Fact store indexed for joins, with types, modes, time limits and a naive reference evaluator.
//!
//! A [`DatabaseBuilder`] collects modes and facts; [`DatabaseBuilder::build`] sorts each relation
//! in every order the modes need and returns an immutable [`Database`]. Examples are stored outside
//! it.

pub mod change;
pub mod classes;
pub mod database;
pub mod directory;
pub mod facts;
pub mod mode;
pub mod naive;
pub mod ordering;
pub mod recursion;
pub mod relation;
pub mod renumbering;
#[cfg(test)]
pub(crate) mod sample;
pub mod schema;
pub mod signature;
mod sorting;
#[cfg(test)]
mod tests;
pub mod time;
pub mod view;
mod warnings;
pub mod wire;

pub use change::{Fact, FactChange};
pub use classes::Classes;
pub use database::{Database, DatabaseBuilder, Example};
pub use facts::{FactError, Facts, FactsBuilder};
pub use mode::{Mode, ModeSlot, TypeId};
pub use ordering::{BindingPattern, binding_pattern};
pub use recursion::{Recursion, StoredRecursion};
pub use relation::{FactRow, FactRows, Index, IndexId, Relation};
pub use renumbering::Renumbering;
pub use schema::Schema;
pub use signature::Signature;
pub(crate) use sorting::resorted;
pub(crate) use time::PositionTimes;
pub use time::{TimeError, TimeRule, TimeSource, Times};
pub use view::View;

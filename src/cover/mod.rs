//! A conjunctive-query engine: which examples a conjunction covers, and how many groundings it has for each.
//!
//! [`Coverage`] is the entry point. It splits a conjunction into connected components, plans and runs one join per
//! component and group of examples, and caches the covered examples as [`Bits`]. An [`Audit`] compares a sample of its
//! answers with the naive evaluator [`crate::kb::naive`].

pub mod audit;
pub mod bits;
pub(crate) mod cache;
pub(crate) mod conjunction;
pub mod count;
pub mod coverage;
mod groups;
pub(crate) mod join_plan;
pub(crate) mod search;

pub use audit::{Audit, AuditError, Audited};
pub use bits::Bits;
pub use coverage::{Coverage, DEFAULT_MEMORY_BYTES};

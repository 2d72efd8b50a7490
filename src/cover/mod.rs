//! A conjunctive-query engine: which examples a conjunction covers, and how many groundings it has
//! for each.
//!
//! [`Coverage`] is the entry point. It splits a conjunction into connected components, plans and
//! runs one join per component and group of examples, and caches the covered examples as [`Bits`].
//! An [`Audit`] compares a sample of its answers with the naive evaluator [`crate::kb::naive`].

mod audit;
mod binding_rows;
mod bits;
mod cache;
mod catalog;
mod conjunction;
mod count;
mod coverage;
mod groups;
mod interface;
mod join_plan;
mod matches;
mod occurrences;
mod pack;
mod refine;
mod search;
mod separator;

pub use audit::{Audit, AuditError, Audited};
pub(crate) use binding_rows::BindingRows;
pub use bits::Bits;
pub(crate) use bits::elements_of_words;
pub(crate) use cache::{Cache, lock};
pub(crate) use conjunction::{ComponentKey, EncodedConjunction, head_variables};
pub use count::{GroundingCounts, MAX_GROUNDINGS, show_test};
pub use coverage::{Coverage, DEFAULT_MEMORY_BYTES};
pub(crate) use interface::{LiteralList, Refined, Refinement};
pub(crate) use join_plan::JoinPlan;
pub(crate) use search::Search;

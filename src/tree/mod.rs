//! Relational regression trees: which tests a node may ask, which examples satisfy them, how good a split is, how a
//! tree grows, and which leaf an example reaches.
//!
//! The room knows gradients and numbers in leaves, and nothing of what a leaf is made of: a [`LeafFitter`] says that.
//! A [`Coverage`] answers which examples satisfy a conjunction, a [`Language`] says which conjunctions may be asked, and
//! a [`Grower`] keeps both through all the trees of an ensemble, since neither depends on the gradients.

pub mod audit;
pub mod bits;
mod block;
mod cache;
pub mod candidate;
mod component;
pub mod count;
pub mod coverage;
mod cuts;
mod frontier;
mod groups;
pub mod grow;
pub mod node;
pub mod path;
mod plan;
mod sample;
mod score;
mod search;
pub mod tally;
pub mod walk;

pub use audit::{Audit, AuditError, Audited};
pub use bits::Bits;
pub use candidate::{Language, LanguageOptions, LookAhead};
pub use coverage::{Coverage, DEFAULT_MEMORY_BYTES};
pub use grow::{Expand, Fit, GrowOptions, GrowStatistics, Grower, Grown, LeafFitter, Screening};
pub use node::{CountTest, FailedTest, Leaf, Node, NodeId, Path, Split, Tree};
pub use path::PathOptions;
pub use sample::Sample;
pub use tally::{CountGrower, CountOptions, Pattern, Tally, Weighted};

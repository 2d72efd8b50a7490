//! Relational regression trees: the language bias, candidate tests, split scores, growth, and the
//! leaf an example reaches.
//!
//! The module works with gradients and leaf values only; a [`LeafFitter`] decides what a leaf is
//! made of. A [`Language`] generates the candidate tests, [`crate::cover::Coverage`] evaluates
//! them, and a [`Grower`] keeps both for all trees of an ensemble, since neither depends on the
//! gradients.

pub mod assign;
mod candidates;
mod conjunct;
mod cuts;
mod fit;
mod grow;
mod language;
mod margins;
mod node;
mod options;
pub mod path;
mod rows;
mod sample;
mod split;
mod stopping;

pub(crate) use conjunct::{Conjunct, Conjuncts, Needed};
pub use fit::{Fit, LeafFitter, Screening};
pub use grow::{CandidateCache, GrowStatistics, Grower, Grown};
pub(crate) use language::TypedVariable;
pub use language::{Language, LanguageOptions, LookAhead, MAX_NODE_SIZE};
pub use node::{CountTest, FailedTest, Leaf, Node, NodeId, Path, SplitNode, Tree, TreeError};
pub use options::{Expand, GrowOptions};
pub use path::PathOptions;
pub use sample::Sample;
pub use stopping::StoppingRules;

#[cfg(test)]
mod tests;

//! Synthetic domains with planted rules, generated in memory from a seed and written to disk only
//! on request.
//!
//! They answer what real data cannot: whether the learner recovers a rule that is known to be
//! there, and how it behaves as data grow or labels become noisy. Each domain consists of small
//! groups (a studio, a department, a field of research) that share no entity but words, fields
//! and levels. A generator therefore holds one group at a time at any scale, and a larger scale is
//! the same facts followed by more. Facts and examples are streamed to a [`DomainSink`].
//!
//! Labels follow from the facts by the planted rules. In domains with a binary target, every pair
//! covered by the rule is listed as a positive, so further negatives may be drawn under the
//! closed-world assumption.

mod binding;
mod citations;
mod documents;
mod domain;
mod group;
mod info;
mod interests;
mod movies;
mod relations;
mod settings;
mod sink;
mod university;
mod write;

#[cfg(test)]
mod tests;

pub use domain::{Domain, DomainCounts, UnknownDomain};
pub use info::DomainInfo;
pub use settings::{GeneratorSettings, SettingsError};
pub use sink::{DomainSink, Name};
pub use write::{WriteDomainError, write_directory};

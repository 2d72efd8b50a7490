//! Data: manifests, fetching, adaptors and loading of published datasets, generated domains, folds
//! and negatives.

pub mod adapt;
pub mod benchmark;
pub mod binary;
pub mod classes;
pub mod embedded;
pub mod example_set;
pub mod examples;
#[cfg(feature = "harness")]
pub mod fetch;
pub mod folds;
pub mod generate;
pub mod layout;
pub mod load;
pub mod manifest;
pub mod negatives;
pub mod parameters;
pub mod recursion;
pub mod report;
pub mod split;
pub mod store;
pub mod summary;

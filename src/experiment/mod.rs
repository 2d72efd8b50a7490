//! Experiments: from a specification to jobs, and from jobs to a run directory.
//!
//! A [`Job`] is one training and one test. What can change its result is its [`JobKey`]; the hash of that is its
//! [`JobId`], so a job is done if its directory holds a result with the same id, whatever else has changed.

pub mod dataset_ref;
pub mod filter;
pub mod job;
pub mod key;
pub mod plan;
pub mod remote;
pub mod results;
pub mod run;
pub mod slurm;
pub mod spec;
pub mod store;
pub mod tasks;

pub use dataset_ref::Source;
pub use filter::Only;
pub use job::{Ensemble, Job, Limits};
pub use key::{JobId, JobKey};
pub use plan::{Listed, Plan, Previous, State};
pub use remote::{Frozen, FrozenError};
pub use results::{Results, ResultsError};
pub use spec::{Experiment, SpecError};

//! Experiments: a specification is expanded into jobs, and jobs write a run directory.
//!
//! A [`Job`] trains and tests one model on one fold. Everything that can change its result is its
//! [`JobKey`], whose hash is the [`JobId`]. A job is done if its directory holds a result with that
//! id, whatever else has changed.

pub mod dataset_ref;
mod error;
pub mod external;
pub mod filter;
pub mod frame;
pub mod job;
pub mod key;
#[cfg(test)]
pub(crate) mod lab;
pub mod outstanding;
pub mod panics;
pub mod plan;
mod planned;
mod process;
pub mod remote;
pub mod results;
pub mod run;
pub mod slurm;
pub mod spec;
pub mod store;
pub mod tasks;
pub mod tune;

pub use dataset_ref::{DatasetRef, DirectoryOptions};
pub use error::RunError;
pub use filter::JobFilter;
pub use job::{Ensemble, Job, Keep, LearnerConfig, Limits, System};
pub use key::{JobId, JobKey};
pub use plan::{JobState, Plan, PlanEntry, Previous};
pub use planned::PlannedJob;
pub use remote::{RemoteError, RemoteRun};
pub use results::{Results, ResultsError};
pub use spec::{Experiment, SpecError};

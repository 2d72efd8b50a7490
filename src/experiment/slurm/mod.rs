//! Runs jobs on a Slurm cluster, as arrays of tasks that call `lrbm run-job`.
//!
//! The job directories on the shared file system are the only truth. The watcher groups outstanding
//! jobs into tasks, submits them, and polls the directories, which show what is done, and the
//! queue, which shows what is still running. A job without a result whose task is gone is lost: it
//! is resubmitted in smaller and smaller tasks, and after the last attempt recorded as failed with
//! the final state that the cluster reports.
//!
//! The watcher keeps no state of its own: restarted, it finds its arrays by the recorded batches
//! (`batch.rs`) and everything else in the job directories.

mod batch;
mod cluster;
mod executor;
mod grouping;
mod interrupt;
mod lost;
mod parse;
mod quote;
mod submit_failure;
mod watch;

pub use super::error::SlurmError;
pub use cluster::Cluster;
pub use executor::{Slurm, this_program};
pub use interrupt::{ClusterStatus, InterruptAction};
pub use quote::quote;

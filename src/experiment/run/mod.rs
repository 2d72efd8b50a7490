//! Runs an experiment: an [`Executor`] runs the outstanding jobs of the plan into a run directory.
//!
//! Which jobs are outstanding follows from the plan and the job directories. Whether workers of
//! this process ([`Local`]) or tasks of a cluster ([`crate::experiment::slurm`]) run them changes
//! no byte of a result. Executors report to a [`RunRecorder`], which holds the table of results and
//! forwards events to the listener.

mod child;
mod compute;
mod data;
mod event;
mod execute;
mod executor;
mod external;
mod failure;
mod fault;
mod isolation;
mod local;
pub mod machine;
mod metrics;
mod options;
mod prefixes;
pub mod provenance;
mod queue;
mod runner;
mod shared;
mod table;
mod threads;
mod worker;

pub use child::run_assigned;
pub use event::{Event, JobPlace, Tally};
pub use executor::{Executor, RunRecorder, Workload};
pub use isolation::Isolation;
pub use local::Local;
pub use options::Options;
pub use runner::{Finished, run};

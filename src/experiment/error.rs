//! Errors of running jobs, locally or on a cluster.

use std::io;
use std::path::PathBuf;

use super::store::RunStoreError;
use crate::files::visible::ShownPath;

/// Reason why a run cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The run directory cannot be written.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}; give a smaller number with --threads")]
    Threads(rayon::ThreadPoolBuildError),
    /// The process of an isolated job cannot be started or supervised.
    #[error("cannot run a job in a process of its own: {0}")]
    Isolation(String),
    /// The cluster failed.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
}

/// Reason why a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// A Slurm command is not available.
    #[error(
        "cannot run `{program}`: {source}; run this where the Slurm commands are installed, such as on a login node, or \
         without `--executor slurm`"
    )]
    CommandMissing {
        /// The command.
        program: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A Slurm command failed.
    #[error("`{program}` failed: {message}")]
    CommandFailed {
        /// The command.
        program: &'static str,
        /// Its error message.
        message: String,
    },
    /// The cluster would reject the tasks.
    #[error(
        "the cluster rejects these tasks: {message}; nothing was written: set partition, account, time, memory and cpus \
         in [slurm] of the spec or with --slurm-option"
    )]
    Rejected {
        /// Error message of `sbatch`.
        message: String,
    },
    /// No controller answers.
    #[error(
        "no Slurm controller can be reached: {message}; nothing was written: run this on a login node of the cluster"
    )]
    Unreachable {
        /// Error message of `sbatch`.
        message: String,
    },
    /// Job arrays are not allowed.
    #[error(
        "the cluster does not allow job arrays (MaxArraySize is {size}); `lrbm plan SPEC --format commands` prints a \
         command for each task, to be submitted one by one"
    )]
    NoArrays {
        /// Configured value.
        size: u64,
    },
    /// Another process submits tasks of the run.
    #[error("another process submits tasks of {} to the cluster; stop it first", root.shown())]
    AlreadyWatched {
        /// The run directory.
        root: PathBuf,
    },
    /// A path that Slurm cannot handle.
    #[error(
        "{}: Slurm needs paths in valid UTF-8 without backslashes and control characters; rename it, or choose \
         another with --out",
        .0.shown()
    )]
    InvalidPath(PathBuf),
    /// A file of the run directory cannot be read or written.
    #[error("{}: {source}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

//! What can go wrong in a run directory.

use std::io;
use std::path::{Path, PathBuf};

use polars::error::PolarsError;

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunStoreError {
    /// Found before the first job.
    #[error(
        "{}: results cannot be written here: {source}; nothing was run: give another directory with --out, or make room",
        path.display()
    )]
    Unwritable {
        /// The run directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Found on the way.
    #[error("{}: {source}; what is done stays: make room or mend it, then run the same command again", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table of predictions cannot be read.
    #[error("{}: not a table of predictions: {what}; running the job again makes it anew", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A table could not be made.
    #[error("a table of results could not be made: {0}")]
    Frame(PolarsError),
}

/// A result that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", file.display())]
pub struct Damage {
    /// The file, below the run directory.
    pub file: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

impl RunStoreError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> RunStoreError {
        let path = path.to_owned();
        move |source| RunStoreError::Io { path, source }
    }
}

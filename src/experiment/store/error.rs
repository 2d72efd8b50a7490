//! Errors of a run directory.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::visible::ShownPath;
use polars::error::PolarsError;

/// Reason why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunStoreError {
    /// The directory is not writable; detected before the first job.
    #[error(
        "{}: cannot write results: {source}; nothing was run: choose another directory with --out, or free disk space",
        path.shown()
    )]
    Unwritable {
        /// The run directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file operation failed during the run.
    #[error("{}: {source}; finished jobs are kept: fix the cause or free disk space, then run the same command again", path.shown())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A table of predictions cannot be read.
    #[error("{}: invalid predictions table: {what}; run the job again to rewrite it", path.shown())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        what: String,
    },
    /// A table could not be built.
    #[error("cannot build a table of results: {0}")]
    Frame(PolarsError),
}

/// A result that was modified after it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", file.shown())]
pub struct Damage {
    /// The file, relative to the run directory.
    pub file: PathBuf,
    /// Description of the damage.
    pub what: String,
}

impl RunStoreError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> RunStoreError {
        let path = path.to_owned();
        move |source| RunStoreError::Io { path, source }
    }
}

//! Errors of external systems that prevent a run.

use std::io;
use std::path::PathBuf;

use crate::files::visible::ShownPath;

/// Reason why the jobs of an external system cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// A file that the key depends on cannot be read.
    #[error(
        "model `{model}`: {}: {source}; `files` lists paths relative to the spec, whose checksums are part of the key",
        path.shown()
    )]
    File {
        /// Name of the model.
        model: String,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The directory of the spec cannot be determined.
    #[error("{}: {source}", path.shown())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The recorded inputs cannot be written.
    #[error("{}: {source}", path.shown())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Commands cannot be printed, because the version of a model is not recorded.
    #[error(
        "the version of model `{model}` is not known: `lrbm plan` starts no command; run one of its jobs with `lrbm run \
         --only` first, which records the version"
    )]
    UnknownVersion {
        /// Name of the model.
        model: String,
    },
}

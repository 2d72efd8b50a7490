//! Errors of conversion.

use std::path::PathBuf;

use thiserror::Error;

use crate::data::store::StoreError;
use crate::files::visible::ShownPath;
use crate::logic::{Diagnostics, ReadError};

/// The error of converting a dataset.
#[derive(Debug, Error)]
pub enum AdaptError {
    /// The data directory is unusable, or the dataset is not fetched.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A published file has syntax errors.
    #[error("cannot convert dataset `{id}`:\n{found}")]
    Invalid {
        /// The dataset.
        id: String,
        /// The diagnostics with their positions.
        found: Diagnostics,
    },
    /// A line of a published file is invalid for the adaptor.
    #[error("{}:{line}: {reason}; fetch dataset `{id}` again, or correct your manifest", path.shown())]
    Line {
        /// The dataset.
        id: String,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The published files lack one that the adaptor needs.
    #[error("dataset `{id}`: adaptor `{adaptor}` finds no {what} among the published files; correct the manifest")]
    Missing {
        /// The dataset.
        id: String,
        /// The adaptor.
        adaptor: &'static str,
        /// The missing file or directory.
        what: String,
    },
    /// The adaptor does not support this variant.
    #[error(
        "dataset `{id}`: adaptor `{adaptor}` does not support evidence variant `{variant}`; expected one of {known}"
    )]
    UnknownVariant {
        /// The dataset.
        id: String,
        /// The adaptor.
        adaptor: &'static str,
        /// The variant.
        variant: String,
        /// The supported variants.
        known: &'static str,
    },
}

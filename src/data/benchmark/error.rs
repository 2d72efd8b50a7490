//! Errors of opening and splitting a dataset.

use thiserror::Error;

use crate::data::adapt::AdaptError;
use crate::data::binary::RewriteError;
use crate::data::load::LoadError;
use crate::data::manifest::ManifestError;
use crate::data::store::StoreError;

/// The error of opening or splitting a dataset.
#[derive(Debug, Error)]
pub enum BenchmarkError {
    /// The dataset is unknown.
    #[error(
        "unknown dataset `{id}`; {}expected one of {known}, or a directory with example and fact files",
        hint(nearest)
    )]
    Unknown {
        /// The unknown id.
        id: String,
        /// The known ids.
        known: String,
        /// The most similar known id.
        nearest: Option<String>,
    },
    /// The manifest does not support the request.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The data are not fetched; the message names the command that fetches them.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The published files could not be converted.
    #[error(transparent)]
    Adapt(#[from] AdaptError),
    /// The files are invalid.
    #[error("dataset `{id}`: {error}")]
    Load {
        /// The dataset.
        id: String,
        /// The reason.
        error: LoadError,
    },
    /// The database could not be rewritten.
    #[error("dataset `{id}`: {error}")]
    Rewrite {
        /// The dataset.
        id: String,
        /// The reason.
        error: RewriteError,
    },
    /// A file differs from its record.
    #[error(
        "dataset `{id}`: {file} has changed since it was converted; run `lrbm datasets fetch {id}` to convert it again"
    )]
    Changed {
        /// The dataset.
        id: String,
        /// The file.
        file: String,
    },
    /// The dataset does not support a value of the variant.
    #[error("dataset `{id}` does not support `{key} = \"{value}\"`; {advice}")]
    Unsupported {
        /// The dataset.
        id: String,
        /// The key of the variant.
        key: &'static str,
        /// The requested value.
        value: String,
        /// The supported values, or what to do instead.
        advice: String,
    },
    /// The number of folds cannot be made, or differs from the given one.
    #[error("dataset `{id}`: cannot make {count} folds: {reason}")]
    FoldCount {
        /// The dataset.
        id: String,
        /// The requested number.
        count: usize,
        /// The reason, and what is possible.
        reason: String,
    },
    /// The fold does not exist.
    #[error("dataset `{id}` has no fold {index}; expected 0 to {}", count.saturating_sub(1))]
    NoSuchFold {
        /// The dataset.
        id: String,
        /// The requested fold, from 0.
        index: usize,
        /// The number of folds.
        count: usize,
    },
    /// The number of negatives per positive is out of range.
    #[error("`negatives_per_positive` must be from 0 to 10000, got {0}")]
    Ratio(f64),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

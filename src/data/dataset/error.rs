//! What can be wrong with a dataset, or with what is asked of it.

use thiserror::Error;

use crate::data::adapt::AdaptError;
use crate::data::binary::RewriteError;
use crate::data::load::LoadError;
use crate::data::manifest::ManifestError;
use crate::data::store::StoreError;

/// Why a dataset cannot be used as asked.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// There is no such dataset.
    #[error(
        "unknown dataset `{id}`; {}known are {known}, and any directory with files of examples and facts",
        hint(nearest)
    )]
    Unknown {
        /// What was asked for.
        id: String,
        /// The names there are.
        known: String,
        /// The one that was perhaps meant.
        nearest: Option<String>,
    },
    /// The manifest does not offer what was asked for.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The data are not there; the message names the command that fetches them.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The published files could not be converted.
    #[error(transparent)]
    Adapt(#[from] AdaptError),
    /// The files are wrong.
    #[error("dataset `{id}`: {error}")]
    Load {
        /// The dataset.
        id: String,
        /// What is wrong.
        error: LoadError,
    },
    /// The database could not be made.
    #[error("dataset `{id}`: {error}")]
    Rewrite {
        /// The dataset.
        id: String,
        /// What is wrong.
        error: RewriteError,
    },
    /// A file is not as it was recorded.
    #[error("dataset `{id}`: {file} has changed since it was converted; `lrbm datasets fetch {id}` makes it anew")]
    Changed {
        /// The dataset.
        id: String,
        /// The file.
        file: String,
    },
    /// A choice that the dataset does not offer.
    #[error("dataset `{id}` does not offer `{key} = \"{value}\"`; it offers {offered}")]
    NotOffered {
        /// The dataset.
        id: String,
        /// The key of the choice.
        key: &'static str,
        /// The value asked for.
        value: String,
        /// The values there are.
        offered: String,
    },
    /// More folds than can be made, or another number than is given.
    #[error("dataset `{id}`: {count} folds cannot be had: {reason}")]
    FoldCount {
        /// The dataset.
        id: String,
        /// How many were asked for.
        count: usize,
        /// Why not, and what can be had.
        reason: String,
    },
    /// There is no such fold.
    #[error("dataset `{id}` has folds 0 to {}, but no fold {index}", count.saturating_sub(1))]
    NoSuchFold {
        /// The dataset.
        id: String,
        /// The fold asked for, from 0.
        index: usize,
        /// How many folds there are.
        count: usize,
    },
    /// The number of negatives per positive makes no sense.
    #[error("negatives_per_positive must be from 0 to 10000, but is {0}")]
    Ratio(f64),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

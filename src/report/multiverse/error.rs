//! Errors of the report of a multiverse.

use crate::experiment::ResultsError;

/// Why a multiverse cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum MultiverseError {
    /// The file of published values cannot be read.
    #[error("{path}: cannot read the published values: {reason}; the format is that of results/paper.toml")]
    Published {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The scores of a job cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

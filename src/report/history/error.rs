//! Errors of history files.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::files::visible::ShownPath;
use crate::report::figure::FigureError;

/// Why a history cannot be read, written or drawn.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The file does not exist.
    #[error("{}: no history found; `lrbm check RUN --record FILE` creates one", .0.shown())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("{}: cannot read the history: {source}", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot write the file: {source}", path.shown())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Invalid contents.
    #[error("{}:{line}: {what}", path.shown())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column, the value, and what is accepted.
        what: String,
    },
    /// The history has no rows.
    #[error("{}: the history has no rows yet; `lrbm check RUN --record FILE` adds some", .0.shown())]
    Empty(PathBuf),
    /// A figure cannot be drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The page cannot be rendered.
    #[error("cannot render the page: {0:#}")]
    Page(#[from] minijinja::Error),
}

//! Errors of loading a directory.

use std::path::PathBuf;

use crate::data::layout::FoldError;
use crate::files::visible::ShownPath;
use crate::logic::{Diagnostics, ReadError};

/// The error of loading a directory.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The directory does not exist.
    #[error("{}: no such directory; pass the directory with the pos, neg and facts files", .0.shown())]
    NoDirectory(PathBuf),
    /// A file was given instead of a directory.
    #[error("{}: {}; pass the directory with the pos, neg and facts files", .0.shown(), .1)]
    NotADirectory(PathBuf, &'static str),
    /// A background file has a name under which it is not read.
    #[error(
        "{}: this background file is not read, because of its name; rename it to {expected}, or pass it \
         with --background, in a spec with `background = \"…\"`",
        file.shown()
    )]
    UnreadBackground {
        /// The file.
        file: PathBuf,
        /// A name under which it is read.
        expected: String,
    },
    /// No fact has a mode.
    #[error(
        "{}: no predicate of the facts has a mode, so every example would get the same probability; write modes such as \
         `mode: p(+type, -other).` to {background}, or pass a file of them with --background, in a spec with `background = \"…\"`",
        directory.shown()
    )]
    NoModes {
        /// The directory.
        directory: PathBuf,
        /// The background file.
        background: String,
    },
    /// A directory of folds was given instead of one with examples.
    #[error(
        "{}: it has folds instead of example files; select one with --fold K, or pass a side such as {}",
        directory.shown(), side.shown()
    )]
    OnlyFolds {
        /// The directory.
        directory: PathBuf,
        /// A directory that can be read.
        side: PathBuf,
    },
    /// Some of the folds of a directory are incomplete or wrongly numbered.
    #[error(transparent)]
    Folds(#[from] FoldError),
    /// A required file is missing.
    #[error("{}: no file of {what}; expected one of {looked_for}", directory.shown())]
    MissingFile {
        /// The directory.
        directory: PathBuf,
        /// The content of the missing file.
        what: &'static str,
        /// Its possible names.
        looked_for: String,
    },
    /// A file cannot be read, or exceeds a limit.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The data are invalid; the diagnostics list every error.
    #[error("{0}")]
    Invalid(Diagnostics),
}

//! What a command can fail with, and the exit code that tells.

use std::io;

use crate::data::load::LoadError;
use crate::logic::Diagnostics;

/// The exit code of a command some jobs of which have no result.
pub const JOBS_FAILED: u8 = 3;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Something the user gave is wrong; the text says where, what, and what to do.
    #[error("error: {0}")]
    Input(String),
    /// Places in the user's files are wrong.
    #[error("{0}\n{n} {errors} found: nothing was done", n = .0.error_count(), errors = plural(.0.error_count()))]
    Data(Diagnostics),
    /// Jobs of an experiment failed; the others are done.
    #[error("{0}")]
    JobsFailed(String),
    /// Nothing fits what was asked for.
    #[error("error: {0}")]
    NothingMatched(String),
    /// The gate: results are worse than they were.
    #[error("regression: {0}")]
    Regression(String),
    /// The gate, or a comparison: there is nothing to hold results against.
    #[error("not comparable: {0}")]
    NotComparable(String),
    /// The program is wrong, or something broke that the user could not know of.
    #[error("error: {0}")]
    Internal(String),
    /// Output cannot be written.
    #[error("error: cannot write the output: {0}")]
    Output(io::Error),
    /// Whoever read the output has stopped reading; that is no error.
    #[error("the output was closed")]
    ClosedPipe,
}

fn plural(n: u64) -> &'static str {
    if n == 1 { "error" } else { "errors" }
}

impl CommandError {
    /// An error in something the user gave.
    pub fn input(message: impl ToString) -> Self {
        CommandError::Input(message.to_string())
    }

    /// An error of the program itself.
    pub fn internal(message: impl ToString) -> Self {
        CommandError::Internal(message.to_string())
    }

    /// The same without the warnings that stand beside what is wrong.
    pub fn without_warnings(self) -> Self {
        match self {
            CommandError::Data(diagnostics) => CommandError::Data(diagnostics.without_warnings()),
            other => other,
        }
    }

    /// The code the process ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Input(_) | CommandError::Data(_) => 2,
            CommandError::Output(_) | CommandError::Internal(_) => 1,
            CommandError::JobsFailed(_) => JOBS_FAILED,
            CommandError::NothingMatched(_) => 4,
            CommandError::Regression(_) => 5,
            CommandError::NotComparable(_) => 6,
            CommandError::ClosedPipe => 0,
        }
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CommandError::ClosedPipe,
            _ => CommandError::Output(error),
        }
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid(diagnostics) => CommandError::Data(diagnostics),
            other => CommandError::input(other),
        }
    }
}

/// An error with what caused it, as bad input.
pub fn with_cause(error: impl std::error::Error) -> CommandError {
    let text = error.to_string();
    match error.source().map(ToString::to_string) {
        // Some errors tell their cause themselves.
        Some(cause) if !text.contains(&cause) => CommandError::Input(format!("{text}: {cause}")),
        _ => CommandError::Input(text),
    }
}

//! Errors of commands and their exit codes.

use std::io;

use crate::data::load::LoadError;
use crate::learn::prepare::PrepareError;
use crate::logic::quantity::counted;
use crate::logic::{Diagnostic, Diagnostics};

/// Exit code if some jobs have no result.
pub const JOBS_FAILED: u8 = 3;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid input; the text says where, what is wrong, and what to do.
    #[error("error: {0}")]
    Input(String),
    /// Invalid files, with locations.
    #[error("{0}\n{errors} found: nothing was done", errors = counted(.0.error_count() as usize, "error"))]
    Data(Diagnostics),
    /// Some jobs of an experiment failed; the others are done.
    #[error("{0}")]
    JobsFailed(String),
    /// No dataset, model or job matches the selection.
    #[error("error: {0}")]
    NothingMatched(String),
    /// The regression gate found results worse than the baseline.
    #[error("regression: {0}")]
    Regression(String),
    /// The regression gate found means that differ from those the spec expects.
    #[error("differs from [expected]: {0}")]
    Unexpected(String),
    /// The run cannot be compared with the baseline or the other run.
    #[error("not comparable: {0}")]
    NotComparable(String),
    /// Internal error.
    #[error("error: {0}")]
    Internal(String),
    /// The output cannot be written.
    #[error("error: cannot write the output: {0}")]
    Output(io::Error),
    /// The reader closed the pipe, which is not an error.
    #[error("the output pipe was closed")]
    ClosedPipe,
}

impl CommandError {
    /// Creates an input error.
    pub fn input(message: impl ToString) -> Self {
        CommandError::Input(message.to_string())
    }

    /// Creates an internal error.
    pub fn internal(message: impl ToString) -> Self {
        CommandError::Internal(message.to_string())
    }

    /// Drops warnings, for `--quiet`.
    pub fn without_warnings(self) -> Self {
        match self {
            CommandError::Data(diagnostics) => CommandError::Data(diagnostics.without_warnings()),
            other => other,
        }
    }

    /// Returns the exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Input(_) | CommandError::Data(_) => 2,
            CommandError::Output(_) | CommandError::Internal(_) => 1,
            CommandError::JobsFailed(_) => JOBS_FAILED,
            CommandError::NothingMatched(_) => 4,
            CommandError::Regression(_) | CommandError::Unexpected(_) => 5,
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

impl From<PrepareError> for CommandError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Load(error) => error.into(),
            other => CommandError::input(other),
        }
    }
}

impl From<Diagnostic> for CommandError {
    fn from(diagnostic: Diagnostic) -> Self {
        CommandError::Data([diagnostic].into_iter().collect())
    }
}

/// Converts an error with its source to an input error.
pub fn with_cause(error: impl std::error::Error) -> CommandError {
    let text = error.to_string();
    match error.source().map(ToString::to_string) {
        // Some messages already include the source.
        Some(cause) if !text.contains(&cause) => CommandError::Input(format!("{text}: {cause}")),
        _ => CommandError::Input(text),
    }
}

//! TOML files with typed content: errors name the line, or the key of an invalid value.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::files::visible::ShownPath;
use crate::logic::nearest::nearest;

/// The error of reading a TOML file.
#[derive(Debug, thiserror::Error)]
pub enum TomlFileError {
    /// The file cannot be read.
    #[error("{}: cannot read the file: {source}", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is invalid, or a key or a name is unknown.
    #[error("{origin}:{line}: {reason}")]
    Syntax {
        /// The file, for messages.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A value is invalid.
    #[error("{origin}: {key}: {reason}")]
    Value {
        /// The file, for messages.
        origin: String,
        /// The key path.
        key: String,
        /// What is wrong and what is accepted.
        reason: String,
    },
}

/// Content that is valid beyond its types.
pub trait Checked: DeserializeOwned {
    /// Checks the values. The error is a key path and a reason.
    fn check(&self) -> Result<(), (String, String)>;
}

/// Reads and validates a file.
pub fn read<T: Checked>(path: &Path) -> Result<T, TomlFileError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| TomlFileError::Unreadable { path: path.to_owned(), source })?;
    parse(&text, &path.shown().to_string())
}

/// Parses and validates a text; `origin` names it in errors.
pub fn parse<T: Checked>(text: &str, origin: &str) -> Result<T, TomlFileError> {
    let value: T = toml::from_str(text).map_err(|error| TomlFileError::Syntax {
        origin: origin.to_owned(),
        line: error.span().map_or(1, |span| 1 + text.bytes().take(span.start).filter(|&b| b == b'\n').count()),
        reason: with_suggestion(error.message()),
    })?;
    match value.check() {
        Ok(()) => Ok(value),
        Err((key, reason)) => Err(TomlFileError::Value { origin: origin.to_owned(), key, reason }),
    }
}

/// Adds the known name that is most similar to an unknown one. The message has the unknown name and
/// then the known ones in backticks.
fn with_suggestion(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let suggestion = match names.next() {
        Some(unknown) if message.starts_with("unknown ") => nearest(unknown, names),
        _ => None,
    };
    suggestion.map_or_else(|| message.to_owned(), |name| format!("{message}; did you mean `{name}`?"))
}

//! Diagnostics of a spec, each with location, value, and what is accepted.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::files::visible::{ShownPath, visible};
use crate::logic::quantity::counted;

/// Location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecLocation {
    /// A line of the file, from 1.
    Line(usize),
    /// A `--set` option.
    Set(String),
    /// A `--slurm-option` option.
    SlurmOption(String),
}

/// An error in a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecDiagnostic {
    /// Location.
    pub place: SpecLocation,
    /// Path of the key, such as `model[0].trees`; empty if the text is invalid TOML.
    pub path: String,
    /// The value as TOML.
    pub value: Option<String>,
    /// What is wrong, what is accepted, and a suggestion.
    pub reason: String,
}

impl SpecDiagnostic {
    /// Creates a diagnostic about a key.
    pub fn new(place: &SpecLocation, path: impl Into<String>, reason: impl Into<String>) -> Self {
        SpecDiagnostic { place: place.clone(), path: path.into(), value: None, reason: reason.into() }
    }

    /// Adds the invalid value.
    pub fn with(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }
}

impl fmt::Display for SpecDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            f.write_str(&visible(&self.path))?;
            if let Some(value) = &self.value {
                write!(f, " = {}", visible(&shortened(value)))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.reason)
    }
}

/// Shortens a long value to keep a diagnostic on one line.
fn shortened(value: &str) -> String {
    const MAX_CHARS: usize = 60;
    let value = value.replace('\n', "\\n");
    match value.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value,
    }
}

/// Reason why a spec is rejected.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The file cannot be read.
    #[error("{}: cannot read the spec: {source}{}", path.shown(), shipped_hint(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The spec is invalid.
    #[error("{}", all(origin, diagnostics))]
    Invalid {
        /// Name of the file.
        origin: String,
        /// All diagnostics in the order of the file.
        diagnostics: Vec<SpecDiagnostic>,
    },
}

fn shipped_hint(path: &std::path::Path) -> &'static str {
    if path.exists() { "" } else { "; experiments/ holds the specs that come with the program" }
}

/// Maximum number of diagnostics shown; more indicate a file of another kind.
const MAX_SHOWN: usize = 50;

fn all(origin: &str, diagnostics: &[SpecDiagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
        match &diagnostic.place {
            SpecLocation::Line(line) => text += &format!("{origin}:{line}: {diagnostic}\n"),
            SpecLocation::Set(setting) => text += &format!("--set {setting}: {diagnostic}\n"),
            SpecLocation::SlurmOption(option) => text += &format!("--slurm-option {option}: {diagnostic}\n"),
        }
    }
    let n = diagnostics.len();
    if n > MAX_SHOWN {
        text += &format!("… and {} more\n", n - MAX_SHOWN);
    }
    text + &format!("{} found: nothing was done", counted(n, "error"))
}

/// Formats names for a message: `a`, `b` and `c`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "none".to_owned(),
    }
}

//! Diagnostics: errors and warnings with their location in a file and advice.

use crate::files::visible::ShownPath;
use std::fmt;
use std::path::{Path, PathBuf};

/// Whether the data can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The data cannot be used until this is fixed.
    Error,
    /// The data can be used, but perhaps not as its author intended.
    Warning,
}

/// A position in a file, with the text of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: PathBuf,
    /// Line number, starting at 1; 0 if the location is the entire file.
    pub line: u64,
    /// Column in characters, starting at 1.
    pub column: u64,
    /// Text of the line, or the part around the column if the line is very long.
    pub text: String,
    /// Offset of the column within `text`, in characters from 0.
    pub caret: usize,
    /// Width of the marked span in characters, at least 1.
    pub width: usize,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Short, stable code such as `capitalised-constant`; a warning is shown once per file and
    /// subject.
    pub code: &'static str,
    /// What is wrong, as one lower-case sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Where; `None` if it concerns a directory.
    pub location: Option<Box<Location>>,
    /// What a warning is about, such as a directive's name; warnings are deduplicated per subject.
    pub subject: String,
    /// How many further times the same warning was suppressed.
    pub repeats: u64,
}

impl Diagnostic {
    /// Creates an error.
    pub fn error(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into(), help.into())
    }

    /// Creates a warning.
    pub fn warning(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into(), help.into())
    }

    fn new(severity: Severity, code: &'static str, message: String, help: String) -> Self {
        Diagnostic { severity, code, message, help, location: None, subject: String::new(), repeats: 0 }
    }

    /// Sets the subject.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// Sets the location.
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(Box::new(location));
        self
    }

    /// Sets the location to an entire file.
    pub fn in_file(self, file: &Path) -> Self {
        self.at(Location { file: file.to_owned(), line: 0, column: 0, text: String::new(), caret: 0, width: 1 })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match &self.location {
            Some(at) if at.line > 0 => write!(f, "{}:{}:{}: ", at.file.shown(), at.line, at.column)?,
            Some(at) => write!(f, "{}: ", at.file.shown())?,
            None => {}
        }
        write!(f, "{word}[{}]: {}", self.code, self.message)?;
        match self.repeats {
            0 => {}
            1 => write!(f, " (and once more)")?,
            n => write!(f, " (and {n} more times)")?,
        }
        if let Some(at) = self.location.as_ref().filter(|at| at.line > 0) {
            let number = at.line.to_string();
            let margin = " ".repeat(number.len());
            // Tabs before the caret stay tabs, so that the caret is aligned with its column.
            let pad: String = at.text.chars().take(at.caret).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n {margin} |\n {number} | {}\n {margin} | {pad}{}", at.text, "^".repeat(at.width.max(1)))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

/// A collection of diagnostics, limited to [`Diagnostics::ERRORS_PER_FILE`] errors per file and
/// one instance of each warning per file.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    suppressed_errors: u64,
}

impl Diagnostics {
    /// Further errors in the same file are only counted.
    pub const ERRORS_PER_FILE: usize = 20;

    /// Adds a diagnostic; a warning with a known code, file and subject only increments a count.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let file = diagnostic.location.as_ref().map(|at| at.file.as_path());
        match diagnostic.severity {
            Severity::Warning => {
                if self.repeat(diagnostic.code, file, &diagnostic.subject) {
                    return;
                }
            }
            Severity::Error => {
                let in_file = |d: &&Diagnostic| d.location.as_ref().map(|at| at.file.as_path()) == file;
                if self.errors().filter(in_file).count() >= Self::ERRORS_PER_FILE {
                    self.suppressed_errors += 1;
                    return;
                }
            }
        }
        self.all.push(diagnostic);
    }

    /// Counts a diagnostic that would not be shown, which saves computing its location.
    ///
    /// Returns `false` if it must be pushed instead.
    pub fn count_if_hidden(&mut self, diagnostic: &Diagnostic, file: &Path) -> bool {
        match diagnostic.severity {
            Severity::Warning => self.repeat(diagnostic.code, Some(file), &diagnostic.subject),
            Severity::Error => {
                let in_file = |d: &&Diagnostic| d.location.as_ref().is_some_and(|at| at.file == file);
                let is_full = self.errors().filter(in_file).count() >= Self::ERRORS_PER_FILE;
                self.suppressed_errors += u64::from(is_full);
                is_full
            }
        }
    }

    /// Counts a repeated warning; returns `false` if it is new and must be pushed instead.
    pub fn repeat(&mut self, code: &str, file: Option<&Path>, subject: &str) -> bool {
        let known = self.all.iter_mut().find(|d| {
            d.severity == Severity::Warning
                && d.code == code
                && d.subject == subject
                && d.location.as_ref().map(|at| at.file.as_path()) == file
        });
        if let Some(first) = known {
            first.repeats += 1;
            return true;
        }
        false
    }

    /// Adds to the number of errors that are counted but not shown.
    pub fn suppress(&mut self, errors: u64) {
        self.suppressed_errors += errors;
    }

    /// Iterates over all diagnostics in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// Returns a copy without the warnings that have one of these codes.
    pub fn without(&self, codes: &[&str]) -> Diagnostics {
        let mut rest = self.clone();
        rest.all.retain(|d| d.severity == Severity::Error || !codes.contains(&d.code));
        rest
    }

    /// Keeps only the errors.
    pub fn without_warnings(mut self) -> Diagnostics {
        self.all.retain(|d| d.severity == Severity::Error);
        self
    }

    /// Iterates over the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(|d| d.severity == Severity::Error)
    }

    /// Iterates over the warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(|d| d.severity == Severity::Warning)
    }

    /// Returns the number of errors, including those not kept.
    pub fn error_count(&self) -> u64 {
        self.errors().count() as u64 + self.suppressed_errors
    }

    /// Returns whether an error prevents the data from being used.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Appends another collection.
    pub fn extend(&mut self, other: Diagnostics) {
        self.suppressed_errors += other.suppressed_errors;
        for diagnostic in other.all {
            self.push(diagnostic);
        }
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut all = Diagnostics::default();
        diagnostics.into_iter().for_each(|diagnostic| all.push(diagnostic));
        all
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.all.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        if self.suppressed_errors > 0 {
            write!(f, "\n… and {} more errors", self.suppressed_errors)?;
        }
        Ok(())
    }
}

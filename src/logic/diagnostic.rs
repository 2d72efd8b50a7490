//! What is wrong in a file, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Whether reading can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The data cannot be used until this is mended.
    Error,
    /// The data can be used, but perhaps not as its author meant.
    Warning,
}

/// A place in a file, with the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// The text of the line, or the part around the column if the line is very long.
    pub text: String,
    /// Where the column lies in `text`, in characters from 0.
    pub caret: usize,
    /// How many characters the caret spans, at least 1.
    pub width: usize,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A short, stable name such as `capitalised-constant`; a warning is given once a file and subject.
    pub code: &'static str,
    /// What is wrong, as one lower-case sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Where; `None` when it concerns a whole directory.
    pub location: Option<Box<Location>>,
    /// What the warning is about, such as the name of a directive: each subject is warned about by itself.
    pub subject: String,
    /// How many further times the same warning would have been given.
    pub repeats: u64,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into(), help.into())
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into(), help.into())
    }

    fn new(severity: Severity, code: &'static str, message: String, help: String) -> Self {
        Diagnostic { severity, code, message, help, location: None, subject: String::new(), repeats: 0 }
    }

    /// The same, about one subject.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// The same, at a place.
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(Box::new(location));
        self
    }

    /// The same, about a whole file.
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
            Some(at) if at.line > 0 => write!(f, "{}:{}:{}: ", at.file.display(), at.line, at.column)?,
            Some(at) => write!(f, "{}: ", at.file.display())?,
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
            // A tab before the caret must stay a tab, or the caret would not stand below its column.
            let pad: String = at.text.chars().take(at.caret).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n {margin} |\n {number} | {}\n {margin} | {pad}{}", at.text, "^".repeat(at.width.max(1)))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

/// Collects what was found: at most [`Diagnostics::ERRORS_PER_FILE`] errors a file, each warning once a file.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    suppressed_errors: u64,
}

impl Diagnostics {
    /// After this many errors in one file the rest are only counted.
    pub const ERRORS_PER_FILE: usize = 20;

    /// Adds one. A warning whose code, file and subject are known already only raises that one's count.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let file = diagnostic.location.as_ref().map(|at| at.file.as_path());
        match diagnostic.severity {
            Severity::Warning => {
                if self.repeat(diagnostic.code, file, &diagnostic.subject) {
                    return;
                }
            }
            Severity::Error => {
                let here = |d: &&Diagnostic| d.location.as_ref().map(|at| at.file.as_path()) == file;
                if self.errors().filter(here).count() >= Self::ERRORS_PER_FILE {
                    self.suppressed_errors += 1;
                    return;
                }
            }
        }
        self.all.push(diagnostic);
    }

    /// Counts one that would not be shown, so that its place need not be looked for; `false` if it has to be pushed.
    pub fn counted(&mut self, diagnostic: &Diagnostic, file: &Path) -> bool {
        match diagnostic.severity {
            Severity::Warning => self.repeat(diagnostic.code, Some(file), &diagnostic.subject),
            Severity::Error => {
                let here = |d: &&Diagnostic| d.location.as_ref().is_some_and(|at| at.file == file);
                let is_full = self.errors().filter(here).count() >= Self::ERRORS_PER_FILE;
                self.suppressed_errors += u64::from(is_full);
                is_full
            }
        }
    }

    /// Counts a warning that was given before; `false` if it was not, and has to be made and pushed.
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

    /// Counts errors that are not worth showing after so many of their kind.
    pub fn suppress(&mut self, errors: u64) {
        self.suppressed_errors += errors;
    }

    /// Everything, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// All but the warnings of these names.
    pub fn without(&self, codes: &[&str]) -> Diagnostics {
        let mut rest = self.clone();
        rest.all.retain(|d| d.severity == Severity::Error || !codes.contains(&d.code));
        rest
    }

    /// The errors alone.
    pub fn without_warnings(mut self) -> Diagnostics {
        self.all.retain(|d| d.severity == Severity::Error);
        self
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(|d| d.severity == Severity::Error)
    }

    /// The warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(|d| d.severity == Severity::Warning)
    }

    /// How many errors there are, counting those not kept.
    pub fn error_count(&self) -> u64 {
        self.errors().count() as u64 + self.suppressed_errors
    }

    /// Whether anything forbids using the data.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Adds everything of another collection.
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

//! Reads specs: parses, applies the settings of the command line, and validates.

use std::path::Path;

use super::check::{DataRequirement, check};
use super::diagnostic::{SpecDiagnostic, SpecError, SpecLocation};
use super::experiment::Experiment;
use super::{directory, edit, raw, set};
use crate::files::visible::ShownPath;

impl Experiment {
    /// Reads a spec and applies `KEY=VALUE` settings of the command line.
    ///
    /// # Errors
    /// If the file cannot be read, or with all diagnostics of the spec.
    pub fn read(path: &Path, settings: &[String]) -> Result<Experiment, SpecError> {
        let text = Self::text(path)?;
        Self::parse_with(&text, path, settings, DataRequirement::MustExist)
    }

    /// Reads the spec of a run directory. Data directories need not exist any more.
    ///
    /// # Errors
    /// If the file cannot be read, or with all diagnostics of the spec.
    pub fn read_frozen(path: &Path) -> Result<Experiment, SpecError> {
        let text = Self::text(path)?;
        Self::parse_with(&text, path, &[], DataRequirement::MayBeMissing)
    }

    /// Parses a spec; `origin` is its path in diagnostics, and own data are relative to it.
    ///
    /// # Errors
    /// With all diagnostics of the spec.
    pub fn parse(text: &str, origin: &str, settings: &[String]) -> Result<Experiment, SpecError> {
        Self::parse_with(text, Path::new(origin), settings, DataRequirement::MustExist)
    }

    fn text(path: &Path) -> Result<String, SpecError> {
        std::fs::read_to_string(path).map_err(|source| SpecError::Unreadable { path: path.to_owned(), source })
    }

    fn parse_with(
        text: &str,
        path: &Path,
        settings: &[String],
        data: DataRequirement,
    ) -> Result<Experiment, SpecError> {
        let origin = path.shown().to_string();
        let invalid = |mut diagnostics: Vec<SpecDiagnostic>| {
            // In the order of the file, then of the command line; the sort is stable within a line.
            diagnostics.sort_by_key(|diagnostic| match diagnostic.place {
                SpecLocation::Line(line) => line,
                SpecLocation::Set(_) | SpecLocation::SlurmOption(_) => usize::MAX,
            });
            SpecError::Invalid { origin: origin.clone(), diagnostics }
        };
        let original = raw::read(text).map_err(invalid)?;
        let mut table = original.clone();
        let mut diagnostics = Vec::new();
        set::apply(&mut table, settings, &mut diagnostics);
        directory::resolve(&mut table, path.parent().unwrap_or(Path::new("")), &mut diagnostics);
        let experiment = check(&table, data, &mut diagnostics);
        let mut experiment = experiment.ok_or_else(|| invalid(diagnostics))?;
        experiment.frozen = match settings {
            // Verbatim, with its comments.
            [] if table == original => text.to_owned(),
            [] => edit::rewrite(text, &original, &table),
            _ => {
                let note = format!("# {origin} with --set {}", settings.join(" --set "));
                format!("{}\n\n{}", note.replace(char::is_control, " "), edit::rewrite(text, &original, &table))
            }
        };
        Ok(experiment)
    }
}

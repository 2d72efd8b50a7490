//! Specifications of experiments: TOML as a person wrote it, and the checked experiment it stands for.
//!
//! Reading has two stages. [`raw`] keeps exactly what was typed, with the line of every value; `--set` of the command
//! line changes it there. Then [`format`](mod@format) says which keys there are, and the rest checks what they mean. All mistakes are
//! reported at once, each with its place, its value, and what is allowed.

mod check;
mod diagnostic;
mod experiment;
pub mod format;
mod models;
pub mod raw;
pub mod schema;
mod set;
mod shape;
mod slurm;
pub(crate) mod units;

use std::path::Path;

pub use diagnostic::{Mistake, Place, SpecError};
pub use experiment::{Compare, Expected, Experiment, Part, Row};
pub use format::{CORRECTED_T, FRIEDMAN_NEMENYI, WILCOXON};
pub use slurm::SlurmSettings;

impl Experiment {
    /// Reads a spec, with settings `KEY=VALUE` of the command line.
    ///
    /// # Errors
    /// If the file cannot be read, or with everything that is wrong in it.
    pub fn read(path: &Path, settings: &[String]) -> Result<Experiment, SpecError> {
        let text = Self::text(path)?;
        Self::parse(&text, &path.display().to_string(), settings)
    }

    /// Reads the spec that a run directory keeps. Directories with data may have been moved since, or lie elsewhere from here.
    ///
    /// # Errors
    /// If the file cannot be read, or with everything that is wrong in it.
    pub fn read_frozen(path: &Path) -> Result<Experiment, SpecError> {
        let text = Self::text(path)?;
        Self::parse_with(&text, &path.display().to_string(), &[], check::Data::MayBeGone)
    }

    /// Reads the text of a spec; `origin` names it in errors.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn parse(text: &str, origin: &str, settings: &[String]) -> Result<Experiment, SpecError> {
        Self::parse_with(text, origin, settings, check::Data::IsHere)
    }

    fn text(path: &Path) -> Result<String, SpecError> {
        std::fs::read_to_string(path).map_err(|source| SpecError::Unreadable { path: path.to_owned(), source })
    }

    fn parse_with(text: &str, origin: &str, settings: &[String], data: check::Data) -> Result<Experiment, SpecError> {
        let wrong = |mut mistakes: Vec<Mistake>| {
            // In the order of the file, then those of the command line; what is of one line stays in its order.
            mistakes.sort_by_key(|mistake| match mistake.place {
                Place::Line(line) => line,
                Place::Set(_) | Place::SlurmOption(_) => usize::MAX,
            });
            SpecError::Wrong { origin: origin.to_owned(), mistakes }
        };
        let mut table = raw::read(text).map_err(wrong)?;
        let mut mistakes = Vec::new();
        set::apply(&mut table, settings, &mut mistakes);
        let experiment = check::check(&table, data, &mut mistakes);
        let mut experiment = experiment.ok_or_else(|| wrong(mistakes))?;
        experiment.frozen = match settings {
            // As it was written, with its comments.
            [] => text.to_owned(),
            _ => format!("# {origin} with --set {}\n\n{}", settings.join(" --set "), raw::print(&table)),
        };
        Ok(experiment)
    }
}

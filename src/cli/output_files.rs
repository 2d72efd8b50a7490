//! Guards against overwriting files that a command reads.

use std::path::{Path, PathBuf};

use super::error::CommandError;
use crate::experiment::store::SPEC;
use crate::files::visible::ShownPath;

/// Existing files that a command would overwrite, with the options that name them.
pub struct OutputFiles(Vec<(&'static str, PathBuf)>);

impl OutputFiles {
    /// Collects the options that were given.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>) -> Self {
        let given = files.into_iter().filter_map(|(option, path)| Some((option, path?)));
        // A file that does not exist cannot be an input.
        OutputFiles(given.filter_map(|(option, path)| Some((option, path.canonicalize().ok()?))).collect())
    }

    /// Returns an error if one of these input files would be overwritten.
    pub fn protect<'a>(&self, read: impl IntoIterator<Item = &'a Path>) -> Result<(), CommandError> {
        for path in read.into_iter().filter_map(|path| path.canonicalize().ok()) {
            self.check(|written| *written == path, "the command reads this file")?;
        }
        Ok(())
    }

    /// Returns an error if the spec or a job of a run directory would be overwritten.
    pub fn protect_run(&self, run: &Path) -> Result<(), CommandError> {
        let Ok(run) = run.canonicalize() else { return Ok(()) };
        let (spec, jobs) = (run.join(SPEC), run.join("jobs"));
        self.check(|written| *written == spec || written.starts_with(&jobs), "the run needs this file")
    }

    fn check(&self, is_protected: impl Fn(&PathBuf) -> bool, why: &str) -> Result<(), CommandError> {
        match self.0.iter().find(|(_, written)| is_protected(written)) {
            Some((option, written)) => Err(CommandError::Input(format!(
                "{option} {}: {why}, so it cannot be overwritten: choose another name",
                written.shown()
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_files_are_protected_under_any_path() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        std::fs::write(file("read"), "").unwrap();
        std::fs::write(file("other"), "").unwrap();
        std::fs::create_dir(file("in")).unwrap();
        let other_name = file("in/../read");
        for (written, is_allowed) in [("read", false), ("other", true), ("new", true)] {
            let outputs = OutputFiles::new([("--out", Some(&file(written))), ("--dot", None)]);
            for path in [&file("read"), &other_name] {
                let checked = outputs.protect([path.as_path()]);
                assert_eq!(checked.is_ok(), is_allowed, "{written}");
                let rejected = checked.err().map(|error| (error.exit_code(), error.to_string().contains("--out")));
                assert!(rejected.is_none_or(|rejected| rejected == (2, true)), "{written}");
            }
        }
    }
}

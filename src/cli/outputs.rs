//! The files that a command writes, none of which may be one that it reads.

use std::path::{Path, PathBuf};

use super::CommandError;
use crate::experiment::store::SPEC;

/// The files that a command was told to write, with the options that name them.
pub struct Outputs(Vec<(&'static str, PathBuf)>);

impl Outputs {
    /// Those of these options that were given.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>) -> Self {
        let given = files.into_iter().filter_map(|(option, path)| Some((option, path?)));
        // One that is not there yet is not one that can be read.
        Outputs(given.filter_map(|(option, path)| Some((option, path.canonicalize().ok()?))).collect())
    }

    /// Refuses to write over any of these files.
    pub fn spare<'a>(&self, read: impl IntoIterator<Item = &'a Path>) -> Result<(), CommandError> {
        for path in read.into_iter().filter_map(|path| path.canonicalize().ok()) {
            self.refuse(|written| *written == path, "the command reads this file")?;
        }
        Ok(())
    }

    /// Refuses to write over what a run directory cannot do without.
    pub fn spare_run(&self, run: &Path) -> Result<(), CommandError> {
        let Ok(run) = run.canonicalize() else { return Ok(()) };
        let (spec, jobs) = (run.join(SPEC), run.join("jobs"));
        self.refuse(|written| *written == spec || written.starts_with(&jobs), "the run needs this file")
    }

    fn refuse(&self, is: impl Fn(&PathBuf) -> bool, why: &str) -> Result<(), CommandError> {
        match self.0.iter().find(|(_, written)| is(written)) {
            Some((option, written)) => Err(CommandError::Input(format!(
                "{option} {}: {why}, and it would be overwritten: give another name",
                written.display()
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_any_of_its_names() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        std::fs::write(file("read"), "").unwrap();
        std::fs::write(file("other"), "").unwrap();
        std::fs::create_dir(file("in")).unwrap();
        let other_name = file("in/../read");
        for (written, is_spared) in [("read", false), ("other", true), ("new", true)] {
            let outputs = Outputs::new([("--out", Some(&file(written))), ("--dot", None)]);
            for path in [&file("read"), &other_name] {
                let spared = outputs.spare([path.as_path()]);
                assert_eq!(spared.is_ok(), is_spared, "{written}");
                let refused = spared.err().map(|error| (error.exit_code(), error.to_string().contains("--out")));
                assert!(refused.is_none_or(|refused| refused == (2, true)), "{written}");
            }
        }
    }
}

//! Guards against overwriting files that a command reads or has just written.

use std::path::{Path, PathBuf};

use super::error::CommandError;
use crate::experiment::store::SPEC;
use crate::files::visible::ShownPath;

/// Files that a command writes, with the options that name them.
pub struct OutputFiles(Vec<(&'static str, PathBuf)>);

impl OutputFiles {
    /// Collects the options that were given.
    ///
    /// # Errors
    /// If two of them name the same file.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>) -> Result<Self, CommandError> {
        let mut known: Vec<(&'static str, PathBuf)> = Vec::new();
        for (option, path) in files.into_iter().filter_map(|(option, path)| Some((option, path?))) {
            let resolved = resolved(path);
            if let Some((other, _)) = known.iter().find(|(_, written)| *written == resolved) {
                return Err(CommandError::Input(format!(
                    "{option} {}: {other} names the same file; choose another name for one of them",
                    path.shown()
                )));
            }
            known.push((option, resolved));
        }
        Ok(OutputFiles(known))
    }

    /// Returns an error if one of these input files would be overwritten.
    pub fn protect<'a>(&self, read: impl IntoIterator<Item = &'a Path>) -> Result<(), CommandError> {
        for path in read.into_iter().map(resolved) {
            self.check(|written| *written == path, "the command reads this file")?;
        }
        Ok(())
    }

    /// Returns an error if the spec or a job of a run directory would be overwritten.
    pub fn protect_run(&self, run: &Path) -> Result<(), CommandError> {
        let Ok(run) = run.canonicalize() else { return Ok(()) };
        let (spec, jobs) = (run.join(SPEC), run.join("jobs"));
        let is_needed = |written: &PathBuf| *written == spec || written.starts_with(&jobs) && written.exists();
        self.check(is_needed, "the run needs this file")
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

/// Returns the canonical path, also of a file that does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            resolved(parent).join(name)
        }
        _ => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_options_cannot_name_one_file() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        std::fs::write(file("old"), "").unwrap();
        std::fs::create_dir(file("in")).unwrap();
        for (first, second, is_allowed) in [
            ("old", "in/../old", false),
            ("new", "in/../new", false),
            ("no/new", "./no/new", false),
            ("new", "old", true),
            ("new", "in/new", true),
        ] {
            let outputs = OutputFiles::new([("--out", Some(&file(first))), ("--dot", Some(&file(second)))]);
            assert_eq!(outputs.is_ok(), is_allowed, "{first} {second}");
            let message = outputs.err().map(|error| (error.exit_code(), error.to_string().contains("--dot")));
            assert!(message.is_none_or(|message| message == (2, true)), "{first} {second}");
        }
    }

    #[test]
    fn input_files_are_protected_under_any_path() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        std::fs::write(file("read"), "").unwrap();
        std::fs::write(file("other"), "").unwrap();
        std::fs::create_dir(file("in")).unwrap();
        let other_name = file("in/../read");
        for (written, is_allowed) in [("read", false), ("other", true), ("new", true)] {
            let outputs = OutputFiles::new([("--out", Some(&file(written))), ("--dot", None)]).unwrap();
            for path in [&file("read"), &other_name] {
                let checked = outputs.protect([path.as_path()]);
                assert_eq!(checked.is_ok(), is_allowed, "{written}");
                let rejected = checked.err().map(|error| (error.exit_code(), error.to_string().contains("--out")));
                assert!(rejected.is_none_or(|rejected| rejected == (2, true)), "{written}");
            }
        }
    }
}

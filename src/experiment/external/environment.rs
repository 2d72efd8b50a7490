//! What the results of external systems depend on besides the spec and the data: the content of
//! `external.json` in a run directory.
//!
//! `run` measures it and asks every command for its version. `plan` measures it but starts nothing:
//! it takes the versions from the record. Reports and tasks on other nodes take all of it from the
//! record.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config::{External, ScoreSource, Version};
use super::error::ExternalError;
use super::version;
use crate::experiment::job::{Job, System};
use crate::files::{self, digest};

/// File name in a run directory.
pub const FILE: &str = "external.json";
const FORMAT: u32 = 1;

/// The recorded inputs of all external systems of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    format: u32,
    /// Directory of the spec, absolute.
    spec_dir: PathBuf,
    /// Inputs by name of the model.
    models: BTreeMap<String, ModelInputs>,
}

/// The recorded inputs of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelInputs {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version_failure: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
    /// SHA-256 of files of scores by their path relative to the spec.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    scores: BTreeMap<String, String>,
}

fn external(job: &mut Job) -> Option<&mut External> {
    match &mut job.system {
        System::Learner(_) => None,
        System::External(external) => Some(external),
    }
}

impl Environment {
    /// Collects the inputs of jobs; `None` without external systems.
    pub fn of<'a>(jobs: impl Iterator<Item = &'a Job>) -> Option<Environment> {
        let mut found: Option<Environment> = None;
        for job in jobs {
            let Some(External { inputs, .. }) = job.system.external() else { continue };
            let empty = || Environment { format: FORMAT, spec_dir: inputs.spec_dir.clone(), models: BTreeMap::new() };
            let models = &mut found.get_or_insert_with(empty).models;
            let model = models.entry(job.model.clone()).or_insert_with(|| ModelInputs {
                version: match &inputs.version {
                    Version::Printed(output) => Some(output.clone()),
                    Version::Failed { last, .. } => last.clone(),
                    Version::Unknown => None,
                },
                version_failure: match &inputs.version {
                    Version::Failed { why, .. } => Some(why.clone()),
                    Version::Unknown | Version::Printed(_) => None,
                },
                files: inputs.files.clone(),
                scores: BTreeMap::new(),
            });
            if let (Some(path), Some(checksum)) = (job.scores_path(), &inputs.scores) {
                model.scores.insert(path, checksum.clone());
            }
        }
        found
    }

    /// Sets all inputs of a job to the recorded ones.
    pub fn apply(&self, job: &mut Job) {
        let path = job.scores_path();
        let recorded = self.models.get(&job.model);
        self.apply_version(job);
        let Some(external) = external(job) else { return };
        external.inputs.spec_dir.clone_from(&self.spec_dir);
        let Some(recorded) = recorded else { return };
        external.inputs.files.clone_from(&recorded.files);
        external.inputs.scores = path.and_then(|path| recorded.scores.get(&path).cloned());
    }

    /// Sets the version of a job to the recorded one.
    pub fn apply_version(&self, job: &mut Job) {
        let recorded = self.models.get(&job.model);
        let (Some(external), Some(recorded)) = (external(job), recorded) else { return };
        if external.command().is_none_or(|command| command.version.is_none()) {
            return;
        }
        external.inputs.version = match (&recorded.version, &recorded.version_failure) {
            (last, Some(why)) => Version::Failed { why: why.clone(), last: last.clone() },
            (Some(output), None) => Version::Printed(output.clone()),
            (None, None) => Version::Unknown,
        };
    }

    /// Sets what was not found to what is recorded: the version of a command, and the checksum of a
    /// file of scores that is missing now, so that its result stays valid.
    pub fn complete(&self, job: &mut Job) {
        self.apply_version(job);
        let (path, recorded) = (job.scores_path(), self.models.get(&job.model));
        let (Some(external), Some(recorded)) = (external(job), recorded) else { return };
        if external.inputs.scores.is_none() {
            external.inputs.scores = path.and_then(|path| recorded.scores.get(&path).cloned());
        }
    }

    /// Reads the record of a run directory; `None` if there is none that can be used.
    pub fn read(root: &Path) -> Option<Environment> {
        let bytes = fs::read(root.join(FILE)).ok()?;
        serde_json::from_slice(&bytes).ok().filter(|read: &Environment| read.format == FORMAT)
    }

    /// Writes the record into a run directory.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, root: &Path) -> Result<(), ExternalError> {
        let path = root.join(FILE);
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        let write = || {
            files::check_no_links(root, &path)?;
            files::write(&path, |out| out.write_all(text.as_bytes()))
        };
        write().map_err(|source| ExternalError::Write { path, source })
    }
}

/// Computes the checksums of the files that external systems depend on.
///
/// # Errors
/// If a listed file cannot be read. A missing file of scores is a failure of its job.
pub fn measure<'a>(jobs: impl Iterator<Item = &'a mut Job>, spec_dir: &Path) -> Result<(), ExternalError> {
    let mut spec_dir_found: Option<PathBuf> = None;
    let mut files_of: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for job in jobs {
        let (model, path) = (job.model.clone(), job.scores_path());
        let Some(external) = external(job) else { continue };
        let directory = match &spec_dir_found {
            Some(directory) => directory.clone(),
            None => spec_dir_found.insert(absolute(spec_dir)?).clone(),
        };
        if let ScoreSource::Command(command) = &external.source {
            if !files_of.contains_key(&model) {
                files_of.insert(model.clone(), checksums(&model, &command.files, &directory)?);
            }
            external.inputs.files = files_of.get(&model).cloned().unwrap_or_default();
        }
        external.inputs.scores = path.and_then(|path| checksum(&directory.join(path)).ok());
        external.inputs.spec_dir = directory;
    }
    Ok(())
}

/// Returns the directory without symbolic links, so that it has one name.
fn absolute(spec_dir: &Path) -> Result<PathBuf, ExternalError> {
    let path = if spec_dir.as_os_str().is_empty() { Path::new(".") } else { spec_dir };
    path.canonicalize().map_err(|source| ExternalError::Directory { path: path.to_owned(), source })
}

fn checksums(model: &str, listed: &[String], directory: &Path) -> Result<BTreeMap<String, String>, ExternalError> {
    let mut found = BTreeMap::new();
    for name in listed {
        let path = directory.join(name);
        let failed = |source| ExternalError::File { model: model.to_owned(), path: path.clone(), source };
        found.insert(name.clone(), checksum(&path).map_err(failed)?);
    }
    Ok(found)
}

/// Returns the SHA-256 of a file.
///
/// # Errors
/// If it cannot be read.
pub fn checksum(path: &Path) -> io::Result<String> {
    fs::read(path).map(|bytes| digest::sha256(&bytes))
}

/// Returns the first model with a `version` whose output is not known.
pub fn unknown_version<'a>(mut jobs: impl Iterator<Item = &'a Job>) -> Option<&'a str> {
    let is_unknown = |external: &External| {
        let asks = external.command().is_some_and(|command| command.version.is_some());
        asks && external.inputs.version == Version::Unknown
    };
    jobs.find(|job| job.system.external().is_some_and(is_unknown)).map(|job| job.model.as_str())
}

/// Asks the commands of jobs for their versions, each model once.
pub fn ask_versions<'a>(jobs: impl Iterator<Item = &'a mut Job>) {
    let mut known: BTreeMap<String, Version> = BTreeMap::new();
    for job in jobs {
        let model = job.model.clone();
        let Some(external) = external(job) else { continue };
        let asked = external.command().and_then(|command| command.version.as_ref());
        let Some(command) = asked.map(|command| external.expanded(command)) else { continue };
        let found = known.entry(model).or_insert_with(|| match version::ask(&command) {
            Ok(output) => Version::Printed(output),
            Err(why) => {
                let last = match &external.inputs.version {
                    Version::Printed(output) => Some(output.clone()),
                    Version::Failed { last, .. } => last.clone(),
                    Version::Unknown => None,
                };
                Version::Failed { why, last }
            }
        });
        external.inputs.version = found.clone();
    }
}

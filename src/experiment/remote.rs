//! What a process on another node needs besides the stored spec to run jobs: where the run was
//! planned, where the data are, and their checksums.
//!
//! With it, jobs and their ids follow from the run directory alone, without reading or generating
//! data. Changed data are detected when a job opens them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dataset_ref::DatasetRef;
use super::external::environment::Environment;
use super::job::Job;
use super::key::JobId;
use super::plan::Plan;
use super::planned::PlannedJob;
use super::spec::Experiment;
use super::store::SPEC;
use crate::data::store::Store;
use crate::determinism::{HashMap, IndexMap};
use crate::files;
use crate::files::visible::ShownPath;

/// Directory of all cluster files, below the run directory.
pub const CLUSTER: &str = "cluster";
const FILE: &str = "frozen.json";
const VERSION: u32 = 1;

/// Reason why jobs of a run cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// A file of the run cannot be read or written.
    #[error("{}: {source}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file was modified after it was written.
    #[error("{}: {reason}; `lrbm run` or `lrbm plan --format commands` on the spec writes it again", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        reason: String,
    },
    /// A path is not valid UTF-8.
    #[error("{}: paths must be valid UTF-8 for jobs to run on other nodes; rename it", .0.shown())]
    NotText(PathBuf),
    /// No job has the id.
    #[error(
        "no job of {} has the id `{id}`: the spec, the data or the program changed since the id was printed; \
          `lrbm plan SPEC --format commands` prints the current ids",
        root.shown()
    )]
    UnknownJob {
        /// The run directory.
        root: PathBuf,
        /// The id.
        id: String,
    },
    /// Several jobs have an id with this prefix.
    #[error("`{id}` is the prefix of several ids; give more digits")]
    Ambiguous {
        /// The prefix.
        id: String,
    },
}

/// Where a run was planned, and with which data: the content of `cluster/frozen.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteRun {
    version: u32,
    /// Directory that relative paths in the spec refer to.
    pub directory: PathBuf,
    /// Directory of fetched data.
    pub data: PathBuf,
    /// Datasets of the plan by name.
    pub datasets: IndexMap<String, RemoteDataset>,
    /// What external systems depend on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<Environment>,
}

/// A dataset when the run was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteDataset {
    /// Its checksum.
    pub checksum: String,
    /// Number of folds.
    pub folds: usize,
    /// Checksums of other variants, by the variant as text.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub variants: IndexMap<String, String>,
}

impl RemoteRun {
    /// Captures a plan.
    ///
    /// # Errors
    /// If the current directory cannot be determined.
    pub fn of(plan: &Plan, data: &Store) -> Result<RemoteRun, RemoteError> {
        let absolute =
            |path: &Path| std::path::absolute(path).map_err(|source| RemoteError::Io { path: path.to_owned(), source });
        let mut datasets = IndexMap::default();
        for entry in &plan.jobs {
            if let (Some(checksum), Some(folds)) = (&entry.data_checksum, entry.job.split.folds) {
                let first = || RemoteDataset { checksum: checksum.clone(), folds, variants: IndexMap::default() };
                let dataset = datasets.entry(entry.job.dataset.name.clone()).or_insert_with(first);
                if dataset.checksum != *checksum {
                    let variant = variant_text(&entry.job.dataset);
                    dataset.variants.entry(variant).or_insert_with(|| checksum.clone());
                }
            }
        }
        let (directory, data) = (absolute(Path::new("."))?, absolute(data.root())?);
        let external = Environment::of(plan.jobs.iter().map(|entry| &entry.job));
        Ok(RemoteRun { version: VERSION, directory, data, datasets, external })
    }

    /// Writes the file into a run directory.
    ///
    /// # Errors
    /// If it cannot be written, or a path is not valid UTF-8.
    pub fn write(&self, root: &Path) -> Result<(), RemoteError> {
        for path in [&self.directory, &self.data] {
            path.to_str().ok_or_else(|| RemoteError::NotText(path.clone()))?;
        }
        let path = root.join(CLUSTER).join(FILE);
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        let write = || {
            files::check_no_links(root, &path)?;
            files::write(&path, |out| out.write_all(text.as_bytes()))
        };
        write().map_err(|source| RemoteError::Io { path, source })
    }

    /// Reads the file of a run directory; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read(root: &Path) -> Result<Option<RemoteRun>, RemoteError> {
        let path = root.join(CLUSTER).join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RemoteError::Io { path, source }),
        };
        let frozen: Result<RemoteRun, String> = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        match frozen {
            Ok(frozen) if frozen.version == VERSION => Ok(Some(frozen)),
            Ok(RemoteRun { version, .. }) => {
                Err(RemoteError::Damaged { path, reason: format!("unsupported version {version}, expected {VERSION}") })
            }
            Err(reason) => Err(RemoteError::Damaged { path, reason }),
        }
    }

    /// Expands an experiment with the recorded datasets.
    pub fn jobs(&self, experiment: &Experiment) -> Vec<PlannedJob> {
        let mut planned = Vec::new();
        for part in &experiment.datasets {
            if let Some(RemoteDataset { checksum, folds, variants }) = self.datasets.get(&part.source.name) {
                let mut jobs = part.jobs(&part.seeds, *folds, experiment.limits);
                if let Some(environment) = &self.external {
                    jobs.iter_mut().for_each(|job| environment.apply(job));
                }
                let checksum_of = |job: &Job| match variants.is_empty() {
                    true => checksum,
                    false => variants.get(&variant_text(&job.dataset)).unwrap_or(checksum),
                };
                planned.extend(jobs.into_iter().map(|job| {
                    let checksum = checksum_of(&job);
                    PlannedJob::new(job, checksum)
                }));
            }
        }
        planned
    }
}

fn variant_text(source: &DatasetRef) -> String {
    serde_json::to_string(&source.variant).unwrap_or_default()
}

/// Returns whether a directory holds the spec of a run.
pub fn is_run(root: &Path) -> bool {
    root.join(SPEC).is_file()
}

/// Returns the positions in a plan of the jobs with these ids or id prefixes. Models with equal
/// parameters have jobs with the same id, which then selects all of them.
///
/// # Errors
/// If no job has the id, or a prefix is ambiguous.
pub fn find(plan: &[PlannedJob], ids: &[String], root: &Path) -> Result<Vec<usize>, RemoteError> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::default();
    for (position, planned) in plan.iter().enumerate() {
        by_id.entry(planned.id.as_str()).or_default().push(position);
    }
    let mut found = Vec::new();
    for id in ids {
        if let Some(positions) = by_id.get(id.as_str()) {
            found.extend(positions);
            continue;
        }
        let has_prefix = |planned: &PlannedJob| !id.is_empty() && planned.id.as_str().starts_with(id.as_str());
        let positions: Vec<usize> = (0..plan.len()).filter(|&position| has_prefix(&plan[position])).collect();
        let Some(&first) = positions.first() else {
            return Err(RemoteError::UnknownJob { root: root.to_owned(), id: id.clone() });
        };
        if positions.iter().any(|&position| plan[position].id != plan[first].id) {
            return Err(RemoteError::Ambiguous { id: id.clone() });
        }
        found.extend(positions);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns how many digits distinguish the ids of a plan, at least as many as messages show.
pub fn digits(plan: &[PlannedJob]) -> usize {
    let mut ids: Vec<&JobId> = plan.iter().map(|planned| &planned.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let common_prefix =
        |a: &JobId, b: &JobId| a.as_str().bytes().zip(b.as_str().bytes()).take_while(|(a, b)| a == b).count();
    let needed = ids.windows(2).map(|pair| common_prefix(pair[0], pair[1]) + 1).max().unwrap_or(0);
    needed.max(ids.first().map_or(0, |id| id.short().len()))
}

/// Reads the job list of a task: one id per line, followed by a job name for the reader.
///
/// # Errors
/// If it cannot be read.
pub fn read_list(path: &Path) -> Result<Vec<String>, RemoteError> {
    let text = fs::read_to_string(path).map_err(|source| RemoteError::Io { path: path.to_owned(), source })?;
    Ok(text.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect())
}

/// Formats the job list of a task.
pub fn list(plan: &[PlannedJob], jobs: &[usize]) -> String {
    jobs.iter().map(|&job| format!("{} {}\n", plan[job].id, one_line(&plan[job].job.to_string()))).collect()
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

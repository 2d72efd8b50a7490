//! What a process elsewhere needs beside the frozen spec to do jobs of a run: where it was planned, where the data are, and
//! what they were.
//!
//! With it, jobs and their ids follow from the run directory alone: nothing has to be read or generated to find them. That the
//! data still are what they were is seen when a job opens them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run::Planned;
use super::store::SPEC;
use super::{Experiment, JobId, Plan};
use crate::data::store::Store;
use crate::determinism::{HashMap, IndexMap};
use crate::files;

/// The directory of everything that is about clusters, below the run directory.
pub const CLUSTER: &str = "cluster";
const FILE: &str = "frozen.json";
const VERSION: u32 = 1;

/// Why jobs of a run cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum FrozenError {
    /// A file of the run cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what was written.
    #[error("{}: {reason}; `lrbm run` or `lrbm plan --format commands` on the spec writes it anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A path is not text.
    #[error("{}: a path must be valid text for jobs to run elsewhere; rename it", .0.display())]
    NotText(PathBuf),
    /// No job has the id.
    #[error(
        "no job of {} has the id `{id}`: the spec, the data or the program have changed since it was given; \
         `lrbm plan SPEC --format commands` gives the ids there are",
        root.display()
    )]
    UnknownJob {
        /// The run directory.
        root: PathBuf,
        /// The id.
        id: String,
    },
    /// Several jobs have an id that begins like this.
    #[error("`{id}` is the beginning of several ids: give more of its digits")]
    Ambiguous {
        /// The beginning.
        id: String,
    },
}

/// Where a run was planned, and with which data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    version: u32,
    /// The directory that relative paths of the spec start from.
    pub directory: PathBuf,
    /// The directory of fetched data.
    pub data: PathBuf,
    /// The datasets of the plan by their names.
    pub datasets: IndexMap<String, FrozenData>,
}

/// What a dataset was when the run was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenData {
    /// Its checksum.
    pub checksum: String,
    /// How many folds it has.
    pub folds: usize,
}

impl Frozen {
    /// What is to be kept of a plan.
    ///
    /// # Errors
    /// If the directory we are in has no name.
    pub fn of(plan: &Plan, data: &Store) -> Result<Frozen, FrozenError> {
        let absolute =
            |path: &Path| std::path::absolute(path).map_err(|source| FrozenError::Io { path: path.to_owned(), source });
        let mut datasets = IndexMap::default();
        for listed in &plan.jobs {
            if let (Some(checksum), Some(folds)) = (&listed.data_checksum, listed.job.split.folds) {
                datasets
                    .entry(listed.job.dataset.name.clone())
                    .or_insert_with(|| FrozenData { checksum: checksum.clone(), folds });
            }
        }
        Ok(Frozen { version: VERSION, directory: absolute(Path::new("."))?, data: absolute(data.root())?, datasets })
    }

    /// Writes it into a run directory.
    ///
    /// # Errors
    /// If that cannot be written, or a path is not text.
    pub fn write(&self, root: &Path) -> Result<(), FrozenError> {
        for path in [&self.directory, &self.data] {
            path.to_str().ok_or_else(|| FrozenError::NotText(path.clone()))?;
        }
        let path = root.join(CLUSTER).join(FILE);
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        files::write(&path, |out| out.write_all(text.as_bytes())).map_err(|source| FrozenError::Io { path, source })
    }

    /// Reads that of a run directory; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read(root: &Path) -> Result<Option<Frozen>, FrozenError> {
        let path = root.join(CLUSTER).join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FrozenError::Io { path, source }),
        };
        let frozen: Result<Frozen, String> = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        match frozen {
            Ok(frozen) if frozen.version == VERSION => Ok(Some(frozen)),
            Ok(Frozen { version, .. }) => {
                Err(FrozenError::Damaged { path, reason: format!("it is of version {version}, not {VERSION}") })
            }
            Err(reason) => Err(FrozenError::Damaged { path, reason }),
        }
    }

    /// The jobs of an experiment on these data.
    pub fn jobs(&self, experiment: &Experiment) -> Vec<Planned> {
        let mut planned = Vec::new();
        for part in &experiment.datasets {
            if let Some(FrozenData { checksum, folds }) = self.datasets.get(&part.source.name) {
                let jobs = part.jobs(&experiment.seeds, *folds, experiment.limits);
                planned.extend(jobs.into_iter().map(|job| Planned::new(job, checksum)));
            }
        }
        planned
    }
}

/// Whether a directory has a frozen spec.
pub fn is_run(root: &Path) -> bool {
    root.join(SPEC).is_file()
}

/// The places in a plan of the jobs with these ids, or ids that begin so. Two models may have the same parameters, and then
/// their jobs the same id: it stands for both.
///
/// # Errors
/// If there is no such job, or it is not clear which is meant.
pub fn find(plan: &[Planned], ids: &[String], root: &Path) -> Result<Vec<usize>, FrozenError> {
    let mut whole: HashMap<&str, Vec<usize>> = HashMap::default();
    for (place, planned) in plan.iter().enumerate() {
        whole.entry(planned.id.as_str()).or_default().push(place);
    }
    let mut found = Vec::new();
    for id in ids {
        if let Some(places) = whole.get(id.as_str()) {
            found.extend(places);
            continue;
        }
        let begins = |planned: &Planned| !id.is_empty() && planned.id.as_str().starts_with(id.as_str());
        let places: Vec<usize> = (0..plan.len()).filter(|&place| begins(&plan[place])).collect();
        let Some(&first) = places.first() else {
            return Err(FrozenError::UnknownJob { root: root.to_owned(), id: id.clone() });
        };
        if places.iter().any(|&place| plan[place].id != plan[first].id) {
            return Err(FrozenError::Ambiguous { id: id.clone() });
        }
        found.extend(places);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// How many digits tell the ids of a plan apart, at least as many as messages show.
pub fn digits(plan: &[Planned]) -> usize {
    let mut ids: Vec<&JobId> = plan.iter().map(|planned| &planned.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let same = |a: &JobId, b: &JobId| a.as_str().bytes().zip(b.as_str().bytes()).take_while(|(a, b)| a == b).count();
    let longest = ids.windows(2).map(|pair| same(pair[0], pair[1]) + 1).max().unwrap_or(0);
    longest.max(ids.first().map_or(0, |id| id.short().len()))
}

/// The list of jobs of a task: an id on each line; what follows it is for people.
///
/// # Errors
/// If it cannot be read.
pub fn read_list(path: &Path) -> Result<Vec<String>, FrozenError> {
    let text = fs::read_to_string(path).map_err(|source| FrozenError::Io { path: path.to_owned(), source })?;
    Ok(text.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect())
}

/// The text of such a list.
pub fn list(plan: &[Planned], jobs: &[usize]) -> String {
    jobs.iter().map(|&job| format!("{} {}\n", plan[job].id, one_line(&plan[job].job.to_string()))).collect()
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

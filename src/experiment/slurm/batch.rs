//! Batches: what was submitted, kept in the run directory so that whoever comes later finds it.
//!
//! ```text
//! RUN/cluster/batch-0001/batch.json      the name of the array, and its tasks with the ids of their jobs
//!                        submitted.json  the id of the array; not there if it was not submitted, or the process was killed just then
//!                        task.sh         what each task runs
//!                        tasks/1, 2 …    the jobs of each task, for `lrbm run-job --list`
//!                        out/1.txt …     what each task printed
//! ```
//!
//! None of it says what is done: that follows from the directories of jobs alone. A batch stays, also if the cluster did not take it:
//! its name must never stand for other tasks, since an array of that name may still turn up.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cluster::SlurmError;
use super::quote::quote;
use crate::experiment::JobId;
use crate::experiment::remote::{self, CLUSTER};
use crate::experiment::run::Planned;
use crate::experiment::spec::SlurmSettings;
use crate::files;
use crate::files::digest;

const BATCH: &str = "batch.json";
const SUBMITTED: &str = "submitted.json";
const SCRIPT: &str = "task.sh";
const PREFIX: &str = "batch-";

/// Jobs to be done by one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The places of the jobs in the plan.
    pub jobs: Vec<usize>,
    /// How often they were submitted, with this time.
    pub attempt: u64,
}

/// A batch in its directory, written before it is submitted.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its directory.
    pub directory: PathBuf,
    /// The name of its array, which no other batch of any run has.
    pub name: String,
    /// Its tasks, from number 1.
    pub loads: Vec<Load>,
}

/// The content of `batch.json`.
#[derive(Serialize, Deserialize)]
struct BatchFile {
    name: String,
    tasks: Vec<TaskFile>,
}

#[derive(Serialize, Deserialize)]
struct TaskFile {
    attempt: u64,
    jobs: Vec<JobId>,
}

/// The content of `submitted.json`.
#[derive(Serialize, Deserialize)]
struct SubmittedFile {
    array: u64,
}

/// A batch of an earlier process.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Its directory.
    pub directory: PathBuf,
    /// The name of its array.
    pub name: String,
    /// The id of its array, if it is known.
    pub array: Option<u64>,
    /// Of each task how often its jobs were submitted, and their ids.
    pub tasks: Vec<(u64, Vec<JobId>)>,
}

/// What all batches of a run have in common.
#[derive(Clone, Debug)]
pub struct Desk {
    root: PathBuf,
    prefix: String,
    /// The script of a task, up to the list of its jobs.
    script: String,
}

impl Desk {
    /// For the run of an experiment in a directory; `program` is the path of this one, as tasks call it.
    ///
    /// # Errors
    /// If a path is not text.
    pub fn new(root: &Path, experiment: &str, program: &Path, settings: &SlurmSettings) -> Result<Desk, SlurmError> {
        let root = std::path::absolute(root).map_err(io_error(root))?;
        let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(|| SlurmError::Untold(path.to_owned()));
        let (path, program) = (text(&root)?, text(program)?);
        let digits = digest::sha256(path.as_bytes());
        let prefix = format!("lrbm-{experiment}-{}", digits.get(..8).unwrap_or_default());
        // Programs that a site offers by `module load` are known to login shells only.
        let shell = if settings.prologue.is_some() { "#!/bin/bash -l" } else { "#!/bin/sh" };
        let prologue = settings.prologue.as_ref().map_or_else(String::new, |line| format!("{line}\n"));
        let call = format!("exec {} run-job {} --threads {}", quote(&program), quote(&path), settings.cpus);
        Ok(Desk { root, prefix, script: format!("{shell}\n{prologue}{call} --list ") })
    }

    /// Writes a batch, ready to be submitted.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn write(&self, plan: &[Planned], loads: Vec<Load>) -> Result<Batch, SlurmError> {
        let cluster = self.root.join(CLUSTER);
        files::create_dir_all(&cluster).map_err(io_error(&cluster))?;
        let mut number = numbers(&cluster).map_err(io_error(&cluster))?.last().map_or(1, |last| last + 1);
        let directory = loop {
            let directory = cluster.join(format!("{PREFIX}{number:04}"));
            match files::create_dir(&directory) {
                Ok(()) => break directory,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(io_error(&directory)(error)),
            }
        };
        let name = format!("{}-{number:04}", self.prefix);
        let write = || {
            for inner in ["tasks", "out"] {
                files::create_dir(&directory.join(inner))?;
            }
            for (i, load) in loads.iter().enumerate() {
                let list = remote::list(plan, &load.jobs);
                files::write_in_place(&directory.join("tasks").join((i + 1).to_string()), list.as_bytes())?;
            }
            // The root is text, as is all that comes after it.
            let lists = quote(&directory.join("tasks").to_string_lossy());
            let script = format!("{}{lists}/\"$SLURM_ARRAY_TASK_ID\"\n", self.script);
            files::write_in_place(&directory.join(SCRIPT), script.as_bytes())?;
            let ids = |load: &Load| load.jobs.iter().map(|&job| plan[job].id.clone()).collect();
            let tasks = loads.iter().map(|load| TaskFile { attempt: load.attempt, jobs: ids(load) }).collect();
            put(&directory.join(BATCH), &BatchFile { name: name.clone(), tasks })
        };
        write().map_err(io_error(&directory))?;
        Ok(Batch { directory, name, loads })
    }

    /// Every batch of earlier processes that can be read, in their order.
    pub fn earlier(&self) -> Vec<Earlier> {
        let cluster = self.root.join(CLUSTER);
        let numbers = numbers(&cluster).unwrap_or_default();
        let batch = |number: u64| {
            let directory = cluster.join(format!("{PREFIX}{number:04}"));
            let batch: BatchFile = serde_json::from_slice(&fs::read(directory.join(BATCH)).ok()?).ok()?;
            let submitted: Option<SubmittedFile> =
                fs::read(directory.join(SUBMITTED)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let tasks = batch.tasks.into_iter().map(|task| (task.attempt, task.jobs)).collect();
            Some(Earlier { directory, name: batch.name, array: submitted.map(|file| file.array), tasks })
        };
        numbers.into_iter().filter_map(batch).collect()
    }
}

impl Batch {
    /// The script that its tasks run.
    pub fn script(&self) -> PathBuf {
        self.directory.join(SCRIPT)
    }

    /// Records that it was submitted.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn submitted(&self, array: u64) -> Result<(), SlurmError> {
        let path = self.directory.join(SUBMITTED);
        put(&path, &SubmittedFile { array }).map_err(io_error(&path))
    }
}

/// The last line that a task has printed, if it has printed something.
pub fn last_line(directory: &Path, task: usize) -> Option<String> {
    let bytes = fs::read(directory.join("out").join(format!("{task}.txt"))).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?.trim();
    Some(line.chars().filter(|c| !c.is_control()).take(300).collect())
}

fn numbers(cluster: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(cluster)? {
        let name = entry?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn put(path: &Path, value: &impl Serialize) -> io::Result<()> {
    files::write(path, |out| {
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> SlurmError {
    let path = path.to_owned();
    move |source| SlurmError::Io { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_numbered_and_found_again() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("a 'run' of $(x)\n;");
        let settings = SlurmSettings { prologue: Some("module load gcc".into()), cpus: 2, ..SlurmSettings::default() };
        let desk = Desk::new(&root, "quick", Path::new("/opt/l r/lrbm"), &settings).unwrap();
        assert!(desk.earlier().is_empty());
        let load = |attempt| Load { jobs: Vec::new(), attempt };
        let first = desk.write(&[], vec![load(1), load(1)]).unwrap();
        let second = desk.write(&[], vec![load(2)]).unwrap();
        first.submitted(17).unwrap();
        let earlier = desk.earlier();
        assert_eq!(earlier.len(), 2);
        assert_eq!((earlier[0].array, earlier[0].tasks.len(), earlier[1].array), (Some(17), 2, None));
        assert_eq!(earlier[1].tasks[0].0, 2);
        assert!(first.name.starts_with("lrbm-quick-") && first.name.ends_with("-0001"), "{}", first.name);
        assert_ne!(first.name, second.name);
        let script = fs::read_to_string(first.script()).unwrap();
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(lines[..2], ["#!/bin/bash -l", "module load gcc"]);
        assert!(script.contains("exec '/opt/l r/lrbm' run-job '/"), "{script}");
        assert!(script.contains("a '\\''run'\\'' of $(x)\n;' --threads 2 --list '/"), "{script}");
        assert!(script.ends_with("/cluster/batch-0001/tasks'/\"$SLURM_ARRAY_TASK_ID\"\n"), "{script}");
        fs::write(first.directory.join("out/1.txt"), "one\nlrbm: command not found\n\n").unwrap();
        assert_eq!(last_line(&first.directory, 1).as_deref(), Some("lrbm: command not found"));
        assert_eq!(last_line(&first.directory, 2), None);
    }
}

//! Batches: records of submitted job arrays in the run directory, for later processes to find.
//!
//! ```text
//! RUN/cluster/batch-0001/batch.json      name of the array, and its tasks with their job ids
//!                        submitted.json  id of the array; missing if it was not submitted, or the
//!                                        process was killed during submission
//!                        task.sh         script of every task
//!                        tasks/1, 2 …    jobs of each task, for `lrbm run-job --list`
//!                        out/1.txt …     output of each task
//! ```
//!
//! None of it says what is done: that follows from the job directories alone. A batch is kept even
//! if the cluster rejected it, because its name must never denote other tasks: an array of that
//! name may still appear in the queue.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::quote::quote;
use crate::experiment::error::SlurmError;
use crate::experiment::key::JobId;
use crate::experiment::planned::PlannedJob;
use crate::experiment::remote::{self, CLUSTER};
use crate::experiment::spec::SlurmSettings;
use crate::files;
use crate::files::digest;

const BATCH: &str = "batch.json";
const SUBMITTED: &str = "submitted.json";
const SCRIPT: &str = "task.sh";
const PREFIX: &str = "batch-";

/// Jobs of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskJobs {
    /// Positions of the jobs in the plan.
    pub jobs: Vec<usize>,
    /// Number of submissions of these jobs, including this one.
    pub attempt: u64,
}

/// A batch in its directory, written before it is submitted.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its directory.
    pub directory: PathBuf,
    /// Name of its array, unique among all batches of all runs.
    pub name: String,
    /// Its tasks, numbered from 1.
    pub tasks: Vec<TaskJobs>,
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
pub struct EarlierBatch {
    /// Its directory.
    pub directory: PathBuf,
    /// Name of its array.
    pub name: String,
    /// Id of its array, if known.
    pub array: Option<u64>,
    /// Attempt number and job ids of each task.
    pub tasks: Vec<(u64, Vec<JobId>)>,
}

/// Writer and reader of the batches of a run.
#[derive(Clone, Debug)]
pub struct BatchDirectory {
    root: PathBuf,
    prefix: String,
    /// Script of a task, up to the path of its job list.
    script: String,
}

impl BatchDirectory {
    /// Creates the batch directory of a run; `program` is the path of this program on the nodes.
    ///
    /// # Errors
    /// If a path is not valid UTF-8.
    pub fn new(
        root: &Path,
        experiment: &str,
        program: &Path,
        settings: &SlurmSettings,
    ) -> Result<BatchDirectory, SlurmError> {
        let root = std::path::absolute(root).map_err(io_error(root))?;
        let text =
            |path: &Path| path.to_str().map(str::to_owned).ok_or_else(|| SlurmError::InvalidPath(path.to_owned()));
        let (path, program) = (text(&root)?, text(program)?);
        let digits = digest::sha256(path.as_bytes());
        let prefix = format!("lrbm-{experiment}-{}", digits.get(..8).unwrap_or_default());
        // `module task` is available in login shells only.
        let shell = if settings.prologue.is_some() { "#!/bin/bash -l" } else { "#!/bin/sh" };
        let prologue = settings.prologue.as_ref().map_or_else(String::new, |line| format!("{line}\n"));
        let call = format!("exec {} run-job {} --threads {}", quote(&program), quote(&path), settings.cpus);
        Ok(BatchDirectory { root, prefix, script: format!("{shell}\n{prologue}{call} --list ") })
    }

    /// Writes a batch, ready for submission.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn write(&self, plan: &[PlannedJob], tasks: Vec<TaskJobs>) -> Result<Batch, SlurmError> {
        let cluster = self.root.join(CLUSTER);
        files::check_no_links(&self.root, &cluster).map_err(io_error(&cluster))?;
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
            for (i, task) in tasks.iter().enumerate() {
                let list = remote::list(plan, &task.jobs);
                files::write_in_place(&directory.join("tasks").join((i + 1).to_string()), list.as_bytes())?;
            }
            // The root is valid UTF-8, as is everything below it.
            let lists = quote(&directory.join("tasks").to_string_lossy());
            let script = format!("{}{lists}/\"$SLURM_ARRAY_TASK_ID\"\n", self.script);
            files::write_in_place(&directory.join(SCRIPT), script.as_bytes())?;
            let ids = |task: &TaskJobs| task.jobs.iter().map(|&job| plan[job].id.clone()).collect();
            let tasks = tasks.iter().map(|task| TaskFile { attempt: task.attempt, jobs: ids(task) }).collect();
            put(&directory.join(BATCH), &BatchFile { name: name.clone(), tasks })
        };
        write().map_err(io_error(&directory))?;
        Ok(Batch { directory, name, tasks })
    }

    /// Returns every readable batch of earlier processes, in order.
    pub fn earlier(&self) -> Vec<EarlierBatch> {
        let cluster = self.root.join(CLUSTER);
        let numbers = numbers(&cluster).unwrap_or_default();
        let batch = |number: u64| {
            let directory = cluster.join(format!("{PREFIX}{number:04}"));
            let batch: BatchFile = serde_json::from_slice(&fs::read(directory.join(BATCH)).ok()?).ok()?;
            let submitted: Option<SubmittedFile> =
                fs::read(directory.join(SUBMITTED)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let tasks = batch.tasks.into_iter().map(|task| (task.attempt, task.jobs)).collect();
            Some(EarlierBatch { directory, name: batch.name, array: submitted.map(|file| file.array), tasks })
        };
        numbers.into_iter().filter_map(batch).collect()
    }
}

impl Batch {
    /// Returns the script of its tasks.
    pub fn script(&self) -> PathBuf {
        self.directory.join(SCRIPT)
    }

    /// Records the submission.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn submitted(&self, array: u64) -> Result<(), SlurmError> {
        let path = self.directory.join(SUBMITTED);
        put(&path, &SubmittedFile { array }).map_err(io_error(&path))
    }
}

/// Returns the last line that a task printed, if any.
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
    fn batches_are_numbered_and_read_back() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("a 'run' of $(x)\n;");
        let settings = SlurmSettings { prologue: Some("module load gcc".into()), cpus: 2, ..SlurmSettings::default() };
        let batches = BatchDirectory::new(&root, "quick", Path::new("/opt/l r/lrbm"), &settings).unwrap();
        assert!(batches.earlier().is_empty());
        let task = |attempt| TaskJobs { jobs: Vec::new(), attempt };
        let first = batches.write(&[], vec![task(1), task(1)]).unwrap();
        let second = batches.write(&[], vec![task(2)]).unwrap();
        first.submitted(17).unwrap();
        let earlier = batches.earlier();
        assert_eq!(earlier.len(), 2);
        assert_eq!((earlier[0].array, earlier[0].tasks.len(), earlier[1].array), (Some(17), 2, None));
        assert_eq!(earlier[1].tasks[0].0, 2);
        assert!(first.name.starts_with("lrbm-quick-") && first.name.ends_with("-0001"), "{}", first.name);
        assert_ne!(first.name, second.name);
        let script = fs::read_to_string(first.script()).unwrap();
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(lines[..2], ["#!/bin/bash -l", "module load gcc"]);
        let call = shlex::split(&script[script.find("exec").unwrap()..]).unwrap();
        let list = format!("{}/$SLURM_ARRAY_TASK_ID", first.directory.join("tasks").display());
        let run = root.to_str().unwrap();
        assert_eq!(call, ["exec", "/opt/l r/lrbm", "run-job", run, "--threads", "2", "--list", &list], "{script}");
        assert!(script.ends_with("/\"$SLURM_ARRAY_TASK_ID\"\n"), "{script}");
        fs::write(first.directory.join("out/1.txt"), "one\nlrbm: command not found\n\n").unwrap();
        assert_eq!(last_line(&first.directory, 1).as_deref(), Some("lrbm: command not found"));
        assert_eq!(last_line(&first.directory, 2), None);
    }
}

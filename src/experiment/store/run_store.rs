//! Access to a run directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use serde::Serialize;

use super::error::{Damage, RunStoreError};
use super::frame;
use super::layout::{
    METRICS_CSV, METRICS_PARQUET, MODEL, PREDICTIONS, PUBLISHED, RECORD, SCORES, SKIPPED, SPEC, TALLY,
};
use super::lock::{self, JobLock, Presence};
use super::record::{JobRecord, Status};
use super::staging::{self, Staging};
use crate::experiment::job::Job;
use crate::experiment::key::JobId;
use crate::files;
use crate::files::digest;
use crate::learn::SavedModel;

/// Free disk space that a run requires before it starts.
const MIN_FREE_BYTES: usize = 4 << 20;

/// Cost of reading a record and verifying the files of its job, in steps of a simple loop.
pub const STEPS_TO_READ: usize = 100_000;

/// A run directory.
#[derive(Clone, Debug)]
pub struct RunStore {
    root: PathBuf,
}

impl RunStore {
    /// Returns the run directory at a path, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        RunStore { root: root.into() }
    }

    /// Returns its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the directory and checks that it is writable and the disk has space, before any job
    /// runs. The returned guard must live as long as the run.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn prepare(&self) -> Result<Presence, RunStoreError> {
        let jobs = self.root.join("jobs");
        let probe = || {
            for directory in [&jobs, &self.root.join(lock::LOCKS)] {
                files::check_no_links(&self.root, directory)?;
            }
            files::create_dir_all(&jobs)?;
            let presence = Presence::join(&self.root.join(lock::LOCKS), || self.remove_temporary_files())?;
            for directory in [&self.root, &jobs] {
                let mut file = files::PendingFile::create(&directory.join("probe"))?;
                file.write_all(&vec![b'.'; MIN_FREE_BYTES])?;
                file.sync()?;
            }
            Ok(presence)
        };
        probe().map_err(|source| RunStoreError::Unwritable { path: self.root.clone(), source })
    }

    /// Registers this process as working on the run while the guard lives; removes no files.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn join(&self) -> Result<Presence, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        let join = || {
            files::check_no_links(&self.root, &locks)?;
            Presence::join_without_cleanup(&locks)
        };
        join().map_err(RunStoreError::io(&locks))
    }

    /// Removes temporary tables left by killed processes; no other process may be working on the
    /// run.
    fn remove_temporary_files(&self) {
        for directory in [&self.root, &self.root.join("jobs")] {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(files::TEMPORARY_PREFIX) {
                    // Best effort: a leftover file is harmless.
                    let _ = files::remove_file(&entry.path());
                }
            }
        }
    }

    /// Stores the text of the experiment.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn freeze(&self, spec: &str) -> Result<(), RunStoreError> {
        let path = self.root.join(SPEC);
        if fs::read(&path).is_ok_and(|old| old == spec.as_bytes()) {
            return Ok(());
        }
        files::write(&path, |out| out.write_all(spec.as_bytes())).map_err(RunStoreError::io(&path))
    }

    /// Stores a copy of published values.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_published(&self, text: &str) -> Result<(), RunStoreError> {
        let path = self.root.join(PUBLISHED);
        files::write(&path, |out| out.write_all(text.as_bytes())).map_err(RunStoreError::io(&path))
    }

    /// Stores the names of datasets that are skipped because their data are missing.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_skipped(&self, datasets: &[String]) -> Result<(), RunStoreError> {
        let path = self.root.join(SKIPPED);
        if datasets.is_empty() {
            return match files::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunStoreError::io(&path)(error)),
                _ => Ok(()),
            };
        }
        let text = serde_json::to_string_pretty(datasets).unwrap_or_default() + "\n";
        files::write(&path, |out| out.write_all(text.as_bytes())).map_err(RunStoreError::io(&path))
    }

    /// Returns the names of skipped datasets; empty if the list cannot be read.
    pub fn skipped(&self) -> Vec<String> {
        let names = fs::read(self.root.join(SKIPPED)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        names.unwrap_or_default()
    }

    /// Returns the directory of a job.
    pub fn directory(&self, job: &Job) -> PathBuf {
        self.root.join(job.directory())
    }

    /// Returns the usable record of a job, whatever its id; `None` if there is none.
    pub fn record(&self, job: &Job) -> Option<JobRecord> {
        self.read_record(job).ok()?
    }

    /// Reads and verifies the record of a job, whatever its id; `None` if there is none.
    ///
    /// # Errors
    /// If the record is unreadable or of a later version, or its files are missing or modified. The
    /// result then does not count, and the job runs again.
    pub fn read_record(&self, job: &Job) -> Result<Option<JobRecord>, Damage> {
        let directory = self.directory(job);
        let damage = |name: &str, what: String| Damage { file: job.directory().join(name), what };
        let record = match fs::read(directory.join(RECORD)) {
            Ok(bytes) => JobRecord::from_bytes(&bytes).map_err(|what| damage(RECORD, what))?,
            // The record is written last and removed first: without it the directory is incomplete.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damage(RECORD, error.to_string())),
        };
        if record.status == Status::Done {
            let files = record.result.as_ref().map(|outcome| &outcome.files);
            let mut names: Vec<&str> = files.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            // An external system need not leave a model.
            let wanted = [
                (MODEL, job.keep.models && record.key.external.is_none()),
                (PREDICTIONS, job.keep.predictions),
                (SCORES, job.keep.scores),
            ];
            let required = wanted.into_iter().filter(|(_, is_required)| *is_required).map(|(name, _)| name);
            names.extend(required.filter(|name| !lists(files, name)));
            for name in names {
                let wanted = files.and_then(|files| files.get(name));
                match fs::read(directory.join(name)) {
                    Ok(bytes) if wanted == Some(&digest::sha256(&bytes)) => {}
                    Ok(_) => return Err(damage(name, "checksum mismatch".to_owned())),
                    Err(error) => return Err(damage(name, error.to_string())),
                }
            }
        }
        Ok(Some(record))
    }

    /// Loads the model of a job whose result has this id, verified against the record's checksum.
    pub fn model(&self, job: &Job, id: &JobId) -> Option<SavedModel> {
        let record = self.record(job).filter(|record| record.id == *id)?;
        let text = fs::read_to_string(self.directory(job).join(MODEL)).ok()?;
        let is_same = record.result?.files.get(MODEL).is_some_and(|sha256| digest::sha256(text.as_bytes()) == *sha256);
        is_same.then(|| SavedModel::from_json(&text).ok())?
    }

    /// Acquires the lock of a job; `None` if another process holds it.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn try_lock(&self, job: &Job) -> Result<Option<JobLock>, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        lock::try_lock(&locks, &lock_name(job)).map_err(RunStoreError::io(&locks))
    }

    /// Acquires the lock of a job, blocking.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn lock(&self, job: &Job) -> Result<JobLock, RunStoreError> {
        self.lock_by_name(&lock_name(job))
    }

    /// Acquires the lock of the metrics tables, blocking.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn lock_metrics(&self) -> Result<JobLock, RunStoreError> {
        self.lock_by_name("metrics")
    }

    /// Acquires the lock of the process that submits to a cluster; `None` if another process holds
    /// it.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn try_lock_cluster(&self) -> Result<Option<JobLock>, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        lock::try_lock(&locks, "cluster").map_err(RunStoreError::io(&locks))
    }

    fn lock_by_name(&self, name: &str) -> Result<JobLock, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        lock::lock(&locks, name).map_err(RunStoreError::io(&locks))
    }

    /// Starts the staging directory of a locked job and removes what a killed process left of it.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn begin(&self, job: &Job, _lock: &JobLock) -> Result<Staging, RunStoreError> {
        let target = self.directory(job);
        let parent = staging::staging_parent(&target);
        for directory in [&target, &parent] {
            files::check_no_links(&self.root, directory).map_err(RunStoreError::io(&target))?;
        }
        Staging::begin(target, job.keep)
    }

    /// Removes the result of a job that is to run again, unless another process is working on it.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn discard(&self, job: &Job) -> Result<(), RunStoreError> {
        let target = self.directory(job);
        files::check_no_links(&self.root, &target).map_err(RunStoreError::io(&target))?;
        match self.try_lock(job)? {
            // The record first: without it the directory does not count.
            Some(_lock) if target.join(RECORD).exists() => files::remove_file(&target.join(RECORD))
                .and_then(|()| files::remove_dir_all(&target))
                .map_err(RunStoreError::io(&target)),
            _ => Ok(()),
        }
    }

    /// Writes the metrics tables.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_metrics(&self, frame: &mut DataFrame) -> Result<(), RunStoreError> {
        for (name, write) in [(METRICS_PARQUET, frame::parquet as fn(&mut DataFrame) -> _), (METRICS_CSV, frame::csv)] {
            let path = self.root.join(name);
            let bytes: Vec<u8> = write(frame).map_err(RunStoreError::Frame)?;
            // They can be rebuilt from the job directories, so they are not synced to disk.
            files::write_unsynced(&path, |out| out.write_all(&bytes)).map_err(RunStoreError::io(&path))?;
        }
        Ok(())
    }

    /// Stores the summary of the last run that executed a job.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_tally(&self, tally: &impl Serialize) -> Result<(), RunStoreError> {
        let path = self.root.join(TALLY);
        let write = |out: &mut dyn Write| {
            serde_json::to_writer_pretty(&mut *out, tally)?;
            out.write_all(b"\n")
        };
        files::write_unsynced(&path, write).map_err(RunStoreError::io(&path))
    }

    /// Removes what killed processes left of these jobs.
    pub fn remove_leftovers<'a>(&self, jobs: impl IntoIterator<Item = &'a Job>) {
        for job in jobs {
            let parent = staging::staging_parent(&self.directory(job));
            // Directories in use by another process are skipped; removal is best effort.
            if parent.exists()
                && files::check_no_links(&self.root, &parent).is_ok()
                && let Ok(Some(_lock)) = self.try_lock(job)
            {
                let _ = files::remove_dir_all(&parent);
            }
        }
    }
}

fn lists(files: Option<&BTreeMap<String, String>>, name: &str) -> bool {
    files.is_some_and(|files| files.contains_key(name))
}

/// Returns the lock name of a job's directory. It is not the job id: runs with other parameters
/// write to the same directory.
fn lock_name(job: &Job) -> String {
    digest::sha256(job.directory().to_string_lossy().as_bytes())
}

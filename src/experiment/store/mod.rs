//! The run directory: one directory for each job, which is there whole or not at all, and tables of all of them.
//!
//! ```text
//! RUN/spec.toml                      the experiment as it was run
//! RUN/jobs/<dataset>/<model>/<case>/fold<k>-seed<s>/
//!         run.json                   what was done, how, by what, and how it ended
//!         model.json                 the model
//!         predictions.parquet        example, label, psi, probability
//!         log.txt                    what happened when
//! RUN/metrics.parquet, metrics.csv   one row for each job that has ended
//! RUN/tally.json                     how long the last run took, and what for
//! RUN/skipped.json                   datasets that were left out because their data were not there; only if there are any
//! RUN/cluster/                       of runs on a cluster: where data are, and what was submitted
//! ```
//!
//! Only `run.json`, `log.txt`, `tally.json` and columns that end in `_seconds` or `_bytes` depend on time and machine; all other bytes follow from
//! the experiment. A job is done if its `run.json` has the id of the job and its other files are there.

mod error;
mod frame;
mod lock;
mod record;
mod staging;

pub use error::{Damage, RunStoreError};
pub use frame::{MetricsTable, Prediction, csv, parquet, predictions, read_predictions};
pub use lock::{JobLock, Presence};
pub use record::{Counts, Data, FailureKind, Machine, Outcome, Program, RECORD_VERSION, Record, Row, Status};
pub use staging::Staging;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::experiment::{Job, JobId, Previous};
use crate::files;
use crate::files::digest;
use crate::learn::SavedModel;

/// The experiment as it was run.
pub const SPEC: &str = "spec.toml";
/// What is known of a job.
pub const RECORD: &str = "run.json";
/// The model of a job.
pub const MODEL: &str = "model.json";
/// What the model said of the test examples of a job.
pub const PREDICTIONS: &str = "predictions.parquet";
/// The log of a job.
pub const LOG: &str = "log.txt";
/// The table of all jobs, for programs.
pub const METRICS_PARQUET: &str = "metrics.parquet";
/// The table of all jobs, for people and their tools.
pub const METRICS_CSV: &str = "metrics.csv";

/// The datasets that were left out because their data were not there.
pub const SKIPPED: &str = "skipped.json";

/// What the last run came to: numbers of jobs, seconds, the share of time outside learning.
pub const TALLY: &str = "tally.json";

/// How much must fit on the disk before a run begins.
const ROOM_BYTES: usize = 4 << 20;

/// A run directory.
#[derive(Clone, Debug)]
pub struct RunStore {
    root: PathBuf,
}

impl RunStore {
    /// The run directory at a path, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        RunStore { root: root.into() }
    }

    /// Its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the directory and finds out whether it can be written and the disk has room, before work is spent on it. What it
    /// gives is to be kept for as long as the run goes on.
    ///
    /// # Errors
    /// If not.
    pub fn prepare(&self) -> Result<Presence, RunStoreError> {
        let jobs = self.root.join("jobs");
        let probe = || {
            files::create_dir_all(&jobs)?;
            let presence = Presence::join(&self.root.join(lock::LOCKS), || self.sweep())?;
            for directory in [&self.root, &jobs] {
                let mut file = files::Pending::create(&directory.join("probe"))?;
                file.write_all(&vec![b'.'; ROOM_BYTES])?;
                file.sync()?;
            }
            Ok(presence)
        };
        probe().map_err(|source| RunStoreError::Unwritable { path: self.root.clone(), source })
    }

    /// Says to other processes that this one is at work on the run, for as long as what it gives is kept; takes nothing away.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn join(&self) -> Result<Presence, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        Presence::beside(&locks).map_err(RunStoreError::io(&locks))
    }

    /// Takes away unfinished tables that killed processes left behind; nobody else may be at work.
    fn sweep(&self) {
        for directory in [&self.root, &self.root.join("jobs")] {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(files::TEMPORARY) {
                    // What cannot be removed harms nobody.
                    let _ = files::remove_file(&entry.path());
                }
            }
        }
    }

    /// Keeps the text of the experiment.
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

    /// Keeps the names of datasets that are left out because their data are not there.
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

    /// The names of datasets that were left out because their data were not there. A list that cannot be read names none.
    pub fn skipped(&self) -> Vec<String> {
        let names = fs::read(self.root.join(SKIPPED)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        names.unwrap_or_default()
    }

    /// The directory of a job.
    pub fn directory(&self, job: &Job) -> PathBuf {
        self.root.join(job.directory())
    }

    /// What is recorded of a job, whatever its id was; `None` if there is nothing that can be used.
    pub fn record(&self, job: &Job) -> Option<Record> {
        self.held(job).ok()?
    }

    /// What is recorded of a job, whatever its id was; `None` if there is nothing.
    ///
    /// # Errors
    /// If there is something that is not as it was written: a record that cannot be read or is of a later version, or whose
    /// files are missing or changed. It does not count, and the job runs again.
    pub fn held(&self, job: &Job) -> Result<Option<Record>, Damage> {
        let directory = self.directory(job);
        let damage = |name: &str, what: String| Damage { file: job.directory().join(name), what };
        let record = match fs::read(directory.join(RECORD)) {
            Ok(bytes) => Record::from_bytes(&bytes).map_err(|what| damage(RECORD, what))?,
            // The record comes last and goes first, so what is there without it was never finished.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damage(RECORD, error.to_string())),
        };
        if record.status == Status::Done {
            let files = record.result.as_ref().map(|outcome| &outcome.files);
            for name in [MODEL, PREDICTIONS] {
                let wanted = files.and_then(|files| files.get(name));
                match fs::read(directory.join(name)) {
                    Ok(bytes) if wanted == Some(&digest::sha256(&bytes)) => {}
                    Ok(_) => return Err(damage(name, "its checksum does not fit".to_owned())),
                    Err(error) => return Err(damage(name, error.to_string())),
                }
            }
        }
        Ok(Some(record))
    }

    /// What is recorded of a job, as far as a plan needs it.
    pub fn previous(&self, job: &Job) -> Option<Previous> {
        match self.held(job) {
            Ok(record) => record.map(|record| Previous::Ended { key: Box::new(record.key), status: record.status }),
            Err(damage) => Some(Previous::Damaged(damage.to_string())),
        }
    }

    /// The model of a job that has a result of this id; the very one, whatever other processes put there meanwhile.
    pub fn model(&self, job: &Job, id: &JobId) -> Option<SavedModel> {
        let record = self.record(job).filter(|record| record.id == *id)?;
        let text = fs::read_to_string(self.directory(job).join(MODEL)).ok()?;
        let is_same = record.result?.files.get(MODEL).is_some_and(|sha256| digest::sha256(text.as_bytes()) == *sha256);
        is_same.then(|| SavedModel::from_json(&text).ok())?
    }

    /// Takes the lock of a job; `None` if another process has it.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn try_lock(&self, job: &Job) -> Result<Option<JobLock>, RunStoreError> {
        let locks = self.root.join(lock::LOCKS);
        lock::try_lock(&locks, &lock_name(job)).map_err(RunStoreError::io(&locks))
    }

    /// Waits for the lock of a job.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn lock(&self, job: &Job) -> Result<JobLock, RunStoreError> {
        self.lock_by_name(&lock_name(job))
    }

    /// Waits for the lock of the tables of all jobs.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn lock_metrics(&self) -> Result<JobLock, RunStoreError> {
        self.lock_by_name("metrics")
    }

    /// Takes the lock of whoever gives tasks to a cluster; `None` if another process has it.
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

    /// Begins the directory of a job whose lock is held, and takes away what a killed process left of it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn begin(&self, job: &Job, _lock: &JobLock) -> Result<Staging, RunStoreError> {
        Staging::begin(self.directory(job))
    }

    /// Takes away the directory of a job, which is to be done again; not if another process is at work on it.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn discard(&self, job: &Job) -> Result<(), RunStoreError> {
        let place = self.directory(job);
        match self.try_lock(job)? {
            // First the record, without which a directory is none.
            Some(_lock) if place.join(RECORD).exists() => files::remove_file(&place.join(RECORD))
                .and_then(|()| files::remove_dir_all(&place))
                .map_err(RunStoreError::io(&place)),
            _ => Ok(()),
        }
    }

    /// Writes the tables of all jobs.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_metrics(&self, table: &MetricsTable) -> Result<(), RunStoreError> {
        let mut frame = table.frame().map_err(RunStoreError::Frame)?;
        for (name, write) in
            [(METRICS_PARQUET, frame::parquet as fn(&mut polars::prelude::DataFrame) -> _), (METRICS_CSV, frame::csv)]
        {
            let path = self.root.join(name);
            let bytes: Vec<u8> = write(&mut frame).map_err(RunStoreError::Frame)?;
            // They can be made again from the directories of the jobs, so they need not wait for the disk.
            files::write_lightly(&path, |out| out.write_all(&bytes)).map_err(RunStoreError::io(&path))?;
        }
        Ok(())
    }

    /// Keeps what the last run that ran something came to, for the record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_tally(&self, tally: &impl Serialize) -> Result<(), RunStoreError> {
        let path = self.root.join(TALLY);
        let write = |out: &mut dyn Write| {
            serde_json::to_writer_pretty(&mut *out, tally)?;
            out.write_all(b"\n")
        };
        files::write_lightly(&path, write).map_err(RunStoreError::io(&path))
    }

    /// Takes away what killed processes left of these jobs.
    pub fn tidy<'a>(&self, jobs: impl IntoIterator<Item = &'a Job>) {
        for job in jobs {
            let room = staging::unfinished(&self.directory(job));
            // What another process is at work on is none of our business; what cannot be removed harms nobody.
            if room.exists()
                && let Ok(Some(_lock)) = self.try_lock(job)
            {
                let _ = files::remove_dir_all(&room);
            }
        }
    }
}

/// The name of the lock of a job's place. It is not that of its id: two runs with other parameters write to the same place.
fn lock_name(job: &Job) -> String {
    digest::sha256(job.directory().to_string_lossy().as_bytes())
}

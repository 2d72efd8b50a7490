//! Staging directories: a job's directory is filled beside its final path, then renamed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::error::RunStoreError;
use super::layout::{LOG, RECORD};
use super::record::JobRecord;
use crate::experiment::job::Keep;
use crate::files::{self, DiskWriter};

/// Staging directory of a job; removed on drop unless it was published.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    keep: Keep,
    directory: TempDir,
    files: StagingFiles,
}

/// The files of a staging directory. The process of an isolated job writes them into the directory
/// that its supervisor created and will publish.
#[derive(Debug)]
pub struct StagingFiles {
    directory: PathBuf,
    /// The log; `None` for jobs that have none.
    log: Option<DiskWriter<File>>,
    began: Instant,
}

impl StagingFiles {
    /// Opens the staging directory that another process created, and the job that began there this
    /// long ago.
    ///
    /// # Errors
    /// If its log cannot be written.
    pub fn open(directory: &Path, elapsed: Duration, keep: Keep) -> Result<Self, RunStoreError> {
        let path = directory.join(LOG);
        let log = (!keep.is_compact()).then(|| DiskWriter::append(&path)).transpose();
        let log = log.map_err(RunStoreError::io(&path))?;
        let now = Instant::now();
        Ok(StagingFiles { directory: directory.to_owned(), log, began: now.checked_sub(elapsed).unwrap_or(now) })
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns how long ago the job began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Appends a line to the log, with the seconds since the start.
    pub fn log(&mut self, line: &str) {
        // A failed log write must not end the job; a full disk shows when the result is written.
        let line = format!("{:9.3} {line}\n", self.began.elapsed().as_secs_f64());
        if let Some(log) = &mut self.log {
            let _ = log.write_all(line.as_bytes());
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunStoreError> {
        let path = self.directory.join(name);
        files::write_in_place(&path, bytes).map_err(RunStoreError::io(&path))
    }
}

impl Staging {
    /// Creates the staging directory for the final path `target`.
    pub(super) fn begin(target: PathBuf, keep: Keep) -> Result<Self, RunStoreError> {
        let begin = || {
            // Each job has its own parent directory for staging, so that the lock holder may clear
            // it.
            let parent = staging_parent(&target);
            if parent.exists() {
                files::remove_dir_all(&parent)?;
            }
            let directory = files::temporary_dir_in(&parent)?;
            // Opened for appending, because the process of an isolated job appends as well.
            let log = !keep.is_compact();
            let log = log.then(|| DiskWriter::append_new(&directory.path().join(LOG))).transpose()?;
            Ok((directory, log))
        };
        let (directory, log) = begin().map_err(RunStoreError::io(&target))?;
        let files = StagingFiles { directory: directory.path().to_owned(), log, began: Instant::now() };
        Ok(Staging { target, keep, directory, files })
    }

    /// Returns the files of the directory.
    pub fn files(&mut self) -> &mut StagingFiles {
        &mut self.files
    }

    /// Writes the record and renames the directory to its final path, replacing an old one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn publish(self, record: &JobRecord) -> Result<(), RunStoreError> {
        self.files.write(RECORD, record.to_text().as_bytes())?;
        let Staging { target, keep, directory, files: written } = self;
        drop(written);
        let publish = || {
            if !keep.is_compact() {
                files::sync_all(directory.path())?;
            }
            let parent = staging_parent(&target);
            // A rename cannot replace a non-empty directory. Killed between the two, the job runs
            // again.
            let old = parent.join(format!("{}old", files::TEMPORARY_PREFIX));
            if target.exists() {
                files::rename(&target, &old)?;
            }
            files::publish(directory.path(), &target)?;
            files::remove_dir_all(&parent)
        };
        let publish = publish().map_err(RunStoreError::io(&target));
        // Removes the staging directory if it was not renamed.
        drop(directory);
        publish
    }
}

/// Returns the parent of the staging directories of a job.
pub(super) fn staging_parent(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!("{}{name}", files::TEMPORARY_PREFIX))
}

//! Staging directories: a job's directory is filled beside its final path, then renamed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::error::RunStoreError;
use super::layout::{LOG, RECORD};
use super::record::JobRecord;
use crate::files::{self, DiskWriter};

/// Staging directory of a job; removed on drop unless it was published.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    directory: TempDir,
    log: DiskWriter<File>,
    began: Instant,
}

impl Staging {
    /// Creates the staging directory for the final path `target`.
    pub(super) fn begin(target: PathBuf) -> Result<Self, RunStoreError> {
        let begin = || {
            // Each job has its own parent directory for staging, so that the lock holder may clear
            // it.
            let parent = staging_parent(&target);
            if parent.exists() {
                files::remove_dir_all(&parent)?;
            }
            let directory = files::temporary_dir_in(&parent)?;
            let log = DiskWriter::create(&directory.path().join(LOG))?;
            Ok((directory, log))
        };
        let (directory, log) = begin().map_err(RunStoreError::io(&target))?;
        Ok(Staging { target, directory, log, began: Instant::now() })
    }

    /// Appends a line to the log, with the seconds since the start.
    pub fn log(&mut self, line: &str) {
        // A failed log write must not end the job; a full disk shows when the result is written.
        let line = format!("{:9.3} {line}\n", self.began.elapsed().as_secs_f64());
        let _ = self.log.write_all(line.as_bytes());
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunStoreError> {
        let path = self.directory.path().join(name);
        files::write_in_place(&path, bytes).map_err(RunStoreError::io(&self.target.join(name)))
    }

    /// Writes the record and renames the directory to its final path, replacing an old one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn publish(self, record: &JobRecord) -> Result<(), RunStoreError> {
        self.write(RECORD, record.to_text().as_bytes())?;
        let Staging { target, directory, log, .. } = self;
        drop(log);
        let publish = || {
            files::sync_all(directory.path())?;
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

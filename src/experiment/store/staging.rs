//! The directory of a job while it is being filled: beside its place, then in it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::{LOG, RECORD, Record, RunStoreError};
use crate::files::{self, Sink};

/// A job's directory in the making; gone when dropped unless it is put in its place.
#[derive(Debug)]
pub struct Staging {
    place: PathBuf,
    made: TempDir,
    log: Sink<File>,
    began: Instant,
}

impl Staging {
    /// Begins the directory that is to be at `place`.
    pub(super) fn begin(place: PathBuf) -> Result<Self, RunStoreError> {
        let begin = || {
            // Each job has a room of its own for what is unfinished, so that whoever holds its lock may clear it.
            let parent = unfinished(&place);
            if parent.exists() {
                files::remove_dir_all(&parent)?;
            }
            let made = files::directory_in(&parent)?;
            let log = Sink::create(&made.path().join(LOG))?;
            Ok((made, log))
        };
        let (made, log) = begin().map_err(RunStoreError::io(&place))?;
        Ok(Staging { place, made, log, began: Instant::now() })
    }

    /// Writes a line to the log, with the seconds since the beginning.
    pub fn log(&mut self, line: &str) {
        // A log that cannot be written must not end the job; a full disk is found when the result is written.
        let line = format!("{:9.3} {line}\n", self.began.elapsed().as_secs_f64());
        let _ = self.log.write_all(line.as_bytes());
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunStoreError> {
        let path = self.made.path().join(name);
        files::write_in_place(&path, bytes).map_err(RunStoreError::io(&self.place.join(name)))
    }

    /// Writes the record, and puts the directory in its place; an old one goes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(self, record: &Record) -> Result<(), RunStoreError> {
        self.write(RECORD, record.to_text().as_bytes())?;
        let Staging { place, made, log, .. } = self;
        drop(log);
        let put = || {
            files::sync_all(made.path())?;
            let room = unfinished(&place);
            // A directory cannot take the place of one with files in it. Killed between the two, the job runs again.
            let old = room.join(format!("{}old", files::TEMPORARY));
            if place.exists() {
                files::rename(&place, &old)?;
            }
            files::settle(made.path(), &place)?;
            files::remove_dir_all(&room)
        };
        let put = put().map_err(RunStoreError::io(&place));
        // What was renamed is not there any more; what was not must go.
        drop(made);
        put
    }
}

/// Where the directory of a job is while it is unfinished.
pub(super) fn unfinished(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!("{}{name}", files::TEMPORARY))
}

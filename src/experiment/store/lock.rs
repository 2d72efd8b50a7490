//! Job locks: held through the operating system and released when the process ends.
//!
//! Several processes may work on one run directory: each takes jobs that no other process has
//! locked. The run as a whole is never locked.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
pub use crate::files::lock::FileLock as JobLock;
use crate::files::lock::{ignore_unsupported, is_same_file, open};
pub(super) use crate::files::lock::{lock, try_lock};

/// Directory of lock files, below the run directory.
pub(super) const LOCKS: &str = ".locks";
/// File that all working processes hold shared; never the name of a job lock.
const PRESENT: &str = "present";

/// Registration of a process as working on the run; ends on drop.
///
/// All processes hold it shared and never block on it. It only shows whether a process is alone and
/// may remove what killed processes left behind.
#[derive(Debug)]
pub struct Presence {
    path: PathBuf,
    file: File,
}

impl Presence {
    /// Registers the process; calls `clean_up` first if no other process is registered.
    pub(super) fn join(directory: &Path, clean_up: impl Fn()) -> io::Result<Presence> {
        let path = directory.join(PRESENT);
        loop {
            let file = open(&path)?;
            if file.try_lock().is_ok() {
                if is_same_file(&file, &path) {
                    remove_abandoned(directory);
                    clean_up();
                }
                file.unlock()?;
            }
            file.lock_shared().or_else(ignore_unsupported)?;
            if is_same_file(&file, &path) {
                return Ok(Presence { path, file });
            }
        }
    }
}

impl Presence {
    /// Registers the process without cleaning up: on file systems whose locks are local to a node,
    /// only the process that started the run may conclude that it is alone.
    pub(super) fn join_without_cleanup(directory: &Path) -> io::Result<Presence> {
        let path = directory.join(PRESENT);
        loop {
            let file = open(&path)?;
            file.lock_shared().or_else(ignore_unsupported)?;
            if is_same_file(&file, &path) {
                return Ok(Presence { path, file });
            }
        }
    }
}

/// Removes lock files of killed processes; no other process may be registered.
fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name() != PRESENT {
            // Best effort: the lock of a dead process is free even if its file remains.
            let _ = files::remove_file(&entry.path());
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // The last process removes the directory unless another one registered meanwhile. Best
        // effort.
        if self.file.unlock().is_ok() && self.file.try_lock().is_ok() && is_same_file(&self.file, &self.path) {
            self.path.parent().into_iter().for_each(remove_abandoned);
            let _ = files::remove_file(&self.path);
            let _ = self.path.parent().map(files::remove_dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_that_is_alone_cleans_up() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("locks");
        let cleanups = std::cell::Cell::new(0);
        let join = || Presence::join(&directory, || cleanups.set(cleanups.get() + 1)).unwrap();
        let first = join();
        let second = join();
        assert_eq!(cleanups.get(), 1);
        drop(first);
        drop(join());
        assert_eq!(cleanups.get(), 1);
        // Only a process that is alone can tell that a lock file is abandoned.
        fs::write(directory.join("killed"), "").unwrap();
        drop(join());
        assert!(directory.join("killed").exists());
        // The last process removes it.
        drop(second);
        assert!(!directory.exists());
        drop(join());
        assert_eq!(cleanups.get(), 2);
        let join_without_cleanup = || Presence::join_without_cleanup(&directory).unwrap();
        let (one, two) = (join_without_cleanup(), join_without_cleanup());
        fs::write(directory.join("locked elsewhere"), "").unwrap();
        let driver = join();
        assert_eq!(cleanups.get(), 2, "another process is registered");
        drop((one, driver));
        assert!(directory.join("locked elsewhere").exists());
        drop(two);
        assert!(!directory.exists());
    }
}

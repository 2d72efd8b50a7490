//! Job locks: held through the operating system and released when the process ends.
//!
//! Several processes may work on one run directory: each takes jobs that no other process has
//! locked. The run as a whole is never locked.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// Directory of lock files, below the run directory.
pub(super) const LOCKS: &str = ".locks";
/// File that all working processes hold shared; never the name of a job lock.
const PRESENT: &str = "present";

/// Exclusive access to a job; released on drop.
#[derive(Debug)]
pub struct JobLock {
    path: PathBuf,
    /// The lock is held as long as the file is open.
    _file: File,
}

impl Drop for JobLock {
    fn drop(&mut self) {
        // Only the holder removes the file; a waiting process checks afterwards that its file still
        // exists.
        let _ = files::remove_file(&self.path);
    }
}

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

/// Opens a lock file. The last process to leave may remove the directory at the same time.
fn open(path: &Path) -> io::Result<File> {
    const MAX_TRIES: usize = 100;
    let mut tries = 0;
    loop {
        tries += 1;
        path.parent().map_or(Ok(()), files::create_dir_all)?;
        match files::lock_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {}
            result => return result,
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

/// Acquires the named lock; `None` if another process holds it.
pub(super) fn try_lock(directory: &Path, name: &str) -> io::Result<Option<JobLock>> {
    take(directory, name, |file| match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => ignore_unsupported(error).map(|()| true),
    })
}

/// Acquires the named lock, blocking.
pub(super) fn lock(directory: &Path, name: &str) -> io::Result<JobLock> {
    let taken = take(directory, name, |file| file.lock().or_else(ignore_unsupported).map(|()| true))?;
    taken.ok_or_else(|| io::Error::other("a blocking lock call returned without the lock"))
}

fn take(
    directory: &Path,
    name: &str,
    mut attempt: impl FnMut(&File) -> io::Result<bool>,
) -> io::Result<Option<JobLock>> {
    let path = directory.join(name);
    loop {
        let file = open(&path)?;
        if !attempt(&file)? {
            return Ok(None);
        }
        // The previous holder may have removed the file after we opened it: then the lock is void.
        if is_same_file(&file, &path) {
            return Ok(Some(JobLock { path, _file: file }));
        }
    }
}

/// Accepts file systems without locks: two processes may then run the same job, with equal results.
fn ignore_unsupported(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Unsupported { Ok(()) } else { Err(error) }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if same(&a, &b))
}

#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    // On other systems an open file cannot be removed.
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_lock_is_exclusive_and_released_on_drop() {
        let home = tempfile::tempdir().unwrap();
        let held = try_lock(home.path(), "a").unwrap();
        assert!(held.is_some());
        assert!(try_lock(home.path(), "a").unwrap().is_none());
        assert!(try_lock(home.path(), "b").unwrap().is_some());
        drop(held);
        assert!(try_lock(home.path(), "a").unwrap().is_some());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

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

    #[test]
    fn a_lock_excludes_concurrent_holders() {
        let home = tempfile::tempdir().unwrap();
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _lock = lock(home.path(), "a").unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}

//! Locks of jobs: held by the operating system for a process, and gone with it.
//!
//! Two processes may work on one run directory: each takes the jobs that nobody holds. There is no lock of the whole run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// Where the files of locks are, below the run directory.
pub(super) const LOCKS: &str = ".locks";
/// The file that all processes at work hold; no id of a job.
const PRESENT: &str = "present";

/// The right to work on a job; given back when dropped.
#[derive(Debug)]
pub struct JobLock {
    path: PathBuf,
    /// The lock is held for as long as the file is open.
    _file: File,
}

impl Drop for JobLock {
    fn drop(&mut self) {
        // While we hold the lock nobody else holds this file, and who waits for it will look again.
        let _ = files::remove_file(&self.path);
    }
}

/// Says to other processes that this one is at work on the run; until it is dropped.
///
/// Every process holds it at once with all others and waits for nobody: it only tells who is alone, and may take away what
/// killed processes left behind.
#[derive(Debug)]
pub struct Presence {
    path: PathBuf,
    file: File,
}

impl Presence {
    /// Joins the processes at work; if there are none, `clean` is called first.
    pub(super) fn join(directory: &Path, clean: impl Fn()) -> io::Result<Presence> {
        let path = directory.join(PRESENT);
        loop {
            let file = open(&path)?;
            if file.try_lock().is_ok() {
                if is_at(&file, &path) {
                    remove_unheld(directory);
                    clean();
                }
                file.unlock()?;
            }
            file.lock_shared().or_else(without_support)?;
            if is_at(&file, &path) {
                return Ok(Presence { path, file });
            }
        }
    }
}

impl Presence {
    /// Joins the processes at work, and takes nothing away: on file systems whose locks do not reach other machines, nobody
    /// but who began the run may think to be alone.
    pub(super) fn beside(directory: &Path) -> io::Result<Presence> {
        let path = directory.join(PRESENT);
        loop {
            let file = open(&path)?;
            file.lock_shared().or_else(without_support)?;
            if is_at(&file, &path) {
                return Ok(Presence { path, file });
            }
        }
    }
}

/// Opens a file of a lock. The directory goes with the last process that is at work, perhaps while we come.
fn open(path: &Path) -> io::Result<File> {
    const TRIES: usize = 100;
    let mut tries = 0;
    loop {
        tries += 1;
        path.parent().map_or(Ok(()), files::create_dir_all)?;
        match files::lock_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => {}
            result => return result,
        }
    }
}

/// Takes away the locks of killed processes; nobody else may be at work.
fn remove_unheld(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name() != PRESENT {
            // What cannot be removed harms nobody: a lock is free once its process is gone.
            let _ = files::remove_file(&entry.path());
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // The last one closes the door; whoever came meanwhile keeps it open. What fails here harms nobody.
        if self.file.unlock().is_ok() && self.file.try_lock().is_ok() && is_at(&self.file, &self.path) {
            self.path.parent().into_iter().for_each(remove_unheld);
            let _ = files::remove_file(&self.path);
            let _ = self.path.parent().map(files::remove_dir);
        }
    }
}

/// Takes the lock of this name; `None` if another process has it.
pub(super) fn try_lock(directory: &Path, name: &str) -> io::Result<Option<JobLock>> {
    take(directory, name, |file| match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => without_support(error).map(|()| true),
    })
}

/// Waits for the lock of this name.
pub(super) fn lock(directory: &Path, name: &str) -> io::Result<JobLock> {
    let taken = take(directory, name, |file| file.lock().or_else(without_support).map(|()| true))?;
    taken.ok_or_else(|| io::Error::other("a lock that was waited for was not given"))
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
        // Whoever held it before may have removed the file that we opened: then our lock is worth nothing.
        if is_at(&file, &path) {
            return Ok(Some(JobLock { path, _file: file }));
        }
    }
}

/// Some network file systems know no locks: then two processes may do the same job, with the same result.
fn without_support(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Unsupported { Ok(()) } else { Err(error) }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if same(&a, &b))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    // Elsewhere an open file cannot be removed.
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_lock_is_held_once_and_given_back() {
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
    fn only_who_is_alone_cleans() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("locks");
        let cleaned = std::cell::Cell::new(0);
        let join = || Presence::join(&directory, || cleaned.set(cleaned.get() + 1)).unwrap();
        let first = join();
        let second = join();
        assert_eq!(cleaned.get(), 1);
        drop(first);
        drop(join());
        assert_eq!(cleaned.get(), 1);
        // What a killed process held is nobody's, but only who is alone can know.
        fs::write(directory.join("killed"), "").unwrap();
        drop(join());
        assert!(directory.join("killed").exists());
        // The last one takes it along.
        drop(second);
        assert!(!directory.exists());
        drop(join());
        assert_eq!(cleaned.get(), 2);
        let beside = || Presence::beside(&directory).unwrap();
        let (one, two) = (beside(), beside());
        fs::write(directory.join("held by somebody"), "").unwrap();
        let driver = join();
        assert_eq!(cleaned.get(), 2, "somebody else is at work");
        drop((one, driver));
        assert!(directory.join("held by somebody").exists());
        drop(two);
        assert!(!directory.exists());
    }

    #[test]
    fn of_many_only_one_is_inside() {
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

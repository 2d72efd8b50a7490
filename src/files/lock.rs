//! Locks with a name, held through the operating system and released when the process ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{create_dir_all, lock_file, remove_file};

/// Exclusive access; released on drop.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// The lock is held as long as the file is open.
    _file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Only the holder removes the file; a waiting process checks afterwards that its file still
        // exists.
        let _ = remove_file(&self.path);
    }
}

/// Opens a lock file. The last process to leave may remove the directory at the same time.
pub fn open(path: &Path) -> io::Result<File> {
    const MAX_TRIES: usize = 100;
    let mut tries = 0;
    loop {
        tries += 1;
        path.parent().map_or(Ok(()), create_dir_all)?;
        match lock_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {}
            result => return result,
        }
    }
}

/// Acquires the named lock; `None` if another process holds it.
pub fn try_lock(directory: &Path, name: &str) -> io::Result<Option<FileLock>> {
    take(directory, name, |file| match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => ignore_unsupported(error).map(|()| true),
    })
}

/// Acquires the named lock, blocking.
pub fn lock(directory: &Path, name: &str) -> io::Result<FileLock> {
    let taken = take(directory, name, |file| file.lock().or_else(ignore_unsupported).map(|()| true))?;
    taken.ok_or_else(|| io::Error::other("a blocking lock call returned without the lock"))
}

fn take(
    directory: &Path,
    name: &str,
    mut attempt: impl FnMut(&File) -> io::Result<bool>,
) -> io::Result<Option<FileLock>> {
    let path = directory.join(name);
    loop {
        let file = open(&path)?;
        if !attempt(&file)? {
            return Ok(None);
        }
        // The previous holder may have removed the file after we opened it: then the lock is void.
        if is_same_file(&file, &path) {
            return Ok(Some(FileLock { path, _file: file }));
        }
    }
}

/// Accepts file systems without locks, where two processes may hold the same lock.
pub fn ignore_unsupported(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Unsupported { Ok(()) } else { Err(error) }
}

/// Returns whether an open file is still the one at a path.
#[cfg(unix)]
pub fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if same(&a, &b))
}

/// Returns whether an open file is still the one at a path.
#[cfg(not(unix))]
pub fn is_same_file(_: &File, _: &Path) -> bool {
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

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_replaced_is_another_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a");
        let first = open(&path).unwrap();
        assert!(is_same_file(&first, &path));
        fs::remove_file(&path).unwrap();
        assert!(!is_same_file(&first, &path));
        let _second = open(&path).unwrap();
        assert!(!is_same_file(&first, &path));
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

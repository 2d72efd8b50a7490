//! Atomic file and directory writes: to a temporary sibling, synced, then renamed.

pub mod digest;
mod disk;
pub mod fault;
mod hidden;
pub mod json;
pub mod lock;
pub mod visible;
pub mod xml;

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

pub use disk::{
    DiskWriter, check_no_links, create_dir, create_dir_all, lock_file, remove_dir, remove_dir_all, remove_file, rename,
    write_in_place,
};
use fault::Operation;
pub use hidden::{HiddenDir, remove_hidden};

/// Name prefix of temporary siblings; such a file is a leftover of a killed process.
pub const TEMPORARY_PREFIX: &str = ".tmp-";

/// Writes a file atomically with the content produced by `fill`: readers see the old or the new
/// one.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    create_dir_all(parent(path)?)?;
    let mut pending = PendingFile::create(path)?;
    fill(&mut pending)?;
    pending.sync()?;
    pending.commit()?;
    sync_directory(parent(path)?)
}

/// Like [`write`], but not durable across power loss; for content that can be regenerated.
pub fn write_unsynced(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut pending = PendingFile::create(path)?;
    fill(&mut pending)?;
    pending.flush()?;
    pending.commit()
}

/// A file under construction next to its destination, deleted on drop unless committed.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    out: BufWriter<DiskWriter<NamedTempFile>>,
}

impl PendingFile {
    /// Creates a file destined for `path`, whose directory must exist.
    pub fn create(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        let file = builder(0o666).tempfile_in(parent(path)?)?;
        Ok(PendingFile { path: path.to_owned(), out: BufWriter::with_capacity(1 << 18, DiskWriter(file)) })
    }

    /// Returns the destination.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes and syncs the content to disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.out.flush()?;
        fault::point(Operation::Sync)?;
        self.out.get_ref().0.as_file().sync_all()
    }

    /// Renames the file to its destination.
    pub fn commit(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        fault::point(Operation::Rename)?;
        file.0.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Creates a temporary directory in `parent`, deleted on drop unless it is renamed.
pub fn temporary_dir_in(parent: &Path) -> io::Result<TempDir> {
    create_dir_all(parent)?;
    fault::point(Operation::Create)?;
    builder(0o777).tempdir_in(parent)
}

/// Renames a complete, synced file or directory to its final name, durably.
pub fn publish(complete: &Path, path: &Path) -> io::Result<()> {
    rename(complete, path)?;
    sync_directory(parent(path)?)
}

/// Syncs the entries of a directory to disk, on systems that support it.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    fault::point(Operation::Sync)?;
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Syncs a directory and the files directly in it to disk.
pub fn sync_all(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        fault::point(Operation::Sync)?;
        File::open(entry?.path())?.sync_all()?;
    }
    sync_directory(directory)
}

/// Checks that files can be created in a directory; leaves nothing behind.
pub fn check_writable(directory: &Path) -> io::Result<()> {
    fault::point(Operation::Create)?;
    tempfile::tempfile_in(directory).map(drop)
}

fn parent(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        // A bare file name refers to the current directory.
        Some(parent) if parent.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(parent) => Ok(parent),
        None => Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no parent directory")),
    }
}

/// Temporary files are private by default, but caches are often shared: let the umask decide.
fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY_PREFIX);
    if let Some(permissions) = permissions(mode) {
        builder.permissions(permissions);
    }
    builder
}

#[cfg(unix)]
fn permissions(mode: u32) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(_: u32) -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/file");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        write_unsynced(&path, |out| out.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}

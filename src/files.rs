//! Files and directories that appear whole or not at all: written to a temporary sibling, synced, then renamed.

pub mod digest;
mod disk;
pub mod fault;
pub mod json;
pub mod xml;

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

pub use disk::{
    Sink, create_dir, create_dir_all, lock_file, remove_dir, remove_dir_all, remove_file, rename, write_in_place,
};
use fault::Act;

/// How temporary siblings start; a file of such a name is what a killed program left behind.
pub const TEMPORARY: &str = ".tmp-";

/// Writes a file with what `fill` gives; a reader sees the old content or the new, never a part.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    create_dir_all(parent(path)?)?;
    let mut pending = Pending::create(path)?;
    fill(&mut pending)?;
    pending.sync()?;
    pending.put()?;
    sync_directory(parent(path)?)
}

/// Like [`write`], but what a loss of power may take away again: for what can be made anew at any time.
pub fn write_lightly(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut pending = Pending::create(path)?;
    fill(&mut pending)?;
    pending.flush()?;
    pending.put()
}

/// A file that is written beside its place, and gone when dropped unless it is put there.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    out: BufWriter<Sink<NamedTempFile>>,
}

impl Pending {
    /// Starts a file that is to be at `path`, whose directory is there.
    pub fn create(path: &Path) -> io::Result<Self> {
        fault::point(Act::Make)?;
        let file = builder(0o666).tempfile_in(parent(path)?)?;
        Ok(Pending { path: path.to_owned(), out: BufWriter::with_capacity(1 << 18, Sink(file)) })
    }

    /// Where it is to be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands everything that was written to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.out.flush()?;
        fault::point(Act::Sync)?;
        self.out.get_ref().0.as_file().sync_all()
    }

    /// Puts the file in its place.
    pub fn put(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        fault::point(Act::Move)?;
        file.0.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A temporary directory in `parent`, gone when dropped unless it is renamed into place.
pub fn directory_in(parent: &Path) -> io::Result<TempDir> {
    create_dir_all(parent)?;
    fault::point(Act::Make)?;
    builder(0o777).tempdir_in(parent)
}

/// Renames what is complete and synced to its final name, and makes the new name last.
pub fn settle(complete: &Path, path: &Path) -> io::Result<()> {
    rename(complete, path)?;
    sync_directory(parent(path)?)
}

/// Makes new names in a directory survive a loss of power, where the system has a way to ask for it.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    fault::point(Act::Sync)?;
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Makes a directory survive a loss of power with everything directly in it.
pub fn sync_all(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        fault::point(Act::Sync)?;
        File::open(entry?.path())?.sync_all()?;
    }
    sync_directory(directory)
}

/// Whether a file can be made in a directory; nothing is left behind.
pub fn try_directory(directory: &Path) -> io::Result<()> {
    fault::point(Act::Make)?;
    tempfile::tempfile_in(directory).map(drop)
}

fn parent(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        // A bare name has no directory to write in but the current one.
        Some(parent) if parent.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(parent) => Ok(parent),
        None => Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no directory")),
    }
}

/// Temporary files are private by default, but a cache is often shared: leave it to the user's umask.
fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    if let Some(permissions) = shared(mode) {
        builder.permissions(permissions);
    }
    builder
}

#[cfg(unix)]
fn shared(mode: u32) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn shared(_: u32) -> Option<Permissions> {
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
        write_lightly(&path, |out| out.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}

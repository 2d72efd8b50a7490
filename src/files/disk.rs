//! All operations that modify the disk, each with a fault-injection point.
//!
//! The rest of the program modifies files and directories only through this module.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::fault::{self, Operation};

/// A file writer with fault injection.
#[derive(Debug)]
pub struct DiskWriter<W>(pub(super) W);

impl DiskWriter<File> {
    /// Creates a file, truncating an existing one.
    ///
    /// # Errors
    /// If the operating system reports an error, as in all functions of this module.
    pub fn create(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        File::create(path).map(DiskWriter)
    }

    /// Creates a file that must not exist; does not follow a symbolic link.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        File::options().write(true).create_new(true).open(path).map(DiskWriter)
    }

    /// Opens an existing file for appending.
    pub fn append(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        File::options().append(true).open(path).map(DiskWriter)
    }

    /// Syncs the content to disk.
    pub fn sync_all(&self) -> io::Result<()> {
        fault::point(Operation::Sync)?;
        self.0.sync_all()
    }
}

impl<W: Write> Write for DiskWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::write(&mut self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Opens or creates an empty file to be locked.
pub fn lock_file(path: &Path) -> io::Result<File> {
    fault::point(Operation::Create)?;
    File::options().create(true).append(true).open(path)
}

/// Writes a file directly, as part of a directory that is published atomically.
pub fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    DiskWriter::create(path)?.write_all(bytes)
}

/// Creates a directory that must not exist.
pub fn create_dir(path: &Path) -> io::Result<()> {
    fault::point(Operation::Create)?;
    fs::create_dir(path)
}

/// Creates a directory and its parents if missing.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    fault::point(Operation::Create)?;
    fs::create_dir_all(path)
}

/// Renames a file or directory.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::point(Operation::Rename)?;
    fs::rename(from, to)
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    fault::point(Operation::Remove)?;
    fs::remove_file(path)
}

/// Removes an empty directory.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    fault::point(Operation::Remove)?;
    fs::remove_dir(path)
}

/// Removes a directory and its contents.
pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    fault::point(Operation::Remove)?;
    fs::remove_dir_all(path)
}

//! All operations that modify the disk, each with a fault-injection point.
//!
//! The rest of the program modifies files and directories only through this module.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::fault::{self, Operation};
use super::visible::ShownPath;

/// A file writer with fault injection.
#[derive(Debug)]
pub struct DiskWriter<W>(pub(super) W);

impl DiskWriter<File> {
    /// Creates a file, truncating an existing one; does not follow a symbolic link.
    ///
    /// # Errors
    /// If the operating system reports an error, as in all functions of this module.
    pub fn create(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        open(path, File::options().write(true).create(true).truncate(true)).map(DiskWriter)
    }

    /// Creates a file that must not exist; does not follow a symbolic link.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        File::options().write(true).create_new(true).open(path).map(DiskWriter)
    }

    /// Creates a file for appending that must not exist.
    pub fn append_new(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        File::options().append(true).create_new(true).open(path).map(DiskWriter)
    }

    /// Opens an existing file for appending; does not follow a symbolic link.
    pub fn append(path: &Path) -> io::Result<Self> {
        fault::point(Operation::Create)?;
        open(path, File::options().append(true)).map(DiskWriter)
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

/// Opens or creates an empty file to be locked; does not follow a symbolic link.
pub fn lock_file(path: &Path) -> io::Result<File> {
    fault::point(Operation::Create)?;
    open(path, File::options().create(true).append(true))
}

/// Opens a file for writing unless it is a symbolic link.
#[cfg(unix)]
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    options.custom_flags(flags).open(path).map_err(|error| if path.is_symlink() { is_link(path) } else { error })
}

#[cfg(not(unix))]
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if path.is_symlink() { Err(is_link(path)) } else { options.open(path) }
}

fn is_link(path: &Path) -> io::Error {
    let message = format!("{} is a symbolic link, which is not followed for writing: remove it", path.shown());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Checks that no directory on the way from `root`, which may be a link itself, to a path below it
/// is a symbolic link. Otherwise a link that came with a copied directory could make the program
/// write, or remove, anywhere.
///
/// # Errors
/// If there is a link.
pub fn check_no_links(root: &Path, below: &Path) -> io::Result<()> {
    let mut path = root.to_owned();
    for part in below.strip_prefix(root).unwrap_or(below).components() {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return Err(is_link(&path)),
            Ok(_) => {}
            // Nothing below exists either.
            Err(_) => break,
        }
    }
    Ok(())
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

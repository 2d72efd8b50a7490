//! Everything that changes the disk, each with the place where a fault may strike. The rest of the program changes files and
//! directories through here and nowhere else.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::fault::{self, Act};

/// A file that is written.
#[derive(Debug)]
pub struct Sink<W>(pub(super) W);

impl Sink<File> {
    /// A new file; one that is there loses its content.
    ///
    /// # Errors
    /// If the system does not allow it, as with all others here.
    pub fn create(path: &Path) -> io::Result<Self> {
        fault::point(Act::Make)?;
        File::create(path).map(Sink)
    }

    /// A file that must not be there yet; a link in its place is not followed.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        fault::point(Act::Make)?;
        File::options().write(true).create_new(true).open(path).map(Sink)
    }

    /// A file that is there, to be written behind its end.
    pub fn append(path: &Path) -> io::Result<Self> {
        fault::point(Act::Make)?;
        File::options().append(true).open(path).map(Sink)
    }

    /// Hands everything that was written to the disk.
    pub fn sync_all(&self) -> io::Result<()> {
        fault::point(Act::Sync)?;
        self.0.sync_all()
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::write(&mut self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A file to lock, which stays empty.
pub fn lock_file(path: &Path) -> io::Result<File> {
    fault::point(Act::Make)?;
    File::options().create(true).append(true).open(path)
}

/// Writes a file in its place, for what is part of something that appears as a whole.
pub fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Sink::create(path)?.write_all(bytes)
}

/// Makes a directory that must not be there yet.
pub fn create_dir(path: &Path) -> io::Result<()> {
    fault::point(Act::Make)?;
    fs::create_dir(path)
}

/// Makes a directory with all those above it, unless it is there.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    fault::point(Act::Make)?;
    fs::create_dir_all(path)
}

/// Gives a file or directory another name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::point(Act::Move)?;
    fs::rename(from, to)
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    fault::point(Act::Remove)?;
    fs::remove_file(path)
}

/// Removes an empty directory.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    fault::point(Act::Remove)?;
    fs::remove_dir(path)
}

/// Removes a directory with everything in it.
pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    fault::point(Act::Remove)?;
    fs::remove_dir_all(path)
}

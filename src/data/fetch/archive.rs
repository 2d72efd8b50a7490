//! Unpacks archives. Names and sizes in an archive are untrusted input.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use thiserror::Error;

use crate::data::manifest::Unpack;
use crate::data::store::{is_unfinished, path};
use crate::files::visible::ShownPath;
use crate::files::{self, DiskWriter};

/// The error of unpacking an archive.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// An entry would be written outside the target.
    #[error("unsafe archive entry `{entry}`: {reason}")]
    BadEntry {
        /// The entry's name.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The unpacked content exceeds the limit.
    #[error(
        "archive of {packed} bytes unpacks to more than {limit} bytes; expected at most {} bytes in total and {} times the archive",
        UnpackLimits::BYTES,
        UnpackLimits::RATIO
    )]
    TooLarge {
        /// The maximum number of bytes.
        limit: u64,
        /// The size of the archive.
        packed: u64,
    },
    /// The archive has too many entries.
    #[error("archive with {entries} entries; expected at most {}", UnpackLimits::ENTRIES)]
    TooMany {
        /// The number of entries.
        entries: usize,
    },
    /// The archive is damaged or in an unsupported format.
    #[error(
        "cannot unpack the archive: {reason}; if its checksum matches the manifest, the published archive is damaged"
    )]
    Damaged {
        /// What is wrong.
        reason: String,
    },
    /// A file system operation failed.
    #[error("{}: {source}", path.shown())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl ArchiveError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
        let path = path.to_owned();
        move |source| ArchiveError::Io { path, source }
    }

    fn damaged(reason: impl ToString) -> ArchiveError {
        ArchiveError::Damaged { reason: reason.to_string() }
    }
}

/// Limits on the content of an archive, against decompression bombs.
struct UnpackLimits;

impl UnpackLimits {
    /// Maximum total number of bytes.
    const BYTES: u64 = 1 << 30;
    /// Maximum bytes per byte of the archive: text compresses to a twentieth at best, a bomb to a
    /// thousandth.
    const RATIO: u64 = 200;
    /// Bytes allowed beyond the ratio, since small archives may compress better.
    const SLACK: u64 = 1 << 20;
    /// Maximum number of entries.
    const ENTRIES: usize = 100_000;
}

/// Unpacks an archive to `target` atomically, replacing what was there.
///
/// A zip archive becomes a directory, a gzip file becomes a file.
pub fn unpack(kind: Unpack, archive: &Path, target: &Path) -> Result<(), ArchiveError> {
    let parent = target.parent().unwrap_or(Path::new("."));
    let staging = files::temporary_dir_in(parent).map_err(ArchiveError::io(parent))?;
    let fresh = staging.path().join("new");
    let packed = fs::metadata(archive).map_err(ArchiveError::io(archive))?.len();
    let mut budget = Budget::new(packed);
    match kind {
        Unpack::Zip => unzip(archive, &fresh, &mut budget)?,
        Unpack::Gzip => {
            let file = File::open(archive).map_err(ArchiveError::io(archive))?;
            budget.write(MultiGzDecoder::new(BufReader::new(file)), &fresh)?;
        }
    }
    // A directory cannot be replaced in one step: the old one is moved into the staging directory.
    if fs::symlink_metadata(target).is_ok() {
        files::rename(target, &staging.path().join("old")).map_err(ArchiveError::io(target))?;
    }
    files::publish(&fresh, target).map_err(ArchiveError::io(target))
}

fn unzip(archive: &Path, target: &Path, budget: &mut Budget) -> Result<(), ArchiveError> {
    let file = File::open(archive).map_err(ArchiveError::io(archive))?;
    let mut zip = zip::ZipArchive::new(BufReader::new(file)).map_err(ArchiveError::damaged)?;
    if zip.len() > UnpackLimits::ENTRIES {
        return Err(ArchiveError::TooMany { entries: zip.len() });
    }
    if zip.has_duplicate_names() {
        return Err(ArchiveError::damaged("two entries have the same name"));
    }
    files::create_dir_all(target).map_err(ArchiveError::io(target))?;
    for i in 0..zip.len() {
        let entry = zip.by_index(i).map_err(ArchiveError::damaged)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let reject = |reason: &str| ArchiveError::BadEntry { entry: name.clone(), reason: reason.to_owned() };
        if std::str::from_utf8(entry.name_raw()).is_err() {
            return Err(reject("the name is not UTF-8"));
        }
        // The type bits of a Unix mode: 0 is unspecified, 4 a directory, 8 a regular file; others
        // are links or devices.
        if entry.is_symlink() || !matches!(entry.unix_mode().unwrap_or(0) >> 12 & 0o17, 0 | 4 | 8) {
            return Err(reject("it is a link or a device"));
        }
        let is_directory = name.ends_with('/');
        path::relative(name.strip_suffix('/').unwrap_or(&name)).map_err(reject)?;
        if is_unfinished(&name) {
            return Err(reject("the name is reserved for unfinished files"));
        }
        let full = target.join(&name);
        let directory = if is_directory { Some(full.as_path()) } else { full.parent() };
        if let Some(directory) = directory {
            files::create_dir_all(directory).map_err(ArchiveError::io(directory))?;
        }
        if !is_directory {
            budget.write(entry, &full)?;
        }
    }
    Ok(())
}

/// The remaining number of bytes, counted on the unpacked data and not on the sizes that the
/// archive claims.
struct Budget {
    limit: u64,
    remaining: u64,
    packed: u64,
}

impl Budget {
    fn new(packed: u64) -> Budget {
        let limit =
            UnpackLimits::BYTES.min(packed.saturating_mul(UnpackLimits::RATIO).saturating_add(UnpackLimits::SLACK));
        Budget { limit, remaining: limit, packed }
    }

    /// Writes all of `from` to a new file and syncs it.
    fn write(&mut self, mut from: impl Read, path: &Path) -> Result<(), ArchiveError> {
        let mut out = DiskWriter::create_new(path).map_err(ArchiveError::io(path))?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let n = match from.read(&mut buffer) {
                Ok(0) => return out.sync_all().map_err(ArchiveError::io(path)),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ArchiveError::damaged(error)),
            };
            self.remaining = self
                .remaining
                .checked_sub(n as u64)
                .ok_or(ArchiveError::TooLarge { limit: self.limit, packed: self.packed })?;
            out.write_all(&buffer[..n]).map_err(ArchiveError::io(path))?;
        }
    }
}

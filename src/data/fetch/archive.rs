//! Unpacking: every name in an archive is a stranger's, and so is every size it claims.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use thiserror::Error;

use crate::data::manifest::Unpack;
use crate::data::store::{is_unfinished, path};
use crate::files::{self, Sink};

/// Why an archive was not unpacked.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// An entry would be written outside the target.
    #[error("refused to unpack: entry `{entry}`: {reason}")]
    BadEntry {
        /// The entry's name.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The content is larger than is allowed.
    #[error(
        "refused to unpack: more than {limit} bytes come out of {packed}; allowed are {} bytes in all and {} times the archive",
        Limits::BYTES,
        Limits::RATIO
    )]
    TooLarge {
        /// How many bytes are allowed.
        limit: u64,
        /// How long the archive is.
        packed: u64,
    },
    /// The archive has more entries than is allowed.
    #[error("refused to unpack: it has {entries} entries, allowed are {}", Limits::ENTRIES)]
    TooMany {
        /// How many.
        entries: usize,
    },
    /// The archive is damaged or of a kind we do not read.
    #[error("cannot be unpacked: {reason}; if the manifest's checksum is right, the archive itself is damaged")]
    Damaged {
        /// What is wrong.
        reason: String,
    },
    /// The system refused something.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
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

/// What may come out of an archive.
struct Limits;

impl Limits {
    /// Bytes in all.
    const BYTES: u64 = 1 << 30;
    /// Bytes for each byte of the archive: text packs to a twentieth at most, a bomb to a thousandth.
    const RATIO: u64 = 200;
    /// A small archive may be packed tighter.
    const SLACK: u64 = 1 << 20;
    /// Entries.
    const ENTRIES: usize = 100_000;
}

/// Unpacks an archive to `target`, which appears whole or not at all and replaces what was there.
///
/// A zip archive becomes a directory, a gzip file becomes a file.
pub fn unpack(kind: Unpack, archive: &Path, target: &Path) -> Result<(), ArchiveError> {
    let parent = target.parent().unwrap_or(Path::new("."));
    let workshop = files::directory_in(parent).map_err(ArchiveError::io(parent))?;
    let fresh = workshop.path().join("new");
    let packed = fs::metadata(archive).map_err(ArchiveError::io(archive))?.len();
    let mut budget = Budget::new(packed);
    match kind {
        Unpack::Zip => unzip(archive, &fresh, &mut budget)?,
        Unpack::Gzip => {
            let file = File::open(archive).map_err(ArchiveError::io(archive))?;
            budget.write(MultiGzDecoder::new(BufReader::new(file)), &fresh)?;
        }
    }
    // A directory cannot be replaced in one step: put the old one aside, to go with the workshop.
    if fs::symlink_metadata(target).is_ok() {
        files::rename(target, &workshop.path().join("old")).map_err(ArchiveError::io(target))?;
    }
    files::settle(&fresh, target).map_err(ArchiveError::io(target))
}

fn unzip(archive: &Path, target: &Path, budget: &mut Budget) -> Result<(), ArchiveError> {
    let file = File::open(archive).map_err(ArchiveError::io(archive))?;
    let mut zip = zip::ZipArchive::new(BufReader::new(file)).map_err(ArchiveError::damaged)?;
    if zip.len() > Limits::ENTRIES {
        return Err(ArchiveError::TooMany { entries: zip.len() });
    }
    if zip.has_duplicate_names() {
        return Err(ArchiveError::damaged("two entries have the same name"));
    }
    files::create_dir_all(target).map_err(ArchiveError::io(target))?;
    for i in 0..zip.len() {
        let entry = zip.by_index(i).map_err(ArchiveError::damaged)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let refuse = |reason: &str| ArchiveError::BadEntry { entry: name.clone(), reason: reason.to_owned() };
        if std::str::from_utf8(entry.name_raw()).is_err() {
            return Err(refuse("the name is not UTF-8"));
        }
        // The type bits of a Unix mode: 0 is not said, 4 a directory, 8 a regular file, all others are links or devices.
        if entry.is_symlink() || !matches!(entry.unix_mode().unwrap_or(0) >> 12 & 0o17, 0 | 4 | 8) {
            return Err(refuse("it is a link or a device"));
        }
        let is_directory = name.ends_with('/');
        path::relative(name.strip_suffix('/').unwrap_or(&name)).map_err(refuse)?;
        if is_unfinished(&name) {
            return Err(refuse("the name is one of unfinished files"));
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

/// How much more may come out; counted by what does come out, not by what the archive claims.
struct Budget {
    limit: u64,
    left: u64,
    packed: u64,
}

impl Budget {
    fn new(packed: u64) -> Budget {
        let limit = Limits::BYTES.min(packed.saturating_mul(Limits::RATIO).saturating_add(Limits::SLACK));
        Budget { limit, left: limit, packed }
    }

    /// Writes all of `from` to a new file, and syncs it.
    fn write(&mut self, mut from: impl Read, path: &Path) -> Result<(), ArchiveError> {
        let mut out = Sink::create_new(path).map_err(ArchiveError::io(path))?;
        let mut block = vec![0; 1 << 16];
        loop {
            let n = match from.read(&mut block) {
                Ok(0) => return out.sync_all().map_err(ArchiveError::io(path)),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ArchiveError::damaged(error)),
            };
            self.left = self
                .left
                .checked_sub(n as u64)
                .ok_or(ArchiveError::TooLarge { limit: self.limit, packed: self.packed })?;
            out.write_all(&block[..n]).map_err(ArchiveError::io(path))?;
        }
    }
}

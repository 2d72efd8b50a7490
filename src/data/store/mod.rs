//! The data directory: the path of each file of a dataset, and the record of their checksums.
//!
//! ```text
//! <data>/<id>/raw/…          the published files, byte for byte
//! <data>/<id>/unpacked/…     the content of their archives
//! <data>/<id>/<variant>/…    the same data as BoostSRL files, written by an adaptor
//! <data>/<id>/SHA256SUMS     the checksum of every file above, written last
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

pub mod path;
mod verify;

pub use verify::{FileProblem, ProblemKind, Verification};

use crate::files::visible::ShownPath;
use crate::files::{self, TEMPORARY_PREFIX, digest};
use path::{PART, RAW, RECORD, UNPACKED};

/// The environment variable for the data directory.
pub const DATA_VARIABLE: &str = "LRBM_DATA";
/// The default data directory.
pub const DATA_DEFAULT: &str = "datasets/cache";

/// An error below the data directory.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("{}: {source}; check that the directory is writable and the disk is not full", path.shown())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The name is invalid for a converted file.
    #[error("dataset `{id}`: cannot write `{path}`: {reason}; a converted file is `<variant>/<path>`")]
    BadName {
        /// The dataset.
        id: String,
        /// The name.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The record of checksums is damaged.
    #[error("dataset `{id}`: {RECORD} is damaged: {reason}; run `lrbm datasets fetch {id}` to repair it")]
    DamagedRecord {
        /// The dataset.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The dataset has no record of checksums.
    #[error("dataset `{id}` is not in {}; run `lrbm datasets fetch {id}`", directory.shown())]
    NotFetched {
        /// The dataset.
        id: String,
        /// The data directory.
        directory: PathBuf,
    },
    /// Another process holds the lock of the dataset.
    #[error("dataset `{id}` is being fetched or converted by another process; wait until it ends")]
    Busy {
        /// The dataset.
        id: String,
    },
}

impl StoreError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }
}

/// The data directory.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// An exclusive lock on writing to a dataset, released on drop.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock is held for as long as the file is open")] File);

impl Store {
    /// Opens the store in a directory, which need not exist yet.
    pub fn open(root: impl Into<PathBuf>) -> Store {
        Store { root: root.into() }
    }

    /// Returns the directory used by default: `LRBM_DATA`, or `datasets/cache`.
    pub fn default_directory() -> PathBuf {
        match std::env::var_os(DATA_VARIABLE) {
            Some(directory) if !directory.is_empty() => directory.into(),
            _ => DATA_DEFAULT.into(),
        }
    }

    /// Returns the data directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of a dataset.
    pub fn dataset(&self, id: &str) -> PathBuf {
        self.root.join(id)
    }

    /// Returns the path of a published file.
    pub fn raw(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(RAW).join(path)
    }

    /// Returns the path of an unpacked file; `path` starts with the archive's name without its
    /// extension.
    pub fn unpacked(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(UNPACKED).join(path)
    }

    /// Returns the path of a converted file; `path` starts with the variant.
    pub fn converted(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(path)
    }

    /// Writes a converted file atomically.
    ///
    /// To convert a variant: hold [`Store::lock`], [`Store::discard`] leftovers of earlier
    /// attempts, write every file, then [`Store::seal`].
    pub fn write_converted(&self, id: &str, path: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        self.write_converted_with(id, path, |out| out.write_all(bytes))
    }

    /// Writes a converted file atomically through a callback; see [`Store::write_converted`].
    pub fn write_converted_with(
        &self,
        id: &str,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, StoreError> {
        let bad = |reason| StoreError::BadName { id: id.to_owned(), path: path.to_owned(), reason };
        if !path::is_id(id) {
            return Err(bad("the dataset id is invalid"));
        }
        path::relative(path).map_err(bad)?;
        let variant = path.split_once('/').map(|(variant, _)| variant);
        if !variant.is_some_and(path::is_variant) {
            return Err(bad("it must be in the directory of a variant, which is neither `raw` nor `unpacked`"));
        }
        if is_unfinished(path) {
            return Err(bad("the name is reserved for unfinished files"));
        }
        let full = self.converted(id, path);
        files::write(&full, fill).map_err(StoreError::io(&full))?;
        Ok(full)
    }

    /// Records the checksums of the converted files of a variant, once all are written.
    ///
    /// The records of all other files are kept, so sealing does not legitimize a file modified
    /// since, nor a variant that was left incomplete.
    pub fn seal(&self, id: &str, variant: &str) -> Result<ChecksumRecord, StoreError> {
        let mut record = self.record(id)?;
        record.0.retain(|path, _| is_fetched(path) || !path::is_within(variant, path));
        if path::is_variant(variant) {
            record.0.extend(self.sums(id, variant)?.0);
        }
        self.write_record(id, &record)?;
        Ok(record)
    }

    /// Returns whether a variant has been converted and sealed.
    pub fn is_sealed(&self, id: &str, variant: &str) -> bool {
        path::is_variant(variant)
            && self.record(id).is_ok_and(|record| record.iter().any(|(path, _)| path::is_within(variant, path)))
    }

    /// Removes the files of a variant, so that it can be converted again.
    pub fn discard(&self, id: &str, variant: &str) -> Result<(), StoreError> {
        let bad = |reason| StoreError::BadName { id: id.to_owned(), path: variant.to_owned(), reason };
        if !path::is_id(id) || !path::is_variant(variant) {
            return Err(bad("it is not a valid variant name"));
        }
        if let Ok(mut record) = self.record(id) {
            record.0.retain(|path, _| !path::is_within(variant, path));
            self.write_record(id, &record)?;
        }
        let directory = self.dataset(id).join(variant);
        match files::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(&directory)(error)),
            _ => Ok(()),
        }
    }

    /// Reads the recorded checksums of a dataset.
    pub fn record(&self, id: &str) -> Result<ChecksumRecord, StoreError> {
        let path = self.dataset(id).join(RECORD);
        match fs::read(&path) {
            Ok(bytes) => {
                ChecksumRecord::parse(&bytes).map_err(|reason| StoreError::DamagedRecord { id: id.to_owned(), reason })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::NotFetched { id: id.to_owned(), directory: self.root.clone() })
            }
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    pub(crate) fn write_record(&self, id: &str, record: &ChecksumRecord) -> Result<(), StoreError> {
        let path = self.dataset(id).join(RECORD);
        files::write(&path, |out| out.write_all(record.to_string().as_bytes())).map_err(StoreError::io(&path))
    }

    /// Waits for the lock of a dataset.
    pub fn lock(&self, id: &str) -> Result<Lock, StoreError> {
        let (path, file) = self.lock_file(id)?;
        match file.lock() {
            Ok(()) => Ok(Lock(file)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Lock(file)),
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    /// Acquires the lock of a dataset, or fails with [`StoreError::Busy`] if another process holds
    /// it.
    pub fn try_lock(&self, id: &str) -> Result<Lock, StoreError> {
        let (path, file) = self.lock_file(id)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy { id: id.to_owned() }),
            // Some network file systems do not support locks; checksums still detect a collision of
            // two processes.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Lock(file)),
            Err(TryLockError::Error(source)) => Err(StoreError::Io { path, source }),
        }
    }

    fn lock_file(&self, id: &str) -> Result<(PathBuf, File), StoreError> {
        let path = self.root.join(format!(".{id}.lock"));
        files::create_dir_all(&self.root).map_err(StoreError::io(&self.root))?;
        let file = files::lock_file(&path).map_err(StoreError::io(&path))?;
        Ok((path, file))
    }

    /// Computes the checksums of the files at or below a directory of a dataset.
    pub(crate) fn sums(&self, id: &str, directory: &str) -> Result<ChecksumRecord, StoreError> {
        let mut sums = ChecksumRecord::default();
        for path in self.list_files(id)?.files {
            if path::is_within(directory, &path) && !is_unfinished(&path) {
                let full = self.dataset(id).join(&path);
                sums.0.insert(path, digest::sha256_of_file(&full).map_err(StoreError::io(&full))?);
            }
        }
        Ok(sums)
    }

    /// Lists everything below the directory of a dataset, sorted.
    pub(crate) fn list_files(&self, id: &str) -> Result<DirectoryListing, StoreError> {
        let mut listing = DirectoryListing::default();
        let root = self.dataset(id);
        let mut pending = vec![String::new()];
        while let Some(directory) = pending.pop() {
            let full = root.join(&directory);
            let entries = fs::read_dir(&full).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
            for entry in entries.map_err(StoreError::io(&full))? {
                let name = entry.file_name();
                let separator = if directory.is_empty() { "" } else { "/" };
                let path = format!("{directory}{separator}{}", name.to_string_lossy());
                let kind = entry.file_type().map_err(StoreError::io(&entry.path()))?;
                match name.to_str() {
                    Some(_) if kind.is_dir() => pending.push(path),
                    Some(_) if kind.is_file() => listing.files.push(path),
                    _ => listing.others.push(path),
                }
            }
        }
        listing.files.sort_unstable();
        listing.others.sort_unstable();
        Ok(listing)
    }
}

/// The entries below a directory, by relative path.
#[derive(Debug, Default)]
pub(crate) struct DirectoryListing {
    pub(crate) files: Vec<String>,
    /// Links, devices and names that are not Unicode; the store writes none of these.
    pub(crate) others: Vec<String>,
}

/// Returns whether a path of a dataset is a published or unpacked file.
pub(crate) fn is_fetched(path: &str) -> bool {
    matches!(path.split_once('/'), Some((RAW | UNPACKED, _)))
}

/// Returns whether a path is an unfinished file left by an interrupted process.
pub(crate) fn is_unfinished(path: &str) -> bool {
    path.ends_with(PART) || path.split('/').any(|part| part.starts_with(TEMPORARY_PREFIX))
}

/// The checksums of the files of a dataset by path, in the format of `sha256sum`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChecksumRecord(pub(crate) BTreeMap<String, String>);

impl ChecksumRecord {
    /// Parses a record strictly: only the exact output of [`ChecksumRecord`] is accepted, so every
    /// modification is detected.
    fn parse(bytes: &[u8]) -> Result<ChecksumRecord, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let mut record = ChecksumRecord::default();
        for (i, line) in text.lines().enumerate() {
            let (sum, path) = line.split_once("  ").ok_or(format!("line {} has no checksum and path", i + 1))?;
            let is_hex = sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            if !is_hex {
                return Err(format!("line {} does not start with a checksum", i + 1));
            }
            path::relative(path).map_err(|reason| format!("line {}: {reason}", i + 1))?;
            record.0.insert(path.to_owned(), sum.to_owned());
        }
        if record.to_string() == text { Ok(record) } else { Err("it differs from its canonical form".to_owned()) }
    }

    /// Returns the recorded checksum of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Iterates over the files and their checksums, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, sum)| (path.as_str(), sum.as_str()))
    }

    /// Returns the number of recorded files.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no file is recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the SHA-256 of the records below a directory such as `raw` or a variant.
    pub fn checksum(&self, directory: &str) -> String {
        digest::sha256(self.within(directory).to_string().as_bytes())
    }

    /// Returns the records at or below a directory.
    pub(crate) fn within(&self, directory: &str) -> ChecksumRecord {
        let below = self.0.iter().filter(|(path, _)| path::is_within(directory, path));
        ChecksumRecord(below.map(|(path, sum)| (path.clone(), sum.clone())).collect())
    }
}

impl std::fmt::Display for ChecksumRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(path, sum)| writeln!(f, "{sum}  {path}"))
    }
}

//! The data directory: where each file of a dataset is, and the record of their checksums.
//!
//! ```text
//! <data>/<id>/raw/…          the published files, byte for byte
//! <data>/<id>/unpacked/…     what the archives among them contain
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

pub use verify::{Problem, ProblemKind, Verification};

use crate::files::{self, TEMPORARY, digest};
use path::{PART, RAW, RECORD, UNPACKED};

/// The environment variable that names the data directory.
pub const DATA_VARIABLE: &str = "LRBM_DATA";
/// The data directory if nothing else is said.
pub const DATA_DEFAULT: &str = "datasets/cache";

/// What can go wrong below the data directory.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused something.
    #[error("{}: {source}; check that the directory can be written and the disk is not full", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that cannot be that of a converted file.
    #[error("dataset `{id}`: `{path}` cannot be written: {reason}; a converted file is `<variant>/<path>`")]
    BadName {
        /// The dataset.
        id: String,
        /// The name.
        path: String,
        /// Why not.
        reason: &'static str,
    },
    /// The record of checksums is damaged.
    #[error("dataset `{id}`: {RECORD} is damaged: {reason}; fetch the dataset again to mend it")]
    DamagedRecord {
        /// The dataset.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no record of checksums.
    #[error("dataset `{id}` is not in {}; `lrbm datasets fetch {id}` fetches it", directory.display())]
    NotFetched {
        /// The dataset.
        id: String,
        /// The data directory.
        directory: PathBuf,
    },
    /// Another process is at work on the dataset.
    #[error("dataset `{id}` is being fetched or converted by another process; wait for it to end")]
    Busy {
        /// The dataset.
        id: String,
    },
}

impl StoreError {
    pub(in crate::data) fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }
}

/// The data directory.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// Keeps other processes from writing to a dataset until it is dropped.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock is held for as long as the file is open")] File);

impl Store {
    /// The store in a directory, which need not exist yet.
    pub fn open(root: impl Into<PathBuf>) -> Store {
        Store { root: root.into() }
    }

    /// The directory to use if the user names none: `LRBM_DATA`, or `datasets/cache`.
    pub fn default_directory() -> PathBuf {
        match std::env::var_os(DATA_VARIABLE) {
            Some(directory) if !directory.is_empty() => directory.into(),
            _ => DATA_DEFAULT.into(),
        }
    }

    /// The data directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of a dataset.
    pub fn dataset(&self, id: &str) -> PathBuf {
        self.root.join(id)
    }

    /// Where a published file is.
    pub fn raw(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(RAW).join(path)
    }

    /// Where a file of an archive is: `path` starts with the archive's name without its ending.
    pub fn unpacked(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(UNPACKED).join(path)
    }

    /// Where a converted file is; `path` starts with the variant.
    pub fn converted(&self, id: &str, path: &str) -> PathBuf {
        self.dataset(id).join(path)
    }

    /// Writes a converted file, whole or not at all.
    ///
    /// To convert a variant: hold [`Store::lock`], [`Store::discard`] what is left of earlier tries, write every file,
    /// then [`Store::seal`].
    pub fn write_converted(&self, id: &str, path: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        self.write_converted_with(id, path, |out| out.write_all(bytes))
    }

    /// Like [`Store::write_converted`], with a writer.
    pub fn write_converted_with(
        &self,
        id: &str,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, StoreError> {
        let bad = |reason| StoreError::BadName { id: id.to_owned(), path: path.to_owned(), reason };
        if !path::is_id(id) {
            return Err(bad("the dataset's name is not one"));
        }
        path::relative(path).map_err(bad)?;
        let variant = path.split_once('/').map(|(variant, _)| variant);
        if !variant.is_some_and(path::is_variant) {
            return Err(bad("it must be in the directory of a variant, which is neither `raw` nor `unpacked`"));
        }
        if path.ends_with(PART) || path.split('/').any(|part| part.starts_with(TEMPORARY)) {
            return Err(bad("the name is one of unfinished files"));
        }
        let full = self.converted(id, path);
        files::write(&full, fill).map_err(StoreError::io(&full))?;
        Ok(full)
    }

    /// Records the checksums of the converted files of a variant, once all are written.
    ///
    /// What is recorded of all other files stays as it is, so a file changed since then does not become right by
    /// this, nor does a variant that was left half written.
    pub fn seal(&self, id: &str, variant: &str) -> Result<Record, StoreError> {
        let mut record = self.record(id)?;
        record.0.retain(|path, _| is_fetched(path) || !path::is_within(variant, path));
        if path::is_variant(variant) {
            record.0.extend(self.sums(id, variant)?.0);
        }
        self.write_record(id, &record)?;
        Ok(record)
    }

    /// Whether a variant has been converted and sealed.
    pub fn is_sealed(&self, id: &str, variant: &str) -> bool {
        path::is_variant(variant)
            && self.record(id).is_ok_and(|record| record.iter().any(|(path, _)| path::is_within(variant, path)))
    }

    /// Removes the files of a variant, so that it can be converted anew.
    pub fn discard(&self, id: &str, variant: &str) -> Result<(), StoreError> {
        let bad = |reason| StoreError::BadName { id: id.to_owned(), path: variant.to_owned(), reason };
        if !path::is_id(id) || !path::is_variant(variant) {
            return Err(bad("it is not a variant"));
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

    /// The recorded checksums of a dataset.
    pub fn record(&self, id: &str) -> Result<Record, StoreError> {
        let path = self.dataset(id).join(RECORD);
        match fs::read(&path) {
            Ok(bytes) => {
                Record::parse(&bytes).map_err(|reason| StoreError::DamagedRecord { id: id.to_owned(), reason })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::NotFetched { id: id.to_owned(), directory: self.root.clone() })
            }
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    pub(in crate::data) fn write_record(&self, id: &str, record: &Record) -> Result<(), StoreError> {
        let path = self.dataset(id).join(RECORD);
        files::write(&path, |out| out.write_all(record.to_string().as_bytes())).map_err(StoreError::io(&path))
    }

    /// Waits until no other process writes to the dataset, then keeps them out until the lock is dropped.
    pub fn lock(&self, id: &str) -> Result<Lock, StoreError> {
        let (path, file) = self.lock_file(id)?;
        match file.lock() {
            Ok(()) => Ok(Lock(file)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Lock(file)),
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    /// Like [`Store::lock`], but an error if another process has it.
    pub fn try_lock(&self, id: &str) -> Result<Lock, StoreError> {
        let (path, file) = self.lock_file(id)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy { id: id.to_owned() }),
            // Some network file systems know no locks; checksums still tell if two processes collide.
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

    /// The checksums of the files at or below a place in the directory of a dataset, as they are now.
    pub(in crate::data) fn sums(&self, id: &str, place: &str) -> Result<Record, StoreError> {
        let mut sums = Record::default();
        for path in self.walk(id)?.files {
            if path::is_within(place, &path) && !is_unfinished(&path) {
                let full = self.dataset(id).join(&path);
                sums.0.insert(path, digest::sha256_of_file(&full).map_err(StoreError::io(&full))?);
            }
        }
        Ok(sums)
    }

    /// Everything below the directory of a dataset, sorted.
    pub(in crate::data) fn walk(&self, id: &str) -> Result<Tree, StoreError> {
        let mut tree = Tree::default();
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
                    Some(_) if kind.is_file() => tree.files.push(path),
                    _ => tree.others.push(path),
                }
            }
        }
        tree.files.sort_unstable();
        tree.others.sort_unstable();
        Ok(tree)
    }
}

/// The files below a directory, by their paths from there.
#[derive(Debug, Default)]
pub(in crate::data) struct Tree {
    pub(in crate::data) files: Vec<String>,
    /// Links, devices and names that are not Unicode: nothing we wrote.
    pub(in crate::data) others: Vec<String>,
}

/// Whether a path of a dataset is that of a published or unpacked file.
pub(in crate::data) fn is_fetched(path: &str) -> bool {
    matches!(path.split_once('/'), Some((RAW | UNPACKED, _)))
}

/// Whether a path is that of a file that a killed program left behind.
pub(in crate::data) fn is_unfinished(path: &str) -> bool {
    path.ends_with(PART) || path.split('/').any(|part| part.starts_with(TEMPORARY))
}

/// The checksums of the files of a dataset, by path; written in the format of `sha256sum`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub(in crate::data) BTreeMap<String, String>);

impl Record {
    /// Reads a record; only what [`Record`] writes is accepted, so that no byte of it can change unnoticed.
    fn parse(bytes: &[u8]) -> Result<Record, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let mut record = Record::default();
        for (i, line) in text.lines().enumerate() {
            let (sum, path) = line.split_once("  ").ok_or(format!("line {} has no checksum and path", i + 1))?;
            let is_hex = sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            if !is_hex {
                return Err(format!("line {} does not start with a checksum", i + 1));
            }
            path::relative(path).map_err(|reason| format!("line {}: {reason}", i + 1))?;
            record.0.insert(path.to_owned(), sum.to_owned());
        }
        if record.to_string() == text { Ok(record) } else { Err("it is not as it was written".to_owned()) }
    }

    /// The recorded checksum of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Every file with its checksum, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, sum)| (path.as_str(), sum.as_str()))
    }

    /// How many files are recorded.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no file is recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One checksum for all files below a directory such as `raw` or a variant: SHA-256 of their lines.
    pub fn checksum(&self, directory: &str) -> String {
        digest::sha256(self.within(directory).to_string().as_bytes())
    }

    /// The part of the record that is at or below a place.
    pub(in crate::data) fn within(&self, place: &str) -> Record {
        let part = self.0.iter().filter(|(path, _)| path::is_within(place, path));
        Record(part.map(|(path, sum)| (path.clone(), sum.clone())).collect())
    }
}

impl std::fmt::Display for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(path, sum)| writeln!(f, "{sum}  {path}"))
    }
}

//! Whether what is in the data directory is what was put there.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;

use super::path::{RAW, RECORD};
use super::{Record, Store, StoreError, is_unfinished};
use crate::data::manifest::Manifest;
use crate::files::digest;

/// What was found in the directory of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The dataset.
    pub id: String,
    /// How many files were read.
    pub files: usize,
    /// How many bytes they hold.
    pub bytes: u64,
    /// Whether there is anything at all; a dataset that was never fetched has no problems, either.
    pub fetched: bool,
    /// What is not as it should be, sorted by path.
    pub problems: Vec<Problem>,
}

impl Verification {
    /// Whether every file is there and as it was recorded.
    pub fn is_sound(&self) -> bool {
        self.fetched && self.problems.is_empty()
    }
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, from the directory of the dataset.
    pub path: String,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Its bytes are not those that were recorded.
    Changed {
        /// The recorded SHA-256.
        recorded: String,
        /// The SHA-256 of what is there.
        found: String,
    },
    /// Its bytes are those that were recorded, but not those the manifest names.
    NotAsPublished {
        /// The checksum of the manifest.
        published: String,
        /// The checksum of what is there.
        found: String,
    },
    /// It is recorded, or named by the manifest, and not there.
    Missing,
    /// It is there and not recorded.
    Unknown,
    /// It is the unfinished part of something.
    Unfinished,
    /// It is a link, a device, or its name is not Unicode.
    NotAFile,
    /// It cannot be read.
    Unreadable(String),
    /// It is the record itself, and it is absent or damaged.
    BadRecord(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.kind {
            ProblemKind::Changed { recorded, found } => {
                write!(f, "changed since it was recorded (SHA-256 {found}, recorded {recorded}); fetch again")
            }
            ProblemKind::NotAsPublished { published, found } => {
                write!(f, "not the published file (checksum {found}, published {published}); fetch again")
            }
            ProblemKind::Missing => write!(f, "missing; fetch again"),
            ProblemKind::Unknown => write!(f, "not recorded; remove it, or fetch again if it is a file you supply"),
            ProblemKind::Unfinished => write!(f, "unfinished; fetch again to complete it, or remove it"),
            ProblemKind::NotAFile => write!(f, "not a regular file; remove it"),
            ProblemKind::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            ProblemKind::BadRecord(reason) => write!(f, "{reason}; fetch again"),
        }
    }
}

impl Store {
    /// Reads every file of a dataset and compares it with the record, published files also with the manifest.
    pub fn verify(&self, manifest: &Manifest) -> Result<Verification, StoreError> {
        let (mut found, sums) = self.verify_record(&manifest.id)?;
        if !found.fetched {
            return Ok(found);
        }
        for (_, file) in manifest.files() {
            let path = format!("{RAW}/{}", file.path);
            if found.problems.iter().any(|problem| problem.path == path) {
                continue;
            }
            let Some(sum) = sums.get(&path) else {
                if file.supplied_by_user.is_none() {
                    found.problems.push(Problem { path, kind: ProblemKind::Missing });
                }
                continue;
            };
            let (published, actual) = match (&file.sha256, &file.git_blob) {
                (Some(sha256), _) => (sha256, Ok(sum.clone())),
                (None, Some(blob)) => (blob, digest::git_blob_of_file(&self.raw(&manifest.id, &file.path))),
                (None, None) => continue,
            };
            let kind = match actual {
                Ok(actual) if actual == *published => continue,
                Ok(found) => ProblemKind::NotAsPublished { published: published.clone(), found },
                Err(error) => ProblemKind::Unreadable(error.to_string()),
            };
            found.problems.push(Problem { path, kind });
        }
        found.problems.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Verifies every dataset below the data directory: those of the manifests, then whatever else is there.
    ///
    /// A directory that no manifest names is held against its own record; a stray file is a problem of a
    /// dataset with an empty name.
    pub fn verify_all(&self, manifests: &[Manifest]) -> Result<Vec<Verification>, StoreError> {
        let mut all = manifests.iter().map(|m| self.verify(m)).collect::<Result<Vec<_>, _>>()?;
        let entries = match fs::read_dir(self.root()).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            entries => entries.map_err(StoreError::io(self.root()))?,
        };
        let mut names: Vec<_> = entries.iter().map(|entry| (entry.file_name(), entry.path().is_dir())).collect();
        names.sort();
        let mut stray = Vec::new();
        for (name, is_directory) in names {
            let name = name.to_string_lossy().into_owned();
            let is_lock = name.starts_with('.') && name.ends_with(".lock");
            if is_directory && manifests.iter().all(|m| m.id != name) {
                all.push(self.verify_record(&name)?.0);
            } else if !is_directory && !is_lock {
                stray.push(Problem { path: name, kind: ProblemKind::Unknown });
            }
        }
        if !stray.is_empty() {
            all.push(Verification { id: String::new(), files: 0, bytes: 0, fetched: true, problems: stray });
        }
        Ok(all)
    }

    /// Compares every file of a dataset with the record alone; also gives the checksum of each.
    fn verify_record(&self, id: &str) -> Result<(Verification, BTreeMap<String, String>), StoreError> {
        let mut out = Verification { id: id.to_owned(), files: 0, bytes: 0, fetched: true, problems: Vec::new() };
        let mut sums = BTreeMap::new();
        let directory = self.dataset(id);
        let tree = match self.walk(id) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                out.fetched = false;
                return Ok((out, sums));
            }
            tree => tree?,
        };
        if tree.files.is_empty() && tree.others.is_empty() {
            out.fetched = false;
            return Ok((out, sums));
        }
        let mut report = |path: &str, kind| out.problems.push(Problem { path: path.to_owned(), kind });
        let record = match self.record(id) {
            Ok(record) => record,
            Err(StoreError::NotFetched { .. }) => {
                report(RECORD, ProblemKind::BadRecord("missing, so fetching was not finished".to_owned()));
                Record::default()
            }
            Err(StoreError::DamagedRecord { reason, .. }) => {
                report(RECORD, ProblemKind::BadRecord(reason));
                Record::default()
            }
            Err(other) => return Err(other),
        };
        for path in &tree.others {
            report(path, ProblemKind::NotAFile);
        }
        for path in tree.files.iter().filter(|path| *path != RECORD) {
            let full = directory.join(path);
            match digest::sha256_of_file(&full) {
                _ if is_unfinished(path) => report(path, ProblemKind::Unfinished),
                Err(error) => report(path, ProblemKind::Unreadable(error.to_string())),
                Ok(found) => {
                    match record.get(path) {
                        Some(recorded) if recorded == found => {}
                        Some(recorded) => {
                            let (recorded, found) = (recorded.to_owned(), found.clone());
                            report(path, ProblemKind::Changed { recorded, found });
                        }
                        // With no record, all files are unknown; saying so once is enough.
                        None if record.is_empty() => {}
                        None => report(path, ProblemKind::Unknown),
                    }
                    sums.insert(path.clone(), found);
                }
            }
            out.files += 1;
            out.bytes += fs::metadata(&full).map_or(0, |data| data.len());
        }
        for (path, _) in record.iter() {
            let there = tree.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
                || tree.others.iter().any(|other| other == path);
            if !there {
                report(path, ProblemKind::Missing);
            }
        }
        out.problems.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((out, sums))
    }
}

//! Verification of the data directory against the recorded checksums and the manifests.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;

use super::path::{RAW, RECORD};
use super::{ChecksumRecord, Store, StoreError, is_unfinished};
use crate::data::manifest::Manifest;
use crate::files::digest;

/// The result of verifying a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The id of the dataset.
    pub id: String,
    /// The number of files read.
    pub files: usize,
    /// Their total size in bytes.
    pub bytes: u64,
    /// Whether the dataset has any files; one that was never fetched has no problems either.
    pub fetched: bool,
    /// The problems found, sorted by path.
    pub problems: Vec<FileProblem>,
}

impl Verification {
    /// Returns whether every file is present and as recorded.
    pub fn is_sound(&self) -> bool {
        self.fetched && self.problems.is_empty()
    }
}

/// A file that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The path relative to the directory of the dataset.
    pub path: String,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

/// The kind of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The content differs from the record.
    Changed {
        /// The recorded SHA-256.
        recorded: String,
        /// The SHA-256 found.
        found: String,
    },
    /// The content matches the record but not the manifest.
    NotAsPublished {
        /// The checksum in the manifest.
        published: String,
        /// The checksum found.
        found: String,
    },
    /// The file is recorded or in the manifest, but absent.
    Missing,
    /// The file is not recorded.
    Unknown,
    /// The file is an unfinished download or temporary file.
    Unfinished,
    /// The entry is a link or a device, or its name is not Unicode.
    NotAFile,
    /// The file cannot be read.
    Unreadable(String),
    /// The record itself is missing or damaged.
    BadRecord(String),
}

impl fmt::Display for FileProblem {
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
            ProblemKind::Unknown => write!(f, "not recorded; remove it, or fetch again if you supplied it"),
            ProblemKind::Unfinished => write!(f, "unfinished; fetch again to complete it, or remove it"),
            ProblemKind::NotAFile => write!(f, "not a regular file; remove it"),
            ProblemKind::Unreadable(reason) => write!(f, "cannot read: {reason}"),
            ProblemKind::BadRecord(reason) => write!(f, "{reason}; fetch again"),
        }
    }
}

impl Store {
    /// Reads every file of a dataset and compares it with the record, and published files also with
    /// the manifest.
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
                    found.problems.push(FileProblem { path, kind: ProblemKind::Missing });
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
            found.problems.push(FileProblem { path, kind });
        }
        found.problems.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Verifies every dataset below the data directory: those of the manifests, then all others.
    ///
    /// A directory without a manifest is compared with its own record; a stray file is reported as
    /// a problem of a dataset with an empty id.
    pub fn verify_all<'m>(
        &self,
        manifests: impl IntoIterator<Item = &'m Manifest>,
    ) -> Result<Vec<Verification>, StoreError> {
        let manifests: Vec<&Manifest> = manifests.into_iter().collect();
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
                stray.push(FileProblem { path: name, kind: ProblemKind::Unknown });
            }
        }
        if !stray.is_empty() {
            all.push(Verification { id: String::new(), files: 0, bytes: 0, fetched: true, problems: stray });
        }
        Ok(all)
    }

    /// Compares every file of a dataset with the record alone; also returns the checksum of each.
    fn verify_record(&self, id: &str) -> Result<(Verification, BTreeMap<String, String>), StoreError> {
        let mut out = Verification { id: id.to_owned(), files: 0, bytes: 0, fetched: true, problems: Vec::new() };
        let mut sums = BTreeMap::new();
        let directory = self.dataset(id);
        let listing = match self.list_files(id) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                out.fetched = false;
                return Ok((out, sums));
            }
            listing => listing?,
        };
        if listing.files.is_empty() && listing.others.is_empty() {
            out.fetched = false;
            return Ok((out, sums));
        }
        let mut report = |path: &str, kind| out.problems.push(FileProblem { path: path.to_owned(), kind });
        let record = match self.record(id) {
            Ok(record) => record,
            Err(StoreError::NotFetched { .. }) => {
                report(RECORD, ProblemKind::BadRecord("missing, so fetching was not finished".to_owned()));
                ChecksumRecord::default()
            }
            Err(StoreError::DamagedRecord { reason, .. }) => {
                report(RECORD, ProblemKind::BadRecord(reason));
                ChecksumRecord::default()
            }
            Err(other) => return Err(other),
        };
        for path in &listing.others {
            report(path, ProblemKind::NotAFile);
        }
        for path in listing.files.iter().filter(|path| *path != RECORD) {
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
                        // Without a record every file is unknown; it is reported once, for the
                        // record.
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
            let exists = listing.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
                || listing.others.iter().any(|other| other == path);
            if !exists {
                report(path, ProblemKind::Missing);
            }
        }
        out.problems.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((out, sums))
    }
}

//! Downloads the published files of a manifest into the data directory, verifies and unpacks them.
//!
//! [`fetch`] downloads missing files and leaves correct ones; it can be interrupted at any time and
//! resumes where it stopped. [`Store`] maps files to paths and lets adaptors add converted ones;
//! [`Store::verify`] checks them again. Nothing here draws: progress is reported as
//! [`FetchEvent`]s.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub mod archive;
mod error;
mod mirror;
mod options;
mod retrieve;

pub use archive::ArchiveError;
pub use error::{FetchError, FetchFault};
pub use mirror::{MIRROR_VARIABLE, Mirror};
pub use options::FetchOptions;

use super::manifest::{Manifest, SourceFile, SourceRepository, Unpack};
use super::store::path::{PART, RAW, RECORD, UNPACKED};
use super::store::{self, ChecksumRecord, Store, StoreError};
use crate::determinism::HashSet;
use crate::files::{self, digest};
use retrieve::Fetcher;

/// A progress event of [`fetch`].
#[derive(Clone, Copy, Debug)]
pub enum FetchEvent<'a> {
    /// The fetch starts.
    Begin {
        /// The id of the dataset.
        dataset: &'a str,
        /// The number of its files.
        files: usize,
        /// Their total size in bytes, as far as the manifest gives it.
        bytes: u64,
    },
    /// A file exists and is correct.
    Present {
        /// The file.
        file: &'a str,
        /// Its length.
        bytes: u64,
    },
    /// Bytes of a file have arrived.
    Progress {
        /// The file.
        file: &'a str,
        /// The bytes present, including those of an earlier run.
        received: u64,
        /// Its length, if known.
        bytes: Option<u64>,
    },
    /// A connection broke and the file is tried again.
    Retry {
        /// The file.
        file: &'a str,
        /// The reason.
        fault: &'a FetchFault,
        /// The number of the next attempt, from 2.
        attempt: u32,
    },
    /// A file was downloaded and is correct.
    Arrived {
        /// The file.
        file: &'a str,
        /// Its length.
        bytes: u64,
    },
    /// A file that only the user can supply is missing.
    NotSupplied {
        /// The file.
        file: &'a str,
        /// How to supply it.
        note: &'a str,
    },
    /// An archive was unpacked.
    Unpacked {
        /// The archive.
        file: &'a str,
        /// The number of files in it.
        files: usize,
    },
    /// Converted files were removed because their input has changed.
    Outdated {
        /// The number of files removed.
        files: usize,
    },
    /// The fetch is complete.
    End {
        /// The id of the dataset.
        dataset: &'a str,
    },
}

/// The result of [`fetch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The number of files that existed and were correct.
    pub present: usize,
    /// The number of downloaded files.
    pub arrived: usize,
    /// Missing files that only the user can supply.
    pub not_supplied: Vec<String>,
    /// The checksums of all files of the dataset.
    pub record: ChecksumRecord,
}

/// Downloads the files of a dataset, unpacks its archives, and records the checksum of each file.
pub fn fetch(
    store: &Store,
    manifest: &Manifest,
    options: &FetchOptions,
    events: &mut dyn FnMut(FetchEvent<'_>),
) -> Result<Fetched, FetchError> {
    let id = manifest.id.as_str();
    let _lock = store.try_lock(id)?;
    let files: Vec<_> = manifest.files().collect();
    events(FetchEvent::Begin {
        dataset: id,
        files: files.len(),
        bytes: files.iter().filter_map(|(_, file)| file.bytes).sum(),
    });
    // Ignoring an unreadable record is safe: files are compared with the manifest, and archives
    // unpacked again.
    let before = match store.record(id) {
        Ok(record) => record,
        Err(StoreError::Io { path, source }) => return Err(StoreError::Io { path, source }.into()),
        Err(_) => ChecksumRecord::default(),
    };
    let mut run = FetchRun { store, manifest, options, fetcher: Fetcher::new(options), events };
    let mut fetched = Fetched { present: 0, arrived: 0, not_supplied: Vec::new(), record: ChecksumRecord::default() };
    for &(source, file) in &files {
        let (sum, arrived) = match run.file(source, file)? {
            Some(outcome) => outcome,
            None => {
                fetched.not_supplied.push(file.path.clone());
                continue;
            }
        };
        *(if arrived { &mut fetched.arrived } else { &mut fetched.present }) += 1;
        let raw = format!("{RAW}/{}", file.path);
        let changed = before.get(&raw) != Some(&sum);
        fetched.record.0.insert(raw, sum);
        if let (Some(kind), Some(stem)) = (file.unpack, file.unpacked_path()) {
            run.unpack(file, kind, stem, changed, &before, &mut fetched.record)?;
        }
    }
    run.remove_outdated(&before, &mut fetched.record)?;
    store.write_record(id, &fetched.record)?;
    (run.events)(FetchEvent::End { dataset: id });
    Ok(fetched)
}

/// The state of one call of [`fetch`].
struct FetchRun<'a> {
    store: &'a Store,
    manifest: &'a Manifest,
    options: &'a FetchOptions,
    fetcher: Fetcher<'a>,
    events: &'a mut dyn FnMut(FetchEvent<'_>),
}

impl FetchRun<'_> {
    /// Ensures that a file is present. Returns its SHA-256 and whether it was downloaded, or `None`
    /// if the user must supply it.
    fn file(&mut self, source: &SourceRepository, file: &SourceFile) -> Result<Option<(String, bool)>, FetchError> {
        let target = self.store.raw(&self.manifest.id, &file.path);
        let exists = fs::symlink_metadata(&target).is_ok_and(|data| data.is_file());
        if exists {
            match self.fetcher.expected(file).check(&target) {
                Ok(sum) => {
                    remove_file(&part_of(&target))?;
                    (self.events)(FetchEvent::Present { file: &file.path, bytes: length(&target) });
                    return Ok(Some((sum, false)));
                }
                // A file supplied by the user is never replaced.
                Err(FetchFault::WrongBytes { expected, found }) if file.supplied_by_user.is_some() => {
                    let from = target.display().to_string();
                    return Err(self.error(file, from, FetchFault::WrongSupply { expected, found }));
                }
                Err(_) => {}
            }
        }
        let from = self.options.mirror.locate(source, file);
        match (&file.supplied_by_user, &self.options.mirror) {
            (Some(note), Mirror::Published) => {
                (self.events)(FetchEvent::NotSupplied { file: &file.path, note });
                Ok(None)
            }
            (Some(note), _) => match self.retrieve(source, file, &target) {
                Err(FetchFault::NotInMirror | FetchFault::Status { status: 404 | 410 }) => {
                    (self.events)(FetchEvent::NotSupplied { file: &file.path, note });
                    Ok(None)
                }
                retrieved => retrieved.map(|sum| Some((sum, true))).map_err(|fault| self.error(file, from, fault)),
            },
            (None, _) => self
                .retrieve(source, file, &target)
                .map(|sum| Some((sum, true)))
                .map_err(|fault| self.error(file, from, fault)),
        }
    }

    /// Downloads or copies one file to `target`, retrying after transient faults.
    fn retrieve(&mut self, source: &SourceRepository, file: &SourceFile, target: &Path) -> Result<String, FetchFault> {
        if let Some(parent) = target.parent() {
            files::create_dir_all(parent).map_err(FetchFault::io(parent))?;
        }
        let part = part_of(target);
        let mut attempt = 1;
        let sum = loop {
            let events = &mut *self.events;
            let mut progress =
                |received| events(FetchEvent::Progress { file: &file.path, received, bytes: file.bytes });
            match self.fetcher.retrieve(source, file, &part, &mut progress) {
                Ok(sum) => break sum,
                Err(fault) if fault.is_transient() && attempt < self.options.attempts => {
                    attempt += 1;
                    (self.events)(FetchEvent::Retry { file: &file.path, fault: &fault, attempt });
                    std::thread::sleep(retrieve::pause_before(attempt));
                }
                Err(fault) => return Err(fault),
            }
        };
        files::publish(&part, target).map_err(FetchFault::io(target))?;
        (self.events)(FetchEvent::Arrived { file: &file.path, bytes: length(target) });
        Ok(sum)
    }

    /// Ensures that an archive is unpacked, and records the checksums of its files.
    fn unpack(
        &mut self,
        file: &SourceFile,
        kind: Unpack,
        stem: &str,
        changed: bool,
        before: &ChecksumRecord,
        record: &mut ChecksumRecord,
    ) -> Result<(), FetchError> {
        let id = &self.manifest.id;
        let directory = format!("{UNPACKED}/{stem}");
        let recorded = before.within(&directory);
        let is_current = !changed && !recorded.is_empty() && self.store.sums(id, &directory)? == recorded;
        if !is_current {
            let archive = self.store.raw(id, &file.path);
            archive::unpack(kind, &archive, &self.store.dataset(id).join(&directory))
                .map_err(|fault| FetchError::Archive { dataset: id.clone(), file: file.path.clone(), fault })?;
        }
        let sums = self.store.sums(id, &directory)?;
        if !is_current {
            (self.events)(FetchEvent::Unpacked { file: &file.path, files: sums.len() });
        }
        record.0.extend(sums.0);
        Ok(())
    }

    /// Keeps the converted files that are still valid and removes leftovers of earlier runs.
    ///
    /// A variant stays only if its input is unchanged and none of its files was modified; otherwise
    /// it is removed as a whole and converted again when needed.
    fn remove_outdated(&mut self, before: &ChecksumRecord, record: &mut ChecksumRecord) -> Result<(), FetchError> {
        let directory = self.store.dataset(&self.manifest.id);
        let is_same = before.iter().filter(|(path, _)| store::is_fetched(path)).eq(record.iter());
        let variant_of = |path: &str| path.split_once('/').map_or("", |(variant, _)| variant).to_owned();
        let is_intact = |path: &str, sum: &str| digest::sha256_of_file(&directory.join(path)).is_ok_and(|s| s == sum);
        let converted = before.iter().filter(|(path, _)| !store::is_fetched(path));
        let invalid: HashSet<String> = converted
            .filter(|(path, sum)| !is_same || !is_intact(path, sum))
            .map(|(path, _)| variant_of(path))
            .collect();
        let mut outdated = 0;
        for (path, sum) in before.iter().filter(|(path, _)| *path != RECORD) {
            let is_converted = !store::is_fetched(path);
            if is_converted && !invalid.contains(&variant_of(path)) {
                record.0.insert(path.to_owned(), sum.to_owned());
            } else if record.get(path).is_none() {
                remove_file(&directory.join(path))?;
                outdated += usize::from(is_converted);
            }
        }
        if outdated > 0 {
            (self.events)(FetchEvent::Outdated { files: outdated });
        }
        for parent in [directory.clone(), directory.join(UNPACKED)] {
            for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(files::TEMPORARY_PREFIX) {
                    let path = entry.path();
                    let removed = if path.is_dir() { files::remove_dir_all(&path) } else { files::remove_file(&path) };
                    removed.map_err(StoreError::io(&path))?;
                }
            }
        }
        Ok(())
    }

    fn error(&self, file: &SourceFile, from: String, fault: FetchFault) -> FetchError {
        FetchError::File { dataset: self.manifest.id.clone(), file: file.path.clone(), from, fault: Box::new(fault) }
    }
}

/// Returns the path of the unfinished download, `<name>.part` beside the file.
fn part_of(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(PART);
    name.into()
}

fn remove_file(path: &Path) -> Result<(), StoreError> {
    match files::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(path)(error)),
        _ => Ok(()),
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

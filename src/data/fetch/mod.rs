//! Fetching: the published files of a manifest, checked and unpacked below the data directory, and held against
//! their checksums ever after.
//!
//! [`fetch`] brings what is missing and leaves what is right; it can be stopped at any time and goes on where it was.
//! [`Store`] says where files are and lets adaptors add converted ones; [`Store::verify`] reads them all again.
//! Nothing here draws: progress is told by [`FetchEvent`]s.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub mod archive;
mod error;
mod source;

pub use archive::ArchiveError;
pub use error::{Fault, FetchError};
pub use source::{MIRROR_VARIABLE, Mirror};

use super::manifest::{Manifest, Source, SourceFile, Unpack};
use super::store::path::{PART, RAW, RECORD, UNPACKED};
use super::store::{self, Record, Store, StoreError};
use crate::determinism::HashSet;
use crate::files::{self, digest};
use source::Fetcher;

/// How to fetch.
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// Where from.
    pub mirror: Mirror,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for the next bytes.
    pub stall_timeout: Duration,
    /// How many redirects to follow for a file.
    pub max_redirects: u32,
    /// How often to try a file when the connection breaks; 1 is to try once.
    pub attempts: u32,
    /// How many bytes to take of a file whose length the manifest does not say.
    pub largest_unknown_file: u64,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            mirror: Mirror::Published,
            connect_timeout: Duration::from_secs(20),
            stall_timeout: Duration::from_secs(30),
            max_redirects: 5,
            attempts: 3,
            largest_unknown_file: 1 << 28,
        }
    }
}

/// What happens while a dataset is fetched.
#[derive(Clone, Copy, Debug)]
pub enum FetchEvent<'a> {
    /// Fetching begins.
    Begin {
        /// The dataset.
        dataset: &'a str,
        /// How many files it has.
        files: usize,
        /// How many bytes they hold, as far as known.
        bytes: u64,
    },
    /// A file is here already, and right.
    Present {
        /// The file.
        file: &'a str,
        /// Its length.
        bytes: u64,
    },
    /// So much of a file is here now; what an earlier run brought counts, too.
    Progress {
        /// The file.
        file: &'a str,
        /// The bytes that are here.
        received: u64,
        /// Its length, if known.
        bytes: Option<u64>,
    },
    /// A connection broke; the file is tried again.
    Retry {
        /// The file.
        file: &'a str,
        /// Why.
        fault: &'a Fault,
        /// The number of the try that follows, from 2.
        attempt: u32,
    },
    /// A file has come and is right.
    Arrived {
        /// The file.
        file: &'a str,
        /// Its length.
        bytes: u64,
    },
    /// A file that only the user can supply was not supplied.
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
        /// How many files it held.
        files: usize,
    },
    /// Converted files were removed, since what they were made from has changed.
    Outdated {
        /// How many.
        files: usize,
    },
    /// Fetching is done.
    End {
        /// The dataset.
        dataset: &'a str,
    },
}

/// What fetching a dataset came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Files that were here and right.
    pub present: usize,
    /// Files that were brought.
    pub arrived: usize,
    /// Files that only the user can supply, and did not.
    pub not_supplied: Vec<String>,
    /// The checksums of all files of the dataset.
    pub record: Record,
}

/// Brings the files of a dataset, unpacks its archives, and records the checksum of each.
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
    // What an unreadable record says is no loss: the files are compared with the manifest, and unpacked anew.
    let before = match store.record(id) {
        Ok(record) => record,
        Err(StoreError::Io { path, source }) => return Err(StoreError::Io { path, source }.into()),
        Err(_) => Record::default(),
    };
    let mut run = Run { store, manifest, options, fetcher: Fetcher::new(options), events };
    let mut fetched = Fetched { present: 0, arrived: 0, not_supplied: Vec::new(), record: Record::default() };
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
    run.tidy(&before, &mut fetched.record)?;
    store.write_record(id, &fetched.record)?;
    (run.events)(FetchEvent::End { dataset: id });
    Ok(fetched)
}

/// One call of [`fetch`].
struct Run<'a> {
    store: &'a Store,
    manifest: &'a Manifest,
    options: &'a FetchOptions,
    fetcher: Fetcher<'a>,
    events: &'a mut dyn FnMut(FetchEvent<'_>),
}

impl Run<'_> {
    /// Makes one file be here: its SHA-256 and whether it had to be brought; nothing if the user must supply it.
    fn file(&mut self, source: &Source, file: &SourceFile) -> Result<Option<(String, bool)>, FetchError> {
        let target = self.store.raw(&self.manifest.id, &file.path);
        let is_there = fs::symlink_metadata(&target).is_ok_and(|data| data.is_file());
        if is_there {
            match self.fetcher.wanted(file).check(&target) {
                Ok(sum) => {
                    remove_file(&part_of(&target))?;
                    (self.events)(FetchEvent::Present { file: &file.path, bytes: length(&target) });
                    return Ok(Some((sum, false)));
                }
                // What the user put there is not ours to replace.
                Err(Fault::WrongBytes { expected, found }) if file.supplied_by_user.is_some() => {
                    let from = target.display().to_string();
                    return Err(self.error(file, from, Fault::WrongSupply { expected, found }));
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
            (Some(note), _) => match self.bring(source, file, &target) {
                Err(Fault::NotInMirror | Fault::Status { status: 404 | 410 }) => {
                    (self.events)(FetchEvent::NotSupplied { file: &file.path, note });
                    Ok(None)
                }
                brought => brought.map(|sum| Some((sum, true))).map_err(|fault| self.error(file, from, fault)),
            },
            (None, _) => self
                .bring(source, file, &target)
                .map(|sum| Some((sum, true)))
                .map_err(|fault| self.error(file, from, fault)),
        }
    }

    /// Brings one file to its place.
    fn bring(&mut self, source: &Source, file: &SourceFile, target: &Path) -> Result<String, Fault> {
        if let Some(parent) = target.parent() {
            files::create_dir_all(parent).map_err(Fault::io(parent))?;
        }
        let part = part_of(target);
        let mut attempt = 1;
        let sum = loop {
            let events = &mut *self.events;
            let mut progress =
                |received| events(FetchEvent::Progress { file: &file.path, received, bytes: file.bytes });
            match self.fetcher.bring(source, file, &part, &mut progress) {
                Ok(sum) => break sum,
                Err(fault) if fault.is_passing() && attempt < self.options.attempts => {
                    attempt += 1;
                    (self.events)(FetchEvent::Retry { file: &file.path, fault: &fault, attempt });
                    std::thread::sleep(source::pause_before(attempt));
                }
                Err(fault) => return Err(fault),
            }
        };
        files::settle(&part, target).map_err(Fault::io(target))?;
        (self.events)(FetchEvent::Arrived { file: &file.path, bytes: length(target) });
        Ok(sum)
    }

    /// Makes the content of an archive be here, and records it.
    fn unpack(
        &mut self,
        file: &SourceFile,
        kind: Unpack,
        stem: &str,
        changed: bool,
        before: &Record,
        record: &mut Record,
    ) -> Result<(), FetchError> {
        let id = &self.manifest.id;
        let place = format!("{UNPACKED}/{stem}");
        let recorded = before.within(&place);
        let is_right = !changed && !recorded.is_empty() && self.store.sums(id, &place)? == recorded;
        if !is_right {
            let archive = self.store.raw(id, &file.path);
            archive::unpack(kind, &archive, &self.store.dataset(id).join(&place))
                .map_err(|fault| FetchError::Archive { dataset: id.clone(), file: file.path.clone(), fault })?;
        }
        let sums = self.store.sums(id, &place)?;
        if !is_right {
            (self.events)(FetchEvent::Unpacked { file: &file.path, files: sums.len() });
        }
        record.0.extend(sums.0);
        Ok(())
    }

    /// Carries over the converted files that are still right, and removes what is left of earlier runs.
    ///
    /// A variant stays only if what it was made from is the same and none of its files has changed; otherwise
    /// all of it goes, and is made again when needed.
    fn tidy(&mut self, before: &Record, record: &mut Record) -> Result<(), FetchError> {
        let directory = self.store.dataset(&self.manifest.id);
        let is_same = before.iter().filter(|(path, _)| store::is_fetched(path)).eq(record.iter());
        let variant_of = |path: &str| path.split_once('/').map_or("", |(variant, _)| variant).to_owned();
        let is_right = |path: &str, sum: &str| digest::sha256_of_file(&directory.join(path)).is_ok_and(|s| s == sum);
        let converted = before.iter().filter(|(path, _)| !store::is_fetched(path));
        let wrong: HashSet<String> = converted
            .filter(|(path, sum)| !is_same || !is_right(path, sum))
            .map(|(path, _)| variant_of(path))
            .collect();
        let mut outdated = 0;
        for (path, sum) in before.iter().filter(|(path, _)| *path != RECORD) {
            let is_converted = !store::is_fetched(path);
            if is_converted && !wrong.contains(&variant_of(path)) {
                record.0.insert(path.to_owned(), sum.to_owned());
            } else if record.get(path).is_none() {
                remove_file(&directory.join(path))?;
                outdated += usize::from(is_converted);
            }
        }
        if outdated > 0 {
            (self.events)(FetchEvent::Outdated { files: outdated });
        }
        for place in [directory.clone(), directory.join(UNPACKED)] {
            for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(files::TEMPORARY) {
                    let path = entry.path();
                    let removed = if path.is_dir() { files::remove_dir_all(&path) } else { files::remove_file(&path) };
                    removed.map_err(StoreError::io(&path))?;
                }
            }
        }
        Ok(())
    }

    fn error(&self, file: &SourceFile, from: String, fault: Fault) -> FetchError {
        FetchError::File { dataset: self.manifest.id.clone(), file: file.path.clone(), from, fault: Box::new(fault) }
    }
}

/// `<name>.part`, beside the file.
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

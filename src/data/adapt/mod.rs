//! Adaptors: from published files to BoostSRL files, one adaptor for each way in which data are published.
//!
//! [`prepare`] writes every evidence variant of a dataset below the data directory:
//!
//! ```text
//! <data>/<id>/<variant>/all/all_{pos,neg,facts,bk}.txt                     where folds are drawn
//! <data>/<id>/<variant>/fold<k>/{train,test}/{train,test}_{pos,…}.txt      where folds are given
//! <data>/<id>/<variant>/conversion.toml                                    what was counted on the way
//! ```
//!
//! Facts keep their order and their repetitions; names are lower-cased where they name predicates, and constants are
//! written so that every program of the family reads the same constant.

mod aan;
mod folds;
mod mutagenesis;
mod sfu;
mod single;
mod text;
mod webkb;
mod yeast2;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::manifest::{Adaptor, Evidence, Manifest};
use super::store::path::{RAW, UNPACKED};
use super::store::{Record, Store, StoreError};
use crate::files::digest;
use crate::logic::{Diagnostics, ReadError};

pub use mutagenesis::KNOWN_HALF;

/// Raised whenever an adaptor writes something else than before: what older programs wrote is then made anew.
const VERSION: u32 = 1;
/// The file of a variant that tells how it was made.
pub const CONVERSION: &str = "conversion.toml";
/// The directory of a variant that holds all data, where folds are drawn.
pub const ALL: &str = "all";

/// Why a dataset could not be converted.
#[derive(Debug, Error)]
pub enum AdaptError {
    /// The data directory cannot be used, or the dataset is not there.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A published file is not written as it should be.
    #[error("dataset `{id}` cannot be converted:\n{found}")]
    Invalid {
        /// The dataset.
        id: String,
        /// What is wrong, and where.
        found: Diagnostics,
    },
    /// A line of a published file is not of the form that the adaptor knows.
    #[error("{}:{line}: {reason}; fetch dataset `{id}` again, or mend the manifest if it is your own", path.display())]
    Line {
        /// The dataset.
        id: String,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The published files are not those that the adaptor needs.
    #[error("dataset `{id}`: adaptor `{adaptor}` finds no {what} among the published files; mend the manifest")]
    Missing {
        /// The dataset.
        id: String,
        /// The adaptor.
        adaptor: &'static str,
        /// What is missing.
        what: String,
    },
    /// The adaptor does not know this variant.
    #[error("dataset `{id}`: adaptor `{adaptor}` cannot make the evidence variant `{variant}`; it makes {known}")]
    UnknownVariant {
        /// The dataset.
        id: String,
        /// The adaptor.
        adaptor: &'static str,
        /// The variant.
        variant: String,
        /// The variants it makes.
        known: &'static str,
    },
}

/// What happens while a dataset is converted.
#[derive(Clone, Copy, Debug)]
pub enum AdaptEvent<'a> {
    /// A variant is there already.
    Present {
        /// The dataset.
        dataset: &'a str,
        /// The variant.
        variant: &'a str,
    },
    /// A variant was written.
    Converted {
        /// The dataset.
        dataset: &'a str,
        /// The variant.
        variant: &'a str,
        /// How many files it has.
        files: usize,
        /// How many bytes they hold.
        bytes: u64,
    },
    /// Something the user should know.
    Note {
        /// The dataset.
        dataset: &'a str,
        /// What.
        text: &'a str,
    },
}

/// How a variant was made, as recorded beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// What it was made by: the adaptors' version and the manifest, as one checksum.
    pub made_by: String,
    /// What was counted in the published files, by the names of the manifest's `expected`.
    pub counts: BTreeMap<String, u64>,
}

impl Conversion {
    /// What is recorded of a variant, if it is there.
    pub fn read(store: &Store, id: &str, variant: &str) -> Option<Conversion> {
        let path = store.converted(id, &format!("{variant}/{CONVERSION}"));
        toml::from_str(&std::fs::read_to_string(path).ok()?).ok()
    }
}

/// Converts every evidence variant of a dataset that is not converted yet.
///
/// # Errors
/// If the dataset was not fetched, or its files are not what the manifest says.
pub fn prepare(store: &Store, manifest: &Manifest, events: &mut dyn FnMut(AdaptEvent<'_>)) -> Result<(), AdaptError> {
    let id = manifest.id.as_str();
    let made_by = fingerprint(manifest);
    let is_done = |evidence: &Evidence| {
        store.is_sealed(id, &evidence.name)
            && Conversion::read(store, id, &evidence.name).is_some_and(|c| c.made_by == made_by)
    };
    let record = store.record(id)?;
    for note in notes(manifest, &record) {
        events(AdaptEvent::Note { dataset: id, text: &note });
    }
    // Reading takes no lock, so a data directory that cannot be written serves once it is complete.
    if manifest.evidence.iter().all(is_done) {
        manifest.evidence.iter().for_each(|e| events(AdaptEvent::Present { dataset: id, variant: &e.name }));
        return Ok(());
    }
    let _lock = store.lock(id)?;
    let record = store.record(id)?;
    for evidence in &manifest.evidence {
        let variant = evidence.name.as_str();
        if is_done(evidence) {
            events(AdaptEvent::Present { dataset: id, variant });
            continue;
        }
        let mut made = convert(&Input { store, manifest, record: &record, evidence })?;
        let conversion = Conversion { made_by: made_by.clone(), counts: std::mem::take(&mut made.counts) };
        made.add(CONVERSION, toml::to_string(&conversion).unwrap_or_default());
        store.discard(id, variant)?;
        let mut bytes = 0;
        for (path, text) in &made.files {
            store.write_converted(id, &format!("{variant}/{path}"), text.as_bytes())?;
            bytes += text.len() as u64;
        }
        store.seal(id, variant)?;
        events(AdaptEvent::Converted { dataset: id, variant, files: made.files.len(), bytes });
    }
    Ok(())
}

/// What the user should know of the files that are there.
pub(super) fn notes(manifest: &Manifest, record: &Record) -> Vec<String> {
    let supplied = manifest.files().map(|(_, file)| file).filter(|file| file.supplied_by_user.is_some());
    let there = supplied.filter(|file| record.get(&format!("{RAW}/{}", file.path)).is_some());
    let note = |path: &str| {
        let instead = manifest.substitute.as_deref().unwrap_or("the other files");
        format!(
            "{path} is there and its checksum is right, but its format is not known to this program, so it is not used; the data are still those of the stand-in: {instead}"
        )
    };
    there.map(|file| note(&file.path)).collect()
}

/// Checksum of all that a conversion depends on, but for the published files, which have their own.
fn fingerprint(manifest: &Manifest) -> String {
    let text = toml::to_string(manifest).unwrap_or_default();
    digest::sha256(format!("adaptors {VERSION}\n{text}").as_bytes())
}

/// What an adaptor starts from.
struct Input<'a> {
    store: &'a Store,
    manifest: &'a Manifest,
    record: &'a Record,
    evidence: &'a Evidence,
}

impl Input<'_> {
    fn id(&self) -> &str {
        &self.manifest.id
    }

    /// Every published or unpacked file, sorted, from the directory of the dataset.
    fn files(&self) -> impl Iterator<Item = &str> {
        let fetched = |path: &str| matches!(path.split_once('/'), Some((RAW | UNPACKED, _)));
        self.record.iter().map(|(path, _)| path).filter(move |path| fetched(path))
    }

    /// Where a file of [`Input::files`] is.
    fn place(&self, path: &str) -> PathBuf {
        self.store.dataset(self.id()).join(path)
    }

    /// The one file whose path ends so.
    fn file(&self, ending: &str, adaptor: &'static str) -> Result<PathBuf, AdaptError> {
        let found = self.files().find(|path| path.ends_with(ending)).map(|path| self.place(path));
        found.ok_or_else(|| self.missing(adaptor, ending))
    }

    fn missing(&self, adaptor: &'static str, what: impl Into<String>) -> AdaptError {
        AdaptError::Missing { id: self.id().to_owned(), adaptor, what: what.into() }
    }

    /// The modes of the variant, as a background file.
    fn background(&self) -> String {
        self.manifest.modes_with(self.evidence).fold(String::new(), |text, mode| text + mode + "\n")
    }
}

/// What an adaptor makes.
#[derive(Debug, Default)]
struct Made {
    /// The files by their paths from the directory of the variant.
    files: Vec<(String, String)>,
    counts: BTreeMap<String, u64>,
}

impl Made {
    fn add(&mut self, path: impl Into<String>, text: String) {
        self.files.push((path.into(), text));
    }

    fn count(&mut self, name: impl Into<String>, n: u64) {
        *self.counts.entry(name.into()).or_default() += n;
    }

    /// The files of one directory of the family, whose name begins theirs.
    fn add_directory(&mut self, place: &str, part: Part, background: &str) {
        let name = place.rsplit('/').next().unwrap_or(place);
        let mut add = |kind: &str, text: String| self.add(format!("{place}/{name}_{kind}.txt"), text);
        add("pos", part.positives);
        // A file without a line says that there are no negatives; no file, that nobody listed any.
        if let Some(negatives) = part.negatives {
            add("neg", negatives);
        }
        add("facts", part.facts);
        add("bk", background.to_owned());
    }
}

/// The text of one directory of the family.
#[derive(Debug, Default)]
struct Part {
    positives: String,
    negatives: Option<String>,
    facts: String,
}

fn convert(input: &Input<'_>) -> Result<Made, AdaptError> {
    match input.manifest.adaptor {
        Adaptor::BoostsrlFolds => folds::convert(input),
        Adaptor::BoostsrlSingle => single::convert(input),
        Adaptor::Webkb => webkb::convert(input),
        Adaptor::Mutagenesis => mutagenesis::convert(input),
        Adaptor::Yeast2 => yeast2::convert(input),
        Adaptor::Aan => aan::convert(input),
    }
}

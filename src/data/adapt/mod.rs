//! Adaptors convert published files to BoostSRL files, one adaptor for each form of publication.
//!
//! [`prepare`] writes every evidence variant of a dataset into the data directory:
//!
//! ```text
//! <data>/<id>/<variant>/all/all_{pos,neg,facts,bk}.txt                     if folds are drawn
//! <data>/<id>/<variant>/fold<k>/{train,test}/{train,test}_{pos,…}.txt      if folds are given
//! <data>/<id>/<variant>/conversion.toml                                    the counts of the conversion
//! ```
//!
//! Facts keep their order and duplicates. Predicate names are lower-cased, and constants are
//! written so that every program of the BoostSRL family reads the same constant.

mod aan;
mod error;
mod folds;
mod input;
mod mutagenesis;
mod output;
mod sfu;
mod single;
mod text;
mod webkb;
mod yeast2;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::manifest::{Adaptor, EvidenceVariant, Manifest};
use super::store::path::RAW;
use super::store::{ChecksumRecord, Store};
use crate::files::digest;
use input::AdaptorInput;
use output::ConvertedFiles;

pub use error::AdaptError;
pub use mutagenesis::KNOWN_HALF;
pub use output::ALL;

/// Raised whenever the output of an adaptor changes, so that files of older versions are converted
/// again.
const VERSION: u32 = 1;
/// The file of a variant that records its conversion.
pub const CONVERSION: &str = "conversion.toml";

/// A progress event of [`prepare`].
#[derive(Clone, Copy, Debug)]
pub enum AdaptEvent<'a> {
    /// A variant exists already.
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
        /// The number of its files.
        files: usize,
        /// Their total size in bytes.
        bytes: u64,
    },
    /// A notice for the user.
    Note {
        /// The dataset.
        dataset: &'a str,
        /// The message.
        text: &'a str,
    },
}

/// The record of a conversion, stored beside the variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// A checksum of the adaptor version and the manifest.
    pub made_by: String,
    /// The counts in the published files, by the names of the manifest's `expected`.
    pub counts: BTreeMap<String, u64>,
}

impl Conversion {
    /// Reads the record of a variant, if it exists.
    pub fn read(store: &Store, id: &str, variant: &str) -> Option<Conversion> {
        let path = store.converted(id, &format!("{variant}/{CONVERSION}"));
        toml::from_str(&std::fs::read_to_string(path).ok()?).ok()
    }
}

/// Converts every evidence variant of a dataset that is not converted yet.
///
/// # Errors
/// If the dataset is not fetched, or its files do not match the manifest.
pub fn prepare(store: &Store, manifest: &Manifest, events: &mut dyn FnMut(AdaptEvent<'_>)) -> Result<(), AdaptError> {
    let id = manifest.id.as_str();
    let made_by = fingerprint(manifest);
    let is_done = |evidence: &EvidenceVariant| {
        store.is_sealed(id, &evidence.name)
            && Conversion::read(store, id, &evidence.name).is_some_and(|c| c.made_by == made_by)
    };
    let record = store.record(id)?;
    for note in notes(manifest, &record) {
        events(AdaptEvent::Note { dataset: id, text: &note });
    }
    // Reading takes no lock, so a complete data directory may be read-only.
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
        let mut converted = convert(&AdaptorInput { store, manifest, record: &record, evidence })?;
        let conversion = Conversion { made_by: made_by.clone(), counts: std::mem::take(&mut converted.counts) };
        converted.add(CONVERSION, toml::to_string(&conversion).unwrap_or_default());
        store.discard(id, variant)?;
        let mut bytes = 0;
        for (path, text) in &converted.files {
            store.write_converted(id, &format!("{variant}/{path}"), text.as_bytes())?;
            bytes += text.len() as u64;
        }
        store.seal(id, variant)?;
        events(AdaptEvent::Converted { dataset: id, variant, files: converted.files.len(), bytes });
    }
    Ok(())
}

/// Returns notices about the present files.
pub(super) fn notes(manifest: &Manifest, record: &ChecksumRecord) -> Vec<String> {
    let supplied = manifest.files().map(|(_, file)| file).filter(|file| file.supplied_by_user.is_some());
    let present = supplied.filter(|file| record.get(&format!("{RAW}/{}", file.path)).is_some());
    let note = |path: &str| {
        let instead = manifest.substitute.as_deref().unwrap_or("the other files");
        format!(
            "{path} is present with the right checksum, but its format is unknown to this program, so it is ignored; the data are still those of the substitute: {instead}"
        )
    };
    present.map(|file| note(&file.path)).collect()
}

/// Returns a checksum of all inputs of a conversion except the published files, which have their
/// own.
///
/// It is written to `CONVERSION`, a converted file. The texts of manifests are therefore hashed
/// into data checksums, and with them into job ids: rewording a manifest invalidates stored
/// results. Mode options are omitted, since they take no part in the conversion.
fn fingerprint(manifest: &Manifest) -> String {
    let text = toml::to_string(&Manifest { mode_option: Vec::new(), ..manifest.clone() }).unwrap_or_default();
    digest::sha256(format!("adaptors {VERSION}\n{text}").as_bytes())
}

fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    match input.manifest.adaptor {
        Adaptor::BoostsrlFolds => folds::convert(input),
        Adaptor::BoostsrlSingle => single::convert(input),
        Adaptor::Webkb => webkb::convert(input),
        Adaptor::Mutagenesis => mutagenesis::convert(input),
        Adaptor::Yeast2 => yeast2::convert(input),
        Adaptor::Aan => aan::convert(input),
    }
}

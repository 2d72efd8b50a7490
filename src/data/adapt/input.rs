//! The input of an adaptor.

use std::path::PathBuf;

use super::error::AdaptError;
use crate::data::manifest::{EvidenceVariant, Manifest};
use crate::data::store::path::{RAW, UNPACKED};
use crate::data::store::{ChecksumRecord, Store};

/// The input of an adaptor.
pub(super) struct AdaptorInput<'a> {
    pub(super) store: &'a Store,
    pub(super) manifest: &'a Manifest,
    pub(super) record: &'a ChecksumRecord,
    pub(super) evidence: &'a EvidenceVariant,
}

impl AdaptorInput<'_> {
    pub(super) fn id(&self) -> &str {
        &self.manifest.id
    }

    /// Iterates over the published and unpacked files, sorted, relative to the directory of the
    /// dataset.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let fetched = |path: &str| matches!(path.split_once('/'), Some((RAW | UNPACKED, _)));
        self.record.iter().map(|(path, _)| path).filter(move |path| fetched(path))
    }

    /// Returns the path of a file from [`AdaptorInput::files`].
    pub(super) fn path_of(&self, path: &str) -> PathBuf {
        self.store.dataset(self.id()).join(path)
    }

    /// Returns the path of the file with this ending.
    pub(super) fn file(&self, ending: &str, adaptor: &'static str) -> Result<PathBuf, AdaptError> {
        let found = self.files().find(|path| path.ends_with(ending)).map(|path| self.path_of(path));
        found.ok_or_else(|| self.missing(adaptor, ending))
    }

    pub(super) fn missing(&self, adaptor: &'static str, what: impl Into<String>) -> AdaptError {
        AdaptError::Missing { id: self.id().to_owned(), adaptor, what: what.into() }
    }

    /// Returns the modes of the variant as the text of a background file.
    pub(super) fn background(&self) -> String {
        self.manifest.modes_with(self.evidence).fold(String::new(), |text, mode| text + mode + "\n")
    }
}

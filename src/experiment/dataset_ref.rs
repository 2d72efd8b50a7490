//! The data of a job: a dataset in one of its variants, under the name that the experiment gives it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::dataset::{Dataset, DatasetError, Variant};
use crate::data::generate::{Domain, Settings};
use crate::data::manifest::{FoldScheme, Manifest};
use crate::data::store::Store;

/// A dataset as an experiment uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The name in the experiment's list, in tables and in paths; unique within the experiment.
    pub name: String,
    /// What [`Dataset::open`] takes: the id of a published dataset, of a generated domain, or a directory.
    pub id: String,
    /// Which of the choices that the dataset offers are taken. Of a published dataset, none is left open.
    pub variant: Variant,
    /// How a generated domain is made; `None` for all other data.
    pub generated: Option<Settings>,
}

/// What of a source can change a result, in words that a file can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceKey {
    /// The id of the dataset, or the last part of the directory's path: folds are drawn with it.
    pub id: String,
    /// The variant.
    pub variant: Variant,
}

impl Source {
    /// Reads the data.
    ///
    /// # Errors
    /// See [`Dataset::open`].
    pub fn open(&self, store: &Store) -> Result<Dataset, DatasetError> {
        match (Domain::find(&self.id), &self.generated) {
            (Ok(domain), Some(settings)) => Dataset::of_domain(domain, settings, &self.variant),
            _ => Dataset::open(&self.id, store, &self.variant),
        }
    }

    /// The published dataset that this is, if it is one.
    pub fn manifest(&self) -> Option<&'static Manifest> {
        Manifest::find(&self.id).ok()
    }

    /// How the examples are split, as far as it is known before the data are read.
    pub fn fold_scheme(&self) -> Option<FoldScheme> {
        self.variant.folds.or_else(|| self.manifest().map(|manifest| manifest.folds.scheme))
    }

    /// How many folds a published dataset has if nobody says.
    pub fn known_folds(&self) -> Option<usize> {
        let folds = &self.manifest()?.folds;
        let scheme = self.fold_scheme()?;
        let other = folds.option.iter().find(|option| option.scheme == scheme).map(|option| option.count);
        if folds.scheme == scheme { Some(folds.count) } else { other }
    }

    /// The name that [`Dataset::id`] will have.
    pub fn dataset_id(&self) -> String {
        if self.manifest().is_some() || self.generated.is_some() {
            return self.id.clone();
        }
        let path = Path::new(&self.id);
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// What of it can change a result.
    pub fn key(&self) -> SourceKey {
        SourceKey { id: self.dataset_id(), variant: self.variant.clone() }
    }
}

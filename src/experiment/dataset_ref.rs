//! Dataset references: a dataset in one of its variants, under the name the experiment gives it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::data::benchmark::{Benchmark, BenchmarkError, Variant};
use crate::data::generate::{Domain, GeneratorSettings};
use crate::data::load::LoadOptions;
use crate::data::manifest::{FoldScheme, Manifest};
use crate::data::store::Store;

/// A dataset as an experiment refers to it.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetRef {
    /// Name in the experiment's list, in tables and in paths; unique within the experiment.
    pub name: String,
    /// Argument of [`Benchmark::open`]: id of a published dataset or generated domain, or a
    /// directory.
    pub id: String,
    /// Chosen variant. For a published dataset every choice is filled in.
    pub variant: Variant,
    /// Generator settings of a generated domain; `None` for all other data.
    pub generated: Option<GeneratorSettings>,
    /// How a directory is read; default for all other data.
    pub directory: DirectoryOptions,
}

/// How a directory of own data is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryOptions {
    /// Target predicate; `None` for the one with the most positives.
    pub target: Option<String>,
    /// File of modes; `None` for the one in the directory.
    pub background: Option<PathBuf>,
}

/// The part of a dataset reference that can change a result, in serializable form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetKey {
    /// Dataset id, or the last component of the directory's path: fold assignment is seeded with
    /// it.
    pub id: String,
    /// The variant.
    pub variant: Variant,
    /// The target that was chosen for a directory. The background file is part of the checksum of
    /// the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl DatasetRef {
    /// Reads the dataset.
    ///
    /// # Errors
    /// See [`Benchmark::open`].
    pub fn open(&self, store: &Store) -> Result<Benchmark, BenchmarkError> {
        match (Domain::find(&self.id), &self.generated) {
            (Ok(domain), Some(settings)) => Benchmark::of_domain(domain, settings, &self.variant),
            _ if self.is_directory() && Path::new(&self.id).is_dir() => {
                let DirectoryOptions { target, background } = self.directory.clone();
                let options = LoadOptions { target, background, ..LoadOptions::default() };
                Benchmark::of_directory(Path::new(&self.id), &options, &self.variant)
            }
            _ => Benchmark::open(&self.id, store, &self.variant),
        }
    }

    /// Returns the manifest of a published dataset.
    pub fn manifest(&self) -> Option<&'static Manifest> {
        Manifest::find(&self.id).ok()
    }

    /// Returns whether predicates may have more than two arguments, as far as that is known before
    /// the data are read.
    pub fn may_have_long_predicates(&self) -> bool {
        self.manifest().is_none_or(|manifest| !manifest.arity.is_empty())
    }

    /// Returns whether it is a directory of own data.
    pub fn is_directory(&self) -> bool {
        self.manifest().is_none() && self.generated.is_none() && Domain::find(&self.id).is_err()
    }

    /// Returns the fold scheme as far as it is known before the data are read.
    pub fn fold_scheme(&self) -> Option<FoldScheme> {
        self.variant.folds.or_else(|| self.manifest().map(|manifest| manifest.folds.scheme))
    }

    /// Returns the default number of folds of a published dataset.
    pub fn known_folds(&self) -> Option<usize> {
        let folds = &self.manifest()?.folds;
        let scheme = self.fold_scheme()?;
        let other = folds.option.iter().find(|option| option.scheme == scheme).map(|option| option.count);
        if folds.scheme == scheme { Some(folds.count) } else { other }
    }

    /// Returns the name that [`Benchmark::id`] will have.
    pub fn dataset_id(&self) -> String {
        if self.manifest().is_some() || self.generated.is_some() {
            return self.id.clone();
        }
        let path = Path::new(&self.id);
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Returns the part of the reference that can change a result.
    pub fn key(&self) -> DatasetKey {
        DatasetKey { id: self.dataset_id(), variant: self.variant.clone(), target: self.directory.target.clone() }
    }
}

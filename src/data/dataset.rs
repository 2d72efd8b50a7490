//! One way to every dataset: published ones, generated ones, and directories of your own.
//!
//! ```
//! use lrbm::data::dataset::{Dataset, Variant};
//! use lrbm::data::store::Store;
//! use lrbm::data::split::Split;
//!
//! // `movies` is generated, so the data directory need not exist.
//! let store = Store::open("datasets/cache");
//! let movies = Dataset::open("movies", &store, &Variant::default())?;
//! let split = Split::new(7);
//! assert_eq!(movies.fold_count(&split)?, 5);
//! let fold = movies.fold(0, &split)?;
//! println!("{} examples to learn from, {} to test with", fold.train.examples.len(), fold.test.examples.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use super::adapt::{self, ALL, Conversion};
use super::binary;
use super::classes::ClassLabels;
use super::embedded::load_domain;
use super::generate::{Domain, Settings};
use super::layout;
use super::load::LoadOptions;
use super::manifest::{Adaptor, ArityRule, Evidence, FoldScheme, Manifest, NegativeScheme};
use super::store::{Store, StoreError};
use crate::files::digest;
use crate::kb::{TimeRule, TimeSource};
use crate::logic::Diagnostics;
use crate::logic::nearest::nearest;

mod error;
mod pools;
mod variant;

pub use error::DatasetError;
use pools::{Opening, fold_directories};
pub(super) use pools::{Pool, Pools};
pub use variant::{Arity, Reflexive, TimeUse, Variant};

/// What of a manifest, or of the lack of one, matters once the data are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Traits {
    pub symmetric: bool,
    /// Whether (a,a) may be drawn.
    pub reflexive_negatives: bool,
    /// Whether the last argument of negatives is one of those of the positives of the fold.
    pub asked_about: bool,
    /// Whether training positives are evidence, as far as the time rule lets them be seen.
    pub target_is_evidence: bool,
    /// How many folds there are if nobody says.
    pub default_count: usize,
    pub time: Option<TimeRule>,
}

/// A dataset, read and ready to be split.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) variant: Variant,
    pub(super) folds: FoldScheme,
    pub(super) negatives: NegativeScheme,
    pub(super) rooms: Pools,
    pub(super) traits: Traits,
    pub(super) rules: Vec<ArityRule>,
    pub(super) manifest: Option<Manifest>,
    pub(super) conversion: Conversion,
    checksum: String,
    files: FileSums,
    warnings: Diagnostics,
}

/// Files with their SHA-256.
type FileSums = Vec<(String, String)>;

impl Dataset {
    /// The dataset of a name: a published one, a generated one, or the directory of that path.
    ///
    /// A published dataset is converted on the way, if it has been fetched and was not converted yet.
    ///
    /// # Errors
    /// If there is no such dataset, it was not fetched, its files are wrong, or it does not offer the variant.
    pub fn open(id: &str, store: &Store, variant: &Variant) -> Result<Dataset, DatasetError> {
        if let Ok(manifest) = Manifest::find(id) {
            return Self::of_manifest(manifest, store, variant);
        }
        if let Ok(domain) = Domain::find(id) {
            return Self::of_domain(domain, &domain.settings(), variant);
        }
        if Path::new(id).is_dir() {
            return Self::of_directory(Path::new(id), &LoadOptions::default(), variant);
        }
        let published = Manifest::built_in().iter().map(|m| m.id.as_str());
        let known: Vec<&str> = published.chain(Domain::ALL.map(|domain| domain.info().id)).collect();
        Err(DatasetError::Unknown {
            id: id.to_owned(),
            nearest: nearest(id, known.iter().copied()).map(str::to_owned),
            known: known.join(", "),
        })
    }

    /// The dataset that a manifest describes.
    ///
    /// # Errors
    /// See [`Dataset::open`].
    pub fn of_manifest(manifest: &Manifest, store: &Store, variant: &Variant) -> Result<Dataset, DatasetError> {
        let id = manifest.id.as_str();
        let evidence = manifest.evidence(variant.evidence.as_deref())?;
        let mut schemes = vec![(manifest.folds.scheme, manifest.folds.count)];
        schemes.extend(manifest.folds.option.iter().map(|option| (option.scheme, option.count)));
        let mut offered = vec![manifest.negatives.scheme];
        offered.extend(&manifest.negatives.option);
        let folds = choose(id, "folds", variant.folds, &schemes.iter().map(|s| s.0).collect::<Vec<_>>())?;
        let negatives = choose(id, "negatives", variant.negatives, &offered)?;
        let default_count = schemes.iter().find(|s| s.0 == folds).map_or(manifest.folds.count, |s| s.1);
        adapt::prepare(store, manifest, &mut |_| {})?;
        let (checksum, files) = check_files(store, id, &evidence.name)?;
        let target = manifest.target.predicate.as_str();
        let time = manifest.time.as_ref().map(|time| time.rule());
        check_time(id, variant, time.as_ref())?;
        let traits = Traits {
            symmetric: manifest.target.symmetric,
            reflexive_negatives: manifest.target.reflexive_negatives,
            asked_about: manifest.adaptor == Adaptor::Mutagenesis,
            target_is_evidence: time.as_ref().is_some_and(|time| time.by_argument.iter().any(|name| name == target)),
            default_count,
            time: time.clone(),
        };
        let classes = class_labels(variant);
        let options = LoadOptions { background: None, target: Some(target.to_owned()), time, classes };
        let directory = store.dataset(id).join(&evidence.name);
        let rules = rules_of(manifest, evidence);
        let opening = Opening { id, options: &options, variant, rules: Some(&rules) };
        let rooms = match folds {
            FoldScheme::Given => opening.given(&directory)?,
            _ => opening.pooled(&directory.join(ALL))?,
        };
        let conversion = Conversion::read(store, id, &evidence.name).unwrap_or_default();
        let mut resolved = variant.clone();
        resolved.evidence = Some(evidence.name.clone());
        Ok(Dataset {
            id: id.to_owned(),
            title: manifest.title.clone(),
            variant: resolved,
            folds,
            negatives,
            rooms: rooms.0,
            traits,
            rules,
            manifest: Some(manifest.clone()),
            conversion,
            checksum,
            files,
            warnings: rooms.1,
        })
    }

    /// A generated domain.
    ///
    /// # Errors
    /// If it is too large, or does not offer the variant.
    pub fn of_domain(domain: Domain, settings: &Settings, variant: &Variant) -> Result<Dataset, DatasetError> {
        let info = domain.info();
        if variant.classes {
            return Err(DatasetError::NotOffered {
                id: info.id.to_owned(),
                key: "classes",
                value: "true".to_owned(),
                offered: "its target as it is, so leave the key out".to_owned(),
            });
        }
        let loaded =
            load_domain(domain, settings).map_err(|error| DatasetError::Load { id: info.id.to_owned(), error })?;
        let time =
            info.time.map(|name| TimeRule { source: TimeSource::Predicate(name.to_owned()), by_argument: Vec::new() });
        let options = LoadOptions { time, ..LoadOptions::default() };
        let opening = Opening { id: info.id, options: &options, variant, rules: None };
        let rooms = opening.room(loaded)?;
        let checksum = digest::sha256(format!("generated {} {settings}", info.id).as_bytes());
        Self::without_manifest(
            info.id,
            info.title,
            variant,
            (Pools::Pooled(rooms.0), rooms.1),
            &options,
            (checksum, Vec::new()),
        )
    }

    /// A directory: one with files of examples and facts, or one with `fold1`, `fold2` and so on that have `train` and
    /// `test` in them, or one with `train` and `test`.
    ///
    /// # Errors
    /// If files are missing or wrong, or the directory does not offer the variant.
    pub fn of_directory(directory: &Path, options: &LoadOptions, variant: &Variant) -> Result<Dataset, DatasetError> {
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let options = &LoadOptions { classes: class_labels(variant), ..options.clone() };
        let opening = Opening { id: &name, options, variant, rules: None };
        let files = layout::find(directory);
        let is_pooled =
            files.positives.is_some() || files.negatives.is_some() || fold_directories(directory).is_empty();
        let rooms = if is_pooled { opening.pooled(directory)? } else { opening.given(directory)? };
        let mut files = Vec::new();
        for path in rooms.0.iter().flat_map(|room| &room.counts.files) {
            let sum = digest::sha256_of_file(path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
            files.push((path.strip_prefix(directory).unwrap_or(path).display().to_string(), sum));
        }
        let lines: String = files.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
        let sums = (digest::sha256(lines.as_bytes()), files);
        Self::without_manifest(&name, &name, variant, rooms, options, sums)
    }

    fn without_manifest(
        id: &str,
        title: &str,
        variant: &Variant,
        rooms: (Pools, Diagnostics),
        options: &LoadOptions,
        (checksum, files): (String, FileSums),
    ) -> Result<Dataset, DatasetError> {
        if let Some(evidence) = &variant.evidence {
            return Err(DatasetError::NotOffered {
                id: id.to_owned(),
                key: "evidence",
                value: evidence.clone(),
                offered: "all its facts, so leave the key out".to_owned(),
            });
        }
        check_time(id, variant, options.time.as_ref())?;
        let (schemes, default_count): (&[FoldScheme], usize) = match &rooms.0 {
            Pools::Given(folds) => (&[FoldScheme::Given], folds.len()),
            Pools::Pooled(_) if options.time.is_some() => (&[FoldScheme::Random, FoldScheme::ByTime], 5),
            Pools::Pooled(_) => (&[FoldScheme::Random], 5),
        };
        let both = [NegativeScheme::ListedThenClosedWorld, NegativeScheme::ClosedWorld];
        let rules = rooms.0.iter().next().map_or_else(Vec::new, |room| room_rules(room, variant));
        Ok(Dataset {
            id: id.to_owned(),
            title: title.to_owned(),
            variant: variant.clone(),
            folds: choose(id, "folds", variant.folds, schemes)?,
            negatives: choose(id, "negatives", variant.negatives, &both)?,
            rooms: rooms.0,
            traits: Traits { default_count, time: options.time.clone(), ..Traits::default() },
            rules,
            manifest: None,
            conversion: Conversion::default(),
            checksum,
            files,
            warnings: rooms.1,
        })
    }

    /// The short name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name in full.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The footnote that every table with this dataset must show, if there is one.
    pub fn footnote(&self) -> Option<&str> {
        self.manifest.as_ref()?.substitute.as_deref()
    }

    /// The manifest, if the dataset is a published one.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// The variant that was taken, with the name of the evidence filled in.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// How the examples are split.
    pub fn fold_scheme(&self) -> FoldScheme {
        self.folds
    }

    /// Where negatives come from.
    pub fn negative_scheme(&self) -> NegativeScheme {
        self.negatives
    }

    /// One checksum of the files that were really read; of a generated domain, of what it is made from.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// The files that were really read, each with its SHA-256, by their paths below the directory of the dataset.
    pub fn files(&self) -> &[(String, String)] {
        &self.files
    }

    /// The time limits that examples are under.
    pub fn time(&self) -> Option<&TimeRule> {
        self.traits.time.as_ref().filter(|_| self.variant.time == TimeUse::Limit)
    }

    /// What there is to warn about in the data.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// How longer predicates become binary, in words.
    pub fn describe_binary(&self) -> String {
        binary::describe(&self.rules)
    }
}

/// The rules of a manifest that hold for an evidence variant.
fn rules_of(manifest: &Manifest, evidence: &Evidence) -> Vec<ArityRule> {
    let fits = |rule: &&ArityRule| rule.evidence.as_ref().is_none_or(|name| *name == evidence.name);
    manifest.arity.iter().filter(fits).cloned().collect()
}

/// The rules of data without a manifest; once they were applied there is nothing left to see them by.
fn room_rules(room: &Pool, variant: &Variant) -> Vec<ArityRule> {
    match variant.arity {
        Arity::Original => binary::rules_for(&room.database, room.target),
        Arity::Binary => Vec::new(),
    }
}

/// Whether the last argument of the target is a class.
fn class_labels(variant: &Variant) -> ClassLabels {
    match variant.classes {
        true => ClassLabels::Made { least: variant.class_size as usize },
        false => ClassLabels::AsMarked,
    }
}

/// Times can be ignored only where there are times.
fn check_time(id: &str, variant: &Variant, time: Option<&TimeRule>) -> Result<(), DatasetError> {
    match (variant.time, time) {
        (TimeUse::Ignore, None) => Err(DatasetError::NotOffered {
            id: id.to_owned(),
            key: "time",
            value: "ignore".to_owned(),
            offered: "no times, so leave the key out".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The value asked for, or the first of those offered.
fn choose<T: Copy + PartialEq + Serialize>(
    id: &str,
    key: &'static str,
    asked: Option<T>,
    offered: &[T],
) -> Result<T, DatasetError> {
    let first = offered.first().copied();
    let shown = |value: &T| serde_json::to_value(value).ok().and_then(|v| Some(v.as_str()?.to_owned()));
    match asked.or(first) {
        Some(value) if offered.contains(&value) => Ok(value),
        value => Err(DatasetError::NotOffered {
            id: id.to_owned(),
            key,
            value: value.as_ref().and_then(shown).unwrap_or_default(),
            offered: offered.iter().filter_map(shown).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "),
        }),
    }
}

/// Compares every file of a variant with its record; one checksum for all.
fn check_files(store: &Store, id: &str, variant: &str) -> Result<(String, FileSums), DatasetError> {
    let record = store.record(id)?;
    let prefix = format!("{variant}/");
    let files: Vec<(&str, &str)> = record.iter().filter(|(path, _)| path.starts_with(&prefix)).collect();
    files.par_iter().try_for_each(|(path, recorded)| {
        let full = store.converted(id, path);
        match digest::sha256_of_file(&full) {
            Ok(found) if found == *recorded => Ok(()),
            _ => Err(DatasetError::Changed { id: id.to_owned(), file: full.display().to_string() }),
        }
    })?;
    let sums = files.iter().map(|&(path, sum)| (path.to_owned(), sum.to_owned())).collect();
    Ok((record.checksum(variant), sums))
}

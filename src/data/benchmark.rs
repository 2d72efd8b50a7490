//! Uniform access to datasets: published ones, generated ones, and user directories.
//!
//! ```
//! use lrbm::internal::data::benchmark::{Benchmark, Variant};
//! use lrbm::internal::data::store::Store;
//! use lrbm::internal::data::split::SplitOptions;
//!
//! // `movies` is generated, so the data directory need not exist.
//! let store = Store::open("datasets/cache");
//! let movies = Benchmark::open("movies", &store, &Variant::default())?;
//! let split = SplitOptions::new(7);
//! assert_eq!(movies.fold_count(&split)?, 5);
//! let fold = movies.fold(0, &split)?;
//! println!("{} training and {} test examples", fold.train.examples.len(), fold.test.examples.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use super::adapt::{self, ALL, Conversion};
use super::arity::ArityRule;
use super::binary;
use super::classes::ClassLabels;
use super::embedded::load_domain;
use super::generate::{Domain, GeneratorSettings};
use super::layout;
use super::load::LoadOptions;
use super::manifest::{Adaptor, EvidenceVariant, FoldScheme, Manifest, NegativeScheme};
use super::store::{Store, StoreError};
use crate::files::digest;
use crate::kb::{TimeRule, TimeSource};
use crate::logic::Diagnostics;
use crate::logic::nearest::nearest;

mod error;
mod pools;
mod variant;

pub use error::BenchmarkError;
use pools::PoolReader;
pub(super) use pools::{Pool, Pools};
pub use variant::{Arity, Mirror, Reflexive, TimeUse, Variant};

/// The properties of a dataset that matter after loading, from its manifest or by default.
#[derive(Clone, Debug, Default)]
pub(super) struct DatasetTraits {
    pub symmetric: bool,
    /// Whether (a,a) may be drawn as a negative.
    pub reflexive_negatives: bool,
    /// Whether the last argument of a drawn negative must occur there in a positive of the fold.
    pub last_from_positives: bool,
    /// Whether training positives are evidence, as far as the time rule makes them visible.
    pub target_is_evidence: bool,
    /// The default number of folds.
    pub default_count: usize,
    pub time: Option<TimeRule>,
}

/// A loaded dataset, ready to be split.
#[derive(Clone, Debug)]
pub struct Benchmark {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) variant: Variant,
    pub(super) folds: FoldScheme,
    /// The source of negatives; `None` if it depends on the number of listed ones.
    pub(super) negatives: Option<NegativeScheme>,
    pub(super) pools: Pools,
    pub(super) traits: DatasetTraits,
    pub(super) rules: Vec<ArityRule>,
    pub(super) manifest: Option<Manifest>,
    pub(super) conversion: Conversion,
    checksum: String,
    files: FileSums,
    warnings: Diagnostics,
}

/// File paths with their SHA-256.
type FileSums = Vec<(String, String)>;

impl Benchmark {
    /// Opens the dataset with this id: a published one, a generated one, or the directory with this
    /// path.
    ///
    /// A published dataset that is fetched but not converted yet is converted first.
    ///
    /// # Errors
    /// If the dataset is unknown or not fetched, its files are invalid, or it does not support the
    /// variant.
    pub fn open(id: &str, store: &Store, variant: &Variant) -> Result<Benchmark, BenchmarkError> {
        if let Ok(manifest) = Manifest::find(id) {
            return Self::of_manifest(manifest, store, variant);
        }
        if let Ok(domain) = Domain::find(id) {
            return Self::of_domain(domain, &domain.settings(), variant);
        }
        if Path::new(id).is_dir() {
            return Self::of_directory(Path::new(id), &LoadOptions::default(), variant);
        }
        let known: Vec<&str> = Manifest::ids().chain(Domain::ALL.map(|domain| domain.info().id)).collect();
        Err(BenchmarkError::Unknown {
            id: id.to_owned(),
            nearest: nearest(id, known.iter().copied()).map(str::to_owned),
            known: known.join(", "),
        })
    }

    /// Opens the dataset described by a manifest.
    ///
    /// # Errors
    /// See [`Benchmark::open`].
    pub fn of_manifest(manifest: &Manifest, store: &Store, variant: &Variant) -> Result<Benchmark, BenchmarkError> {
        let id = manifest.id.as_str();
        let evidence = manifest.evidence(variant.evidence.as_deref())?;
        let mut schemes = vec![(manifest.folds.scheme, manifest.folds.count)];
        schemes.extend(manifest.folds.option.iter().map(|option| (option.scheme, option.count)));
        let mut supported = vec![manifest.negatives.scheme];
        supported.extend(&manifest.negatives.option);
        let folds = choose(id, "folds", variant.folds, &schemes.iter().map(|s| s.0).collect::<Vec<_>>())?;
        let negatives = choose(id, "negatives", variant.negatives, &supported)?;
        let default_count = schemes.iter().find(|s| s.0 == folds).map_or(manifest.folds.count, |s| s.1);
        adapt::prepare(store, manifest, &mut |_| {})?;
        let files = check_files(store, id, &evidence.name)?;
        let checksum = published_checksum(store, manifest, variant)?;
        let target = manifest.target.predicate.as_str();
        let time = manifest.time.as_ref().map(|time| time.rule());
        check_time(id, variant, time.as_ref())?;
        let traits = DatasetTraits {
            symmetric: manifest.target.symmetric,
            reflexive_negatives: manifest.target.reflexive_negatives,
            last_from_positives: manifest.adaptor == Adaptor::Mutagenesis,
            target_is_evidence: time.as_ref().is_some_and(|time| time.by_argument.iter().any(|name| name == target)),
            default_count,
            time: time.clone(),
        };
        let classes = class_labels(variant);
        let modes = match &variant.modes {
            Some(name) => manifest.option_modes(name, evidence)?,
            None => Vec::new(),
        };
        let options = LoadOptions { target: Some(target.to_owned()), time, classes, modes, ..LoadOptions::default() };
        let directory = store.dataset(id).join(&evidence.name);
        let rules = arity_rules(manifest, evidence);
        let reader = PoolReader { id, options: &options, variant, rules: Some(&rules) };
        let (pools, warnings) = match folds {
            FoldScheme::Given => reader.given(&directory)?,
            _ => reader.pooled(&directory.join(ALL))?,
        };
        let conversion = Conversion::read(store, id, &evidence.name).unwrap_or_default();
        let mut resolved = variant.clone();
        resolved.evidence = Some(evidence.name.clone());
        Ok(Benchmark {
            id: id.to_owned(),
            title: manifest.title.clone(),
            variant: resolved,
            folds,
            negatives: Some(negatives),
            pools,
            traits,
            rules,
            manifest: Some(manifest.clone()),
            conversion,
            checksum,
            files,
            warnings,
        })
    }

    /// Opens a generated domain.
    ///
    /// # Errors
    /// If it is too large, or does not support the variant.
    pub fn of_domain(
        domain: Domain,
        settings: &GeneratorSettings,
        variant: &Variant,
    ) -> Result<Benchmark, BenchmarkError> {
        let info = domain.info();
        if variant.classes {
            return Err(BenchmarkError::Unsupported {
                id: info.id.to_owned(),
                key: "classes",
                value: "true".to_owned(),
                advice: "its target is fixed, so omit the key".to_owned(),
            });
        }
        let loaded =
            load_domain(domain, settings).map_err(|error| BenchmarkError::Load { id: info.id.to_owned(), error })?;
        let time =
            info.time.map(|name| TimeRule { source: TimeSource::Predicate(name.to_owned()), by_argument: Vec::new() });
        let options = LoadOptions { time, ..LoadOptions::default() };
        let reader = PoolReader { id: info.id, options: &options, variant, rules: None };
        let (pool, warnings) = reader.pool(loaded)?;
        let checksum = digest::sha256(format!("generated {} {settings}", info.id).as_bytes());
        Self::without_manifest(
            info.id,
            info.title,
            variant,
            (Pools::Pooled(pool), warnings),
            &options,
            (checksum, Vec::new()),
        )
    }

    /// Opens a directory: one with example and fact files, one with `fold1`, `fold2` and so on that
    /// contain `train` and `test`, or one with `train` and `test`. A side without a background file
    /// has that of its fold or of the directory.
    ///
    /// # Errors
    /// If files are missing or invalid, or the directory does not support the variant.
    pub fn of_directory(
        directory: &Path,
        options: &LoadOptions,
        variant: &Variant,
    ) -> Result<Benchmark, BenchmarkError> {
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let options = &LoadOptions { classes: class_labels(variant), needs_modes: true, ..options.clone() };
        let reader = PoolReader { id: &name, options, variant, rules: None };
        let is_given = match variant.folds {
            Some(FoldScheme::Given) => layout::fold_directories(directory).map(|folds| !folds.is_empty()),
            _ => layout::has_only_folds(directory),
        }
        .map_err(|error| reader.failed(error))?;
        let pools = if is_given { reader.given(directory)? } else { reader.pooled(directory)? };
        let mut files = Vec::new();
        for path in pools.0.iter().flat_map(|pool| &pool.counts.files) {
            let sum = digest::sha256_of_file(path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
            // Other files are listed by name, so that the checksum does not depend on their place.
            let elsewhere = || Path::new(path.file_name().unwrap_or(path.as_os_str()));
            files.push((path.strip_prefix(directory).unwrap_or_else(|_| elsewhere()).display().to_string(), sum));
        }
        let lines: String = files.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
        let sums = (digest::sha256(lines.as_bytes()), files);
        let mut opened = Self::without_manifest(&name, &name, variant, pools, options, sums)?;
        opened.negatives = variant.negatives;
        Ok(opened)
    }

    fn without_manifest(
        id: &str,
        title: &str,
        variant: &Variant,
        (pools, warnings): (Pools, Diagnostics),
        options: &LoadOptions,
        (checksum, files): (String, FileSums),
    ) -> Result<Benchmark, BenchmarkError> {
        if let Some(evidence) = &variant.evidence {
            return Err(BenchmarkError::Unsupported {
                id: id.to_owned(),
                key: "evidence",
                value: evidence.clone(),
                advice: "it always uses all its facts, so omit the key".to_owned(),
            });
        }
        if let Some(modes) = &variant.modes {
            return Err(BenchmarkError::Unsupported {
                id: id.to_owned(),
                key: "modes",
                value: modes.clone(),
                advice: "only published datasets have mode options, so omit the key".to_owned(),
            });
        }
        check_time(id, variant, options.time.as_ref())?;
        let (schemes, default_count): (&[FoldScheme], usize) = match &pools {
            Pools::Given(folds) => (&[FoldScheme::Given], folds.len()),
            Pools::Pooled(_) if options.time.is_some() => (&[FoldScheme::Random, FoldScheme::ByTime], 5),
            Pools::Pooled(_) => (&[FoldScheme::Random], 5),
        };
        let known = [NegativeScheme::ListedThenClosedWorld, NegativeScheme::ClosedWorld, NegativeScheme::Listed];
        let rules = pools.iter().next().map_or_else(Vec::new, |pool| default_arity_rules(pool, variant));
        Ok(Benchmark {
            id: id.to_owned(),
            title: title.to_owned(),
            variant: variant.clone(),
            folds: choose(id, "folds", variant.folds, schemes)?,
            negatives: Some(choose(id, "negatives", variant.negatives, &known)?),
            pools,
            traits: DatasetTraits { default_count, time: options.time.clone(), ..DatasetTraits::default() },
            rules,
            manifest: None,
            conversion: Conversion::default(),
            checksum,
            files,
            warnings,
        })
    }

    /// Returns a dataset with the properties of this one and other pools. The id seeds its random
    /// choices.
    pub(super) fn with_pools(
        &self,
        id: String,
        pools: Pools,
        folds: FoldScheme,
        negatives: Option<NegativeScheme>,
    ) -> Benchmark {
        Benchmark {
            id,
            title: self.title.clone(),
            variant: self.variant.clone(),
            folds,
            negatives,
            pools,
            traits: self.traits.clone(),
            rules: self.rules.clone(),
            manifest: self.manifest.clone(),
            conversion: Conversion::default(),
            checksum: self.checksum.clone(),
            files: Vec::new(),
            warnings: Diagnostics::default(),
        }
    }

    /// Returns the short name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the full name.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the footnote that every table with this dataset must show, if any.
    pub fn footnote(&self) -> Option<&str> {
        self.manifest.as_ref()?.substitute.as_deref()
    }

    /// Returns the manifest of a published dataset.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Returns the variant in use, with the name of the evidence filled in.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the fold scheme.
    pub fn fold_scheme(&self) -> FoldScheme {
        self.folds
    }

    /// Returns a checksum of the files read; for a generated domain, of its settings.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Returns the files read with their SHA-256, relative to the directory of the dataset.
    pub fn files(&self) -> &[(String, String)] {
        &self.files
    }

    /// Returns the time limits on examples, unless the variant ignores them.
    pub fn time(&self) -> Option<&TimeRule> {
        self.traits.time.as_ref().filter(|_| self.variant.time == TimeUse::Limit)
    }

    /// Returns the warnings of loading.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Describes the projection of predicates with more than two arguments to binary ones.
    pub fn describe_binary(&self) -> String {
        binary::describe(&self.rules)
    }
}

/// Returns the arity rules of a manifest that apply to an evidence variant.
fn arity_rules(manifest: &Manifest, evidence: &EvidenceVariant) -> Vec<ArityRule> {
    let applies = |rule: &&ArityRule| rule.evidence.as_ref().is_none_or(|name| *name == evidence.name);
    manifest.arity.iter().filter(applies).cloned().collect()
}

/// Returns the arity rules of data without a manifest; after they are applied none remain to
/// describe.
fn default_arity_rules(pool: &Pool, variant: &Variant) -> Vec<ArityRule> {
    match variant.arity {
        Arity::Original => binary::rules_for(&pool.database, pool.target),
        Arity::Binary => Vec::new(),
    }
}

/// Returns how the last argument of the target is used.
fn class_labels(variant: &Variant) -> ClassLabels {
    match variant.classes {
        true => ClassLabels::Derived { min_size: variant.class_size as usize },
        false => ClassLabels::AsMarked,
    }
}

/// Rejects `time = "ignore"` for a dataset without times.
fn check_time(id: &str, variant: &Variant, time: Option<&TimeRule>) -> Result<(), BenchmarkError> {
    match (variant.time, time) {
        (TimeUse::Ignore, None) => Err(BenchmarkError::Unsupported {
            id: id.to_owned(),
            key: "time",
            value: "ignore".to_owned(),
            advice: "it has no times, so omit the key".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Returns the requested value if it is supported, or the first supported one if none is requested.
fn choose<T: Copy + PartialEq + Serialize>(
    id: &str,
    key: &'static str,
    requested: Option<T>,
    supported: &[T],
) -> Result<T, BenchmarkError> {
    let first = supported.first().copied();
    let shown = |value: &T| serde_json::to_value(value).ok().and_then(|v| Some(v.as_str()?.to_owned()));
    match requested.or(first) {
        Some(value) if supported.contains(&value) => Ok(value),
        value => {
            let names: Vec<String> = supported.iter().filter_map(shown).map(|name| format!("`{name}`")).collect();
            Err(BenchmarkError::Unsupported {
                id: id.to_owned(),
                key,
                value: value.as_ref().and_then(shown).unwrap_or_default(),
                advice: format!("it supports {}", names.join(" and ")),
            })
        }
    }
}

/// Returns the checksum of a variant of a published dataset: of its converted files and, if it has
/// mode options, of their modes, which are no part of the files.
///
/// # Errors
/// If the dataset is not fetched, or does not offer the variant.
pub fn published_checksum(store: &Store, manifest: &Manifest, variant: &Variant) -> Result<String, BenchmarkError> {
    let evidence = manifest.evidence(variant.evidence.as_deref())?;
    let files = store.record(&manifest.id)?.checksum(&evidence.name);
    let Some(names) = &variant.modes else { return Ok(files) };
    let modes = manifest.option_modes(names, evidence)?.join("\n");
    Ok(digest::sha256(format!("{files}\n{modes}").as_bytes()))
}

/// Compares every file of a variant with its record; returns the files with their checksums.
fn check_files(store: &Store, id: &str, variant: &str) -> Result<FileSums, BenchmarkError> {
    let record = store.record(id)?;
    let prefix = format!("{variant}/");
    let files: Vec<(&str, &str)> = record.iter().filter(|(path, _)| path.starts_with(&prefix)).collect();
    files.par_iter().try_for_each(|(path, recorded)| {
        let full = store.converted(id, path);
        match digest::sha256_of_file(&full) {
            Ok(found) if found == *recorded => Ok(()),
            _ => Err(BenchmarkError::Changed { id: id.to_owned(), file: full.display().to_string() }),
        }
    })?;
    Ok(files.iter().map(|&(path, sum)| (path.to_owned(), sum.to_owned())).collect())
}

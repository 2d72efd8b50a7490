//! One way to every dataset: published ones, generated ones, and directories of your own.
//!
//! ```
//! use lrbm::data::dataset::{Dataset, Variant};
//! use lrbm::data::fetch::Store;
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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adapt::{self, ALL, AdaptError, Conversion};
use super::binary::{self, Changes, RewriteError};
use super::embedded::load_domain;
use super::fetch::{Store, StoreError, digest};
use super::generate::{Domain, Settings};
use super::layout;
use super::load::{LoadCounts, LoadError, LoadOptions, Loaded, load};
use super::manifest::{Adaptor, ArityRule, Evidence, FoldScheme, Manifest, ManifestError, NegativeScheme};
use super::negatives::is_reflexive;
use crate::kb::{Database, Example, TimeRule};
use crate::logic::nearest::nearest;
use crate::logic::{Constant, Diagnostic, Diagnostics, PredicateId};

/// Which of the choices that a dataset offers to take; what is `None` is as the manifest has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// The evidence variant, by name.
    pub evidence: Option<String>,
    /// Whether predicates of more than two arguments stay as they are.
    pub arity: Arity,
    /// Whether examples of the form (a,a) stay.
    pub reflexive: Reflexive,
    /// Whether positives that are also among the test positives go from the training examples.
    pub drop_shared: bool,
    /// Where negatives come from.
    pub negatives: Option<NegativeScheme>,
    /// How examples are split.
    pub folds: Option<FoldScheme>,
}

/// What becomes of predicates of more than two arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arity {
    /// They stay.
    #[default]
    Original,
    /// Binary predicates take their place.
    Binary,
}

/// What becomes of examples of the form (a,a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reflexive {
    /// They stay.
    #[default]
    Keep,
    /// They go, positive and negative.
    Drop,
}

/// Why a dataset cannot be used as asked.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// There is no such dataset.
    #[error(
        "unknown dataset `{id}`; {}known are {known}, and any directory with files of examples and facts",
        hint(nearest)
    )]
    Unknown {
        /// What was asked for.
        id: String,
        /// The names there are.
        known: String,
        /// The one that was perhaps meant.
        nearest: Option<String>,
    },
    /// The manifest does not offer what was asked for.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The data are not there; the message names the command that fetches them.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The published files could not be converted.
    #[error(transparent)]
    Adapt(#[from] AdaptError),
    /// The files are wrong.
    #[error("dataset `{id}`: {error}")]
    Load {
        /// The dataset.
        id: String,
        /// What is wrong.
        error: LoadError,
    },
    /// The database could not be made.
    #[error("dataset `{id}`: {error}")]
    Rewrite {
        /// The dataset.
        id: String,
        /// What is wrong.
        error: RewriteError,
    },
    /// A file is not as it was recorded.
    #[error("dataset `{id}`: {file} has changed since it was converted; `lrbm datasets fetch {id}` makes it anew")]
    Changed {
        /// The dataset.
        id: String,
        /// The file.
        file: String,
    },
    /// A choice that the dataset does not offer.
    #[error("dataset `{id}` does not offer `{key} = \"{value}\"`; it offers {offered}")]
    NotOffered {
        /// The dataset.
        id: String,
        /// The key of the choice.
        key: &'static str,
        /// The value asked for.
        value: String,
        /// The values there are.
        offered: String,
    },
    /// More folds than can be made, or another number than is given.
    #[error("dataset `{id}`: {count} folds cannot be had: {reason}")]
    FoldCount {
        /// The dataset.
        id: String,
        /// How many were asked for.
        count: usize,
        /// Why not, and what can be had.
        reason: String,
    },
    /// There is no such fold.
    #[error("dataset `{id}` has folds 0 to {}, but no fold {index}", count.saturating_sub(1))]
    NoSuchFold {
        /// The dataset.
        id: String,
        /// The fold asked for, from 0.
        index: usize,
        /// How many folds there are.
        count: usize,
    },
    /// The number of negatives per positive makes no sense.
    #[error("negatives_per_positive must be from 0 to 10000, but is {0}")]
    Ratio(f64),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "))
}

/// Facts and examples that belong together: all data, or one side of a given fold.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub database: Arc<Database>,
    pub target: PredicateId,
    pub positives: Vec<Example>,
    pub listed: Vec<Example>,
    pub counts: LoadCounts,
    /// Examples (a,a) that were dropped.
    pub reflexive_dropped: usize,
}

/// How the examples come.
#[derive(Clone, Debug)]
pub(super) enum Rooms {
    /// In one piece, to be split.
    Pooled(Room),
    /// In folds: training and test data of each.
    Given(Vec<[Room; 2]>),
}

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
    pub(super) rooms: Rooms,
    pub(super) traits: Traits,
    pub(super) rules: Vec<ArityRule>,
    pub(super) manifest: Option<Manifest>,
    pub(super) conversion: Conversion,
    checksum: String,
    warnings: Diagnostics,
}

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
        let checksum = check_files(store, id, &evidence.name)?;
        let target = manifest.target.predicate.as_str();
        let time = manifest.time.as_ref().map(|time| time.rule());
        let traits = Traits {
            symmetric: manifest.target.symmetric,
            reflexive_negatives: manifest.target.reflexive_negatives,
            asked_about: manifest.adaptor == Adaptor::Mutagenesis,
            target_is_evidence: time.as_ref().is_some_and(|time| time.by_argument.iter().any(|name| name == target)),
            default_count,
            time: time.clone(),
        };
        let options = LoadOptions { background: None, target: Some(target.to_owned()), time };
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
            warnings: rooms.1,
        })
    }

    /// A generated domain.
    ///
    /// # Errors
    /// If it is too large, or does not offer the variant.
    pub fn of_domain(domain: Domain, settings: &Settings, variant: &Variant) -> Result<Dataset, DatasetError> {
        let info = domain.info();
        let loaded =
            load_domain(domain, settings).map_err(|error| DatasetError::Load { id: info.id.to_owned(), error })?;
        let time = info.time.map(|name| TimeRule {
            source: crate::kb::TimeSource::Predicate(name.to_owned()),
            by_argument: Vec::new(),
        });
        let options = LoadOptions { time, ..LoadOptions::default() };
        let opening = Opening { id: info.id, options: &options, variant, rules: None };
        let rooms = opening.room(loaded)?;
        let checksum = digest::sha256(format!("generated {} {settings}", info.id).as_bytes());
        Self::without_manifest(info.id, info.title, variant, (Rooms::Pooled(rooms.0), rooms.1), &options, checksum)
    }

    /// A directory: one with files of examples and facts, or one with `fold1`, `fold2` and so on that have `train` and
    /// `test` in them, or one with `train` and `test`.
    ///
    /// # Errors
    /// If files are missing or wrong, or the directory does not offer the variant.
    pub fn of_directory(directory: &Path, options: &LoadOptions, variant: &Variant) -> Result<Dataset, DatasetError> {
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let opening = Opening { id: &name, options, variant, rules: None };
        let files = layout::find(directory);
        let is_pooled =
            files.positives.is_some() || files.negatives.is_some() || fold_directories(directory).is_empty();
        let rooms = if is_pooled { opening.pooled(directory)? } else { opening.given(directory)? };
        let mut sums = String::new();
        for path in rooms.0.iter().flat_map(|room| &room.counts.files) {
            let sum = digest::sha256_of_file(path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
            sums += &format!("{sum}  {}\n", path.strip_prefix(directory).unwrap_or(path).display());
        }
        Self::without_manifest(&name, &name, variant, rooms, options, digest::sha256(sums.as_bytes()))
    }

    fn without_manifest(
        id: &str,
        title: &str,
        variant: &Variant,
        rooms: (Rooms, Diagnostics),
        options: &LoadOptions,
        checksum: String,
    ) -> Result<Dataset, DatasetError> {
        if let Some(evidence) = &variant.evidence {
            return Err(DatasetError::NotOffered {
                id: id.to_owned(),
                key: "evidence",
                value: evidence.clone(),
                offered: "all its facts, so leave the key out".to_owned(),
            });
        }
        let (schemes, default_count): (&[FoldScheme], usize) = match &rooms.0 {
            Rooms::Given(folds) => (&[FoldScheme::Given], folds.len()),
            Rooms::Pooled(_) if options.time.is_some() => (&[FoldScheme::Random, FoldScheme::ByTime], 5),
            Rooms::Pooled(_) => (&[FoldScheme::Random], 5),
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

    /// What there is to warn about in the data.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// How longer predicates become binary, in words.
    pub fn describe_binary(&self) -> String {
        binary::describe(&self.rules)
    }
}

impl Rooms {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Room> {
        let (one, many) = match self {
            Rooms::Pooled(room) => (Some(room), None),
            Rooms::Given(folds) => (None, Some(folds.iter().flatten())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// The rules of a manifest that hold for an evidence variant.
fn rules_of(manifest: &Manifest, evidence: &Evidence) -> Vec<ArityRule> {
    let fits = |rule: &&ArityRule| rule.evidence.as_ref().is_none_or(|name| *name == evidence.name);
    manifest.arity.iter().filter(fits).cloned().collect()
}

/// The rules of data without a manifest; once they were applied there is nothing left to see them by.
fn room_rules(room: &Room, variant: &Variant) -> Vec<ArityRule> {
    match variant.arity {
        Arity::Original => binary::rules_for(&room.database, room.target),
        Arity::Binary => Vec::new(),
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
fn check_files(store: &Store, id: &str, variant: &str) -> Result<String, DatasetError> {
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
    Ok(record.checksum(variant))
}

/// The folds of a directory in order, each with `train` and `test`; a directory with these two is one fold.
fn fold_directories(directory: &Path) -> Vec<PathBuf> {
    let has_both = |path: &PathBuf| path.join("train").is_dir() && path.join("test").is_dir();
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_ascii_lowercase();
            let number = name.strip_prefix("fold")?.trim_start_matches(['_', '-']).parse().ok()?;
            Some((number, entry.path()))
        })
        .filter(|(_, path)| has_both(path))
        .collect();
    found.sort();
    let whole = Some(directory.to_owned()).filter(|path| found.is_empty() && has_both(path));
    found.into_iter().map(|(_, path)| path).chain(whole).collect()
}

/// How the rooms of a dataset are read.
struct Opening<'a> {
    id: &'a str,
    options: &'a LoadOptions,
    variant: &'a Variant,
    /// `None` stands for every pair of arguments.
    rules: Option<&'a [ArityRule]>,
}

impl Opening<'_> {
    fn pooled(&self, directory: &Path) -> Result<(Rooms, Diagnostics), DatasetError> {
        let (room, warnings) = self.read(directory)?;
        Ok((Rooms::Pooled(room), warnings))
    }

    fn given(&self, directory: &Path) -> Result<(Rooms, Diagnostics), DatasetError> {
        let sides = |path: &PathBuf| Ok([self.read(&path.join("train"))?, self.read(&path.join("test"))?]);
        let folds: Vec<_> = fold_directories(directory).par_iter().map(sides).collect::<Result<_, DatasetError>>()?;
        let mut warnings = Diagnostics::default();
        let mut rooms = Vec::with_capacity(folds.len());
        for sides in folds {
            rooms.push(sides.map(|(room, found)| {
                warnings.extend(found);
                room
            }));
        }
        Ok((Rooms::Given(rooms), warnings))
    }

    fn read(&self, directory: &Path) -> Result<(Room, Diagnostics), DatasetError> {
        let loaded = load(directory, self.options);
        self.room(loaded.map_err(|error| DatasetError::Load { id: self.id.to_owned(), error })?)
    }

    /// What was loaded, without answers among the facts, and with the changes that the variant asks for.
    fn room(&self, loaded: Loaded) -> Result<(Room, Diagnostics), DatasetError> {
        let Loaded { mut database, target, examples, counts, warnings: found } = loaded;
        // Where no negative is listed, some are drawn.
        let mut warnings = Diagnostics::default();
        found.iter().filter(|warning| warning.code != "one-class").for_each(|warning| warnings.push(warning.clone()));
        let answers = database.facts.relation(target).len();
        if answers > 0 {
            let name = database.predicates.show(target).to_string();
            let message = format!("{answers} facts of the target {name} are left out: they would be answers");
            let help = "delete them, or name another target";
            warnings.push(Diagnostic::warning("target-in-evidence", message, help).about(name));
        }
        let mut rules = Vec::new();
        if self.variant.arity == Arity::Binary {
            rules = self.rules.map_or_else(|| binary::rules_for(&database, target), <[_]>::to_vec);
        }
        if answers > 0 || !rules.is_empty() {
            let changes = Changes { rules: &rules, without: Some(target), with: None };
            database = binary::rewrite(&database, &changes, self.options.time.as_ref())
                .map_err(|error| DatasetError::Rewrite { id: self.id.to_owned(), error })?;
        }
        let before = examples.len();
        let kept = |example: &Example| self.variant.reflexive == Reflexive::Keep || !is_reflexive(&example.args);
        let (positives, listed): (Vec<_>, Vec<_>) = examples.into_iter().filter(kept).partition(|e| e.positive);
        let reflexive_dropped = before - positives.len() - listed.len();
        let database = Arc::new(database);
        Ok((Room { database, target, positives, listed, counts, reflexive_dropped }, warnings))
    }
}

impl Room {
    /// The constants that may stand at each argument of the target: those of its type in facts and examples.
    pub(super) fn pools(&self) -> Vec<Vec<Constant>> {
        let database = &self.database;
        let arity = database.predicates.arity(self.target);
        let types = database.schema.argument_types(self.target).unwrap_or_default();
        let pool = |position: usize| {
            let here = types.get(position);
            let mut pool = here.map_or_else(Vec::new, |&type_id| database.constants_of_type(type_id));
            // Without types, every argument has its own constants.
            let alike = |other: &usize| *other == position || (here.is_some() && types.get(*other) == here);
            for example in self.positives.iter().chain(&self.listed) {
                pool.extend((0..arity).filter(alike).map(|other| example.args[other]));
            }
            pool.sort_unstable();
            pool.dedup();
            pool
        };
        (0..arity).map(pool).collect()
    }
}

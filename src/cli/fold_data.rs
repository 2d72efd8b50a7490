//! One side of a fold of a dataset, with exactly the examples that `lrbm run` uses.

use std::path::Path;
use std::sync::Arc;

use super::error::{CommandError, with_cause};
use crate::data::benchmark::{Arity, Benchmark, Variant};
use crate::data::generate::Domain;
use crate::data::load::{Dataset, LoadCounts, LoadOptions};
use crate::data::manifest::Manifest;
use crate::data::split::{FoldSide, SplitOptions};
use crate::data::store::Store;
use crate::experiment::job::training_seed;
use crate::experiment::{DatasetRef, DirectoryOptions};
use crate::files::visible::ShownPath;
use crate::learn::Stored;
use crate::learn::prepare::PrepareOptions;

/// Seed of random folds and drawn negatives, as in the shipped experiments.
pub const SEED: u64 = 20_200_120;

/// Which examples of a dataset are used.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct FoldArgs {
    /// Fold of a dataset that is given by its id, or of a directory: the examples that `lrbm run`
    /// uses with default folds and negatives, drawn ones included [default: 1 for an id].
    #[arg(long, value_name = "K", requires = "data", value_parser = clap::value_parser!(u32).range(1..))]
    pub fold: Option<u32>,
    /// Side of the fold [default: `train` for `train` and `convert`, otherwise `test`].
    #[arg(long, value_enum, requires = "data")]
    pub split: Option<Side>,
    /// Seed of random folds and drawn negatives, as `seed` in a spec [default: 20200120].
    #[arg(long, value_name = "N", requires = "data")]
    pub seed: Option<u64>,
}

/// Side of a fold.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The training examples.
    Train,
    /// The test examples.
    Test,
}

impl FoldArgs {
    fn is_given(&self) -> bool {
        self.fold.is_some() || self.split.is_some() || self.seed.is_some()
    }

    /// Returns the fold that `data` means; `None` if it is a directory that is read as it is.
    pub fn request<'a>(&self, data: &'a Path, side: Side) -> Option<FoldRequest<'a>> {
        let is_wanted = self.is_given() || !data.exists() && is_known(data);
        is_wanted.then(|| FoldRequest {
            data,
            index: self.fold.unwrap_or(1) as usize - 1,
            side: self.split.unwrap_or(side),
            seed: self.seed.unwrap_or(SEED),
        })
    }
}

/// Returns whether a path is the id of a published dataset or a generated domain.
pub fn is_known(data: &Path) -> bool {
    data.to_str().is_some_and(|id| Manifest::find(id).is_ok() || Domain::find(id).is_ok())
}

/// One side of a fold of a dataset.
#[derive(Clone, Copy, Debug)]
pub struct FoldRequest<'a> {
    data: &'a Path,
    index: usize,
    side: Side,
    seed: u64,
}

/// How a fold is read.
#[derive(Clone, Debug, Default)]
pub struct FoldOptions {
    /// Treatment of predicates with more than two arguments.
    pub arity: Arity,
    /// Whether the last argument of the target is the class of an example.
    pub classes: bool,
    /// Whether facts of the target are evidence.
    pub recursive: bool,
    /// How a directory is read.
    pub load: LoadOptions,
}

/// The examples of a fold.
pub struct FoldData {
    /// The examples with their evidence.
    pub dataset: Dataset,
    /// What was read, in words.
    pub about: String,
    /// Predicates made binary, if any, in words.
    pub binary: String,
}

impl FoldRequest<'_> {
    /// Returns the seed with which `lrbm run` trains on the fold.
    pub fn training_seed(&self) -> u64 {
        let id = self.data.to_string_lossy().into_owned();
        let dataset = DatasetRef {
            name: id.clone(),
            id,
            variant: Variant::default(),
            generated: None,
            directory: DirectoryOptions::default(),
        };
        training_seed(self.seed, &dataset.dataset_id(), self.index)
    }

    /// Reads the fold.
    pub fn read(&self, options: &FoldOptions) -> Result<FoldData, CommandError> {
        let benchmark = self.open(options, options.arity)?;
        let split = SplitOptions { recursive: options.recursive, ..SplitOptions::new(self.seed) };
        let count = benchmark.fold_count(&split).map_err(with_cause)?;
        if self.index >= count {
            let message = format!("--fold {}: {} has folds 1 to {count}", self.index + 1, benchmark.id());
            return Err(CommandError::Input(message));
        }
        let fold = benchmark.fold(self.index, &split).map_err(with_cause)?;
        let (FoldSide { database, target, examples }, counts, name) = match self.side {
            Side::Train => (fold.train, fold.counts.train, "training"),
            Side::Test => (fold.test, fold.counts.test, "test"),
        };
        let about = format!(
            "{}, fold {} of {count}, seed {}: {} positive and {} negative {name} examples, {} of the negatives drawn",
            benchmark.id(),
            self.index + 1,
            self.seed,
            counts.positives,
            counts.negatives(),
            counts.drawn,
        );
        // Without a manifest, data that were made binary no longer say from what.
        let binary = match options.arity {
            Arity::Binary if benchmark.manifest().is_none() => self.open(options, Arity::Original)?.describe_binary(),
            _ => benchmark.describe_binary(),
        };
        let dataset = Dataset {
            database: Arc::unwrap_or_clone(database),
            target,
            file_order: (0..examples.len() as u32).collect(),
            examples,
            counts: LoadCounts::default(),
            warnings: benchmark.warnings().clone(),
        };
        Ok(FoldData { dataset, about, binary })
    }

    fn open(&self, options: &FoldOptions, arity: Arity) -> Result<Benchmark, CommandError> {
        let variant = Variant { arity, classes: options.classes, ..Variant::default() };
        if self.data.is_dir() {
            return Benchmark::of_directory(self.data, &options.load, &variant).map_err(with_cause);
        }
        if options.load.background.is_some() || options.load.time.is_some() {
            let message = "--background and --set time_… apply to directories: a dataset has its own modes and times";
            return Err(CommandError::input(message));
        }
        let store = Store::open(Store::default_directory());
        Benchmark::open(&self.data.to_string_lossy(), &store, &variant).map_err(with_cause)
    }

    /// Reads the fold for a saved model, under the conditions of its training.
    pub fn read_for(&self, model: &dyn Stored, options: &PrepareOptions) -> Result<FoldData, CommandError> {
        let PrepareOptions { background, time } = options.clone();
        let signature = model.signature();
        let is_directory = self.data.is_dir();
        let mut options = FoldOptions {
            classes: model.classes().is_some(),
            recursive: signature.recursive.is_some(),
            load: LoadOptions {
                background,
                target: is_directory.then(|| model.target_name().to_owned()),
                time: time.or_else(|| signature.time.clone().filter(|_| is_directory)),
                ..LoadOptions::default()
            },
            ..FoldOptions::default()
        };
        let mut read = self.read(&options)?;
        let target = read.dataset.database.predicates.name(read.dataset.target);
        if target != model.target_name() {
            let message = format!(
                "the model predicts {}, and the target of {} is {target}",
                model.target_name(),
                self.data.shown()
            );
            return Err(CommandError::Input(message));
        }
        // Folds are drawn before predicates become binary, so the fold is read again.
        let made = read.dataset.make_binary_for(model.predicates(), None).map_err(CommandError::input)?;
        if made.is_none() {
            return Ok(read);
        }
        options.arity = Arity::Binary;
        self.read(&options)
    }
}

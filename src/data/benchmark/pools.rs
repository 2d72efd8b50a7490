//! Loads the pools of a dataset from its directories, removing facts that would reveal labels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::error::BenchmarkError;
use super::variant::{Arity, Reflexive, Variant};
use crate::data::arity::ArityRule;
use crate::data::binary::{self, Changes};
use crate::data::layout;
use crate::data::load::{Dataset, LoadCounts, LoadError, LoadOptions, check_background, load};
use crate::data::negatives::is_reflexive;
use crate::kb::classes::sort_names;
use crate::kb::{Database, Example};
use crate::logic::{Constant, Diagnostic, Diagnostics, PredicateId};

/// Facts and examples that belong together: all data, or one side of a given fold.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub database: Arc<Database>,
    pub target: PredicateId,
    pub positives: Vec<Example>,
    pub listed: Vec<Example>,
    pub counts: LoadCounts,
    /// The number of dropped examples (a,a).
    pub reflexive_dropped: usize,
}

/// The pools of a dataset.
#[derive(Clone, Debug)]
pub(crate) enum Pools {
    /// All data in one pool, to be split.
    Pooled(Pool),
    /// Given folds, each with training and test data.
    Given(Vec<[Pool; 2]>),
}

impl Pools {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pool> {
        let (one, many) = match self {
            Pools::Pooled(pool) => (Some(pool), None),
            Pools::Given(folds) => (None, Some(folds.iter().flatten())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// Loads the pools of a dataset.
pub(super) struct PoolReader<'a> {
    pub id: &'a str,
    pub options: &'a LoadOptions,
    pub variant: &'a Variant,
    /// The arity rules; `None` projects to every pair of arguments.
    pub rules: Option<&'a [ArityRule]>,
}

impl PoolReader<'_> {
    pub(super) fn pooled(&self, directory: &Path) -> Result<(Pools, Diagnostics), BenchmarkError> {
        let (pool, warnings) = self.read(directory, self.options)?;
        Ok((Pools::Pooled(pool), warnings))
    }

    pub(super) fn given(&self, directory: &Path) -> Result<(Pools, Diagnostics), BenchmarkError> {
        let sides = |path: &PathBuf| {
            let side = |name: &str| self.read_side(&path.join(name), &[path, directory]);
            Ok([side("train")?, side("test")?])
        };
        let found = layout::fold_directories(directory).map_err(|error| self.failed(error))?;
        let folds: Vec<_> = found.par_iter().map(sides).collect::<Result<_, BenchmarkError>>()?;
        let mut warnings = Diagnostics::default();
        let mut pools = Vec::with_capacity(folds.len());
        for sides in folds {
            pools.push(sides.map(|(pool, found)| {
                warnings.extend(found);
                pool
            }));
        }
        unify_classes(&mut pools);
        Ok((Pools::Given(pools), warnings))
    }

    /// Reads a side of a given fold, with the background file of the first enclosing directory that
    /// has one if it has none itself.
    fn read_side(&self, side: &Path, enclosing: &[&Path]) -> Result<(Pool, Diagnostics), BenchmarkError> {
        if self.options.background.is_some() || layout::find(side).background.is_some() {
            return self.read(side, self.options);
        }
        let background = enclosing.iter().find_map(|directory| layout::find(directory).background);
        if background.is_none() && self.options.needs_modes {
            enclosing
                .iter()
                .try_for_each(|directory| check_background(directory))
                .map_err(|error| self.failed(error))?;
        }
        self.read(side, &LoadOptions { background, ..self.options.clone() })
    }

    fn read(&self, directory: &Path, options: &LoadOptions) -> Result<(Pool, Diagnostics), BenchmarkError> {
        let loaded = load(directory, options);
        self.pool(loaded.map_err(|error| self.failed(error))?)
    }

    pub(super) fn failed(&self, error: impl Into<LoadError>) -> BenchmarkError {
        BenchmarkError::Load { id: self.id.to_owned(), error: error.into() }
    }

    /// Turns loaded data into a pool: removes target facts from the evidence and applies the
    /// variant.
    pub(super) fn pool(&self, loaded: Dataset) -> Result<(Pool, Diagnostics), BenchmarkError> {
        let Dataset { mut database, target, examples, counts, warnings: found, .. } = loaded;
        // Listed negatives may be missing, since negatives can be drawn.
        let mut warnings = Diagnostics::default();
        found.iter().filter(|warning| warning.code != "one-class").for_each(|warning| warnings.push(warning.clone()));
        // If examples have classes, their labels are the facts of the predicate that includes the
        // class.
        let labelled = database.classes.as_ref().map_or(target, |classes| classes.labelled);
        let leaking = database.facts.relation(labelled).len();
        if leaking > 0 {
            let name = database.predicates.show(labelled).to_string();
            let message = format!(
                "{leaking} facts of the target {name} are dropped from the evidence, since they would reveal labels"
            );
            let help = "delete them, or choose another target";
            warnings.push(Diagnostic::warning("target-in-evidence", message, help).about(name));
        }
        let mut rules = Vec::new();
        if self.variant.arity == Arity::Binary {
            rules = self.rules.map_or_else(|| binary::rules_for(&database, target), <[_]>::to_vec);
        }
        if leaking > 0 || !rules.is_empty() {
            let changes = Changes { rules: &rules, without: Some(labelled), with: None };
            database = binary::rewrite(&database, &changes, self.options.time.as_ref())
                .map_err(|error| BenchmarkError::Rewrite { id: self.id.to_owned(), error })?;
        }
        let before = examples.len();
        let kept = |example: &Example| self.variant.reflexive == Reflexive::Keep || !is_reflexive(&example.args);
        let (positives, listed): (Vec<_>, Vec<_>) = examples.into_iter().filter(kept).partition(|e| e.positive);
        let reflexive_dropped = before - positives.len() - listed.len();
        let database = Arc::new(database);
        Ok((Pool { database, target, positives, listed, counts, reflexive_dropped }, warnings))
    }
}

impl Pool {
    /// Returns the candidate constants for each argument of the target: those of its type in facts
    /// and examples.
    pub(crate) fn candidate_constants(&self) -> Vec<Vec<Constant>> {
        let database = &self.database;
        let arity = database.predicates.arity(self.target);
        let types = database.schema.argument_types(self.target).unwrap_or_default();
        let candidates = |position: usize| {
            let here = types.get(position);
            let mut constants = here.map_or_else(Vec::new, |&type_id| database.constants_of_type(type_id));
            // Without types, every argument has its own constants.
            let same_type = |other: &usize| *other == position || (here.is_some() && types.get(*other) == here);
            for example in self.positives.iter().chain(&self.listed) {
                constants.extend((0..arity).filter(same_type).map(|other| example.args[other]));
            }
            constants.sort_unstable();
            constants.dedup();
            constants
        };
        (0..arity).map(candidates).collect()
    }
}

/// Gives all folds the same classes in the same order.
fn unify_classes(folds: &mut [[Pool; 2]]) {
    let mut names: Vec<String> = Vec::new();
    for pool in folds.iter().flatten() {
        names.extend(pool.database.classes.iter().flat_map(|classes| classes.names.iter().cloned()));
    }
    sort_names(&mut names);
    for pool in folds.iter_mut().flatten() {
        let Some(own) = pool.database.classes.as_ref().map(|classes| classes.names.clone()) else { continue };
        let number = |name: &String| names.iter().position(|known| known == name).unwrap_or_default() as u32;
        let numbers: Vec<u32> = own.iter().map(number).collect();
        for example in &mut pool.positives {
            example.class = numbers[example.class as usize];
        }
        if let Some(classes) = &mut Arc::make_mut(&mut pool.database).classes {
            classes.names.clone_from(&names);
        }
    }
}

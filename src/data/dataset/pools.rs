//! Reading a dataset: what is found in its directories, without answers among the facts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::{Arity, DatasetError, Reflexive, Variant};
use crate::data::binary::{self, Changes};
use crate::data::classes;
use crate::data::load::{LoadCounts, LoadOptions, Loaded, load};
use crate::data::manifest::ArityRule;
use crate::data::negatives::is_reflexive;
use crate::kb::{Database, Example};
use crate::logic::{Constant, Diagnostic, Diagnostics, PredicateId};

/// Facts and examples that belong together: all data, or one side of a given fold.
#[derive(Clone, Debug)]
pub(in crate::data) struct Pool {
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
pub(in crate::data) enum Pools {
    /// In one piece, to be split.
    Pooled(Pool),
    /// In folds: training and test data of each.
    Given(Vec<[Pool; 2]>),
}

impl Pools {
    pub(in crate::data) fn iter(&self) -> impl Iterator<Item = &Pool> {
        let (one, many) = match self {
            Pools::Pooled(room) => (Some(room), None),
            Pools::Given(folds) => (None, Some(folds.iter().flatten())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// The folds of a directory in order, each with `train` and `test`; a directory with these two is one fold.
pub(super) fn fold_directories(directory: &Path) -> Vec<PathBuf> {
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
pub(super) struct Opening<'a> {
    pub id: &'a str,
    pub options: &'a LoadOptions,
    pub variant: &'a Variant,
    /// `None` stands for every pair of arguments.
    pub rules: Option<&'a [ArityRule]>,
}

impl Opening<'_> {
    pub(super) fn pooled(&self, directory: &Path) -> Result<(Pools, Diagnostics), DatasetError> {
        let (room, warnings) = self.read(directory)?;
        Ok((Pools::Pooled(room), warnings))
    }

    pub(super) fn given(&self, directory: &Path) -> Result<(Pools, Diagnostics), DatasetError> {
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
        let mut rooms = Pools::Given(rooms);
        classes::unify(&mut rooms);
        Ok((rooms, warnings))
    }

    fn read(&self, directory: &Path) -> Result<(Pool, Diagnostics), DatasetError> {
        let loaded = load(directory, self.options);
        self.room(loaded.map_err(|error| DatasetError::Load { id: self.id.to_owned(), error })?)
    }

    /// What was loaded, without answers among the facts, and with the changes that the variant asks for.
    pub(super) fn room(&self, loaded: Loaded) -> Result<(Pool, Diagnostics), DatasetError> {
        let Loaded { mut database, target, examples, counts, warnings: found } = loaded;
        // Where no negative is listed, some are drawn.
        let mut warnings = Diagnostics::default();
        found.iter().filter(|warning| warning.code != "one-class").for_each(|warning| warnings.push(warning.clone()));
        // Of examples with classes, the answer is the predicate that has the class.
        let answered = database.classes.as_ref().map_or(target, |classes| classes.labelled);
        let answers = database.facts.relation(answered).len();
        if answers > 0 {
            let name = database.predicates.show(answered).to_string();
            let message = format!("{answers} facts of the target {name} are left out: they would be answers");
            let help = "delete them, or name another target";
            warnings.push(Diagnostic::warning("target-in-evidence", message, help).about(name));
        }
        let mut rules = Vec::new();
        if self.variant.arity == Arity::Binary {
            rules = self.rules.map_or_else(|| binary::rules_for(&database, target), <[_]>::to_vec);
        }
        if answers > 0 || !rules.is_empty() {
            let changes = Changes { rules: &rules, without: Some(answered), with: None };
            database = binary::rewrite(&database, &changes, self.options.time.as_ref())
                .map_err(|error| DatasetError::Rewrite { id: self.id.to_owned(), error })?;
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
    /// The constants that may stand at each argument of the target: those of its type in facts and examples.
    pub(in crate::data) fn pools(&self) -> Vec<Vec<Constant>> {
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

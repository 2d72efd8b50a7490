//! Inner folds: the training part of an outer fold, split again for nested cross-validation.
//!
//! They are made the way the outer ones are. Where folds have facts of their own, whole given folds
//! are left out with their facts. Otherwise examples are dealt out, at random or by time, and keep
//! the negatives of the outer training part. Nothing of the test part of the outer fold is read:
//! examples and facts of an inner fold are a subset of the outer training part.

use std::sync::Arc;

use super::{ExampleGroup, Fold, FoldCounts, SplitOptions};
use crate::data::benchmark::{Benchmark, BenchmarkError, Pool, Pools};
use crate::data::binary;
use crate::data::folds::groups_by_time;
use crate::data::manifest::{FoldScheme, NegativeScheme};
use crate::data::negatives::ArgumentSet;
use crate::data::translation::Translation;
use crate::kb::{Database, Example};
use crate::logic::quantity::counted_as;
use crate::logic::{Constant, PredicateId};

/// The training part of an outer fold, to be split into inner folds.
#[derive(Clone, Debug)]
pub struct TrainingPart {
    /// The training part as a dataset; its pool has all examples and facts.
    part: Benchmark,
    /// The given folds inside the training part, if each is left out as a whole.
    sets: Vec<FactSet>,
    /// Positives and listed negatives that stay, if a fraction of the training examples is kept and
    /// given folds are left out as a whole.
    kept: Option<[ArgumentSet; 2]>,
    split: SplitOptions,
    count: usize,
}

/// A given fold inside a training part: the facts of its test side, and its examples in the
/// constants of the training part.
#[derive(Clone, Debug)]
struct FactSet {
    database: Arc<Database>,
    positives: ArgumentSet,
    listed: ArgumentSet,
}

impl Benchmark {
    /// Returns the training part of an outer fold, from 0, for a number of inner folds.
    ///
    /// # Errors
    /// If the outer fold does not exist, or the inner folds cannot be made.
    pub fn training_part(
        &self,
        outer: usize,
        split: &SplitOptions,
        count: usize,
    ) -> Result<TrainingPart, BenchmarkError> {
        let outer_count = self.checked_count(split)?;
        if outer >= outer_count {
            return Err(BenchmarkError::NoSuchFold { id: self.id.clone(), index: outer, count: outer_count });
        }
        let id = format!("{}, training part of fold {}", self.id, outer + 1);
        // Examples that a fraction drops are in no inner fold, so that it bounds what the choice
        // sees.
        let inner = SplitOptions { folds: Some(count), train_fraction: 1.0, ..*split };
        let (mut sets, mut kept) = (Vec::new(), None);
        // A group has the requested number of negatives already.
        let of_group = |pool: &Pool, group: ExampleGroup| {
            let pool = Pool { positives: group.positives, listed: group.negatives, ..pool.clone() };
            let scheme = if self.has_times(&pool, count) { FoldScheme::ByTime } else { FoldScheme::Random };
            self.with_pools(id.clone(), Pools::Pooled(pool), scheme, Some(NegativeScheme::Listed))
        };
        let part = match &self.pools {
            Pools::Pooled(pool) => {
                let (trained, _, _) = self.choose(self.groups(pool, outer_count, split)?, outer);
                of_group(pool, self.reduced(trained, pool, outer, split))
            }
            Pools::Given(folds) => {
                let [train, test] = &folds[outer];
                let mut pool = train.clone();
                if self.variant.drop_shared {
                    let dropped = self.in_constants_of(train, test, &test.positives);
                    pool.positives.retain(|example| !dropped.contains(&example.args));
                }
                let others = folds.iter().enumerate().filter(|(index, _)| *index != outer);
                sets = self.fact_sets(train, others.map(|(_, [_, test])| test));
                if (2..count).contains(&sets.len()) {
                    let reason = format!(
                        "its training part has {}, which are left out as a whole: use at most {} inner folds",
                        counted_as(sets.len(), "set of facts", "sets of facts"),
                        sets.len()
                    );
                    return Err(BenchmarkError::FoldCount { id, count, reason });
                }
                let reduced = (split.train_fraction < 1.0).then(|| self.reduced_alone(&pool, outer, split));
                match reduced {
                    Some(reduced) if sets.is_empty() => of_group(&pool, reduced),
                    reduced => {
                        kept = reduced.map(|group| [&group.positives, &group.negatives].map(|of| set_of(of)));
                        let scheme = if sets.is_empty() { FoldScheme::Random } else { FoldScheme::Given };
                        self.with_pools(id.clone(), Pools::Pooled(pool), scheme, self.negatives)
                    }
                }
            }
        };
        if sets.is_empty() {
            part.checked_count(&inner)?;
        }
        Ok(TrainingPart { part, sets, kept, split: inner, count })
    }

    /// Returns the examples that a fraction of the training examples keeps, drawing negatives
    /// without regard to the test side.
    fn reduced_alone(&self, pool: &Pool, outer: usize, split: &SplitOptions) -> ExampleGroup {
        let pools = Pools::Pooled(pool.clone());
        let alone = self.with_pools(self.id.clone(), pools, self.folds, Some(self.negative_scheme(split)));
        let counts = &mut FoldCounts::default();
        let group = alone.given_group(pool, pool.positives.clone(), &[], split, outer, counts, "train");
        alone.reduced(group, pool, outer, split)
    }

    /// Returns whether the examples of a pool can be split by time into inner folds.
    fn has_times(&self, pool: &Pool, count: usize) -> bool {
        let time = |example: &Example| pool.database.limit(pool.target, &example.args).unwrap_or(f64::NEG_INFINITY);
        let times = || pool.positives.iter().map(time).collect::<Vec<f64>>();
        self.folds == FoldScheme::ByTime && groups_by_time(&times(), &[], count + 1).is_some()
    }

    /// Returns examples of one pool in the constants of another.
    fn in_constants_of(&self, pool: &Pool, from: &Pool, examples: &[Example]) -> ArgumentSet {
        let mut translation = Translation::new(&from.database, &pool.database);
        let mut set = ArgumentSet::new(self.traits.symmetric);
        for args in examples.iter().filter_map(|example| translation.args(&example.args)) {
            set.insert(&args);
        }
        set
    }

    /// Returns the test sides of other folds if the training positives consist of theirs, and there
    /// are at least two.
    fn fact_sets<'a>(&self, train: &Pool, tests: impl Iterator<Item = &'a Pool>) -> Vec<FactSet> {
        let mut positives = ArgumentSet::new(self.traits.symmetric);
        train.positives.iter().for_each(|example| {
            positives.insert(&example.args);
        });
        let mut sets = Vec::new();
        for test in tests {
            let mut translation = Translation::new(&test.database, &train.database);
            let is_inside = |example: &Example| translation.args(&example.args).is_some_and(|a| positives.contains(&a));
            if !test.positives.iter().all(is_inside) {
                return Vec::new();
            }
            sets.push(FactSet {
                database: Arc::clone(&test.database),
                positives: self.in_constants_of(train, test, &test.positives),
                listed: self.in_constants_of(train, test, &test.listed),
            });
        }
        // A set without positives cannot be tested alone; it stays in training.
        sets.retain(|set| !set.positives.is_empty());
        let is_covered = |example: &Example| sets.iter().any(|set| set.positives.contains(&example.args));
        if sets.len() < 2 || !train.positives.iter().all(is_covered) {
            return Vec::new();
        }
        sets
    }
}

impl TrainingPart {
    /// Returns the number of inner folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns how the inner folds are made: [`FoldScheme::Given`] leaves whole given folds out.
    pub fn scheme(&self) -> FoldScheme {
        self.part.folds
    }

    /// Returns an inner fold, from 0.
    ///
    /// # Errors
    /// If it does not exist, or its facts cannot be separated.
    pub fn fold(&self, index: usize) -> Result<Fold, BenchmarkError> {
        if index >= self.count {
            return Err(BenchmarkError::NoSuchFold { id: self.part.id.clone(), index, count: self.count });
        }
        let Pools::Pooled(pool) = &self.part.pools else { return self.part.fold(index, &self.split) };
        if self.sets.is_empty() {
            return self.part.fold(index, &self.split);
        }
        let mut sides = [self.side(pool, index, false)?, self.side(pool, index, true)?];
        let Benchmark { id, folds, negatives, .. } = &self.part;
        let pair = self.part.with_pools(id.clone(), Pools::Given(vec![sides.clone()]), *folds, *negatives);
        // The pair knows the positives that are dropped, so that none is drawn as a negative.
        if let Some([positives, listed]) = &self.kept {
            for side in &mut sides {
                side.positives.retain(|example| positives.contains(&example.args));
                side.listed.retain(|example| listed.contains(&example.args));
            }
        }
        pair.given_fold(&sides, index, &self.split)
    }

    /// Returns the training or the test side of an inner fold. Sets are dealt out in turn. What
    /// belongs to no set is used for training, what belongs to several on all their sides.
    fn side(&self, pool: &Pool, index: usize, is_test: bool) -> Result<Pool, BenchmarkError> {
        let is_here = |belongs: &mut dyn FnMut(&FactSet, usize) -> bool| {
            let (mut tested, mut trained) = (false, false);
            for (number, set) in self.sets.iter().enumerate() {
                let side = if number % self.count == index { &mut tested } else { &mut trained };
                *side = *side || belongs(set, number);
            }
            if is_test { tested } else { trained || !tested }
        };
        let of = |examples: &[Example], kind: fn(&FactSet) -> &ArgumentSet| {
            let here = |example: &&Example| is_here(&mut |set, _| kind(set).contains(&example.args));
            examples.iter().filter(here).cloned().collect()
        };
        let mut translations: Vec<Translation<'_>> =
            self.sets.iter().map(|set| Translation::new(&pool.database, &set.database)).collect();
        let predicates = &pool.database.predicates;
        let mut has_fact = |set: &FactSet, number: usize, predicate: PredicateId, args: &[Constant]| {
            let own = set.database.predicates.find(predicates.name(predicate), predicates.arity(predicate));
            let found = own.zip(translations[number].args(args));
            found.is_some_and(|(own, args)| set.database.facts.relation(own).contains(&args))
        };
        let keep = |predicate: PredicateId, args: &[Constant]| {
            is_here(&mut |set, number| has_fact(set, number, predicate, args))
        };
        let time = self.part.traits.time.as_ref();
        let database = binary::retain(&pool.database, keep, time)
            .map_err(|error| BenchmarkError::Rewrite { id: self.part.id.clone(), error })?;
        Ok(Pool {
            database: Arc::new(database),
            positives: of(&pool.positives, |set| &set.positives),
            listed: of(&pool.listed, |set| &set.listed),
            ..pool.clone()
        })
    }
}

/// Returns the arguments of examples.
fn set_of(examples: &[Example]) -> ArgumentSet {
    let mut set = ArgumentSet::new(false);
    examples.iter().for_each(|example| {
        set.insert(&example.args);
    });
    set
}

#[cfg(test)]
mod tests;

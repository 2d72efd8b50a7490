//! Splits a dataset into folds: training examples, test examples and their negatives.
//!
//! Pooled data are divided into groups, at random or by time, and each group gets its own
//! negatives, so that no example is in two groups. With random folds, a fold tests one group and
//! trains on all others. By time, a fold tests one group and trains on those before it; the oldest
//! group is used for training only. Given folds are kept.

use std::sync::Arc;

use serde::Serialize;

mod inner;

pub use inner::TrainingPart;

use super::benchmark::{Benchmark, BenchmarkError, Mirror, Pool, Pools, TimeUse};
use super::binary::{self, AddedFacts, Changes};
use super::example_set::ExampleSet;
use super::folds::{groups_by_time, random_folds};
use super::manifest::{FoldScheme, NegativeScheme};
use super::negatives::{ArgumentSet, NegativeSampler, is_reflexive};
use super::translation::Translation;
use crate::determinism::Stream;
use crate::kb::{Database, Example, Recursion};
use crate::logic::quantity::counted;
use crate::logic::{Constant, Diagnostic, PredicateId};

/// The parameters of a split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitOptions {
    /// The number of folds; `None` for the default of the dataset.
    pub folds: Option<usize>,
    /// The number of negatives per positive.
    pub negatives_per_positive: f64,
    /// The seed of random choices.
    pub seed: u64,
    /// Whether training positives are evidence for other examples, both in training and in test.
    pub recursive: bool,
    /// The fraction of the training examples that is kept, above 0 and at most 1. A smaller
    /// fraction keeps a subset of what a larger one keeps; facts and test examples stay.
    pub train_fraction: f64,
}

impl SplitOptions {
    /// Returns the default folds of the dataset with two negatives per positive, as in the paper.
    pub fn new(seed: u64) -> SplitOptions {
        SplitOptions { folds: None, negatives_per_positive: 2.0, seed, recursive: false, train_fraction: 1.0 }
    }
}

/// Examples with their evidence.
#[derive(Clone, Debug)]
pub struct FoldSide {
    /// The evidence, shared between all sides and folds for which it is the same.
    pub database: Arc<Database>,
    /// The target predicate.
    pub target: PredicateId,
    /// Positives, then listed negatives, then drawn negatives.
    pub examples: Vec<Example>,
}

impl<'a> From<&'a FoldSide> for ExampleSet<'a> {
    fn from(side: &'a FoldSide) -> Self {
        ExampleSet { database: &side.database, target: side.target, examples: &side.examples }
    }
}

/// A fold of a split.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The number of the fold, from 0.
    pub index: usize,
    /// The training data.
    pub train: FoldSide,
    /// The test data.
    pub test: FoldSide,
    /// The counts of its examples.
    pub counts: FoldCounts,
}

/// The counts of one side of a fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SideCounts {
    /// Positives.
    pub positives: usize,
    /// Positives of the form (a,a).
    pub reflexive_positives: usize,
    /// Positives whose second argument is later than the first, if there are times.
    pub positives_to_the_future: usize,
    /// Listed negatives.
    pub listed: usize,
    /// Negatives drawn under the closed-world assumption.
    pub drawn: usize,
    /// Missing negatives, because no more can be drawn.
    pub lacking: usize,
}

impl SideCounts {
    /// Returns the number of negatives.
    pub fn negatives(&self) -> usize {
        self.listed + self.drawn
    }

    /// Returns the fraction of drawn negatives, or 0 without negatives.
    pub fn drawn_share(&self) -> f64 {
        if self.negatives() == 0 { 0.0 } else { self.drawn as f64 / self.negatives() as f64 }
    }

    fn add(&mut self, other: &SideCounts) {
        self.positives += other.positives;
        self.reflexive_positives += other.reflexive_positives;
        self.positives_to_the_future += other.positives_to_the_future;
        self.listed += other.listed;
        self.drawn += other.drawn;
        self.lacking += other.lacking;
    }
}

/// The counts of a fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoldCounts {
    /// The counts of the training data.
    pub train: SideCounts,
    /// The counts of the test data.
    pub test: SideCounts,
    /// Positives in both the training and the test files, for a symmetric target in any order.
    pub shared_positives: usize,
    /// Shared positives dropped from the training examples.
    pub dropped_shared: usize,
    /// Negatives in both sides.
    pub shared_negatives: usize,
    /// Listed negatives that were dropped because they are positives of another fold.
    pub contradicted: usize,
}

/// Known positives, with the database of their constants if it is not that of the facts.
#[derive(Clone, Copy)]
struct KnownPositives<'a> {
    positives: &'a [Example],
    from: Option<&'a Database>,
}

/// Examples that stay together, with their negatives.
#[derive(Clone, Debug, Default)]
struct ExampleGroup {
    positives: Vec<Example>,
    negatives: Vec<Example>,
    counts: SideCounts,
}

impl Benchmark {
    /// Returns the number of folds of a split.
    ///
    /// # Errors
    /// If the requested number is impossible.
    pub fn fold_count(&self, split: &SplitOptions) -> Result<usize, BenchmarkError> {
        let invalid = |count, reason: String| Err(BenchmarkError::FoldCount { id: self.id.clone(), count, reason });
        match &self.pools {
            Pools::Given(folds) => match split.folds {
                Some(count) if count != folds.len() => {
                    let given = counted(folds.len(), "given fold");
                    invalid(count, format!("the data have {given}; omit the number, or write {}", folds.len()))
                }
                _ => Ok(folds.len()),
            },
            Pools::Pooled(pool) => {
                let count = split.folds.unwrap_or(self.traits.default_count);
                let groups = count + usize::from(self.folds == FoldScheme::ByTime);
                if count == 0 || (count == 1 && self.folds == FoldScheme::Random) {
                    return invalid(count, "at least 2 are needed to train on one and test on the other".to_owned());
                }
                if groups > pool.positives.len() {
                    return invalid(count, format!("there are only {} positives", pool.positives.len()));
                }
                Ok(count)
            }
        }
    }

    /// Returns a fold of a split, from 0. The same dataset, split and index give the same examples.
    ///
    /// # Errors
    /// If the fold does not exist or the split is impossible.
    pub fn fold(&self, index: usize, split: &SplitOptions) -> Result<Fold, BenchmarkError> {
        let count = self.checked_count(split)?;
        if index >= count {
            return Err(BenchmarkError::NoSuchFold { id: self.id.clone(), index, count });
        }
        match &self.pools {
            Pools::Pooled(pool) => self.pooled_fold(pool, index, count, split),
            Pools::Given(folds) => self.given_fold(&folds[index], index, split),
        }
    }

    /// Returns the counts of every fold of a split, without building the databases.
    ///
    /// # Errors
    /// If the split is impossible.
    pub fn counts(&self, split: &SplitOptions) -> Result<Vec<FoldCounts>, BenchmarkError> {
        let count = self.checked_count(split)?;
        match &self.pools {
            Pools::Pooled(pool) => {
                let groups = self.groups(pool, count, split)?;
                Ok((0..count).map(|index| self.choose(groups.clone(), index).2).collect())
            }
            Pools::Given(folds) => {
                let (plain, folds) = (SplitOptions { recursive: false, ..*split }, folds.iter().enumerate());
                folds.map(|(i, fold)| Ok(self.given_fold(fold, i, &plain)?.counts)).collect()
            }
        }
    }

    /// Returns the source of negatives. Unless it is chosen, a directory that lists the requested
    /// number of negatives per positive has no others.
    pub fn negative_scheme(&self, split: &SplitOptions) -> NegativeScheme {
        self.negatives.unwrap_or_else(|| {
            let (positives, listed) = self.pools.iter().fold((0, 0), |(positives, listed), pool| {
                (positives + pool.positives.len(), listed + pool.listed.len())
            });
            match listed as f64 >= split.negatives_per_positive * positives as f64 {
                true => NegativeScheme::Listed,
                false => NegativeScheme::ListedThenClosedWorld,
            }
        })
    }

    /// Returns a warning if negatives of a directory are drawn. For other data, the manifest or the
    /// domain says so.
    ///
    /// # Errors
    /// If the split is impossible.
    pub fn drawn_negatives(&self, split: &SplitOptions) -> Result<Option<Diagnostic>, BenchmarkError> {
        if self.files().is_empty() || self.manifest.is_some() {
            return Ok(None);
        }
        let mut all = SideCounts::default();
        for FoldCounts { train, test, .. } in self.counts(split)? {
            all.add(&test);
            // The other folds test the training examples of pooled data.
            if let Pools::Given(_) = &self.pools {
                all.add(&train);
            }
        }
        if all.drawn == 0 {
            return Ok(None);
        }
        let SideCounts { positives, listed, drawn, .. } = all;
        let id = &self.id;
        let message = format!(
            "{id}: {drawn} of the {} negatives are drawn under the closed-world assumption; {listed} listed ones are \
             used for {positives} positives",
            listed + drawn
        );
        let help = "list more negatives, or set `negatives = \"listed\"` to draw none";
        Ok(Some(Diagnostic::warning("drawn-negatives", message, help)))
    }

    fn checked_count(&self, split: &SplitOptions) -> Result<usize, BenchmarkError> {
        if !(0.0..=10_000.0).contains(&split.negatives_per_positive) {
            return Err(BenchmarkError::Ratio(split.negatives_per_positive));
        }
        self.fold_count(split)
    }

    fn pooled_fold(
        &self,
        pool: &Pool,
        index: usize,
        count: usize,
        split: &SplitOptions,
    ) -> Result<Fold, BenchmarkError> {
        let (trained, tested, mut counts) = self.choose(self.groups(pool, count, split)?, index);
        let trained = self.reduced(trained, pool, index, split);
        counts.train = trained.counts;
        let known = KnownPositives { positives: &trained.positives, from: None };
        let known = (self.traits.target_is_evidence || split.recursive).then_some(known);
        // A known example is uninformative without its class.
        let known = known.filter(|_| pool.database.classes.is_none());
        let database = self.evidence(pool, known, split)?;
        let side = |group: ExampleGroup| FoldSide {
            database: Arc::clone(&database),
            target: pool.target,
            examples: group.into_examples(),
        };
        Ok(Fold { index, train: side(trained), test: side(tested), counts })
    }

    /// Returns the evidence of a pool with the known positives added. Labels of test examples are
    /// never added, whatever the times.
    fn evidence(
        &self,
        pool: &Pool,
        known: Option<KnownPositives<'_>>,
        split: &SplitOptions,
    ) -> Result<Arc<Database>, BenchmarkError> {
        let ignored = self.variant.time == TimeUse::Ignore;
        let mut database = match known {
            None if !ignored => return Ok(Arc::clone(&pool.database)),
            None => (*pool.database).clone(),
            Some(KnownPositives { positives, from }) => {
                let facts: Vec<&[Constant]> = positives.iter().map(|example| &*example.args).collect();
                let with = Some(AddedFacts { predicate: pool.target, facts: &facts, from });
                let changes = Changes { rules: &[], without: None, with };
                let changed = binary::rewrite(&pool.database, &changes, self.traits.time.as_ref());
                changed.map_err(|error| BenchmarkError::Rewrite { id: self.id.clone(), error })?
            }
        };
        if ignored {
            database.times = None;
        }
        if split.recursive && database.classes.is_none() {
            database.recursion = Some(Recursion {
                target: pool.target,
                symmetric: self.traits.symmetric && self.variant.mirror == Mirror::Hide,
            });
        }
        Ok(Arc::new(database))
    }

    /// Returns the training and the test group of a fold, and its counts.
    fn choose(&self, mut groups: Vec<ExampleGroup>, index: usize) -> (ExampleGroup, ExampleGroup, FoldCounts) {
        let by_time = self.folds == FoldScheme::ByTime;
        let test = index + usize::from(by_time);
        let tested = std::mem::take(&mut groups[test]);
        // Training on later examples than those of the test would use the future.
        if by_time {
            groups.truncate(test);
        }
        let (trained, mut counts) = self.merge(groups, &tested);
        counts.test = tested.counts;
        (trained, tested, counts)
    }

    /// Returns all groups with their negatives.
    fn groups(&self, pool: &Pool, count: usize, split: &SplitOptions) -> Result<Vec<ExampleGroup>, BenchmarkError> {
        let group_count = count + usize::from(self.folds == FoldScheme::ByTime);
        let uses_list = self.negative_scheme(split) != NegativeScheme::ClosedWorld;
        let listed: &[Example] = if uses_list { &pool.listed } else { &[] };
        let examples: Vec<Example> = pool.positives.iter().chain(listed).cloned().collect();
        let assigned = match self.folds {
            FoldScheme::ByTime => {
                let time = |example: &Example| pool.database.limit(pool.target, &example.args);
                let times: Vec<f64> = examples.iter().map(|e| time(e).unwrap_or(f64::NEG_INFINITY)).collect();
                groups_by_time(&times[..pool.positives.len()], &times, group_count).ok_or_else(|| {
                    let reason = "the examples have too few different times".to_owned();
                    BenchmarkError::FoldCount { id: self.id.clone(), count, reason }
                })?
            }
            _ => random_folds(&examples, group_count, split.seed, &self.id),
        };
        let mut taken = ArgumentSet::new(self.traits.symmetric);
        examples.iter().for_each(|example| {
            taken.insert(&example.args);
        });
        let candidates = pool.candidate_constants();
        let mut groups = Vec::with_capacity(group_count);
        for number in 0..group_count as u32 {
            let of = |positive: bool| {
                let here = examples.iter().zip(&assigned).filter(move |(e, g)| **g == number && e.positive == positive);
                here.map(|(example, _)| example.clone())
            };
            let purpose = format!("fold {}", number + 1);
            groups.push(self.group(
                pool,
                of(true).collect(),
                of(false).collect(),
                &candidates,
                &mut taken,
                split,
                &purpose,
            ));
        }
        Ok(groups)
    }

    /// Returns positives with the requested number of negatives: listed ones, then drawn ones,
    /// which are added to `taken`.
    #[expect(clippy::too_many_arguments, reason = "the arguments are independent, and there are two calls")]
    fn group(
        &self,
        pool: &Pool,
        positives: Vec<Example>,
        listed: Vec<Example>,
        candidates: &[Vec<Constant>],
        taken: &mut ArgumentSet,
        split: &SplitOptions,
        purpose: &str,
    ) -> ExampleGroup {
        let mut counts = SideCounts { positives: positives.len(), ..SideCounts::default() };
        counts.reflexive_positives = positives.iter().filter(|e| is_reflexive(&e.args)).count();
        counts.positives_to_the_future = positives.iter().filter(|e| points_to_the_future(pool, e)).count();
        // If the target has classes, all its examples are positive.
        if pool.database.classes.is_some() {
            return ExampleGroup { positives, negatives: Vec::new(), counts };
        }
        let needed = (split.negatives_per_positive * positives.len() as f64).round() as usize;
        let stream = |what| Stream::new(split.seed, &[&self.id, purpose, what]);
        let mut order: Vec<usize> = (0..listed.len()).collect();
        if listed.len() > needed {
            stream("listed negatives").shuffle(&mut order);
            order.truncate(needed);
            order.sort_unstable();
        }
        let mut negatives: Vec<Example> = order.into_iter().map(|i| listed[i].clone()).collect();
        counts.listed = negatives.len();
        if self.negative_scheme(split) == NegativeScheme::Listed {
            return ExampleGroup { positives, negatives, counts };
        }
        if negatives.len() < needed {
            let reflexive = self.traits.reflexive_negatives && counts.reflexive_positives > 0;
            let mut candidates = candidates.to_vec();
            if let (true, Some(last)) = (self.traits.last_from_positives, candidates.last_mut()) {
                last.clear();
                last.extend(positives.iter().filter_map(|example| example.args.last()));
                last.sort_unstable();
                last.dedup();
            }
            let references: Vec<&Example> = positives.iter().collect();
            let sampler = NegativeSampler::new(&pool.database, pool.target, &references, candidates, reflexive);
            let drawn = sampler.draw(needed - negatives.len(), taken, &mut stream("drawn negatives"));
            counts.drawn = drawn.len();
            negatives.extend(drawn.into_iter().map(|args| Example {
                args,
                positive: false,
                class: 0,
                weight: 1.0,
                line: 0,
            }));
        }
        counts.lacking = needed - negatives.len();
        ExampleGroup { positives, negatives, counts }
    }

    /// Keeps the fraction of the training examples that a split asks for, at least one of each
    /// label: the first of a seeded order, so that smaller fractions are nested in larger ones.
    fn reduced(&self, group: ExampleGroup, pool: &Pool, index: usize, split: &SplitOptions) -> ExampleGroup {
        if split.train_fraction >= 1.0 {
            return group;
        }
        let purpose = format!("fold {}", index + 1);
        let kept = |examples: Vec<Example>, label: &str| {
            let classes = examples.iter().map(|example| example.class + 1).max().unwrap_or(0);
            let mut kept: Vec<usize> = Vec::new();
            for class in 0..classes {
                let mut own: Vec<usize> = (0..examples.len()).filter(|&i| examples[i].class == class).collect();
                let stratum = [&*self.id, &purpose, "training fraction", label, &class.to_string()];
                Stream::new(split.seed, &stratum).shuffle(&mut own);
                own.truncate((split.train_fraction * own.len() as f64).ceil() as usize);
                kept.append(&mut own);
            }
            kept.sort_unstable();
            kept.into_iter().map(|i| examples[i].clone()).collect::<Vec<Example>>()
        };
        let mut listed = ArgumentSet::new(false);
        pool.listed.iter().for_each(|example| {
            listed.insert(&example.args);
        });
        let (positives, negatives) = (kept(group.positives, "positives"), kept(group.negatives, "negatives"));
        let listed = negatives.iter().filter(|example| listed.contains(&example.args)).count();
        let counts = SideCounts {
            positives: positives.len(),
            reflexive_positives: positives.iter().filter(|example| is_reflexive(&example.args)).count(),
            positives_to_the_future: positives.iter().filter(|example| points_to_the_future(pool, example)).count(),
            listed,
            drawn: negatives.len() - listed,
            ..group.counts
        };
        ExampleGroup { positives, negatives, counts }
    }

    /// Merges the training groups, without positives shared with the test if the variant drops
    /// them.
    fn merge(&self, groups: Vec<ExampleGroup>, tested: &ExampleGroup) -> (ExampleGroup, FoldCounts) {
        let mut counts = FoldCounts::default();
        let mut merged = ExampleGroup::default();
        let mut test_positives = ArgumentSet::new(self.traits.symmetric);
        tested.positives.iter().for_each(|example| {
            test_positives.insert(&example.args);
        });
        for mut group in groups {
            let before = group.positives.len();
            let shared = group.positives.iter().filter(|example| test_positives.contains(&example.args)).count();
            counts.shared_positives += shared;
            if self.variant.drop_shared && shared > 0 {
                group.positives.retain(|example| !test_positives.contains(&example.args));
                counts.dropped_shared += before - group.positives.len();
                group.counts.positives = group.positives.len();
            }
            counts.train.add(&group.counts);
            merged.positives.append(&mut group.positives);
            merged.negatives.append(&mut group.negatives);
        }
        merged.counts = counts.train;
        (merged, counts)
    }

    fn given_fold(
        &self,
        [train, test]: &[Pool; 2],
        index: usize,
        split: &SplitOptions,
    ) -> Result<Fold, BenchmarkError> {
        let mut counts = FoldCounts::default();
        let symmetric = self.traits.symmetric;
        // The test first: its examples are then excluded from the negatives drawn for training.
        let tested = self.given_group(test, test.positives.clone(), &[], split, index, &mut counts, "test");
        let mut test_positives = ArgumentSet::new(symmetric);
        let mut translation = Translation::new(&test.database, &train.database);
        for args in test.positives.iter().filter_map(|example| translation.args(&example.args)) {
            test_positives.insert(&args);
        }
        let mut positives = train.positives.clone();
        counts.shared_positives = positives.iter().filter(|example| test_positives.contains(&example.args)).count();
        if self.variant.drop_shared {
            positives.retain(|example| !test_positives.contains(&example.args));
            counts.dropped_shared = counts.shared_positives;
        }
        let test_negatives: Vec<Box<[Constant]>> =
            tested.negatives.iter().filter_map(|example| translation.args(&example.args)).collect();
        let trained = self.given_group(train, positives, &test_negatives, split, index, &mut counts, "train");
        let trained = self.reduced(trained, train, index, split);
        let mut in_test = ArgumentSet::new(false);
        test_negatives.iter().for_each(|args| {
            in_test.insert(args);
        });
        counts.shared_negatives = trained.negatives.iter().filter(|e| in_test.contains(&e.args)).count();
        (counts.train, counts.test) = (trained.counts, tested.counts);
        let is_recursive = split.recursive && train.database.classes.is_none();
        let known = |from| is_recursive.then_some(KnownPositives { positives: &trained.positives, from });
        let train_evidence = self.evidence(train, known(None), split)?;
        let test_evidence = self.evidence(test, known(Some(&train.database)), split)?;
        let side = |database, pool: &Pool, group: ExampleGroup| FoldSide {
            database,
            target: pool.target,
            examples: group.into_examples(),
        };
        Ok(Fold { index, train: side(train_evidence, train, trained), test: side(test_evidence, test, tested), counts })
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments are independent, and there are two calls")]
    fn given_group(
        &self,
        pool: &Pool,
        positives: Vec<Example>,
        excluded: &[Box<[Constant]>],
        split: &SplitOptions,
        index: usize,
        counts: &mut FoldCounts,
        side: &str,
    ) -> ExampleGroup {
        // The positives of every fold whose constants occur in this pool.
        let mut taken = ArgumentSet::new(self.traits.symmetric);
        for other in self.pools.iter() {
            let mut translation = Translation::new(&other.database, &pool.database);
            for args in other.positives.iter().filter_map(|example| translation.args(&example.args)) {
                taken.insert(&args);
            }
        }
        let uses_list = self.negative_scheme(split) != NegativeScheme::ClosedWorld;
        let listed: &[Example] = if uses_list { &pool.listed } else { &[] };
        let consistent: Vec<Example> =
            listed.iter().filter(|example| !taken.contains(&example.args)).cloned().collect();
        counts.contradicted += listed.len() - consistent.len();
        for args in consistent.iter().map(|example| &example.args).chain(excluded) {
            taken.insert(args);
        }
        let purpose = format!("fold {} {side}", index + 1);
        self.group(pool, positives, consistent, &pool.candidate_constants(), &mut taken, split, &purpose)
    }
}

impl ExampleGroup {
    fn into_examples(self) -> Vec<Example> {
        let ExampleGroup { mut positives, mut negatives, .. } = self;
        positives.append(&mut negatives);
        positives
    }
}

/// Returns whether the second argument of an example is later than the first.
fn points_to_the_future(pool: &Pool, example: &Example) -> bool {
    let Some(times) = &pool.database.times else { return false };
    let [a, b] = &*example.args else { return false };
    let time = |position, constant: &Constant| times.of_argument(pool.target, position, *constant);
    matches!((time(0, a), time(1, b)), (Some(first), Some(second)) if second > first)
}

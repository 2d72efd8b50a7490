//! From a dataset to the examples of one fold: which are trained on, which are tested, which negatives stand beside them.
//!
//! Data that come in one piece are parted into groups, at random or by time, and each group gets its own negatives, so that
//! no example is in two groups. At random, a fold tests one group and trains on all others. By time, a fold tests
//! one group and trains on those before it; the oldest group is only trained on. Data that come in folds stay in them.

use std::sync::Arc;

use serde::Serialize;

use super::binary::{self, Added, Changes, Translation};
use super::dataset::{Dataset, DatasetError, Pool, Pools, TimeUse};
use super::folds::{groups_by_time, random_folds};
use super::manifest::{FoldScheme, NegativeScheme};
use super::negatives::{ArgumentSet, World, is_reflexive};
use crate::determinism::Stream;
use crate::kb::{Database, Example, Recursion};
use crate::logic::{Constant, PredicateId};

/// How to split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Into how many folds; `None` for as many as the dataset has.
    pub folds: Option<usize>,
    /// How many negatives stand beside each positive.
    pub negatives_per_positive: f64,
    /// Where the random draws start.
    pub seed: u64,
    /// Whether the positives that are trained on are evidence for other examples, of the training and of the test.
    pub recursive: bool,
}

impl Split {
    /// The folds of the dataset, with two negatives for each positive, as in the paper.
    pub fn new(seed: u64) -> Split {
        Split { folds: None, negatives_per_positive: 2.0, seed, recursive: false }
    }
}

/// Examples with the facts to judge them by.
#[derive(Clone, Debug)]
pub struct Part {
    /// The facts; shared between all parts and folds that have the same.
    pub database: Arc<Database>,
    /// The predicate to learn.
    pub target: PredicateId,
    /// Positives, then listed negatives, then drawn ones.
    pub examples: Vec<Example>,
}

/// One fold.
#[derive(Clone, Debug)]
pub struct Fold {
    /// Which, from 0.
    pub index: usize,
    /// What is learned from.
    pub train: Part,
    /// What is tested.
    pub test: Part,
    /// What was counted.
    pub counts: FoldCounts,
}

/// The counts of one part of a fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PartCounts {
    /// Positives.
    pub positives: usize,
    /// Those of the form (a,a).
    pub reflexive_positives: usize,
    /// Those whose second argument is after the first, where there are times.
    pub positives_to_the_future: usize,
    /// Negatives that were listed.
    pub listed: usize,
    /// Negatives that were drawn from the closed world.
    pub drawn: usize,
    /// Negatives that are lacking, since there are no more.
    pub lacking: usize,
}

impl PartCounts {
    /// Negatives in all.
    pub fn negatives(&self) -> usize {
        self.listed + self.drawn
    }

    /// The share of drawn ones among the negatives; 0 if there are none.
    pub fn drawn_share(&self) -> f64 {
        if self.negatives() == 0 { 0.0 } else { self.drawn as f64 / self.negatives() as f64 }
    }

    fn add(&mut self, other: &PartCounts) {
        self.positives += other.positives;
        self.reflexive_positives += other.reflexive_positives;
        self.positives_to_the_future += other.positives_to_the_future;
        self.listed += other.listed;
        self.drawn += other.drawn;
        self.lacking += other.lacking;
    }
}

/// The counts of one fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoldCounts {
    /// What is learned from.
    pub train: PartCounts,
    /// What is tested.
    pub test: PartCounts,
    /// Positives of the files that are in both; of a symmetric target in any order.
    pub shared_positives: usize,
    /// How many of them were dropped from the training examples.
    pub dropped_shared: usize,
    /// Negatives that are in both.
    pub shared_negatives: usize,
    /// Listed negatives that were left out because another fold has them as positives.
    pub contradicted: usize,
}

/// Positives that are known, with whose constants they are written if not with those of the facts.
#[derive(Clone, Copy)]
struct Known<'a> {
    positives: &'a [Example],
    from: Option<&'a Database>,
}

/// Examples that stay together, with their negatives.
#[derive(Clone, Debug, Default)]
struct Group {
    positives: Vec<Example>,
    negatives: Vec<Example>,
    counts: PartCounts,
}

impl Dataset {
    /// How many folds a split has.
    ///
    /// # Errors
    /// If the split asks for a number that cannot be had.
    pub fn fold_count(&self, split: &Split) -> Result<usize, DatasetError> {
        let wrong = |count, reason: String| Err(DatasetError::FoldCount { id: self.id.clone(), count, reason });
        match &self.rooms {
            Pools::Given(folds) => match split.folds {
                Some(count) if count != folds.len() => {
                    wrong(count, format!("{} are given; leave the number out", folds.len()))
                }
                _ => Ok(folds.len()),
            },
            Pools::Pooled(room) => {
                let count = split.folds.unwrap_or(self.traits.default_count);
                let parts = count + usize::from(self.folds == FoldScheme::ByTime);
                if count == 0 || (count == 1 && self.folds == FoldScheme::Random) {
                    return wrong(count, "at least 2 are needed to train on one and test on the other".to_owned());
                }
                if parts > room.positives.len() {
                    return wrong(count, format!("there are only {} positives", room.positives.len()));
                }
                Ok(count)
            }
        }
    }

    /// One fold of a split, from 0. The same dataset, split and index give the same examples, to the last bit.
    ///
    /// # Errors
    /// If there is no such fold or the split cannot be made.
    pub fn fold(&self, index: usize, split: &Split) -> Result<Fold, DatasetError> {
        let count = self.checked_count(split)?;
        if index >= count {
            return Err(DatasetError::NoSuchFold { id: self.id.clone(), index, count });
        }
        match &self.rooms {
            Pools::Pooled(room) => self.pooled_fold(room, index, count, split),
            Pools::Given(folds) => self.given_fold(&folds[index], index, split),
        }
    }

    /// The counts of every fold of a split, without making the databases.
    ///
    /// # Errors
    /// If the split cannot be made.
    pub fn counts(&self, split: &Split) -> Result<Vec<FoldCounts>, DatasetError> {
        let count = self.checked_count(split)?;
        match &self.rooms {
            Pools::Pooled(room) => {
                let groups = self.groups(room, count, split)?;
                Ok((0..count).map(|index| self.choose(groups.clone(), index).2).collect())
            }
            Pools::Given(folds) => {
                let (plain, folds) = (Split { recursive: false, ..*split }, folds.iter().enumerate());
                folds.map(|(i, fold)| Ok(self.given_fold(fold, i, &plain)?.counts)).collect()
            }
        }
    }

    fn checked_count(&self, split: &Split) -> Result<usize, DatasetError> {
        if !(0.0..=10_000.0).contains(&split.negatives_per_positive) {
            return Err(DatasetError::Ratio(split.negatives_per_positive));
        }
        self.fold_count(split)
    }

    fn pooled_fold(&self, room: &Pool, index: usize, count: usize, split: &Split) -> Result<Fold, DatasetError> {
        let (trained, tested, counts) = self.choose(self.groups(room, count, split)?, index);
        let known = Known { positives: &trained.positives, from: None };
        let known = (self.traits.target_is_evidence || split.recursive).then_some(known);
        // A known example says nothing without its class.
        let known = known.filter(|_| room.database.classes.is_none());
        let database = self.evidence(room, known, split)?;
        let part = |group: Group| Part { database: Arc::clone(&database), target: room.target, examples: group.all() };
        Ok(Fold { index, train: part(trained), test: part(tested), counts })
    }

    /// The facts that examples are judged by: those of a room, with the answers that are known. Answers of the test never are,
    /// whatever the times say.
    fn evidence(&self, room: &Pool, known: Option<Known<'_>>, split: &Split) -> Result<Arc<Database>, DatasetError> {
        let ignored = self.variant.time == TimeUse::Ignore;
        let mut database = match known {
            None if !ignored => return Ok(Arc::clone(&room.database)),
            None => (*room.database).clone(),
            Some(Known { positives, from }) => {
                let facts: Vec<&[Constant]> = positives.iter().map(|example| &*example.args).collect();
                let with = Some(Added { predicate: room.target, facts: &facts, from });
                let changes = Changes { rules: &[], without: None, with };
                let changed = binary::rewrite(&room.database, &changes, self.traits.time.as_ref());
                changed.map_err(|error| DatasetError::Rewrite { id: self.id.clone(), error })?
            }
        };
        if ignored {
            database.times = None;
        }
        if split.recursive && database.classes.is_none() {
            database.recursion = Some(Recursion { target: room.target, symmetric: self.traits.symmetric });
        }
        Ok(Arc::new(database))
    }

    /// What a fold trains on and what it tests.
    fn choose(&self, mut groups: Vec<Group>, index: usize) -> (Group, Group, FoldCounts) {
        let by_time = self.folds == FoldScheme::ByTime;
        let test = index + usize::from(by_time);
        let tested = std::mem::take(&mut groups[test]);
        // Training on what comes after the test would be to know the future.
        if by_time {
            groups.truncate(test);
        }
        let (trained, mut counts) = self.merge(groups, &tested);
        counts.test = tested.counts;
        (trained, tested, counts)
    }

    /// All groups with their negatives.
    fn groups(&self, room: &Pool, count: usize, split: &Split) -> Result<Vec<Group>, DatasetError> {
        let parts = count + usize::from(self.folds == FoldScheme::ByTime);
        let uses_list = self.negatives == NegativeScheme::ListedThenClosedWorld;
        let listed: &[Example] = if uses_list { &room.listed } else { &[] };
        let examples: Vec<Example> = room.positives.iter().chain(listed).cloned().collect();
        let assigned = match self.folds {
            FoldScheme::ByTime => {
                let time = |example: &Example| room.database.limit(room.target, &example.args);
                let times: Vec<f64> = examples.iter().map(|e| time(e).unwrap_or(f64::NEG_INFINITY)).collect();
                groups_by_time(&times[..room.positives.len()], &times, parts).ok_or_else(|| {
                    let reason = "the examples have too few different times".to_owned();
                    DatasetError::FoldCount { id: self.id.clone(), count, reason }
                })?
            }
            _ => random_folds(&examples, parts, split.seed, &self.id),
        };
        let mut taken = ArgumentSet::new(self.traits.symmetric);
        examples.iter().for_each(|example| {
            taken.insert(&example.args);
        });
        let pools = room.pools();
        let mut groups = Vec::with_capacity(parts);
        for part in 0..parts as u32 {
            let of = |positive: bool| {
                let here = examples.iter().zip(&assigned).filter(move |(e, g)| **g == part && e.positive == positive);
                here.map(|(example, _)| example.clone())
            };
            let purpose = format!("fold {}", part + 1);
            groups.push(self.group(room, of(true).collect(), of(false).collect(), &pools, &mut taken, split, &purpose));
        }
        Ok(groups)
    }

    /// Positives with as many negatives as the split asks for: listed ones, then drawn ones, which join `taken`.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and this is called twice")]
    fn group(
        &self,
        room: &Pool,
        positives: Vec<Example>,
        listed: Vec<Example>,
        pools: &[Vec<Constant>],
        taken: &mut ArgumentSet,
        split: &Split,
        purpose: &str,
    ) -> Group {
        let mut counts = PartCounts { positives: positives.len(), ..PartCounts::default() };
        counts.reflexive_positives = positives.iter().filter(|e| is_reflexive(&e.args)).count();
        counts.positives_to_the_future = positives.iter().filter(|e| points_to_the_future(room, e)).count();
        // A target with classes has all its examples among the positives.
        if room.database.classes.is_some() {
            return Group { positives, negatives: Vec::new(), counts };
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
        if negatives.len() < needed {
            let reflexive = self.traits.reflexive_negatives && counts.reflexive_positives > 0;
            let mut pools = pools.to_vec();
            if let (true, Some(last)) = (self.traits.asked_about, pools.last_mut()) {
                last.clear();
                last.extend(positives.iter().filter_map(|example| example.args.last()));
                last.sort_unstable();
                last.dedup();
            }
            let first: Vec<&Example> = positives.iter().collect();
            let world = World::new(&room.database, room.target, &first, pools, reflexive);
            let drawn = world.draw(needed - negatives.len(), taken, &mut stream("drawn negatives"));
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
        Group { positives, negatives, counts }
    }

    /// The groups to train on as one, without what the test shares if that is asked for.
    fn merge(&self, groups: Vec<Group>, tested: &Group) -> (Group, FoldCounts) {
        let mut counts = FoldCounts::default();
        let mut whole = Group::default();
        let mut asked = ArgumentSet::new(self.traits.symmetric);
        tested.positives.iter().for_each(|example| {
            asked.insert(&example.args);
        });
        for mut group in groups {
            let before = group.positives.len();
            let shared = group.positives.iter().filter(|example| asked.contains(&example.args)).count();
            counts.shared_positives += shared;
            if self.variant.drop_shared && shared > 0 {
                group.positives.retain(|example| !asked.contains(&example.args));
                counts.dropped_shared += before - group.positives.len();
                group.counts.positives = group.positives.len();
            }
            counts.train.add(&group.counts);
            whole.positives.append(&mut group.positives);
            whole.negatives.append(&mut group.negatives);
        }
        whole.counts = counts.train;
        (whole, counts)
    }

    fn given_fold(&self, [train, test]: &[Pool; 2], index: usize, split: &Split) -> Result<Fold, DatasetError> {
        let mut counts = FoldCounts::default();
        let symmetric = self.traits.symmetric;
        // The test first: what it asks is then refused to the draws of the training.
        let tested = self.given_group(test, test.positives.clone(), &[], split, index, &mut counts, "test");
        let mut asked = ArgumentSet::new(symmetric);
        let mut translation = Translation::new(&test.database, &train.database);
        for args in test.positives.iter().filter_map(|example| translation.args(&example.args)) {
            asked.insert(&args);
        }
        let mut positives = train.positives.clone();
        counts.shared_positives = positives.iter().filter(|example| asked.contains(&example.args)).count();
        if self.variant.drop_shared {
            positives.retain(|example| !asked.contains(&example.args));
            counts.dropped_shared = counts.shared_positives;
        }
        let questions: Vec<Box<[Constant]>> =
            tested.negatives.iter().filter_map(|example| translation.args(&example.args)).collect();
        let trained = self.given_group(train, positives, &questions, split, index, &mut counts, "train");
        let mut tested_negatives = ArgumentSet::new(false);
        questions.iter().for_each(|args| {
            tested_negatives.insert(args);
        });
        counts.shared_negatives = trained.negatives.iter().filter(|e| tested_negatives.contains(&e.args)).count();
        (counts.train, counts.test) = (trained.counts, tested.counts);
        let told = split.recursive && train.database.classes.is_none();
        let known = |from| told.then_some(Known { positives: &trained.positives, from });
        let of_train = self.evidence(train, known(None), split)?;
        let of_test = self.evidence(test, known(Some(&train.database)), split)?;
        let part = |database, room: &Pool, group: Group| Part { database, target: room.target, examples: group.all() };
        Ok(Fold { index, train: part(of_train, train, trained), test: part(of_test, test, tested), counts })
    }

    #[expect(clippy::too_many_arguments, reason = "each is another thing, and this is called twice")]
    fn given_group(
        &self,
        room: &Pool,
        positives: Vec<Example>,
        refused: &[Box<[Constant]>],
        split: &Split,
        index: usize,
        counts: &mut FoldCounts,
        side: &str,
    ) -> Group {
        // The positives of every fold, as far as this room knows their constants.
        let mut taken = ArgumentSet::new(self.traits.symmetric);
        for other in self.rooms.iter() {
            let mut translation = Translation::new(&other.database, &room.database);
            for args in other.positives.iter().filter_map(|example| translation.args(&example.args)) {
                taken.insert(&args);
            }
        }
        let uses_list = self.negatives == NegativeScheme::ListedThenClosedWorld;
        let listed: &[Example] = if uses_list { &room.listed } else { &[] };
        let sound: Vec<Example> = listed.iter().filter(|example| !taken.contains(&example.args)).cloned().collect();
        counts.contradicted += listed.len() - sound.len();
        for args in sound.iter().map(|example| &example.args).chain(refused) {
            taken.insert(args);
        }
        let purpose = format!("fold {} {side}", index + 1);
        self.group(room, positives, sound, &room.pools(), &mut taken, split, &purpose)
    }
}

impl Group {
    fn all(self) -> Vec<Example> {
        let Group { mut positives, mut negatives, .. } = self;
        positives.append(&mut negatives);
        positives
    }
}

/// Whether the second argument of an example is after the first.
fn points_to_the_future(room: &Pool, example: &Example) -> bool {
    let Some(times) = &room.database.times else { return false };
    let [a, b] = &*example.args else { return false };
    let time = |position, constant: &Constant| times.of_argument(room.target, position, *constant);
    matches!((time(0, a), time(1, b)), (Some(first), Some(second)) if second > first)
}

//! Counts the groundings of walks between the arguments of examples.
//!
//! Walks are counted by dynamic programming: the number of paths to each constant is propagated
//! step by step. A walk of `n` steps is split in the middle; both halves are counted and joined by
//! a dot product. Common prefixes and suffixes of walks are counted once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::walk::{Direction, Step};
use crate::cancel;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example, Index, PositionTimes, Relation};
use crate::logic::{Constant, PredicateId};
use crate::parallel;

/// Number of paths to each constant, by ascending id.
type PathCounts = Vec<(u32, f64)>;

/// Sparse row of an example: the walks between its arguments, by index, with their counts or
/// inputs.
pub type SparseRow = Vec<(u32, f64)>;

/// Maximum count: squares of it stay finite after scaling and weighting.
const MAX_COUNT: f64 = 1e60;

/// Counts a set of walks over a database.
pub struct Counter<'a> {
    database: &'a Database,
    target: PredicateId,
    forward: Prefixes<'a>,
    backward: Prefixes<'a>,
    /// Maximum number of cached path counts per side; it does not change the result.
    max_cached: usize,
    /// For each walk the prefix indices of its halves; `None` for a walk with an unknown predicate.
    halves: Vec<Option<(usize, usize)>>,
}

/// A step over a database.
struct BoundStep<'a> {
    table: StepTable<'a>,
    /// The times of the constants that the step leaves, and of those it leads to.
    times: [Option<PositionTimes<'a>>; 2],
}

/// Adjacency of a step.
enum StepTable<'a> {
    Index(&'a Index),
    /// Sorted pairs, where no index starts with the argument.
    Pairs(Vec<(u32, u32)>),
    /// Facts of a unary predicate.
    Property(&'a Relation),
}

/// Prefix tree of step sequences, shorter prefixes first; the first is the empty one.
#[derive(Default)]
struct Prefixes<'a> {
    /// Parent prefix and last step.
    all: IndexSet<(usize, Step)>,
    /// Parent prefix and last step of each, which is one of `steps`.
    bound: Vec<(usize, usize)>,
    steps: Vec<BoundStep<'a>>,
}

impl<'a> Prefixes<'a> {
    /// Inserts the prefixes of a sequence; returns the index of the longest, 0 for the empty one.
    fn insert(&mut self, steps: impl Iterator<Item = Step>) -> usize {
        steps.fold(0, |parent, step| self.all.insert_full((parent, step)).0 + 1)
    }

    /// Looks the steps up in a database.
    fn bind(&mut self, database: &'a Database) {
        let mut numbers: HashMap<Step, usize> = HashMap::default();
        for &(parent, step) in &self.all {
            let number = *numbers.entry(step).or_insert(self.steps.len());
            if number == self.steps.len() {
                self.steps.push(BoundStep::new(database, step));
            }
            self.bound.push((parent, number));
        }
    }
}

impl<'a> Counter<'a> {
    /// Creates a counter; `None` represents a walk with a predicate that the database does not
    /// have. About `memory_bytes` are used to cache counts shared by examples, which does not
    /// change the result.
    pub fn new(database: &'a Database, target: PredicateId, walks: &[Option<Vec<Step>>], memory_bytes: usize) -> Self {
        let (mut forward, mut backward) = (Prefixes::default(), Prefixes::default());
        let halve = |walk: &Option<Vec<Step>>| {
            let walk = walk.as_ref()?;
            let (first, second) = walk.split_at(walk.len().div_ceil(2));
            let first = forward.insert(first.iter().copied());
            Some((first, backward.insert(second.iter().rev().map(|step| step.reversed()))))
        };
        let halves = walks.iter().map(halve).collect();
        forward.bind(database);
        backward.bind(database);
        // One half of the memory per side.
        let max_cached = memory_bytes / 2 / size_of::<(u32, f64)>();
        Counter { database, target, forward, backward, max_cached, halves }
    }

    /// Returns the counts of each example, which must have two arguments.
    pub fn count(&self, examples: &[Example]) -> Vec<SparseRow> {
        let limit = |example: &Example| self.database.limit(self.target, &example.args);
        // Constants with the same time limit share their path counts.
        let mut ends: [IndexSet<(Constant, Option<u64>)>; 2] = Default::default();
        let mut number = |side: usize, example: &Example| {
            ends[side].insert_full((example.args[side], limit(example).map(f64::to_bits))).0
        };
        let numbers: Vec<(usize, usize)> = examples.iter().map(|e| (number(0, e), number(1, e))).collect();
        let known: [Vec<OnceLock<Vec<PathCounts>>>; 2] =
            [0, 1].map(|side: usize| (0..ends[side].len()).map(|_| OnceLock::new()).collect());
        let cached = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let with_paths = |side: usize, number: usize, example: &Example, f: &mut dyn FnMut(&[PathCounts])| {
            let prefixes = [&self.forward, &self.backward][side];
            if let Some(paths) = known[side][number].get() {
                return f(paths);
            }
            let paths = self.paths(example.args[side], prefixes, limit(example));
            let size = paths.iter().map(|paths| paths.len() + 2).sum();
            if cached[side].fetch_add(size, Ordering::Relaxed) < self.max_cached {
                f(known[side][number].get_or_init(|| paths));
            } else {
                f(&paths);
            }
        };
        let count = |(example, &(first, second)): (&Example, &(usize, usize))| {
            let mut counts = Vec::new();
            with_paths(0, first, example, &mut |from| {
                with_paths(1, second, example, &mut |to| {
                    for (walk, &(a, b)) in
                        self.halves.iter().enumerate().filter_map(|(k, part)| Some((k, part.as_ref()?)))
                    {
                        let paths = product(&from[a], &to[b]);
                        if paths > 0.0 {
                            counts.push((walk as u32, paths));
                        }
                    }
                });
            });
            counts
        };
        parallel::collected(examples.par_iter().zip(&numbers).map(count))
    }

    /// Returns the path counts along each prefix.
    fn paths(&self, start: Constant, prefixes: &Prefixes<'_>, limit: Option<f64>) -> Vec<PathCounts> {
        let mut all: Vec<PathCounts> = Vec::with_capacity(prefixes.bound.len() + 1);
        all.push(vec![(start.id(), 1.0)]);
        let mut packed = Vec::new();
        for &(parent, step) in &prefixes.bound {
            cancel::poll();
            let paths = prefixes.steps[step].advance(&all[parent], limit, &mut packed);
            all.push(paths);
        }
        all
    }
}

/// Sums of fewer paths than this are exact in any order.
const EXACT: f64 = (1u64 << 53) as f64;

impl<'a> BoundStep<'a> {
    fn new(database: &'a Database, step: Step) -> Self {
        let at = |position| database.times.as_ref()?.at_position(step.predicate, position);
        let times = match step.direction {
            Direction::Forward => [at(0), at(1)],
            Direction::Backward => [at(1), at(0)],
            Direction::Stay => [at(0), None],
        };
        BoundStep { table: StepTable::new(database, step), times }
    }

    /// Returns the path counts after the step; `packed` is working memory.
    fn advance(&self, from: &PathCounts, limit: Option<f64>, packed: &mut Vec<u64>) -> PathCounts {
        let [near, far] = self.times.map(|times| times.zip(limit));
        let hides = |times: Option<(PositionTimes<'_>, f64)>, id: u32| {
            times.is_some_and(|(times, limit)| times.hides(Constant::from_id(id), limit))
        };
        let mut found: PathCounts = Vec::new();
        let (mut total, mut largest) = (0.0, 0.0f64);
        for &(here, paths) in from.iter().filter(|&&(here, _)| !hides(near, here)) {
            let before = found.len();
            self.table.for_each(here, |there| {
                if !hides(far, there) {
                    found.push((there, paths));
                }
            });
            total += paths * (found.len() - before) as f64;
            largest = largest.max(paths);
        }
        // A run of a table is sorted and has no duplicates.
        if let [_] = from[..] {
            return found;
        }
        if total < EXACT && largest <= f64::from(u32::MAX) {
            packed.clear();
            packed.extend(found.iter().map(|&(id, paths)| u64::from(id) << 32 | paths as u64));
            packed.sort_unstable();
            found.clear();
            for &entry in &*packed {
                let (id, paths) = ((entry >> 32) as u32, f64::from(entry as u32));
                match found.last_mut() {
                    Some((last, sum)) if *last == id => *sum += paths,
                    _ => found.push((id, paths)),
                }
            }
            return found;
        }
        found.sort_unstable_by_key(|&(id, _)| id);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        found
    }
}

impl<'a> StepTable<'a> {
    fn new(database: &'a Database, step: Step) -> Self {
        let relation = database.facts.relation(step.predicate);
        let (from, to) = match step.direction {
            Direction::Forward => (0, 1),
            Direction::Backward => (1, 0),
            Direction::Stay => return StepTable::Property(relation),
        };
        let index = relation.indexes().iter().find(|index| index.order().first() == Some(&from));
        index.map_or_else(
            || {
                let pair = |row: crate::kb::FactRow<'_>| (row.get(from as usize).id(), row.get(to).id());
                let mut pairs: Vec<(u32, u32)> = relation.iter().map(pair).collect();
                pairs.sort_unstable();
                StepTable::Pairs(pairs)
            },
            StepTable::Index,
        )
    }

    /// Calls `f` with each constant that the step leads to.
    fn for_each(&self, here: u32, mut f: impl FnMut(u32)) {
        match self {
            StepTable::Index(index) => index.column(1)[index.run(Constant::from_id(here))].iter().for_each(|&id| f(id)),
            StepTable::Pairs(pairs) => {
                let start = pairs.partition_point(|&(from, _)| from < here);
                pairs[start..].iter().take_while(|&&(from, _)| from == here).for_each(|&(_, to)| f(to));
            }
            StepTable::Property(relation) => {
                if relation.contains(&[Constant::from_id(here)]) {
                    f(here);
                }
            }
        }
    }
}

/// From this factor between their lengths on, the longer list is searched instead of read.
const SEARCHED: usize = 8;

/// Returns the dot product of the path counts of both halves.
fn product(a: &PathCounts, b: &PathCounts) -> f64 {
    let (few, mut many) = if a.len() <= b.len() { (&a[..], &b[..]) } else { (&b[..], &a[..]) };
    let is_searched = many.len() >= SEARCHED * few.len();
    let mut sum = 0.0;
    for &(id, paths) in few {
        let at = match is_searched {
            true => many.binary_search_by_key(&id, |&(other, _)| other).unwrap_or_else(|at| at),
            false => many.iter().take_while(|&&(other, _)| other < id).count(),
        };
        many = &many[at..];
        match many.first() {
            Some(&(other, other_paths)) if other == id => sum += paths * other_paths,
            Some(_) => {}
            None => break,
        }
    }
    sum.min(MAX_COUNT)
}

//! How many groundings of walks join the arguments of examples.
//!
//! A walk is never followed path by path: the number of ways to each constant is carried on from step to step. A walk of
//! `n` steps is cut in the middle, the numbers of ways from both ends are found, and their products are added up where they
//! meet. Beginnings and ends that walks share are counted once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::walk::{Step, Way};
use crate::cancel;
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example, Index, Relation};
use crate::logic::{Constant, PredicateId};

/// The number of ways to each constant, by its id, ascending.
type Ways = Vec<(u32, f64)>;

/// The counts of an example: the walks that join its arguments, by number, with how often.
pub type Counts = Vec<(u32, f64)>;

/// Counts end here: squares of such numbers are finite, also after they are divided and weighted.
const MOST_COUNTED: f64 = 1e60;

/// Walks to be counted over a database.
pub struct Counter<'a> {
    database: &'a Database,
    target: PredicateId,
    tables: HashMap<Step, Table<'a>>,
    forward: Beginnings,
    backward: Beginnings,
    /// How many numbers of ways are remembered from one example to the next, for each end. It does not change what is counted.
    most_remembered: usize,
    /// For each walk where its two parts stand; `None` for a walk that cannot be there.
    parts: Vec<Option<(usize, usize)>>,
}

/// The pairs of a binary relation, from one of its arguments.
enum Table<'a> {
    Index(&'a Index),
    /// Sorted pairs, for an argument that no index starts with.
    Pairs(Vec<(u32, u32)>),
    /// The facts of a predicate with one argument.
    Property(&'a Relation),
}

/// All beginnings of some rows of steps, each once, the shorter before the longer; the first is of no steps.
#[derive(Default)]
struct Beginnings {
    /// The beginning before, and the step behind it.
    all: IndexSet<(usize, Step)>,
}

impl Beginnings {
    /// The number of a beginning; 0 for none.
    fn insert(&mut self, steps: impl Iterator<Item = Step>) -> usize {
        steps.fold(0, |before, step| self.all.insert_full((before, step)).0 + 1)
    }
}

impl<'a> Counter<'a> {
    /// For walks over the predicates of the database; `None` stands for one with a predicate that it does not have. About
    /// `memory_bytes` are used to remember what examples share, which does not change what is counted.
    pub fn new(database: &'a Database, target: PredicateId, walks: &[Option<Vec<Step>>], memory_bytes: usize) -> Self {
        let (mut forward, mut backward) = (Beginnings::default(), Beginnings::default());
        let part = |walk: &Option<Vec<Step>>| {
            let walk = walk.as_ref()?;
            let (first, second) = walk.split_at(walk.len().div_ceil(2));
            let first = forward.insert(first.iter().copied());
            Some((first, backward.insert(second.iter().rev().map(|step| step.turned()))))
        };
        let parts = walks.iter().map(part).collect();
        let steps = forward.all.iter().chain(&backward.all).map(|&(_, step)| step);
        let mut tables = HashMap::default();
        for step in steps {
            tables.entry(step).or_insert_with(|| Table::new(database, step));
        }
        // There are two ends.
        let most_remembered = memory_bytes / 2 / size_of::<(u32, f64)>();
        Counter { database, target, tables, forward, backward, most_remembered, parts }
    }

    /// The counts of each example, which must have two arguments.
    pub fn count(&self, examples: &[Example]) -> Vec<Counts> {
        let limit = |example: &Example| self.database.limit(self.target, &example.args);
        // Ends with the same limit are the same, wherever they stand.
        let mut ends: [IndexSet<(Constant, Option<u64>)>; 2] = Default::default();
        let mut number = |side: usize, example: &Example| {
            ends[side].insert_full((example.args[side], limit(example).map(f64::to_bits))).0
        };
        let numbers: Vec<(usize, usize)> = examples.iter().map(|e| (number(0, e), number(1, e))).collect();
        let known: [Vec<OnceLock<Vec<Ways>>>; 2] =
            [0, 1].map(|side: usize| (0..ends[side].len()).map(|_| OnceLock::new()).collect());
        let remembered = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let with = |side: usize, number: usize, example: &Example, f: &mut dyn FnMut(&[Ways])| {
            let beginnings = [&self.forward, &self.backward][side];
            if let Some(ways) = known[side][number].get() {
                return f(ways);
            }
            let ways = self.ways(example.args[side], beginnings, limit(example));
            let size = ways.iter().map(|ways| ways.len() + 2).sum();
            if remembered[side].fetch_add(size, Ordering::Relaxed) < self.most_remembered {
                f(known[side][number].get_or_init(|| ways));
            } else {
                f(&ways);
            }
        };
        let count = |(example, &(first, second)): (&Example, &(usize, usize))| {
            let mut counts = Vec::new();
            with(0, first, example, &mut |from| {
                with(1, second, example, &mut |to| {
                    for (walk, &(a, b)) in
                        self.parts.iter().enumerate().filter_map(|(k, part)| Some((k, part.as_ref()?)))
                    {
                        let ways = product(&from[a], &to[b]);
                        if ways > 0.0 {
                            counts.push((walk as u32, ways));
                        }
                    }
                });
            });
            counts
        };
        examples.par_iter().zip(&numbers).map(count).collect()
    }

    /// The ways along each beginning.
    fn ways(&self, start: Constant, beginnings: &Beginnings, limit: Option<f64>) -> Vec<Ways> {
        let mut all: Vec<Ways> = Vec::with_capacity(beginnings.all.len() + 1);
        all.push(vec![(start.id(), 1.0)]);
        for &(before, step) in &beginnings.all {
            cancel::poll();
            let ways = self.go(&all[before], step, limit);
            all.push(ways);
        }
        all
    }

    fn go(&self, from: &Ways, step: Step, limit: Option<f64>) -> Ways {
        let table = &self.tables[&step];
        let timed = self.database.times.is_some();
        let mut found: Ways = Vec::new();
        for &(here, ways) in from {
            let seen = |args: &[Constant]| !timed || self.database.visible(step.predicate, args, limit);
            table.for_each(here, |there| {
                let [a, b] = [here, there].map(Constant::from_id);
                let visible = match step.way {
                    Way::Forward => seen(&[a, b]),
                    Way::Backward => seen(&[b, a]),
                    Way::Stay => seen(&[a]),
                };
                if visible {
                    found.push((there, ways));
                }
            });
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

impl<'a> Table<'a> {
    fn new(database: &'a Database, step: Step) -> Self {
        let relation = database.facts.relation(step.predicate);
        let (from, to) = match step.way {
            Way::Forward => (0, 1),
            Way::Backward => (1, 0),
            Way::Stay => return Table::Property(relation),
        };
        let index = relation.indexes().iter().find(|index| index.order().first() == Some(&from));
        index.map_or_else(
            || {
                let pair = |row: crate::kb::Row<'_>| (row.get(from as usize).id(), row.get(to).id());
                let mut pairs: Vec<(u32, u32)> = relation.iter().map(pair).collect();
                pairs.sort_unstable();
                Table::Pairs(pairs)
            },
            Table::Index,
        )
    }

    /// Calls `f` with where a step leads.
    fn for_each(&self, here: u32, mut f: impl FnMut(u32)) {
        match self {
            Table::Index(index) => index.column(1)[index.run(Constant::from_id(here))].iter().for_each(|&id| f(id)),
            Table::Pairs(pairs) => {
                let start = pairs.partition_point(|&(from, _)| from < here);
                pairs[start..].iter().take_while(|&&(from, _)| from == here).for_each(|&(_, to)| f(to));
            }
            Table::Property(relation) => {
                if relation.contains(&[Constant::from_id(here)]) {
                    f(here);
                }
            }
        }
    }
}

/// The ways that meet.
fn product(a: &Ways, b: &Ways) -> f64 {
    let (few, mut many) = if a.len() <= b.len() { (&a[..], &b[..]) } else { (&b[..], &a[..]) };
    let mut sum = 0.0;
    for &(id, ways) in few {
        many = &many[many.partition_point(|&(other, _)| other < id)..];
        match many.first() {
            Some(&(other, others)) if other == id => sum += ways * others,
            Some(_) => {}
            None => break,
        }
    }
    sum.min(MOST_COUNTED)
}

//! The literals that match tuples of values.
//!
//! They do not depend on the base that gives these values, so they are looked up once for all bases
//! and nodes.

use hashbrown::HashTable;

use super::catalog::Catalog;
use super::occurrences::dense_index;
use crate::determinism::HashMap;
use crate::kb::{Database, FactRow};
use crate::logic::{Constant, PredicateId};

/// The number of matches beyond which all are dropped: per fact, at least, and at most.
const KEPT_PER_FACT: usize = 8;
const MIN_KEPT: usize = 1 << 20;
const MAX_KEPT: usize = 1 << 24;

/// The interner of single values without a time limit.
pub(super) const VALUES: usize = 2;

/// The kinds of words in a pattern.
pub(super) const CONSTANT: u64 = 1 << 32;
pub(super) const FRESH: u64 = 2 << 32;
pub(super) const PREDICATE: u64 = 3 << 32;
pub(super) const KIND: u64 = 3 << 32;

/// Which literals match which tuples, for all bases of a database.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// By the width of tuples, and whether a time limit belongs to them.
    pub interners: Vec<Interner>,
    /// The tables by their patterns.
    by_patterns: HashTable<u32>,
    pub tables: Vec<MatchTable>,
}

impl Matches {
    /// Returns the index of the table for a list of patterns.
    pub fn table(&mut self, space: usize, patterns: &[u64], database: &Database) -> usize {
        let kept: usize = self.tables.iter().map(|table| table.words.len() + table.ranges.len()).sum();
        if kept > MIN_KEPT && kept > (KEPT_PER_FACT * database.facts.len()).min(MAX_KEPT) {
            *self = Matches::default();
        }
        self.grow(space);
        let found = self.by_patterns.find(hash(patterns), |&table| {
            let table = &self.tables[table as usize];
            table.space == space && *table.patterns == *patterns
        });
        if let Some(&table) = found {
            return table as usize;
        }
        self.tables.push(MatchTable::new(space, patterns, database));
        let tables = &self.tables;
        self.by_patterns
            .insert_unique(hash(patterns), tables.len() as u32 - 1, |&table| hash(&tables[table as usize].patterns));
        tables.len() - 1
    }

    /// Makes sure that there is an interner.
    pub fn grow(&mut self, space: usize) {
        if self.interners.len() <= space {
            self.interners.resize_with(space + 1, Interner::default);
        }
    }
}

/// Numbers tuples of one width.
#[derive(Debug, Default)]
pub(super) struct Interner {
    pairs: HashMap<u64, u32>,
    /// Tuples of three or four values.
    short: HashMap<u128, u32>,
    others: HashMap<Box<[u32]>, u32>,
    /// The last group that each tuple was seen in.
    pub seen_in: Vec<u64>,
    pub epoch: u64,
}

impl Interner {
    /// Returns the number of a tuple.
    #[inline]
    pub fn id(&mut self, tuple: &[u32], database: &Database) -> u32 {
        let next = self.seen_in.len() as u32;
        let id = match *tuple {
            [value] => {
                let id = dense_index(value, database);
                if id >= next {
                    self.seen_in.resize(id as usize + 1, 0);
                }
                return id;
            }
            [first, second] => *self.pairs.entry(u64::from(first) << 32 | u64::from(second)).or_insert(next),
            _ => self.id_of_long(tuple),
        };
        if id == next {
            self.seen_in.push(0);
        }
        id
    }

    /// Returns the number of a tuple of at least three values.
    #[inline]
    fn id_of_long(&mut self, tuple: &[u32]) -> u32 {
        let next = self.seen_in.len() as u32;
        if tuple.len() <= 4 {
            let packed = tuple.iter().fold(0, |packed, &value| packed << 32 | u128::from(value));
            return *self.short.entry(packed).or_insert(next);
        }
        match self.others.get(tuple) {
            Some(&id) => id,
            None => *self.others.entry(tuple.into()).or_insert(next),
        }
    }

    /// Returns the number of a tuple under a time limit.
    pub fn limited_id(&mut self, tuple: &mut Vec<u32>, limit: Option<f64>) -> u32 {
        let (width, next) = (tuple.len(), self.seen_in.len() as u32);
        // No limit is NaN.
        let bits = limit.map_or(u64::MAX, f64::to_bits);
        tuple.extend([(bits >> 32) as u32, bits as u32]);
        let id = self.id_of_long(tuple);
        tuple.truncate(width);
        if id == next {
            self.seen_in.push(0);
        }
        id
    }
}

/// The literals of a list that match each tuple.
#[derive(Debug)]
pub(super) struct MatchTable {
    space: usize,
    patterns: Box<[u64]>,
    shapes: Vec<Shape>,
    /// By tuple: the range of its nonzero words, plus one; zeros if not known.
    ranges: Vec<(u32, u32)>,
    words: Vec<(u32, u64)>,
    found: Vec<u64>,
}

/// An argument of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PatternArg {
    /// A value of the tuple.
    Bound(u32),
    /// A variable that occurs in no other literal.
    Fresh(u32),
    /// A constant.
    Constant,
}

/// The literals of a list that differ in their constants only.
#[derive(Debug)]
struct Shape {
    predicate: PredicateId,
    args: Vec<PatternArg>,
    /// By the constants.
    literals: HashMap<Box<[u32]>, Vec<u32>>,
}

impl MatchTable {
    fn new(space: usize, patterns: &[u64], database: &Database) -> Self {
        let mut shapes: Vec<Shape> = Vec::new();
        let mut shape_of: HashMap<(PredicateId, Vec<PatternArg>), usize> = HashMap::default();
        let mut number = 0;
        let mut rest = patterns;
        while let Some((&predicate, after)) = rest.split_first() {
            let arity = after.iter().take_while(|&&word| word & KIND != PREDICATE).count();
            let predicate = PredicateId(predicate as u32);
            let (mut args, mut constants) = (Vec::with_capacity(arity), Vec::new());
            for &word in &after[..arity] {
                args.push(match word & KIND {
                    CONSTANT => {
                        constants.push(word as u32);
                        PatternArg::Constant
                    }
                    FRESH => PatternArg::Fresh(word as u32),
                    _ => PatternArg::Bound(word as u32),
                });
            }
            let shape = *shape_of.entry((predicate, args.clone())).or_insert_with(|| {
                shapes.push(Shape { predicate, args, literals: HashMap::default() });
                shapes.len() - 1
            });
            shapes[shape].literals.entry(constants.into()).or_default().push(number);
            number += 1;
            rest = &after[arity..];
        }
        shapes.retain(|shape| database.facts.relation(shape.predicate).arity() == shape.args.len());
        let found = vec![0; number.div_ceil(64) as usize];
        MatchTable { space, patterns: patterns.into(), shapes, ranges: Vec::new(), words: Vec::new(), found }
    }

    /// Returns the literals that match a tuple, as nonzero words with their indices.
    #[inline]
    pub fn matches(&self, id: u32) -> &[(u32, u64)] {
        let (start, end) = self.ranges[id as usize];
        &self.words[start as usize - 1..end as usize - 1]
    }

    /// Finds the literals that match a tuple, unless they are known.
    #[inline]
    pub fn ensure(&mut self, id: u32, tuple: &[u32], limit: Option<f64>, catalog: &Catalog<'_>) {
        if self.ranges.get(id as usize).is_none_or(|&(start, _)| start == 0) {
            self.find(id, tuple, limit, catalog);
        }
    }

    fn find(&mut self, id: u32, tuple: &[u32], limit: Option<f64>, catalog: &Catalog<'_>) {
        for shape in self.shapes.iter().filter(|shape| shape.may_match(tuple, catalog)) {
            shape.find(tuple, limit, catalog.database, &mut self.found);
        }
        let start = self.words.len() as u32 + 1;
        for (at, word) in self.found.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            self.words.push((at as u32, std::mem::take(word)));
        }
        if self.ranges.len() <= id as usize {
            self.ranges.resize(id as usize + 1, (0, 0));
        }
        self.ranges[id as usize] = (start, self.words.len() as u32 + 1);
    }
}

impl Shape {
    /// Returns whether each bound value occurs at its argument in some fact.
    fn may_match(&self, tuple: &[u32], catalog: &Catalog<'_>) -> bool {
        let Some(occurrences) = catalog.occurrences() else { return true };
        self.args.iter().enumerate().all(|(position, arg)| match arg {
            PatternArg::Bound(place) => {
                let value = dense_index(tuple[*place as usize], catalog.database);
                occurrences.has(value as usize, self.predicate, position)
            }
            PatternArg::Fresh(_) | PatternArg::Constant => true,
        })
    }

    /// Adds the literals that match a tuple.
    fn find(&self, tuple: &[u32], limit: Option<f64>, database: &Database, found: &mut [u64]) {
        let relation = database.facts.relation(self.predicate);
        let value = |arg: &PatternArg| match arg {
            PatternArg::Bound(place) => Some(Constant::from_id(tuple[*place as usize])),
            PatternArg::Fresh(_) | PatternArg::Constant => None,
        };
        let mut bound: Vec<Option<Constant>> = self.args.iter().map(value).collect();
        let is_at = |k: &usize| self.args[*k] == PatternArg::Constant;
        let constants: Vec<usize> = (0..self.args.len()).filter(is_at).collect();
        let mut insert = |literals: &[u32]| {
            literals.iter().for_each(|&literal| found[literal as usize / 64] |= 1 << (literal % 64));
        };
        let mut row_args: Vec<Constant> = Vec::new();
        let mut is_match = |row: &FactRow<'_>| {
            let repeats = |k: usize| match self.args[k] {
                PatternArg::Fresh(_) => self.args[..k]
                    .iter()
                    .position(|other| *other == self.args[k])
                    .is_none_or(|j| row.get(j) == row.get(k)),
                PatternArg::Bound(_) | PatternArg::Constant => true,
            };
            if !(0..self.args.len()).all(repeats) {
                return false;
            }
            if limit.is_none() {
                return true;
            }
            row_args.clear();
            row_args.extend(row.iter());
            database.visible(self.predicate, &row_args, limit)
        };
        let rows = relation.lookup(&bound);
        if constants.is_empty() {
            if rows.into_iter().any(|row| is_match(&row)) {
                self.literals.values().for_each(|literals| insert(literals));
            }
            return;
        }
        if rows.range().len() <= 4 * self.literals.len() {
            let mut key: Vec<u32> = Vec::with_capacity(constants.len());
            for row in rows {
                if is_match(&row) {
                    key.clear();
                    key.extend(constants.iter().map(|&k| row.get(k).id()));
                    if let Some(literals) = self.literals.get(&key[..]) {
                        insert(literals);
                    }
                }
            }
            return;
        }
        for (values, literals) in &self.literals {
            for (&k, &value) in constants.iter().zip(values) {
                bound[k] = Some(Constant::from_id(value));
            }
            if relation.lookup(&bound).any(|row| is_match(&row)) {
                insert(literals);
            }
        }
    }
}

pub(super) fn hash(words: &[u64]) -> u64 {
    use std::hash::BuildHasher;
    rustc_hash::FxBuildHasher.hash_one(words)
}

//! The facts of one predicate, sorted in every order that the modes ask for.

use std::ops::Range;

use super::directory::Directory;
use super::ordering::Pattern;
use crate::logic::Constant;

/// One sorted copy of a relation.
///
/// Rows are in lexicographic order of the columns `order[0], order[1], …`. The first of them is not stored: the
/// directory knows the run of each of its values. So an index of a binary relation holds four bytes a fact and its
/// directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The argument positions, most significant first.
    order: Box<[u32]>,
    /// Where each argument position stands in `order`.
    place: Box<[u32]>,
    rows: u32,
    directory: Directory,
    /// The columns `order[1..]`, each with one id a row.
    rest: Box<[Vec<u32>]>,
}

/// One of the indexes of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexId(pub u32);

impl Index {
    pub(crate) fn new(order: &[u32], rows: u32, directory: Directory, rest: Box<[Vec<u32>]>) -> Self {
        debug_assert!(rest.iter().all(|column| column.len() == rows as usize), "every column has every row");
        let mut place = vec![0; order.len()].into_boxed_slice();
        for (i, &position) in order.iter().enumerate() {
            place[position as usize] = i as u32;
        }
        Index { order: order.into(), place, rows, directory, rest }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The argument positions in the order of their weight in the sort.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// From the values of the first column to their rows.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The rows whose first column holds `key`.
    #[inline]
    pub fn run(&self, key: Constant) -> Range<usize> {
        self.directory.run(key.id())
    }

    /// The ids of column `k` of the order, for `k` from 1; sorted within rows that agree on the columns before it.
    ///
    /// # Panics
    /// If `k` is 0, which only the directory knows, or beyond the last column.
    #[inline]
    pub fn column(&self, k: usize) -> &[u32] {
        &self.rest[k - 1]
    }

    /// The rows of `run` whose column `k` holds `value`; the rows of `run` must agree on the columns before `k`.
    #[inline]
    pub fn narrow(&self, run: Range<usize>, k: usize, value: Constant) -> Range<usize> {
        let column = &self.column(k)[run.clone()];
        let start = column.partition_point(|&id| id < value.id());
        let end = start + column[start..].partition_point(|&id| id == value.id());
        run.start + start..run.start + end
    }

    /// How many of the first columns are bound.
    fn bound_prefix(&self, bound: &[Option<Constant>]) -> usize {
        self.order.iter().take_while(|&&position| bound[position as usize].is_some()).count()
    }

    fn bytes(&self) -> usize {
        let columns: usize = self.rest.iter().map(|column| size_of::<Vec<u32>>() + 4 * column.capacity()).sum();
        columns + self.directory.bytes() + 4 * (self.order.len() + self.place.len()) + size_of::<Self>()
    }
}

/// The facts of one predicate without repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    arity: usize,
    duplicates: u64,
    /// At least one.
    indexes: Box<[Index]>,
}

impl Relation {
    pub(crate) fn new(arity: usize, duplicates: u64, indexes: Vec<Index>) -> Self {
        assert!(!indexes.is_empty(), "a relation is sorted in at least one order");
        Relation { arity, duplicates, indexes: indexes.into() }
    }

    /// The number of arguments.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.indexes[0].rows as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many facts were dropped because they were there already.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// The sorted copies.
    pub fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// One of the sorted copies.
    #[expect(clippy::should_implement_trait, reason = "an index is a thing here, not an operator")]
    #[inline]
    pub fn index(&self, id: IndexId) -> &Index {
        &self.indexes[id.0 as usize]
    }

    /// The index that has exactly the arguments of a pattern as its first columns, in some order.
    pub fn index_for(&self, pattern: Pattern) -> Option<IndexId> {
        let width = pattern.count_ones() as usize;
        let prefix = |index: &Index| {
            let columns = index.order.get(..width)?;
            Some(super::pattern(columns.iter().map(|&position| position as usize)))
        };
        let found = self.indexes.iter().position(|index| prefix(index) == Some(pattern))?;
        Some(IndexId(found as u32))
    }

    /// The rows of an index whose first column holds `key`.
    #[inline]
    pub fn run(&self, index: IndexId, key: Constant) -> Range<usize> {
        self.index(index).run(key)
    }

    /// The facts that agree with every bound argument, in the order of the index that fits best.
    ///
    /// The index with the longest bound prefix gives a run of rows; those of its rows that differ from `bound` in a
    /// later column are skipped. A pattern of the modes is a prefix of some index, so it skips nothing. There are no
    /// such facts if `bound` has another length than the arity.
    pub fn lookup<'r, 'b>(&'r self, bound: &'b [Option<Constant>]) -> Rows<'r, 'b> {
        let first = &self.indexes[0];
        if bound.len() != self.arity {
            return Rows { index: first, bound: &[], prefix: 0, range: 0..0, slot: 0 };
        }
        let (mut index, mut prefix) = (first, first.bound_prefix(bound));
        for other in &self.indexes[1..] {
            let longer = other.bound_prefix(bound);
            if longer > prefix {
                (index, prefix) = (other, longer);
            }
        }
        let values = || index.order.iter().map_while(|&position| bound[position as usize]);
        let (mut range, mut slot) = (0..index.rows as usize, 0);
        if let Some(key) = values().next() {
            range = index.run(key);
            slot = index.directory.slot(key.id());
        }
        for (k, value) in values().enumerate().skip(1) {
            range = index.narrow(range, k, value);
        }
        let filter = if bound.iter().flatten().count() > prefix { bound } else { &[] };
        Rows { index, bound: filter, prefix, range, slot }
    }

    /// Whether this is a fact.
    pub fn contains(&self, args: &[Constant]) -> bool {
        if args.len() != self.arity {
            return false;
        }
        let index = &self.indexes[0];
        let mut values = index.order.iter().map(|&position| args[position as usize]);
        let mut range = match values.next() {
            Some(key) => index.run(key),
            None => 0..index.rows as usize,
        };
        for (k, value) in values.enumerate() {
            range = index.narrow(range, k + 1, value);
        }
        !range.is_empty()
    }

    /// Every fact, in the order of the first index.
    pub fn iter(&self) -> Rows<'_, 'static> {
        let index = &self.indexes[0];
        Rows { index, bound: &[], prefix: 0, range: 0..index.rows as usize, slot: 0 }
    }

    /// The constants that stand at an argument position, sorted, each once; none if there is no such position.
    pub fn values(&self, position: usize) -> Vec<Constant> {
        let mut ids = Vec::new();
        self.for_each_value(position, |constant| ids.push(constant));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Calls `f` with every constant at an argument position, in a fixed order, some perhaps more than once.
    pub(crate) fn for_each_value(&self, position: usize, mut f: impl FnMut(Constant)) {
        let at = position as u32;
        if let Some(index) = self.indexes.iter().find(|index| index.order.first() == Some(&at)) {
            index.directory.iter().for_each(|(key, _)| f(Constant::from_id(key)));
        } else if let Some(&place) = self.indexes[0].place.get(position) {
            let mut last = None;
            for &id in self.indexes[0].column(place as usize) {
                if last.replace(id) != Some(id) {
                    f(Constant::from_id(id));
                }
            }
        }
    }

    /// Bytes held, counting capacity.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }
}

/// A fact, as a row of an index.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    index: &'r Index,
    key: u32,
    at: usize,
}

impl Row<'_> {
    /// The argument at a position.
    ///
    /// # Panics
    /// If there is no such argument.
    #[inline]
    pub fn get(&self, position: usize) -> Constant {
        Constant::from_id(match self.index.place[position] {
            0 => self.key,
            place => self.index.rest[place as usize - 1][self.at],
        })
    }

    /// The arguments, left to right.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Constant> + '_ {
        (0..self.index.order.len()).map(|position| self.get(position))
    }

    /// The arguments as a vector.
    pub fn to_vec(&self) -> Vec<Constant> {
        self.iter().collect()
    }
}

/// Facts of a relation that agree with some bound arguments.
#[derive(Clone, Debug)]
pub struct Rows<'r, 'b> {
    index: &'r Index,
    /// What a row must agree with beyond the prefix; empty if nothing is left to compare.
    bound: &'b [Option<Constant>],
    /// How many columns of the order need no comparison.
    prefix: usize,
    range: Range<usize>,
    /// A slot of the directory at or before that of the next row.
    slot: usize,
}

impl Rows<'_, '_> {
    /// The rows of the index among which these facts are; all of them are such facts if every bound argument is within
    /// the index's prefix.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn agrees(&self, row: &Row<'_>) -> bool {
        self.bound.is_empty()
            || self.index.order[self.prefix..]
                .iter()
                .all(|&position| self.bound[position as usize].is_none_or(|value| row.get(position as usize) == value))
    }
}

impl<'r> Iterator for Rows<'r, '_> {
    type Item = Row<'r>;

    fn next(&mut self) -> Option<Row<'r>> {
        loop {
            let at = self.range.next()?;
            let mut key = 0;
            if !self.index.order.is_empty() {
                while self.index.directory.end(self.slot) <= at {
                    self.slot += 1;
                }
                key = self.index.directory.key(self.slot);
            }
            let row = Row { index: self.index, key, at };
            if self.agrees(&row) {
                return Some(row);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let most = self.range.len();
        (if self.bound.is_empty() { most } else { 0 }, Some(most))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sorting;
    use super::*;

    fn c(id: u32) -> Constant {
        Constant::from_id(id)
    }

    fn relation(arity: usize, rows: &[&[u32]], orders: &[&[u32]]) -> Relation {
        let orders: Vec<Box<[u32]>> = orders.iter().map(|&order| order.into()).collect();
        match arity {
            0 => sorting::proposition(rows.len() as u64),
            2 => sorting::binary(rows.iter().map(|row| sorting::pair(row[0], row[1])).collect(), &orders),
            _ => sorting::any_arity(arity, rows.concat(), &orders),
        }
    }

    fn rows(found: Rows<'_, '_>) -> Vec<Vec<u32>> {
        found.map(|row| row.iter().map(Constant::id).collect()).collect()
    }

    #[test]
    fn a_binary_relation_from_both_sides() {
        let facts: &[&[u32]] = &[&[1, 9], &[3, 8], &[1, 8], &[1, 9]];
        let friends = relation(2, facts, &[&[0, 1], &[1, 0]]);
        assert_eq!((friends.len(), friends.duplicates()), (3, 1));
        assert_eq!(rows(friends.iter()), [[1, 8], [1, 9], [3, 8]]);
        assert_eq!(rows(friends.lookup(&[Some(c(1)), None])), [[1, 8], [1, 9]]);
        assert_eq!(rows(friends.lookup(&[None, Some(c(8))])), [[1, 8], [3, 8]]);
        assert_eq!(rows(friends.lookup(&[Some(c(3)), Some(c(8))])), [[3, 8]]);
        assert_eq!(rows(friends.lookup(&[Some(c(2)), None])), [[0u32; 0]; 0]);
        assert!(friends.contains(&[c(1), c(9)]));
        assert!(!friends.contains(&[c(9), c(1)]));
        assert!(!friends.contains(&[c(1)]));
        assert_eq!(friends.lookup(&[Some(c(1))]).count(), 0);
        assert_eq!(friends.values(1), [c(8), c(9)]);
        assert_eq!(friends.values(2), []);

        let by_second = friends.index_for(0b10).unwrap();
        let run = friends.run(by_second, c(8));
        assert_eq!(&friends.index(by_second).column(1)[run], [1, 3]);
        assert_eq!(friends.index_for(0b11), Some(IndexId(0)));
        assert_eq!(friends.index_for(0b100), None);
    }

    #[test]
    fn columns_outside_the_prefix_are_compared() {
        let facts: &[&[u32]] = &[&[1, 2, 3], &[1, 4, 3], &[1, 4, 5], &[2, 4, 3]];
        let one_order = relation(3, facts, &[&[0, 1, 2]]);
        assert_eq!(rows(one_order.lookup(&[Some(c(1)), None, Some(c(3))])), [[1, 2, 3], [1, 4, 3]]);
        assert_eq!(rows(one_order.lookup(&[None, Some(c(4)), Some(c(3))])), [[1, 4, 3], [2, 4, 3]]);
        assert_eq!(one_order.values(2), [c(3), c(5)]);
        assert_eq!(one_order.index_for(0b101), None);
    }

    #[test]
    fn a_proposition_is_a_fact_or_not() {
        let rain = relation(0, &[&[], &[]], &[&[]]);
        assert_eq!((rain.len(), rain.duplicates()), (1, 1));
        assert!(rain.contains(&[]));
        assert_eq!(rows(rain.iter()), [[0u32; 0]]);
        assert_eq!(rows(rain.lookup(&[])).len(), 1);
        let snow = relation(0, &[], &[&[]]);
        assert!(!snow.contains(&[]));
        assert_eq!(rows(snow.iter()).len(), 0);
    }

    #[test]
    fn an_empty_relation_answers_everything_with_nothing() {
        let empty = relation(2, &[], &[&[0, 1], &[1, 0]]);
        assert_eq!(empty.lookup(&[None, None]).count(), 0);
        assert_eq!(empty.lookup(&[None, Some(c(0))]).count(), 0);
        assert!(!empty.contains(&[c(0), c(0)]));
        assert_eq!(empty.values(0), []);
    }
}

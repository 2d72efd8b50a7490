//! The facts of one predicate, sorted in every order that the modes need.

use std::cmp::Ordering;
use std::ops::Range;

use super::directory::Directory;
use super::ordering::{BindingPattern, binding_pattern};
use crate::logic::Constant;

/// A sorted copy of a relation.
///
/// Rows are in lexicographic order of the columns `order[0], order[1], …`. The first one is not
/// stored, since the directory maps each of its values to a run of rows. An index of a binary
/// relation thus takes four bytes per fact plus its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The argument positions, most significant first.
    order: Box<[u32]>,
    /// Rank of each argument position in `order`.
    rank: Box<[u32]>,
    rows: u32,
    directory: Directory,
    /// The columns `order[1..]`, each with one id per row.
    rest: Box<[Vec<u32>]>,
}

/// Identifies an index of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexId(pub u32);

impl Index {
    pub(crate) fn new(order: &[u32], rows: u32, directory: Directory, rest: Box<[Vec<u32>]>) -> Self {
        debug_assert!(rest.iter().all(|column| column.len() == rows as usize), "every column has every row");
        let mut rank = vec![0; order.len()].into_boxed_slice();
        for (i, &position) in order.iter().enumerate() {
            rank[position as usize] = i as u32;
        }
        Index { order: order.into(), rank, rows, directory, rest }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns the argument positions, most significant first.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the directory of the first column.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns the rows whose first column is `key`.
    #[inline]
    pub fn run(&self, key: Constant) -> Range<usize> {
        self.directory.run(key.id())
    }

    /// Returns the ids of column `k ≥ 1` of the order, sorted among rows with equal preceding
    /// columns.
    ///
    /// # Panics
    /// If `k` is 0, which is stored in the directory only, or out of range.
    #[inline]
    pub fn column(&self, k: usize) -> &[u32] {
        &self.rest[k - 1]
    }

    /// Returns the rows of `run` whose column `k` is `value`; preceding columns must be equal in
    /// `run`.
    #[inline]
    pub fn narrow(&self, run: Range<usize>, k: usize, value: Constant) -> Range<usize> {
        let column = &self.column(k)[run.clone()];
        let start = partition_point(column, |id| id < value.id());
        let end = start + leading(&column[start..], value.id());
        run.start + start..run.start + end
    }

    /// Returns the number of leading columns that are bound.
    fn bound_prefix(&self, value: impl Fn(u32) -> Option<Constant>) -> usize {
        self.order.iter().take_while(|&&position| value(position).is_some()).count()
    }

    /// Returns the rows with the values of the first `prefix` columns.
    fn matching(&self, prefix: usize, value: impl Fn(u32) -> Option<Constant>) -> Range<usize> {
        let mut values = self.order[..prefix].iter().filter_map(|&position| value(position));
        let mut range = match values.next() {
            Some(key) => self.run(key),
            None => 0..self.rows as usize,
        };
        for (k, value) in values.enumerate() {
            range = self.narrow(range, k + 1, value);
        }
        range
    }

    fn bytes(&self) -> usize {
        let columns: usize = self.rest.iter().map(|column| size_of::<Vec<u32>>() + 4 * column.capacity()).sum();
        columns + self.directory.bytes() + 4 * (self.order.len() + self.rank.len()) + size_of::<Self>()
    }
}

/// The distinct facts of one predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    arity: usize,
    duplicates: u64,
    /// Never empty.
    indexes: Box<[Index]>,
}

impl Relation {
    pub(crate) fn new(arity: usize, duplicates: u64, indexes: Vec<Index>) -> Self {
        assert!(!indexes.is_empty(), "a relation is sorted in at least one order");
        Relation { arity, duplicates, indexes: indexes.into() }
    }

    /// Returns the number of arguments.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Returns the number of facts.
    pub fn len(&self) -> usize {
        self.indexes[0].rows as usize
    }

    /// Returns whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of duplicate facts that were removed.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns all indexes.
    pub fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// Returns an index.
    #[expect(clippy::should_implement_trait, reason = "an index is a thing here, not an operator")]
    #[inline]
    pub fn index(&self, id: IndexId) -> &Index {
        &self.indexes[id.0 as usize]
    }

    /// Returns the index whose leading columns are exactly the bound arguments, in any order.
    pub fn index_for(&self, bound: BindingPattern) -> Option<IndexId> {
        let width = bound.count_ones() as usize;
        let prefix = |index: &Index| {
            let columns = index.order.get(..width)?;
            Some(binding_pattern(columns.iter().map(|&position| position as usize)))
        };
        let found = self.indexes.iter().position(|index| prefix(index) == Some(bound))?;
        Some(IndexId(found as u32))
    }

    /// Returns the rows of an index whose first column is `key`.
    #[inline]
    pub fn run(&self, index: IndexId, key: Constant) -> Range<usize> {
        self.index(index).run(key)
    }

    /// Returns the facts that match all bound arguments, in the order of the best index.
    ///
    /// The index with the longest bound prefix gives a run of rows, which are filtered by the
    /// remaining bound arguments. Binding patterns of the modes are prefixes of an index and need
    /// no filter. The result is empty if the length of `bound` differs from the arity.
    pub fn lookup<'r, 'b>(&'r self, bound: &'b [Option<Constant>]) -> FactRows<'r, 'b> {
        if bound.len() != self.arity {
            return FactRows { index: &self.indexes[0], bound: &[], prefix: 0, range: 0..0, slot: 0 };
        }
        let (index, prefix) = self.longest_prefix(|position| bound[position as usize]);
        let mut slot = 0;
        let range = index.matching(prefix, |position| bound[position as usize]);
        if let Some(key) = index.order.first().filter(|_| prefix > 0).and_then(|&first| bound[first as usize]) {
            slot = index.directory.slot(key.id());
        }
        let filter = if bound.iter().flatten().count() > prefix { bound } else { &[] };
        FactRows { index, bound: filter, prefix, range, slot }
    }

    /// Returns an upper bound of the number of facts with these values of bound arguments, 0 if the
    /// number of arguments, `args`, differs from the arity.
    pub(crate) fn max_matching(&self, args: usize, value: impl Fn(u32) -> Option<Constant>) -> usize {
        if args != self.arity {
            return 0;
        }
        let (index, prefix) = self.longest_prefix(&value);
        index.matching(prefix, &value).len()
    }

    /// Returns the index with the longest prefix of bound arguments, and its length.
    fn longest_prefix(&self, value: impl Fn(u32) -> Option<Constant>) -> (&Index, usize) {
        let first = &self.indexes[0];
        let (mut index, mut prefix) = (first, first.bound_prefix(&value));
        for other in &self.indexes[1..] {
            let longer = other.bound_prefix(&value);
            if longer > prefix {
                (index, prefix) = (other, longer);
            }
        }
        (index, prefix)
    }

    /// Returns whether the relation contains a fact.
    pub fn contains(&self, args: &[Constant]) -> bool {
        let value = |position: u32| Some(args[position as usize]);
        args.len() == self.arity && !self.indexes[0].matching(self.arity, value).is_empty()
    }

    /// Iterates over all facts in the order of the first index.
    pub fn iter(&self) -> FactRows<'_, 'static> {
        let index = &self.indexes[0];
        FactRows { index, bound: &[], prefix: 0, range: 0..index.rows as usize, slot: 0 }
    }

    /// Returns the sorted distinct constants at an argument position; empty if it is out of range.
    pub fn values(&self, position: usize) -> Vec<Constant> {
        let mut ids = Vec::new();
        self.for_each_value(position, |constant| ids.push(constant));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Calls `f` with the constants at an argument position, in a fixed order, with possible
    /// duplicates.
    pub(crate) fn for_each_value(&self, position: usize, mut f: impl FnMut(Constant)) {
        let at = position as u32;
        if let Some(index) = self.indexes.iter().find(|index| index.order.first() == Some(&at)) {
            index.directory.iter().for_each(|(key, _)| f(Constant::from_id(key)));
        } else if let Some(&rank) = self.indexes[0].rank.get(position) {
            let mut last = None;
            for &id in self.indexes[0].column(rank as usize) {
                if last.replace(id) != Some(id) {
                    f(Constant::from_id(id));
                }
            }
        }
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }
}

/// A fact as a row of an index.
#[derive(Clone, Copy, Debug)]
pub struct FactRow<'r> {
    index: &'r Index,
    key: u32,
    at: usize,
}

impl FactRow<'_> {
    /// Returns the argument at a position.
    ///
    /// # Panics
    /// If the position is out of range.
    #[inline]
    pub fn get(&self, position: usize) -> Constant {
        Constant::from_id(match self.index.rank[position] {
            0 => self.key,
            rank => self.index.rest[rank as usize - 1][self.at],
        })
    }

    /// Iterates over the arguments, left to right.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Constant> + '_ {
        (0..self.index.order.len()).map(|position| self.get(position))
    }

    /// Returns the arguments as a vector.
    pub fn to_vec(&self) -> Vec<Constant> {
        self.iter().collect()
    }
}

/// Iterator over the facts of a relation that match bound arguments.
#[derive(Clone, Debug)]
pub struct FactRows<'r, 'b> {
    index: &'r Index,
    /// Values to compare beyond the prefix; empty if no comparison is needed.
    bound: &'b [Option<Constant>],
    /// Number of leading columns that need no comparison.
    prefix: usize,
    range: Range<usize>,
    /// Directory slot at or before that of the next row.
    slot: usize,
}

impl FactRows<'_, '_> {
    /// Returns the remaining run of rows. All of them match if every bound argument is in the
    /// prefix.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn matches(&self, row: &FactRow<'_>) -> bool {
        self.bound.is_empty()
            || self.index.order[self.prefix..]
                .iter()
                .all(|&position| self.bound[position as usize].is_none_or(|value| row.get(position as usize) == value))
    }
}

impl<'r> Iterator for FactRows<'r, '_> {
    type Item = FactRow<'r>;

    fn next(&mut self) -> Option<FactRow<'r>> {
        loop {
            let at = self.range.next()?;
            let mut key = 0;
            if !self.index.order.is_empty() {
                while self.index.directory.end(self.slot) <= at {
                    self.slot += 1;
                }
                key = self.index.directory.key(self.slot);
            }
            let row = FactRow { index: self.index, key, at };
            if self.matches(&row) {
                return Some(row);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let max = self.range.len();
        (if self.bound.is_empty() { max } else { 0 }, Some(max))
    }
}

/// Returns the number of leading ids that are `value`: few, in most cases.
#[inline]
fn leading(column: &[u32], value: u32) -> usize {
    let mut end = 1;
    while end <= column.len() && column[end - 1] == value {
        end *= 2;
    }
    let equal = end / 2;
    if equal == 0 { 0 } else { equal + partition_point(&column[equal..column.len().min(end)], |id| id == value) }
}

/// Returns the number of leading ids for which a test holds. The method of slices is not inlined
/// into other codegen units.
#[inline]
fn partition_point(column: &[u32], is_leading: impl Fn(u32) -> bool) -> usize {
    let order = |&id: &u32| if is_leading(id) { Ordering::Less } else { Ordering::Greater };
    column.binary_search_by(order).unwrap_or_else(|at| at)
}

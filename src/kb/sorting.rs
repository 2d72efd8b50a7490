//! Sorts the rows of a relation into columns without duplicates.
//!
//! A row is packed into one integer, most significant column first, so that sorting rows is sorting
//! integers. Only rows of more than 128 bits are compared column by column.

use super::directory::{self, Directory};
use super::relation::{Index, Relation};

/// Packs two ids into one integer.
#[inline]
pub(crate) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Builds the relation of a predicate without arguments that was stated `count` times.
pub(crate) fn proposition(count: u64) -> Relation {
    let index = Index::new(&[], count.min(1) as u32, Directory::empty(), Box::default());
    Relation::new(0, count.saturating_sub(1), vec![index])
}

/// Builds a binary relation from packed [`pair`]s.
pub(crate) fn binary(mut pairs: Vec<u64>, orders: &[Box<[u32]>]) -> Relation {
    let given = pairs.len();
    let (first, others) = orders.split_first().expect("a relation is sorted in at least one order");
    if first[0] == 1 {
        pairs.iter_mut().for_each(|pair| *pair = pair.rotate_left(32));
    }
    sort_distinct(&mut pairs);
    let mut indexes = vec![from_pairs(first, pairs)];
    for order in others {
        indexes.push(transpose(&indexes[0], order));
    }
    Relation::new(2, (given - indexes[0].rows()) as u64, indexes)
}

/// Builds a relation from the concatenated rows of `arity` ids each.
pub(crate) fn any_arity(arity: usize, ids: Vec<u32>, orders: &[Box<[u32]>]) -> Relation {
    let given = ids.len() / arity;
    let columns = ColumnLayout::new(arity, &ids);
    let indexes = match columns.bits.iter().sum() {
        0..=64 => columns.pack_all::<u64>(ids, orders),
        65..=128 => columns.pack_all::<u128>(ids, orders),
        _ => orders.iter().map(|order| compare(arity, &ids, order)).collect(),
    };
    Relation::new(arity, (given - indexes[0].rows()) as u64, indexes)
}

/// Builds a relation of the same facts with other indexes.
pub(crate) fn resorted(relation: &Relation, orders: &[Box<[u32]>]) -> Relation {
    let arity = relation.arity();
    let ids = relation.iter().flat_map(|row| (0..arity).map(move |position| row.get(position).id())).collect();
    any_arity(arity, ids, orders)
}

fn sort_distinct<K: Ord>(keys: &mut Vec<K>) {
    // Files are often sorted already; checking is much cheaper than sorting.
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    keys.dedup();
}

/// Builds the index of sorted pairs.
fn from_pairs(order: &[u32], pairs: Vec<u64>) -> Index {
    let high = |pair: &u64| (pair >> 32) as u32;
    let directory = Directory::from_sorted(pairs.iter().map(high));
    let rest = pairs.iter().map(|&pair| pair as u32).collect();
    Index::new(order, pairs.len() as u32, directory, Box::new([rest]))
}

/// Builds the index of a binary relation by its other column.
fn transpose(index: &Index, order: &[u32]) -> Index {
    let column = index.column(1);
    let rows = || index.directory().iter().flat_map(|(key, run)| column[run].iter().map(move |&value| (key, value)));
    let (Some(&min), Some(&max)) = (column.iter().min(), column.iter().max()) else {
        return Index::new(order, 0, Directory::empty(), Box::new([Vec::new()]));
    };
    if !directory::is_dense(min, max, column.len()) {
        let mut pairs: Vec<u64> = rows().map(|(key, value)| pair(value, key)).collect();
        pairs.sort_unstable();
        return from_pairs(order, pairs);
    }
    // Counting sort: rows come in order of the key, so each run is filled in that order.
    let span = (max - min) as usize + 1;
    let mut next = vec![0u32; span + 1];
    for &value in column {
        next[(value - min) as usize] += 1;
    }
    let mut start = 0;
    for slot in &mut next {
        let count = *slot;
        *slot = start;
        start += count;
    }
    let mut rest = vec![0; column.len()];
    for (key, value) in rows() {
        let row = &mut next[(value - min) as usize];
        rest[*row as usize] = key;
        *row += 1;
    }
    // Each entry has advanced from the start of its run to the start of the next.
    next.copy_within(..span, 1);
    next[0] = 0;
    Index::new(order, rest.len() as u32, Directory::dense(min, next), Box::new([rest]))
}

/// An unsigned integer that holds the columns of a row.
trait Packed: Copy + Ord {
    const ZERO: Self;
    /// Appends `value` in the low `bits` bits; `bits` is at most 32.
    fn append(self, value: u32, bits: u32) -> Self;
    /// Extracts `bits` bits, starting `shift` bits from the lowest.
    fn part(self, shift: u32, bits: u32) -> u32;
}

macro_rules! packed {
    ($($number:ty),*) => {$(
        impl Packed for $number {
            const ZERO: Self = 0;

            #[inline]
            fn append(self, value: u32, bits: u32) -> Self {
                self << bits | Self::from(value)
            }

            #[inline]
            fn part(self, shift: u32, bits: u32) -> u32 {
                // A column of zero bits may start beyond the highest bit.
                if bits == 0 { 0 } else { (self >> shift) as u32 & (u32::MAX >> (32 - bits)) }
            }
        }
    )*};
}

packed!(u64, u128);

/// The minimum id of each column, and the number of bits its offsets need.
struct ColumnLayout {
    min: Vec<u32>,
    bits: Vec<u32>,
}

impl ColumnLayout {
    fn new(arity: usize, ids: &[u32]) -> Self {
        let (mut min, mut max) = (vec![u32::MAX; arity], vec![0; arity]);
        for row in ids.chunks_exact(arity) {
            for (k, &id) in row.iter().enumerate() {
                min[k] = min[k].min(id);
                max[k] = max[k].max(id);
            }
        }
        let bits = min.iter().zip(&max).map(|(&min, &max)| 32 - max.saturating_sub(min).leading_zeros());
        ColumnLayout { bits: bits.collect(), min }
    }

    fn pack_all<K: Packed>(&self, ids: Vec<u32>, orders: &[Box<[u32]>]) -> Vec<Index> {
        let (last, before) = orders.split_last().expect("a relation is sorted in at least one order");
        let mut indexes: Vec<Index> =
            before.iter().map(|order| self.unpack::<K>(order, self.pack(order, &ids))).collect();
        let keys = self.pack::<K>(last, &ids);
        // Freed before the last keys are sorted and unpacked, which is the peak of memory use.
        drop(ids);
        indexes.push(self.unpack(last, keys));
        indexes
    }

    fn pack<K: Packed>(&self, order: &[u32], ids: &[u32]) -> Vec<K> {
        let append = |row: &[u32], key: K, &k: &u32| {
            let k = k as usize;
            key.append(row[k] - self.min[k], self.bits[k])
        };
        let arity = order.len();
        ids.chunks_exact(arity).map(|row| order.iter().fold(K::ZERO, |key, k| append(row, key, k))).collect()
    }

    fn unpack<K: Packed>(&self, order: &[u32], mut keys: Vec<K>) -> Index {
        sort_distinct(&mut keys);
        let mut shift = self.bits.iter().sum::<u32>();
        let mut columns = order.iter().map(|&k| {
            let (min, bits) = (self.min[k as usize], self.bits[k as usize]);
            shift -= bits;
            let shift = shift;
            keys.iter().map(move |key| min + key.part(shift, bits))
        });
        let directory = columns.next().map_or_else(Directory::empty, Directory::from_sorted);
        let rest = columns.map(Iterator::collect).collect();
        Index::new(order, keys.len() as u32, directory, rest)
    }
}

/// Builds the index of rows that are too wide to pack.
fn compare(arity: usize, ids: &[u32], order: &[u32]) -> Index {
    let id = |row: u32, k: u32| ids[row as usize * arity + k as usize];
    let in_order = |row: u32| order.iter().map(move |&k| id(row, k));
    let mut rows: Vec<u32> = (0..(ids.len() / arity) as u32).collect();
    rows.sort_unstable_by(|&a, &b| in_order(a).cmp(in_order(b)));
    rows.dedup_by(|a, b| in_order(*a).eq(in_order(*b)));
    let mut columns = order.iter().map(|&k| rows.iter().map(move |&row| id(row, k)));
    let directory = columns.next().map_or_else(Directory::empty, Directory::from_sorted);
    let rest = columns.map(Iterator::collect).collect();
    Index::new(order, rows.len() as u32, directory, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::Constant;

    fn orders(orders: &[&[u32]]) -> Vec<Box<[u32]>> {
        orders.iter().map(|&order| order.into()).collect()
    }

    fn rows(relation: &Relation) -> Vec<Vec<u32>> {
        relation.iter().map(|row| row.iter().map(Constant::id).collect()).collect()
    }

    #[test]
    fn both_ways_to_transpose_agree() {
        // Close values use counting sort, distant ones comparison sort.
        for step in [1, 1 << 28] {
            let facts = [(4, 2), (4, 0), (1, 2), (9, 1), (1, 0)];
            let pairs = facts.iter().map(|&(a, b)| pair(a, b * step)).collect();
            let relation = binary(pairs, &orders(&[&[0, 1], &[1, 0]]));
            let index = &relation.indexes()[1];
            assert_eq!(index.column(1), [1, 4, 9, 1, 4]);
            assert_eq!(index.run(Constant::from_id(0)), 0..2);
            assert_eq!(index.run(Constant::from_id(step)), 2..3);
            assert_eq!(index.run(Constant::from_id(2 * step)), 3..5);
            assert!(index.run(Constant::from_id(3 * step)).is_empty());
        }
    }

    #[test]
    fn rows_of_all_widths_are_sorted_equally() {
        // Maximum ids that need 64 bits with a constant first column, then 96, then 160.
        for (arity, top) in [(3, u32::MAX), (3, 7), (5, u32::MAX)] {
            for first in [0, 1] {
                let row = |id: u32| [vec![if first == 0 { 6 } else { id }], vec![id; arity - 1]].concat();
                let ids = [row(top), row(0), row(3), row(top), row(0)].concat();
                let reversed: Vec<u32> = (0..arity as u32).rev().collect();
                let relation = any_arity(arity, ids, &orders(&[&reversed]));
                assert_eq!(rows(&relation), [row(0), row(3), row(top)], "{arity} {top} {first}");
                assert_eq!(relation.duplicates(), 2);
            }
        }
    }

    #[test]
    fn the_first_order_may_start_with_the_second_column() {
        let relation = binary(vec![pair(1, 5), pair(2, 4), pair(1, 5)], &orders(&[&[1, 0]]));
        assert_eq!(rows(&relation), [[2, 4], [1, 5]]);
        assert_eq!(relation.duplicates(), 1);
    }
}

//! From rows as given to sorted columns without repetition.
//!
//! A row is packed into one number, most significant column first, so that sorting rows is sorting numbers. Only rows
//! of more than 128 bits are compared column by column.

use super::directory::{self, Directory};
use super::relation::{Index, Relation};

/// Two ids in one number.
#[inline]
pub(crate) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The relation of a predicate without arguments that was given `count` times.
pub(crate) fn proposition(count: u64) -> Relation {
    let index = Index::new(&[], count.min(1) as u32, Directory::empty(), Box::default());
    Relation::new(0, count.saturating_sub(1), vec![index])
}

/// The relation of [`pair`]s of arguments.
pub(crate) fn binary(mut pairs: Vec<u64>, orders: &[Box<[u32]>]) -> Relation {
    let given = pairs.len();
    let (first, others) = orders.split_first().expect("a relation is sorted in at least one order");
    if first[0] == 1 {
        pairs.iter_mut().for_each(|pair| *pair = pair.rotate_left(32));
    }
    sort_distinct(&mut pairs);
    let mut indexes = vec![from_pairs(first, pairs)];
    for order in others {
        indexes.push(turn(&indexes[0], order));
    }
    Relation::new(2, (given - indexes[0].rows()) as u64, indexes)
}

/// The relation of rows of `arity` ids, one row after the other.
pub(crate) fn any_arity(arity: usize, ids: Vec<u32>, orders: &[Box<[u32]>]) -> Relation {
    let given = ids.len() / arity;
    let columns = Columns::new(arity, &ids);
    let indexes = match columns.bits.iter().sum() {
        0..=64 => columns.pack_all::<u64>(ids, orders),
        65..=128 => columns.pack_all::<u128>(ids, orders),
        _ => orders.iter().map(|order| compare(arity, &ids, order)).collect(),
    };
    Relation::new(arity, (given - indexes[0].rows()) as u64, indexes)
}

fn sort_distinct<K: Ord>(keys: &mut Vec<K>) {
    // Files are often written in order; looking is much cheaper than sorting.
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    keys.dedup();
}

/// The index of sorted pairs.
fn from_pairs(order: &[u32], pairs: Vec<u64>) -> Index {
    let high = |pair: &u64| (pair >> 32) as u32;
    let directory = Directory::from_sorted(pairs.iter().map(high));
    let rest = pairs.iter().map(|&pair| pair as u32).collect();
    Index::new(order, pairs.len() as u32, directory, Box::new([rest]))
}

/// The index of a binary relation by its other column.
fn turn(index: &Index, order: &[u32]) -> Index {
    let column = index.column(1);
    let rows = || index.directory().iter().flat_map(|(key, run)| column[run].iter().map(move |&value| (key, value)));
    let (Some(&least), Some(&most)) = (column.iter().min(), column.iter().max()) else {
        return Index::new(order, 0, Directory::empty(), Box::new([Vec::new()]));
    };
    if !directory::is_dense(least, most, column.len()) {
        let mut pairs: Vec<u64> = rows().map(|(key, value)| pair(value, key)).collect();
        pairs.sort_unstable();
        return from_pairs(order, pairs);
    }
    // Counting sort: the rows come in order of the key, so each run is filled in that order.
    let span = (most - least) as usize + 1;
    let mut next = vec![0u32; span + 1];
    for &value in column {
        next[(value - least) as usize] += 1;
    }
    let mut start = 0;
    for slot in &mut next {
        let count = *slot;
        *slot = start;
        start += count;
    }
    let mut rest = vec![0; column.len()];
    for (key, value) in rows() {
        let row = &mut next[(value - least) as usize];
        rest[*row as usize] = key;
        *row += 1;
    }
    // Each entry has moved from the start of its run to the start of the next.
    next.copy_within(..span, 1);
    next[0] = 0;
    Index::new(order, rest.len() as u32, Directory::dense(least, next), Box::new([rest]))
}

/// A number that holds the columns of a row.
trait Packed: Copy + Ord {
    const ZERO: Self;
    /// The number with `value` behind its last bit; `bits` is at most 32.
    fn append(self, value: u32, bits: u32) -> Self;
    /// The part of `bits` bits that has `shift` bits behind it.
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
                // An empty part may lie before the first bit.
                if bits == 0 { 0 } else { (self >> shift) as u32 & (u32::MAX >> (32 - bits)) }
            }
        }
    )*};
}

packed!(u64, u128);

/// The least id of each column, and how many bits its ids need above that.
struct Columns {
    least: Vec<u32>,
    bits: Vec<u32>,
}

impl Columns {
    fn new(arity: usize, ids: &[u32]) -> Self {
        let (mut least, mut most) = (vec![u32::MAX; arity], vec![0; arity]);
        for row in ids.chunks_exact(arity) {
            for (k, &id) in row.iter().enumerate() {
                least[k] = least[k].min(id);
                most[k] = most[k].max(id);
            }
        }
        let bits = least.iter().zip(&most).map(|(&least, &most)| 32 - most.saturating_sub(least).leading_zeros());
        Columns { bits: bits.collect(), least }
    }

    fn pack_all<K: Packed>(&self, ids: Vec<u32>, orders: &[Box<[u32]>]) -> Vec<Index> {
        let (last, before) = orders.split_last().expect("a relation is sorted in at least one order");
        let mut indexes: Vec<Index> =
            before.iter().map(|order| self.unpack::<K>(order, self.pack(order, &ids))).collect();
        let keys = self.pack::<K>(last, &ids);
        // Not needed while the last keys are sorted and taken apart: that is when most memory is held.
        drop(ids);
        indexes.push(self.unpack(last, keys));
        indexes
    }

    fn pack<K: Packed>(&self, order: &[u32], ids: &[u32]) -> Vec<K> {
        let append = |row: &[u32], key: K, &k: &u32| {
            let k = k as usize;
            key.append(row[k] - self.least[k], self.bits[k])
        };
        let arity = order.len();
        ids.chunks_exact(arity).map(|row| order.iter().fold(K::ZERO, |key, k| append(row, key, k))).collect()
    }

    fn unpack<K: Packed>(&self, order: &[u32], mut keys: Vec<K>) -> Index {
        sort_distinct(&mut keys);
        let mut shift = self.bits.iter().sum::<u32>();
        let mut columns = order.iter().map(|&k| {
            let (least, bits) = (self.least[k as usize], self.bits[k as usize]);
            shift -= bits;
            let shift = shift;
            keys.iter().map(move |key| least + key.part(shift, bits))
        });
        let directory = columns.next().map_or_else(Directory::empty, Directory::from_sorted);
        let rest = columns.map(Iterator::collect).collect();
        Index::new(order, keys.len() as u32, directory, rest)
    }
}

/// The index of rows that are too wide to pack.
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
    fn both_ways_to_turn_give_the_same() {
        // Close values are counted, far ones sorted; only the distance differs.
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
    fn rows_of_every_width_are_sorted_alike() {
        // Largest ids that need 64 bits with a constant column in front, then 96, then 160.
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
    fn a_first_order_by_the_second_column() {
        let relation = binary(vec![pair(1, 5), pair(2, 4), pair(1, 5)], &orders(&[&[1, 0]]));
        assert_eq!(rows(&relation), [[2, 4], [1, 5]]);
        assert_eq!(relation.duplicates(), 1);
    }
}

//! Maps the values of a sorted column to their runs of rows.

use std::ops::Range;

/// The start of each key's run in a sorted column.
///
/// If the key range is narrow, the directory is an array with one start per possible key; otherwise
/// it is a sorted list of keys. Either way it takes at most about eight bytes per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    keys: Keys,
    /// Start of each run, followed by the number of rows: run `i` is `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Keys {
    /// Key `base + i` has run `i`, which is empty if the key does not occur.
    Dense { base: u32 },
    /// The distinct keys in ascending order; key `i` has run `i`.
    Sparse(Vec<u32>),
}

/// Returns whether the key range `first..=last` is narrow enough for one start per key.
///
/// Two starts per row take eight bytes, as much as the worst-case list of keys with their starts.
/// Names and numbers are 2³¹ apart, so a column that contains both is stored as a list.
pub(crate) fn is_dense(first: u32, last: u32, rows: usize) -> bool {
    u64::from(last - first) < 2 * rows as u64
}

impl Directory {
    /// Builds the directory of a sorted column.
    pub(crate) fn from_sorted(column: impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone) -> Self {
        let rows = column.len();
        let (Some(first), Some(last)) = (column.clone().next(), column.clone().next_back()) else {
            return Self::empty();
        };
        if is_dense(first, last, rows) {
            let mut starts = Vec::with_capacity((last - first) as usize + 2);
            for (row, key) in column.enumerate() {
                // One start for this key if it is new, and one for each key skipped before it.
                let slot = (key - first) as usize;
                if starts.len() <= slot {
                    starts.resize(slot + 1, row as u32);
                }
            }
            starts.push(rows as u32);
            return Directory { keys: Keys::Dense { base: first }, starts };
        }
        let (mut keys, mut starts) = (Vec::new(), Vec::new());
        for (row, key) in column.enumerate() {
            if keys.last() != Some(&key) {
                keys.push(key);
                starts.push(row as u32);
            }
        }
        starts.push(rows as u32);
        keys.shrink_to_fit();
        starts.shrink_to_fit();
        Directory { keys: Keys::Sparse(keys), starts }
    }

    /// Builds a dense directory from the starts of `base` and all following keys, then the row
    /// count.
    pub(crate) fn dense(base: u32, starts: Vec<u32>) -> Self {
        Directory { keys: Keys::Dense { base }, starts }
    }

    /// Creates the directory of an empty column.
    pub(crate) fn empty() -> Self {
        Directory { keys: Keys::Sparse(Vec::new()), starts: vec![0] }
    }

    /// Returns the rows that contain `key`.
    #[inline]
    pub fn run(&self, key: u32) -> Range<usize> {
        match self.starts.get(self.slot(key)..).and_then(|rest| rest.first_chunk::<2>()) {
            Some(&[start, end]) => start as usize..end as usize,
            None => 0..0,
        }
    }

    /// Returns the slot of a key, or an invalid slot if the key is out of range.
    #[inline]
    pub(crate) fn slot(&self, key: u32) -> usize {
        match &self.keys {
            Keys::Dense { base } => key.wrapping_sub(*base) as usize,
            Keys::Sparse(keys) => keys.binary_search(&key).unwrap_or(keys.len()),
        }
    }

    /// Returns the number of runs, including the empty ones of absent keys.
    pub fn slots(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the key of a slot, which must be below [`Directory::slots`].
    #[inline]
    pub fn key(&self, slot: usize) -> u32 {
        match &self.keys {
            Keys::Dense { base } => base + slot as u32,
            Keys::Sparse(keys) => keys[slot],
        }
    }

    /// Returns the end of a slot's run.
    #[inline]
    pub(crate) fn end(&self, slot: usize) -> usize {
        self.starts[slot + 1] as usize
    }

    /// Iterates over the keys that occur, in ascending order, with their rows.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        let run = |slot: usize| self.starts[slot] as usize..self.starts[slot + 1] as usize;
        (0..self.slots()).map(move |slot| (self.key(slot), run(slot))).filter(|(_, run)| !run.is_empty())
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        let keys = match &self.keys {
            Keys::Dense { .. } => 0,
            Keys::Sparse(keys) => keys.capacity(),
        };
        4 * (keys + self.starts.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(column: &[u32]) -> Directory {
        Directory::from_sorted(column.iter().copied())
    }

    #[test]
    fn narrow_key_ranges_are_dense_with_empty_runs_for_gaps() {
        let directory = of(&[5, 5, 7, 8, 8, 8]);
        assert_eq!(directory, Directory::dense(5, vec![0, 2, 2, 3, 6]));
        assert_eq!(directory.run(5), 0..2);
        assert!(directory.run(6).is_empty());
        assert_eq!(directory.run(7), 2..3);
        assert_eq!(directory.run(8), 3..6);
        for absent in [0, 4, 9, u32::MAX] {
            assert!(directory.run(absent).is_empty(), "{absent}");
        }
        assert_eq!(directory.iter().collect::<Vec<_>>(), [(5, 0..2), (7, 2..3), (8, 3..6)]);
    }

    #[test]
    fn mixed_names_and_numbers_are_sparse() {
        let column = [0, 3, 3, 1 << 31, u32::MAX];
        let directory = of(&column);
        assert_eq!(directory.slots(), 4);
        assert_eq!(directory.run(0), 0..1);
        assert_eq!(directory.run(3), 1..3);
        assert_eq!(directory.run(1 << 31), 3..4);
        assert_eq!(directory.run(u32::MAX), 4..5);
        assert!(directory.run(1).is_empty());
        assert!(directory.bytes() <= 8 * column.len() + 4);
    }

    #[test]
    fn the_full_range_of_ids_does_not_overflow() {
        assert!(!is_dense(0, u32::MAX, 1000));
        assert_eq!(of(&[u32::MAX]).run(u32::MAX), 0..1);
        assert!(of(&[u32::MAX]).run(0).is_empty());
        assert!(of(&[]).run(7).is_empty());
    }
}

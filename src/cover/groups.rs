//! Groups of examples that a component cannot distinguish: equal values of the head variables it
//! mentions and the same time limit.

use super::bits::Bits;
use crate::determinism::HashMap;
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// A partition of the examples.
#[derive(Debug)]
pub(crate) struct Groups {
    /// The group of each example.
    pub of: Vec<u32>,
    /// The first example of each group.
    pub first: Vec<u32>,
}

impl Groups {
    /// Returns the partition with all examples in one group.
    pub fn single(examples: usize) -> Self {
        Groups { of: vec![0; examples], first: if examples > 0 { vec![0] } else { Vec::new() } }
    }

    /// Splits every group by the value of `f` for its examples.
    pub fn refine(&self, f: impl Fn(usize) -> u32) -> Self {
        let mut known: HashMap<u64, u32> = HashMap::default();
        let mut first = Vec::new();
        let group = |(i, &group): (usize, &u32)| {
            *known.entry(u64::from(group) << 32 | u64::from(f(i))).or_insert_with(|| {
                first.push(i as u32);
                first.len() as u32 - 1
            })
        };
        Groups { of: self.of.iter().enumerate().map(group).collect(), first }
    }

    /// Returns the examples whose group has an example in a set.
    pub fn closure(&self, set: &Bits) -> Bits {
        if self.first.len() == self.of.len() {
            return set.clone();
        }
        let mut groups = Bits::zeros(self.first.len());
        set.iter().for_each(|i| groups.set(self.of[i] as usize, true));
        self.covered_words(groups.words())
    }

    /// Returns the examples whose group is in a set given as words.
    pub fn covered_words(&self, groups: &[u64]) -> Bits {
        if self.first.len() == self.of.len() {
            // Groups are numbered by their first examples.
            return Bits::from_words(self.of.len(), groups.to_vec());
        }
        Bits::from_fn(self.of.len(), |i| groups[self.of[i] as usize / 64] >> (self.of[i] % 64) & 1 == 1)
    }

    /// Returns the examples whose group has a nonzero count.
    pub fn covered(&self, counts: &[u32]) -> Bits {
        Bits::from_fn(self.of.len(), |i| counts[self.of[i] as usize] > 0)
    }
}

/// The distinct time limits of the examples.
#[derive(Debug)]
pub(super) struct TimeLimits {
    /// The index of each example's limit in `values`.
    pub of: Vec<u32>,
    /// The distinct limits.
    pub values: Vec<Option<f64>>,
}

impl TimeLimits {
    pub fn new(database: &Database, target: PredicateId, examples: &[Example]) -> Self {
        let mut known: HashMap<Option<u64>, u32> = HashMap::default();
        let mut values = Vec::new();
        let number = |example: &Example| {
            let limit = database.limit(target, &example.args);
            *known.entry(limit.map(f64::to_bits)).or_insert_with(|| {
                values.push(limit);
                values.len() as u32 - 1
            })
        };
        TimeLimits { of: examples.iter().map(number).collect(), values }
    }
}

//! Examples that look alike to a component: same values of the head variables it mentions, same limit in time.

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
    /// All examples in one group.
    pub fn whole(examples: usize) -> Self {
        Groups { of: vec![0; examples], first: if examples > 0 { vec![0] } else { Vec::new() } }
    }

    /// Splits every group by the value that `f` gives an example.
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

    /// The examples whose group has `true`.
    pub fn spread(&self, numbers: &[u32]) -> Bits {
        Bits::from_fn(self.of.len(), |i| numbers[self.of[i] as usize] > 0)
    }
}

/// The limits in time of the examples, numbered.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The number of each example's limit.
    pub of: Vec<u32>,
    /// The limits.
    pub values: Vec<Option<f64>>,
}

impl Limits {
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
        Limits { of: examples.iter().map(number).collect(), values }
    }
}

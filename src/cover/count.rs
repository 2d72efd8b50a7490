//! Grounding counts of conjunctions, and the thresholds of at-least-k tests.

use super::bits::Bits;
use crate::determinism::HashMap;
use crate::logic::clause::show_conjunction;
use crate::logic::{Literal, Predicates, Symbols};

/// The value at which grounding counts saturate.
pub const MAX_GROUNDINGS: u32 = 100;

/// The maximum number of thresholds tried per conjunction.
const MAX_THRESHOLDS: usize = 6;

/// Formats a test as a conjunction, or an at-least-k test as `at_least(k, (…))`, whose variables
/// other than those of the head are local.
pub fn show_test(test: &[Literal], at_least: u32, predicates: &Predicates, symbols: &Symbols) -> String {
    let conjunction = show_conjunction(test, predicates, symbols).to_string();
    if at_least == 1 { conjunction } else { format!("at_least({at_least}, ({conjunction}))") }
}

/// The number of groundings of a conjunction for each example, up to [`MAX_GROUNDINGS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundingCounts(pub(super) Vec<u8>);

const _: () = assert!(MAX_GROUNDINGS <= u8::MAX as u32);

impl GroundingCounts {
    /// Returns the count of an example.
    ///
    /// # Panics
    /// If the example does not exist.
    pub fn get(&self, example: usize) -> u32 {
        self.0[example].into()
    }

    /// Returns the counts of the conjunction of two components that share no variable.
    pub(super) fn product(&self, other: &GroundingCounts) -> GroundingCounts {
        let max = u16::from(MAX_GROUNDINGS as u8);
        let product = |(&a, &b): (&u8, &u8)| max.min(u16::from(a) * u16::from(b)) as u8;
        GroundingCounts(self.0.iter().zip(&other.0).map(product).collect())
    }

    /// Returns the examples with at least `min` groundings.
    pub fn at_least(&self, min: u32) -> Bits {
        Bits::from_fn(self.0.len(), |i| u32::from(self.0[i]) >= min)
    }

    /// Returns the counts above 1 that some but not all of these examples reach, in ascending
    /// order; if there are many, about equally spaced quantiles.
    pub(crate) fn thresholds(&self, here: &Bits) -> Vec<u32> {
        let mut frequencies: HashMap<u8, usize> = HashMap::default();
        for i in here.iter() {
            *frequencies.entry(self.0[i]).or_default() += 1;
        }
        let mut counts: Vec<(u8, usize)> = frequencies.into_iter().collect();
        counts.sort_unstable();
        let min = counts.first().map_or(0, |&(count, _)| count);
        counts.retain(|&(count, _)| count > min.max(1));
        if counts.len() <= MAX_THRESHOLDS {
            return counts.into_iter().map(|(count, _)| count.into()).collect();
        }
        let total: usize = counts.iter().map(|&(_, examples)| examples).sum();
        let (mut chosen, mut before) = (Vec::new(), 0);
        for (count, examples) in counts {
            // The first count at or beyond each quantile.
            if before * MAX_THRESHOLDS >= chosen.len() * total && chosen.len() < MAX_THRESHOLDS {
                chosen.push(count.into());
            }
            before += examples;
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_divide_the_examples() {
        let counts = GroundingCounts(vec![0, 1, 2, 2, 5, 9]);
        assert_eq!(counts.thresholds(&Bits::ones(6)), [2, 5, 9]);
        // All have at least two here, so two divides nothing.
        assert_eq!(counts.thresholds(&Bits::from_fn(6, |i| i >= 2)), [5, 9]);
        assert!(counts.thresholds(&Bits::from_fn(6, |i| i < 2)).is_empty());
        assert_eq!(counts.at_least(5), Bits::from_fn(6, |i| i >= 4));
    }

    #[test]
    fn many_thresholds_are_reduced_to_quantiles() {
        let counts = GroundingCounts((0..=100).collect());
        // 2 to 100, in six parts of 16 or 17.
        assert_eq!(counts.thresholds(&Bits::ones(101)), [2, 19, 35, 52, 68, 85]);
        // Most have two.
        let counts = GroundingCounts((0..100).map(|i| if i < 90 { 2 } else { i - 87 }).chain([0]).collect());
        assert_eq!(counts.thresholds(&Bits::ones(101))[..2], [2, 3]);
    }
}

//! How many groundings of a conjunction each example has, and which numbers are worth asking for.

use super::bits::Bits;
use crate::determinism::HashMap;
use crate::logic::clause::show_conjunction;
use crate::logic::{Literal, Predicates, Symbols};

/// Counts end here: whoever has so many groundings or more has so many.
pub const MOST_GROUNDINGS: u32 = 100;

/// No more numbers than this are asked for of one conjunction.
const MOST_THRESHOLDS: usize = 6;

/// A test as a conjunction; for several groundings `at_least(k, (…))`, in which variables beside the head's are its own.
pub fn show_test(test: &[Literal], at_least: u32, predicates: &Predicates, symbols: &Symbols) -> String {
    let conjunction = show_conjunction(test, predicates, symbols).to_string();
    if at_least == 1 { conjunction } else { format!("at_least({at_least}, ({conjunction}))") }
}

/// The number of groundings of a conjunction for each example, up to [`MOST_GROUNDINGS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub(crate) Vec<u8>);

const _: () = assert!(MOST_GROUNDINGS <= u8::MAX as u32);

impl Counts {
    /// The number for an example.
    ///
    /// # Panics
    /// If there is no such example.
    pub fn get(&self, example: usize) -> u32 {
        self.0[example].into()
    }

    /// The numbers of every choice of one grounding here and one there.
    pub(crate) fn times(&self, other: &Counts) -> Counts {
        let most = u16::from(MOST_GROUNDINGS as u8);
        let product = |(&a, &b): (&u8, &u8)| most.min(u16::from(a) * u16::from(b)) as u8;
        Counts(self.0.iter().zip(&other.0).map(product).collect())
    }

    /// The examples with so many groundings or more.
    pub fn at_least(&self, number: u32) -> Bits {
        Bits::from_fn(self.0.len(), |i| u32::from(self.0[i]) >= number)
    }

    /// Numbers above 1 that some but not all of these examples reach, in order. If there are many, those that divide the
    /// examples into parts of about the same size.
    pub(crate) fn thresholds(&self, here: &Bits) -> Vec<u32> {
        let mut of_each: HashMap<u8, usize> = HashMap::default();
        for i in here.iter() {
            *of_each.entry(self.0[i]).or_default() += 1;
        }
        let mut numbers: Vec<(u8, usize)> = of_each.into_iter().collect();
        numbers.sort_unstable();
        let least = numbers.first().map_or(0, |&(number, _)| number);
        numbers.retain(|&(number, _)| number > least.max(1));
        if numbers.len() <= MOST_THRESHOLDS {
            return numbers.into_iter().map(|(number, _)| number.into()).collect();
        }
        let total: usize = numbers.iter().map(|&(_, examples)| examples).sum();
        let (mut chosen, mut before) = (Vec::new(), 0);
        for (number, examples) in numbers {
            // The first number at or behind each of the places that divide the examples evenly.
            if before * MOST_THRESHOLDS >= chosen.len() * total && chosen.len() < MOST_THRESHOLDS {
                chosen.push(number.into());
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
    fn numbers_that_divide_the_examples() {
        let counts = Counts(vec![0, 1, 2, 2, 5, 9]);
        assert_eq!(counts.thresholds(&Bits::ones(6)), [2, 5, 9]);
        // All have two or more here, so two divides nothing.
        assert_eq!(counts.thresholds(&Bits::from_fn(6, |i| i >= 2)), [5, 9]);
        assert!(counts.thresholds(&Bits::from_fn(6, |i| i < 2)).is_empty());
        assert_eq!(counts.at_least(5), Bits::from_fn(6, |i| i >= 4));
    }

    #[test]
    fn of_many_numbers_those_stay_that_divide_evenly() {
        let counts = Counts((0..=100).collect());
        // 2 to 100, in six parts of 16 or 17.
        assert_eq!(counts.thresholds(&Bits::ones(101)), [2, 19, 35, 52, 68, 85]);
        // Most have two.
        let counts = Counts((0..100).map(|i| if i < 90 { 2 } else { i - 87 }).chain([0]).collect());
        assert_eq!(counts.thresholds(&Bits::ones(101))[..2], [2, 3]);
    }
}

//! Sets of examples, one for each candidate test.
//!
//! A set of few examples is kept as their indices. Most tests cover few examples, so memory grows
//! with the covered examples rather than with tests times examples.

use crate::cover::{Bits, elements_of_words};

/// Sets over one universe, in the order in which they were added.
#[derive(Debug)]
pub(super) struct Rows {
    /// The size of the universe.
    examples: usize,
    places: Vec<Place>,
    words: Vec<u64>,
    indices: Vec<u32>,
}

/// Where a set is kept.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    /// The number of its indices; `None` if it is kept as words.
    indices: Option<u32>,
}

/// One of the sets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row<'r> {
    /// As the words of [`Bits`].
    Words(&'r [u64]),
    /// As indices, in ascending order.
    Indices(&'r [u32]),
}

impl Rows {
    /// Returns no sets over a universe of this size.
    pub fn new(examples: usize) -> Self {
        Rows { examples, places: Vec::new(), words: Vec::new(), indices: Vec::new() }
    }

    /// Returns the size of the universe.
    pub fn examples(&self) -> usize {
        self.examples
    }

    fn stride(&self) -> usize {
        self.examples.div_ceil(64)
    }

    /// Adds a set, given as words.
    pub fn push(&mut self, words: &[u64]) {
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        // Fewer indices than words are also scored faster.
        if count >= self.stride() {
            self.places.push(Place { start: self.words.len(), indices: None });
            self.words.extend_from_slice(words);
            return;
        }
        self.places.push(Place { start: self.indices.len(), indices: Some(count as u32) });
        self.indices.extend(elements_of_words(words).map(|i| i as u32));
    }

    /// Returns the sets in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.places.len()).map(|row| self.get(row))
    }

    /// Returns a set.
    pub fn get(&self, row: usize) -> Row<'_> {
        let Place { start, indices } = self.places[row];
        match indices {
            Some(count) => Row::Indices(&self.indices[start..start + count as usize]),
            None => Row::Words(&self.words[start..start + self.stride()]),
        }
    }

    /// Returns a set as bits.
    pub fn bits(&self, row: usize) -> Bits {
        match self.get(row) {
            Row::Words(words) => Bits::from_words(self.examples, words.to_vec()),
            Row::Indices(indices) => {
                let mut bits = Bits::zeros(self.examples);
                indices.iter().for_each(|&i| bits.set(i as usize, true));
                bits
            }
        }
    }

    /// Frees the memory for further sets.
    pub fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.words.shrink_to_fit();
        self.indices.shrink_to_fit();
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.places[..]) + size_of_val(&self.words[..]) + size_of_val(&self.indices[..])
    }
}

impl Row<'_> {
    /// Returns whether this is the set that is given as words.
    pub fn is(&self, words: &[u64]) -> bool {
        match self {
            Row::Words(own) => *own == words,
            Row::Indices(own) => own.iter().map(|&i| i as usize).eq(elements_of_words(words)),
        }
    }

    /// Returns whether the sets have a common element.
    pub fn intersects(&self, other: &Bits) -> bool {
        match self {
            Row::Words(own) => own.iter().zip(other.words()).any(|(own, other)| own & other != 0),
            Row::Indices(own) => own.iter().any(|&i| other.get(i as usize)),
        }
    }

    /// Returns the number of common elements.
    pub fn count_and(&self, other: &Bits) -> usize {
        match self {
            Row::Words(own) => {
                own.iter().zip(other.words()).map(|(own, other)| (own & other).count_ones() as usize).sum()
            }
            Row::Indices(own) => own.iter().filter(|&&i| other.get(i as usize)).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Both forms give the same answers as the bits they were made of.
        #[test]
        fn rows_equal_the_bits_they_were_made_of(
            examples in 0usize..300,
            sets in prop::collection::vec((prop::collection::vec(0usize..300, 0..40), any::<bool>()), 1..8),
        ) {
            let complement = |bits: &Bits| Bits::ones(examples).and_not(bits);
            let sets: Vec<Bits> = sets
                .into_iter()
                .map(|(elements, dense)| {
                    let bits = Bits::from_fn(examples, |i| elements.contains(&i));
                    if dense { complement(&bits) } else { bits }
                })
                .collect();
            let mut rows = Rows::new(examples);
            sets.iter().for_each(|bits| rows.push(bits.words()));
            prop_assert_eq!(rows.iter().count(), sets.len());
            for (number, (row, bits)) in rows.iter().zip(&sets).enumerate() {
                prop_assert_eq!(&rows.bits(number), bits);
                let is_small = bits.count() < examples.div_ceil(64);
                prop_assert_eq!(matches!(row, Row::Indices(_)), is_small);
                for other in &sets {
                    prop_assert_eq!(row.is(other.words()), bits == other);
                    prop_assert_eq!(row.intersects(other), bits.and(other).any());
                    prop_assert_eq!(row.count_and(other), bits.count_and(other));
                }
            }
        }
    }
}

//! The arguments at which each constant occurs among the facts.
//!
//! Where there are many predicates, most constants occur in few of them. A look here replaces the
//! search of an index for each of the others.

use crate::kb::Database;
use crate::logic::{Constant, PredicateId};

/// The maximum number of words, per fact and in any case.
const WORDS_PER_FACT: usize = 1;
const MIN_WORDS: usize = 1 << 16;

/// For each constant, a set of arguments of predicates.
#[derive(Debug)]
pub(super) struct Occurrences {
    /// The number of the first argument of each predicate.
    first: Vec<usize>,
    /// The number of words for each constant.
    stride: usize,
    words: Vec<u64>,
}

impl Occurrences {
    /// Finds the occurrences of all constants; `None` if these are too many.
    pub fn new(database: &Database) -> Option<Self> {
        let (mut first, mut arguments) = (Vec::new(), 0);
        for predicate in database.predicates.iter() {
            first.push(arguments);
            arguments += database.facts.relation(predicate).arity();
        }
        let constants = database.symbols.names() + database.symbols.numbers();
        let stride = arguments.div_ceil(64);
        let words = stride.checked_mul(constants)?;
        if words > MIN_WORDS && words > WORDS_PER_FACT * database.facts.len() {
            return None;
        }
        let mut occurrences = Occurrences { first, stride, words: vec![0; words] };
        for predicate in database.predicates.iter() {
            let relation = database.facts.relation(predicate);
            for position in 0..relation.arity() {
                let argument = occurrences.first[predicate.0 as usize] + position;
                relation.for_each_value(position, |constant| {
                    let at = dense_index(constant.id(), database) as usize * stride + argument / 64;
                    occurrences.words[at] |= 1 << (argument % 64);
                });
            }
        }
        Some(occurrences)
    }

    /// Returns whether a constant, given by its index among all names and numbers, occurs at an
    /// argument of a predicate.
    #[inline]
    pub fn has(&self, constant: usize, predicate: PredicateId, position: usize) -> bool {
        let argument = self.first[predicate.0 as usize] + position;
        let word = self.words.get(constant * self.stride + argument / 64);
        word.is_some_and(|word| word >> (argument % 64) & 1 == 1)
    }
}

/// Returns the index of a constant among all names and numbers.
pub(super) fn dense_index(id: u32, database: &Database) -> u32 {
    let constant = Constant::from_id(id);
    match constant.name_index() {
        Some(index) => index as u32,
        None => database.symbols.names() as u32 + constant.number_index().unwrap_or_default() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample::{self, constants};

    #[test]
    fn constants_occur_where_the_facts_have_them() {
        let (database, ..) = sample::build("p(a, b). p(b, b). q(c). q(4). p(4, a).", None);
        let occurrences = Occurrences::new(&database).unwrap();
        let (p, q) = (database.predicates.find("p", 2).unwrap(), database.predicates.find("q", 1).unwrap());
        let [a, b, c, four] = constants(&database, ["a", "b", "c", "4"]);
        let at = |constant: Constant| {
            let index = dense_index(constant.id(), &database) as usize;
            [occurrences.has(index, p, 0), occurrences.has(index, p, 1), occurrences.has(index, q, 0)]
        };
        assert_eq!(
            [at(a), at(b), at(c), at(four)],
            [[true, true, false], [true, true, false], [false, false, true], [true, false, true]]
        );
    }
}

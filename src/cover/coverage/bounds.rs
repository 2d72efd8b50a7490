//! Upper bounds of coverage from cached answers.

use std::sync::{Arc, Mutex};

use crate::cover::bits::Bits;
use crate::cover::cache::{Cache, lock};
use crate::cover::conjunction::{ComponentKey, EncodedConjunction};

/// Upper bounds of the coverage of a component: coverage is anti-monotone, so no more examples are
/// covered than by some of its literals.
pub(super) struct Bounds<'s> {
    pub encoded: &'s EncodedConjunction,
    pub cache: &'s Mutex<Cache<ComponentKey, Arc<Bits>>>,
}

impl Bounds<'_> {
    /// Returns the examples that a component without its last literal covers, as far as cached.
    pub fn without_last(&self, members: &[usize]) -> Option<Bits> {
        let (_, smaller) = members.split_last()?;
        let mut bound = None;
        if self.is_monotone(members) {
            self.intersect(smaller, &mut bound);
        }
        bound
    }

    /// Returns the examples that a component covers without any one of its literals, as far as
    /// cached.
    pub fn tight(&self, members: &[usize]) -> Option<Bits> {
        let mut bound = None;
        if members.len() < 2 || !self.is_monotone(members) {
            return bound;
        }
        for omitted in (0..members.len()).rev() {
            let mut smaller = members.to_vec();
            smaller.remove(omitted);
            self.intersect(&smaller, &mut bound);
            if bound.as_ref().is_some_and(|bound: &Bits| !bound.any()) {
                break;
            }
        }
        bound
    }

    /// Returns whether no literal is negated: such a literal may be true more often without the
    /// literal that binds its variables.
    fn is_monotone(&self, members: &[usize]) -> bool {
        !members.iter().any(|&i| self.encoded.is_negated(i))
    }

    /// Intersects a bound with the cached coverage of the components of some literals.
    fn intersect(&self, smaller: &[usize], bound: &mut Option<Bits>) {
        // A comparison of an unbound variable is false.
        if !self.encoded.checks_are_bound(smaller) {
            return;
        }
        // Answers are cached for components without implied literals.
        let smaller = self.encoded.minimal(smaller);
        let keys = self.encoded.components(&smaller).into_iter().map(|component| self.encoded.key(&component));
        for bits in keys.filter_map(|key| lock(self.cache).get(&key)) {
            match bound {
                Some(bound) => bound.and_assign(&bits),
                None => *bound = Some(Bits::clone(&*bits)),
            }
        }
    }
}

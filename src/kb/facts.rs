//! Collects the facts of all predicates and sorts each relation in the orders it needs.

use rayon::prelude::*;

use super::relation::Relation;
use super::schema::Schema;
use super::{ordering, sorting};
use crate::logic::{Constant, PredicateId, Predicates, Ranks};
use crate::{cancel, parallel};

/// Approximate cost of sorting a fact in its orders, in steps of a simple loop.
const STEPS_PER_FACT: usize = 64;

/// A fact that cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    /// Row numbers of a predicate have 32 bits.
    #[error("more than {} facts of {predicate}: split the data, or remove facts that no mode uses", u32::MAX)]
    TooMany {
        /// The predicate, as `name/arity`.
        predicate: String,
    },
    /// The number of arguments differs from the arity.
    #[error("fact of {predicate} has {found} arguments: their number must match the arity")]
    WrongArity {
        /// The predicate, as `name/arity`.
        predicate: String,
        /// Number of arguments of the fact.
        found: usize,
    },
}

/// The facts of one predicate, unsorted.
#[derive(Clone, Debug)]
pub(super) enum RawFacts {
    /// Number of occurrences of a fact without arguments.
    Nullary(u64),
    /// Binary facts packed into one integer, the first argument in the high bits, for in-place
    /// sorting.
    Pairs(Vec<u64>),
    /// Rows concatenated.
    Flat { arity: usize, ids: Vec<u32> },
}

impl RawFacts {
    pub(super) fn new(arity: usize) -> Self {
        match arity {
            0 => RawFacts::Nullary(0),
            2 => RawFacts::Pairs(Vec::new()),
            _ => RawFacts::Flat { arity, ids: Vec::new() },
        }
    }

    fn rows(&self) -> usize {
        match self {
            RawFacts::Nullary(count) => *count as usize,
            RawFacts::Pairs(pairs) => pairs.len(),
            RawFacts::Flat { arity, ids } => ids.len() / arity,
        }
    }

    fn arity(&self) -> usize {
        match self {
            RawFacts::Nullary(_) => 0,
            RawFacts::Pairs(_) => 2,
            RawFacts::Flat { arity, .. } => *arity,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, args: &[Constant]) {
        match (self, args) {
            (RawFacts::Nullary(count), _) => *count += 1,
            (RawFacts::Pairs(pairs), [a, b]) => pairs.push(sorting::pair(a.id(), b.id())),
            (RawFacts::Pairs(_), _) => {}
            (RawFacts::Flat { ids, .. }, _) => ids.extend(args.iter().map(|c| c.id())),
        }
    }

    /// Gives all constants their new ids.
    fn renumber(&mut self, ranks: &Ranks) {
        let worthwhile = parallel::is_worthwhile(self.rows().saturating_mul(4));
        let one = |id: &mut u32| *id = ranks.id(*id);
        let two =
            |packed: &mut u64| *packed = sorting::pair(ranks.id((*packed >> 32) as u32), ranks.id(*packed as u32));
        match self {
            RawFacts::Nullary(_) => {}
            RawFacts::Pairs(pairs) if worthwhile => pairs.par_iter_mut().with_min_len(1 << 14).for_each(two),
            RawFacts::Pairs(pairs) => pairs.iter_mut().for_each(two),
            RawFacts::Flat { ids, .. } if worthwhile => ids.par_iter_mut().with_min_len(1 << 14).for_each(one),
            RawFacts::Flat { ids, .. } => ids.iter_mut().for_each(one),
        }
    }

    pub(super) fn index(self, orders: &[Box<[u32]>]) -> Relation {
        match self {
            RawFacts::Nullary(count) => sorting::proposition(count),
            RawFacts::Pairs(pairs) => sorting::binary(pairs, orders),
            RawFacts::Flat { arity, ids } => sorting::any_arity(arity, ids, orders),
        }
    }
}

/// Builder of [`Facts`]; accepts facts in any order, with duplicates.
#[derive(Clone, Debug, Default)]
pub struct FactsBuilder {
    raw: Vec<RawFacts>,
}

impl FactsBuilder {
    /// Creates an empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// If the number of arguments is wrong, or the predicate already has 2³² − 1 facts.
    ///
    /// # Panics
    /// If `predicates` does not contain this id.
    #[inline]
    pub fn push(
        &mut self,
        predicate: PredicateId,
        args: &[Constant],
        predicates: &Predicates,
    ) -> Result<(), FactError> {
        let known = self.raw.len();
        if predicate.0 as usize >= known {
            self.raw.extend(predicates.iter().skip(known).map(|id| RawFacts::new(predicates.arity(id))));
        }
        let raw = &mut self.raw[predicate.0 as usize];
        if args.len() != raw.arity() {
            return Err(FactError::WrongArity { predicate: predicates.show(predicate).to_string(), found: args.len() });
        }
        let rows = raw.rows();
        // All facts that are read, generated or rewritten come here.
        cancel::poll_at(rows);
        if rows >= u32::MAX as usize {
            return Err(FactError::TooMany { predicate: predicates.show(predicate).to_string() });
        }
        raw.push(args);
        Ok(())
    }

    /// Returns the number of facts added, including duplicates.
    pub fn len(&self) -> usize {
        self.raw.iter().map(RawFacts::rows).sum()
    }

    /// Returns whether no fact was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives all constants and predicates their new ids; `predicates` are those with the new ids.
    pub(super) fn renumber(&mut self, constants: &Ranks, ranks: &[PredicateId], predicates: &Predicates) {
        let mut raw: Vec<RawFacts> = predicates.iter().map(|id| RawFacts::new(predicates.arity(id))).collect();
        for (mut facts, rank) in std::mem::take(&mut self.raw).into_iter().zip(ranks) {
            if !constants.is_identity() {
                facts.renumber(constants);
            }
            raw[rank.0 as usize] = facts;
        }
        self.raw = raw;
    }

    /// Sorts every relation in the orders the modes need, releasing the unsorted facts one relation
    /// at a time.
    pub fn build(mut self, schema: &Schema, predicates: &Predicates) -> Facts {
        let rows = self.len();
        self.raw.extend(predicates.iter().skip(self.raw.len()).map(|id| RawFacts::new(predicates.arity(id))));
        let jobs: Vec<(PredicateId, RawFacts)> = predicates.iter().zip(self.raw).collect();
        let index = |(id, raw): (PredicateId, RawFacts)| {
            cancel::poll();
            raw.index(&ordering::orders(&schema.patterns(id), predicates.arity(id)))
        };
        let relations = if parallel::is_worthwhile(rows.saturating_mul(STEPS_PER_FACT)) {
            parallel::collected(jobs.into_par_iter().map(index))
        } else {
            jobs.into_iter().map(index).collect()
        };
        Facts { relations, empty: sorting::proposition(0) }
    }
}

/// The relations of all predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Indexed by predicate.
    pub(super) relations: Vec<Relation>,
    /// Relation of predicates interned after the facts were built.
    empty: Relation,
}

impl Facts {
    /// Returns the facts of a predicate, possibly empty.
    #[inline]
    pub fn relation(&self, predicate: PredicateId) -> &Relation {
        self.relations.get(predicate.0 as usize).unwrap_or(&self.empty)
    }

    /// Returns the number of distinct facts.
    pub fn len(&self) -> usize {
        self.relations.iter().map(Relation::len).sum()
    }

    /// Returns whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of duplicate facts that were removed.
    pub fn duplicates(&self) -> u64 {
        self.relations.iter().map(Relation::duplicates).sum()
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        self.relations.iter().map(Relation::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_checked_and_counted() {
        let mut predicates = Predicates::default();
        let (p, q) = (predicates.intern("p", 2), predicates.intern("q", 0));
        let mut builder = FactsBuilder::new();
        assert!(builder.is_empty());
        let [a, b] = [0, 1].map(Constant::from_id);
        builder.push(p, &[a, b], &predicates).unwrap();
        builder.push(p, &[a, b], &predicates).unwrap();
        let later = predicates.intern("later", 3);
        builder.push(later, &[a, b, a], &predicates).unwrap();
        builder.push(q, &[], &predicates).unwrap();
        let error = builder.push(p, &[a], &predicates).unwrap_err();
        assert_eq!(error.to_string(), "fact of p/2 has 1 arguments: their number must match the arity");
        assert_eq!((builder.len(), builder.is_empty()), (4, false));

        let mut full = FactsBuilder { raw: vec![RawFacts::new(2), RawFacts::Nullary(u64::from(u32::MAX))] };
        let error = full.push(q, &[], &predicates).unwrap_err().to_string();
        assert!(error.starts_with("more than 4294967295 facts of q/0"), "{error}");
        full.push(p, &[a, b], &predicates).unwrap();

        let facts = builder.build(&Schema::new(), &predicates);
        assert_eq!((facts.len(), facts.duplicates()), (3, 1));
        assert!(facts.relation(later).contains(&[a, b, a]));
        assert!(facts.relation(q).contains(&[]));
        assert!(facts.relation(PredicateId(99)).is_empty());
    }
}

//! Collecting the facts of all predicates, and sorting each relation once in every order it needs.

use rayon::prelude::*;

use super::relation::Relation;
use super::schema::Schema;
use super::{ordering, sorting};
use crate::logic::{Constant, PredicateId, Predicates};
use crate::parallel;

/// To sort a fact in its orders takes about so many steps of a simple loop.
const STEPS_PER_FACT: usize = 64;

/// A fact that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    /// The rows of one predicate are numbered with 32 bits.
    #[error("more than {} facts of {predicate}: split the data, or drop facts that no mode uses", u32::MAX)]
    TooMany {
        /// The predicate, as `name/arity`.
        predicate: String,
    },
    /// The number of arguments is not that of the predicate.
    #[error("a fact of {predicate} has {found} arguments: give as many as the predicate has")]
    WrongArity {
        /// The predicate, as `name/arity`.
        predicate: String,
        /// How many arguments the fact has.
        found: usize,
    },
}

/// The facts of one predicate as they were given.
#[derive(Clone, Debug)]
pub(super) enum Raw {
    /// Nothing but a count: a fact without arguments.
    Nothing(u64),
    /// Both arguments of each fact in one number, the first above the second, so that they sort where they lie.
    Pairs(Vec<u64>),
    /// Row after row.
    Flat { arity: usize, ids: Vec<u32> },
}

impl Raw {
    pub(super) fn new(arity: usize) -> Self {
        match arity {
            0 => Raw::Nothing(0),
            2 => Raw::Pairs(Vec::new()),
            _ => Raw::Flat { arity, ids: Vec::new() },
        }
    }

    fn rows(&self) -> usize {
        match self {
            Raw::Nothing(count) => *count as usize,
            Raw::Pairs(pairs) => pairs.len(),
            Raw::Flat { arity, ids } => ids.len() / arity,
        }
    }

    fn arity(&self) -> usize {
        match self {
            Raw::Nothing(_) => 0,
            Raw::Pairs(_) => 2,
            Raw::Flat { arity, .. } => *arity,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, args: &[Constant]) {
        match (self, args) {
            (Raw::Nothing(count), _) => *count += 1,
            (Raw::Pairs(pairs), [a, b]) => pairs.push(sorting::pair(a.id(), b.id())),
            (Raw::Pairs(_), _) => {}
            (Raw::Flat { ids, .. }, _) => ids.extend(args.iter().map(|c| c.id())),
        }
    }

    pub(super) fn index(self, orders: &[Box<[u32]>]) -> Relation {
        match self {
            Raw::Nothing(count) => sorting::proposition(count),
            Raw::Pairs(pairs) => sorting::binary(pairs, orders),
            Raw::Flat { arity, ids } => sorting::any_arity(arity, ids, orders),
        }
    }
}

/// Facts as they come, in any order and with repetitions.
#[derive(Clone, Debug, Default)]
pub struct FactsBuilder {
    raw: Vec<Raw>,
}

impl FactsBuilder {
    /// No facts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// If the number of arguments is wrong, or the predicate has as many facts as rows can be numbered.
    ///
    /// # Panics
    /// If `predicates` did not give this id.
    #[inline]
    pub fn push(
        &mut self,
        predicate: PredicateId,
        args: &[Constant],
        predicates: &Predicates,
    ) -> Result<(), FactError> {
        let known = self.raw.len();
        if predicate.0 as usize >= known {
            self.raw.extend(predicates.iter().skip(known).map(|id| Raw::new(predicates.arity(id))));
        }
        let raw = &mut self.raw[predicate.0 as usize];
        if args.len() != raw.arity() {
            return Err(FactError::WrongArity { predicate: predicates.show(predicate).to_string(), found: args.len() });
        }
        if raw.rows() >= u32::MAX as usize {
            return Err(FactError::TooMany { predicate: predicates.show(predicate).to_string() });
        }
        raw.push(args);
        Ok(())
    }

    /// How many facts were added, counting repetitions.
    pub fn len(&self) -> usize {
        self.raw.iter().map(Raw::rows).sum()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sorts every relation in the orders that the modes need. The facts as given are dropped on the way, relation by
    /// relation.
    pub fn build(mut self, schema: &Schema, predicates: &Predicates) -> Facts {
        let rows = self.len();
        self.raw.extend(predicates.iter().skip(self.raw.len()).map(|id| Raw::new(predicates.arity(id))));
        let jobs: Vec<(PredicateId, Raw)> = predicates.iter().zip(self.raw).collect();
        let index =
            |(id, raw): (PredicateId, Raw)| raw.index(&ordering::orders(&schema.patterns(id), predicates.arity(id)));
        let relations = if parallel::pays(rows.saturating_mul(STEPS_PER_FACT)) {
            jobs.into_par_iter().map(index).collect()
        } else {
            jobs.into_iter().map(index).collect()
        };
        Facts { relations, nothing: sorting::proposition(0) }
    }
}

/// The relations of all predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// By predicate.
    pub(super) relations: Vec<Relation>,
    /// Stands for predicates that came after the facts.
    nothing: Relation,
}

impl Facts {
    /// The facts of a predicate; an empty relation if there are none.
    #[inline]
    pub fn relation(&self, predicate: PredicateId) -> &Relation {
        self.relations.get(predicate.0 as usize).unwrap_or(&self.nothing)
    }

    /// How many facts there are, each counted once.
    pub fn len(&self) -> usize {
        self.relations.iter().map(Relation::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many facts were dropped because they were there already.
    pub fn duplicates(&self) -> u64 {
        self.relations.iter().map(Relation::duplicates).sum()
    }

    /// Bytes held, counting capacity.
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
        let [a, b] = [0, 1].map(Constant::from_id);
        builder.push(p, &[a, b], &predicates).unwrap();
        builder.push(p, &[a, b], &predicates).unwrap();
        let later = predicates.intern("later", 3);
        builder.push(later, &[a, b, a], &predicates).unwrap();
        builder.push(q, &[], &predicates).unwrap();
        let error = builder.push(p, &[a], &predicates).unwrap_err();
        assert_eq!(error.to_string(), "a fact of p/2 has 1 arguments: give as many as the predicate has");
        assert_eq!(builder.len(), 4);

        let mut full = FactsBuilder { raw: vec![Raw::new(2), Raw::Nothing(u64::from(u32::MAX))] };
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

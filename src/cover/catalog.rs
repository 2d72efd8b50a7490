//! The facts as the join planner sees them: indexes and numbers of distinct values.
//!
//! The modes decide which indexes the facts have: those that match a literal added to a clause. A
//! join may visit literals in another order, such as from both ends of a chain towards its middle.
//! The catalog adds the indexes that this takes, on demand and for small relations only.

use std::sync::OnceLock;

use super::occurrences::Occurrences;
use crate::kb::{Database, Index, Relation, resorted};
use crate::logic::PredicateId;

/// The maximum number of facts of a relation that gets further indexes: they take memory.
const MAX_FACTS: usize = 1 << 17;

/// The maximum arity of a relation that gets further indexes.
const MAX_ARITY: usize = 4;

/// The relations of a database with statistics and further indexes.
#[derive(Debug)]
pub(crate) struct Catalog<'a> {
    pub database: &'a Database,
    /// By predicate: the number of distinct values per argument, see [`distinct_values`].
    distinct: Vec<OnceLock<Box<[f64]>>>,
    /// By predicate.
    extensions: Vec<OnceLock<Extension>>,
    /// `None` inside if it were large.
    occurrences: OnceLock<Option<Occurrences>>,
}

/// The further indexes of a relation.
#[derive(Debug)]
pub(super) struct Extension {
    /// The facts, sorted by each argument that no index of the relation itself starts with.
    relation: Option<Relation>,
    /// The number of distinct values per argument.
    pub distinct: Box<[f64]>,
}

impl<'a> Catalog<'a> {
    pub fn new(database: &'a Database) -> Self {
        let predicates = database.predicates.len();
        Catalog {
            database,
            distinct: (0..predicates).map(|_| OnceLock::new()).collect(),
            extensions: (0..predicates).map(|_| OnceLock::new()).collect(),
            occurrences: OnceLock::new(),
        }
    }

    /// Returns the number of distinct values per argument; an estimate where no index of the
    /// relation starts with it.
    pub(super) fn distinct(&self, predicate: PredicateId) -> &[f64] {
        match self.distinct.get(predicate.0 as usize) {
            Some(values) => values.get_or_init(|| distinct_values(self.database.facts.relation(predicate).indexes())),
            None => &[],
        }
    }

    /// Returns the further indexes of a relation, built at the first call.
    pub(super) fn extension(&self, predicate: PredicateId) -> Option<&Extension> {
        let extension = self.extensions.get(predicate.0 as usize)?;
        Some(extension.get_or_init(|| Extension::new(self.database.facts.relation(predicate))))
    }

    /// Returns the arguments at which each constant occurs, found at the first call; `None` if this
    /// takes much memory for the facts.
    pub(super) fn occurrences(&self) -> Option<&Occurrences> {
        self.occurrences.get_or_init(|| Occurrences::new(self.database)).as_ref()
    }
}

impl Extension {
    fn new(relation: &Relation) -> Self {
        let arity = relation.arity();
        let leads = |&position: &u32| relation.indexes().iter().any(|index| index.order().first() == Some(&position));
        let (leading, others): (Vec<u32>, Vec<u32>) = (0..arity as u32).partition(leads);
        // Arguments that lead an index are bound rarely where this index is not used.
        let order = |&first: &u32| -> Box<[u32]> {
            let rest = others.iter().chain(&leading).copied().filter(|&position| position != first);
            [first].into_iter().chain(rest).collect()
        };
        let orders: Vec<Box<[u32]>> = others.iter().map(order).collect();
        let is_small = arity <= MAX_ARITY && relation.len() <= MAX_FACTS;
        let extended = (is_small && !orders.is_empty()).then(|| resorted(relation, &orders));
        let added = extended.iter().flat_map(Relation::indexes);
        let distinct = distinct_values(relation.indexes().iter().chain(added));
        Extension { relation: extended, distinct }
    }

    /// Returns the further indexes.
    pub fn indexes(&self) -> &[Index] {
        self.relation.as_ref().map_or(&[], Relation::indexes)
    }
}

/// Returns the number of distinct values per argument; an estimate where no index starts with it.
fn distinct_values<'i>(indexes: impl IntoIterator<Item = &'i Index> + Clone) -> Box<[f64]> {
    let Some(any) = indexes.clone().into_iter().next() else { return Box::default() };
    let distinct = |position: usize| {
        let known = indexes.clone().into_iter().find(|index| index.order().first() == Some(&(position as u32)));
        let estimate = (any.rows() as f64).sqrt();
        known.map_or(estimate, |index| index.directory().iter().count() as f64).max(1.0)
    };
    (0..any.order().len()).map(distinct).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample::{self, constants};

    #[test]
    fn every_argument_leads_an_index() {
        let text = "mode: bond(+a, -a, #t). bond(a, b, s). bond(a, c, d). bond(b, c, s). h(X) :- bond(X, Y, Z).";
        let (database, clauses, _) = sample::build(text, None);
        let catalog = Catalog::new(&database);
        let bond = clauses[0].1[0].predicate;
        let extension = catalog.extension(bond).unwrap();
        let orders: Vec<&[u32]> = extension.indexes().iter().map(Index::order).collect();
        assert_eq!(orders, [[1, 2, 0], [2, 1, 0]]);
        assert_eq!(*extension.distinct, [2.0, 2.0, 2.0]);
        let [b, c] = constants(&database, ["b", "c"]);
        let by_second = &extension.indexes()[0];
        assert_eq!((by_second.run(b).len(), by_second.run(c).len()), (1, 2));
    }
}

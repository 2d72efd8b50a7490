//! Counterfactual databases that differ by one fact.

use std::fmt;

use super::database::Database;
use super::facts::RawFacts;
use super::ordering;
use super::relation::Relation;
use crate::logic::{Constant, PredicateId};

/// A ground fact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments.
    pub args: Box<[Constant]>,
}

/// Addition or removal of one fact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactChange {
    /// The fact is removed.
    Remove(Fact),
    /// The fact is added.
    Add(Fact),
}

impl FactChange {
    /// Returns the fact that is added or removed.
    pub fn fact(&self) -> &Fact {
        match self {
            FactChange::Remove(fact) | FactChange::Add(fact) => fact,
        }
    }
}

impl Database {
    /// Returns whether the fact is in the database.
    pub fn contains(&self, fact: &Fact) -> bool {
        self.facts.relation(fact.predicate).contains(&fact.args)
    }

    /// Displays a fact.
    pub fn show_fact<'a>(&'a self, fact: &'a Fact) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| f.write_str(&self.show_atom(fact.predicate, &fact.args)))
    }

    /// Evaluates `query` on the database with one fact changed, then restores the database.
    ///
    /// Only the relation of that fact is sorted again. Times are not recomputed, so changes to
    /// facts that define times have no effect on visibility.
    ///
    /// # Panics
    /// If the predicate is unknown or its arity differs from that of the fact.
    pub fn with_change<T>(&mut self, change: &FactChange, query: impl FnOnce(&Database) -> T) -> T {
        let fact = change.fact();
        let arity = self.predicates.arity(fact.predicate);
        assert_eq!(fact.args.len(), arity, "the arity of the fact differs from that of its predicate");
        let mut raw = RawFacts::new(arity);
        let rows = self.facts.relation(fact.predicate).iter().map(|row| row.to_vec());
        rows.filter(|row| row[..] != fact.args[..]).for_each(|row| raw.push(&row));
        if let FactChange::Add(_) = change {
            raw.push(&fact.args);
        }
        let changed = raw.index(&ordering::orders(&self.schema.patterns(fact.predicate), arity));
        let original = self.replace(fact.predicate, changed);
        let result = query(self);
        self.replace(fact.predicate, original);
        result
    }

    /// Replaces a relation and returns the previous one.
    fn replace(&mut self, predicate: PredicateId, relation: Relation) -> Relation {
        // Predicates may have been interned after the facts were built.
        while self.facts.relations.len() <= predicate.0 as usize {
            let id = PredicateId(self.facts.relations.len() as u32);
            let arity = self.predicates.arity(id);
            let empty = RawFacts::new(arity).index(&ordering::orders(&self.schema.patterns(id), arity));
            self.facts.relations.push(empty);
        }
        std::mem::replace(&mut self.facts.relations[predicate.0 as usize], relation)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::*;

    #[test]
    fn a_change_is_visible_in_all_indexes_and_then_undone() {
        let text = "mode: p(+x, -y). mode: p(-x, +y). p(a, b). p(b, c). q(a). r(a, b, c). rain. h(X) :- later(X, X).";
        let (mut database, ..) = sample::build(text, None);
        let before = database.facts.clone();
        let snow = database.predicates.intern("snow", 0);
        let [a, b, c] = constants(&database, ["a", "b", "c"]);
        for (name, args) in [
            ("p", &[a, b][..]),
            ("p", &[c, a]),
            ("q", &[a]),
            ("q", &[b]),
            ("r", &[a, b, c]),
            ("rain", &[]),
            ("later", &[a, a]),
            ("snow", &[]),
        ] {
            let fact = Fact { predicate: database.predicates.find(name, args.len()).unwrap(), args: args.into() };
            let (held, facts) = (database.contains(&fact), database.facts.len());
            let (with, without) = (FactChange::Add(fact.clone()), FactChange::Remove(fact.clone()));
            let state = |database: &Database| (database.contains(&fact), database.facts.len());
            assert_eq!(database.with_change(&with, state), (true, facts + usize::from(!held)), "{name}");
            assert_eq!(database.with_change(&without, state), (false, facts - usize::from(held)), "{name}");
            assert_eq!(state(&database), (held, facts));
        }
        for id in database.predicates.iter().filter(|&id| id != snow) {
            assert_eq!(database.facts.relation(id), before.relation(id));
        }
        // All indexes reflect the change.
        let p = database.predicates.find("p", 2).unwrap();
        let add = FactChange::Add(Fact { predicate: p, args: [c, b].into() });
        let found = database.with_change(&add, |database| {
            let rows = |bound: [Option<Constant>; 2]| database.facts.relation(p).lookup(&bound).count();
            (rows([None, Some(b)]), rows([Some(c), None]), database.facts.relation(p).indexes().len())
        });
        assert_eq!(found, (2, 1, 2));
    }
}

//! The clause of a hidden node and its evaluation.

use std::fmt;

use crate::cover::{Bits, Coverage};
use crate::kb::{Database, naive};
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::rename::{self, Names};
use crate::logic::{Constant, Literal, PredicateId, Variable};

/// A condition on a whole conjunction, besides the body of a rule.
///
/// It is closed: it shares only head variables with the rest of the rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Whether at least that many groundings must exist, or must not.
    pub holds: bool,
    /// The number of groundings, usually 1.
    pub at_least: u32,
    /// The conjunction.
    pub body: Vec<Literal>,
}

/// A clause P ∧ ¬N₁ ∧ …: a body that must have a grounding, and conditions on other conjunctions.
///
/// There are two kinds of negation. A negated literal of the body, `\+ q(X)`, refers to one
/// substitution: the grounding must not match it. A negated condition, `not (p(A, X), q(X))`,
/// states that no grounding exists at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rule {
    body: Vec<Literal>,
    conditions: Vec<Condition>,
}

impl Rule {
    /// Creates a rule for a target with `arity` arguments, whose variables are `0..arity`.
    ///
    /// All other variables are renumbered, so that no two conjunctions of the rule share one.
    pub fn new(body: Vec<Literal>, conditions: Vec<Condition>, arity: usize) -> Self {
        let mut next = arity as u32;
        let body = rename::apart(body, arity, &mut next);
        let conditions = conditions
            .into_iter()
            .map(|condition| Condition { body: rename::apart(condition.body, arity, &mut next), ..condition })
            .collect();
        Rule { body, conditions }
    }

    /// Returns the literals that must have a common grounding.
    pub fn body(&self) -> &[Literal] {
        &self.body
    }

    /// Returns the conditions on other conjunctions.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Returns whether it is true for every example, having no literals.
    pub fn is_always(&self) -> bool {
        self.body.is_empty() && self.conditions.is_empty()
    }

    /// Returns all literals, including those of conditions.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.body.iter().chain(self.conditions.iter().flat_map(|condition| &condition.body))
    }

    /// Returns the distinct predicates in order of first occurrence.
    pub fn predicates(&self) -> Vec<PredicateId> {
        let mut all: Vec<PredicateId> = Vec::new();
        for literal in self.literals() {
            if !all.contains(&literal.predicate) {
                all.push(literal.predicate);
            }
        }
        all
    }

    /// Translates the rule to other names; `None` if it is never true there. A negated condition
    /// that cannot be met there is dropped.
    pub fn bind(&self, from: Names<'_>, to: Names<'_>) -> Option<Rule> {
        let translate = |body: &[Literal]| rename::conjunction(body, |literal| rename::find(literal, from, to));
        let body = translate(&self.body)?;
        let mut conditions = Vec::new();
        for condition in &self.conditions {
            match translate(&condition.body) {
                Some(body) => conditions.push(Condition { body, ..condition.clone() }),
                None if condition.holds => return None,
                None => {}
            }
        }
        Some(Rule { body, conditions })
    }

    /// Returns the rule with `change` applied to its literals.
    pub(super) fn map(&self, mut change: impl FnMut(&Literal) -> Literal) -> Rule {
        let body = self.body.iter().map(&mut change).collect();
        let conditions = self.conditions.iter();
        let conditions = conditions
            .map(|condition| Condition { body: condition.body.iter().map(&mut change).collect(), ..condition.clone() })
            .collect();
        Rule { body, conditions }
    }

    /// Returns the examples it covers; its names must be those of the coverage.
    pub fn cover(&self, coverage: &Coverage<'_>) -> Bits {
        let mut covered = Bits::clone(&coverage.cover(&self.body));
        for condition in &self.conditions {
            let satisfied = match condition.at_least {
                1 => Bits::clone(&coverage.cover(&condition.body)),
                k => coverage.counts(&[&condition.body]).remove(0).at_least(k),
            };
            covered = if condition.holds { covered.and(&satisfied) } else { covered.and_not(&satisfied) };
        }
        covered
    }

    /// Returns the first grounding of the body by the naive evaluator, if the rule is true for
    /// these target arguments: the constant of each body variable, `None` for those that occur only
    /// in negated literals.
    // Paper: Appendix, inference: unification of the query with the head binds the first variables; the
    // body is then matched with the evidence, up to the first grounding.
    pub fn witness(
        &self,
        database: &Database,
        target: PredicateId,
        args: &[Constant],
    ) -> Option<Vec<Option<Constant>>> {
        let found = naive::witness(database, &self.body, target, args)?;
        let met = |condition: &Condition| {
            let enough = match condition.at_least {
                1 => naive::covers(database, &condition.body, target, args),
                k => naive::count(database, &condition.body, target, args) >= k as usize,
            };
            enough == condition.holds
        };
        self.conditions.iter().all(met).then_some(found)
    }

    /// Formats the clause in the notation that `lrbm convert --rules` reads. A head variable that
    /// the rule does not mention is `_`.
    pub fn show<'a>(&'a self, target: PredicateId, names: Names<'a>) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            f.write_str(names.predicates.name(target))?;
            for k in 0..names.predicates.arity(target) as u32 {
                f.write_str(if k == 0 { "(" } else { ", " })?;
                match self.literals().flat_map(Literal::variables).any(|v| v.0 == k) {
                    true => write!(f, "{}", variable_name(Variable(k)))?,
                    false => f.write_str("_")?,
                }
            }
            if names.predicates.arity(target) > 0 {
                f.write_str(")")?;
            }
            if !self.is_always() { write!(f, " :- {}", self.show_body(names)) } else { Ok(()) }
        })
    }

    /// Formats the part after `:-`; `true` if the rule has no literals.
    pub fn show_body<'a>(&'a self, names: Names<'a>) -> impl fmt::Display + 'a {
        let show = move |body: &'a [Literal]| show_conjunction(body, names.predicates, names.symbols);
        fmt::from_fn(move |f| {
            if self.is_always() || !self.body.is_empty() {
                write!(f, "{}", show(&self.body))?;
            }
            for (i, Condition { holds, at_least, body }) in self.conditions.iter().enumerate() {
                f.write_str(if i > 0 || !self.body.is_empty() { ", " } else { "" })?;
                match (holds, at_least) {
                    (true, 1) => write!(f, "exists ({})", show(body))?,
                    (false, 1) => write!(f, "not ({})", show(body))?,
                    (true, k) => write!(f, "at_least({k}, ({}))", show(body))?,
                    (false, k) => write!(f, "not at_least({k}, ({}))", show(body))?,
                }
            }
            Ok(())
        })
    }
}

//! The clause of a hidden node, and when it holds.

use std::fmt;

use crate::cover::{Bits, Coverage};
use crate::determinism::HashMap;
use crate::kb::{Database, naive};
use crate::logic::clause::{show_conjunction, variable_name};
use crate::logic::rename::{self, Names};
use crate::logic::{Argument, Constant, Literal, PredicateId, Variable};

/// A conjunction that is asked about as a whole, beside the body of a rule.
///
/// It is closed: it shares no variable with anything outside but those of the head.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Whether so many groundings must exist, or must not.
    pub holds: bool,
    /// How many groundings are meant: mostly 1.
    pub at_least: u32,
    /// The conjunction.
    pub body: Vec<Literal>,
}

/// A clause P ∧ ¬N₁ ∧ …: a body of which one grounding must exist, and conditions about other conjunctions.
///
/// There are two negations, and they are different. A negated literal of the body, `\+ q(X)`, holds for one substitution:
/// the grounding that is found must not match it. A condition that must not hold, `not (p(A, X), q(X))`, says that no
/// grounding exists at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rule {
    body: Vec<Literal>,
    conditions: Vec<Condition>,
}

impl Rule {
    /// A rule for a target with `arity` arguments, whose variables are `0..arity`.
    ///
    /// All other variables are numbered anew, so that no two conjunctions of the rule share one.
    pub fn new(body: Vec<Literal>, conditions: Vec<Condition>, arity: usize) -> Self {
        let mut next = arity as u32;
        let body = renumber(body, arity, &mut next);
        let conditions = conditions
            .into_iter()
            .map(|condition| Condition { body: renumber(condition.body, arity, &mut next), ..condition })
            .collect();
        Rule { body, conditions }
    }

    /// The literals of which one grounding must exist, all together.
    pub fn body(&self) -> &[Literal] {
        &self.body
    }

    /// What else must be or must not be.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether it holds for everything, since it asks nothing.
    pub fn is_always(&self) -> bool {
        self.body.is_empty() && self.conditions.is_empty()
    }

    /// Every literal, those of conditions as well.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.body.iter().chain(self.conditions.iter().flat_map(|condition| &condition.body))
    }

    /// The predicates that occur, each once, in order of first appearance.
    pub fn predicates(&self) -> Vec<PredicateId> {
        let mut all: Vec<PredicateId> = Vec::new();
        for literal in self.literals() {
            if !all.contains(&literal.predicate) {
                all.push(literal.predicate);
            }
        }
        all
    }

    /// The rule over other names; `None` if it never holds there. What is ruled out and cannot be there needs no asking.
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

    /// The same rule with its literals changed by `change`.
    pub(super) fn map(&self, mut change: impl FnMut(&Literal) -> Literal) -> Rule {
        let body = self.body.iter().map(&mut change).collect();
        let conditions = self.conditions.iter();
        let conditions = conditions
            .map(|condition| Condition { body: condition.body.iter().map(&mut change).collect(), ..condition.clone() })
            .collect();
        Rule { body, conditions }
    }

    /// The examples for which it holds; its names are those of the coverage.
    pub fn cover(&self, coverage: &Coverage<'_>) -> Bits {
        let mut covered = Bits::clone(&coverage.cover(&self.body));
        for condition in &self.conditions {
            let here = match condition.at_least {
                1 => Bits::clone(&coverage.cover(&condition.body)),
                k => coverage.counts(&[&condition.body]).remove(0).at_least(k),
            };
            covered = if condition.holds { covered.and(&here) } else { covered.and_not(&here) };
        }
        covered
    }

    /// The first grounding of the body, by the slow evaluator, if the rule holds for these arguments of the target: the
    /// constant of each variable of the body, `None` for those that only negated literals mention.
    // Paper: Appendix, inference: the query is unified with the head, which binds the first variables; then the body is
    // unified with the evidence, and the search ends at the first grounding.
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

    /// The clause in the notation that `lrbm convert --rules` reads. A variable of the head that the rule does not
    /// mention is `_`.
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

    /// What stands behind `:-`; `true` if nothing is asked.
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

/// The literals with their own variables numbered from `next` on, in order of appearance.
fn renumber(mut body: Vec<Literal>, arity: usize, next: &mut u32) -> Vec<Literal> {
    let mut known: HashMap<Variable, Variable> = HashMap::default();
    for arg in body.iter_mut().flat_map(|literal| &mut literal.args) {
        if let Argument::Variable(variable) = arg
            && variable.0 as usize >= arity
        {
            *variable = *known.entry(*variable).or_insert_with(|| {
                *next += 1;
                Variable(*next - 1)
            });
        }
    }
    body
}

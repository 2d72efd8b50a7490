//! Groundings of conjunctions for one query, in a fixed order.
//!
//! The search takes positive literals from left to right, and for each the facts ordered by their
//! arguments from left to right: names in order of first occurrence in the data, then numbers
//! likewise. Before it continues with a fact, it checks by the join search that the rest is
//! satisfiable, so it never backtracks and the first grounding costs no more than the facts tried.

use crate::cover::Coverage;
use crate::kb::naive::unify;
use crate::kb::{Database, Example, Fact, TypeId, View};
use crate::logic::{Argument, Constant, Literal, PredicateId};
use crate::rbm::network::{Condition, Rule};

/// The constant of each variable, head variables first; `None` for a variable that occurs only in
/// negated literals or comparisons.
pub type Grounding = Vec<Option<Constant>>;

/// The memory budget of a coverage for a single query.
const MEMORY_BYTES: usize = 16 << 20;

/// One query, evaluated for conjunctions.
pub(super) struct GroundQuery<'a> {
    database: &'a Database,
    target: PredicateId,
    coverage: Coverage<'a>,
    args: &'a [Constant],
    view: View<'a>,
}

/// The limits of a search for groundings, and whether it was truncated.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchBound {
    /// The number of groundings to find.
    pub groundings: usize,
    /// The remaining number of facts to try.
    pub facts: usize,
    /// Whether there may be more groundings.
    pub cut: bool,
}

/// Returns the query as an example of the target without a label.
pub(super) fn query_example(args: &[Constant]) -> [Example; 1] {
    [Example { args: args.into(), positive: false, class: 0, weight: 1.0, line: 0 }]
}

/// Substitutes the bound variables in literals.
pub fn substitute(body: &[Literal], grounding: &[Option<Constant>]) -> Vec<Literal> {
    let bound = |arg: &Argument| match arg {
        Argument::Variable(v) => grounding.get(v.0 as usize).copied().flatten().map_or(*arg, Argument::Constant),
        Argument::Constant(_) | Argument::Number(_) => *arg,
    };
    body.iter().map(|literal| Literal { args: literal.args.iter().map(bound).collect(), ..literal.clone() }).collect()
}

/// Returns the fact that a ground literal states; `None` for a comparison.
pub(super) fn ground_fact(literal: &Literal) -> Option<Fact> {
    let constant = |arg: &Argument| match arg {
        Argument::Constant(constant) => Some(*constant),
        Argument::Variable(_) | Argument::Number(_) => None,
    };
    if literal.comparison().is_some() {
        return None;
    }
    let args = literal.args.iter().map(constant).collect::<Option<Box<[Constant]>>>()?;
    Some(Fact { predicate: literal.predicate, args })
}

impl<'a> GroundQuery<'a> {
    pub fn new(database: &'a Database, target: PredicateId, query_example: &'a [Example; 1]) -> Self {
        let args = &query_example[0].args;
        let coverage = Coverage::new(database, target, query_example, MEMORY_BYTES);
        GroundQuery { database, target, coverage, args, view: database.view(target, args) }
    }

    /// Returns the facts and names.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// Returns the sorted constants of a type, including those of the query.
    pub fn constants_of_type(&self, kind: TypeId) -> Vec<Constant> {
        let mut all = self.database.constants_of_type(kind);
        let types = self.database.schema.argument_types(self.target).unwrap_or_default();
        all.extend(self.args.iter().zip(types).filter(|(_, here)| **here == kind).map(|(arg, _)| *arg));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns whether a rule is true.
    pub fn is_active(&self, rule: &Rule) -> bool {
        rule.cover(&self.coverage).get(0)
    }

    /// Returns whether the conjunction has a grounding.
    pub fn covers(&self, body: &[Literal]) -> bool {
        self.coverage.cover(body).get(0)
    }

    /// Counts the groundings of a condition, up to the required number.
    pub fn count(&self, condition: &Condition) -> u32 {
        match condition.at_least {
            1 => u32::from(self.covers(&condition.body)),
            required => self.coverage.counts(&[&condition.body])[0].get(0).min(required),
        }
    }

    /// Returns whether the query may see a fact.
    pub fn sees(&self, fact: &Fact) -> bool {
        self.database.view_includes(&self.view, fact.predicate, &fact.args)
    }

    /// Returns the grounding of the head variables.
    pub fn head(&self) -> Grounding {
        self.args.iter().copied().map(Some).collect()
    }

    /// Returns the first grounding of a conjunction.
    pub fn first(&self, body: &[Literal]) -> Option<Grounding> {
        let mut bound = SearchBound { groundings: 1, facts: usize::MAX, cut: false };
        self.groundings(body, &mut bound).pop()
    }

    /// Returns the first groundings of a conjunction within bounds.
    pub fn groundings(&self, body: &[Literal], bound: &mut SearchBound) -> Vec<Grounding> {
        let mut found = Vec::new();
        let variables = body.iter().flat_map(Literal::variables).map(|v| v.0 as usize + 1).max().unwrap_or(0);
        let mut head = self.head();
        head.resize(variables.max(head.len()), None);
        if self.covers(body) {
            self.extend(&substitute(body, &head), head, bound, &mut found);
        }
        found
    }

    /// Extends a grounding by the remaining literals, which are known to be satisfiable.
    fn extend(&self, left: &[Literal], grounding: Grounding, bound: &mut SearchBound, found: &mut Vec<Grounding>) {
        if found.len() >= bound.groundings {
            bound.cut = true;
            return;
        }
        let Some(next) = left.iter().position(|literal| !literal.is_check()) else {
            found.push(grounding);
            return;
        };
        let rest = [&left[..next], &left[next + 1..]].concat();
        for fact in self.matches(&left[next]) {
            if bound.facts == 0 || (bound.cut && found.len() >= bound.groundings) {
                bound.cut = true;
                return;
            }
            bound.facts -= 1;
            let Some(extended) = unify(&left[next], &fact.args, &grounding) else { continue };
            let rest = substitute(&rest, &extended);
            if self.covers(&rest) {
                self.extend(&rest, extended, bound, found);
                if bound.groundings == 1 && !found.is_empty() {
                    return;
                }
            }
        }
    }

    /// Returns the visible facts that match a literal, in order.
    pub fn matches(&self, literal: &Literal) -> Vec<Fact> {
        let constant = |arg: &Argument| match arg {
            Argument::Constant(constant) => Some(*constant),
            Argument::Variable(_) | Argument::Number(_) => None,
        };
        let bound: Vec<Option<Constant>> = literal.args.iter().map(constant).collect();
        let rows = self.database.facts.relation(literal.predicate).lookup(&bound);
        let fact = |args: Vec<Constant>| Fact { predicate: literal.predicate, args: args.into() };
        let mut facts: Vec<Fact> = rows.map(|row| fact(row.to_vec())).filter(|fact| self.sees(fact)).collect();
        facts.sort_unstable();
        facts
    }

    /// Returns the distinct facts of a grounding, in the order of the literals.
    pub fn facts(&self, body: &[Literal], grounding: &[Option<Constant>]) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        for literal in substitute(body, grounding).iter().filter(|literal| !literal.is_check()) {
            facts.extend(ground_fact(literal).filter(|fact| !facts.contains(fact)));
        }
        facts
    }
}

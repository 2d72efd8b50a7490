//! Rules over the names of a database, and the state of an enumeration of their groundings.

use super::template::{Template, TemplateRule};
use crate::cancel;
use crate::kb::Database;
use crate::logic::rename;
use crate::logic::{Argument, Constant, Literal, PredicateId, Variable};

/// The number of facts looked at between two polls for cancellation.
const FACTS_PER_POLL: usize = 1 << 10;

/// The predicate of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomKind {
    Facts(PredicateId),
    /// Index of a head.
    Latent(usize),
}

/// A literal resolved against the names of a database.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundLiteral {
    pub kind: AtomKind,
    pub args: Vec<Argument>,
}

/// A rule resolved against the names of a database.
#[derive(Clone, Debug)]
pub(super) struct BoundRule {
    /// Index in the template.
    pub number: u32,
    /// Number of arguments of the head.
    pub arity: usize,
    pub variables: usize,
    pub body: Vec<BoundLiteral>,
    /// The body without duplicate literals, which do not change the groundings.
    pub distinct: Vec<BoundLiteral>,
}

pub(super) type RuleBindings = Vec<Option<Constant>>;

/// Groundings of a rule: the values of its variables.
pub(super) struct Groundings {
    /// The number of variables.
    pub width: usize,
    pub values: Vec<Option<Constant>>,
    pub number: usize,
}

impl Groundings {
    pub fn push(&mut self, bindings: &[Option<Constant>]) {
        self.values.extend_from_slice(bindings);
        self.number += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Option<Constant>]> {
        (0..self.number).map(|k| &self.values[k * self.width..(k + 1) * self.width])
    }
}

/// The state of an enumeration of groundings.
pub(super) struct GroundingSearch {
    pub found: Groundings,
    /// Remaining facts to visit.
    pub steps: usize,
    pub cut: bool,
    /// The grounding that exceeded the limit, if one did.
    pub overflow: Option<RuleBindings>,
    pub bindings: RuleBindings,
    /// The literals that are matched.
    pub matched: Vec<bool>,
    /// The variables that were bound, in this order.
    pub bound: Vec<u32>,
    /// The facts looked at since the last poll for cancellation, matching or not.
    pub unpolled: usize,
}

impl GroundingSearch {
    /// Creates the state before the first step.
    pub fn new(body: &[BoundLiteral], variables: usize, head: &[Option<Constant>], steps: usize) -> Self {
        let mut bindings = head.to_vec();
        bindings.resize(variables, None);
        GroundingSearch {
            found: Groundings { width: variables, values: Vec::new(), number: 0 },
            steps,
            cut: false,
            overflow: None,
            bindings,
            matched: vec![false; body.len()],
            bound: Vec::new(),
            unpolled: 0,
        }
    }

    /// Polls for cancellation at intervals.
    pub fn poll(&mut self, facts: usize) {
        self.unpolled += 1 + facts;
        if self.unpolled >= FACTS_PER_POLL {
            self.unpolled = 0;
            cancel::poll();
        }
    }

    /// Unifies the arguments of a literal with a fact.
    pub fn unify(&mut self, args: &[Argument], fact: impl Iterator<Item = Constant>) -> bool {
        args.iter().zip(fact).all(|(arg, constant)| match *arg {
            Argument::Constant(known) => known == constant,
            Argument::Variable(Variable(k)) => match self.bindings[k as usize] {
                Some(known) => known == constant,
                None => {
                    self.bindings[k as usize] = Some(constant);
                    self.bound.push(k);
                    true
                }
            },
            Argument::Number(_) => false,
        })
    }

    /// Unbinds all variables but the first ones that were bound.
    pub fn unbind(&mut self, to: usize) {
        for k in self.bound.drain(to..) {
            self.bindings[k as usize] = None;
        }
    }
}

/// Substitutes the bindings into the arguments.
pub(super) fn ground(args: &[Argument], bindings: &[Option<Constant>]) -> impl Iterator<Item = Option<Constant>> {
    args.iter().map(|&arg| value(arg, bindings))
}

pub(super) fn value(arg: Argument, bindings: &[Option<Constant>]) -> Option<Constant> {
    match arg {
        Argument::Constant(constant) => Some(constant),
        Argument::Variable(Variable(k)) => bindings[k as usize],
        // Templates with comparisons are rejected on reading.
        Argument::Number(_) => None,
    }
}

/// Resolves a rule against the names of a database; `None` if a name is unknown.
pub(super) fn resolve(template: &Template, rule: &TemplateRule, number: u32, database: &Database) -> Option<BoundRule> {
    let literal = |literal: &Literal| match template.head_number(literal.predicate) {
        Some(head) => {
            // Latent predicates are not in the database; only constants are resolved.
            let args = literal.args.iter().map(|arg| rename::find_argument(*arg, template.names(), database.names()));
            Some(BoundLiteral { kind: AtomKind::Latent(head), args: args.collect::<Option<_>>()? })
        }
        None => {
            let found = rename::find(literal, template.names(), database.names())?;
            Some(BoundLiteral { kind: AtomKind::Facts(found.predicate), args: found.args })
        }
    };
    let arity = template.predicates.arity(rule.head);
    let last = rule.body.iter().flat_map(Literal::variables).map(|variable| variable.0 as usize + 1).max();
    let body: Vec<BoundLiteral> = rule.body.iter().map(literal).collect::<Option<_>>()?;
    let mut distinct: Vec<BoundLiteral> = Vec::with_capacity(body.len());
    for literal in &body {
        if !distinct.contains(literal) {
            distinct.push(literal.clone());
        }
    }
    Some(BoundRule { number, arity, variables: last.unwrap_or(0).max(arity), body, distinct })
}

//! Rules that differ in one latent atom only share the enumeration of their groundings.
//!
//! The rules that [`super::groups`] adds to a clause have its facts and one latent atom, whose
//! predicate has one property of a constant per rule. Such an atom binds no variable, so the
//! groundings of the rule are those of the facts, in the same order, without the ones whose atom is
//! not derivable. One enumeration of the facts per example serves all these rules.

use std::rc::Rc;

use super::grounding::{AtomKind, BoundLiteral, BoundRule, GroundingSearch, RuleBindings};
use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::kb::Database;
use crate::logic::{Argument, Constant, Variable};

/// What rules share, by rule and head; nothing by default.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// For a rule with a single fact and one head argument, the constants for which it holds.
    holds: Vec<Option<HashSet<Constant>>>,
    /// For a head with such rules only, the constants for which it is derivable.
    derivable: Vec<Option<HashSet<Constant>>>,
    /// For a rule of facts and one atom of such a head, its body among the shared ones.
    members: Vec<Option<Member>>,
    pub bodies: Vec<SharedBody>,
}

/// A rule with the facts of a shared body and one latent atom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub body: usize,
    /// The head of the latent atom.
    pub head: usize,
    /// Index of its argument among [`SharedBody::arguments`].
    pub argument: usize,
}

/// The distinct facts of a body that several rules have.
#[derive(Debug)]
pub(super) struct SharedBody {
    pub facts: Vec<BoundLiteral>,
    pub variables: usize,
    /// The variables that are arguments of latent atoms.
    arguments: Vec<u32>,
}

/// The groundings of a shared body for a head.
#[derive(Debug)]
pub(super) struct SharedGroundings {
    pub head: RuleBindings,
    /// For each of [`SharedBody::arguments`], its values in order of occurrence with their numbers
    /// of groundings.
    values: Vec<Vec<(Constant, u32)>>,
    /// The values of the grounding that exceeds the limit, if there is one.
    overflow: Option<Vec<Constant>>,
    /// Whether a search for the facts and one latent atom is sure to visit no more facts than
    /// allowed.
    is_complete: bool,
}

impl Sharing {
    pub fn new(rules: &[Rc<BoundRule>], by_head: &[Vec<usize>], database: &Database, max_groundings: usize) -> Self {
        let holds: Vec<Option<HashSet<Constant>>> =
            rules.iter().map(|rule| constants(rule, database, max_groundings)).collect();
        let derivable: Vec<Option<HashSet<Constant>>> = by_head
            .iter()
            .map(|rules| {
                let mut all = HashSet::default();
                rules.iter().try_for_each(|&rule| holds[rule].as_ref().map(|own| all.extend(own.iter().copied())))?;
                Some(all)
            })
            .collect();
        let mut sharing = Sharing { holds, derivable, members: Vec::new(), bodies: Vec::new() };
        sharing.members = rules.iter().map(|rule| sharing.member(rule)).collect();
        sharing
    }

    fn member(&mut self, rule: &BoundRule) -> Option<Member> {
        let (facts, latent): (Vec<&BoundLiteral>, Vec<&BoundLiteral>) =
            rule.distinct.iter().partition(|literal| matches!(literal.kind, AtomKind::Facts(_)));
        let [BoundLiteral { kind: AtomKind::Latent(head), args }] = latent[..] else { return None };
        let [Argument::Variable(variable)] = args[..] else { return None };
        let is_bound = (variable.0 as usize) < rule.arity
            || facts.iter().any(|literal| literal.args.contains(&Argument::Variable(variable)));
        if !is_bound || self.derivable[*head].is_none() {
            return None;
        }
        let same = |body: &SharedBody| body.variables == rule.variables && body.facts.iter().eq(facts.iter().copied());
        let body = self.bodies.iter().position(same).unwrap_or_else(|| {
            let facts = facts.into_iter().cloned().collect();
            self.bodies.push(SharedBody { facts, variables: rule.variables, arguments: Vec::new() });
            self.bodies.len() - 1
        });
        let arguments = &mut self.bodies[body].arguments;
        let argument = arguments.iter().position(|&known| known == variable.0).unwrap_or_else(|| {
            arguments.push(variable.0);
            arguments.len() - 1
        });
        Some(Member { body, head: *head, argument })
    }

    /// Returns the constants for which a rule holds, if it has a single fact and one head argument.
    pub fn holds(&self, rule: usize) -> Option<&HashSet<Constant>> {
        self.holds.get(rule)?.as_ref()
    }

    pub fn member_of(&self, rule: usize) -> Option<Member> {
        *self.members.get(rule)?
    }

    /// Returns the values of a member's latent atom with their numbers of groundings, and whether a
    /// grounding exceeds the limit; `None` if the groundings of the body do not tell.
    pub fn values<'s>(
        &self,
        member: Member,
        groundings: &'s SharedGroundings,
    ) -> Option<(impl Iterator<Item = (Constant, u32)> + use<'s, '_>, bool)> {
        let derivable = self.derivable[member.head].as_ref()?;
        let values = &groundings.values[member.argument];
        if !groundings.is_complete {
            return None;
        }
        if let Some(overflow) = &groundings.overflow {
            // A grounding without its atom would make room for one beyond the limit.
            let mut all = values.iter().map(|&(value, _)| value).chain([overflow[member.argument]]);
            if !all.all(|value| derivable.contains(&value)) {
                return None;
            }
        }
        let derived = values.iter().copied().filter(|(value, _)| derivable.contains(value));
        Some((derived, groundings.overflow.is_some()))
    }
}

impl SharedGroundings {
    /// Summarizes a search for a shared body that was allowed this number of steps.
    pub fn new(body: &SharedBody, head: &RuleBindings, search: &GroundingSearch, steps: usize) -> Self {
        // Each fact visited leads to at most one visit of the latent atom, and so does the start.
        let used = 2 * (steps - search.steps) + 1;
        let value = |bindings: &[Option<Constant>], variable: u32| bindings.get(variable as usize).copied().flatten();
        let numbers = |&variable: &u32| {
            let mut numbers: IndexMap<Constant, u32> = IndexMap::default();
            for value in search.found.iter().filter_map(|bindings| value(bindings, variable)) {
                *numbers.entry(value).or_default() += 1;
            }
            numbers.into_iter().collect()
        };
        let overflow =
            |bindings: &RuleBindings| body.arguments.iter().filter_map(|&variable| value(bindings, variable)).collect();
        SharedGroundings {
            head: head.clone(),
            values: body.arguments.iter().map(numbers).collect(),
            overflow: search.overflow.as_ref().map(overflow),
            is_complete: used <= steps && search.cut == search.overflow.is_some(),
        }
    }
}

/// Returns the constants for which a rule with a single fact and one head argument holds; `None`
/// for other rules, and if a constant has more groundings than are enumerated.
fn constants(rule: &BoundRule, database: &Database, max_groundings: usize) -> Option<HashSet<Constant>> {
    let [BoundLiteral { kind: AtomKind::Facts(predicate), args }] = &rule.distinct[..] else { return None };
    let at = args.iter().position(|&arg| arg == Argument::Variable(Variable(0)))?;
    if rule.arity != 1 || args.iter().any(|arg| matches!(arg, Argument::Number(_))) {
        return None;
    }
    let given: RuleBindings = args
        .iter()
        .map(|arg| match *arg {
            Argument::Constant(constant) => Some(constant),
            _ => None,
        })
        .collect();
    let mut holds = HashSet::default();
    // All facts that a search visits count, also those that a repeated variable rejects.
    let mut visited: HashMap<Constant, usize> = HashMap::default();
    for row in database.facts.relation(*predicate).lookup(&given) {
        *visited.entry(row.get(at)).or_default() += 1;
        let agrees = |(k, arg): (usize, &Argument)| {
            let first = args.iter().position(|other| other == arg).unwrap_or(k);
            row.get(first) == row.get(k)
        };
        if args.iter().enumerate().all(agrees) {
            holds.insert(row.get(at));
        }
    }
    visited.values().all(|&number| number <= max_groundings).then_some(holds)
}

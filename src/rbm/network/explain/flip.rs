//! Counterfactuals: the single facts whose removal or addition would flip a decision.
//!
//! The search is bounded, and reports when it was truncated. It proposes to remove facts that
//! groundings of the rules use, and to add the fact that a conjunction of a rule lacks for one more
//! grounding. Constants are taken from the query and the grounding so far; for a compared number,
//! from the nearest numbers in the data that satisfy the comparison. Every proposal is verified by
//! evaluating the rules with that fact changed.

use super::super::{Condition, Rule};
use super::explainer::{Explainer, decide};
use super::ground::{GroundQuery, Grounding, SearchBound, ground_fact, query_example, substitute};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Fact, FactChange, TypeId};
use crate::logic::{Argument, Comparison, Constant, Literal, PredicateId, Variable};

/// The decision threshold, and the budget of the search for flips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlipOptions {
    /// Of two classes, the second is predicted if its probability is above this.
    pub threshold: f64,
    /// The maximum number of changes to evaluate; 0 disables the search.
    pub budget: usize,
}

impl Default for FlipOptions {
    fn default() -> Self {
        FlipOptions { threshold: 0.5, budget: 500 }
    }
}

/// The maximum number of groundings per conjunction with one literal left out.
const MAX_GROUNDINGS_TRIED: usize = 16;
/// The maximum number of facts tried per conjunction.
const MAX_FACTS: usize = 2_000;
/// The maximum number of facts tried in total.
const MAX_TOTAL_FACTS: usize = 200_000;

/// A changed fact that flips the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The change.
    pub change: FactChange,
    /// The probability of each class with it.
    pub probabilities: Vec<f64>,
    /// The class predicted with it.
    pub decision: usize,
}

/// The effect of single facts on a decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flips {
    /// The changes that flip the decision: removals before additions, each by decreasing effect.
    pub found: Vec<Flip>,
    /// The number of changes evaluated.
    pub tried: usize,
    /// The number of changes proposed but not evaluated for lack of budget.
    pub untried: usize,
    /// Whether the search for proposals was truncated.
    pub cut: bool,
    /// If no change flips the decision, the one that comes closest, if any does.
    pub closest: Option<Flip>,
}

/// Proposed changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposals {
    removals: IndexSet<Fact>,
    additions: IndexSet<Fact>,
    cut: bool,
}

/// Proposes the changes that could make a conjunction of these rules true or false.
pub(super) fn candidates(
    query: &GroundQuery<'_>,
    rules: &[&Rule],
    excluded: Option<PredicateId>,
    options: &FlipOptions,
) -> Proposals {
    let mut search =
        ProposalSearch { query, found: Proposals::default(), facts: MAX_TOTAL_FACTS, of_type: HashMap::default() };
    if options.budget == 0 {
        return search.found;
    }
    let mut seen: IndexSet<Condition> = IndexSet::default();
    for rule in rules {
        let body = Condition { holds: true, at_least: 1, body: rule.body().to_vec() };
        for condition in std::iter::once(&body).chain(rule.conditions()) {
            // After renumbering, equal conjunctions of different rules are searched once.
            let body = Rule::new(condition.body.clone(), Vec::new(), query.head().len()).body().to_vec();
            let same = Condition { holds: true, at_least: condition.at_least, body };
            if seen.insert(same.clone()) {
                search.search_condition(&same);
            }
        }
    }
    let mut found = search.found;
    found.removals.retain(|fact| Some(fact.predicate) != excluded);
    found.additions.retain(|fact| Some(fact.predicate) != excluded);
    found
}

struct ProposalSearch<'s, 'a> {
    query: &'s GroundQuery<'a>,
    found: Proposals,
    /// The remaining number of facts to try.
    facts: usize,
    /// The sorted constants of each type used so far.
    of_type: HashMap<TypeId, Vec<Constant>>,
}

impl ProposalSearch<'_, '_> {
    fn search_condition(&mut self, condition: &Condition) {
        let body = &condition.body;
        if self.query.count(condition) < condition.at_least {
            (0..body.len()).for_each(|i| self.without_literal(body, i));
            return;
        }
        let could_come = |literal: &&Literal| literal.negated && literal.comparison().is_none();
        let negated: Vec<Literal> = body.iter().filter(could_come).cloned().collect();
        for grounding in self.required_groundings(condition) {
            self.found.removals.extend(self.query.facts(body, &grounding));
            // Adding a fact that matches a negated literal invalidates the grounding.
            for literal in substitute(&negated, &grounding) {
                self.add(&literal, &[], &grounding);
            }
        }
    }

    /// Returns as many groundings as a condition requires. A change that leaves fewer than k
    /// groundings in total leaves fewer than k of these, so it removes one of these.
    fn required_groundings(&mut self, condition: &Condition) -> Vec<Grounding> {
        let wanted = condition.at_least as usize;
        if wanted == 1 {
            return self.query.first(&condition.body).into_iter().collect();
        }
        let mut bound = SearchBound { groundings: wanted, facts: self.facts, cut: false };
        let groundings = self.query.groundings(&condition.body, &mut bound);
        self.facts = bound.facts;
        self.found.cut |= groundings.len() < wanted;
        groundings
    }

    /// Proposes changes for groundings that lack only one literal. A failing comparison is not
    /// changed by a fact of its own, but by another literal of the conjunction that provides the
    /// number.
    fn without_literal(&mut self, body: &[Literal], i: usize) {
        let literal = &body[i];
        if literal.comparison().is_some() {
            return;
        }
        let arity = self.query.head().len();
        let is_bound = |v: Variable| {
            let binds =
                |(k, other): (usize, &Literal)| k != i && !other.is_check() && other.variables().any(|u| u == v);
            (v.0 as usize) < arity || body.iter().enumerate().any(binds)
        };
        // Negated literals and comparisons with variables that only this literal binds are left out
        // too.
        let kept = |(k, other): &(usize, &Literal)| *k != i && (!other.is_check() || other.variables().all(is_bound));
        let rest: Vec<Literal> = body.iter().enumerate().filter(kept).map(|(_, other)| other.clone()).collect();
        let allowed = MAX_FACTS.min(self.facts);
        let mut bound = SearchBound { groundings: MAX_GROUNDINGS_TRIED, facts: allowed, cut: false };
        let groundings = self.query.groundings(&rest, &mut bound);
        self.facts -= allowed - bound.facts;
        self.found.cut |= bound.cut;
        for grounding in groundings {
            let Some(literal) = substitute(std::slice::from_ref(literal), &grounding).pop() else { continue };
            if !literal.negated {
                self.add(&literal, &substitute(body, &grounding), &grounding);
            } else if let [fact] = &self.query.matches(&literal)[..] {
                // A single fact blocks the grounding; with several, one change would not suffice.
                self.found.removals.extend([fact.clone()]);
            }
        }
    }

    /// Proposes the facts that a literal could match, with free variables filled from the query and
    /// the grounding, or as the comparisons of the conjunction require.
    fn add(&mut self, literal: &Literal, body: &[Literal], grounding: &Grounding) {
        let mut free: Vec<Variable> = literal.variables().collect();
        free.sort_unstable();
        free.dedup();
        let mut pool: Vec<Constant> = grounding.iter().copied().flatten().collect();
        pool.sort_unstable();
        pool.dedup();
        let mut bindings = vec![None; free.last().map_or(0, |v| v.0 as usize + 1)];
        let pools: Vec<(Variable, Vec<Constant>)> =
            free.into_iter().map(|v| (v, self.compared(literal, body, v).unwrap_or_else(|| pool.clone()))).collect();
        self.fill(literal, &pools, &mut bindings);
    }

    /// Returns the numbers in the data that satisfy the comparisons of a variable, nearest to each
    /// threshold; `None` if it is not compared with a known number.
    fn compared(&mut self, literal: &Literal, body: &[Literal], variable: Variable) -> Option<Vec<Constant>> {
        let symbols = &self.query.database().symbols;
        let known = |arg: &Argument| match arg {
            Argument::Number(number) => Some(number.value()),
            Argument::Constant(constant) => symbols.number(*constant),
            Argument::Variable(_) => None,
        };
        let own = Argument::Variable(variable);
        let mut comparisons: Vec<(Comparison, bool, bool, f64)> = Vec::new();
        for check in body {
            let (Some(comparison), [left, right]) = (check.comparison(), &check.args[..]) else { continue };
            match (*left == own, *right == own) {
                (true, false) => comparisons.extend(known(right).map(|value| (comparison, check.negated, true, value))),
                (false, true) => comparisons.extend(known(left).map(|value| (comparison, check.negated, false, value))),
                _ => {}
            }
        }
        if comparisons.is_empty() {
            return None;
        }
        let place = literal.args.iter().position(|arg| *arg == own)?;
        let kind = *self.query.database().schema.argument_types(literal.predicate)?.get(place)?;
        let query = self.query;
        let all = self.of_type.entry(kind).or_insert_with(|| query.constants_of_type(kind));
        let passes = |x: f64| {
            comparisons.iter().all(|&(comparison, negated, is_left, value)| {
                let (left, right) = if is_left { (x, value) } else { (value, x) };
                comparison.holds(Some(left), Some(right)) != negated
            })
        };
        let numbers = all.iter().filter_map(|&constant| Some((constant, symbols.number(constant)?)));
        let numbers: Vec<(Constant, f64)> = numbers.filter(|&(_, x)| passes(x)).collect();
        let nearest = |&(_, _, _, value): &(Comparison, bool, bool, f64)| {
            let gap = |&&(_, x): &&(Constant, f64)| (x - value).abs();
            numbers.iter().min_by(|a, b| gap(a).total_cmp(&gap(b))).map(|&(constant, _)| constant)
        };
        let mut found: Vec<Constant> = comparisons.iter().filter_map(nearest).collect();
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    fn fill(&mut self, literal: &Literal, free: &[(Variable, Vec<Constant>)], bindings: &mut Grounding) {
        let Some(((variable, pool), others)) = free.split_first() else {
            let stated = substitute(std::slice::from_ref(literal), bindings);
            let fact = stated.first().and_then(ground_fact);
            let database = self.query.database();
            self.found.additions.extend(fact.filter(|fact| !database.contains(fact) && self.query.sees(fact)));
            return;
        };
        for &constant in pool {
            if self.facts == 0 {
                self.found.cut = true;
                return;
            }
            self.facts -= 1;
            if self.has_type(literal, *variable, constant) {
                bindings[variable.0 as usize] = Some(constant);
                self.fill(literal, others, bindings);
            }
        }
    }

    /// Returns whether a constant has the types of the arguments at which a variable occurs, as far
    /// as known.
    fn has_type(&mut self, literal: &Literal, variable: Variable, constant: Constant) -> bool {
        let query = self.query;
        let Some(types) = query.database().schema.argument_types(literal.predicate) else { return true };
        let mut places = literal.args.iter().zip(types).filter(|(arg, _)| **arg == Argument::Variable(variable));
        places.all(|(_, &kind)| {
            let all = self.of_type.entry(kind).or_insert_with(|| query.constants_of_type(kind));
            all.binary_search(&constant).is_ok()
        })
    }
}

impl Explainer<'_> {
    /// Evaluates each change and keeps those that flip the decision.
    pub(super) fn try_changes(
        &mut self,
        args: &[Constant],
        now: &[f64],
        candidates: Proposals,
        options: &FlipOptions,
    ) -> Flips {
        let Proposals { removals, additions, cut } = candidates;
        let proposed = removals.len() + additions.len();
        let changes = removals.into_iter().map(FactChange::Remove).chain(additions.into_iter().map(FactChange::Add));
        let decision = decide(now, options.threshold);
        let (mut found, mut closest, mut tried) = (Vec::new(), None::<Flip>, 0);
        for change in changes.take(options.budget) {
            let probabilities = self.probabilities_with(&change, args);
            tried += 1;
            let flip = Flip { change, decision: decide(&probabilities, options.threshold), probabilities };
            if flip.decision != decision {
                found.push(flip);
            } else if flip.probabilities[decision] < closest.as_ref().map_or(now, |c| &c.probabilities[..])[decision] {
                closest = Some(flip);
            }
        }
        // Changes are ordered by the remaining probability of the predicted class; ties keep the
        // search order.
        let is_addition = |flip: &Flip| matches!(flip.change, FactChange::Add(_));
        found.sort_by(|a, b| {
            is_addition(a).cmp(&is_addition(b)).then(a.probabilities[decision].total_cmp(&b.probabilities[decision]))
        });
        let closest = closest.filter(|_| found.is_empty());
        Flips { found, tried, untried: proposed - tried, cut, closest }
    }

    /// Returns the probability of each class for a query with one fact changed.
    pub fn probabilities_with(&mut self, change: &FactChange, args: &[Constant]) -> Vec<f64> {
        let Explainer { network, database, target, rules, .. } = self;
        let query_example = query_example(args);
        let active: Vec<bool> = database.with_change(change, |database| {
            let query = GroundQuery::new(database, *target, &query_example);
            rules.iter().map(|rule| query.is_active(rule)).collect()
        });
        network.probabilities_given(&active)
    }
}

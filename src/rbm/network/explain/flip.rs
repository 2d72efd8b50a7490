//! Which single fact, if it were not there or were there, would turn a decision.
//!
//! The search is bounded, and says so when it was cut short. It proposes to take away facts that groundings of the rules use, and
//! to add the fact that some conjunction of a rule lacks to have one more grounding, with constants of the query and of what is
//! grounded already; where a number is compared, with those of the data that pass and lie nearest to what it is compared with. Every proposal is tried: the rules are asked again with that fact changed.

use super::ground::{Asked, Bound, Grounding, ground_fact, question, substitute};
use super::{Explainer, decide};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Fact, FactChange, TypeId};
use crate::logic::{Argument, Comparison, Constant, Literal, PredicateId, Variable};
use crate::rbm::network::{Condition, Rule};

/// What counts as another decision, and how long it is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlipOptions {
    /// Of two classes, the second is decided for if it is more likely than this.
    pub threshold: f64,
    /// How many changes are tried; none are looked for if it is 0.
    pub budget: usize,
}

impl Default for FlipOptions {
    fn default() -> Self {
        FlipOptions { threshold: 0.5, budget: 500 }
    }
}

/// How many groundings of a conjunction without one of its literals are looked at.
const GROUNDINGS: usize = 16;
/// How many facts may be tried to find these.
const FACTS: usize = 2_000;
/// How many facts may be tried in all.
const ALL_FACTS: usize = 200_000;

/// One changed fact and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The change.
    pub change: FactChange,
    /// The probability of each class with it.
    pub probabilities: Vec<f64>,
    /// The class that is decided for with it.
    pub decision: usize,
}

/// What one fact could change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flips {
    /// The changes that turn the decision: facts that would have to go before those that would have to come, and among each the
    /// most decisive first.
    pub found: Vec<Flip>,
    /// How many changes were tried.
    pub tried: usize,
    /// How many were proposed and not tried, since the budget was used up.
    pub untried: usize,
    /// Whether the search for proposals was cut short.
    pub cut: bool,
    /// If nothing turns the decision, the change that comes closest, if any comes closer.
    pub closest: Option<Flip>,
}

/// Changes worth trying.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    removals: IndexSet<Fact>,
    additions: IndexSet<Fact>,
    cut: bool,
}

/// The changes that could make a conjunction of these rules hold, or not hold any more.
pub(super) fn candidates(
    asked: &Asked<'_>,
    rules: &[&Rule],
    fixed: Option<PredicateId>,
    options: &FlipOptions,
) -> Candidates {
    let mut search = Search { asked, found: Candidates::default(), facts: ALL_FACTS, of_type: HashMap::default() };
    if options.budget == 0 {
        return search.found;
    }
    let mut seen: IndexSet<Condition> = IndexSet::default();
    for rule in rules {
        let body = Condition { holds: true, at_least: 1, body: rule.body().to_vec() };
        for condition in std::iter::once(&body).chain(rule.conditions()) {
            // Numbered anew and asked for alike, the same conjunction of two rules is looked at once.
            let body = Rule::new(condition.body.clone(), Vec::new(), asked.head().len()).body().to_vec();
            let same = Condition { holds: true, at_least: condition.at_least, body };
            if seen.insert(same.clone()) {
                search.look_at(&same);
            }
        }
    }
    let mut found = search.found;
    found.removals.retain(|fact| Some(fact.predicate) != fixed);
    found.additions.retain(|fact| Some(fact.predicate) != fixed);
    found
}

struct Search<'s, 'a> {
    asked: &'s Asked<'a>,
    found: Candidates,
    /// How many facts may still be tried.
    facts: usize,
    /// The constants of each type that was asked for, sorted.
    of_type: HashMap<TypeId, Vec<Constant>>,
}

impl Search<'_, '_> {
    fn look_at(&mut self, condition: &Condition) {
        let body = &condition.body;
        if self.asked.number(condition) < condition.at_least {
            (0..body.len()).for_each(|i| self.without_literal(body, i));
            return;
        }
        let could_come = |literal: &&Literal| literal.negated && literal.comparison().is_none();
        let negated: Vec<Literal> = body.iter().filter(could_come).cloned().collect();
        for grounding in self.enough(condition) {
            self.found.removals.extend(self.asked.facts(body, &grounding));
            // What is negated could come true, and then the grounding holds no longer.
            for literal in substitute(&negated, &grounding) {
                self.add(&literal, &[], &grounding);
            }
        }
    }

    /// As many groundings as a condition asks for. However many more there are, a change that leaves fewer than k of them leaves
    /// fewer than k of any, so that it ends one of these.
    fn enough(&mut self, condition: &Condition) -> Vec<Grounding> {
        let wanted = condition.at_least as usize;
        if wanted == 1 {
            return self.asked.first(&condition.body).into_iter().collect();
        }
        let mut bound = Bound { groundings: wanted, facts: self.facts, cut: false };
        let groundings = self.asked.groundings(&condition.body, &mut bound);
        self.facts = bound.facts;
        self.found.cut |= groundings.len() < wanted;
        groundings
    }

    /// Groundings that lack nothing but one literal. That a comparison fails is no matter of one fact, but of the number that another
    /// literal of the conjunction could bring.
    fn without_literal(&mut self, body: &[Literal], i: usize) {
        let literal = &body[i];
        if literal.comparison().is_some() {
            return;
        }
        let arity = self.asked.head().len();
        let is_bound = |v: Variable| {
            let binds =
                |(k, other): (usize, &Literal)| k != i && !other.is_check() && other.variables().any(|u| u == v);
            (v.0 as usize) < arity || body.iter().enumerate().any(binds)
        };
        // A negated literal or comparison about something that only this literal binds cannot be asked without it.
        let kept = |(k, other): &(usize, &Literal)| *k != i && (!other.is_check() || other.variables().all(is_bound));
        let rest: Vec<Literal> = body.iter().enumerate().filter(kept).map(|(_, other)| other.clone()).collect();
        let allowed = FACTS.min(self.facts);
        let mut bound = Bound { groundings: GROUNDINGS, facts: allowed, cut: false };
        let groundings = self.asked.groundings(&rest, &mut bound);
        self.facts -= allowed - bound.facts;
        self.found.cut |= bound.cut;
        for grounding in groundings {
            let Some(literal) = substitute(std::slice::from_ref(literal), &grounding).pop() else { continue };
            if !literal.negated {
                self.add(&literal, &substitute(body, &grounding), &grounding);
            } else if let [fact] = &self.asked.matches(&literal)[..] {
                // One fact stands in the way; if there were more, one change would not do.
                self.found.removals.extend([fact.clone()]);
            }
        }
    }

    /// Proposes the facts that a literal of a conjunction could state, with what is free filled from the query and the grounding, or
    /// as the comparisons of the conjunction ask.
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

    /// The numbers of the data that a variable could stand for to pass what it is compared with, nearest to each of these; `None` if
    /// it is compared with nothing that is known.
    fn compared(&mut self, literal: &Literal, body: &[Literal], variable: Variable) -> Option<Vec<Constant>> {
        let symbols = &self.asked.database().symbols;
        let known = |arg: &Argument| match arg {
            Argument::Number(number) => Some(number.value()),
            Argument::Constant(constant) => symbols.number(*constant),
            Argument::Variable(_) => None,
        };
        let own = Argument::Variable(variable);
        let mut asks: Vec<(Comparison, bool, bool, f64)> = Vec::new();
        for check in body {
            let (Some(comparison), [left, right]) = (check.comparison(), &check.args[..]) else { continue };
            match (*left == own, *right == own) {
                (true, false) => asks.extend(known(right).map(|value| (comparison, check.negated, true, value))),
                (false, true) => asks.extend(known(left).map(|value| (comparison, check.negated, false, value))),
                _ => {}
            }
        }
        if asks.is_empty() {
            return None;
        }
        let place = literal.args.iter().position(|arg| *arg == own)?;
        let kind = *self.asked.database().schema.argument_types(literal.predicate)?.get(place)?;
        let asked = self.asked;
        let all = self.of_type.entry(kind).or_insert_with(|| asked.constants_of_type(kind));
        let passes = |x: f64| {
            asks.iter().all(|&(comparison, negated, is_left, value)| {
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
        let mut found: Vec<Constant> = asks.iter().filter_map(nearest).collect();
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    fn fill(&mut self, literal: &Literal, free: &[(Variable, Vec<Constant>)], bindings: &mut Grounding) {
        let Some(((variable, pool), others)) = free.split_first() else {
            let stated = substitute(std::slice::from_ref(literal), bindings);
            let fact = stated.first().and_then(ground_fact);
            let database = self.asked.database();
            self.found.additions.extend(fact.filter(|fact| !database.contains(fact) && self.asked.sees(fact)));
            return;
        };
        for &constant in pool {
            if self.facts == 0 {
                self.found.cut = true;
                return;
            }
            self.facts -= 1;
            if self.fits(literal, *variable, constant) {
                bindings[variable.0 as usize] = Some(constant);
                self.fill(literal, others, bindings);
            }
        }
    }

    /// Whether a constant is of the type of the places where the variable stands, as far as types are known.
    fn fits(&mut self, literal: &Literal, variable: Variable, constant: Constant) -> bool {
        let asked = self.asked;
        let Some(types) = asked.database().schema.argument_types(literal.predicate) else { return true };
        let mut places = literal.args.iter().zip(types).filter(|(arg, _)| **arg == Argument::Variable(variable));
        places.all(|(_, &kind)| {
            let all = self.of_type.entry(kind).or_insert_with(|| asked.constants_of_type(kind));
            all.binary_search(&constant).is_ok()
        })
    }
}

impl Explainer<'_> {
    /// Asks what follows from each change, and keeps those that turn the decision.
    pub(super) fn try_changes(
        &mut self,
        args: &[Constant],
        now: &[f64],
        candidates: Candidates,
        options: &FlipOptions,
    ) -> Flips {
        let Candidates { removals, additions, cut } = candidates;
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
        // Less of the class that was decided for is more decisive; equals stay in the order of the search.
        let is_addition = |flip: &Flip| matches!(flip.change, FactChange::Add(_));
        found.sort_by(|a, b| {
            is_addition(a).cmp(&is_addition(b)).then(a.probabilities[decision].total_cmp(&b.probabilities[decision]))
        });
        let closest = closest.filter(|_| found.is_empty());
        Flips { found, tried, untried: proposed - tried, cut, closest }
    }

    /// The probability of each class for a query with one fact changed.
    pub fn probabilities_with(&mut self, change: &FactChange, args: &[Constant]) -> Vec<f64> {
        let Explainer { network, database, target, rules, .. } = self;
        let question = question(args);
        let lit: Vec<bool> = database.with_change(change, |database| {
            let asked = Asked::new(database, *target, &question);
            rules.iter().map(|rule| asked.is_lit(rule)).collect()
        });
        network.probabilities_if(&lit)
    }
}

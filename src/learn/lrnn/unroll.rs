//! Unrolls a template over the facts around each example into ground networks.
//!
//! A rule is *uniform* if all its groundings give equal neurons: its literals are facts, or latent
//! predicates with one rule, which is uniform. For such a rule only the existence of a grounding
//! matters, which [`Coverage`] answers exactly. Groundings of other rules are enumerated, up to a
//! limit per rule and head; so are those of uniform rules that unfold into too many facts.

use std::rc::Rc;

use super::net::{Arena, Family, Net, Neuron};
use super::template::{Template, TemplateRule};
use crate::cancel;
use crate::cover::{Bits, Coverage};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example};
use crate::logic::rename;
use crate::logic::{Argument, Constant, Literal, PredicateId, Variable};

/// The ground networks of examples.
#[derive(Clone, Debug)]
pub(super) struct Unrolled {
    pub nets: Vec<Net>,
    /// Index of each example's network.
    pub of: Vec<usize>,
    /// Rules and heads for which the grounding or step limit was reached.
    pub budget_hits: u64,
}

/// Facts that may be visited per grounding allowed.
const STEPS_PER_GROUNDING: usize = 100;

/// The number of facts looked at between two polls for cancellation.
const FACTS_PER_POLL: usize = 1 << 10;

/// Maximum number of facts in the unfolding of a uniform rule.
const MAX_UNFOLDED: usize = 200;

/// Unrolls a template for the examples of a coverage.
pub(super) fn unroll(template: &Template, coverage: &Coverage<'_>, family: Family, max_groundings: usize) -> Unrolled {
    let mut unroller = Unroller::new(template, coverage.database(), family, max_groundings);
    let targets: Vec<usize> = unroller.by_head[0].clone();
    // Uniform rules are evaluated for all examples at once.
    let uniform: Vec<Option<Vec<Literal>>> = targets.iter().map(|&rule| unroller.unfolded(rule)).collect();
    let bodies: Vec<&[Literal]> = uniform.iter().flatten().map(Vec::as_slice).collect();
    let mut covered = coverage.cover_all(&bodies).into_iter();
    let covered: Vec<Option<std::sync::Arc<Bits>>> =
        uniform.iter().map(|body| body.as_ref().and_then(|_| covered.next())).collect();
    let mut roots: IndexSet<u32> = IndexSet::default();
    let mut of = Vec::with_capacity(coverage.examples().len());
    for (i, example) in coverage.examples().iter().enumerate() {
        let mut inputs = Vec::new();
        for (&rule, covered) in targets.iter().zip(&covered) {
            let group = match covered {
                Some(covered) => covered.get(i).then(|| unroller.uniform_group(rule)),
                None => unroller.group(rule, &bind(example)),
            };
            inputs.extend(group.map(|group| (unroller.rules[rule].number, group)));
        }
        let root = unroller.arena.add(Neuron::Atom { head: 0, inputs });
        of.push(roots.insert_full(root).0);
    }
    let nets = roots.iter().map(|&root| unroller.arena.network(root)).collect();
    Unrolled { nets, of, budget_hits: unroller.budget_hits }
}

fn bind(example: &Example) -> Vec<Option<Constant>> {
    example.args.iter().copied().map(Some).collect()
}

/// The predicate of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtomKind {
    Facts(PredicateId),
    /// Index of a head.
    Latent(usize),
}

/// A literal resolved against the names of a database.
#[derive(Clone, Debug, PartialEq)]
struct BoundLiteral {
    kind: AtomKind,
    args: Vec<Argument>,
}

/// A rule resolved against the names of a database.
#[derive(Clone, Debug)]
struct BoundRule {
    /// Index in the template.
    number: u32,
    /// Number of arguments of the head.
    arity: usize,
    variables: usize,
    body: Vec<BoundLiteral>,
    /// The body without duplicate literals, which do not change the groundings.
    distinct: Vec<BoundLiteral>,
}

type RuleBindings = Vec<Option<Constant>>;
/// Neurons of the ground atoms of a latent predicate; `None` for one that is not derivable.
type AtomNeurons = HashMap<Vec<Constant>, Option<u32>>;
/// Derivable atoms of a latent predicate, for a binding pattern.
type DerivedAtoms = Rc<Vec<Vec<Constant>>>;

struct Unroller<'a> {
    database: &'a Database,
    family: Family,
    max_groundings: usize,
    rules: Vec<Rc<BoundRule>>,
    /// Rules by head.
    by_head: Vec<Vec<usize>>,
    /// Size of the unfolding of each uniform head; `None` if a head is not uniform.
    uniform: Vec<Option<usize>>,
    /// The shared neuron of each uniform head.
    uniform_neurons: Vec<Option<u32>>,
    arena: Arena,
    /// By head.
    atoms: Vec<AtomNeurons>,
    /// By head and binding pattern.
    solved: Vec<HashMap<RuleBindings, DerivedAtoms>>,
    budget_hits: u64,
}

impl<'a> Unroller<'a> {
    fn new(template: &Template, database: &'a Database, family: Family, max_groundings: usize) -> Self {
        let mut unroller = Unroller {
            database,
            family,
            max_groundings,
            rules: Vec::new(),
            by_head: vec![Vec::new(); template.heads().len()],
            uniform: Vec::new(),
            uniform_neurons: vec![None; template.heads().len()],
            arena: Arena::default(),
            atoms: vec![HashMap::default(); template.heads().len()],
            solved: vec![HashMap::default(); template.heads().len()],
            budget_hits: 0,
        };
        for (number, rule) in (0u32..).zip(&template.rules) {
            // A rule with a name unknown to the database has no groundings.
            if let (Some(bound), Some(head)) =
                (resolve(template, rule, number, database), template.head_number(rule.head))
            {
                unroller.by_head[head].push(unroller.rules.len());
                unroller.rules.push(Rc::new(bound));
            }
        }
        // Predicates are acyclic, so this terminates for any order of heads.
        let mut uniform = vec![None; unroller.by_head.len()];
        for head in 0..uniform.len() {
            unroller.unfolded_size(head, &mut uniform);
        }
        unroller.uniform = uniform.into_iter().map(Option::flatten).collect();
        unroller
    }

    fn unfolded_size(&self, head: usize, known: &mut [Option<Option<usize>>]) -> Option<usize> {
        if let Some(facts) = known[head] {
            return facts;
        }
        let facts = match self.by_head[head][..] {
            [] => Some(1),
            [only] => total(self.rules[only].distinct.iter().map(|literal| match literal.kind {
                AtomKind::Facts(_) => Some(1),
                AtomKind::Latent(head) => self.unfolded_size(head, known),
            })),
            _ => None,
        };
        known[head] = Some(facts);
        facts
    }

    /// Unfolds a uniform rule into a conjunction of facts; `None` for other rules.
    fn unfolded(&self, rule: usize) -> Option<Vec<Literal>> {
        let rule = &self.rules[rule];
        total(rule.distinct.iter().map(|literal| match literal.kind {
            AtomKind::Facts(_) => Some(1),
            AtomKind::Latent(head) => self.uniform[head],
        }))?;
        let mut next = rule.variables as u32;
        let mut literals = Vec::new();
        let mut stack: Vec<BoundLiteral> = rule.distinct.iter().rev().cloned().collect();
        while let Some(BoundLiteral { kind, args }) = stack.pop() {
            match kind {
                AtomKind::Facts(predicate) => literals.push(Literal::new(predicate, args)),
                AtomKind::Latent(head) => {
                    let inner = &self.rules[*self.by_head[head].first()?];
                    let first = next;
                    next += inner.variables as u32;
                    let rename = |arg: &Argument| match *arg {
                        Argument::Variable(Variable(k)) if (k as usize) < inner.arity => args[k as usize],
                        Argument::Variable(Variable(k)) => Argument::Variable(Variable(first + k)),
                        constant => constant,
                    };
                    let outer = |literal: &BoundLiteral| BoundLiteral {
                        kind: literal.kind,
                        args: literal.args.iter().map(rename).collect(),
                    };
                    stack.extend(inner.distinct.iter().rev().map(outer));
                }
            }
        }
        Some(literals)
    }

    /// Returns the aggregation neuron of a uniform rule that has a grounding.
    fn uniform_group(&mut self, rule: usize) -> u32 {
        let rule = self.rules[rule].clone();
        let BoundRule { number, body, .. } = &*rule;
        let inputs = body.iter().map(|literal| self.uniform_atom(literal.kind)).collect();
        let neuron = self.arena.add(Neuron::Rule { rule: *number, inputs });
        self.arena.group(vec![neuron], self.family)
    }

    fn uniform_atom(&mut self, kind: AtomKind) -> u32 {
        let AtomKind::Latent(head) = kind else { return self.arena.add(Neuron::Fact) };
        if let Some(known) = self.uniform_neurons[head] {
            return known;
        }
        let rules = self.by_head[head].clone();
        let inputs = rules.into_iter().map(|rule| (self.rules[rule].number, self.uniform_group(rule))).collect();
        let neuron = self.arena.add(Neuron::Atom { head: head as u32, inputs });
        self.uniform_neurons[head] = Some(neuron);
        neuron
    }

    /// Returns the aggregation neuron of a rule for a ground head; `None` without groundings.
    fn group(&mut self, rule: usize, head: &RuleBindings) -> Option<u32> {
        let found = self.groundings(rule, head);
        let rule = self.rules[rule].clone();
        let mut neurons = Vec::new();
        for bindings in found.iter() {
            let mut inputs = Vec::with_capacity(rule.body.len());
            for literal in &rule.body {
                inputs.extend(match literal.kind {
                    // A grounding consists of facts that hold.
                    AtomKind::Facts(_) => Some(self.arena.add(Neuron::Fact)),
                    AtomKind::Latent(head) => {
                        let args: Option<Vec<Constant>> = ground(&literal.args, bindings).collect();
                        self.atom(head, args?)
                    }
                });
            }
            if inputs.len() == rule.body.len() {
                neurons.push(self.arena.add(Neuron::Rule { rule: rule.number, inputs }));
            }
        }
        (!neurons.is_empty()).then(|| self.arena.group(neurons, self.family))
    }

    /// Returns the neuron of a ground atom of a latent predicate, if it is derivable.
    fn atom(&mut self, head: usize, args: Vec<Constant>) -> Option<u32> {
        if let Some(&known) = self.atoms[head].get(&args) {
            return known;
        }
        let bindings: RuleBindings = args.iter().copied().map(Some).collect();
        let mut inputs = Vec::new();
        for rule in self.by_head[head].clone() {
            let group = self.group(rule, &bindings);
            inputs.extend(group.map(|group| (self.rules[rule].number, group)));
        }
        let neuron = (!inputs.is_empty()).then(|| self.arena.add(Neuron::Atom { head: head as u32, inputs }));
        self.atoms[head].insert(args, neuron);
        neuron
    }

    /// Enumerates the groundings of a rule's body that agree with a head, up to the limit. All
    /// variables are bound.
    fn groundings(&mut self, rule: usize, head: &RuleBindings) -> Groundings {
        let rule = self.rules[rule].clone();
        let mut bindings = head.clone();
        bindings.resize(rule.variables, None);
        let found = Groundings { width: rule.variables, values: Vec::new(), number: 0 };
        let steps = self.max_groundings.saturating_mul(STEPS_PER_GROUNDING);
        let matched = vec![false; rule.distinct.len()];
        let mut search =
            GroundingSearch { found, steps, cut: false, bindings, matched, bound: Vec::new(), unpolled: 0 };
        self.search(&rule.distinct, &mut search);
        self.budget_hits += u64::from(search.cut);
        search.found
    }

    fn search(&mut self, body: &[BoundLiteral], search: &mut GroundingSearch) {
        // Next is the literal with the fewest matching facts.
        let pending = (0..body.len()).filter(|&k| !search.matched[k]);
        let Some(next) = pending.min_by_key(|&k| self.cost(&body[k], &search.bindings)) else {
            // Only one more complete grounding exceeds the limit.
            search.cut = search.found.number >= self.max_groundings;
            if !search.cut {
                search.found.push(&search.bindings);
            }
            return;
        };
        search.matched[next] = true;
        let BoundLiteral { kind, args } = &body[next];
        let given: RuleBindings = ground(args, &search.bindings).collect();
        match *kind {
            AtomKind::Facts(predicate) => {
                let rows = self.database.facts.relation(predicate).lookup(&given);
                search.poll(rows.range().len());
                for row in rows {
                    if !self.extend(body, args, row.iter(), search) {
                        return;
                    }
                }
            }
            AtomKind::Latent(head) => {
                let atoms = self.solutions(head, given);
                search.poll(atoms.len());
                for atom in atoms.iter() {
                    if !self.extend(body, args, atom.iter().copied(), search) {
                        return;
                    }
                }
            }
        }
        search.matched[next] = false;
    }

    /// Searches on with the arguments of a literal bound to a fact; returns whether the search goes
    /// on.
    fn extend(
        &mut self,
        body: &[BoundLiteral],
        args: &[Argument],
        fact: impl Iterator<Item = Constant>,
        search: &mut GroundingSearch,
    ) -> bool {
        if search.steps == 0 {
            search.cut = true;
            return false;
        }
        search.steps -= 1;
        let before = search.bound.len();
        if search.unify(args, fact) {
            self.search(body, search);
        }
        search.unbind(before);
        !search.cut
    }

    /// Estimates the facts to visit for a literal.
    fn cost(&self, literal: &BoundLiteral, bindings: &RuleBindings) -> usize {
        match literal.kind {
            AtomKind::Facts(predicate) => {
                let relation = self.database.facts.relation(predicate);
                relation.max_matching(literal.args.len(), |position| value(literal.args[position as usize], bindings))
            }
            AtomKind::Latent(_) if ground(&literal.args, bindings).all(|value| value.is_some()) => 1,
            // The cost is unknown before solving; prefer more bound arguments.
            AtomKind::Latent(_) => usize::MAX - ground(&literal.args, bindings).flatten().count(),
        }
    }

    /// Returns the derivable atoms of a latent predicate under a binding pattern.
    fn solutions(&mut self, head: usize, given: RuleBindings) -> DerivedAtoms {
        if let Some(known) = self.solved[head].get(&given) {
            return known.clone();
        }
        let mut atoms: IndexSet<Vec<Constant>> = IndexSet::default();
        for rule in self.by_head[head].clone() {
            for bindings in self.groundings(rule, &given).iter() {
                let args: Option<Vec<Constant>> = bindings[..given.len()].iter().copied().collect();
                atoms.extend(args);
            }
        }
        let atoms: DerivedAtoms = Rc::new(atoms.into_iter().collect());
        self.solved[head].insert(given, atoms.clone());
        atoms
    }
}

/// Groundings of a rule: the values of its variables.
struct Groundings {
    /// The number of variables.
    width: usize,
    values: Vec<Option<Constant>>,
    number: usize,
}

impl Groundings {
    fn push(&mut self, bindings: &[Option<Constant>]) {
        self.values.extend_from_slice(bindings);
        self.number += 1;
    }

    fn iter(&self) -> impl Iterator<Item = &[Option<Constant>]> {
        (0..self.number).map(|k| &self.values[k * self.width..(k + 1) * self.width])
    }
}

/// The state of an enumeration of groundings.
struct GroundingSearch {
    found: Groundings,
    /// Remaining facts to visit.
    steps: usize,
    cut: bool,
    bindings: RuleBindings,
    /// The literals that are matched.
    matched: Vec<bool>,
    /// The variables that were bound, in this order.
    bound: Vec<u32>,
    /// The facts looked at since the last poll for cancellation, matching or not.
    unpolled: usize,
}

impl GroundingSearch {
    /// Polls for cancellation at intervals.
    fn poll(&mut self, facts: usize) {
        self.unpolled += 1 + facts;
        if self.unpolled >= FACTS_PER_POLL {
            self.unpolled = 0;
            cancel::poll();
        }
    }

    /// Unifies the arguments of a literal with a fact.
    fn unify(&mut self, args: &[Argument], fact: impl Iterator<Item = Constant>) -> bool {
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
    fn unbind(&mut self, to: usize) {
        for k in self.bound.drain(to..) {
            self.bindings[k as usize] = None;
        }
    }
}

/// Substitutes the bindings into the arguments.
fn ground(args: &[Argument], bindings: &[Option<Constant>]) -> impl Iterator<Item = Option<Constant>> {
    args.iter().map(|&arg| value(arg, bindings))
}

fn value(arg: Argument, bindings: &[Option<Constant>]) -> Option<Constant> {
    match arg {
        Argument::Constant(constant) => Some(constant),
        Argument::Variable(Variable(k)) => bindings[k as usize],
        // Templates with comparisons are rejected on reading.
        Argument::Number(_) => None,
    }
}

/// Resolves a rule against the names of a database; `None` if a name is unknown.
fn resolve(template: &Template, rule: &TemplateRule, number: u32, database: &Database) -> Option<BoundRule> {
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

/// Returns the sum if all terms are present and it is within the limit.
fn total(mut numbers: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let sum = numbers.try_fold(0usize, |sum, number| Some(sum.saturating_add(number?)))?;
    (sum <= MAX_UNFOLDED).then_some(sum)
}

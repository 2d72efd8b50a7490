//! Unrolls a template over the facts around each example into ground networks.
//!
//! A rule is *uniform* if all its groundings give equal neurons: its literals are facts, or latent
//! predicates with one rule, which is uniform. For such a rule only the existence of a grounding
//! matters, which [`Coverage`] answers exactly. Groundings of other rules are enumerated, up to a
//! limit per rule and head; so are those of uniform rules that unfold into too many facts.

use std::rc::Rc;

use super::flat::FlatNets;
use super::grounding::{AtomKind, BoundLiteral, BoundRule, GroundingSearch, Groundings, RuleBindings};
use super::grounding::{ground, resolve, value};
use super::net::{Arena, Family, Net, Neuron};
use super::shared::{Member, SharedGroundings, Sharing};
use super::template::Template;
use crate::cover::{Bits, Coverage};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example};
use crate::logic::{Argument, Constant, Literal, Variable};

/// The ground networks of examples.
#[derive(Clone, Debug)]
pub(super) struct Unrolled {
    arena: Arena,
    /// The output neuron of each network.
    roots: IndexSet<u32>,
    /// Index of each example's network.
    pub of: Vec<usize>,
    /// Rules and heads for which the grounding or step limit was reached.
    pub budget_hits: u64,
}

impl Unrolled {
    /// Returns the networks by themselves.
    pub fn nets(&self) -> Vec<Net> {
        self.roots.iter().map(|&root| self.arena.network(root)).collect()
    }

    /// Returns the networks with shared neurons.
    pub fn flat(&self) -> FlatNets {
        FlatNets::new(&self.arena, self.roots.iter().copied())
    }
}

/// Facts that may be visited per grounding allowed.
const STEPS_PER_GROUNDING: usize = 100;

/// Maximum number of facts in the unfolding of a uniform rule.
const MAX_UNFOLDED: usize = 200;

/// Unrolls a template for the examples of a coverage.
pub(super) fn unroll(template: &Template, coverage: &Coverage<'_>, family: Family, max_groundings: usize) -> Unrolled {
    let mut unroller = Unroller::new(template, coverage.database(), family, max_groundings);
    unroller.share();
    unroller.unroll(coverage)
}

/// As [`unroll`], but enumerates the groundings of each rule by itself.
#[cfg(test)]
pub(super) fn unroll_naively(
    template: &Template,
    coverage: &Coverage<'_>,
    family: Family,
    max_groundings: usize,
) -> Unrolled {
    Unroller::new(template, coverage.database(), family, max_groundings).unroll(coverage)
}

fn bind(example: &Example) -> Vec<Option<Constant>> {
    example.args.iter().copied().map(Some).collect()
}

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
    sharing: Rc<Sharing>,
    /// The last groundings of each shared body.
    shared: Vec<Option<Rc<SharedGroundings>>>,
    /// The neurons of rules with a shared body, by rule and neuron of the latent atom.
    shared_neurons: HashMap<(usize, u32), u32>,
    /// The aggregation neurons of uniform rules.
    uniform_groups: HashMap<usize, u32>,
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
            sharing: Rc::default(),
            shared: Vec::new(),
            shared_neurons: HashMap::default(),
            uniform_groups: HashMap::default(),
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

    /// Finds what rules share.
    fn share(&mut self) {
        let sharing = Sharing::new(&self.rules, &self.by_head, self.database, self.max_groundings);
        self.shared.resize_with(sharing.bodies.len(), || None);
        self.sharing = Rc::new(sharing);
    }

    fn unroll(mut self, coverage: &Coverage<'_>) -> Unrolled {
        let targets: Vec<usize> = self.by_head[0].clone();
        // Uniform rules are evaluated for all examples at once.
        let uniform: Vec<Option<Vec<Literal>>> = targets.iter().map(|&rule| self.unfolded(rule)).collect();
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
                    Some(covered) => covered.get(i).then(|| self.uniform_group(rule)),
                    None => self.group(rule, &bind(example)),
                };
                inputs.extend(group.map(|group| (self.rules[rule].number, group)));
            }
            let root = self.arena.add(Neuron::Atom { head: 0, inputs });
            of.push(roots.insert_full(root).0);
        }
        Unrolled { arena: self.arena, roots, of, budget_hits: self.budget_hits }
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
        if let Some(&known) = self.uniform_groups.get(&rule) {
            return known;
        }
        let bound = self.rules[rule].clone();
        let BoundRule { number, body, .. } = &*bound;
        let inputs = body.iter().map(|literal| self.uniform_atom(literal.kind)).collect();
        let neuron = self.arena.add(Neuron::Rule { rule: *number, inputs });
        let group = self.arena.group(vec![neuron], self.family);
        self.uniform_groups.insert(rule, group);
        group
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
        let sharing = self.sharing.clone();
        if let (Some(holds), &[Some(constant)]) = (sharing.holds(rule), &head[..]) {
            return holds.contains(&constant).then(|| self.uniform_group(rule));
        }
        if let Some(member) = sharing.member_of(rule) {
            let groundings = self.shared_groundings(member, head);
            if let Some((values, exceeds)) = sharing.values(member, &groundings) {
                self.budget_hits += u64::from(exceeds);
                let neurons: Vec<(u32, u32)> =
                    values.filter_map(|(value, n)| Some((self.shared_neuron(rule, member, value)?, n))).collect();
                return (!neurons.is_empty()).then(|| self.arena.group_of(neurons, self.family));
            }
        }
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

    /// Enumerates the groundings of a shared body for a head, unless that was done last.
    fn shared_groundings(&mut self, member: Member, head: &RuleBindings) -> Rc<SharedGroundings> {
        if let Some(last) = self.shared[member.body].as_ref().filter(|last| last.head == *head) {
            return last.clone();
        }
        let sharing = self.sharing.clone();
        let body = &sharing.bodies[member.body];
        let steps = self.max_steps();
        let mut search = GroundingSearch::new(&body.facts, body.variables, head, steps);
        self.search(&body.facts, &mut search);
        let groundings = Rc::new(SharedGroundings::new(body, head, &search, steps));
        self.shared[member.body] = Some(groundings.clone());
        groundings
    }

    /// Returns the neuron of a rule with a shared body whose latent atom has this argument.
    fn shared_neuron(&mut self, rule: usize, member: Member, value: Constant) -> Option<u32> {
        let atom = self.atom(member.head, vec![value])?;
        if let Some(&known) = self.shared_neurons.get(&(rule, atom)) {
            return Some(known);
        }
        let bound = self.rules[rule].clone();
        let input = |literal: &BoundLiteral| match literal.kind {
            AtomKind::Facts(_) => self.arena.add(Neuron::Fact),
            AtomKind::Latent(_) => atom,
        };
        let inputs = bound.body.iter().map(input).collect();
        let neuron = self.arena.add(Neuron::Rule { rule: bound.number, inputs });
        self.shared_neurons.insert((rule, atom), neuron);
        Some(neuron)
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
        let mut search = GroundingSearch::new(&rule.distinct, rule.variables, head, self.max_steps());
        self.search(&rule.distinct, &mut search);
        self.budget_hits += u64::from(search.cut);
        search.found
    }

    /// Returns the number of facts that an enumeration may visit.
    fn max_steps(&self) -> usize {
        self.max_groundings.saturating_mul(STEPS_PER_GROUNDING)
    }

    fn search(&mut self, body: &[BoundLiteral], search: &mut GroundingSearch) {
        // Next is the literal with the fewest matching facts.
        let mut pending = (0..body.len()).filter(|&k| !search.matched[k]);
        let next = match (pending.next(), pending.next()) {
            (first, None) => first,
            _ => {
                let pending = (0..body.len()).filter(|&k| !search.matched[k]);
                pending.min_by_key(|&k| self.cost(&body[k], &search.bindings))
            }
        };
        let Some(next) = next else {
            // Only one more complete grounding exceeds the limit.
            search.cut = search.found.number >= self.max_groundings;
            if search.cut {
                search.overflow = Some(search.bindings.clone());
            } else {
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

/// Returns the sum if all terms are present and it is within the limit.
fn total(mut numbers: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let sum = numbers.try_fold(0usize, |sum, number| Some(sum.saturating_add(number?)))?;
    (sum <= MAX_UNFOLDED).then_some(sum)
}

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
/// Derivable atoms of a latent predicate, for a binding pattern.
type DerivedAtoms = Rc<Vec<Vec<Constant>>>;

struct Unroller<'a> {
    database: &'a Database,
    family: Family,
    max_groundings: usize,
    rules: Vec<BoundRule>,
    /// Rules by head.
    by_head: Vec<Vec<usize>>,
    /// Size of the unfolding of each uniform head; `None` if a head is not uniform.
    uniform: Vec<Option<usize>>,
    /// The shared neuron of each uniform head.
    uniform_neurons: Vec<Option<u32>>,
    arena: Arena,
    atoms: HashMap<(usize, Vec<Constant>), Option<u32>>,
    solved: HashMap<(usize, RuleBindings), DerivedAtoms>,
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
            atoms: HashMap::default(),
            solved: HashMap::default(),
            budget_hits: 0,
        };
        for (number, rule) in (0u32..).zip(&template.rules) {
            // A rule with a name unknown to the database has no groundings.
            if let (Some(bound), Some(head)) =
                (resolve(template, rule, number, database), template.head_number(rule.head))
            {
                unroller.by_head[head].push(unroller.rules.len());
                unroller.rules.push(bound);
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
        let BoundRule { number, body, .. } = self.rules[rule].clone();
        let inputs = body.iter().map(|literal| self.uniform_atom(literal.kind)).collect();
        let neuron = self.arena.add(Neuron::Rule { rule: number, inputs });
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
        let BoundRule { number, body, .. } = self.rules[rule].clone();
        let mut neurons = Vec::new();
        for bindings in self.groundings(rule, head) {
            let mut inputs = Vec::with_capacity(body.len());
            for literal in &body {
                let args: Option<Vec<Constant>> = ground(&literal.args, &bindings).into_iter().collect();
                inputs.extend(self.atom(literal.kind, args?));
            }
            if inputs.len() == body.len() {
                neurons.push(self.arena.add(Neuron::Rule { rule: number, inputs }));
            }
        }
        (!neurons.is_empty()).then(|| self.arena.group(neurons, self.family))
    }

    /// Returns the neuron of a ground atom, if it is derivable.
    fn atom(&mut self, kind: AtomKind, args: Vec<Constant>) -> Option<u32> {
        let head = match kind {
            AtomKind::Facts(predicate) => {
                let holds = self.database.facts.relation(predicate).contains(&args);
                return holds.then(|| self.arena.add(Neuron::Fact));
            }
            AtomKind::Latent(head) => head,
        };
        if let Some(&known) = self.atoms.get(&(head, args.clone())) {
            return known;
        }
        let bindings: RuleBindings = args.iter().copied().map(Some).collect();
        let mut inputs = Vec::new();
        for rule in self.by_head[head].clone() {
            let group = self.group(rule, &bindings);
            inputs.extend(group.map(|group| (self.rules[rule].number, group)));
        }
        let neuron = (!inputs.is_empty()).then(|| self.arena.add(Neuron::Atom { head: head as u32, inputs }));
        self.atoms.insert((head, args), neuron);
        neuron
    }

    /// Enumerates the groundings of a rule's body that agree with a head, up to the limit. All
    /// variables are bound.
    fn groundings(&mut self, rule: usize, head: &RuleBindings) -> Vec<RuleBindings> {
        let body = self.rules[rule].distinct.clone();
        let mut bindings = head.clone();
        bindings.resize(self.rules[rule].variables, None);
        let mut search = GroundingSearch {
            found: Vec::new(),
            steps: self.max_groundings.saturating_mul(STEPS_PER_GROUNDING),
            cut: false,
        };
        let pending: Vec<usize> = (0..body.len()).collect();
        self.search(&body, &pending, &bindings, &mut search);
        self.budget_hits += u64::from(search.cut);
        search.found
    }

    fn search(
        &mut self,
        body: &[BoundLiteral],
        pending: &[usize],
        bindings: &RuleBindings,
        search: &mut GroundingSearch,
    ) {
        cancel::poll();
        // Next is the literal with the fewest matching facts.
        let Some(&next) = pending.iter().min_by_key(|&&k| self.cost(&body[k], bindings)) else {
            // Only one more complete grounding exceeds the limit.
            search.cut = search.found.len() >= self.max_groundings;
            if !search.cut {
                search.found.push(bindings.clone());
            }
            return;
        };
        let rest: Vec<usize> = pending.iter().copied().filter(|&k| k != next).collect();
        let BoundLiteral { kind, args } = &body[next];
        let given = ground(args, bindings);
        let candidates: Vec<Vec<Constant>> = match *kind {
            AtomKind::Facts(predicate) => {
                let rows = self.database.facts.relation(predicate).lookup(&given);
                rows.take(search.steps + 1).map(|row| row.to_vec()).collect()
            }
            AtomKind::Latent(head) => self.solutions(head, given).to_vec(),
        };
        for fact in candidates {
            if search.steps == 0 {
                search.cut = true;
                return;
            }
            search.steps -= 1;
            if let Some(extended) = unify(args, &fact, bindings) {
                self.search(body, &rest, &extended, search);
                if search.cut {
                    return;
                }
            }
        }
    }

    /// Estimates the facts to visit for a literal.
    fn cost(&self, literal: &BoundLiteral, bindings: &RuleBindings) -> usize {
        let given = ground(&literal.args, bindings);
        match literal.kind {
            AtomKind::Facts(predicate) => self.database.facts.relation(predicate).lookup(&given).range().len(),
            AtomKind::Latent(_) if given.iter().all(Option::is_some) => 1,
            // The cost is unknown before solving; prefer more bound arguments.
            AtomKind::Latent(_) => usize::MAX - given.iter().flatten().count(),
        }
    }

    /// Returns the derivable atoms of a latent predicate under a binding pattern.
    fn solutions(&mut self, head: usize, given: RuleBindings) -> DerivedAtoms {
        if let Some(known) = self.solved.get(&(head, given.clone())) {
            return known.clone();
        }
        let mut atoms: IndexSet<Vec<Constant>> = IndexSet::default();
        for rule in self.by_head[head].clone() {
            for bindings in self.groundings(rule, &given) {
                let args: Option<Vec<Constant>> = bindings[..given.len()].iter().copied().collect();
                atoms.extend(args);
            }
        }
        let atoms: DerivedAtoms = Rc::new(atoms.into_iter().collect());
        self.solved.insert((head, given), atoms.clone());
        atoms
    }
}

struct GroundingSearch {
    found: Vec<RuleBindings>,
    /// Remaining facts to visit.
    steps: usize,
    cut: bool,
}

/// Substitutes the bindings into the arguments.
fn ground(args: &[Argument], bindings: &RuleBindings) -> RuleBindings {
    let value = |arg: &Argument| match *arg {
        Argument::Constant(constant) => Some(constant),
        Argument::Variable(Variable(k)) => bindings[k as usize],
        // Templates with comparisons are rejected on reading.
        Argument::Number(_) => None,
    };
    args.iter().map(value).collect()
}

/// Unifies the arguments with a fact.
fn unify(args: &[Argument], fact: &[Constant], bindings: &RuleBindings) -> Option<RuleBindings> {
    let mut extended = bindings.clone();
    for (arg, &constant) in args.iter().zip(fact) {
        let known = match *arg {
            Argument::Constant(known) => known,
            Argument::Variable(Variable(k)) => *extended[k as usize].get_or_insert(constant),
            Argument::Number(_) => return None,
        };
        if known != constant {
            return None;
        }
    }
    Some(extended)
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

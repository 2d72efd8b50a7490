//! The networks of examples: a template unrolled over the facts around each.
//!
//! A rule is *uniform* if all its groundings are alike: its literals are facts, or latent predicates with one rule, which is
//! uniform. Of such a rule only matters whether there is a grounding, which [`Coverage`] answers exactly. The groundings of
//! other rules are enumerated, up to a number for each rule and head; so are those of rules that are uniform and ask for too many
//! facts at once.

use std::rc::Rc;

use super::net::{Arena, Family, Net, Neuron};
use super::template::{Template, TemplateRule};
use crate::cancel;
use crate::cover::{Bits, Coverage};
use crate::determinism::{HashMap, IndexSet};
use crate::kb::{Database, Example};
use crate::logic::rename;
use crate::logic::{Argument, Constant, Literal, PredicateId, Variable};

/// The networks of some examples.
#[derive(Clone, Debug)]
pub(super) struct Unrolled {
    pub nets: Vec<Net>,
    /// The number of each example's network.
    pub of: Vec<usize>,
    /// How often a rule had more groundings for a head than allowed, or took too long to look for them.
    pub budget_hits: u64,
}

/// How many facts may be looked at for each grounding that may be found.
const STEPS_FOR_EACH: usize = 100;

/// The most facts that a uniform rule may ask for together with the rules below it.
const MOST_UNFOLDED: usize = 200;

/// Unrolls a template for examples.
pub(super) fn unroll(template: &Template, coverage: &Coverage<'_>, family: Family, most: usize) -> Unrolled {
    let mut unroller = Unroller::new(template, coverage.database(), family, most);
    let targets: Vec<usize> = unroller.by_head[0].clone();
    // What is uniform is asked of all examples at once.
    let uniform: Vec<Option<Vec<Literal>>> = targets.iter().map(|&rule| unroller.unfolded(rule)).collect();
    let asked: Vec<&[Literal]> = uniform.iter().flatten().map(Vec::as_slice).collect();
    let mut covered = coverage.cover_all(&asked).into_iter();
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

/// What a literal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Facts(PredicateId),
    /// The number of a head.
    Latent(usize),
}

/// A literal over the names of a database.
#[derive(Clone, Debug, PartialEq)]
struct Bound {
    about: About,
    args: Vec<Argument>,
}

/// A rule over the names of a database.
#[derive(Clone, Debug)]
struct BoundRule {
    /// Its number in the template.
    number: u32,
    /// How many arguments its head has.
    arity: usize,
    variables: usize,
    body: Vec<Bound>,
    /// The body with every literal once: a grounding that holds of one holds of all that are the same.
    distinct: Vec<Bound>,
}

type Bindings = Vec<Option<Constant>>;
/// The atoms of a latent predicate with some arguments given.
type Atoms = Rc<Vec<Vec<Constant>>>;

struct Unroller<'a> {
    database: &'a Database,
    family: Family,
    most: usize,
    rules: Vec<BoundRule>,
    /// The rules of each head.
    by_head: Vec<Vec<usize>>,
    /// The number of facts that an atom of a head asks for, if all atoms of it that hold are alike.
    uniform: Vec<Option<usize>>,
    /// The neuron of atoms that are alike, by head.
    alike: Vec<Option<u32>>,
    arena: Arena,
    atoms: HashMap<(usize, Vec<Constant>), Option<u32>>,
    solved: HashMap<(usize, Bindings), Atoms>,
    budget_hits: u64,
}

impl<'a> Unroller<'a> {
    fn new(template: &Template, database: &'a Database, family: Family, most: usize) -> Self {
        let mut unroller = Unroller {
            database,
            family,
            most,
            rules: Vec::new(),
            by_head: vec![Vec::new(); template.heads().len()],
            uniform: Vec::new(),
            alike: vec![None; template.heads().len()],
            arena: Arena::default(),
            atoms: HashMap::default(),
            solved: HashMap::default(),
            budget_hits: 0,
        };
        for (number, rule) in (0u32..).zip(&template.rules) {
            // A rule that mentions what the database does not have has no groundings.
            if let (Some(bound), Some(head)) =
                (bound(template, rule, number, database), template.head_number(rule.head))
            {
                unroller.by_head[head].push(unroller.rules.len());
                unroller.rules.push(bound);
            }
        }
        // No predicate depends on itself, so this ends; the order of heads is any.
        let mut uniform = vec![None; unroller.by_head.len()];
        for head in 0..uniform.len() {
            unroller.settle(head, &mut uniform);
        }
        unroller.uniform = uniform.into_iter().map(Option::flatten).collect();
        unroller
    }

    fn settle(&self, head: usize, known: &mut [Option<Option<usize>>]) -> Option<usize> {
        if let Some(facts) = known[head] {
            return facts;
        }
        let facts = match self.by_head[head][..] {
            [] => Some(1),
            [only] => total(self.rules[only].distinct.iter().map(|literal| match literal.about {
                About::Facts(_) => Some(1),
                About::Latent(head) => self.settle(head, known),
            })),
            _ => None,
        };
        known[head] = Some(facts);
        facts
    }

    /// The facts that a uniform rule asks for, all together; `None` for a rule that is not uniform.
    fn unfolded(&self, rule: usize) -> Option<Vec<Literal>> {
        let rule = &self.rules[rule];
        total(rule.distinct.iter().map(|literal| match literal.about {
            About::Facts(_) => Some(1),
            About::Latent(head) => self.uniform[head],
        }))?;
        let mut next = rule.variables as u32;
        let mut literals = Vec::new();
        let mut waiting: Vec<Bound> = rule.distinct.iter().rev().cloned().collect();
        while let Some(Bound { about, args }) = waiting.pop() {
            match about {
                About::Facts(predicate) => literals.push(Literal::new(predicate, args)),
                About::Latent(head) => {
                    let inner = &self.rules[*self.by_head[head].first()?];
                    let first = next;
                    next += inner.variables as u32;
                    let rename = |arg: &Argument| match *arg {
                        Argument::Variable(Variable(k)) if (k as usize) < inner.arity => args[k as usize],
                        Argument::Variable(Variable(k)) => Argument::Variable(Variable(first + k)),
                        constant => constant,
                    };
                    let outer = |literal: &Bound| Bound {
                        about: literal.about,
                        args: literal.args.iter().map(rename).collect(),
                    };
                    waiting.extend(inner.distinct.iter().rev().map(outer));
                }
            }
        }
        Some(literals)
    }

    /// The group of a uniform rule that has a grounding.
    fn uniform_group(&mut self, rule: usize) -> u32 {
        let BoundRule { number, body, .. } = self.rules[rule].clone();
        let inputs = body.iter().map(|literal| self.uniform_atom(literal.about)).collect();
        let neuron = self.arena.add(Neuron::Rule { rule: number, inputs });
        self.arena.group(vec![neuron], self.family)
    }

    fn uniform_atom(&mut self, about: About) -> u32 {
        let About::Latent(head) = about else { return self.arena.add(Neuron::Fact) };
        if let Some(known) = self.alike[head] {
            return known;
        }
        let rules = self.by_head[head].clone();
        let inputs = rules.into_iter().map(|rule| (self.rules[rule].number, self.uniform_group(rule))).collect();
        let neuron = self.arena.add(Neuron::Atom { head: head as u32, inputs });
        self.alike[head] = Some(neuron);
        neuron
    }

    /// The group of a rule for a head whose arguments are all given; `None` without groundings.
    fn group(&mut self, rule: usize, head: &Bindings) -> Option<u32> {
        let BoundRule { number, body, .. } = self.rules[rule].clone();
        let mut neurons = Vec::new();
        for bindings in self.groundings(rule, head) {
            let mut inputs = Vec::with_capacity(body.len());
            for literal in &body {
                let args: Option<Vec<Constant>> = ground(&literal.args, &bindings).into_iter().collect();
                inputs.extend(self.atom(literal.about, args?));
            }
            if inputs.len() == body.len() {
                neurons.push(self.arena.add(Neuron::Rule { rule: number, inputs }));
            }
        }
        (!neurons.is_empty()).then(|| self.arena.group(neurons, self.family))
    }

    /// The neuron of a ground atom, if it holds.
    fn atom(&mut self, about: About, args: Vec<Constant>) -> Option<u32> {
        let head = match about {
            About::Facts(predicate) => {
                let holds = self.database.facts.relation(predicate).contains(&args);
                return holds.then(|| self.arena.add(Neuron::Fact));
            }
            About::Latent(head) => head,
        };
        if let Some(&known) = self.atoms.get(&(head, args.clone())) {
            return known;
        }
        let bindings: Bindings = args.iter().copied().map(Some).collect();
        let mut inputs = Vec::new();
        for rule in self.by_head[head].clone() {
            let group = self.group(rule, &bindings);
            inputs.extend(group.map(|group| (self.rules[rule].number, group)));
        }
        let neuron = (!inputs.is_empty()).then(|| self.arena.add(Neuron::Atom { head: head as u32, inputs }));
        self.atoms.insert((head, args), neuron);
        neuron
    }

    /// The groundings of a rule's body that agree with a head, up to the most that are allowed. All variables are bound.
    fn groundings(&mut self, rule: usize, head: &Bindings) -> Vec<Bindings> {
        let body = self.rules[rule].distinct.clone();
        let mut bindings = head.clone();
        bindings.resize(self.rules[rule].variables, None);
        let mut search = Search { found: Vec::new(), steps: self.most.saturating_mul(STEPS_FOR_EACH), cut: false };
        let waiting: Vec<usize> = (0..body.len()).collect();
        self.search(&body, &waiting, &bindings, &mut search);
        self.budget_hits += u64::from(search.cut);
        search.found
    }

    fn search(&mut self, body: &[Bound], waiting: &[usize], bindings: &Bindings, search: &mut Search) {
        cancel::poll();
        // The literal with the fewest facts to look at is next.
        let Some(&next) = waiting.iter().min_by_key(|&&k| self.cost(&body[k], bindings)) else {
            // Only another whole grounding is one too many.
            search.cut = search.found.len() >= self.most;
            if !search.cut {
                search.found.push(bindings.clone());
            }
            return;
        };
        let rest: Vec<usize> = waiting.iter().copied().filter(|&k| k != next).collect();
        let Bound { about, args } = &body[next];
        let given = ground(args, bindings);
        let candidates: Vec<Vec<Constant>> = match *about {
            About::Facts(predicate) => {
                let rows = self.database.facts.relation(predicate).lookup(&given);
                rows.take(search.steps + 1).map(|row| row.to_vec()).collect()
            }
            About::Latent(head) => self.solutions(head, given).to_vec(),
        };
        for fact in candidates {
            if search.steps == 0 {
                search.cut = true;
                return;
            }
            search.steps -= 1;
            if let Some(extended) = agree(args, &fact, bindings) {
                self.search(body, &rest, &extended, search);
                if search.cut {
                    return;
                }
            }
        }
    }

    /// About how many facts a literal has to look at.
    fn cost(&self, literal: &Bound, bindings: &Bindings) -> usize {
        let given = ground(&literal.args, bindings);
        match literal.about {
            About::Facts(predicate) => self.database.facts.relation(predicate).lookup(&given).range().len(),
            About::Latent(_) if given.iter().all(Option::is_some) => 1,
            // What it costs is not known before it is done.
            About::Latent(_) => usize::MAX - given.iter().flatten().count(),
        }
    }

    /// The atoms of a latent predicate that hold, with some arguments given.
    fn solutions(&mut self, head: usize, given: Bindings) -> Atoms {
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
        let atoms: Atoms = Rc::new(atoms.into_iter().collect());
        self.solved.insert((head, given), atoms.clone());
        atoms
    }
}

struct Search {
    found: Vec<Bindings>,
    /// Facts that may still be looked at.
    steps: usize,
    cut: bool,
}

/// The arguments as far as they are bound.
fn ground(args: &[Argument], bindings: &Bindings) -> Bindings {
    let value = |arg: &Argument| match *arg {
        Argument::Constant(constant) => Some(constant),
        Argument::Variable(Variable(k)) => bindings[k as usize],
        // Templates with comparisons are refused.
        Argument::Number(_) => None,
    };
    args.iter().map(value).collect()
}

/// The bindings under which the arguments are those of a fact.
fn agree(args: &[Argument], fact: &[Constant], bindings: &Bindings) -> Option<Bindings> {
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

/// A rule over the names of a database; `None` if it mentions one that is not there.
fn bound(template: &Template, rule: &TemplateRule, number: u32, database: &Database) -> Option<BoundRule> {
    let literal = |literal: &Literal| match template.head_number(literal.predicate) {
        Some(head) => {
            // Only the constants are the database's; the predicate is nobody's but ours.
            let args = literal.args.iter().map(|arg| rename::find_argument(*arg, template.names(), database.names()));
            Some(Bound { about: About::Latent(head), args: args.collect::<Option<_>>()? })
        }
        None => {
            let found = rename::find(literal, template.names(), database.names())?;
            Some(Bound { about: About::Facts(found.predicate), args: found.args })
        }
    };
    let arity = template.predicates.arity(rule.head);
    let last = rule.body.iter().flat_map(Literal::variables).map(|variable| variable.0 as usize + 1).max();
    let body: Vec<Bound> = rule.body.iter().map(literal).collect::<Option<_>>()?;
    let mut distinct: Vec<Bound> = Vec::with_capacity(body.len());
    for literal in &body {
        if !distinct.contains(literal) {
            distinct.push(literal.clone());
        }
    }
    Some(BoundRule { number, arity, variables: last.unwrap_or(0).max(arity), body, distinct })
}

/// The sum, if all are there and it is not too much.
fn total(mut numbers: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let sum = numbers.try_fold(0usize, |sum, number| Some(sum.saturating_add(number?)))?;
    (sum <= MOST_UNFOLDED).then_some(sum)
}

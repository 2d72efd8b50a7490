//! The refinements of one base, decided together.
//!
//! A *refinement* adds one literal to a base. Whether it covers an example depends only on the
//! values that the base gives to the bound variables of that literal, its *interface*. So the
//! bindings of a base are enumerated once per group of examples, and projected onto the interfaces
//! of all refinements. The literals that match a tuple of an interface are the same for all bases:
//! they are looked up once per tuple and list of literals, and kept for other bases and nodes.
//!
//! The effort of enumeration is bounded. Refinements beyond the bound are left undecided, and
//! searched one by one. The bound affects the effort only: all answers are exact.

use std::sync::Arc;

use hashbrown::HashTable;

use super::bits::Bits;
use super::catalog::Catalog;
use super::conjunction::{KeyArg, KeyLiteral};
use super::groups::{Groups, TimeLimits};
use super::join_plan::JoinPlan;
use super::search::Search;
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Example};
use crate::logic::{Argument, Constant, Literal, PredicateId, Variable};

/// The maximum number of variables of a base: sets of them are words.
const MAX_SLOTS: usize = 63;

/// The maximum number of bindings of a base that are enumerated, per group and in any case.
const BINDINGS_PER_GROUP: u64 = 48;
const MIN_BINDINGS: u64 = 1 << 12;

/// The steps per binding that an enumeration may take.
const STEPS_PER_BINDING: u64 = 4;

/// The steps of a projection onto one interface, per pair of a refinement and a group, and in any
/// case. A search takes a few steps per pair.
const STEPS_PER_PAIR: u64 = 4;
const MIN_STEPS: u64 = 1 << 14;

/// The default of [`super::Coverage::refined_from`]: a search for a single refinement ends at the
/// first witness.
pub(super) const MIN_MEMBERS: usize = 8;

/// The factor by which fewer refinements are decided together where this is cheap.
const FEWER_IF_CHEAP: usize = 8;

/// Estimated nanoseconds: for a binding of one or two variables, of more variables, for a join
/// plan, and for the search in one group.
const COST_OF_ROW: u64 = 15;
const COST_OF_WIDE_ROW: u64 = 50;
const COST_OF_PLAN: u64 = 20_000;
const COST_OF_SEARCH: u64 = 150;

/// The number of interfaces from which on all bindings are enumerated for all of them.
const MIN_INTERFACES: usize = 2;

/// The maximum number of words for the answers of one pass.
const MAX_ANSWER_WORDS: usize = 1 << 21;

/// The number of matches kept at which all are dropped.
const MAX_KEPT: usize = 1 << 20;

/// The number of groups between two polls for cancellation.
const POLL_INTERVAL: usize = 64;

/// The interner of single values without a time limit.
const VALUES: usize = 2;

/// Marks groups that are for one interface only: no base has this many head variables.
const UNSHARED: u64 = u64::MAX;

/// The kinds of words in a pattern, see [`Pattern`].
const CONSTANT: u64 = 1 << 32;
const FRESH: u64 = 2 << 32;
const PREDICATE: u64 = 3 << 32;
const KIND: u64 = 3 << 32;

/// A list of positive literals.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiteralList {
    predicates: Vec<PredicateId>,
    args: Vec<Argument>,
    /// The end of the arguments of each literal.
    ends: Vec<u32>,
}

impl LiteralList {
    pub fn push(&mut self, predicate: PredicateId, args: &[Argument]) {
        self.predicates.push(predicate);
        self.args.extend_from_slice(args);
        self.ends.push(self.args.len() as u32);
    }

    pub fn get(&self, i: usize) -> (PredicateId, &[Argument]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (self.predicates[i], &self.args[start..self.ends[i] as usize])
    }
}

/// The examples that a refinement covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refinement {
    /// No example.
    Empty,
    /// The examples of a row of [`Refined`].
    Row(u32),
    /// Not decided within the bound on the effort; inside one of the bounds of [`Refined`].
    Undecided(u32),
}

/// The examples that the refinements of a base cover.
#[derive(Debug, Default)]
pub(crate) struct Refined {
    /// Distinct sets, none of them empty.
    pub rows: Vec<Bits>,
    /// One for each refinement.
    pub of: Vec<Refinement>,
    /// Sets that include the examples of undecided refinements.
    pub bounds: Vec<Bits>,
}

/// The inputs shared by all bases.
pub(super) struct RefineContext<'c, 'a> {
    pub catalog: &'a Catalog<'a>,
    pub arity: usize,
    pub examples: &'c [Example],
    pub limits: &'c TimeLimits,
    /// The number of refinements of an interface from which on they are decided together.
    pub min_members: usize,
    /// Returns the groups by some head variables.
    pub groups: &'c dyn Fn(&[u32]) -> Arc<Groups>,
}

/// A base with its variables numbered: first those of the head, then its own.
struct Base {
    literals: Vec<KeyLiteral>,
    locals: Vec<Variable>,
    /// The head variables it mentions, as bits.
    heads: u64,
}

/// The refinements with the same interface.
struct Interface {
    /// The variables, as bits.
    slots: u64,
    /// The patterns of the literals, one after the other.
    patterns: Vec<u64>,
    /// The index of each refinement.
    members: Vec<u32>,
}

/// Groups of examples of which one is inside the bound.
struct NeededGroups {
    heads: u64,
    groups: Arc<Groups>,
    list: Vec<u32>,
}

/// The values of some local variables of a base, for each group by its head variables.
struct Bindings {
    /// The variables, as bits.
    slots: u64,
    /// The start of the tuples of each group, followed by their end.
    starts: Vec<u32>,
    values: Vec<u32>,
    /// For each value its number among those of its group and variable; empty if one is not below
    /// 64.
    numbers: Vec<u8>,
}

impl Bindings {
    /// Numbers the values of each group and variable.
    fn number(&mut self, interner: &mut Interner, database: &Database) {
        let width = self.slots.count_ones() as usize;
        let mut number_of: Vec<u8> = Vec::new();
        self.numbers.resize(self.values.len(), 0);
        for bounds in self.starts.windows(2) {
            let range = bounds[0] as usize..bounds[1] as usize;
            for column in 0..width {
                interner.epoch += 1;
                let mut next = 0;
                for at in range.clone().skip(column).step_by(width) {
                    let id = interner.id(&self.values[at..at + 1], database) as usize;
                    if number_of.len() <= id {
                        number_of.resize(id + 1, 0);
                    }
                    if std::mem::replace(&mut interner.seen_in[id], interner.epoch) != interner.epoch {
                        number_of[id] = next;
                        next += 1;
                        if next > 64 {
                            self.numbers.clear();
                            return;
                        }
                    }
                    self.numbers[at] = number_of[id];
                }
            }
        }
    }
}

/// Decides the refinements of a base. No example outside `within` is covered; inside, the base
/// covers all. Returns `None` if the base or a literal has too many variables.
pub(super) fn refine(
    context: &RefineContext<'_, '_>,
    matches: &mut Matches,
    base: &[&Literal],
    literals: &LiteralList,
    chosen: &[u32],
    within: &Bits,
) -> Option<Refined> {
    let base = Base::new(base, context.arity)?;
    if chosen.iter().any(|&i| literals.get(i as usize).1.len() > MAX_SLOTS) {
        return None;
    }
    let (interfaces, generalizations) = base.interfaces(literals, chosen, context.arity);
    let mut refiner = Refiner { context, matches, base, within, needed: Vec::new(), row_of: HashTable::new() };
    let mut refined = Refined { of: vec![Refinement::Empty; chosen.len()], ..Refined::default() };
    let bindings = refiner.bindings(&interfaces);
    for interface in &interfaces {
        let bound = generalizations.bound(&interface.members, within, &refined);
        if bound.as_ref().is_some_and(|bound| !bound.any()) {
            continue;
        }
        let bound = bound.as_ref().unwrap_or(within);
        let is_worthwhile = || bindings.as_ref().is_some_and(|bindings| refiner.is_cheap(interface, bindings));
        let is_decided = (interface.members.len() >= context.min_members || is_worthwhile())
            && refiner.decide(interface, bound, bindings.as_ref(), &mut refined).is_some();
        if !is_decided {
            let undecided = Refinement::Undecided(refined.bounds.len() as u32);
            interface.members.iter().for_each(|&member| refined.of[member as usize] = undecided);
            refined.bounds.push(bound.clone());
        }
    }
    Some(refined)
}

/// Refinements by their literals, to find those that are more general than others: with a new
/// variable in place of a bound one. Coverage is anti-monotone, so they cover no fewer examples.
#[derive(Default)]
struct Generalizations {
    /// The words of each literal, with the numbers of bound variables.
    words: Vec<u64>,
    /// The end of the words of each literal.
    ends: Vec<u32>,
    by_words: HashTable<u32>,
}

impl Generalizations {
    fn push(&mut self, words: impl IntoIterator<Item = u64>) {
        let start = self.words.len();
        self.words.extend(words);
        self.ends.push(self.words.len() as u32);
        let (words, ends) = (&self.words, &self.ends);
        let of = |member: u32| {
            let start = if member == 0 { 0 } else { ends[member as usize - 1] as usize };
            hash(&words[start..ends[member as usize] as usize])
        };
        // Of equal literals the last is found.
        self.by_words.insert_unique(hash(&words[start..]), ends.len() as u32 - 1, |&member| of(member));
    }

    fn words(&self, member: u32) -> &[u64] {
        let start = if member == 0 { 0 } else { self.ends[member as usize - 1] as usize };
        &self.words[start..self.ends[member as usize] as usize]
    }

    /// Returns the examples inside `within` that some of these refinements may cover, given the
    /// answers so far; `None` if that is all of them.
    fn bound(&self, members: &[u32], within: &Bits, refined: &Refined) -> Option<Bits> {
        let mut all: Option<Bits> = None;
        let mut general: Vec<u64> = Vec::new();
        for &member in members {
            let words = self.words(member);
            let mut own: Option<Bits> = None;
            let mut is_empty = false;
            for k in 1..words.len() {
                let is_single = words[k] & KIND == 0 && words.iter().filter(|&&word| word == words[k]).count() == 1;
                if !is_single {
                    continue;
                }
                general.clear();
                general.extend_from_slice(words);
                general[k] = FRESH | u64::from(u32::MAX);
                rename_fresh(&mut general);
                match self.by_words.find(hash(&general), |&other| self.words(other) == general) {
                    Some(&other) => match refined.of[other as usize] {
                        Refinement::Empty => is_empty = true,
                        Refinement::Row(row) => match &mut own {
                            Some(own) => own.and_assign(&refined.rows[row as usize]),
                            None => own = Some(refined.rows[row as usize].clone()),
                        },
                        Refinement::Undecided(_) => {}
                    },
                    None => {}
                }
            }
            let own = if is_empty { Bits::zeros(within.len()) } else { own? };
            match &mut all {
                Some(all) => all.or_assign(&own),
                None => all = Some(own),
            }
        }
        all
    }
}

/// Numbers the new variables of a literal by first occurrence.
fn rename_fresh(words: &mut [u64]) {
    let (mut names, mut named) = ([0; MAX_SLOTS], 0);
    for word in words.iter_mut().filter(|word| **word & KIND == FRESH) {
        let name = names[..named].iter().position(|name| name == word).unwrap_or_else(|| {
            names[named] = *word;
            named += 1;
            named - 1
        });
        *word = FRESH | name as u64;
    }
}

impl Base {
    fn new(literals: &[&Literal], arity: usize) -> Option<Self> {
        let (mut locals, mut heads): (Vec<Variable>, u64) = (Vec::new(), 0);
        let mut arg = |arg: &Argument| match *arg {
            Argument::Variable(v) if (v.0 as usize) < arity => {
                heads |= 1u64.checked_shl(v.0).unwrap_or(0);
                KeyArg::Head(v.0)
            }
            Argument::Variable(v) => {
                let place = locals.iter().position(|&local| local == v).unwrap_or_else(|| {
                    locals.push(v);
                    locals.len() - 1
                });
                KeyArg::Local(place as u32)
            }
            Argument::Constant(constant) => KeyArg::Constant(constant.id()),
            Argument::Number(number) => KeyArg::Number(number.bits()),
        };
        let mut literal = |literal: &&Literal| KeyLiteral {
            negated: literal.negated,
            predicate: literal.predicate,
            args: literal.args.iter().map(&mut arg).collect(),
        };
        let literals = literals.iter().map(&mut literal).collect();
        (arity + locals.len() <= MAX_SLOTS).then_some(Base { literals, locals, heads })
    }

    /// Returns the number of a variable, unless it is new.
    fn slot(&self, variable: Variable, arity: usize) -> Option<usize> {
        if (variable.0 as usize) < arity {
            return Some(variable.0 as usize);
        }
        self.locals.iter().position(|&local| local == variable).map(|place| arity + place)
    }

    /// Groups the refinements by their interfaces, those with fewer variables first.
    fn interfaces(&self, literals: &LiteralList, chosen: &[u32], arity: usize) -> (Vec<Interface>, Generalizations) {
        let (mut interfaces, mut generalizations): (Vec<Interface>, _) = (Vec::new(), Generalizations::default());
        let mut by_slots: HashMap<u64, usize> = HashMap::default();
        let (mut args, mut fresh): (Vec<Result<usize, u64>>, Vec<Variable>) = (Vec::new(), Vec::new());
        for (number, &i) in chosen.iter().enumerate() {
            let (predicate, of_literal) = literals.get(i as usize);
            (args.clear(), fresh.clear());
            let mut slots = 0u64;
            for arg in of_literal {
                args.push(match *arg {
                    Argument::Variable(v) => match self.slot(v, arity) {
                        Some(slot) => {
                            slots |= 1 << slot;
                            Ok(slot)
                        }
                        None => {
                            let place = fresh.iter().position(|&other| other == v).unwrap_or_else(|| {
                                fresh.push(v);
                                fresh.len() - 1
                            });
                            Err(FRESH | place as u64)
                        }
                    },
                    Argument::Constant(constant) => Err(CONSTANT | u64::from(constant.id())),
                    Argument::Number(_) => Err(CONSTANT | u64::from(u32::MAX)),
                });
            }
            let interface = *by_slots.entry(slots).or_insert_with(|| {
                interfaces.push(Interface { slots, patterns: Vec::new(), members: Vec::new() });
                interfaces.len() - 1
            });
            let interface = &mut interfaces[interface];
            interface.members.push(number as u32);
            interface.patterns.push(PREDICATE | u64::from(predicate.0));
            let word = |arg: &Result<usize, u64>| match *arg {
                Ok(slot) => u64::from((slots & ((1 << slot) - 1)).count_ones()),
                Err(word) => word,
            };
            interface.patterns.extend(args.iter().map(word));
            let absolute = |arg: &Result<usize, u64>| arg.map_or_else(|word| word, |slot| slot as u64);
            generalizations.push([PREDICATE | u64::from(predicate.0)].into_iter().chain(args.iter().map(absolute)));
        }
        interfaces.sort_by_key(|interface| interface.slots.count_ones());
        (interfaces, generalizations)
    }
}

/// Returns the elements of a set given as bits, in ascending order.
fn elements(set: u64) -> impl Iterator<Item = usize> {
    let rest = |&set: &u64| Some(set & (set - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(set).filter(|&set| set != 0), rest).map(|set| set.trailing_zeros() as usize)
}

/// Returns the groups with an example in a set, in ascending order.
fn needed_groups(groups: &Groups, set: &Bits) -> Vec<u32> {
    if groups.first.len() == groups.of.len() {
        // Groups are numbered by their first examples.
        return set.iter().map(|i| i as u32).collect();
    }
    let mut is_needed = Bits::zeros(groups.first.len());
    set.iter().for_each(|i| is_needed.set(groups.of[i] as usize, true));
    is_needed.iter().map(|group| group as u32).collect()
}

/// The state while the refinements of one base are decided.
struct Refiner<'r, 'c, 'a> {
    context: &'r RefineContext<'c, 'a>,
    matches: &'r mut Matches,
    base: Base,
    within: &'r Bits,
    needed: Vec<NeededGroups>,
    /// The rows of the result by their words.
    row_of: HashTable<u32>,
}

impl Refiner<'_, '_, '_> {
    /// Returns the index of the groups by some head variables.
    fn needed(&mut self, heads: u64) -> usize {
        if let Some(known) = self.needed.iter().position(|needed| needed.heads == heads) {
            return known;
        }
        let variables: Vec<u32> = elements(heads).map(|head| head as u32).collect();
        let groups = (self.context.groups)(&variables);
        let list = needed_groups(&groups, self.within);
        self.needed.push(NeededGroups { heads, groups, list });
        self.needed.len() - 1
    }

    fn head_mask(&self) -> u64 {
        (1u64 << self.context.arity) - 1
    }

    /// Enumerates the bindings of the variables of all interfaces; `None` if this is not worthwhile
    /// or takes too long.
    fn bindings(&mut self, interfaces: &[Interface]) -> Option<Bindings> {
        let (heads, min_members) = (self.head_mask(), self.context.min_members / FEWER_IF_CHEAP);
        let is_used = |interface: &&Interface| interface.slots & !heads != 0 && interface.members.len() >= min_members;
        let with_locals = interfaces.iter().filter(is_used);
        let (mut slots, mut interfaces) = (0, 0);
        with_locals.for_each(|interface| (slots, interfaces) = (slots | interface.slots & !heads, interfaces + 1));
        if interfaces < MIN_INTERFACES {
            return None;
        }
        let needed = self.needed(self.base.heads);
        let RefineContext { catalog, arity, examples, limits, .. } = *self.context;
        let NeededGroups { groups, list, .. } = &self.needed[needed];
        let onto: Vec<u32> = elements(slots).map(|slot| (slot - arity) as u32).collect();
        let plan = JoinPlan::projecting(self.base.literals.clone(), &onto, arity, catalog);
        let max_bindings = BINDINGS_PER_GROUP * list.len() as u64 + MIN_BINDINGS;
        let max_steps = STEPS_PER_BINDING * max_bindings;
        let mut search = Search::new(&plan, catalog.database, 1, None).with_budget(max_steps);
        let starts = vec![0; groups.first.len() + 1];
        let mut bindings = Bindings { slots, starts, values: Vec::new(), numbers: Vec::new() };
        let mut list = list.iter().peekable();
        for group in 0..groups.first.len() {
            if group.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            if list.next_if(|&&needed| needed as usize == group).is_some() {
                let first = groups.first[group] as usize;
                let limit_id = limits.of[first];
                let found = search.project(&examples[first].args, limits.values[limit_id as usize], limit_id)?;
                bindings.values.extend_from_slice(found);
                let total = bindings.values.len() as u64;
                if search.steps > max_steps || total > max_bindings * onto.len() as u64 {
                    return None;
                }
            }
            bindings.starts[group + 1] = bindings.values.len() as u32;
        }
        self.matches.grow(VALUES);
        bindings.number(&mut self.matches.interners[VALUES], catalog.database);
        Some(bindings)
    }

    /// Returns whether few refinements are decided faster from enumerated bindings than one by one.
    fn is_cheap(&self, interface: &Interface, bindings: &Bindings) -> bool {
        let locals = interface.slots & !self.head_mask();
        let is_enumerated = locals != 0 && locals & !bindings.slots == 0;
        let rows = bindings.values.len() as u64 / u64::from(bindings.slots.count_ones().max(1));
        let per_row = if locals.count_ones() <= 2 { COST_OF_ROW } else { COST_OF_WIDE_ROW };
        let members = interface.members.len();
        let alone = members as u64 * (COST_OF_PLAN + COST_OF_SEARCH * bindings.starts.len() as u64);
        is_enumerated && members >= self.context.min_members / FEWER_IF_CHEAP && rows * per_row < alone
    }

    /// Returns the number of the interner for the tuples of an interface: by their width, and
    /// whether a time limit belongs to them.
    fn space(&self, interface: &Interface) -> usize {
        let is_limited = self.context.limits.values.iter().any(Option::is_some);
        2 * interface.slots.count_ones() as usize + usize::from(is_limited)
    }

    /// Decides the refinements of one interface.
    ///
    /// None of them covers an example outside `bound`. Returns `None` if this takes too long.
    fn decide(
        &mut self,
        interface: &Interface,
        bound: &Bits,
        bindings: Option<&Bindings>,
        refined: &mut Refined,
    ) -> Option<()> {
        let heads = self.base.heads | interface.slots & self.head_mask();
        let mut needed = self.needed(heads);
        if !std::ptr::eq(bound, self.within) {
            let groups = self.needed[needed].groups.clone();
            let list = needed_groups(&groups, bound);
            // It is for this interface only.
            self.needed.push(NeededGroups { heads: UNSHARED, groups, list });
            needed = self.needed.len() - 1;
        }
        let space = self.space(interface);
        let table = self.matches.table(space, &interface.patterns, self.context.catalog.database);
        let tuples = self.tuples(interface, needed, bindings, table);
        if let Some(tuples) = &tuples {
            self.answer(interface, needed, table, tuples, refined);
        }
        self.needed.pop_if(|needed| needed.heads == UNSHARED);
        tuples.map(|_| ())
    }

    /// Returns the tuples of the interface for each group needed, with their matches known; `None`
    /// if this takes too long.
    fn tuples(
        &mut self,
        interface: &Interface,
        needed: usize,
        bindings: Option<&Bindings>,
        table: usize,
    ) -> Option<Tuples> {
        let (base_groups, space) = (self.needed(self.base.heads), self.space(interface));
        let (needed, base_groups) = (&self.needed[needed], &self.needed[base_groups].groups);
        let RefineContext { catalog, arity, examples, limits, .. } = *self.context;
        let database = catalog.database;
        let head_mask = (1u64 << arity) - 1;
        let heads: Vec<usize> = elements(interface.slots & head_mask).collect();
        let locals = interface.slots & !head_mask;
        let width = locals.count_ones() as usize;
        let max_steps = STEPS_PER_PAIR * (interface.members.len() * needed.list.len()) as u64 + MIN_STEPS;
        // The columns of the interface among the bindings.
        let columns = |all: u64| -> Vec<usize> {
            elements(locals).map(|slot| (all & ((1 << slot) - 1)).count_ones() as usize).collect()
        };
        let has_all = |bindings: &&Bindings| width > 0 && locals & !bindings.slots == 0;
        let source = bindings.filter(has_all).map(|bindings| (bindings, columns(bindings.slots)));
        let plan = (width > 0 && source.is_none()).then(|| {
            let onto: Vec<u32> = elements(locals).map(|slot| (slot - arity) as u32).collect();
            JoinPlan::projecting(self.base.literals.clone(), &onto, arity, catalog)
        });
        let mut search = plan.as_ref().map(|plan| Search::new(plan, database, 1, None).with_budget(max_steps));
        let base_group = |group: u32| base_groups.of[needed.groups.first[group as usize] as usize];
        let mut order: Vec<u32> = (0..needed.list.len() as u32).collect();
        if search.is_some() && base_groups.first.len() != needed.groups.first.len() {
            // Groups with the same bindings of the base follow each other.
            order.sort_by_key(|&at| base_group(needed.list[at as usize]));
        }
        let mut tuples = Tuples { ranges: vec![(0, 0); order.len()], ids: Vec::new() };
        let (mut tuple, mut projected, mut of): (Vec<u32>, Vec<u32>, Option<u32>) = (Vec::new(), Vec::new(), None);
        let mut steps = 0;
        let Matches { interners, tables, .. } = &mut *self.matches;
        let (interner, table) = (&mut interners[space], &mut tables[table]);
        for (number, &at) in order.iter().enumerate() {
            if number.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            let group = needed.list[at as usize];
            let first = needed.groups.first[group as usize] as usize;
            let (args, limit_id) = (&examples[first].args, limits.of[first]);
            let limit = limits.values[limit_id as usize];
            let own: &[u32] = match (&source, &mut search) {
                (Some((bindings, _)), _) => {
                    let group = base_group(group) as usize;
                    &bindings.values[bindings.starts[group] as usize..bindings.starts[group + 1] as usize]
                }
                (None, Some(search)) => {
                    if of.replace(base_group(group)) != Some(base_group(group)) {
                        projected.clear();
                        projected.extend_from_slice(search.project(args, limit, limit_id)?);
                    }
                    &projected
                }
                (None, None) => &[],
            };
            interner.epoch += 1;
            let start = tuples.ids.len() as u32;
            tuple.clear();
            tuple.extend(heads.iter().map(|&head| args[head].id()));
            let mut add = |tuple: &mut Vec<u32>| {
                let id = if space % 2 == 0 { interner.id(tuple, database) } else { interner.limited_id(tuple, limit) };
                if std::mem::replace(&mut interner.seen_in[id as usize], interner.epoch) != interner.epoch {
                    table.ensure(id, &tuple[..heads.len() + width], limit, database);
                    tuples.ids.push(id);
                }
            };
            match &source {
                _ if width == 0 => add(&mut tuple),
                Some((bindings, columns)) if width <= 2 && !bindings.numbers.is_empty() => {
                    // Repeated tuples are recognized by the numbers of their values.
                    let all = bindings.slots.count_ones() as usize;
                    let group = base_group(group) as usize;
                    let numbers = &bindings.numbers[bindings.starts[group] as usize..];
                    let (first, last) = (columns[0], columns[width - 1]);
                    let mut seen = [0u64; 64];
                    for (row, numbers) in own.chunks_exact(all).zip(numbers.chunks_exact(all)) {
                        let (word, bit) = (&mut seen[usize::from(numbers[first])], 1 << numbers[last]);
                        if *word & bit == 0 {
                            *word |= bit;
                            tuple.truncate(heads.len());
                            tuple.extend(columns.iter().map(|&column| row[column]));
                            add(&mut tuple);
                        }
                    }
                }
                Some((bindings, columns)) => {
                    let all = bindings.slots.count_ones() as usize;
                    for row in own.chunks_exact(all) {
                        tuple.truncate(heads.len());
                        tuple.extend(columns.iter().map(|&column| row[column]));
                        add(&mut tuple);
                    }
                }
                None => {
                    for row in own.chunks_exact(width) {
                        tuple.truncate(heads.len());
                        tuple.extend_from_slice(row);
                        add(&mut tuple);
                    }
                }
            }
            steps += own.len() as u64;
            tuples.ranges[at as usize] = (start, tuples.ids.len() as u32);
            let taken = search.as_ref().map_or(0, |search| search.steps + steps);
            if taken > max_steps {
                return None;
            }
        }
        Some(tuples)
    }

    /// Adds the rows of the refinements of one interface.
    fn answer(&mut self, interface: &Interface, needed: usize, table: usize, tuples: &Tuples, refined: &mut Refined) {
        let (needed, table) = (&self.needed[needed], &self.matches.tables[table]);
        let groups = &needed.groups;
        let stride = groups.first.len().div_ceil(64);
        let all_words = interface.members.len().div_ceil(64);
        let words_per_pass = (MAX_ANSWER_WORDS / (64 * stride.max(1))).max(1);
        let mut found: Vec<u64> = vec![0; all_words];
        let mut touched: Vec<u32> = Vec::new();
        for start in (0..all_words).step_by(words_per_pass) {
            let end = all_words.min(start + words_per_pass);
            let mut rows = GroupRows::new(interface.members.len().min(64 * end) - 64 * start, stride);
            for (number, (&group, &(from, to))) in needed.list.iter().zip(&tuples.ranges).enumerate() {
                if number.is_multiple_of(POLL_INTERVAL) {
                    cancel::poll();
                }
                for &id in &tuples.ids[from as usize..to as usize] {
                    for &(at, word) in table.matches(id) {
                        if (start..end).contains(&(at as usize)) {
                            if found[at as usize] == 0 {
                                touched.push(at);
                            }
                            found[at as usize] |= word;
                        }
                    }
                }
                for at in touched.drain(..) {
                    let word = std::mem::take(&mut found[at as usize]);
                    for bit in elements(word) {
                        rows.set(64 * (at as usize - start) + bit, group);
                    }
                }
            }
            // Equal rows of groups are expanded to examples once.
            let mut known: HashTable<(u32, Refinement)> = HashTable::new();
            for (k, &member) in interface.members[64 * start..].iter().take(rows.start_of.len()).enumerate() {
                let Some(words) = rows.get(k) else { continue };
                let same = known.find(hash(words), |&(other, _)| rows.get(other as usize) == Some(words));
                let row = match same {
                    Some(&(_, row)) => row,
                    None => {
                        let mut bits = groups.covered_words(words);
                        bits.and_assign(self.within);
                        let row = insert_row(&mut self.row_of, bits, &mut refined.rows);
                        let rehash = |&(k, _): &(u32, Refinement)| rows.get(k as usize).map_or(0, hash);
                        known.insert_unique(hash(words), (k as u32, row), rehash);
                        row
                    }
                };
                refined.of[member as usize] = row;
            }
        }
    }
}

/// Adds a row unless it is known.
fn insert_row(row_of: &mut HashTable<u32>, bits: Bits, rows: &mut Vec<Bits>) -> Refinement {
    let hashed = hash(bits.words());
    if let Some(&row) = row_of.find(hashed, |&row| rows[row as usize] == bits) {
        return Refinement::Row(row);
    }
    rows.push(bits);
    let row = rows.len() as u32 - 1;
    row_of.insert_unique(hashed, row, |&row| hash(rows[row as usize].words()));
    Refinement::Row(row)
}

fn hash(words: &[u64]) -> u64 {
    use std::hash::BuildHasher;
    rustc_hash::FxBuildHasher.hash_one(words)
}

/// Sets of groups, allocated at the first element.
struct GroupRows {
    stride: usize,
    /// The number of the row among those with an element, plus one; 0 for an empty row.
    start_of: Vec<u32>,
    words: Vec<u64>,
}

impl GroupRows {
    fn new(rows: usize, stride: usize) -> Self {
        GroupRows { stride, start_of: vec![0; rows], words: Vec::new() }
    }

    #[inline]
    fn set(&mut self, row: usize, group: u32) {
        if self.start_of[row] == 0 {
            self.words.resize(self.words.len() + self.stride, 0);
            self.start_of[row] = (self.words.len() / self.stride) as u32;
        }
        let start = (self.start_of[row] as usize - 1) * self.stride;
        self.words[start + group as usize / 64] |= 1 << (group % 64);
    }

    fn get(&self, row: usize) -> Option<&[u64]> {
        let start = (self.start_of[row] as usize).checked_sub(1)? * self.stride;
        Some(&self.words[start..start + self.stride])
    }
}

/// The tuples of an interface by group needed, as numbers of an [`Interner`].
struct Tuples {
    ranges: Vec<(u32, u32)>,
    ids: Vec<u32>,
}

/// Which literals match which tuples, for all bases of a database.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// By the width of tuples, and whether a time limit belongs to them.
    interners: Vec<Interner>,
    /// The tables by their patterns.
    by_patterns: HashTable<u32>,
    tables: Vec<MatchTable>,
}

impl Matches {
    /// Returns the index of the table for a list of patterns.
    fn table(&mut self, space: usize, patterns: &[u64], database: &Database) -> usize {
        if self.tables.iter().map(|table| table.words.len() + table.ranges.len()).sum::<usize>() > MAX_KEPT {
            *self = Matches::default();
        }
        self.grow(space);
        let found = self.by_patterns.find(hash(patterns), |&table| {
            let table = &self.tables[table as usize];
            table.space == space && *table.patterns == *patterns
        });
        if let Some(&table) = found {
            return table as usize;
        }
        self.tables.push(MatchTable::new(space, patterns, database));
        let tables = &self.tables;
        self.by_patterns
            .insert_unique(hash(patterns), tables.len() as u32 - 1, |&table| hash(&tables[table as usize].patterns));
        tables.len() - 1
    }

    /// Makes sure that there is an interner.
    fn grow(&mut self, space: usize) {
        if self.interners.len() <= space {
            self.interners.resize_with(space + 1, Interner::default);
        }
    }
}

/// Numbers tuples of one width.
#[derive(Debug, Default)]
struct Interner {
    pairs: HashMap<u64, u32>,
    others: HashMap<Box<[u32]>, u32>,
    /// The last group that each tuple was seen in.
    seen_in: Vec<u64>,
    epoch: u64,
}

impl Interner {
    /// Returns the number of a tuple.
    #[inline]
    fn id(&mut self, tuple: &[u32], database: &Database) -> u32 {
        let next = self.seen_in.len() as u32;
        let id = match *tuple {
            [value] => {
                let id = dense_index(value, database);
                if id >= next {
                    self.seen_in.resize(id as usize + 1, 0);
                }
                return id;
            }
            [first, second] => *self.pairs.entry(u64::from(first) << 32 | u64::from(second)).or_insert(next),
            _ => match self.others.get(tuple) {
                Some(&id) => id,
                None => *self.others.entry(tuple.into()).or_insert(next),
            },
        };
        if id == next {
            self.seen_in.push(0);
        }
        id
    }

    /// Returns the number of a tuple under a time limit.
    fn limited_id(&mut self, tuple: &mut Vec<u32>, limit: Option<f64>) -> u32 {
        let (width, next) = (tuple.len(), self.seen_in.len() as u32);
        // No limit is NaN.
        let bits = limit.map_or(u64::MAX, f64::to_bits);
        tuple.extend([(bits >> 32) as u32, bits as u32]);
        let id = match self.others.get(&tuple[..]) {
            Some(&id) => id,
            None => *self.others.entry(tuple[..].into()).or_insert(next),
        };
        tuple.truncate(width);
        if id == next {
            self.seen_in.push(0);
        }
        id
    }
}

/// Returns the index of a constant among all names and numbers.
fn dense_index(id: u32, database: &Database) -> u32 {
    let constant = Constant::from_id(id);
    match constant.name_index() {
        Some(index) => index as u32,
        None => database.symbols.names() as u32 + constant.number_index().unwrap_or_default() as u32,
    }
}

/// The literals of a list that match each tuple.
#[derive(Debug)]
struct MatchTable {
    space: usize,
    patterns: Box<[u64]>,
    shapes: Vec<Shape>,
    /// By tuple: the range of its nonzero words, plus one; zeros if not known.
    ranges: Vec<(u32, u32)>,
    words: Vec<(u32, u64)>,
    found: Vec<u64>,
}

/// An argument of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PatternArg {
    /// A value of the tuple.
    Bound(u32),
    /// A variable that occurs in no other literal.
    Fresh(u32),
    /// A constant.
    Constant,
}

/// The literals of a list that differ in their constants only.
#[derive(Debug)]
struct Shape {
    predicate: PredicateId,
    args: Vec<PatternArg>,
    /// By the constants.
    literals: HashMap<Box<[u32]>, Vec<u32>>,
}

impl MatchTable {
    fn new(space: usize, patterns: &[u64], database: &Database) -> Self {
        let mut shapes: Vec<Shape> = Vec::new();
        let mut shape_of: HashMap<(PredicateId, Vec<PatternArg>), usize> = HashMap::default();
        let mut number = 0;
        let mut rest = patterns;
        while let Some((&predicate, after)) = rest.split_first() {
            let arity = after.iter().take_while(|&&word| word & KIND != PREDICATE).count();
            let predicate = PredicateId(predicate as u32);
            let (mut args, mut constants) = (Vec::with_capacity(arity), Vec::new());
            for &word in &after[..arity] {
                args.push(match word & KIND {
                    CONSTANT => {
                        constants.push(word as u32);
                        PatternArg::Constant
                    }
                    FRESH => PatternArg::Fresh(word as u32),
                    _ => PatternArg::Bound(word as u32),
                });
            }
            let shape = *shape_of.entry((predicate, args.clone())).or_insert_with(|| {
                shapes.push(Shape { predicate, args, literals: HashMap::default() });
                shapes.len() - 1
            });
            shapes[shape].literals.entry(constants.into()).or_default().push(number);
            number += 1;
            rest = &after[arity..];
        }
        shapes.retain(|shape| database.facts.relation(shape.predicate).arity() == shape.args.len());
        let found = vec![0; number.div_ceil(64) as usize];
        MatchTable { space, patterns: patterns.into(), shapes, ranges: Vec::new(), words: Vec::new(), found }
    }

    /// Returns the literals that match a tuple, as nonzero words with their indices.
    #[inline]
    fn matches(&self, id: u32) -> &[(u32, u64)] {
        let (start, end) = self.ranges[id as usize];
        &self.words[start as usize - 1..end as usize - 1]
    }

    /// Finds the literals that match a tuple, unless they are known.
    #[inline]
    fn ensure(&mut self, id: u32, tuple: &[u32], limit: Option<f64>, database: &Database) {
        if self.ranges.get(id as usize).is_none_or(|&(start, _)| start == 0) {
            self.find(id, tuple, limit, database);
        }
    }

    fn find(&mut self, id: u32, tuple: &[u32], limit: Option<f64>, database: &Database) {
        for shape in &self.shapes {
            shape.find(tuple, limit, database, &mut self.found);
        }
        let start = self.words.len() as u32 + 1;
        for (at, word) in self.found.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            self.words.push((at as u32, std::mem::take(word)));
        }
        if self.ranges.len() <= id as usize {
            self.ranges.resize(id as usize + 1, (0, 0));
        }
        self.ranges[id as usize] = (start, self.words.len() as u32 + 1);
    }
}

impl Shape {
    /// Adds the literals that match a tuple.
    fn find(&self, tuple: &[u32], limit: Option<f64>, database: &Database, found: &mut [u64]) {
        let relation = database.facts.relation(self.predicate);
        let value = |arg: &PatternArg| match arg {
            PatternArg::Bound(place) => Some(Constant::from_id(tuple[*place as usize])),
            PatternArg::Fresh(_) | PatternArg::Constant => None,
        };
        let mut bound: Vec<Option<Constant>> = self.args.iter().map(value).collect();
        let is_at = |k: &usize| self.args[*k] == PatternArg::Constant;
        let constants: Vec<usize> = (0..self.args.len()).filter(is_at).collect();
        let mut insert = |literals: &[u32]| {
            literals.iter().for_each(|&literal| found[literal as usize / 64] |= 1 << (literal % 64));
        };
        let mut row_args: Vec<Constant> = Vec::new();
        let mut is_match = |row: &crate::kb::FactRow<'_>| {
            let repeats = |k: usize| match self.args[k] {
                PatternArg::Fresh(_) => self.args[..k]
                    .iter()
                    .position(|other| *other == self.args[k])
                    .is_none_or(|j| row.get(j) == row.get(k)),
                PatternArg::Bound(_) | PatternArg::Constant => true,
            };
            if !(0..self.args.len()).all(repeats) {
                return false;
            }
            if limit.is_none() {
                return true;
            }
            row_args.clear();
            row_args.extend(row.iter());
            database.visible(self.predicate, &row_args, limit)
        };
        let rows = relation.lookup(&bound);
        if constants.is_empty() {
            if rows.into_iter().any(|row| is_match(&row)) {
                self.literals.values().for_each(|literals| insert(literals));
            }
            return;
        }
        if rows.range().len() <= 4 * self.literals.len() {
            let mut key: Vec<u32> = Vec::with_capacity(constants.len());
            for row in rows {
                if is_match(&row) {
                    key.clear();
                    key.extend(constants.iter().map(|&k| row.get(k).id()));
                    if let Some(literals) = self.literals.get(&key[..]) {
                        insert(literals);
                    }
                }
            }
            return;
        }
        for (values, literals) in &self.literals {
            for (&k, &value) in constants.iter().zip(values) {
                bound[k] = Some(Constant::from_id(value));
            }
            if relation.lookup(&bound).any(|row| is_match(&row)) {
                insert(literals);
            }
        }
    }
}

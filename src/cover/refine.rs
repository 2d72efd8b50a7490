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

use super::bits::{Bits, elements};
use super::catalog::Catalog;
use super::groups::{Groups, TimeLimits};
use super::interface::{Base, Interface, LiteralList, MAX_SLOTS, Refined, Refinement};
use super::join_plan::JoinPlan;
use super::matches::{Interner, Matches, VALUES, hash};
use super::search::Search;
use crate::cancel;
use crate::kb::{Database, Example};
use crate::logic::Literal;

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

/// The number of groups between two polls for cancellation.
const POLL_INTERVAL: usize = 64;

/// Marks groups that are for one interface only: no base has this many head variables.
const UNSHARED: u64 = u64::MAX;

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

/// Returns the groups with an example in a set, in ascending order.
pub(super) fn needed_groups(groups: &Groups, set: &Bits) -> Vec<u32> {
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
        let space = interface.space(self.context.limits);
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
        let (base_groups, space) = (self.needed(self.base.heads), interface.space(self.context.limits));
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
                    table.ensure(id, &tuple[..heads.len() + width], limit, catalog);
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
pub(super) fn insert_row(row_of: &mut HashTable<u32>, bits: Bits, rows: &mut Vec<Bits>) -> Refinement {
    let hashed = hash(bits.words());
    if let Some(&row) = row_of.find(hashed, |&row| rows[row as usize] == bits) {
        return Refinement::Row(row);
    }
    rows.push(bits);
    let row = rows.len() as u32 - 1;
    row_of.insert_unique(hashed, row, |&row| hash(rows[row as usize].words()));
    Refinement::Row(row)
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

//! The bindings of a path as rows, and the literals that match each of them.
//!
//! Most of the largest tests below a path add two literals that share variables of the path only.
//! Such a pair covers an example if both literals match under one binding of the path. The bindings
//! are therefore enumerated once per node, each literal is matched against all of them, and a pair
//! is an intersection of two sets of rows: nothing is searched per pair.

use std::sync::Arc;

use hashbrown::HashTable;

use super::bits::{Bits, elements};
use super::groups::Groups;
use super::interface::{Base, Interface, LiteralList, MAX_SLOTS, Refined, Refinement};
use super::join_plan::JoinPlan;
use super::matches::{Matches, hash};
use super::refine::{RefineContext, insert_row, needed_groups};
use super::search::Search;
use crate::cancel;
use crate::logic::Literal;

/// The maximum number of bindings: this many on average per group of examples, besides a number
/// that few groups may have, but never more than [`MAX_ROWS`].
const ROWS_PER_GROUP: usize = 512;
const ROWS_OF_FEW_GROUPS: usize = 1 << 12;
const MAX_ROWS: usize = 1 << 20;

/// The maximum number of nonzero words in the sets of rows of all literals: 24 MiB with their
/// indices.
const MAX_WORDS: usize = 1 << 21;

/// The steps that the enumeration may take per binding that is allowed.
const STEPS_PER_ROW: u64 = 8;

/// The number of groups, or of pairs, between two polls for cancellation.
const POLL_INTERVAL: usize = 64;

/// The bindings of a path for each group of examples, with the literals that match them.
#[derive(Debug)]
pub(crate) struct BindingRows {
    groups: Arc<Groups>,
    /// The group of each row. The rows of a group follow each other.
    group_of: Vec<u32>,
    /// The end of the rows of each group.
    ends: Vec<u32>,
    /// The rows that each literal matches.
    matching: Vec<RowSet>,
}

/// A set of rows as nonzero words with their indices: most literals match few rows.
#[derive(Clone, Debug, Default)]
struct RowSet {
    at: Vec<u32>,
    words: Vec<u64>,
}

impl RowSet {
    /// Adds a row that is not before the others; returns the number of new words.
    #[inline]
    fn push(&mut self, row: usize) -> usize {
        let (at, bit) = ((row / 64) as u32, 1 << (row % 64));
        match self.words.last_mut() {
            Some(word) if self.at.last() == Some(&at) => {
                *word |= bit;
                0
            }
            _ => {
                self.at.push(at);
                self.words.push(bit);
                1
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.at.iter().map(|&at| at as usize).zip(self.words.iter().copied())
    }
}

/// Enumerates the bindings of a path for the examples in `within`, and matches literals against
/// them. Variables of a literal that the path does not bind match anything. Returns `None` if there
/// are too many bindings or variables.
pub(super) fn binding_rows(
    context: &RefineContext<'_, '_>,
    matches: &mut Matches,
    path: &[&Literal],
    literals: &LiteralList,
    within: &Bits,
) -> Option<BindingRows> {
    let RefineContext { catalog, arity, examples, limits, .. } = *context;
    let database = catalog.database;
    let base = Base::new(path, arity)?;
    let all: Vec<u32> = (0..literals.len() as u32).collect();
    if base.locals.is_empty() || all.iter().any(|&i| literals.get(i as usize).1.len() > MAX_SLOTS) {
        return None;
    }
    // A literal may mention head variables that the path does not mention.
    let heads: Vec<u32> = (0..arity as u32).collect();
    let groups = (context.groups)(&heads);
    let needed = needed_groups(&groups, within);
    let max_rows = (ROWS_PER_GROUP * needed.len() + ROWS_OF_FEW_GROUPS).min(MAX_ROWS);

    let width = base.locals.len();
    let onto: Vec<u32> = (0..width as u32).collect();
    let plan = JoinPlan::projecting(base.literals.clone(), &onto, arity, catalog);
    let mut search = Search::new(&plan, database, 1, None).with_budget(STEPS_PER_ROW * max_rows as u64);
    let (mut values, mut group_of, mut ends): (Vec<u32>, Vec<u32>, Vec<u32>) = Default::default();
    ends.resize(groups.first.len(), 0);
    for (number, &group) in needed.iter().enumerate() {
        if number.is_multiple_of(POLL_INTERVAL) {
            cancel::poll();
        }
        let first = groups.first[group as usize] as usize;
        let limit_id = limits.of[first];
        values.extend_from_slice(search.project(&examples[first].args, limits.values[limit_id as usize], limit_id)?);
        let rows = values.len() / width;
        if rows > max_rows || search.steps > STEPS_PER_ROW * max_rows as u64 {
            return None;
        }
        group_of.resize(rows, group);
        ends[group as usize] = rows as u32;
    }
    let mut rows = BindingRows { groups, group_of, ends, matching: vec![RowSet::default(); all.len()] };
    let mut words = 0;
    for interface in &base.interfaces(literals, &all, arity).0 {
        words += rows.find_matches(context, matches, interface, &values);
        if words > MAX_WORDS {
            return None;
        }
    }
    Some(rows)
}

impl BindingRows {
    /// Finds the rows that the literals of one interface match; returns the number of words.
    fn find_matches(
        &mut self,
        context: &RefineContext<'_, '_>,
        matches: &mut Matches,
        interface: &Interface,
        values: &[u32],
    ) -> usize {
        let RefineContext { catalog, arity, examples, limits, .. } = *context;
        let database = catalog.database;
        let width = values.len() / self.group_of.len().max(1);
        let head_mask = (1u64 << arity) - 1;
        let heads: Vec<usize> = elements(interface.slots & head_mask).collect();
        let columns: Vec<usize> = elements(interface.slots & !head_mask).map(|slot| slot - arity).collect();
        let space = interface.space(limits);
        let table = matches.table(space, &interface.patterns, database);
        let (interner, table) = (&mut matches.interners[space], &mut matches.tables[table]);
        let (mut tuple, mut last): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let (mut id, mut words) = (0, 0);
        for (row, (&group, of_row)) in self.group_of.iter().zip(values.chunks_exact(width.max(1))).enumerate() {
            cancel::poll_at(row);
            let first = self.groups.first[group as usize] as usize;
            let limit = limits.values[limits.of[first] as usize];
            tuple.clear();
            tuple.extend(heads.iter().map(|&head| examples[first].args[head].id()));
            tuple.extend(columns.iter().map(|&column| of_row[column]));
            // Neighboring rows often agree.
            if row == 0 || !space.is_multiple_of(2) || tuple != last {
                id = match space % 2 {
                    0 => interner.id(&tuple, database),
                    _ => interner.limited_id(&mut tuple, limit),
                };
                table.ensure(id, &tuple, limit, catalog);
                last.clone_from(&tuple);
            }
            for &(at, word) in table.matches(id) {
                for bit in elements(word) {
                    let member = interface.members[64 * at as usize + bit];
                    words += self.matching[member as usize].push(row);
                }
            }
        }
        words
    }

    /// Decides for each of some literals which examples in `within` it covers together with the
    /// path and another literal, if both have no variable in common that the path does not bind.
    pub fn pairs(&self, literal: usize, others: &[u32], within: &Bits) -> Refined {
        let mut own = vec![0; self.group_of.len().div_ceil(64)];
        self.matching[literal].iter().for_each(|(at, word)| own[at] = word);
        let mut refined = Refined::default();
        let mut row_of: HashTable<u32> = HashTable::new();
        // Sets of groups are expanded to examples once.
        let mut sets: Vec<u64> = Vec::new();
        let mut known: HashTable<(u32, Refinement)> = HashTable::new();
        let stride = self.groups.first.len().div_ceil(64);
        let mut covered = vec![0; stride];
        for (number, &other) in others.iter().enumerate() {
            if number.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            covered.fill(0);
            if !self.intersect(&own, &self.matching[other as usize], &mut covered) {
                refined.of.push(Refinement::Empty);
                continue;
            }
            let set = |sets: &[u64], at: u32| sets[at as usize * stride..(at as usize + 1) * stride] == covered[..];
            if let Some(&(_, row)) = known.find(hash(&covered), |&(at, _)| set(&sets, at)) {
                refined.of.push(row);
                continue;
            }
            let mut bits = self.groups.covered_words(&covered);
            bits.and_assign(within);
            let row = match bits.any() {
                true => insert_row(&mut row_of, bits, &mut refined.rows),
                false => Refinement::Empty,
            };
            let at = (sets.len() / stride) as u32;
            sets.extend_from_slice(&covered);
            let rehash = |&(at, _): &(u32, Refinement)| hash(&sets[at as usize * stride..(at as usize + 1) * stride]);
            known.insert_unique(hash(&covered), (at, row), rehash);
            refined.of.push(row);
        }
        refined
    }

    /// Adds the groups with a row in both sets; returns whether there is one.
    fn intersect(&self, own: &[u64], other: &RowSet, covered: &mut [u64]) -> bool {
        let mut is_any = false;
        for (at, word) in other.iter() {
            let mut both = word & own[at];
            while both != 0 {
                is_any = true;
                let group = self.group_of[64 * at + both.trailing_zeros() as usize] as usize;
                covered[group / 64] |= 1 << (group % 64);
                // The other rows of the group add nothing.
                let end = self.ends[group] as usize - 64 * at;
                both &= u64::MAX.checked_shl(end as u32).unwrap_or(0);
            }
        }
        is_any
    }
}

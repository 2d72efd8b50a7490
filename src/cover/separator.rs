//! Counting through a separator, from both ends of a component towards its middle.
//!
//! A component with two head variables often falls apart once one of its local variables, the
//! *separator*, has a value: no part mentions both head variables. The groundings of each side are
//! listed once per value of its head variable, as numbers by value of the separator. A pair of
//! heads has as many groundings as the sum of the products of these numbers. A chain of four
//! literals thus takes two lists of two literals each, where a search visits three literals per
//! pair.

use super::bits::Bits;
use super::catalog::Catalog;
use super::conjunction::{ComponentKey, KeyArg, KeyLiteral, decode, head_variables};
use super::groups::{Groups, TimeLimits};
use super::join_plan::JoinPlan;
use super::search::Search;
use crate::cancel;
use crate::kb::{Database, Example};
use crate::logic::Constant;

/// The minimum number of literals: shorter components are searched as fast.
const MIN_LITERALS: usize = 3;

/// The maximum number of literals on a side of which all orders are tried for its normal form.
const MAX_ORDERED: usize = 3;

/// The maximum number of facts of a predicate that are visited for one binding.
const MAX_SCANNED: usize = 64;

/// The maximum number of entries in the lists of a side.
const MAX_ENTRIES: usize = 1 << 24;

/// The number of entries of lists visited in the time of a step of a search, roughly.
pub(super) const ENTRIES_PER_STEP: u64 = 8;

/// The number of groups between two polls for cancellation.
const POLL_INTERVAL: usize = 64;

/// A component split at a separator.
pub(super) struct Separated {
    pub sides: [Side; 2],
}

/// The groundings to count from the lists of both sides.
pub(super) struct SeparatedCounts<'s> {
    /// The groups of examples by both head variables.
    pub groups: &'s Groups,
    /// Counts saturate here.
    pub max_count: u32,
    /// Groups outside have no grounding.
    pub within: Option<&'s Bits>,
    /// The maximum number of entries visited to decide existence: a search may find a grounding
    /// much earlier.
    pub max_entries: u64,
}

/// The literals on one side of the separator: a normal form with the head variable as
/// `KeyArg::Head(0)` and the separator as `KeyArg::Local(0)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Side {
    /// The head variable it mentions.
    pub head: u32,
    literals: Vec<KeyLiteral>,
}

/// For each group of examples that agree on a head variable, the values of the separator with
/// their numbers of groundings.
#[derive(Debug)]
pub(super) struct Lists {
    /// The start of the list of each group, followed by the number of entries.
    starts: Vec<u32>,
    /// Distinct values of the separator, as dense indices.
    values: Vec<u32>,
    /// Numbers of groundings, saturated; empty if all are 1.
    numbers: Vec<u8>,
}

/// The inputs of the lists of a side.
pub(super) struct ListContext<'c, 'a> {
    pub catalog: &'a Catalog<'a>,
    pub examples: &'c [Example],
    pub limits: &'c TimeLimits,
}

impl Separated {
    /// Splits a component, at the separator that balances its sides best; `None` if none exists.
    pub fn new(key: &ComponentKey) -> Option<Self> {
        let heads = head_variables(key);
        let literals = decode(key);
        let is_positive = |literal: &KeyLiteral| !literal.negated && literal.predicate.comparison().is_none();
        if heads.len() != 2 || literals.len() < MIN_LITERALS || !literals.iter().all(is_positive) {
            return None;
        }
        let locals = literals.iter().flat_map(|literal| &literal.args).filter_map(|arg| match arg {
            KeyArg::Local(k) => Some(*k + 1),
            _ => None,
        });
        let splits = (0..locals.max()?).filter_map(|separator| {
            let sides = split(&literals, separator, [heads[0], heads[1]])?;
            Some((sides[0].len().max(sides[1].len()), separator, sides))
        });
        let (_, separator, sides) = splits.min_by_key(|&(longest, separator, _)| (longest, separator))?;
        let side = |k: usize| Side {
            head: heads[k],
            literals: normal_form(&sides[k], KeyArg::Head(heads[k]), KeyArg::Local(separator)),
        };
        Some(Separated { sides: [side(0), side(1)] })
    }
}

impl SeparatedCounts<'_> {
    /// Counts the groundings for each group of examples and returns the entries visited; `None` if
    /// a search may be faster.
    ///
    /// `by_head` are the groups by either head variable, to which the lists belong.
    pub fn of(&self, lists: [&Lists; 2], by_head: [&Groups; 2], database: &Database) -> Option<(Vec<u32>, u64)> {
        let SeparatedCounts { groups, max_count, within, max_entries } = *self;
        let group_of = |side: usize, group: u32| by_head[side].of[groups.first[group as usize] as usize] as usize;
        let is_inside = |&group: &u32| within.is_none_or(|within| within.get(groups.first[group as usize] as usize));
        let mut order: Vec<u32> = (0..groups.first.len() as u32).filter(is_inside).collect();
        let entries = |side: usize| -> u64 {
            order.iter().map(|&group| lists[side].range(group_of(side, group)).len() as u64).sum()
        };
        // One list is spread over a table, the other is visited for each pair.
        let totals = [entries(0), entries(1)];
        let visited = if totals[0] < totals[1] { 0 } else { 1 };
        let spread = 1 - visited;
        if max_count == 1 && totals[visited] > max_entries {
            return None;
        }
        order.sort_by_key(|&group| group_of(spread, group));
        let mut table = vec![0u8; database.symbols.names() + database.symbols.numbers()];
        let mut spread_group = None;
        let mut counts = vec![0; groups.first.len()];
        for (number, &group) in order.iter().enumerate() {
            if number.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            let now = group_of(spread, group);
            if spread_group != Some(now) {
                for &value in spread_group.iter().flat_map(|&before| &lists[spread].values[lists[spread].range(before)])
                {
                    table[value as usize] = 0;
                }
                for at in lists[spread].range(now) {
                    table[lists[spread].values[at] as usize] = lists[spread].number(at);
                }
                spread_group = Some(now);
            }
            let mut count = 0u32;
            for at in lists[visited].range(group_of(visited, group)) {
                let other = table[lists[visited].values[at] as usize];
                if other > 0 {
                    count += u32::from(other) * u32::from(lists[visited].number(at));
                    if count >= max_count {
                        count = max_count;
                        break;
                    }
                }
            }
            counts[group as usize] = count;
        }
        Some((counts, totals[0] + totals[1]))
    }
}

/// Splits literals into those connected with either head variable once the separator is bound;
/// `None` if some are connected with both.
fn split(literals: &[KeyLiteral], separator: u32, heads: [u32; 2]) -> Option<[Vec<KeyLiteral>; 2]> {
    let is_link = |arg: &KeyArg| matches!(arg, KeyArg::Local(k) if *k != separator);
    let mut side_of: Vec<Option<usize>> = vec![None; literals.len()];
    for (side, &head) in heads.iter().enumerate() {
        let mut open: Vec<usize> =
            (0..literals.len()).filter(|&i| literals[i].args.contains(&KeyArg::Head(head))).collect();
        while let Some(i) = open.pop() {
            match side_of[i] {
                Some(other) if other == side => continue,
                Some(_) => return None,
                None => side_of[i] = Some(side),
            }
            let shares =
                |other: &usize| literals[*other].args.iter().any(|arg| is_link(arg) && literals[i].args.contains(arg));
            open.extend((0..literals.len()).filter(|&other| side_of[other] != Some(side)).filter(shares));
        }
    }
    // Parts without a head variable restrict the separator on either side.
    let of = |side: usize| -> Vec<KeyLiteral> {
        let own = literals.iter().zip(&side_of).filter(|&(_, &of)| of.unwrap_or(0) == side);
        own.map(|(literal, _)| literal.clone()).collect()
    };
    let sides = [of(0), of(1)];
    let mentions = |side: &Vec<KeyLiteral>| side.iter().any(|literal| literal.args.contains(&KeyArg::Local(separator)));
    sides.iter().all(mentions).then_some(sides)
}

/// Renames the variables of a side and orders its literals.
fn normal_form(literals: &[KeyLiteral], head: KeyArg, separator: KeyArg) -> Vec<KeyLiteral> {
    let renamed = |order: &[usize]| -> Vec<KeyLiteral> {
        let mut names = vec![separator];
        let mut arg = |&arg: &KeyArg| match arg {
            _ if arg == head => KeyArg::Head(0),
            KeyArg::Local(_) => {
                let name = names.iter().position(|&name| name == arg).unwrap_or_else(|| {
                    names.push(arg);
                    names.len() - 1
                });
                KeyArg::Local(name as u32)
            }
            other => other,
        };
        let mut literal =
            |&i: &usize| KeyLiteral { args: literals[i].args.iter().map(&mut arg).collect(), ..literals[i] };
        order.iter().map(&mut literal).collect()
    };
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for i in 0..literals.len() {
        let longest = |order: &Vec<usize>| if literals.len() <= MAX_ORDERED { order.len() } else { 0 };
        let insert = |order: Vec<usize>| {
            (0..=longest(&order)).map(move |back| {
                let mut order = order.clone();
                order.insert(order.len() - back, i);
                order
            })
        };
        orders = orders.into_iter().flat_map(insert).collect();
    }
    orders.iter().map(|order| renamed(order)).min().unwrap_or_default()
}

impl Side {
    /// Lists the values of the separator for each group needed, with numbers of groundings up to
    /// `max_count`; `None` if there are too many, or this takes more than `max_steps`.
    pub fn lists(
        &self,
        context: &ListContext<'_, '_>,
        groups: &Groups,
        needed: &Bits,
        max_count: u8,
        max_steps: u64,
    ) -> Option<Lists> {
        let ListContext { catalog, examples, limits } = *context;
        let database = catalog.database;
        let locals = self.literals.iter().flat_map(|literal| &literal.args).filter_map(|arg| match arg {
            KeyArg::Local(k) => Some(*k + 1),
            _ => None,
        });
        // Each grounding is a different tuple of all local variables.
        let onto: Vec<u32> = (0..if max_count > 1 { locals.max()? } else { 1 }).collect();
        let plan = JoinPlan::projecting(self.literals.clone(), &onto, 1, catalog);
        if plan.scans(MAX_SCANNED) {
            return None;
        }
        let mut search = Search::new(&plan, database, 1, None).with_budget(max_steps);
        let (mut starts, mut values, mut numbers) = (vec![0], Vec::new(), Vec::new());
        // The place of each value in the list of this group, plus one. A place before the list is
        // that of an earlier group.
        let mut places = vec![0u32; database.symbols.names() + database.symbols.numbers()];
        for (number, &first) in groups.first.iter().enumerate() {
            if number.is_multiple_of(POLL_INTERVAL) {
                cancel::poll();
            }
            if !needed.get(number) {
                starts.push(values.len() as u32);
                continue;
            }
            let (head, limit_id) = ([examples[first as usize].args[self.head as usize]], limits.of[first as usize]);
            let tuples = search.project(&head, limits.values[limit_id as usize], limit_id)?;
            let start = values.len();
            for tuple in tuples.chunks_exact(onto.len()) {
                let value = dense_index(tuple[0], database);
                let place = &mut places[value as usize];
                if *place as usize <= start {
                    values.push(value);
                    *place = values.len() as u32;
                    if max_count > 1 {
                        numbers.push(1);
                    }
                } else if max_count > 1 {
                    let number: &mut u8 = &mut numbers[*place as usize - 1];
                    *number = max_count.min(number.saturating_add(1));
                }
            }
            if values.len() > MAX_ENTRIES || search.steps > max_steps {
                return None;
            }
            starts.push(values.len() as u32);
        }
        values.shrink_to_fit();
        numbers.shrink_to_fit();
        Some(Lists { starts, values, numbers })
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

impl Lists {
    fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    #[inline]
    fn number(&self, at: usize) -> u8 {
        self.numbers.get(at).copied().unwrap_or(1)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.starts.len() + self.values.len()) + self.numbers.len()
    }
}

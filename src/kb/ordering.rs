//! Chooses the column orders in which a relation is sorted.
//!
//! Rows sorted by columns `c0, c1, …` serve every lookup that binds a prefix of that list. One
//! order therefore serves a chain of binding patterns, each a subset of the next. The minimum
//! number of orders is a minimum chain cover, found by bipartite matching (Dilworth, by way of
//! König).

use std::collections::BTreeSet;

use super::mode::{Mode, ModeSlot};

/// A set of bound argument positions as a bit mask; positions from 64 on are never indexed.
pub type BindingPattern = u64;

/// Maximum number of free arguments for which all binding patterns are indexed.
///
/// Beyond it, only the pattern of the bound arguments is indexed, or each single argument if none
/// is bound: all patterns of six free arguments would need 20 sorted copies of the relation.
/// Arguments not covered by an index are compared row by row.
const MAX_FREE_ARGUMENTS: u32 = 4;

/// Returns the binding pattern with these positions.
pub fn binding_pattern(positions: impl IntoIterator<Item = usize>) -> BindingPattern {
    positions.into_iter().filter(|&k| k < 64).fold(0, |bits, k| bits | 1 << k)
}

/// Adds all binding patterns with which a literal of this mode can be looked up.
///
/// A position that does not admit a new variable is always bound; the others depend on the clause.
pub(crate) fn add_patterns_of(mode: &Mode, patterns: &mut BTreeSet<BindingPattern>) {
    let positions = |new: bool| mode.args.iter().enumerate().filter(move |(_, slot)| slot.symbol.may_be_new() == new);
    let bound = binding_pattern(positions(false).map(|(k, _)| k));
    let may_bind = |slot: &ModeSlot| slot.symbol.may_reuse() || slot.symbol.may_be_constant();
    let free = binding_pattern(positions(true).filter(|(_, slot)| may_bind(slot)).map(|(k, _)| k));
    patterns.insert(bound);
    if free.count_ones() <= MAX_FREE_ARGUMENTS {
        let mut subset = free;
        while subset != 0 {
            patterns.insert(bound | subset);
            subset = (subset - 1) & free;
        }
    } else if bound == 0 {
        patterns.extend((0..64).map(|k| 1 << k).filter(|bit| free & bit != 0));
    }
}

/// Returns the minimum set of column orders such that each pattern is a prefix of one of them.
///
/// The result is sorted and never empty.
pub(crate) fn orders(patterns: &BTreeSet<BindingPattern>, arity: usize) -> Vec<Box<[u32]>> {
    let all = binding_pattern(0..arity);
    // Every order serves the empty and the full pattern.
    let patterns: Vec<BindingPattern> = patterns.iter().map(|p| p & all).filter(|&p| p != 0 && p != all).collect();
    let next = chains(&patterns);
    let mut is_first = vec![true; patterns.len()];
    for &next in next.iter().flatten() {
        is_first[next] = false;
    }
    let mut orders: Vec<Box<[u32]>> = (0..patterns.len())
        .filter(|&i| is_first[i])
        .map(|first| {
            let chain = std::iter::successors(Some(first), |&i| next[i]).map(|i| patterns[i]);
            order_of(chain, arity)
        })
        .collect();
    if orders.is_empty() {
        orders.push(order_of(std::iter::empty(), arity));
    }
    orders.sort();
    orders
}

/// Lists the columns that each pattern adds to the previous one, then all remaining columns.
fn order_of(chain: impl Iterator<Item = BindingPattern>, arity: usize) -> Box<[u32]> {
    let mut order = Vec::with_capacity(arity);
    let mut seen: BindingPattern = 0;
    for pattern in chain {
        order.extend((0..64).filter(|k| pattern & !seen & (1 << k) != 0));
        seen |= pattern;
    }
    order.extend((0..arity as u32).filter(|&k| k >= 64 || seen & (1 << k) == 0));
    order.into()
}

/// Returns the successor of each pattern in a minimum chain cover.
fn chains(patterns: &[BindingPattern]) -> Vec<Option<usize>> {
    let mut next = vec![None; patterns.len()];
    let mut previous = vec![None; patterns.len()];
    for i in 0..patterns.len() {
        let mut tried = vec![false; patterns.len()];
        augment(i, patterns, &mut next, &mut previous, &mut tried);
    }
    next
}

/// Finds an augmenting path that gives pattern `i` a successor; returns whether there is one.
fn augment(
    i: usize,
    patterns: &[BindingPattern],
    next: &mut [Option<usize>],
    previous: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for j in 0..patterns.len() {
        let is_subset = patterns[i] != patterns[j] && patterns[i] & !patterns[j] == 0;
        if !is_subset || std::mem::replace(&mut tried[j], true) {
            continue;
        }
        if previous[j].is_none_or(|other| augment(other, patterns, next, previous, tried)) {
            next[i] = Some(j);
            previous[j] = Some(i);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders_of(patterns: &[BindingPattern], arity: usize) -> Vec<Vec<u32>> {
        orders(&patterns.iter().copied().collect(), arity).iter().map(|order| order.to_vec()).collect()
    }

    #[test]
    fn one_order_serves_a_chain() {
        assert_eq!(orders_of(&[0b01, 0b11], 2), [[0, 1]]);
        assert_eq!(orders_of(&[0b10, 0b11], 2), [[1, 0]]);
        assert_eq!(orders_of(&[0b01, 0b10, 0b11], 2), [[0, 1], [1, 0]]);
        assert_eq!(orders_of(&[0b100, 0b101, 0b111], 3), [[2, 0, 1]]);
    }

    #[test]
    fn matching_augments_earlier_chains() {
        // {0} precedes {0, 2}, although {0, 1} comes first: {1} has no other successor than {0, 1}.
        assert_eq!(orders_of(&[0b001, 0b010, 0b011, 0b101], 3), [[0, 2, 1], [1, 0, 2]]);
    }

    #[test]
    fn relations_without_patterns_are_sorted_once() {
        assert_eq!(orders_of(&[], 3), [[0, 1, 2]]);
        assert_eq!(orders_of(&[0, 0b111], 3), [[0, 1, 2]]);
        assert_eq!(orders_of(&[], 0), [[0u32; 0]]);
    }

    #[test]
    fn all_patterns_of_n_columns_need_the_middle_binomial() {
        // Sperner: the largest antichain of subsets of n elements has n over n/2 members.
        for (n, expected) in [(1, 1), (2, 2), (3, 3), (4, 6), (5, 10)] {
            let all: Vec<BindingPattern> = (0..1 << n).collect();
            let orders = orders_of(&all, n);
            assert_eq!(orders.len(), expected, "{n} columns");
            for &p in &all {
                let prefix =
                    |o: &Vec<u32>| binding_pattern(o.iter().take(p.count_ones() as usize).map(|&k| k as usize));
                assert!(orders.iter().any(|o| prefix(o) == p), "{p:b} is no prefix of {orders:?}");
            }
        }
    }

    #[test]
    fn columns_beyond_the_bit_mask_come_last() {
        let order = &orders_of(&[binding_pattern([69, 3])], 70)[0];
        assert_eq!(order[0], 3);
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), (0..70).collect());
        assert_eq!(order[69], 69);
    }
}

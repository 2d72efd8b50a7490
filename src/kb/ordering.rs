//! Which orders of its columns a relation must be sorted in.
//!
//! Rows sorted by columns `c0, c1, …` answer every question that binds a prefix of that list, so one order serves a
//! chain of patterns, each within the next. The fewest orders for a set of patterns are the fewest chains that cover
//! it, which a bipartite matching finds (Dilworth's theorem by way of König's).

use std::collections::BTreeSet;

use super::schema::{Mode, ModeSlot};

/// A set of argument positions, as bits; positions from 64 on are never part of one and so never indexed.
pub type Pattern = u64;

/// With more free arguments than this, a literal is asked for by its bound arguments only, or by any single one if
/// none is bound. All patterns of six free arguments would need 20 sorted copies of the relation. What is bound beyond
/// an index is compared row by row.
const FREE_ARGUMENTS: u32 = 4;

/// The pattern of these positions.
pub fn pattern(positions: impl IntoIterator<Item = usize>) -> Pattern {
    positions.into_iter().filter(|&k| k < 64).fold(0, |bits, k| bits | 1 << k)
}

/// Adds every pattern that a literal of this mode can be asked with.
///
/// A position is bound if no new variable may stand there. The others are bound or not, as the clause has it.
pub(crate) fn patterns_of(mode: &Mode, patterns: &mut BTreeSet<Pattern>) {
    let positions = |new: bool| mode.args.iter().enumerate().filter(move |(_, slot)| slot.symbol.may_be_new() == new);
    let bound = pattern(positions(false).map(|(k, _)| k));
    let may_bind = |slot: &ModeSlot| slot.symbol.may_reuse() || slot.symbol.may_be_constant();
    let free = pattern(positions(true).filter(|(_, slot)| may_bind(slot)).map(|(k, _)| k));
    patterns.insert(bound);
    if free.count_ones() <= FREE_ARGUMENTS {
        let mut subset = free;
        while subset != 0 {
            patterns.insert(bound | subset);
            subset = (subset - 1) & free;
        }
    } else if bound == 0 {
        patterns.extend((0..64).map(|k| 1 << k).filter(|bit| free & bit != 0));
    }
}

/// The fewest orders of `arity` columns such that each pattern is a prefix of one; at least one, sorted.
pub(crate) fn orders(patterns: &BTreeSet<Pattern>, arity: usize) -> Vec<Box<[u32]>> {
    let all = pattern(0..arity);
    // Every order serves the empty and the full pattern.
    let patterns: Vec<Pattern> = patterns.iter().map(|p| p & all).filter(|&p| p != 0 && p != all).collect();
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

/// The columns of each pattern that the one before it does not have, then all that are left.
fn order_of(chain: impl Iterator<Item = Pattern>, arity: usize) -> Box<[u32]> {
    let mut order = Vec::with_capacity(arity);
    let mut seen: Pattern = 0;
    for pattern in chain {
        order.extend((0..64).filter(|k| pattern & !seen & (1 << k) != 0));
        seen |= pattern;
    }
    order.extend((0..arity as u32).filter(|&k| k >= 64 || seen & (1 << k) == 0));
    order.into()
}

/// For each pattern the next one in its chain; the chains are as few as possible.
fn chains(patterns: &[Pattern]) -> Vec<Option<usize>> {
    let mut next = vec![None; patterns.len()];
    let mut before = vec![None; patterns.len()];
    for i in 0..patterns.len() {
        let mut tried = vec![false; patterns.len()];
        augment(i, patterns, &mut next, &mut before, &mut tried);
    }
    next
}

/// Gives pattern `i` a follower, moving others to another follower if need be; whether that was possible.
fn augment(
    i: usize,
    patterns: &[Pattern],
    next: &mut [Option<usize>],
    before: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for j in 0..patterns.len() {
        let within = patterns[i] != patterns[j] && patterns[i] & !patterns[j] == 0;
        if !within || std::mem::replace(&mut tried[j], true) {
            continue;
        }
        if before[j].is_none_or(|other| augment(other, patterns, next, before, tried)) {
            next[i] = Some(j);
            before[j] = Some(i);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders_of(patterns: &[Pattern], arity: usize) -> Vec<Vec<u32>> {
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
    fn a_chain_gives_way_to_make_room_for_another() {
        // {0} goes with {0, 2}, although {0, 1} comes first: {1} has only {0, 1} to go with.
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
        // Sperner: the largest antichain of the subsets of n things has n over n/2 of them.
        for (n, expected) in [(1, 1), (2, 2), (3, 3), (4, 6), (5, 10)] {
            let all: Vec<Pattern> = (0..1 << n).collect();
            let orders = orders_of(&all, n);
            assert_eq!(orders.len(), expected, "{n} columns");
            for &p in &all {
                let prefix = |o: &Vec<u32>| pattern(o.iter().take(p.count_ones() as usize).map(|&k| k as usize));
                assert!(orders.iter().any(|o| prefix(o) == p), "{p:b} is no prefix of {orders:?}");
            }
        }
    }

    #[test]
    fn columns_beyond_the_bits_come_last() {
        let order = &orders_of(&[pattern([69, 3])], 70)[0];
        assert_eq!(order[0], 3);
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), (0..70).collect());
        assert_eq!(order[69], 69);
    }
}

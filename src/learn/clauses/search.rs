//! The best clause below a bottom clause.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::bottom::Bottom;
use super::{Judged, Space};
use crate::logic::{Literal, Variable};
use crate::order::HashSet;
use crate::tree::Bits;

/// What a search came to.
pub(super) struct Found {
    /// The clause that compresses most, with the examples it covers; the first of equals.
    pub best: Option<(Vec<Literal>, Arc<Bits>)>,
    pub examined: u64,
    pub over_budget: bool,
}

/// Some literals of the bottom clause, in the order in which they were added.
struct Node {
    members: Vec<u32>,
    judged: Judged,
    /// When it was made.
    age: usize,
}

impl Node {
    fn rank(&self) -> (f64, Reverse<usize>) {
        (self.judged.compression, Reverse(self.age))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((value, age), (others, other_age)) = (self.rank(), other.rank());
        value.total_cmp(&others).then(age.cmp(&other_age))
    }
}

/// Searches best-first: of the clauses that are known, the one that compresses most is given every literal more that the modes
/// allow. A clause is dropped when nothing below it can be better than the best, since literals only lose examples.
pub(super) fn best_clause(space: &Space<'_, '_>, bottom: &Bottom) -> Found {
    let options = &space.options;
    let mut found = Found { best: None, examined: 0, over_budget: false };
    let mut best = 0.0;
    let mut seen: HashSet<Vec<u32>> = HashSet::default();
    let mut open = BinaryHeap::new();
    let everyone = space.judge(0, Arc::new(Bits::ones(space.positives.len())));
    open.push(Node { members: Vec::new(), judged: everyone, age: 0 });
    let mut age = 0;
    while let Some(node) = open.pop() {
        let length = node.members.len() + 1;
        if length > options.max_length || node.judged.gained - length as f64 <= best {
            continue;
        }
        let mut children = children(bottom, &node.members, &mut seen);
        let left = options.search_limit - found.examined as usize;
        if children.len() > left {
            children.truncate(left);
            found.over_budget = true;
        }
        found.examined += children.len() as u64;
        let bodies: Vec<Vec<Literal>> = children.iter().map(|members| body(bottom, members)).collect();
        for (members, covered) in children.into_iter().zip(space.coverage.cover_all(&bodies)) {
            let judged = space.judge(length, covered);
            if judged.acceptable && judged.compression > best {
                best = judged.compression;
                found.best = Some((body(bottom, &members), judged.covered.clone()));
            }
            let enough = judged.covered.count_and(&space.uncovered) >= options.min_positives;
            if enough && length < options.max_length && judged.gained - (length + 1) as f64 > best {
                age += 1;
                open.push(Node { members, judged, age });
            }
        }
        if found.over_budget {
            break;
        }
    }
    found
}

fn body(bottom: &Bottom, members: &[u32]) -> Vec<Literal> {
    members.iter().map(|&k| bottom.literals[k as usize].literal.clone()).collect()
}

/// The clauses with one literal more that were not seen before.
fn children(bottom: &Bottom, members: &[u32], seen: &mut HashSet<Vec<u32>>) -> Vec<Vec<u32>> {
    let literal = |&k: &u32| &bottom.literals[k as usize].literal;
    let bound: HashSet<Variable> = members.iter().flat_map(|k| literal(k).variables()).collect();
    let mut children = Vec::new();
    for (k, next) in bottom.literals.iter().enumerate() {
        let k = k as u32;
        let same = || members.iter().filter(|other| literal(other).predicate == next.literal.predicate).count();
        if members.contains(&k)
            || !next.inputs.iter().all(|input| bound.contains(input))
            || next.max.is_some_and(|max| same() >= max as usize)
            // Two modes may give the same literal.
            || members.iter().any(|other| *literal(other) == next.literal)
        {
            continue;
        }
        let mut sorted: Vec<u32> = members.iter().copied().chain([k]).collect();
        sorted.sort_unstable();
        if seen.insert(sorted) {
            children.push(members.iter().copied().chain([k]).collect());
        }
    }
    children
}

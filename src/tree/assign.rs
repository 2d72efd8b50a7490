//! Assignment of examples to leaves.

use std::sync::Arc;

use super::node::{Node, NodeId, Tree};
use crate::cover::{Bits, Coverage};
use crate::kb::{Database, naive};
use crate::logic::{Constant, Literal, PredicateId};

/// Returns the leaf that each example of a coverage reaches.
pub fn leaves<L>(tree: &Tree<L>, coverage: &Coverage<'_>) -> Vec<NodeId> {
    let mut reached = vec![tree.root(); coverage.examples().len()];
    let all = Bits::ones(reached.len());
    let mut stack: Vec<(NodeId, Vec<Literal>, Bits)> = vec![(tree.root(), Vec::new(), all)];
    while let Some((id, mut literals, here)) = stack.pop() {
        match tree.node(id) {
            Node::Leaf(_) => here.iter().for_each(|i| reached[i] = id),
            // No example is left to test.
            Node::Split(_) if !here.any() => {}
            Node::Split(split) => {
                let above = literals.clone();
                let covered = match split.at_least {
                    1 => {
                        literals.extend_from_slice(&split.test);
                        coverage.cover(&literals)
                    }
                    at_least => Arc::new(coverage.counts(&[&split.test]).remove(0).at_least(at_least)),
                };
                stack.push((split.no, above, here.and_not(&covered)));
                stack.push((split.yes, literals, here.and(&covered)));
            }
        }
    }
    reached
}

/// Returns the value of the tree for each example of a coverage.
pub fn values<L>(tree: &Tree<L>, coverage: &Coverage<'_>) -> Vec<f64> {
    let value = |id: NodeId| match tree.node(id) {
        Node::Leaf(leaf) => leaf.value,
        Node::Split(_) => unreachable!("examples reach leaves"),
    };
    leaves(tree, coverage).into_iter().map(value).collect()
}

/// Returns the leaf that one example reaches by the naive evaluator: the oracle of [`leaves`].
pub fn leaf_naive<L>(tree: &Tree<L>, database: &Database, target: PredicateId, head: &[Constant]) -> NodeId {
    let (mut id, mut literals) = (tree.root(), Vec::new());
    while let Node::Split(split) = tree.node(id) {
        if split.at_least > 1 {
            let enough = naive::count(database, &split.test, target, head) >= split.at_least as usize;
            id = if enough { split.yes } else { split.no };
            continue;
        }
        let conjunction = [&literals[..], &split.test].concat();
        if naive::covers(database, &conjunction, target, head) {
            (id, literals) = (split.yes, conjunction);
        } else {
            id = split.no;
        }
    }
    id
}

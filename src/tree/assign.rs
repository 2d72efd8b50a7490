//! Which leaf each example reaches.

use std::sync::Arc;

use super::node::{Node, NodeId, Tree};
use crate::cover::Bits;
use crate::cover::Coverage;
use crate::kb::{Database, naive};
use crate::logic::{Constant, Literal, PredicateId};

/// The leaf that each example of a coverage reaches.
pub fn leaves<L>(tree: &Tree<L>, coverage: &Coverage<'_>) -> Vec<NodeId> {
    let mut reached = vec![tree.root(); coverage.examples().len()];
    let all = Bits::ones(reached.len());
    let mut waiting: Vec<(NodeId, Vec<Literal>, Bits)> = vec![(tree.root(), Vec::new(), all)];
    while let Some((id, mut literals, here)) = waiting.pop() {
        match tree.node(id) {
            Node::Leaf(_) => here.iter().for_each(|i| reached[i] = id),
            // Nobody is left, so nobody need be asked.
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
                waiting.push((split.no, above, here.and_not(&covered)));
                waiting.push((split.yes, literals, here.and(&covered)));
            }
        }
    }
    reached
}

/// The value that the tree gives each example of a coverage.
pub fn values<L>(tree: &Tree<L>, coverage: &Coverage<'_>) -> Vec<f64> {
    let value = |id: NodeId| match tree.node(id) {
        Node::Leaf(leaf) => leaf.value,
        Node::Split(_) => unreachable!("examples end in leaves"),
    };
    leaves(tree, coverage).into_iter().map(value).collect()
}

/// The leaf that one example reaches, asked test by test of the slow evaluator: the oracle of [`leaves`].
pub fn leaf_by_hand<L>(tree: &Tree<L>, database: &Database, target: PredicateId, head: &[Constant]) -> NodeId {
    let (mut id, mut literals) = (tree.root(), Vec::new());
    while let Node::Split(split) = tree.node(id) {
        if split.at_least > 1 {
            let enough = naive::count(database, &split.test, target, head) >= split.at_least as usize;
            id = if enough { split.yes } else { split.no };
            continue;
        }
        let asked = [&literals[..], &split.test].concat();
        if naive::covers(database, &asked, target, head) {
            (id, literals) = (split.yes, asked);
        } else {
            id = split.no;
        }
    }
    id
}

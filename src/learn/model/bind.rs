//! From the names of one vocabulary to those of another.

use std::collections::VecDeque;

use super::{LeafWeights, TreeModel};
use crate::kb::Database;
use crate::logic::Literal;
use crate::logic::rename;
use crate::tree::{Node, NodeId, SplitNode, Tree};

/// The tree of a model over the names of a database.
///
/// A literal with a predicate or constant that the database does not have is false for every substitution: a test that needs
/// it never holds, so the tree shrinks to the false branch there; negated, it always holds and is left out.
pub(super) fn bind(tree: &Tree<LeafWeights>, model: &TreeModel, database: &Database) -> Tree<LeafWeights> {
    rebuild(tree, |literal| rename::find(literal, model.names(), database.names()))
}

/// The tree of a database over the names of a model, which learns those it lacks.
pub(super) fn own(tree: Tree<LeafWeights>, model: &mut TreeModel, database: &Database) -> Tree<LeafWeights> {
    let TreeModel { predicates, symbols, .. } = model;
    // A model mentions some of the names of one database, so its tables cannot be full.
    rebuild(&tree, |literal| rename::intern(literal, database.names(), predicates, symbols).ok())
}

/// The same tree with other literals; `None` from `translate` stands for a literal that never holds.
fn rebuild(tree: &Tree<LeafWeights>, mut translate: impl FnMut(&Literal) -> Option<Literal>) -> Tree<LeafWeights> {
    // Children are numbered as they are met, breadth first, so they stand behind their parents.
    let mut nodes: Vec<Node<LeafWeights>> = Vec::new();
    let mut waiting = VecDeque::from([tree.root()]);
    let mut met = 1;
    while let Some(mut id) = waiting.pop_front() {
        let node = loop {
            match tree.node(id) {
                Node::Leaf(leaf) => break Node::Leaf(leaf.clone()),
                Node::Split(split) => match rename::conjunction(&split.test, &mut translate) {
                    Some(test) => {
                        waiting.extend([split.yes, split.no]);
                        met += 2;
                        let (yes, no) = (NodeId(met - 2), NodeId(met - 1));
                        break Node::Split(SplitNode { test, at_least: split.at_least, yes, no });
                    }
                    None => id = split.no,
                },
            }
        };
        nodes.push(node);
    }
    Tree::from_nodes(nodes).expect("each child was numbered once, behind its parent")
}

//! Translation of trees between the names of a model and those of a database.

use std::collections::VecDeque;

use super::model::{ClassSums, Fidelity, LeafWeights, TreeModel};
use crate::kb::Database;
use crate::learn::header::Header;
use crate::logic::rename;
use crate::logic::{Literal, Predicates, Symbols};
use crate::tree::{Node, NodeId, SplitNode, Tree};

/// The parts of a model at the end of training: its trees are over the names of the database.
pub(crate) struct Parts {
    pub header: Header,
    pub classes: Option<ClassSums>,
    pub fidelity: Option<Fidelity>,
    pub prior: f64,
    pub step: f64,
    pub trees: Vec<Tree<LeafWeights>>,
}

impl TreeModel {
    /// Creates a model that keeps the names of a database that its trees mention.
    pub(crate) fn from_parts(parts: Parts, database: &Database) -> Self {
        let Parts { header, classes, fidelity, prior, step, trees } = parts;
        let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
        let target = predicates.intern(&header.signature.target, header.signature.arity);
        // A model mentions some of the names of one database, so its tables cannot overflow.
        let mut own = |literal: &Literal| rename::intern(literal, database.names(), &mut predicates, &mut symbols).ok();
        let trees = trees.iter().map(|tree| rebuild(tree, &mut own)).collect();
        TreeModel { header, classes, fidelity, prior, step, target, trees, predicates, symbols }
    }

    /// Returns the trees over the names of a database.
    ///
    /// A literal with a predicate or constant that the database lacks is false for every
    /// substitution. A test that contains it never succeeds, so the node is replaced by its false
    /// branch; a negated one is always true and is left out.
    pub fn bind(&self, database: &Database) -> Vec<Tree<LeafWeights>> {
        self.trees.iter().map(|tree| self.bind_tree(tree, database)).collect()
    }

    /// Returns one of the trees over the names of a database.
    pub(super) fn bind_tree(&self, tree: &Tree<LeafWeights>, database: &Database) -> Tree<LeafWeights> {
        rebuild(tree, |literal| rename::find(literal, self.names(), database.names()))
    }
}

/// Returns the tree with translated literals; `None` from `translate` means that a literal never
/// holds.
fn rebuild(tree: &Tree<LeafWeights>, mut translate: impl FnMut(&Literal) -> Option<Literal>) -> Tree<LeafWeights> {
    // Nodes are numbered breadth first, so that children follow their parents.
    let mut nodes: Vec<Node<LeafWeights>> = Vec::new();
    let mut queue = VecDeque::from([tree.root()]);
    let mut count = 1;
    while let Some(mut id) = queue.pop_front() {
        let node = loop {
            match tree.node(id) {
                Node::Leaf(leaf) => break Node::Leaf(leaf.clone()),
                Node::Split(split) => match rename::conjunction(&split.test, &mut translate) {
                    Some(test) => {
                        queue.extend([split.yes, split.no]);
                        count += 2;
                        let (yes, no) = (NodeId(count - 2), NodeId(count - 1));
                        break Node::Split(SplitNode { test, at_least: split.at_least, yes, no });
                    }
                    None => id = split.no,
                },
            }
        };
        nodes.push(node);
    }
    Tree::from_nodes(nodes).expect("each child is numbered once, after its parent")
}

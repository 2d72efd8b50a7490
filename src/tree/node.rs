//! Trees: tests, leaves, and the paths from the root to the leaves.

use crate::logic::{Literal, rename};

/// A node, as an index into the nodes of its [`Tree`]; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An inner node: a test and its two children.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitNode {
    /// The conjunction that is tested together with all true literals above it.
    ///
    /// Its variables are those of the head, those of the true literals above, and new ones.
    /// Literals of failed tests are not above it, so their variables may reuse the same numbers.
    pub test: Vec<Literal>,
    /// The number of groundings required, usually 1. An at-least-k test (k > 1) counts the
    /// groundings of its new variables. It shares only head variables with the literals above and
    /// binds none for the tests below.
    pub at_least: u32,
    /// The child for examples with at least that many groundings.
    pub yes: NodeId,
    /// The child for the others.
    pub no: NodeId,
}

/// A leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf<L> {
    /// The value that the tree adds to ψ of the examples that reach the leaf.
    pub value: f64,
    /// The number of positive training examples that reach it.
    pub positives: u32,
    /// The number of negative training examples that reach it.
    pub negatives: u32,
    /// The parameters that the value is computed from.
    pub leaf: L,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<L> {
    /// An inner node.
    Split(SplitNode),
    /// A leaf.
    Leaf(Leaf<L>),
}

/// A relational regression tree over the head variables `0..arity`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<L> {
    nodes: Vec<Node<L>>,
}

/// Nodes that do not form a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} of a tree {what}: each node except the root must be the child of exactly one earlier node")]
pub struct TreeError {
    node: usize,
    what: String,
}

/// A failed test on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedTest<'t> {
    /// The true literals above the test.
    pub above: Vec<&'t Literal>,
    /// The test: it has fewer than `at_least` groundings, together with `above` if `at_least` is 1.
    pub test: &'t [Literal],
    /// The number of groundings required.
    pub at_least: u32,
}

/// An at-least-k test that succeeded on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountTest<'t> {
    /// The test.
    pub test: &'t [Literal],
    /// The number of groundings required.
    pub at_least: u32,
}

/// The path from the root to a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<'t, L> {
    /// The true literals, from the root down.
    pub literals: Vec<&'t Literal>,
    /// The number of true literals after each successful test, from the root down.
    pub ends: Vec<usize>,
    /// The at-least-k tests that succeeded, from the root down.
    pub counts: Vec<CountTest<'t>>,
    /// The tests that failed, from the root down.
    pub failed: Vec<FailedTest<'t>>,
    /// The id of the leaf.
    pub id: NodeId,
    /// The leaf.
    pub leaf: &'t Leaf<L>,
}

impl<L> Tree<L> {
    /// Creates a tree of one leaf.
    pub fn single(leaf: Leaf<L>) -> Self {
        Tree { nodes: vec![Node::Leaf(leaf)] }
    }

    /// Creates a tree from nodes in topological order, the root first.
    ///
    /// # Errors
    /// If a node is not the child of exactly one node before it, or a child does not exist.
    pub fn from_nodes(nodes: Vec<Node<L>>) -> Result<Self, TreeError> {
        let mut parents = vec![0u32; nodes.len()];
        let error = |node, what: String| Err(TreeError { node, what });
        for (i, node) in nodes.iter().enumerate() {
            let Node::Split(split) = node else { continue };
            for child in [split.yes, split.no].map(|child| child.0 as usize) {
                match parents.get_mut(child) {
                    Some(count) if child > i => *count += 1,
                    _ => return error(i, format!("has the child {child}")),
                }
            }
        }
        match parents.iter().enumerate().find(|&(i, &count)| count != u32::from(i > 0)) {
            Some((i, count)) => error(i, format!("has {count} parents")),
            None if nodes.is_empty() => error(0, "is missing".to_owned()),
            None => Ok(Tree { nodes }),
        }
    }

    /// Returns the root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns all nodes, the root first and children after their parents.
    pub fn nodes(&self) -> &[Node<L>] {
        &self.nodes
    }

    /// Returns a node.
    ///
    /// # Panics
    /// If there is no node with this id.
    pub fn node(&self, id: NodeId) -> &Node<L> {
        &self.nodes[id.0 as usize]
    }

    /// Returns the number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Leaf(_))).count()
    }

    /// Returns the maximum number of tests on a path.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Node::Split(split) = node {
                for child in [split.yes, split.no] {
                    depths[child.0 as usize] = depths[i] + 1;
                }
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// Replaces a leaf by a test with two leaves; returns the ids of the yes and the no child.
    ///
    /// # Panics
    /// If the node is not a leaf.
    pub fn split(
        &mut self,
        id: NodeId,
        test: Vec<Literal>,
        at_least: u32,
        yes: Leaf<L>,
        no: Leaf<L>,
    ) -> (NodeId, NodeId) {
        let next = self.nodes.len() as u32;
        let (yes_id, no_id) = (NodeId(next), NodeId(next + 1));
        let node = &mut self.nodes[id.0 as usize];
        assert!(matches!(node, Node::Leaf(_)), "node {id:?} is not a leaf");
        *node = Node::Split(SplitNode { test, at_least, yes: yes_id, no: no_id });
        self.nodes.extend([Node::Leaf(yes), Node::Leaf(no)]);
        (yes_id, no_id)
    }

    /// Returns the tree for printing: the counted variables of at-least-k tests, which are local,
    /// have numbers that no other test uses.
    pub fn renamed_apart(mut self, arity: usize) -> Self {
        let tests = self.nodes.iter().filter_map(|node| match node {
            Node::Split(split) => Some(&split.test),
            Node::Leaf(_) => None,
        });
        let used = tests.flatten().flat_map(Literal::variables).map(|variable| variable.0 + 1).max();
        let mut next = used.unwrap_or(0).max(arity as u32);
        for node in &mut self.nodes {
            if let Node::Split(split) = node
                && split.at_least > 1
            {
                split.test = rename::apart(std::mem::take(&mut split.test), arity, &mut next);
            }
        }
        self
    }

    /// Returns the paths to all leaves, yes before no.
    pub fn paths(&self) -> Vec<Path<'_, L>> {
        let mut paths = Vec::new();
        let mut stack = vec![(self.root(), Vec::new(), Vec::new(), Vec::new(), Vec::new())];
        while let Some((id, literals, ends, counts, failed)) = stack.pop() {
            match self.node(id) {
                Node::Leaf(leaf) => paths.push(Path { literals, ends, counts, failed, id, leaf }),
                Node::Split(split) => {
                    let SplitNode { test, at_least, .. } = split;
                    let mut failed_below: Vec<FailedTest<'_>> = failed.clone();
                    failed_below.push(FailedTest { above: literals.clone(), test, at_least: *at_least });
                    stack.push((split.no, literals.clone(), ends.clone(), counts.clone(), failed_below));
                    let (mut true_below, mut ends_below): (Vec<&Literal>, Vec<usize>) = (literals, ends);
                    let mut counts_below: Vec<CountTest<'_>> = counts;
                    match at_least {
                        1 => {
                            true_below.extend(test);
                            ends_below.push(true_below.len());
                        }
                        _ => counts_below.push(CountTest { test, at_least: *at_least }),
                    }
                    stack.push((split.yes, true_below, ends_below, counts_below, failed));
                }
            }
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::PredicateId;

    fn literal(predicate: u32) -> Literal {
        Literal::new(PredicateId(predicate), Vec::new())
    }

    fn leaf(value: f64) -> Leaf<()> {
        Leaf { value, positives: 0, negatives: 0, leaf: () }
    }

    #[test]
    fn paths_list_successful_and_failed_tests() {
        let mut tree = Tree::single(leaf(0.0));
        let (yes, no) = tree.split(tree.root(), vec![literal(0)], 1, leaf(1.0), leaf(2.0));
        let (yes_yes, yes_no) = tree.split(yes, vec![literal(1), literal(2)], 1, leaf(3.0), leaf(4.0));
        assert_eq!((tree.leaves(), tree.depth()), (3, 2));
        let [p0, p1, p2] = [0, 1, 2].map(literal);
        let paths = tree.paths();
        assert_eq!(paths.iter().map(|path| path.id).collect::<Vec<_>>(), [yes_yes, yes_no, no]);
        assert_eq!(paths[0].literals, [&p0, &p1, &p2]);
        assert_eq!((&paths[0].ends[..], &paths[1].ends[..]), (&[1, 3][..], &[1][..]));
        assert!(paths[0].failed.is_empty());
        assert_eq!(paths[1].literals, [&p0]);
        assert_eq!(paths[1].failed[0].above, [&p0]);
        assert_eq!(paths[1].failed[0].test, [p1, p2]);
        assert!(paths[2].literals.is_empty() && paths[2].failed[0].above.is_empty());
        assert_eq!(paths[2].leaf.value, 2.0);
        assert_eq!(Tree::from_nodes(tree.nodes().to_vec()), Ok(tree.clone()));
        // An at-least-k test adds no literal to the path below it.
        tree.split(no, vec![literal(1)], 3, leaf(5.0), leaf(6.0));
        let paths = tree.paths();
        assert!(paths[2].literals.is_empty() && paths[3].counts.is_empty());
        assert_eq!(paths[2].counts, [CountTest { test: &[literal(1)], at_least: 3 }]);
        assert_eq!(paths[3].failed[1].at_least, 3);
    }

    #[test]
    fn counted_variables_are_renamed_apart() {
        use crate::logic::{Argument, Variable};
        let of = |predicate: u32, variables: [u32; 2]| {
            Literal::new(PredicateId(predicate), variables.map(|v| Argument::Variable(Variable(v))).to_vec())
        };
        // Variable 2 is bound by the first test, and counted by the second and the third.
        let mut tree = Tree::single(leaf(0.0));
        let (yes, _) = tree.split(tree.root(), vec![of(0, [0, 2])], 1, leaf(1.0), leaf(2.0));
        let (yes, _) = tree.split(yes, vec![of(1, [2, 1]), of(2, [2, 3])], 7, leaf(3.0), leaf(4.0));
        tree.split(yes, vec![of(1, [1, 2])], 2, leaf(5.0), leaf(6.0));
        let printed = tree.renamed_apart(2);
        let tests: Vec<&[Literal]> = printed.paths()[0].counts.iter().map(|count| count.test).collect();
        assert_eq!(printed.paths()[0].literals, [&of(0, [0, 2])]);
        assert_eq!(tests, [&[of(1, [4, 1]), of(2, [4, 5])][..], &[of(1, [1, 6])]]);
    }

    #[test]
    fn from_nodes_rejects_nodes_that_are_not_a_tree() {
        let split =
            |yes, no| Node::Split(SplitNode { test: vec![literal(0)], at_least: 1, yes: NodeId(yes), no: NodeId(no) });
        let end = || Node::Leaf(leaf(0.0));
        let error = |nodes: Vec<Node<()>>| Tree::from_nodes(nodes).unwrap_err().to_string();
        assert!(error(vec![]).starts_with("node 0 of a tree is missing"));
        assert!(error(vec![split(1, 2), end()]).starts_with("node 0 of a tree has the child 2"));
        assert!(error(vec![split(0, 1), end()]).starts_with("node 0 of a tree has the child 0"));
        assert!(error(vec![split(1, 1), end()]).starts_with("node 1 of a tree has 2 parents"));
        assert!(error(vec![end(), end()]).starts_with("node 1 of a tree has 0 parents"));
    }
}

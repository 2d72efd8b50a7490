//! The tree itself: tests and leaves, and the paths from the root to the leaves.

use crate::logic::Literal;

/// A node, as an index into the nodes of its [`Tree`]; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A test and what follows from its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The conjunction that is asked, together with all literals that are true on the way to it.
    ///
    /// Its variables are those of the head, those of the true literals above, and new ones. Literals of failed tests are
    /// not above it, so their variables may have the same numbers and mean something else.
    pub test: Vec<Literal>,
    /// How many groundings must exist: mostly 1. If it is more, those of the variables that are new in the test are
    /// counted. Such a test shares no variable with the literals above but those of the head, and binds none for those
    /// below.
    pub at_least: u32,
    /// Where examples go for which so many groundings exist.
    pub yes: NodeId,
    /// Where the others go.
    pub no: NodeId,
}

/// The end of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf<L> {
    /// What the tree adds to ψ of the examples that end here.
    pub value: f64,
    /// How many positive examples ended here when the tree grew.
    pub positives: u32,
    /// How many negative ones did.
    pub negatives: u32,
    /// What the value was made from.
    pub leaf: L,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<L> {
    /// A test.
    Split(Split),
    /// A leaf.
    Leaf(Leaf<L>),
}

/// A relational regression tree over the variables `0..arity` of the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<L> {
    nodes: Vec<Node<L>>,
}

/// A tree whose nodes do not hang together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} of a tree {what}: each node but the root must be the child of one node before it")]
pub struct TreeError {
    node: usize,
    what: String,
}

/// A test that failed on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedTest<'t> {
    /// The literals that were true above the test.
    pub above: Vec<&'t Literal>,
    /// The test; fewer than `at_least` groundings of it, together with `above` if that is 1, exist.
    pub test: &'t [Literal],
    /// How many groundings were asked for.
    pub at_least: u32,
}

/// A test on the number of groundings that held on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountTest<'t> {
    /// The test.
    pub test: &'t [Literal],
    /// So many groundings exist, at least.
    pub at_least: u32,
}

/// The way from the root to a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<'t, L> {
    /// The literals that are true, from the root down.
    pub literals: Vec<&'t Literal>,
    /// How many of the literals were true behind each test that held, from the root down.
    pub ends: Vec<usize>,
    /// The tests on numbers of groundings that held, from the root down.
    pub counts: Vec<CountTest<'t>>,
    /// The tests that failed, from the root down.
    pub failed: Vec<FailedTest<'t>>,
    /// The leaf's place in the tree.
    pub id: NodeId,
    /// The leaf.
    pub leaf: &'t Leaf<L>,
}

impl<L> Tree<L> {
    /// A tree of one leaf.
    pub fn single(leaf: Leaf<L>) -> Self {
        Tree { nodes: vec![Node::Leaf(leaf)] }
    }

    /// A tree of these nodes, the root first and children behind their parents.
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

    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Every node, the root first and children behind their parents.
    pub fn nodes(&self) -> &[Node<L>] {
        &self.nodes
    }

    /// A node.
    ///
    /// # Panics
    /// If the id is of another tree and too large for this one.
    pub fn node(&self, id: NodeId) -> &Node<L> {
        &self.nodes[id.0 as usize]
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Leaf(_))).count()
    }

    /// The most tests on the way to a leaf.
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

    /// Turns a leaf into a test for so many groundings with two leaves; gives the ids of the yes and the no side.
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
        assert!(matches!(node, Node::Leaf(_)), "only leaves are split");
        *node = Node::Split(Split { test, at_least, yes: yes_id, no: no_id });
        self.nodes.extend([Node::Leaf(yes), Node::Leaf(no)]);
        (yes_id, no_id)
    }

    /// The ways to all leaves, yes before no.
    pub fn paths(&self) -> Vec<Path<'_, L>> {
        let mut paths = Vec::new();
        let mut waiting = vec![(self.root(), Vec::new(), Vec::new(), Vec::new(), Vec::new())];
        while let Some((id, literals, ends, counts, failed)) = waiting.pop() {
            match self.node(id) {
                Node::Leaf(leaf) => paths.push(Path { literals, ends, counts, failed, id, leaf }),
                Node::Split(split) => {
                    let Split { test, at_least, .. } = split;
                    let mut failed_here: Vec<FailedTest<'_>> = failed.clone();
                    failed_here.push(FailedTest { above: literals.clone(), test, at_least: *at_least });
                    waiting.push((split.no, literals.clone(), ends.clone(), counts.clone(), failed_here));
                    let (mut true_here, mut ends_here): (Vec<&Literal>, Vec<usize>) = (literals, ends);
                    let mut counts_here: Vec<CountTest<'_>> = counts;
                    match at_least {
                        1 => {
                            true_here.extend(test);
                            ends_here.push(true_here.len());
                        }
                        _ => counts_here.push(CountTest { test, at_least: *at_least }),
                    }
                    waiting.push((split.yes, true_here, ends_here, counts_here, failed));
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
    fn paths_know_what_held_and_what_failed() {
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
        // A test on a number is no literal of those below it.
        tree.split(no, vec![literal(1)], 3, leaf(5.0), leaf(6.0));
        let paths = tree.paths();
        assert!(paths[2].literals.is_empty() && paths[3].counts.is_empty());
        assert_eq!(paths[2].counts, [CountTest { test: &[literal(1)], at_least: 3 }]);
        assert_eq!(paths[3].failed[1].at_least, 3);
    }

    #[test]
    fn nodes_that_do_not_hang_together_are_no_tree() {
        let split =
            |yes, no| Node::Split(Split { test: vec![literal(0)], at_least: 1, yes: NodeId(yes), no: NodeId(no) });
        let end = || Node::Leaf(leaf(0.0));
        let error = |nodes: Vec<Node<()>>| Tree::from_nodes(nodes).unwrap_err().to_string();
        assert!(error(vec![]).starts_with("node 0 of a tree is missing"));
        assert!(error(vec![split(1, 2), end()]).starts_with("node 0 of a tree has the child 2"));
        assert!(error(vec![split(0, 1), end()]).starts_with("node 0 of a tree has the child 0"));
        assert!(error(vec![split(1, 1), end()]).starts_with("node 1 of a tree has 2 parents"));
        assert!(error(vec![end(), end()]).starts_with("node 1 of a tree has 0 parents"));
    }
}

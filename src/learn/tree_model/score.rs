//! Scores of sums of trees.

use super::model::{LeafWeights, TreeModel};
use crate::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, Signature};
use crate::learn::error::ScoreError;
use crate::learn::scoring::{Model, Scored, of_two_classes};
use crate::logic::PredicateId;
use crate::rbm::network::one_vs_rest;
use crate::tree::{Node, NodeId, Tree, assign};

impl TreeModel {
    /// Returns ψ of each example, or for several classes a row of scores for each class.
    ///
    /// Sums are computed in the order of the trees.
    pub(crate) fn columns(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Vec<Vec<f64>>, ScoreError> {
        ScoreError::check_arity((&self.predicates, self.target), (&database.predicates, target))?;
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        let priors = self.classes.as_ref().map_or_else(|| vec![self.prior], |classes| classes.priors.clone());
        let column = |(prior, trees): (f64, &[Tree<LeafWeights>])| {
            let mut column = vec![prior; examples.len()];
            for tree in trees {
                let tree = self.bind_tree(tree, database);
                add(&tree, &assign::leaves(&tree, &coverage), self.step, &mut column);
            }
            column
        };
        Ok(priors.into_iter().zip(self.sums()).map(column).collect())
    }
}

/// Adds the value of the leaf that each example reaches to its ψ.
pub(crate) fn add<L>(tree: &Tree<L>, reached: &[NodeId], step: f64, psi: &mut [f64]) {
    for (psi, &id) in psi.iter_mut().zip(reached) {
        if let Node::Leaf(leaf) = tree.node(id) {
            *psi += step * leaf.value;
        }
    }
}

/// Returns the tree with the leaf counts of a one-against-all problem: the examples in use for
/// which `is_positive` holds count as positive, the others as negative.
pub(crate) fn with_counts<L: Clone>(
    tree: Tree<L>,
    reached: &[NodeId],
    in_use: &Bits,
    is_positive: impl Fn(usize) -> bool,
) -> Tree<L> {
    let mut nodes = tree.nodes().to_vec();
    for node in &mut nodes {
        if let Node::Leaf(leaf) = node {
            (leaf.positives, leaf.negatives) = (0, 0);
        }
    }
    for i in in_use.iter() {
        if let Node::Leaf(leaf) = &mut nodes[reached[i].0 as usize] {
            *(if is_positive(i) { &mut leaf.positives } else { &mut leaf.negatives }) += 1;
        }
    }
    Tree::from_nodes(nodes).expect("the shape is that of a tree")
}

impl Model for TreeModel {
    fn signature(&self) -> &Signature {
        &self.header.signature
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        if let Some(names) = self.class_names() {
            return Err(ScoreError::Classes { classes: names.join(", ") });
        }
        Ok(self.columns(database, target, examples)?.remove(0).into())
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<f64>>>, ScoreError> {
        let mut columns = self.columns(database, target, examples)?;
        Ok(match self.classes {
            Some(_) => one_vs_rest(&columns).into(),
            None => of_two_classes(columns.remove(0)).into(),
        })
    }
}

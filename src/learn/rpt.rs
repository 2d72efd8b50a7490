//! Relational probability tree: a single tree with class frequencies in its leaves.
//!
//! Splits are chosen by purity as in TILDE (Blockeel and De Raedt, 1998). The squared error of the
//! labels around their mean is n·p·(1 − p) per side, the Gini index, so the regression trees of the
//! ensembles serve unchanged.

use super::boost::language;
use super::checks::count_both;
use super::gradient::log_likelihood;
use super::header::Header;
use super::kind_params::{KindParams, tree_cost};
use super::leaf::Fitter;
use super::params::shared::{Growth, LeafFitting, Seed, TestExtensions, Tests, grow_options};
use super::params::{Builder, ParamSet, Shape, group, kind_params};
use super::progress::{Progress, Statistics};
use super::tree_model::{LeafWeights, Parts};
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel, warnings};
use crate::cover::Bits;
use crate::tree::{Grower, Leaf, Node, NodeId, Tree};

/// Learner of a relational probability tree.
#[derive(Clone, Debug)]
pub struct Rpt {
    /// Parameters.
    pub params: RptParams,
}

impl Rpt {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<RptParams> {
        Builder::new()
    }
}

group! {
    /// Smoothing of class frequencies.
    pub struct Smoothing {
        // With less, the odds of a leaf of one class would be practically infinite.
        laplace: f64 = 1.0, Shape::real(1e-6, 1000.0), "Number of examples of each class added to those of a leaf";
    }
}

kind_params! {
    /// Parameters of relational probability trees.
    pub struct RptParams {
        growth: Growth,
        tests: Tests,
        more_tests: TestExtensions,
        smoothing: Smoothing,
        seed: Seed,
    }
    own defaults: |params| {
        params.growth.max_leaves = None;
        params.growth.max_depth = Some(10);
        params.growth.min_leaf = 5;
    }
}

impl KindParams for RptParams {
    type Learner = Rpt;

    fn learner(self) -> Rpt {
        Rpt { params: self }
    }

    fn cost(&self) -> f64 {
        self.tests.cost() * tree_cost(self.growth.max_depth)
    }
}

impl Learner for Rpt {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        let params = &self.params;
        let trained_on = count_both(Kind::Rpt, task)?;
        let Task { database, target, examples, seed, .. } = *task;
        let coverage = task.coverage();
        let language = language(task, &params.tests, &params.more_tests);
        let options = grow_options(&params.growth, &params.more_tests, LeafFitting::default().rescore, true);
        let grower = Grower::new(&coverage, &language, options);
        let labels: Vec<f64> = examples.iter().map(|example| f64::from(u8::from(example.positive))).collect();
        let grown = grower.grow(&Fitter::Mean, &labels, &Bits::ones(examples.len()), seed, 0);
        let tree = with_log_odds(&grown.tree, params.smoothing.laplace);
        let statistics = Statistics::default().after(&grown.statistics);
        let psi = |&id: &NodeId| match tree.node(id) {
            Node::Leaf(leaf) => leaf.value,
            Node::Split(_) => 0.0,
        };
        let likelihoods = examples.iter().zip(&grown.reached).map(|(e, id)| log_likelihood(e.positive, psi(id)));
        let log_likelihood = likelihoods.sum::<f64>() / examples.len() as f64;
        progress(Progress::new(1, 1, &|| log_likelihood));
        let mut warnings: Vec<_> = warnings::weights(Kind::Rpt, examples).into_iter().collect();
        warnings.extend(warnings::budget(statistics.budget_hits, params.tests.max_candidates));
        if tree.leaves() == 1 {
            warnings.extend(warnings::nothing_learned(database, target, &[]));
        }
        let header = Header::new(Kind::Rpt, task, params.to_values(), trained_on);
        let parts = Parts { header, classes: None, fidelity: None, prior: 0.0, step: 1.0, trees: vec![tree] };
        Ok(TrainedModel { model: TreeModel::from_parts(parts, database), warnings, statistics, choice: None })
    }
}

/// Replaces each leaf value by the log-odds of the classes with Laplace smoothing.
fn with_log_odds(tree: &Tree<LeafWeights>, laplace: f64) -> Tree<LeafWeights> {
    let value =
        |leaf: &Leaf<LeafWeights>| ((f64::from(leaf.positives) + laplace) / (f64::from(leaf.negatives) + laplace)).ln();
    let node = |node: &Node<LeafWeights>| match node {
        Node::Leaf(leaf) => Node::Leaf(Leaf { value: value(leaf), ..leaf.clone() }),
        Node::Split(_) => node.clone(),
    };
    Tree::from_nodes(tree.nodes().iter().map(node).collect()).expect("replacing leaf values keeps the tree valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_hold_laplace_smoothed_log_odds() {
        let leaf = |positives, negatives| Leaf { value: 0.5, positives, negatives, leaf: None };
        let mut tree = Tree::single(leaf(4, 4));
        tree.split(tree.root(), Vec::new(), 1, leaf(3, 0), leaf(1, 4));
        let values: Vec<f64> = with_log_odds(&tree, 1.0).paths().iter().map(|path| path.leaf.value).collect();
        // (3 + 1) / (0 + 1) and (1 + 1) / (4 + 1)
        assert_eq!(values, [4f64.ln(), 0.4f64.ln()]);
    }
}

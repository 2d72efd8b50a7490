//! The type of sums of trees.

use crate::learn::header::Header;
use crate::learn::learner::Trained;
use crate::logic::rename::Names;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::rbm::Theta;
use crate::tree::Tree;

/// The RBM parameters θ of a leaf; `None` if its value was not fitted as such.
pub type LeafWeights = Option<Theta>;

/// The result of learners of trees.
pub type TrainedModel = Trained<TreeModel>;

/// ψ as a sum of relational regression trees.
#[derive(Clone, Debug)]
pub struct TreeModel {
    /// How the model was trained.
    pub header: Header,
    /// The sums of a multi-class model. Its first trees are those of the first class; all classes
    /// have equally many.
    pub classes: Option<ClassSums>,
    /// Fidelity to the ensemble that the model is distilled from, for kind lrbm-explainable.
    pub fidelity: Option<Fidelity>,
    /// ψ before the first tree; 0 for multi-class models, which have one prior for each class.
    pub prior: f64,
    /// Factor of the value of each tree.
    pub step: f64,
    pub(super) target: PredicateId,
    pub(super) trees: Vec<Tree<LeafWeights>>,
    pub(super) predicates: Predicates,
    pub(super) symbols: Symbols,
}

/// Per-class numbers of a multi-class model, in the order of the class names of its signature.
///
/// The score of each class is a sum of trees; the probabilities are the softmax of the scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSums {
    /// The score of each class before the first tree.
    pub priors: Vec<f64>,
    /// The number of training examples of each class.
    pub trained_on: Vec<u64>,
}

/// Fidelity of one tree to ψ of an ensemble on the training examples.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fidelity {
    /// The fraction of the variance of the ensemble's ψ that the tree explains; 1 if the variance
    /// is 0.
    pub r_squared: f64,
    /// The mean absolute difference of P(y = 1).
    pub mean_probability_gap: f64,
}

impl TreeModel {
    /// Returns the name of the target predicate.
    pub fn target_name(&self) -> &str {
        &self.header.signature.target
    }

    /// Returns the number of arguments of the target.
    pub fn target_arity(&self) -> usize {
        self.header.signature.arity
    }

    /// Returns the class names of a multi-class model.
    pub fn class_names(&self) -> Option<&[String]> {
        self.header.signature.classes.as_deref()
    }

    /// Returns the trees, over the names of [`TreeModel::predicates`] and [`TreeModel::symbols`].
    pub fn trees(&self) -> &[Tree<LeafWeights>] {
        &self.trees
    }

    /// Returns the predicates that the trees mention.
    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// Returns the constants that the trees mention.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Returns the predicates and constants of the trees.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Returns the trees of each class; of a boolean target all trees at once.
    pub fn sums(&self) -> impl Iterator<Item = &[Tree<LeafWeights>]> {
        let count = self.class_names().map_or(1, <[_]>::len);
        let of_each = self.trees.len() / count;
        (0..count).map(move |k| &self.trees[k * of_each..(k + 1) * of_each])
    }
}

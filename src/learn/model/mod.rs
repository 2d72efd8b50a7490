//! A sum of trees that stands by itself: it knows its predicates and constants by name, and can be asked about any database.

mod bind;
mod print;
mod wire;

pub(crate) use print::{title as tree_title, weights as leaf_weights};
pub use wire::FORMAT;

use std::collections::BTreeMap;

use super::any::{ModelSize, SizeOf, Stored};
use super::params::Value;
use super::{Kind, Model, ScoreError};
use crate::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use crate::files::json::{self, FileError};
use crate::kb::{Database, Example, StoredRecursion, TimeRule};
use crate::logic::rename::Names;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::rbm::Theta;
use crate::rbm::network::against_others;
use crate::tree::{Node, NodeId, Tree, assign};

/// What a leaf keeps beside its value: its five numbers, if the value comes from such.
pub type LeafWeights = Option<Theta>;

/// ψ as a sum of relational regression trees.
#[derive(Clone, Debug)]
pub struct TreeModel {
    /// What learned it.
    pub kind: Kind,
    /// The parameters it was learned with, for the record.
    pub parameters: BTreeMap<String, Value>,
    /// The seed it was learned with.
    pub seed: u64,
    /// How many positive and negative examples it was learned from; the latter are none if it tells classes apart.
    pub trained_on: (u64, u64),
    /// The classes, if it tells several apart. Then the first trees are those of the first class, and each class has as many.
    pub classes: Option<ClassSums>,
    /// How well it copies what it explains, for a tree that explains an ensemble.
    pub fidelity: Option<Fidelity>,
    /// The time limits that training was under; examples should be scored under the same.
    pub time: Option<TimeRule>,
    /// Whether facts of the target were evidence in training; examples should be scored with such facts as well.
    pub recursive: Option<StoredRecursion>,
    /// ψ before the first tree; 0 if there are classes, which have their own.
    pub prior: f64,
    /// What the value of each tree is multiplied by.
    pub step: f64,
    target: PredicateId,
    trees: Vec<Tree<LeafWeights>>,
    predicates: Predicates,
    symbols: Symbols,
}

/// The classes that a model tells apart: the score of each is a sum of trees, and their softmax is the probability of each.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSums {
    /// Their names.
    pub names: Vec<String>,
    /// The score of each before the first tree.
    pub priors: Vec<f64>,
    /// How many examples of each it was learned from.
    pub trained_on: Vec<u64>,
}

/// How well one tree copies the ψ of an ensemble on the training examples.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fidelity {
    /// The part of the variance of the ensemble's ψ that the tree explains; 1 if there is nothing to explain.
    pub r_squared: f64,
    /// The mean of |difference in P(y = 1)|.
    pub mean_probability_gap: f64,
}

impl TreeModel {
    /// The name of the predicate it predicts.
    pub fn target_name(&self) -> &str {
        self.predicates.name(self.target)
    }

    /// The number of its arguments.
    pub fn target_arity(&self) -> usize {
        self.predicates.arity(self.target)
    }

    /// The trees, over the names of [`TreeModel::predicates`] and [`TreeModel::symbols`].
    pub fn trees(&self) -> &[Tree<LeafWeights>] {
        &self.trees
    }

    /// The predicates that the trees mention.
    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// The constants that the trees mention.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// What the trees are written with.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// The model as JSON.
    pub fn to_json(&self) -> String {
        wire::write(self)
    }

    /// A model from JSON, of this or an earlier version.
    ///
    /// # Errors
    /// If it is not a model, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        wire::read(text)
    }

    /// Writes the model to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written, or the model has numbers that no file can keep.
    pub fn save(&self, path: &std::path::Path) -> Result<(), FileError> {
        json::save(path, self.to_json(), wire::read)
    }

    /// Reads a model from a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a model of this or an earlier version.
    pub fn load(path: &std::path::Path) -> Result<Self, FileError> {
        json::load(path, wire::read)
    }

    /// The trees in Graphviz's language.
    pub fn to_dot(&self) -> String {
        print::dot(self)
    }

    /// The trees over the names of a database. A test with a name that it does not have never holds there.
    pub fn bind(&self, database: &Database) -> Vec<Tree<LeafWeights>> {
        self.trees.iter().map(|tree| bind::bind(tree, self, database)).collect()
    }

    /// The trees of each class; all of them, if there are no classes.
    pub fn sums(&self) -> impl Iterator<Item = &[Tree<LeafWeights>]> {
        let of_each = match &self.classes {
            Some(classes) => self.trees.len() / classes.names.len(),
            None => self.trees.len(),
        };
        let count = self.classes.as_ref().map_or(1, |classes| classes.names.len());
        (0..count).map(move |k| &self.trees[k * of_each..(k + 1) * of_each])
    }

    /// ψ of examples, or their scores for each class; the sums run over the trees in their order.
    pub(super) fn columns(
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
                let tree = bind::bind(tree, self, database);
                add(&tree, &assign::leaves(&tree, &coverage), self.step, &mut column);
            }
            column
        };
        Ok(priors.into_iter().zip(self.sums()).map(column).collect())
    }
}

/// Adds what a tree says of each example to its ψ.
pub(super) fn add<L>(tree: &Tree<L>, reached: &[NodeId], step: f64, psi: &mut [f64]) {
    for (psi, &id) in psi.iter_mut().zip(reached) {
        if let Node::Leaf(leaf) = tree.node(id) {
            *psi += step * leaf.value;
        }
    }
}

/// The tree with the examples in use that are of a kind counted as positives in its leaves, and the others as negatives.
pub(super) fn with_counts<L: Clone>(
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
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        if let Some(classes) = &self.classes {
            return Err(ScoreError::Classes { classes: classes.names.join(", ") });
        }
        Ok(self.columns(database, target, examples)?.remove(0))
    }

    fn classes(&self) -> Option<&[String]> {
        self.classes.as_ref().map(|classes| &classes.names[..])
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Vec<Vec<f64>>, ScoreError> {
        let columns = self.columns(database, target, examples)?;
        match self.classes {
            Some(_) => Ok(against_others(&columns)),
            None => Ok(vec![columns[0].iter().map(|psi| -psi).collect(), columns[0].clone()]),
        }
    }

    fn describe(&self) -> String {
        print::describe(self)
    }
}

impl Stored for TreeModel {
    fn target_name(&self) -> &str {
        TreeModel::target_name(self)
    }

    fn target_arity(&self) -> usize {
        TreeModel::target_arity(self)
    }

    fn time(&self) -> Option<&TimeRule> {
        self.time.as_ref()
    }

    fn recursive(&self) -> Option<StoredRecursion> {
        self.recursive
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.time = time;
    }

    fn to_json(&self) -> String {
        TreeModel::to_json(self)
    }

    fn size(&self) -> ModelSize {
        let leaves = self.trees.iter().map(Tree::leaves).sum();
        ModelSize { trees: self.trees.len(), leaves, parts: SizeOf::Leaves }
    }
}

/// What a model is made of when training ends: trees over the names of a database.
pub(super) struct Parts {
    pub kind: Kind,
    pub parameters: BTreeMap<String, Value>,
    pub seed: u64,
    pub trained_on: (u64, u64),
    pub classes: Option<ClassSums>,
    pub fidelity: Option<Fidelity>,
    pub prior: f64,
    pub step: f64,
    pub trees: Vec<Tree<LeafWeights>>,
}

impl TreeModel {
    /// A model that keeps of a database only the names that its trees mention.
    pub(super) fn from_parts(parts: Parts, database: &Database, target: PredicateId) -> Self {
        let mut predicates = Predicates::default();
        let recursive = database.recursive(target);
        let target = predicates.intern(database.predicates.name(target), database.predicates.arity(target));
        let Parts { kind, parameters, seed, trained_on, classes, fidelity, prior, step, trees } = parts;
        let mut model = TreeModel {
            kind,
            parameters,
            seed,
            trained_on,
            classes,
            fidelity,
            time: None,
            recursive,
            prior,
            step,
            target,
            trees: Vec::new(),
            predicates,
            symbols: Symbols::new(),
        };
        model.trees = trees.into_iter().map(|tree| bind::own(tree, &mut model, database)).collect();
        model
    }
}

//! Trees as one lifted RBM, and both kinds of model behind one door.

use std::path::Path;

use super::{Model, ModelFileError, ScoreError, TreeModel};
use crate::files::json;
use crate::kb::{Database, Example, Recursive, TimeRule};
use crate::logic::PredicateId;
use crate::logic::nearest::nearest;
use crate::rbm::network::{ConvertError, Ensemble, FORMAT, Network, NetworkFileError, Summands, two_classes};
use crate::rbm::network::{exact, paper};
use crate::tree::{Coverage, DEFAULT_MEMORY_BYTES};

/// How trees become a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The same probabilities, see [`exact`].
    Exact,
    /// The weights of the leaves carried over, see [`paper`].
    Paper,
}

/// No method has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no conversion is called `{name}`: did you mean {}? there are exact and paper", nearest(name, Method::ALL.map(Method::name)).unwrap_or_default())]
pub struct UnknownMethod {
    name: String,
}

impl Method {
    /// Every method.
    pub const ALL: [Method; 2] = [Method::Exact, Method::Paper];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Paper => "paper",
        }
    }

    /// The method with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<Method, UnknownMethod> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}

impl TreeModel {
    /// The trees as one network.
    ///
    /// # Errors
    /// If the method cannot take them, see [`ConvertError`].
    pub fn to_network(&self, method: Method) -> Result<Network, ConvertError> {
        let target = self.predicates().find(self.target_name(), self.target_arity());
        let ensemble = Ensemble {
            target: target.unwrap_or(PredicateId(0)),
            classes: two_classes(),
            prior: vec![0.0, self.prior],
            sums: vec![Summands { class: 1, step: self.step, trees: self.trees() }],
            names: self.names(),
            time: self.time.clone(),
            recursive: self.recursive,
        };
        let mut network = match method {
            Method::Exact => exact(&ensemble)?,
            Method::Paper => paper(&ensemble)?,
        };
        let (positives, negatives) = self.trained_on;
        network.origin = format!(
            "{}, {} conversion of {} trees learned from {positives} positives and {negatives} negatives",
            self.kind,
            method.name(),
            self.trees().len(),
        );
        Ok(network)
    }
}

impl Model for Network {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        if database.predicates.arity(target) != self.target_arity() {
            return Err(ScoreError::Arity {
                model: self.names().predicates.show(self.target()).to_string(),
                asked: database.predicates.show(target).to_string(),
            });
        }
        if self.classes().len() != 2 {
            return Err(ScoreError::Classes { classes: self.classes().join(", ") });
        }
        let coverage = Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES);
        Ok(self.psi(&self.lit(&coverage), examples.len()))
    }

    fn describe(&self) -> String {
        Network::describe(self)
    }
}

/// A model from a file, whichever of the two it is.
#[derive(Clone, Debug)]
pub enum SavedModel {
    /// A sum of trees.
    Trees(TreeModel),
    /// A network.
    Network(Network),
}

/// A file that is neither.
#[derive(Debug, thiserror::Error)]
pub enum SavedModelError {
    /// It should hold trees.
    #[error(transparent)]
    Trees(#[from] ModelFileError),
    /// It should hold a network.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
}

impl SavedModel {
    /// Reads a model from a file, by what the file says it is.
    ///
    /// # Errors
    /// If it cannot be read, or is no model of this or an earlier version.
    pub fn load(path: &Path) -> Result<Self, SavedModelError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| ModelFileError::Io { path: path.to_owned(), error })?;
        match json::format(&text).as_deref() {
            Some(FORMAT) => Ok(SavedModel::Network(Network::load(path)?)),
            _ => Ok(SavedModel::Trees(TreeModel::load(path)?)),
        }
    }

    /// The name of the predicate it predicts.
    pub fn target_name(&self) -> &str {
        match self {
            SavedModel::Trees(model) => model.target_name(),
            SavedModel::Network(network) => network.target_name(),
        }
    }

    /// The number of its arguments.
    pub fn target_arity(&self) -> usize {
        match self {
            SavedModel::Trees(model) => model.target_arity(),
            SavedModel::Network(network) => network.target_arity(),
        }
    }

    /// The time limits that it was learned under.
    pub fn time(&self) -> Option<&TimeRule> {
        match self {
            SavedModel::Trees(model) => model.time.as_ref(),
            SavedModel::Network(network) => network.time.as_ref(),
        }
    }

    /// Whether facts of the target are evidence for its own examples.
    pub fn recursive(&self) -> Option<Recursive> {
        match self {
            SavedModel::Trees(model) => model.recursive,
            SavedModel::Network(network) => network.recursive,
        }
    }
}

impl Model for SavedModel {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        match self {
            SavedModel::Trees(model) => model.score(database, target, examples),
            SavedModel::Network(network) => network.score(database, target, examples),
        }
    }

    fn describe(&self) -> String {
        match self {
            SavedModel::Trees(model) => model.describe(),
            SavedModel::Network(network) => Model::describe(network),
        }
    }
}

//! A model of any kind, as files hold it.

use std::fmt;
use std::path::Path;

use super::error::ScoreError;
use super::format;
use super::header::Header;
use super::learner::Trained;
use super::lrnn::LrnnModel;
use super::mln::MlnModel;
use super::rrbm::RrbmModel;
use super::scoring::{Model, Scored};
use super::stored::{ModelSize, Stored};
use super::tree_model::TreeModel;
use crate::files::json::{self, FileError};
use crate::kb::{Database, Example, Signature};
use crate::logic::{PredicateId, Predicates};
use crate::rbm::network::Network;

/// A model of any kind.
#[derive(Clone, Debug)]
pub enum SavedModel {
    /// A sum of trees.
    Trees(TreeModel),
    /// A lifted RBM as one network.
    Network(Network),
    /// Weighted clauses whose groundings are counted.
    Mln(MlnModel),
    /// An RBM over random walks.
    Walks(RrbmModel),
    /// A weighted template.
    Template(LrnnModel),
}

impl SavedModel {
    /// Reads a model from the text of a file. The format that the text names decides the type.
    ///
    /// # Errors
    /// If the text is not a model of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        let name = json::format(text).unwrap_or_default();
        if format::NETWORK.is_named(&name) {
            Network::from_json(text).map(SavedModel::Network)
        } else if format::MLN.is_named(&name) {
            MlnModel::from_json(text).map(SavedModel::Mln)
        } else if format::RRBM.is_named(&name) {
            RrbmModel::from_json(text).map(SavedModel::Walks)
        } else if format::LRNN.is_named(&name) {
            LrnnModel::from_json(text).map(SavedModel::Template)
        } else {
            TreeModel::from_json(text).map(SavedModel::Trees)
        }
    }

    /// Reads a model from a file. The format that the file names decides the type.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a model of this or an earlier version.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        json::load(path, Self::from_json)
    }

    /// Returns the text of the model file, if it can be read back.
    ///
    /// # Errors
    /// If the model has numbers that JSON cannot represent.
    pub fn to_readable_json(&self) -> Result<String, FileError> {
        json::readable(self.to_json(), Self::from_json)
    }

    /// Writes the model to a file, atomically.
    ///
    /// # Errors
    /// If the file cannot be written, or the model has numbers that JSON cannot represent.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        json::save(path, self.to_json(), Self::from_json)
    }

    /// Returns the trees of a sum of trees; `None` for other kinds.
    pub fn trees(&self) -> Option<&TreeModel> {
        match self {
            SavedModel::Trees(model) => Some(model),
            _ => None,
        }
    }

    fn stored(&self) -> &dyn Stored {
        match self {
            SavedModel::Trees(model) => model,
            SavedModel::Network(network) => network,
            SavedModel::Mln(model) => model,
            SavedModel::Walks(model) => model,
            SavedModel::Template(model) => model,
        }
    }
}

impl fmt::Display for SavedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored().fmt(f)
    }
}

impl Model for SavedModel {
    fn signature(&self) -> &Signature {
        self.stored().signature()
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        self.stored().score(database, target, examples)
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<f64>>>, ScoreError> {
        self.stored().score_classes(database, target, examples)
    }
}

impl Stored for SavedModel {
    fn header(&self) -> Option<&Header> {
        self.stored().header()
    }

    fn predicates(&self) -> &Predicates {
        self.stored().predicates()
    }

    fn to_json(&self) -> String {
        self.stored().to_json()
    }

    fn size(&self) -> ModelSize {
        self.stored().size()
    }
}

impl From<TreeModel> for SavedModel {
    fn from(model: TreeModel) -> Self {
        SavedModel::Trees(model)
    }
}

impl From<Network> for SavedModel {
    fn from(network: Network) -> Self {
        SavedModel::Network(network)
    }
}

impl From<MlnModel> for SavedModel {
    fn from(model: MlnModel) -> Self {
        SavedModel::Mln(model)
    }
}

impl From<RrbmModel> for SavedModel {
    fn from(model: RrbmModel) -> Self {
        SavedModel::Walks(model)
    }
}

impl From<LrnnModel> for SavedModel {
    fn from(model: LrnnModel) -> Self {
        SavedModel::Template(model)
    }
}

impl<M: Into<SavedModel>> Trained<M> {
    /// Returns the same result with a model of any kind.
    pub fn saved(self) -> Trained<SavedModel> {
        let Trained { model, warnings, statistics, choice } = self;
        Trained { model: model.into(), warnings, statistics, choice }
    }
}

impl Trained<SavedModel> {
    /// Returns the same result with a sum of trees; `None` for other kinds.
    pub fn into_trees(self) -> Option<Trained<TreeModel>> {
        let Trained { model, warnings, statistics, choice } = self;
        match model {
            SavedModel::Trees(model) => Some(Trained { model, warnings, statistics, choice }),
            _ => None,
        }
    }
}

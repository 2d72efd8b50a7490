//! Every kind of model behind one door: what can be kept in a file and asked again.

use std::path::Path;

use super::{LrnnModel, MlnModel, Model, RrbmModel, ScoreError, Trained, TreeModel, lrnn, mln, rrbm};
use crate::files::json::{self, FileError};
use crate::kb::{Database, Example, Recursive, TimeRule};
use crate::logic::{Diagnostics, PredicateId, Predicates};
use crate::rbm::network::{self, Network};

/// A model that can be kept in a file.
pub trait Stored: Model {
    /// The name of the predicate it predicts.
    fn target_name(&self) -> &str;

    /// The number of its arguments.
    fn target_arity(&self) -> usize;

    /// The time limits that it was learned under; examples should be scored under the same.
    fn time(&self) -> Option<&TimeRule>;

    /// Whether facts of the target are evidence for its own examples, and how; none unless it says so.
    fn recursive(&self) -> Option<Recursive> {
        None
    }

    /// The predicates that it mentions.
    fn predicates(&self) -> &Predicates;

    /// Takes down the time limits that it was learned under.
    fn set_time(&mut self, time: Option<TimeRule>);

    /// The model as the text of a file.
    fn to_json(&self) -> String;

    /// How large it is.
    fn size(&self) -> ModelSize;
}

/// How large a model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelSize {
    /// How many trees it has.
    pub trees: usize,
    /// How many leaves its trees have, or how many rules or hidden nodes it has without trees.
    pub leaves: usize,
}

/// A model of any kind.
#[derive(Clone, Debug)]
pub enum SavedModel {
    /// A sum of trees.
    Trees(TreeModel),
    /// A network.
    Network(Network),
    /// Weights for numbers of groundings.
    Mln(MlnModel),
    /// A machine over walks.
    Walks(RrbmModel),
    /// A template with weights.
    Template(LrnnModel),
}

impl SavedModel {
    /// A model from the text of a file, by what the text says it is.
    ///
    /// # Errors
    /// If it is no model of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        match json::format(text) {
            Some(name) if name == network::FORMAT.name => Network::from_json(text).map(SavedModel::Network),
            Some(name) if name == mln::FORMAT.name => MlnModel::from_json(text).map(SavedModel::Mln),
            Some(name) if name == rrbm::FORMAT.name => RrbmModel::from_json(text).map(SavedModel::Walks),
            Some(name) if name == lrnn::FORMAT.name => LrnnModel::from_json(text).map(SavedModel::Template),
            _ => TreeModel::from_json(text).map(SavedModel::Trees),
        }
    }

    /// Reads a model from a file, by what the file says it is.
    ///
    /// # Errors
    /// If it cannot be read, or is no model of this or an earlier version.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        json::load(path, Self::from_json)
    }

    /// Writes the model to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        json::save(path, &self.to_json())
    }

    /// Its trees, if it is a sum of trees.
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

    fn stored_mut(&mut self) -> &mut dyn Stored {
        match self {
            SavedModel::Trees(model) => model,
            SavedModel::Network(network) => network,
            SavedModel::Mln(model) => model,
            SavedModel::Walks(model) => model,
            SavedModel::Template(model) => model,
        }
    }
}

impl Model for SavedModel {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        self.stored().score(database, target, examples)
    }

    fn score_with_remarks(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<(Vec<f64>, Diagnostics), ScoreError> {
        self.stored().score_with_remarks(database, target, examples)
    }

    fn classes(&self) -> Option<&[String]> {
        self.stored().classes()
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Vec<Vec<f64>>, ScoreError> {
        self.stored().score_classes(database, target, examples)
    }

    fn describe(&self) -> String {
        self.stored().describe()
    }
}

impl Stored for SavedModel {
    fn target_name(&self) -> &str {
        self.stored().target_name()
    }

    fn target_arity(&self) -> usize {
        self.stored().target_arity()
    }

    fn time(&self) -> Option<&TimeRule> {
        self.stored().time()
    }

    fn recursive(&self) -> Option<Recursive> {
        self.stored().recursive()
    }

    fn predicates(&self) -> &Predicates {
        self.stored().predicates()
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.stored_mut().set_time(time);
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
    /// The same, as a model of any kind.
    pub fn saved(self) -> Trained<SavedModel> {
        let Trained { model, warnings, statistics } = self;
        Trained { model: model.into(), warnings, statistics }
    }
}

impl Trained<SavedModel> {
    /// The same, as trees, if it is a sum of trees.
    pub fn into_trees(self) -> Option<Trained<TreeModel>> {
        let Trained { model, warnings, statistics } = self;
        match model {
            SavedModel::Trees(model) => Some(Trained { model, warnings, statistics }),
            _ => None,
        }
    }
}

//! Every kind of model behind one door: what can be kept in a file and asked again.

use std::fmt;
use std::path::Path;

use super::{LrnnModel, MlnModel, Model, RrbmModel, ScoreError, Trained, TreeModel, lrnn, mln, rrbm};
use crate::files::json::{self, FileError};
use crate::kb::{Database, Example, StoredRecursion, TimeRule};
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
    fn recursive(&self) -> Option<StoredRecursion> {
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

/// How large a model is. It is shown in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSize {
    /// How many trees it has, or in how many steps its clauses were learned; 0 for other kinds.
    pub trees: usize,
    /// How many parts it has that are added up: leaves, clauses, rules for the target, hidden units.
    pub leaves: usize,
    /// What these are.
    pub parts: SizeOf,
}

/// What the parts of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOf {
    /// Leaves of trees.
    Leaves,
    /// Rules of a network.
    Rules,
    /// Clauses whose groundings are counted.
    Clauses,
    /// Hidden units.
    Units {
        /// How many walks they look at.
        walks: usize,
    },
    /// Rules of a template for its target.
    Template {
        /// How many rules it has for other predicates.
        latent: usize,
    },
}

impl fmt::Display for ModelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ModelSize { trees, leaves, parts } = *self;
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let rules = |n| count(n, "rule", "rules");
        match parts {
            SizeOf::Leaves => {
                write!(f, "{}, {}", count(trees, "tree", "trees"), count(leaves, "leaf", "leaves"))
            }
            SizeOf::Rules => f.write_str(&rules(leaves)),
            SizeOf::Clauses => {
                let steps = count(trees, "step", "steps");
                write!(f, "{} of {steps}", count(leaves, "clause", "clauses"))
            }
            SizeOf::Units { walks } => {
                let units = count(leaves, "hidden unit", "hidden units");
                write!(f, "{units} over {}", count(walks, "walk", "walks"))
            }
            SizeOf::Template { latent: 0 } => f.write_str(&rules(leaves)),
            SizeOf::Template { latent } => {
                write!(f, "{} for the target, {latent} for latent predicates", rules(leaves))
            }
        }
    }
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

    /// The model as the text of a file that can be read again.
    ///
    /// # Errors
    /// If it has numbers that no file can keep.
    pub fn to_readable_json(&self) -> Result<String, FileError> {
        json::readable(self.to_json(), Self::from_json)
    }

    /// Writes the model to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written, or the model has numbers that no file can keep.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        json::save(path, self.to_json(), Self::from_json)
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

    fn recursive(&self) -> Option<StoredRecursion> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_words_of_the_kind() {
        let shown = |trees, leaves, parts| ModelSize { trees, leaves, parts }.to_string();
        assert_eq!(shown(20, 57, SizeOf::Leaves), "20 trees, 57 leaves");
        assert_eq!(shown(1, 1, SizeOf::Leaves), "1 tree, 1 leaf");
        assert_eq!(shown(20, 6, SizeOf::Clauses), "6 clauses of 20 steps");
        assert_eq!(shown(1, 1, SizeOf::Clauses), "1 clause of 1 step");
        assert_eq!(shown(0, 0, SizeOf::Rules), "0 rules");
        assert_eq!(shown(0, 1, SizeOf::Rules), "1 rule");
        assert_eq!(shown(0, 20, SizeOf::Units { walks: 1 }), "20 hidden units over 1 walk");
        assert_eq!(shown(0, 1, SizeOf::Template { latent: 3 }), "1 rule for the target, 3 for latent predicates");
        assert_eq!(shown(0, 2, SizeOf::Template { latent: 0 }), "2 rules");
    }
}

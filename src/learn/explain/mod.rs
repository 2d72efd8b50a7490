//! Explanation of the prediction for one query, by a model of any kind.

mod clauses;
mod decision;
mod parts;

pub use clauses::{ClauseContribution, ClauseContributions};
pub use decision::Decision;
pub use parts::{Activity, PartContribution, PartContributions};

use super::any::SavedModel;
use super::error::ScoreError;
use super::network::Method;
use super::scoring::Model;
use crate::data::load::Dataset;
use crate::data::query;
use crate::kb::TimeSource;
use crate::logic::nearest::did_you_mean;
use crate::logic::{Constant, Diagnostic, Diagnostics};
use crate::math::sigmoid;
use crate::rbm::network::draw::DrawingWidth;
use crate::rbm::network::explain::{ExplainError, Explainer, ExplanationView, FlipOptions, QueryContext};
use crate::rbm::network::{ConvertError, Network};
use decision::{example, unlabeled};

/// An error of explaining a query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The query is not about the target, or about constants that the data do not have.
    #[error("{0}")]
    Query(Box<Diagnostic>),
    /// The class is not one of the model's.
    #[error("--class {name}: {near}the classes are {known}")]
    Class {
        /// The given name.
        name: String,
        /// A similar name, as a question.
        near: String,
        /// The names of all classes.
        known: String,
    },
    /// The trees cannot be converted.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// The explainer cannot be prepared.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// The data do not fit the model.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

impl From<Diagnostic> for QueryError {
    fn from(diagnostic: Diagnostic) -> Self {
        QueryError::Query(Box::new(diagnostic))
    }
}

/// Options of explaining a query.
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// Whether the query may name constants that the data do not mention.
    pub allow_unknown: bool,
    /// The class that ψ is about, of a network with several; by default the predicted one.
    pub class: Option<String>,
    /// Decision threshold and search for changes of the decision.
    pub flips: FlipOptions,
}

/// The explanation of a query.
#[derive(Clone, Debug)]
pub enum QueryExplanation {
    /// By the rules of a network.
    Network(Box<NetworkExplanation>),
    /// By weighted clauses.
    Clauses(ClauseContributions, Diagnostics),
    /// By walks or template rules.
    Parts(PartContributions, Diagnostics),
}

/// The explanation of a query by a network.
#[derive(Clone, Debug)]
pub struct NetworkExplanation {
    /// The explanation.
    pub view: ExplanationView,
    /// The hidden nodes whose rules are true.
    pub active: Vec<usize>,
    /// The network that explains.
    pub network: Network,
}

impl NetworkExplanation {
    /// Draws the network with the true rules marked.
    pub fn to_svg(&self) -> String {
        self.to_svg_of(DrawingWidth::Wide)
    }

    /// Draws the network with the true rules marked, in a given width.
    pub fn to_svg_of(&self, width: DrawingWidth) -> String {
        self.network.to_svg_with_active(|node| self.active.contains(&node), width)
    }
}

impl QueryExplanation {
    /// Formats the explanation as JSON.
    pub fn to_json(&self) -> String {
        // Only maps with non-string keys can fail.
        let pretty = |text: serde_json::Result<String>| text.unwrap_or_default() + "\n";
        match self {
            QueryExplanation::Network(explained) => explained.view.to_json(),
            QueryExplanation::Clauses(clauses, _) => pretty(serde_json::to_string_pretty(clauses)),
            QueryExplanation::Parts(parts, _) => pretty(serde_json::to_string_pretty(parts)),
        }
    }
}

impl SavedModel {
    /// Explains the prediction for a query, an atom of the target such as `smokes(ann)`. The data
    /// are prepared for it ([`super::prepare::Purpose::Query`]).
    ///
    /// # Errors
    /// If the query or the class is unknown, or the data do not fit the model.
    pub fn explain(
        &self,
        query: &str,
        mut data: Dataset,
        options: &QueryOptions,
    ) -> Result<QueryExplanation, QueryError> {
        let atom = query::parse(query, (self.target_name(), self.target_arity()))?;
        let constants = query::constants(&atom, &mut data, options.allow_unknown)?;
        let threshold = options.flips.threshold;
        Ok(match self {
            SavedModel::Mln(model) => {
                let found = ClauseContributions::new(model, &data, &constants, threshold)?;
                QueryExplanation::Clauses(found.scores, found.warnings)
            }
            SavedModel::Walks(model) => {
                let found = PartContributions::of_walks(model, &data, &constants, threshold)?;
                QueryExplanation::Parts(found.scores, found.warnings)
            }
            SavedModel::Template(model) => {
                let found = PartContributions::of_rules(model, &data, &constants, threshold)?;
                QueryExplanation::Parts(found.scores, found.warnings)
            }
            SavedModel::Trees(trees) => {
                let network = trees.to_network(Method::Exact)?.merged();
                QueryExplanation::Network(self.explain_by(network, data, &constants, options)?)
            }
            SavedModel::Network(network) => {
                QueryExplanation::Network(self.explain_by(network.clone(), data, &constants, options)?)
            }
        })
    }

    fn explain_by(
        &self,
        network: Network,
        data: Dataset,
        constants: &[Constant],
        options: &QueryOptions,
    ) -> Result<Box<NetworkExplanation>, QueryError> {
        let class = options.class.as_deref().map(|name| find_class(name, &network)).transpose()?;
        let context =
            QueryContext { model: self.tree_probabilities(&data, constants)?, label: label(&data, constants) };
        // Facts that give times are not changed: they determine which other facts are visible.
        let fixed = match data.database.time_rule().map(|rule| &rule.source) {
            Some(TimeSource::Predicate(name)) => data.database.predicates.find(name, 2),
            _ => None,
        };
        let Dataset { database, target, .. } = data;
        let mut explainer = Explainer::new(&network, database, target)?.exclude(fixed).about(class);
        let explanation = explainer.explain(constants, &options.flips)?;
        let view = ExplanationView::new(&network, &explainer, &explanation, &options.flips, context);
        let active = explanation.fired.iter().map(|fired| fired.node).collect();
        Ok(Box::new(NetworkExplanation { view, active, network }))
    }

    /// Returns the class probabilities of the trees that a network is converted from.
    fn tree_probabilities(&self, data: &Dataset, constants: &[Constant]) -> Result<Option<Vec<f64>>, ScoreError> {
        let SavedModel::Trees(trees) = self else { return Ok(None) };
        let odds = trees.score_classes(&data.database, data.target, &[unlabeled(constants)])?;
        Ok(Some(odds.scores.iter().map(|row| sigmoid(row[0])).collect()))
    }
}

/// Returns the index of a class.
fn find_class(name: &str, network: &Network) -> Result<usize, QueryError> {
    let known = network.classes();
    known.iter().position(|class| class == name).ok_or_else(|| QueryError::Class {
        name: name.to_owned(),
        near: did_you_mean(name, known.iter().map(String::as_str)),
        known: known.join(", "),
    })
}

/// Returns the label of the query, if it is an example of the data.
fn label(data: &Dataset, constants: &[Constant]) -> Option<String> {
    let example = example(data, constants)?;
    Some(match data.database.classes_of(data.target) {
        Some(names) => names[example.class as usize].clone(),
        None if example.positive => "positive".to_owned(),
        None => "negative".to_owned(),
    })
}

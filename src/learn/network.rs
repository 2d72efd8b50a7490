//! Conversion of trees to one lifted RBM, and the lifted RBM as a model.

use super::error::ScoreError;
use super::header::Header;
use super::scoring::{Model, Scored, of_two_classes};
use super::stored::{ModelSize, SizeOf, Stored};
use super::tree_model::TreeModel;
use crate::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, Signature};
use crate::logic::nearest::did_you_mean;
use crate::logic::{PredicateId, Predicates};
use crate::rbm::network::{ConvertError, Ensemble, Network, TreeSum, one_vs_rest};
use crate::rbm::network::{exact, paper};

/// Conversion of trees to a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Preserves the probabilities, see [`exact`].
    Exact,
    /// Carries over the weights of the leaves, see [`paper`].
    Paper,
}

/// An unknown name of a conversion method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown conversion method `{name}`: {}expected exact or paper", did_you_mean(name, Method::ALL.map(Method::name)))]
pub struct UnknownMethod {
    name: String,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 2] = [Method::Exact, Method::Paper];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Paper => "paper",
        }
    }

    /// Returns the method with a name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn find(name: &str) -> Result<Method, UnknownMethod> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}

impl TreeModel {
    /// Converts the trees to one network.
    ///
    /// # Errors
    /// If the method does not support the trees, see [`ConvertError`].
    pub fn to_network(&self, method: Method) -> Result<Network, ConvertError> {
        // The trees of a boolean target add to the second class.
        let first = usize::from(self.classes.is_none());
        let summands = |(k, trees)| TreeSum { class: first + k, step: self.step, trees };
        let ensemble = Ensemble {
            signature: self.header.signature.clone(),
            prior: self.classes.as_ref().map_or_else(|| vec![0.0, self.prior], |classes| classes.priors.clone()),
            sums: self.sums().enumerate().map(summands).collect(),
            names: self.names(),
        };
        let mut network = match method {
            Method::Exact => exact(&ensemble)?,
            Method::Paper => paper(&ensemble)?,
        };
        let Header { kind, trained_on: (positives, negatives), .. } = self.header;
        let from = match self.class_names() {
            Some(names) => format!("{positives} examples of {} classes", names.len()),
            None => format!("{positives} positives and {negatives} negatives"),
        };
        let trees = self.trees().len();
        network.origin = format!("{kind}, {} conversion of {trees} trees learned from {from}", method.name());
        Ok(network)
    }
}

/// Returns, for each rule, the examples that it covers.
fn covered_by_rules(
    network: &Network,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
) -> Result<Vec<Bits>, ScoreError> {
    ScoreError::check_arity((network.names().predicates, network.target()), (&database.predicates, target))?;
    Ok(network.active(&Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES)))
}

impl Model for Network {
    fn signature(&self) -> &Signature {
        Network::signature(self)
    }

    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Scored, ScoreError> {
        let covered = covered_by_rules(self, database, target, examples)?;
        if Network::classes(self).len() != 2 {
            return Err(ScoreError::Classes { classes: Network::classes(self).join(", ") });
        }
        Ok(self.psi(&covered, examples.len()).into())
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Scored<Vec<Vec<f64>>>, ScoreError> {
        let covered = covered_by_rules(self, database, target, examples)?;
        if Network::classes(self).len() == 2 {
            return Ok(of_two_classes(self.psi(&covered, examples.len())).into());
        }
        Ok(one_vs_rest(&self.class_scores(&covered, examples.len())).into())
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&Network::describe(self))
    }
}

impl Stored for Network {
    fn header(&self) -> Option<&Header> {
        None
    }

    fn predicates(&self) -> &Predicates {
        self.names().predicates
    }

    fn to_json(&self) -> String {
        Network::to_json(self)
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: 0, leaves: self.size().hidden, parts: SizeOf::Rules }
    }
}

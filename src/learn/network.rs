//! Trees as one lifted RBM.

use super::saved::{ModelSize, Stored};
use super::{Model, ScoreError, TreeModel};
use crate::kb::{Database, Example, TimeRule};
use crate::logic::PredicateId;
use crate::logic::nearest::nearest;
use crate::rbm::network::{ConvertError, Ensemble, Network, Summands, two_classes};
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

impl Stored for Network {
    fn target_name(&self) -> &str {
        Network::target_name(self)
    }

    fn target_arity(&self) -> usize {
        Network::target_arity(self)
    }

    fn time(&self) -> Option<&TimeRule> {
        self.time.as_ref()
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.time = time;
    }

    fn to_json(&self) -> String {
        Network::to_json(self)
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: 0, leaves: self.size().hidden }
    }
}

//! Trees as one lifted RBM.

use super::any::{ModelSize, SizeOf, Stored};
use super::{Model, ScoreError, TreeModel};
use crate::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use crate::kb::{Database, Example, StoredRecursion, TimeRule};
use crate::logic::nearest::nearest;
use crate::logic::{PredicateId, Predicates};
use crate::rbm::network::{ConvertError, Ensemble, Network, Summands, against_others, two_classes};
use crate::rbm::network::{exact, paper};

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
        // Of a target that holds or does not, the trees speak for the second class.
        let first = usize::from(self.classes.is_none());
        let summands = |(k, trees)| Summands { class: first + k, step: self.step, trees };
        let ensemble = Ensemble {
            target: target.unwrap_or(PredicateId(0)),
            classes: self.classes.as_ref().map_or_else(two_classes, |classes| classes.names.clone()),
            prior: self.classes.as_ref().map_or_else(|| vec![0.0, self.prior], |classes| classes.priors.clone()),
            sums: self.sums().enumerate().map(summands).collect(),
            names: self.names(),
            time: self.time.clone(),
            recursive: self.recursive,
        };
        let mut network = match method {
            Method::Exact => exact(&ensemble)?,
            Method::Paper => paper(&ensemble)?,
        };
        let (positives, negatives) = self.trained_on;
        let from = match &self.classes {
            Some(classes) => format!("{positives} examples of {} classes", classes.names.len()),
            None => format!("{positives} positives and {negatives} negatives"),
        };
        let trees = self.trees().len();
        network.origin = format!("{}, {} conversion of {trees} trees learned from {from}", self.kind, method.name());
        Ok(network)
    }
}

/// What each example lights.
fn lit(
    network: &Network,
    database: &Database,
    target: PredicateId,
    examples: &[Example],
) -> Result<Vec<Bits>, ScoreError> {
    ScoreError::check_arity((network.names().predicates, network.target()), (&database.predicates, target))?;
    Ok(network.lit(&Coverage::new(database, target, examples, DEFAULT_MEMORY_BYTES)))
}

impl Model for Network {
    fn score(&self, database: &Database, target: PredicateId, examples: &[Example]) -> Result<Vec<f64>, ScoreError> {
        let lit = lit(self, database, target, examples)?;
        if Network::classes(self).len() != 2 {
            return Err(ScoreError::Classes { classes: Network::classes(self).join(", ") });
        }
        Ok(self.psi(&lit, examples.len()))
    }

    fn classes(&self) -> Option<&[String]> {
        Some(Network::classes(self)).filter(|classes| *classes != two_classes())
    }

    fn score_classes(
        &self,
        database: &Database,
        target: PredicateId,
        examples: &[Example],
    ) -> Result<Vec<Vec<f64>>, ScoreError> {
        let lit = lit(self, database, target, examples)?;
        if Network::classes(self).len() == 2 {
            let psi = self.psi(&lit, examples.len());
            return Ok(vec![psi.iter().map(|psi| -psi).collect(), psi]);
        }
        Ok(against_others(&self.class_scores(&lit, examples.len())))
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

    fn recursive(&self) -> Option<StoredRecursion> {
        self.recursive
    }

    fn predicates(&self) -> &Predicates {
        self.names().predicates
    }

    fn set_time(&mut self, time: Option<TimeRule>) {
        self.time = time;
    }

    fn to_json(&self) -> String {
        Network::to_json(self)
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: 0, leaves: self.size().hidden, parts: SizeOf::Rules }
    }
}

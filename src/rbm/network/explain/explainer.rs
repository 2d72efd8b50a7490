//! The explainer: a network bound to a database, and the class it decides for.

use super::super::{Network, Rule};
use crate::kb::Database;
use crate::logic::{PredicateId, SymbolTableFull, rename};
use crate::math::{self, sigmoid, softmax};

/// Explains predictions for queries about one database.
///
/// It owns the database, since it evaluates changes of the facts.
#[derive(Clone, Debug)]
pub struct Explainer<'n> {
    pub(super) network: &'n Network,
    pub(super) database: Database,
    pub(super) target: PredicateId,
    /// The rules with the names of the database.
    pub(super) rules: Vec<Rule>,
    pub(super) exclude: Option<PredicateId>,
    pub(super) class: Option<usize>,
}

/// A query that cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// The number of arguments differs from the arity of the target.
    #[error("the query has {found} arguments; {target} has {arity}")]
    Arity {
        /// The predicted predicate.
        target: String,
        /// Its arity.
        arity: usize,
        /// The number of arguments of the query.
        found: usize,
    },
    /// There are too many names.
    #[error(transparent)]
    Full(#[from] SymbolTableFull),
}

impl<'n> Explainer<'n> {
    /// Prepares explanations for queries about the target among these facts.
    ///
    /// Names of the network that the database lacks are added to its tables: a proposed fact may
    /// mention them.
    ///
    /// # Errors
    /// If there are too many names.
    pub fn new(network: &'n Network, mut database: Database, target: PredicateId) -> Result<Self, ExplainError> {
        let mut rules = Vec::with_capacity(network.hidden.len());
        for node in &network.hidden {
            let mut full = None;
            rules.push(node.rule.map(|literal| {
                let Database { predicates, symbols, .. } = &mut database;
                rename::intern(literal, network.names(), predicates, symbols).unwrap_or_else(|error| {
                    full = Some(error);
                    literal.clone()
                })
            }));
            if let Some(error) = full {
                return Err(error.into());
            }
        }
        Ok(Explainer { network, database, target, rules, exclude: None, class: None })
    }

    /// Excludes a predicate from proposed changes, such as one that gives times.
    pub fn exclude(self, predicate: Option<PredicateId>) -> Self {
        Explainer { exclude: predicate, ..self }
    }

    /// Explains one of the classes: ψ is its log-odds against the most likely other.
    ///
    /// # Panics
    /// If the class does not exist.
    pub fn about(self, class: Option<usize>) -> Self {
        assert!(class.is_none_or(|class| class < self.network.classes().len()), "unknown class");
        Explainer { class, ..self }
    }

    /// Returns the facts.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the rules of the hidden nodes with the names of the database.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

/// Returns the two classes whose odds are explained.
pub(super) fn compared(probabilities: &[f64]) -> [usize; 2] {
    if probabilities.len() == 2 {
        return [1, 0];
    }
    let order = math::descending(probabilities);
    [order[0], order[1]]
}

/// Returns the predicted class: of two, the second if it is more likely than the threshold; of
/// more, the most likely.
pub(super) fn decide(probabilities: &[f64], threshold: f64) -> usize {
    match probabilities {
        [_, second] => usize::from(*second > threshold),
        _ => compared(probabilities)[0],
    }
}

impl Network {
    /// Returns the prior log-odds of one class against another, before any rule.
    pub fn prior_log_odds(&self, [one, other]: [usize; 2]) -> f64 {
        let off = self.hidden.iter().map(|node| node.log_odds([one, other], false));
        off.fold(self.d[one] - self.d[other], |sum, off| sum + off)
    }

    /// Returns the probability of each class, given which hidden nodes are active.
    pub(super) fn probabilities_given(&self, active: &[bool]) -> Vec<f64> {
        if self.classes().len() > 2 {
            return softmax(&self.scores(|j| active[j]));
        }
        // Node by node, so that terms shared by the two classes cancel at once.
        let bias = self.d[1] - self.d[0];
        let psi = self.hidden.iter().zip(active).fold(bias, |psi, (node, &active)| psi + node.log_odds([1, 0], active));
        vec![sigmoid(-psi), sigmoid(psi)]
    }
}

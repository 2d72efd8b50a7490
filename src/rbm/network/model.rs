//! The network: its classes, biases and hidden nodes, with the names that its rules use.

use std::sync::LazyLock;

use super::hidden::Hidden;
use crate::determinism::IndexSet;
use crate::kb::{Database, Signature};
use crate::logic::rename::Names;
use crate::logic::{PredicateId, Predicates, Symbols};
use crate::math;

/// A self-contained lifted RBM: it stores its predicates and constants by name.
#[derive(Clone, Debug)]
pub struct Network {
    /// A description of its origin.
    pub origin: String,
    pub(super) signature: Signature,
    pub(super) target: PredicateId,
    pub(super) d: Vec<f64>,
    pub(super) hidden: Vec<Hidden>,
    pub(super) predicates: Predicates,
    pub(super) symbols: Symbols,
}

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of predicates.
    pub visible: usize,
    /// The number of rules.
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
    /// The number of literals of all rules.
    pub literals: usize,
    /// The number of edges between predicates and rules.
    pub edges: usize,
}

impl Size {
    /// Returns the fraction of the edges of a fully connected network.
    pub fn density(&self) -> f64 {
        self.edges as f64 / (self.visible * self.hidden).max(1) as f64
    }
}

/// The class names of a boolean target.
static TWO_CLASSES: LazyLock<Vec<String>> = LazyLock::new(|| vec!["false".to_owned(), "true".to_owned()]);

/// Returns the class names of a boolean target.
pub fn two_classes() -> Vec<String> {
    TWO_CLASSES.clone()
}

impl Network {
    /// Creates a network without hidden nodes, time limits and recursion.
    ///
    /// # Panics
    /// If there are fewer than two classes, or not one bias for each.
    pub fn new(target: (&str, usize), classes: Vec<String>, d: Vec<f64>, origin: impl Into<String>) -> Self {
        let signature = Signature { classes: Some(classes), ..Signature::new(target.0, target.1) };
        Network::with_signature(signature, d, origin)
    }

    /// Creates a network without hidden nodes for a task.
    ///
    /// # Panics
    /// If there are fewer than two classes, or not one bias for each.
    pub fn with_signature(mut signature: Signature, d: Vec<f64>, origin: impl Into<String>) -> Self {
        signature.classes = signature.classes.filter(|classes| *classes != *TWO_CLASSES);
        let classes = signature.classes.as_ref().map_or(2, Vec::len);
        assert!(classes == d.len() && d.len() > 1, "expected at least two classes, with one bias each");
        let mut predicates = Predicates::default();
        let target = predicates.intern(&signature.target, signature.arity);
        Network { origin: origin.into(), signature, target, d, hidden: Vec::new(), predicates, symbols: Symbols::new() }
    }

    /// Returns the task that the network is for.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Records the time limits of the data that the weights are fitted to.
    pub fn use_time_of(&mut self, database: &Database) {
        self.signature.time = database.time_rule().cloned();
    }

    /// Returns the predicate that is predicted.
    pub fn target(&self) -> PredicateId {
        self.target
    }

    /// Returns the name of the target.
    pub fn target_name(&self) -> &str {
        self.predicates.name(self.target)
    }

    /// Returns the arity of the target.
    pub fn target_arity(&self) -> usize {
        self.predicates.arity(self.target)
    }

    /// Returns the names of the classes; of two, the second is the positive one.
    pub fn classes(&self) -> &[String] {
        self.signature.classes.as_deref().unwrap_or(&TWO_CLASSES)
    }

    /// Returns the bias of each class.
    pub fn biases(&self) -> &[f64] {
        &self.d
    }

    /// Returns the hidden nodes.
    pub fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// Returns the names used in the rules.
    pub fn names(&self) -> Names<'_> {
        Names { predicates: &self.predicates, symbols: &self.symbols }
    }

    /// Returns the predicates that rules mention, in order of first occurrence.
    pub fn visible(&self) -> Vec<PredicateId> {
        let mut all: IndexSet<PredicateId> = IndexSet::default();
        all.extend(self.hidden.iter().flat_map(|node| node.rule.predicates()));
        all.into_iter().collect()
    }

    /// Returns the size.
    pub fn size(&self) -> Size {
        Size {
            visible: self.visible().len(),
            hidden: self.hidden.len(),
            classes: self.classes().len(),
            literals: self.hidden.iter().map(|node| node.rule.literals().count()).sum(),
            edges: self.hidden.iter().map(|node| node.w.len()).sum(),
        }
    }

    /// Returns the hidden nodes by decreasing strength; ties keep their order.
    pub fn strongest_first(&self) -> Vec<usize> {
        let strengths: Vec<f64> = self.hidden.iter().map(Hidden::strength).collect();
        math::descending(&strengths)
    }

    /// Adds a hidden node that uses the names of the network.
    ///
    /// # Panics
    /// If the number of weights differs from the number of predicates of the rule or of classes.
    pub(super) fn push(&mut self, node: Hidden) {
        assert_eq!(
            node.w.len(),
            node.rule.predicates().len(),
            "the number of weights differs from that of the predicates"
        );
        assert_eq!(node.u.len(), self.classes().len(), "the number of weights differs from that of the classes");
        self.hidden.push(node);
    }
}

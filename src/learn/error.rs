//! Errors of learning and of scoring.

use super::kind::Kind;
use super::params::ParamError;
use crate::logic::{PredicateId, Predicates};
use crate::rbm::network::ConvertError;

/// An error of learning: unsuitable data, invalid parameters, or an unsuitable model to start from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// The training was cancelled.
    #[error("training was cancelled")]
    Cancelled,
    /// Worker threads could not be started.
    #[error("cannot start worker threads: {0}; lower the number of threads")]
    Threads(String),
    /// One of the two classes has no training example.
    #[error("{target} has {positives} positive and {negatives} negative training examples: give at least one of each")]
    OneClass {
        /// The target.
        target: String,
        /// Number of positives.
        positives: usize,
        /// Number of negatives.
        negatives: usize,
    },
    /// There are examples of both classes, but all of one have the weight 0.
    #[error("{} of {target} all have the weight 0: give some of them a weight above 0", without_weight(*.positives, *.negatives))]
    NoWeight {
        /// The target.
        target: String,
        /// Number of positives, if all have the weight 0.
        positives: Option<usize>,
        /// Number of negatives, if all have the weight 0.
        negatives: Option<usize>,
    },
    /// Too few examples to hold some out for early stopping.
    #[error(
        "early_stopping holds out training examples of each class, but there are only {positives} positive \
         and {negatives} negative ones: give at least two of each, or set early_stopping=0"
    )]
    TooFewToHoldOut {
        /// Number of positives.
        positives: usize,
        /// Number of negatives.
        negatives: usize,
    },
    /// Too few examples to measure the loss of AUC of pruning.
    #[error(
        "the loss of AUC is measured on held-out training examples of each class, but there are only {positives} \
         positive and {negatives} negative ones: give at least two of each, or a number of rules"
    )]
    TooFewToJudge {
        /// Number of positives.
        positives: usize,
        /// Number of negatives.
        negatives: usize,
    },
    /// All examples of a multi-class target are of the same class.
    #[error(
        "{}: give examples of at least two classes",
        only.as_ref().map_or_else(
            || format!("no training example of {target} has a weight above 0"),
            |only| format!("all training examples of {target} are of class {only}")
        )
    )]
    OneOfClasses {
        /// The target.
        target: String,
        /// The class, if any example has a weight.
        only: Option<String>,
    },
    /// A class with too few examples to hold some out.
    #[error(
        "training examples of each class are held out, but only one is of class {class}: give at least two of each, or \
         hold none out (early_stopping=0, or a number of rules)"
    )]
    TooFewOfClass {
        /// The class.
        class: String,
    },
    /// A parameter that multi-class targets do not support.
    #[error("{what} supports binary targets only, and {target} is a multi-class target: omit it")]
    NotForClasses {
        /// The parameter.
        what: &'static str,
        /// The target.
        target: String,
    },
    /// A parameter that has no effect without another one.
    #[error("{what} needs {other}: set it as well, or omit {what}")]
    Requires {
        /// The parameter.
        what: &'static str,
        /// The parameter that it needs.
        other: &'static str,
    },
    /// A recursive model is requested, but facts of the target are not evidence.
    #[error("recursive = true needs a database in which the positives of {target} are evidence: set its `recursion`")]
    NotRecursive {
        /// The target.
        target: String,
    },
    /// A parameter has a value outside its range.
    #[error(transparent)]
    Parameter(#[from] ParamError),
    /// Rules that a network cannot represent.
    #[error(transparent)]
    Rules(#[from] ConvertError),
    /// The kind does not support the data.
    #[error("{kind} {what}: {instead}")]
    Cannot {
        /// The kind.
        kind: Kind,
        /// The missing feature or requirement.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// The model to explain does not fit the data.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// An error of scoring: the model does not fit the examples.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// The target of the examples has another arity than that of the model.
    #[error("the model predicts {model}, and the examples are of {examples}: use a model of the same arity")]
    Arity {
        /// The target of the model.
        model: String,
        /// The target of the examples.
        examples: String,
    },
    /// The model does not support time limits.
    #[error("{kind} does not support time limits, and the data have some: use another kind, or data without them")]
    Times {
        /// The kind.
        kind: Kind,
    },
    /// The model has several classes, and the examples are binary.
    #[error(
        "the model predicts the classes {classes}, and the examples are positive or negative: use a model of a binary target"
    )]
    Classes {
        /// The classes of the model.
        classes: String,
    },
    /// Some examples are of a class that the model does not have.
    #[error(
        "the model predicts the classes {model}, and there are examples of class {class}: use a model that has this class"
    )]
    UnknownClass {
        /// The classes of the model.
        model: String,
        /// The class.
        class: String,
    },
    /// The examples have other classes than the model.
    #[error(
        "the model predicts the classes {model}, and the examples are of {examples}: use a model of the same classes"
    )]
    OtherClasses {
        /// The classes of the model.
        model: String,
        /// The classes of the examples.
        examples: String,
    },
    /// The examples have several classes, and the model predicts a binary target.
    #[error(
        "the examples are of the classes {classes}, and the model predicts a binary target: use a multi-class model"
    )]
    NoClasses {
        /// The classes of the examples.
        classes: String,
    },
}

fn without_weight(positives: Option<usize>, negatives: Option<usize>) -> String {
    let classes = [positives.map(|n| format!("the {n} positive")), negatives.map(|n| format!("the {n} negative"))];
    let classes: Vec<String> = classes.into_iter().flatten().collect();
    format!("{} training examples", classes.join(" and "))
}

impl ScoreError {
    /// Checks that the target of the examples has the arity of the target of the model.
    pub(super) fn check_arity(
        (model, predicted): (&Predicates, PredicateId),
        (data, examples): (&Predicates, PredicateId),
    ) -> Result<(), ScoreError> {
        if model.arity(predicted) == data.arity(examples) {
            return Ok(());
        }
        Err(ScoreError::Arity { model: model.show(predicted).to_string(), examples: data.show(examples).to_string() })
    }
}

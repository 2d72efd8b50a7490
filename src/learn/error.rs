//! What can be wrong with what a learner or a model is given.

use super::kind::Kind;
use super::params::ParamError;
use crate::logic::{PredicateId, Predicates};
use crate::rbm::network::ConvertError;

/// Data that nothing can be learned from, or a model that cannot be used for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// The training was cancelled.
    #[error("training was cancelled")]
    Cancelled,
    /// Worker threads could not be started.
    #[error("cannot start worker threads: {0}; lower the number of threads")]
    Threads(String),
    /// There is only one class.
    #[error("{target} has {positives} positive and {negatives} negative training examples: give at least one of each")]
    OneClass {
        /// The target.
        target: String,
        /// How many positives there are.
        positives: usize,
        /// How many negatives there are.
        negatives: usize,
    },
    /// There are examples of both classes, but those of one do not count.
    #[error("{} of {target} all have the weight 0: give some of them a weight above 0", without_weight(*.positives, *.negatives))]
    NoWeight {
        /// The target.
        target: String,
        /// How many positives there are, if all have the weight 0.
        positives: Option<usize>,
        /// How many negatives there are, if all have the weight 0.
        negatives: Option<usize>,
    },
    /// Too few examples to hold some out.
    #[error(
        "early_stopping holds out some of the training examples of each class, but there are only {positives} positive \
         and {negatives} negative ones: give at least two of each, or set early_stopping=0"
    )]
    TooFewToHoldOut {
        /// How many positives there are.
        positives: usize,
        /// How many negatives there are.
        negatives: usize,
    },
    /// Too few examples to measure a loss on.
    #[error(
        "a loss of AUC is measured on training examples of each class that are held out, but there are only {positives} \
         positive and {negatives} negative ones: give at least two of each, or a number of rules"
    )]
    TooFewToJudge {
        /// How many positives there are.
        positives: usize,
        /// How many negatives there are.
        negatives: usize,
    },
    /// All examples are of one class of several.
    #[error(
        "{}: give examples of at least two",
        only.as_ref().map_or_else(
            || format!("no training example of {target} has a weight"),
            |only| format!("all training examples of {target} are of class {only}")
        )
    )]
    OneOfClasses {
        /// The target.
        target: String,
        /// The one class, if there is any.
        only: Option<String>,
    },
    /// A class with too few examples to hold some out.
    #[error(
        "training examples of each class are held out, but only one is of class {class}: give at least two of each, or do without \
         holding out (early_stopping=0, a number of rules)"
    )]
    TooFewOfClass {
        /// The class.
        class: String,
    },
    /// A parameter that does not go with several classes.
    #[error("{what} is for targets that hold or do not hold, and {target} tells classes apart: leave it out")]
    NotForClasses {
        /// The parameter.
        what: &'static str,
        /// The target.
        target: String,
    },
    /// Nothing is known of the target's facts.
    #[error("recursive = true needs a database in which the positives of {target} are evidence: set its `recursion`")]
    NotRecursive {
        /// The target.
        target: String,
    },
    /// A parameter has a value outside its range.
    #[error(transparent)]
    Parameter(#[from] ParamError),
    /// Rules that no network can hold.
    #[error(transparent)]
    Rules(#[from] ConvertError),
    /// The kind is not made for such data.
    #[error("{kind} {what}: {instead}")]
    Cannot {
        /// The kind.
        kind: Kind,
        /// What it cannot do, or what it needs and does not have.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// The model to explain does not fit the data.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// A model that cannot be asked about these examples.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// The examples have another number of arguments.
    #[error("the model predicts {model} and the examples are of {asked}: use a model of the same arity")]
    Arity {
        /// What the model predicts.
        model: String,
        /// What was asked.
        asked: String,
    },
    /// The model knows nothing of times.
    #[error("{kind} does not support time limits, and the data have some: use another kind, or data without them")]
    Times {
        /// Its kind.
        kind: Kind,
    },
    /// The model has more classes than examples tell apart.
    #[error(
        "the model tells the classes {classes} apart, and examples are positive or negative: use a model of two classes"
    )]
    Classes {
        /// Their names.
        classes: String,
    },
    /// Examples are of classes that the model does not know.
    #[error(
        "the model tells the classes {model} apart, and there are examples of class {class}: use a model that knows it"
    )]
    UnknownClass {
        /// The classes that it knows.
        model: String,
        /// The class.
        class: String,
    },
    /// Examples are of other classes.
    #[error(
        "the model tells the classes {model} apart, and the examples are of {asked}: use a model of the same classes"
    )]
    OtherClasses {
        /// Those of the model.
        model: String,
        /// Those of the examples.
        asked: String,
    },
    /// Examples are of several classes, and the model knows none.
    #[error(
        "the examples are of the classes {classes}, and the model says of a target whether it holds: use a model of classes"
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
    /// Refuses examples of a target that has another number of arguments than what a model predicts.
    pub(super) fn check_arity(
        (model, predicted): (&Predicates, PredicateId),
        (data, asked): (&Predicates, PredicateId),
    ) -> Result<(), ScoreError> {
        if model.arity(predicted) == data.arity(asked) {
            return Ok(());
        }
        Err(ScoreError::Arity { model: model.show(predicted).to_string(), asked: data.show(asked).to_string() })
    }
}

//! What can be wrong with what a learner or a model is given.

use super::Kind;
use crate::rbm::network::ConvertError;

/// Data that nothing can be learned from, or a model that cannot be used for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
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
    #[error("{kind} cannot keep time limits, and the data have some: use another kind of model, or data without them")]
    Times {
        /// Its kind.
        kind: Kind,
    },
    /// The network has more classes than examples tell apart.
    #[error(
        "the network tells the classes {classes} apart, and examples are positive or negative: use a network of two classes"
    )]
    Classes {
        /// Their names.
        classes: String,
    },
}

/// No learner has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no kind of model is called `{name}`: choose one of {}", known())]
pub struct UnknownKind {
    /// The name.
    pub name: String,
}

fn known() -> String {
    Kind::ALL.map(Kind::name).join(", ")
}

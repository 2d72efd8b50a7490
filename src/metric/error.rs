//! What is wrong with the input of a metric, and why a metric may have no value.

use thiserror::Error;

/// Input from which no metric is computed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MetricError {
    /// Not one score for each label.
    #[error("{scores} scores for {labels} labels: give each example one score and one label")]
    LengthMismatch {
        /// Number of scores.
        scores: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A score that is not a number has no place in a ranking.
    #[error(
        "score of example {index} (from 0) is NaN: allowed are numbers and infinities; see why the model gave none"
    )]
    NotANumber {
        /// Position of the example.
        index: usize,
    },
    /// A probability outside 0 to 1, or NaN.
    #[error(
        "probability of example {index} (from 0) is {value}: allowed is 0 to 1; give other numbers as plain scores"
    )]
    NotAProbability {
        /// Position of the example.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// A threshold that is not a number separates nothing.
    #[error("the threshold is NaN: allowed are numbers and infinities; take one from the training scores")]
    ThresholdNotANumber,
    /// An example of a class for which there are no scores.
    #[error("example {index} (from 0) is of class {class}, but there are scores for {classes} classes (from 0) only")]
    NoSuchClass {
        /// Position of the example.
        index: usize,
        /// Its class.
        class: usize,
        /// Number of classes with scores.
        classes: usize,
    },
    /// Not one threshold for each class.
    #[error(
        "{thresholds} training thresholds for {classes} classes: give each class one, or the reason why it has none"
    )]
    ThresholdsPerClass {
        /// Number of thresholds.
        thresholds: usize,
        /// Number of classes.
        classes: usize,
    },
}

/// Why a metric has no value for sound input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Undefined {
    /// There is nothing to average over.
    #[error("no examples")]
    NoExamples,
    /// Recall, and the order of positives and negatives, need a positive.
    #[error("no positive examples")]
    NoPositives,
    /// The order of positives and negatives needs a negative.
    #[error("no negative examples")]
    NoNegatives,
    /// The model gives scores that rank, but no probabilities.
    #[error("scores are not probabilities")]
    NotProbabilities,
    /// No scores of training examples were kept.
    #[error("no training scores")]
    NoTrainingScores,
    /// No cut of the training scores is better than another, for there is no positive to find.
    #[error("no positive training examples")]
    NoTrainingPositives,
}

//! Errors for invalid input, and the reasons why a metric is undefined.

use thiserror::Error;

/// Invalid input of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MetricError {
    /// The numbers of scores and labels differ.
    #[error("{scores} scores for {labels} labels: give each example one score and one label")]
    LengthMismatch {
        /// Number of scores.
        scores: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A NaN score, which cannot be ranked.
    #[error(
        "score of example {index} (from 0) is NaN; expected a number or an infinity: check the model that produced it"
    )]
    NotANumber {
        /// Position of the example.
        index: usize,
    },
    /// A probability outside 0 to 1, or NaN.
    #[error(
        "probability of example {index} (from 0) must be between 0 and 1, got {value}; pass other numbers as plain scores"
    )]
    NotAProbability {
        /// Position of the example.
        index: usize,
        /// The invalid value.
        value: f64,
    },
    /// A NaN threshold.
    #[error("the threshold is NaN; expected a number or an infinity, such as a training score")]
    ThresholdNotANumber,
    /// An example whose class has no scores.
    #[error("example {index} (from 0) has class {class} (from 0), but there are scores for {classes} classes only")]
    NoSuchClass {
        /// Position of the example.
        index: usize,
        /// Its class.
        class: usize,
        /// Number of classes with scores.
        classes: usize,
    },
    /// The numbers of thresholds and classes differ.
    #[error(
        "{thresholds} training thresholds for {classes} classes: give one per class, or the reason why it is undefined"
    )]
    ThresholdsPerClass {
        /// Number of thresholds.
        thresholds: usize,
        /// Number of classes.
        classes: usize,
    },
}

/// Why a metric is undefined for valid input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Undefined {
    /// The test set is empty.
    #[error("no examples")]
    NoExamples,
    /// There are no positives, which recall and any ranking of positives against negatives need.
    #[error("no positive examples")]
    NoPositives,
    /// There are no negatives, which any ranking of positives against negatives needs.
    #[error("no negative examples")]
    NoNegatives,
    /// The model outputs scores for ranking, not probabilities.
    #[error("scores are not probabilities")]
    NotProbabilities,
    /// The training scores were not kept.
    #[error("no training scores")]
    NoTrainingScores,
    /// The training set has no positives, so no threshold is better than another.
    #[error("no positive training examples")]
    NoTrainingPositives,
}

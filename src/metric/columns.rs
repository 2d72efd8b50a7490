//! The metric columns of a results table, and their values for one test set.

use super::calibration::{self, Probabilities};
use super::error::{MetricError, Undefined};
use super::ranking::{self, Ranking};
use super::threshold::{self, Threshold};
use crate::math::sigmoid;

/// A metric column of a results table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// `auc_roc`: area under the ROC curve, ties one half ([`ranking::auc_roc`]; Fawcett 2006).
    AucRoc,
    /// `auc_pr`: area under the interpolated precision-recall curve ([`ranking::auc_pr`]; Davis and
    /// Goadrich 2006).
    AucPr,
    /// `auc_roc_jar`: area under the ROC curve as auc.jar computes it ([`ranking::auc_roc_jar`]).
    AucRocJar,
    /// `auc_pr_jar`: area under the precision-recall curve as auc.jar computes it
    /// ([`ranking::auc_pr_jar`]).
    AucPrJar,
    /// `average_precision`: without interpolation ([`ranking::average_precision`]; scikit-learn).
    AveragePrecision,
    /// `cll`: conditional log-likelihood per example ([`calibration::cll`]).
    Cll,
    /// `brier`: mean squared error of the probabilities ([`calibration::brier`]; Brier 1950).
    Brier,
    /// `ece`: expected calibration error, ten bins ([`calibration::ece`]; Naeini et al. 2015).
    Ece,
    /// `f1_half`: F1 at probability one half ([`threshold::f1_half`]).
    F1Half,
    /// `f1_train`: F1 at the threshold that is best on the training scores ([`threshold::f1_at`]).
    F1Train,
}

impl Column {
    /// All columns, in table order.
    pub const ALL: [Column; 10] = [
        Column::AucRoc,
        Column::AucPr,
        Column::AucRocJar,
        Column::AucPrJar,
        Column::AveragePrecision,
        Column::Cll,
        Column::Brier,
        Column::Ece,
        Column::F1Half,
        Column::F1Train,
    ];

    /// Returns the name used in files and specifications.
    pub fn name(self) -> &'static str {
        match self {
            Column::AucRoc => "auc_roc",
            Column::AucPr => "auc_pr",
            Column::AucRocJar => "auc_roc_jar",
            Column::AucPrJar => "auc_pr_jar",
            Column::AveragePrecision => "average_precision",
            Column::Cll => "cll",
            Column::Brier => "brier",
            Column::Ece => "ece",
            Column::F1Half => "f1_half",
            Column::F1Train => "f1_train",
        }
    }

    /// Looks up a column by its name.
    pub fn named(name: &str) -> Option<Self> {
        Column::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Returns the value that a constant score has on examples with these labels; `None` for a
    /// metric that is no area under a curve, or without examples of both labels.
    pub fn chance(self, positives: usize, negatives: usize) -> Option<f64> {
        if positives == 0 || negatives == 0 {
            return None;
        }
        match self {
            Column::AucRoc | Column::AucRocJar => Some(0.5),
            Column::AucPr | Column::AucPrJar | Column::AveragePrecision => {
                Some(positives as f64 / (positives + negatives) as f64)
            }
            _ => None,
        }
    }

    /// Returns whether larger values are better.
    pub fn higher_is_better(self) -> bool {
        !matches!(self, Column::Brier | Column::Ece)
    }
}

/// Model output for each example of a test set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<'a> {
    /// Probabilities of the positive class.
    Probabilities(&'a [f64]),
    /// Log-odds ψ of the positive class. They are ranked as they are, and their [`sigmoid`] is
    /// the probability: near 1, distinct ψ can round to equal probabilities.
    LogOdds(&'a [f64]),
    /// Scores that increase with the likelihood of the positive class. They can be ranked, but
    /// `cll`, `brier`, `ece` and `f1_half` are undefined.
    Scores(&'a [f64]),
}

/// Values of all [`Column`]s for one test set, each with the reason if it is undefined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Number of positives, shown beside metrics that depend on the class balance.
    pub positives: u64,
    /// Number of negatives.
    pub negatives: u64,
    values: [Result<f64, Undefined>; Column::ALL.len()],
}

impl Metrics {
    /// Computes all columns from the model output for the test examples.
    ///
    /// `threshold` is the result of [`threshold::best`] on the training scores of the same model,
    /// which must be of the same kind as `output`; pass `Err(Undefined::NoTrainingScores)` if
    /// there are none.
    ///
    /// ```
    /// use lrbm::internal::metric::{Column, Metrics, Output, Undefined};
    ///
    /// let output = Output::Scores(&[2.5, -1.0, 0.0]);
    /// let metrics = Metrics::new(output, &[true, false, false], Err(Undefined::NoTrainingScores))?;
    /// assert_eq!(metrics.get(Column::AucRoc), Ok(1.0));
    /// assert_eq!(metrics.get(Column::Brier), Err(Undefined::NotProbabilities));
    /// # Ok::<(), lrbm::internal::metric::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If the lengths differ, a number is NaN, or a probability is outside 0 to 1.
    pub fn new(output: Output, labels: &[bool], threshold: Result<Threshold, Undefined>) -> Result<Self, MetricError> {
        let sigmoids: Vec<f64>;
        let (scores, probabilities) = match output {
            Output::Probabilities(values) => (values, Ok(Probabilities::new(values, labels)?)),
            Output::LogOdds(psi) => {
                sigmoids = psi.iter().map(|&psi| sigmoid(psi)).collect();
                (psi, Ok(Probabilities::new(&sigmoids, labels)?))
            }
            Output::Scores(values) => (values, Err(Undefined::NotProbabilities)),
        };
        let ranking = Ranking::new(scores, labels)?;
        let value = |column| match column {
            Column::AucRoc => ranking::auc_roc(&ranking),
            Column::AucPr => ranking::auc_pr(&ranking),
            Column::AucRocJar => Ok(ranking::auc_roc_jar(&ranking)),
            Column::AucPrJar => Ok(ranking::auc_pr_jar(&ranking)),
            Column::AveragePrecision => ranking::average_precision(&ranking),
            Column::Cll => calibration::cll(&probabilities?),
            Column::Brier => calibration::brier(&probabilities?),
            Column::Ece => calibration::ece(&probabilities?),
            Column::F1Half => threshold::f1_half(&probabilities?),
            Column::F1Train => threshold::f1_at(&ranking, threshold?),
        };
        let values = Column::ALL.map(value);
        Ok(Metrics { positives: ranking.positives(), negatives: ranking.negatives(), values })
    }

    /// Computes macro averages over classes: the one-versus-rest metrics of each class, averaged.
    /// A column that is undefined for one class is undefined, since a mean over the other classes
    /// would be too favorable.
    ///
    /// `outputs[c]` is the model output for class `c`, one number per example; `classes` holds
    /// the true class of each example, and `thresholds[c]` is as in [`Metrics::new`]. The counts
    /// are summed over classes: each example is positive once.
    ///
    /// # Errors
    /// As [`Metrics::new`], or if an example's class has no output, or thresholds are missing.
    pub fn macro_average(
        outputs: &[Output],
        classes: &[usize],
        thresholds: &[Result<Threshold, Undefined>],
    ) -> Result<Self, MetricError> {
        if let Some(index) = classes.iter().position(|&class| class >= outputs.len()) {
            return Err(MetricError::NoSuchClass { index, class: classes[index], classes: outputs.len() });
        }
        if thresholds.len() != outputs.len() {
            return Err(MetricError::ThresholdsPerClass { thresholds: thresholds.len(), classes: outputs.len() });
        }
        let mut sums = Metrics { positives: 0, negatives: 0, values: [Ok(0.0); Column::ALL.len()] };
        for (class, (&output, &threshold)) in outputs.iter().zip(thresholds).enumerate() {
            let labels: Vec<bool> = classes.iter().map(|&true_class| true_class == class).collect();
            let metrics = Metrics::new(output, &labels, threshold)?;
            sums.positives += metrics.positives;
            sums.negatives += metrics.negatives;
            for (sum, value) in sums.values.iter_mut().zip(metrics.values) {
                *sum = sum.and_then(|sum| Ok(sum + value?));
            }
        }
        if outputs.is_empty() {
            return Ok(Metrics { values: [Err(Undefined::NoExamples); Column::ALL.len()], ..sums });
        }
        Ok(Metrics { values: sums.values.map(|sum| sum.map(|sum| sum / outputs.len() as f64)), ..sums })
    }

    /// Returns the value of a column.
    ///
    /// # Errors
    /// The reason why it is undefined.
    pub fn get(&self, column: Column) -> Result<f64, Undefined> {
        self.values[column as usize]
    }

    /// Iterates over all columns and their values, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (Column, Result<f64, Undefined>)> + '_ {
        Column::ALL.into_iter().zip(self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [bool; 4] = [true, false, true, false];

    #[test]
    fn columns_match_their_index_and_name() {
        for (position, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(column as usize, position);
            assert_eq!(Column::named(column.name()), Some(column));
        }
        assert_eq!(Column::named("auc"), None);
    }

    #[test]
    fn chance_is_the_area_under_the_curve_of_a_constant_score() {
        for (positives, negatives) in [(1, 1), (1, 3), (5, 2)] {
            let labels = [vec![true; positives], vec![false; negatives]].concat();
            let constant = vec![0.5; labels.len()];
            let metrics = Metrics::new(Output::Scores(&constant), &labels, Err(Undefined::NoTrainingScores)).unwrap();
            for column in [Column::AucRoc, Column::AucPr, Column::AveragePrecision] {
                let chance = column.chance(positives, negatives).unwrap();
                assert!((metrics.get(column).unwrap() - chance).abs() < 1e-15, "{}", column.name());
            }
            assert_eq!(Column::AucRocJar.chance(positives, negatives), Column::AucRoc.chance(positives, negatives));
            assert_eq!(Column::AucPrJar.chance(positives, negatives), Column::AucPr.chance(positives, negatives));
            assert_eq!(Column::Brier.chance(positives, negatives), None);
        }
        for column in Column::ALL {
            assert_eq!((column.chance(0, 3), column.chance(3, 0)), (None, None), "{}", column.name());
        }
    }

    #[test]
    fn perfect_predictions_are_better_than_inverted_ones() {
        let threshold = Ok(Threshold::new(0.5).unwrap());
        let of = |values: [f64; 4]| Metrics::new(Output::Probabilities(&values), &LABELS, threshold).unwrap();
        let (perfect, inverted) = (of([1.0, 0.0, 1.0, 0.0]), of([0.0, 1.0, 0.0, 1.0]));
        for column in Column::ALL {
            let is_higher = perfect.get(column).unwrap() > inverted.get(column).unwrap();
            assert_eq!(is_higher, column.higher_is_better(), "{}", column.name());
        }
        assert_eq!(perfect.iter().collect::<Vec<_>>(), Column::ALL.map(|column| (column, perfect.get(column))));
    }

    #[test]
    fn all_columns_match_hand_computed_values() {
        // From the top: positive .75, negative .5, positive .25, negative 0.
        let output = Output::Probabilities(&[0.75, 0.5, 0.25, 0.0]);
        let metrics = Metrics::new(output, &LABELS, Ok(Threshold::new(0.2).unwrap())).unwrap();
        assert_eq!((metrics.positives, metrics.negatives), (2, 2));
        let expected = [
            ("auc_roc", 3.0 / 4.0),
            ("auc_pr", (1.0 + (1.0 / 2.0 + 2.0 / 3.0) / 2.0) / 2.0),
            ("auc_roc_jar", 3.0 / 4.0),
            ("auc_pr_jar", (1.0 + (1.0 / 2.0 + 2.0 / 3.0) / 2.0) / 2.0),
            ("average_precision", (1.0 + 2.0 / 3.0) / 2.0),
            ("cll", (0.75f64 * 0.5 * 0.25).ln() / 4.0),
            ("brier", (0.0625 + 0.25 + 0.5625) / 4.0),
            ("ece", (0.25 + 0.5 + 0.75) / 4.0),
            ("f1_half", 0.5),
            ("f1_train", 0.8),
        ];
        for ((column, value), (name, expected)) in metrics.iter().zip(expected) {
            assert_eq!(column.name(), name);
            let value = value.unwrap();
            assert!((value - expected).abs() < 1e-15, "{name}: {value} is not {expected}");
        }
    }

    #[test]
    fn plain_scores_leave_probability_metrics_undefined() {
        let metrics =
            Metrics::new(Output::Scores(&[7.0, -2.0, 3.0, -9.0]), &LABELS, Err(Undefined::NoTrainingScores)).unwrap();
        for (column, value) in metrics.iter() {
            let expected = match column {
                Column::Cll | Column::Brier | Column::Ece | Column::F1Half => Err(Undefined::NotProbabilities),
                Column::F1Train => Err(Undefined::NoTrainingScores),
                _ => Ok(1.0),
            };
            assert_eq!(value, expected, "{}", column.name());
        }
    }

    #[test]
    fn log_odds_are_ranked_directly_and_calibrated_through_the_sigmoid() {
        // The first two round to the same probability, but the positive has the larger ψ.
        let psi = [50.0, 45.0, 0.0, -1.0];
        let metrics = Metrics::new(Output::LogOdds(&psi), &LABELS, Err(Undefined::NoTrainingScores)).unwrap();
        assert_eq!(sigmoid(psi[0]), sigmoid(psi[1]));
        assert_eq!(metrics.get(Column::AucRoc), Ok(3.0 / 4.0));
        let probabilities = psi.map(sigmoid);
        let same =
            Metrics::new(Output::Probabilities(&probabilities), &LABELS, Err(Undefined::NoTrainingScores)).unwrap();
        assert_ne!(same.get(Column::AucRoc), metrics.get(Column::AucRoc));
        for column in [Column::Cll, Column::Brier, Column::Ece, Column::F1Half] {
            assert_eq!(metrics.get(column), same.get(column), "{}", column.name());
        }
    }

    #[test]
    fn macro_averages_are_means_over_classes() {
        let outputs =
            [&[0.8, 0.3, 0.1], &[0.1, 0.3, 0.3], &[0.1, 0.4, 0.6]].map(|column| Output::Probabilities(column));
        let thresholds = [0.5, 0.2, 0.5].map(Threshold::new).map(Result::unwrap).map(Ok);
        let metrics = Metrics::macro_average(&outputs, &[0, 1, 2], &thresholds).unwrap();
        assert_eq!((metrics.positives, metrics.negatives), (3, 6));
        // Class 1 is tied with one negative and above the other: 3/4.
        assert_eq!(metrics.get(Column::AucRoc), Ok((1.0 + 0.75 + 1.0) / 3.0));
        assert_eq!(metrics.get(Column::F1Half), Ok((1.0 + 0.0 + 1.0) / 3.0));
        assert_eq!(metrics.get(Column::F1Train), Ok((1.0 + 2.0 / 3.0 + 1.0) / 3.0));
        // No example has class 2: undefined, not the mean of the other two. The Brier score needs
        // no positive.
        let metrics = Metrics::macro_average(&outputs, &[0, 1, 1], &thresholds).unwrap();
        assert_eq!(metrics.get(Column::AucRoc), Err(Undefined::NoPositives));
        assert!(metrics.get(Column::Brier).is_ok());
    }

    #[test]
    fn missing_outputs_or_thresholds_are_errors() {
        let outputs = [Output::Scores(&[0.0, 1.0]), Output::Scores(&[1.0, 0.0])];
        let none = Err(Undefined::NoTrainingScores);
        let error = Metrics::macro_average(&outputs, &[0, 2], &[none; 2]).unwrap_err();
        assert_eq!(error, MetricError::NoSuchClass { index: 1, class: 2, classes: 2 });
        let error = Metrics::macro_average(&outputs, &[0, 1], &[none]).unwrap_err();
        assert_eq!(error, MetricError::ThresholdsPerClass { thresholds: 1, classes: 2 });
        let nothing = Metrics::macro_average(&[], &[], &[]).unwrap();
        assert_eq!(nothing.get(Column::AucRocJar), Err(Undefined::NoExamples));
    }
}

//! All metric columns of a results table at once.

use super::calibration::{self, Probabilities};
use super::error::{MetricError, Undefined};
use super::ranking::{self, Ranking};
use super::threshold::{self, Threshold};
use crate::math::sigmoid;

/// A column of a results table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// `auc_roc`: area under the ROC curve, ties one half ([`ranking::auc_roc`]; Fawcett 2006).
    AucRoc,
    /// `auc_pr`: area under the interpolated precision-recall curve ([`ranking::auc_pr`]; Davis and Goadrich 2006).
    AucPr,
    /// `auc_roc_jar`: the same as auc.jar prints it ([`ranking::auc_roc_jar`]).
    AucRocJar,
    /// `auc_pr_jar`: the same as auc.jar prints it ([`ranking::auc_pr_jar`]).
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
    /// All columns, in the order of tables.
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

    /// The name in files and specifications.
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

    /// The column of this name.
    pub fn named(name: &str) -> Option<Self> {
        Column::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Whether a greater number is the better one.
    pub fn higher_is_better(self) -> bool {
        !matches!(self, Column::Brier | Column::Ece)
    }
}

/// What a model says of each example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<'a> {
    /// The probability that it is positive.
    Probabilities(&'a [f64]),
    /// ψ, the log-odds that it is positive. It ranks, and [`sigmoid`] of it is the probability; near 1, probabilities can
    /// be equal where ψ is not.
    LogOdds(&'a [f64]),
    /// A number that is higher for likelier positives: good for rankings, but not for `cll`, `brier`, `ece`, `f1_half`.
    Scores(&'a [f64]),
}

/// The value of each [`Column`] for one test set, or the reason why it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Number of positives, to be shown beside what depends on the skew.
    pub positives: u64,
    /// Number of negatives.
    pub negatives: u64,
    values: [Result<f64, Undefined>; Column::ALL.len()],
}

impl Metrics {
    /// Computes all columns from what the model said of the test examples.
    ///
    /// `threshold` is what [`threshold::best`] found on the training scores of the same model, which must be of the
    /// same kind as `output`; `Err(Undefined::NoTrainingScores)` if it was not sought.
    ///
    /// ```
    /// use lrbm::metric::{Column, Metrics, Output, Undefined};
    ///
    /// let output = Output::Scores(&[2.5, -1.0, 0.0]);
    /// let metrics = Metrics::new(output, &[true, false, false], Err(Undefined::NoTrainingScores))?;
    /// assert_eq!(metrics.get(Column::AucRoc), Ok(1.0));
    /// assert_eq!(metrics.get(Column::Brier), Err(Undefined::NotProbabilities));
    /// # Ok::<(), lrbm::metric::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one number for each label, one is NaN, or a probability is outside 0 to 1.
    pub fn new(output: Output, labels: &[bool], threshold: Result<Threshold, Undefined>) -> Result<Self, MetricError> {
        let of_psi: Vec<f64>;
        let (scores, probabilities) = match output {
            Output::Probabilities(values) => (values, Ok(Probabilities::new(values, labels)?)),
            Output::LogOdds(psi) => {
                of_psi = psi.iter().map(|&psi| sigmoid(psi)).collect();
                (psi, Ok(Probabilities::new(&of_psi, labels)?))
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

    /// Macro averages for several classes: each class against all others, and the mean of these numbers. A column that
    /// is undefined for one class is undefined, since a mean over the other classes would flatter the model.
    ///
    /// `outputs[c]` is what the model says of class `c`, one number for each example, `classes` the true class of each
    /// example, and `thresholds[c]` as in [`Metrics::new`]. The counts are those of all classes together: each example
    /// is positive once.
    ///
    /// # Errors
    /// As [`Metrics::new`], or if an example's class is not among the outputs, or thresholds are missing.
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

    /// The value of a column.
    ///
    /// # Errors
    /// The reason why it has none.
    pub fn get(&self, column: Column) -> Result<f64, Undefined> {
        self.values[column as usize]
    }

    /// All columns with their values, in the order of tables.
    pub fn iter(&self) -> impl Iterator<Item = (Column, Result<f64, Undefined>)> + '_ {
        Column::ALL.into_iter().zip(self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [bool; 4] = [true, false, true, false];

    #[test]
    fn columns_have_their_place_and_their_name() {
        for (position, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(column as usize, position);
            assert_eq!(Column::named(column.name()), Some(column));
        }
        assert_eq!(Column::named("auc"), None);
    }

    #[test]
    fn every_column_by_hand() {
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
    fn scores_rank_but_are_no_probabilities() {
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
    fn log_odds_rank_by_themselves_and_calibrate_by_their_sigmoid() {
        // Both are certain as probabilities, but the positive is above the negative.
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
        // Nobody is of class 2: undefined, not the mean of the other two; the Brier score needs no positive.
        let metrics = Metrics::macro_average(&outputs, &[0, 1, 1], &thresholds).unwrap();
        assert_eq!(metrics.get(Column::AucRoc), Err(Undefined::NoPositives));
        assert!(metrics.get(Column::Brier).is_ok());
    }

    #[test]
    fn classes_without_outputs_are_refused() {
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

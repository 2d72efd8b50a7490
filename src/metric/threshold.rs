//! F1 of the decision "positive if the score is at least a threshold".

use super::calibration::Probabilities;
use super::error::{MetricError, Undefined};
use super::ranking::{Point, Ranking};

/// Returns F1 = 2·TP / (2·TP + FP + FN) at the probability threshold one half (inclusive).
///
/// # Errors
/// If there are no positives: recall is 0/0. Otherwise F1 is defined; it is 0 if nothing is
/// predicted positive.
pub fn f1_half(predicted: &Probabilities) -> Result<f64, Undefined> {
    let (mut true_positives, mut false_positives, mut positives) = (0, 0, 0);
    for (value, label) in predicted.iter() {
        let chosen = value >= 0.5;
        true_positives += u64::from(chosen && label);
        false_positives += u64::from(chosen && !label);
        positives += u64::from(label);
    }
    f1(true_positives, false_positives, positives)
}

/// A score threshold: examples with at least this score are predicted positive. Not NaN.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Threshold(f64);

impl Threshold {
    /// Wraps a stored threshold, for instance one kept with a model.
    ///
    /// # Errors
    /// If it is NaN.
    pub fn new(score: f64) -> Result<Self, MetricError> {
        if score.is_nan() { Err(MetricError::ThresholdNotANumber) } else { Ok(Threshold(score)) }
    }

    /// Returns the lowest score that is predicted positive.
    pub fn score(self) -> f64 {
        self.0
    }
}

/// Returns F1 when scores of at least `threshold` are predicted positive; see [`f1_half`]. With
/// the [`best`] threshold of the training scores this is the column `f1_train`.
///
/// # Errors
/// If there are no positives.
pub fn f1_at(ranking: &Ranking, threshold: Threshold) -> Result<f64, Undefined> {
    let chosen = ranking.points().partition_point(|point| point.threshold >= threshold.0);
    let last = ranking.points()[..chosen].last();
    let (true_positives, false_positives) = last.map_or((0, 0), |point| (point.true_positives, point.false_positives));
    f1(true_positives, false_positives, ranking.positives())
}

/// Returns the threshold with the best F1 on training scores, to be applied to other examples. It
/// is one of the scores; ties go to the highest.
///
/// # Errors
/// If there are no positives: then no threshold is better than another.
pub fn best(training: &Ranking) -> Result<Threshold, Undefined> {
    let mut best: Option<&Point> = None;
    for point in training.points() {
        if best.is_none_or(|best| better(point, best, training.positives())) {
            best = Some(point);
        }
    }
    match best {
        Some(point) if training.positives() > 0 => Ok(Threshold(point.threshold)),
        _ => Err(Undefined::NoTrainingPositives),
    }
}

/// Returns whether `a` has the larger F1. Fractions are compared exactly, so that rounding cannot
/// decide.
fn better(a: &Point, b: &Point, positives: u64) -> bool {
    // F1 = 2·TP / (predicted + P)
    let numerator = |point: &Point| u128::from(point.true_positives);
    let denominator = |point: &Point| u128::from(point.true_positives + point.false_positives + positives);
    numerator(a) * denominator(b) > numerator(b) * denominator(a)
}

fn f1(true_positives: u64, false_positives: u64, positives: u64) -> Result<f64, Undefined> {
    if positives == 0 {
        return Err(Undefined::NoPositives);
    }
    Ok(2.0 * true_positives as f64 / (true_positives + false_positives + positives) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_one_half_is_predicted_positive() {
        // Found 1 of 2, with one false alarm: 2/(2+1+1).
        let predicted = Probabilities::new(&[0.5, 0.4, 0.9, 0.1], &[true, true, false, false]).unwrap();
        assert_eq!(f1_half(&predicted), Ok(0.5));
    }

    fn at(score: f64) -> Threshold {
        Threshold::new(score).unwrap()
    }

    #[test]
    fn best_training_threshold_is_applied_to_test_scores() {
        // F1 from the top: 2/(1+2) = 2/3, 2/(2+2), 4/(3+2) = 4/5, 4/(4+2).
        let training = Ranking::new(&[0.9, 0.8, 0.3, 0.2], &[true, false, true, false]).unwrap();
        assert_eq!(best(&training), Ok(at(0.3)));
        assert_eq!(best(&training).unwrap().score(), 0.3);
        let test = Ranking::new(&[0.7, 0.3, 0.29, 0.1], &[false, true, true, false]).unwrap();
        assert_eq!(f1_at(&test, at(0.3)), Ok(0.5));
        assert_eq!(f1_at(&test, at(0.29)), Ok(0.8));
        assert_eq!(f1_at(&test, at(f64::INFINITY)), Ok(0.0));
        assert_eq!(f1_at(&test, at(f64::NEG_INFINITY)), Ok(2.0 / 3.0));
    }

    #[test]
    fn ties_go_to_the_highest_threshold() {
        // 2·1/(1+2) = 2·2/(4+2).
        let training = Ranking::new(&[0.9, 0.8, 0.7, 0.6], &[true, false, false, true]).unwrap();
        assert_eq!(best(&training), Ok(at(0.9)));
    }

    #[test]
    fn infinite_scores_and_signed_zeros_are_valid_thresholds() {
        let training = Ranking::new(&[f64::INFINITY, 0.0, f64::NEG_INFINITY], &[true, false, false]).unwrap();
        assert_eq!(best(&training), Ok(at(f64::INFINITY)));
        assert_eq!(f1_at(&training, at(f64::INFINITY)), Ok(1.0));
        let zeros = Ranking::new(&[-0.0, -1.0], &[true, false]).unwrap();
        assert_eq!(f1_at(&zeros, at(0.0)), Ok(1.0));
    }

    #[test]
    fn f1_is_undefined_without_positives() {
        let none = Ranking::new(&[0.9], &[false]).unwrap();
        assert_eq!(best(&none), Err(Undefined::NoTrainingPositives));
        assert_eq!(best(&Ranking::new(&[], &[]).unwrap()), Err(Undefined::NoTrainingPositives));
        assert_eq!(f1_at(&none, at(0.0)), Err(Undefined::NoPositives));
        assert_eq!(f1_half(&Probabilities::new(&[0.9], &[false]).unwrap()), Err(Undefined::NoPositives));
        assert_eq!(f1_half(&Probabilities::new(&[0.9], &[true]).unwrap()), Ok(1.0));
        assert_eq!(Threshold::new(f64::NAN), Err(MetricError::ThresholdNotANumber));
    }
}

//! F1 of the decision "positive if the score is at least a threshold".

use super::calibration::Probabilities;
use super::error::{MetricError, Undefined};
use super::ranking::{Point, Ranking};

/// F1 = 2·TP / (2·TP + FP + FN) where a probability of at least one half is predicted positive.
///
/// # Errors
/// If there are no positives: recall is 0/0. With positives it is defined; it is 0 if nothing is predicted positive.
pub fn f1_half(predicted: &Probabilities) -> Result<f64, Undefined> {
    let (mut found, mut wrong, mut positives) = (0, 0, 0);
    for (value, label) in predicted.iter() {
        let chosen = value >= 0.5;
        found += u64::from(chosen && label);
        wrong += u64::from(chosen && !label);
        positives += u64::from(label);
    }
    f1(found, wrong, positives)
}

/// A score that is a number or an infinity, from which on examples are predicted positive.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Threshold(f64);

impl Threshold {
    /// A threshold that was kept, for instance with a model.
    ///
    /// # Errors
    /// If it is NaN.
    pub fn new(score: f64) -> Result<Self, MetricError> {
        if score.is_nan() { Err(MetricError::ThresholdNotANumber) } else { Ok(Threshold(score)) }
    }

    /// The lowest score that is predicted positive.
    pub fn score(self) -> f64 {
        self.0
    }
}

/// F1 where each score of at least `threshold` is predicted positive; see [`f1_half`]. With the threshold that is
/// [`best`] on the training scores this is the column `f1_train`.
///
/// # Errors
/// If there are no positives.
pub fn f1_at(ranking: &Ranking, threshold: Threshold) -> Result<f64, Undefined> {
    let chosen = ranking.points().partition_point(|point| point.threshold >= threshold.0);
    let last = ranking.points()[..chosen].last();
    let (found, wrong) = last.map_or((0, 0), |point| (point.true_positives, point.false_positives));
    f1(found, wrong, ranking.positives())
}

/// The threshold with the best F1 on these scores, to be found on training examples and used on others. It is one of
/// the scores; of several with the same F1 it is the highest.
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

/// Whether `a` has the greater F1, compared as fractions so that rounding cannot choose.
fn better(a: &Point, b: &Point, positives: u64) -> bool {
    // F1 = 2·TP / (predicted + P)
    let numerator = |point: &Point| u128::from(point.true_positives);
    let denominator = |point: &Point| u128::from(point.true_positives + point.false_positives + positives);
    numerator(a) * denominator(b) > numerator(b) * denominator(a)
}

fn f1(found: u64, wrong: u64, positives: u64) -> Result<f64, Undefined> {
    if positives == 0 {
        return Err(Undefined::NoPositives);
    }
    Ok(2.0 * found as f64 / (found + wrong + positives) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_half_is_positive() {
        // Found 1 of 2, with one false alarm: 2/(2+1+1).
        let predicted = Probabilities::new(&[0.5, 0.4, 0.9, 0.1], &[true, true, false, false]).unwrap();
        assert_eq!(f1_half(&predicted), Ok(0.5));
    }

    fn at(score: f64) -> Threshold {
        Threshold::new(score).unwrap()
    }

    #[test]
    fn the_training_scores_choose_the_threshold() {
        // F1 from the top: 2/(1+2) = 2/3, 2/(2+2), 4/(3+2) = 4/5, 4/(4+2).
        let training = Ranking::new(&[0.9, 0.8, 0.3, 0.2], &[true, false, true, false]).unwrap();
        assert_eq!(best(&training), Ok(at(0.3)));
        let test = Ranking::new(&[0.7, 0.3, 0.29, 0.1], &[false, true, true, false]).unwrap();
        assert_eq!(f1_at(&test, at(0.3)), Ok(0.5));
        assert_eq!(f1_at(&test, at(0.29)), Ok(0.8));
        assert_eq!(f1_at(&test, at(f64::INFINITY)), Ok(0.0));
        assert_eq!(f1_at(&test, at(f64::NEG_INFINITY)), Ok(2.0 / 3.0));
    }

    #[test]
    fn of_equally_good_thresholds_the_highest() {
        // 2·1/(1+2) = 2·2/(4+2).
        let training = Ranking::new(&[0.9, 0.8, 0.7, 0.6], &[true, false, false, true]).unwrap();
        assert_eq!(best(&training), Ok(at(0.9)));
    }

    #[test]
    fn infinite_scores_and_both_zeros_are_thresholds() {
        let training = Ranking::new(&[f64::INFINITY, 0.0, f64::NEG_INFINITY], &[true, false, false]).unwrap();
        assert_eq!(best(&training), Ok(at(f64::INFINITY)));
        assert_eq!(f1_at(&training, at(f64::INFINITY)), Ok(1.0));
        let zeros = Ranking::new(&[-0.0, -1.0], &[true, false]).unwrap();
        assert_eq!(f1_at(&zeros, at(0.0)), Ok(1.0));
    }

    #[test]
    fn without_positives_there_is_no_f1() {
        let none = Ranking::new(&[0.9], &[false]).unwrap();
        assert_eq!(best(&none), Err(Undefined::NoTrainingPositives));
        assert_eq!(best(&Ranking::new(&[], &[]).unwrap()), Err(Undefined::NoTrainingPositives));
        assert_eq!(f1_at(&none, at(0.0)), Err(Undefined::NoPositives));
        assert_eq!(f1_half(&Probabilities::new(&[0.9], &[false]).unwrap()), Err(Undefined::NoPositives));
        assert_eq!(f1_half(&Probabilities::new(&[0.9], &[true]).unwrap()), Ok(1.0));
        assert_eq!(Threshold::new(f64::NAN), Err(MetricError::ThresholdNotANumber));
    }
}

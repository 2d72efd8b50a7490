//! Calibration metrics of predicted probabilities.

use super::error::{MetricError, Undefined};
use super::ranking::same_length;

/// Predicted probabilities of being positive, each from 0 to 1, with the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probabilities<'a> {
    values: &'a [f64],
    labels: &'a [bool],
}

impl<'a> Probabilities<'a> {
    /// Pairs `values` with `labels`, which mark the positives.
    ///
    /// # Errors
    /// If the lengths differ, or a value is NaN or outside 0 to 1.
    pub fn new(values: &'a [f64], labels: &'a [bool]) -> Result<Self, MetricError> {
        same_length(values, labels)?;
        match values.iter().position(|value| !(0.0..=1.0).contains(value)) {
            Some(index) => Err(MetricError::NotAProbability { index, value: values[index] }),
            None => Ok(Probabilities { values, labels }),
        }
    }

    /// Iterates over (probability, label) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (f64, bool)> + use<'a> {
        self.values.iter().copied().zip(self.labels.iter().copied())
    }

    fn mean(&self, of: impl Fn(f64, bool) -> f64) -> Result<f64, Undefined> {
        if self.values.is_empty() {
            return Err(Undefined::NoExamples);
        }
        // Folded from 0, since `sum` starts from −0 and would return it if all terms are −0.
        let sum = self.iter().fold(0.0, |sum, (value, label)| sum + of(value, label));
        Ok(sum / self.values.len() as f64)
    }
}

/// The smallest probability that [`cll`] assigns to an observed label: 2⁻⁵², as in scikit-learn's
/// `log_loss`.
///
/// The logistic function rounds to 1 above 37, so a predicted 0 or 1 means saturation, not
/// impossibility, and one such example must not dominate the mean. (BoostSRL replaces only exact
/// zeros, by 10⁻⁶, so that there a zero costs less than 10⁻⁹.)
pub const MIN_PROBABILITY: f64 = f64::EPSILON;

/// Conditional log-likelihood: the mean natural logarithm of the probability of the true label,
/// with probabilities clipped below at [`MIN_PROBABILITY`]. At most 0; minus the log loss
/// (cross-entropy).
///
/// # Errors
/// If there are no examples.
pub fn cll(predicted: &Probabilities) -> Result<f64, Undefined> {
    let min_log = MIN_PROBABILITY.ln();
    predicted.mean(|value, label| (if label { value.ln() } else { (-value).ln_1p() }).max(min_log))
}

/// Brier score: the mean squared difference between probability and label; 0 is best (Brier 1950,
/// *Verification of forecasts expressed in terms of probability*, who sums over both classes,
/// which gives twice this number).
///
/// # Errors
/// If there are no examples.
pub fn brier(predicted: &Probabilities) -> Result<f64, Undefined> {
    predicted.mean(|value, label| (value - f64::from(label)).powi(2))
}

/// Number of bins of a reliability diagram, as in Naeini et al. (2015).
pub const BINS: usize = 10;

/// A bin of the reliability diagram: the examples whose probability lies in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Number of examples.
    pub examples: u64,
    /// Number of positives.
    pub positives: u64,
    /// Sum of the predicted probabilities.
    pub probability_sum: f64,
}

/// Returns the reliability diagram: [`BINS`] bins of equal width. Bins include their upper bound
/// and exclude their lower one, except that the first includes 0.
pub fn reliability(predicted: &Probabilities) -> [Bin; BINS] {
    let mut bins = [Bin::default(); BINS];
    for (value, label) in predicted.iter() {
        // Compared with each bound, since `value * 10.0` may round across one.
        let bin = &mut bins[(1..BINS).filter(|&bound| bound as f64 / (BINS as f64) < value).count()];
        bin.examples += 1;
        bin.positives += u64::from(label);
        bin.probability_sum += value;
    }
    bins
}

/// Expected calibration error: the absolute difference between the share of positives and the
/// mean probability in each bin of [`reliability`], averaged over examples (Naeini, Cooper,
/// Hauskrecht 2015, *Obtaining well calibrated probabilities using Bayesian binning*).
///
/// # Errors
/// If there are no examples.
pub fn ece(predicted: &Probabilities) -> Result<f64, Undefined> {
    if predicted.values.is_empty() {
        return Err(Undefined::NoExamples);
    }
    // The number of examples of a bin cancels: n_b/n · |positives/n_b − sum/n_b|.
    let gaps = reliability(predicted).iter().map(|bin| (bin.positives as f64 - bin.probability_sum).abs()).sum::<f64>();
    Ok(gaps / predicted.values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: Result<f64, Undefined>, expected: f64) {
        let value = value.unwrap();
        assert!((value - expected).abs() < 1e-15, "{value} is not {expected}");
    }

    #[test]
    fn metrics_match_hand_computed_values() {
        let predicted = Probabilities::new(&[0.5, 0.25, 1.0], &[true, false, true]).unwrap();
        near(cll(&predicted), (0.5f64.ln() + 0.75f64.ln() + 0.0) / 3.0);
        near(brier(&predicted), (0.25 + 0.0625 + 0.0) / 3.0);
        near(ece(&predicted), (0.5 + 0.25 + 0.0) / 3.0);
    }

    #[test]
    fn certain_and_correct_predictions_cost_positive_zero() {
        let predicted = Probabilities::new(&[0.0, 0.0], &[false, false]).unwrap();
        for metric in [cll, brier, ece] {
            assert_eq!(metric(&predicted).unwrap().to_bits(), 0, "not even a minus sign");
        }
    }

    #[test]
    fn certain_and_wrong_predictions_have_bounded_cost() {
        let predicted = Probabilities::new(&[0.0, 1.0, 1e-300], &[true, false, true]).unwrap();
        near(cll(&predicted), -52.0 * 2f64.ln());
        near(brier(&predicted), 1.0);
        near(ece(&predicted), 1.0);
    }

    #[test]
    fn bins_include_their_upper_bound() {
        let bounds = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
        let predicted = Probabilities::new(&bounds, &[true; 11]).unwrap();
        let sizes = reliability(&predicted).map(|bin| bin.examples);
        assert_eq!(sizes, [2, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        // Low probabilities come first.
        let sums = reliability(&predicted).map(|bin| bin.probability_sum);
        assert_eq!(sums, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
        let above: Vec<f64> = bounds[..10].iter().map(|bound| bound.next_up()).collect();
        let predicted = Probabilities::new(&above, &[true; 10]).unwrap();
        assert_eq!(reliability(&predicted).map(|bin| bin.examples), [1; 10]);
    }

    #[test]
    fn errors_cancel_within_bins_only() {
        // Mean 0.25 and one of four positive: calibrated. The same with the values in two bins is
        // not.
        let labels = [true, false, false, false];
        near(ece(&Probabilities::new(&[0.25; 4], &labels).unwrap()), 0.0);
        near(ece(&Probabilities::new(&[0.05, 0.45, 0.45, 0.05], &labels).unwrap()), (0.9 + 0.9) / 4.0);
    }

    #[test]
    fn single_class_is_defined_and_empty_input_is_not() {
        near(brier(&Probabilities::new(&[0.5], &[false]).unwrap()), 0.25);
        let nothing = Probabilities::new(&[], &[]).unwrap();
        for metric in [cll, brier, ece] {
            assert_eq!(metric(&nothing), Err(Undefined::NoExamples));
        }
    }

    #[test]
    fn invalid_probabilities_are_errors() {
        for value in [-0.1, 1.5, f64::INFINITY, f64::NAN] {
            let error = Probabilities::new(&[0.5, value], &[true, true]).unwrap_err();
            assert!(matches!(error, MetricError::NotAProbability { index: 1, .. }), "{error}");
        }
        assert!(Probabilities::new(&[-0.0, 1.0], &[true, true]).is_ok());
    }
}

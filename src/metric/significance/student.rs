//! Corrected resampled t-test for cross-validation folds, which share training examples.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::error::NoTest;
use super::sample::Differences;
use crate::metric::summary::{deviation, mean};

/// Result of the corrected resampled t-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectedT {
    /// Mean difference.
    pub mean: f64,
    /// Corrected standard error of the mean difference.
    pub standard_error: f64,
    /// Test statistic: the mean over the standard error.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Two-sided p-value.
    pub p: f64,
}

/// Corrected resampled t-test (Nadeau and Bengio 2003, *Inference for the generalization error*):
/// t = mean / √((1/K + n_test/n_train) · s²) with K − 1 degrees of freedom.
///
/// The uncorrected paired test treats K folds as K independent trials, but any two of five folds
/// share two thirds of their training examples. The added ratio corrects for that; with five
/// equal folds t shrinks by a third.
///
/// `differences` has one entry per fold. If the cross-validation is repeated with other splits it
/// has one per fold and repetition, and the formula is the same (Bouckaert and Frank 2004,
/// *Evaluating the replicability of significance tests*). Average seeds that do not change the
/// split first: they add no information about other examples. `test_share` is the result of
/// [`mean_test_share`].
///
/// # Errors
/// If there are fewer than two differences, all are zero, all are equal, or the share is negative
/// or not finite, or the numbers are too large for a finite mean and variance.
pub fn corrected_t(differences: &Differences, test_share: f64) -> Result<CorrectedT, NoTest> {
    let standard_error = corrected_error(differences, test_share)?;
    let (count, mean) = (differences.values().len(), mean(differences.values()));
    let t = mean / standard_error;
    let distribution = StudentsT::new(0.0, 1.0, (count - 1) as f64).map_err(|_| NoTest::OutOfRange)?;
    let p = (2.0 * distribution.sf(t.abs())).min(1.0);
    Ok(CorrectedT { mean, standard_error, t, degrees_of_freedom: count - 1, p })
}

/// Returns the standard error of [`corrected_t`], with its errors.
pub(super) fn corrected_error(differences: &Differences, test_share: f64) -> Result<f64, NoTest> {
    let values = differences.values();
    let deviation = deviation(values).ok_or(NoTest::TooFew { have: values.len(), min: 2 })?;
    // Finite numbers near the largest one have sums and squares that are not.
    if !(test_share >= 0.0 && test_share.is_finite() && mean(values).is_finite() && deviation.is_finite()) {
        return Err(NoTest::OutOfRange);
    }
    if differences.are_equal() || deviation == 0.0 {
        return Err(if values.iter().all(|&value| value == 0.0) { NoTest::AllEqual } else { NoTest::NoSpread });
    }
    Ok((1.0 / values.len() as f64 + test_share).sqrt() * deviation)
}

/// Returns the mean over folds of the ratio of test to training examples, from (training, test)
/// counts.
///
/// # Errors
/// If there is no fold, or a fold has no training examples.
pub fn mean_test_share(sizes: &[(usize, usize)]) -> Result<f64, NoTest> {
    if sizes.is_empty() {
        return Err(NoTest::TooFew { have: 0, min: 1 });
    }
    if sizes.iter().any(|&(train, _)| train == 0) {
        return Err(NoTest::OutOfRange);
    }
    let shares: Vec<f64> = sizes.iter().map(|&(train, test)| test as f64 / train as f64).collect();
    Ok(mean(&shares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Differences {
        Differences::new(values, &vec![0.0; values.len()]).unwrap()
    }

    #[test]
    fn numbers_without_a_finite_mean_or_variance_are_not_tested() {
        for values in [[1e308, 1e308, 1e308], [1e308, -1e308, 0.5], [1e200, 2e200, 3e200]] {
            assert_eq!(corrected_error(&of(&values), 0.0), Err(NoTest::OutOfRange), "{values:?}");
        }
    }

    #[test]
    fn statistic_matches_hand_computed_values() {
        // Two equal folds: mean 2, s² = 2, factor 1/2 + 1 = 3/2, t = 2/√3. With one degree of
        // freedom the tail probability is an angle.
        let test = corrected_t(&of(&[1.0, 3.0]), mean_test_share(&[(10, 10), (7, 7)]).unwrap()).unwrap();
        assert_eq!((test.mean, test.degrees_of_freedom), (2.0, 1));
        assert!((test.t - 2.0 / 3f64.sqrt()).abs() < 1e-15);
        let angle = 1.0 - 2.0 * (2.0 / 3f64.sqrt()).atan() / std::f64::consts::PI;
        assert!((test.p - angle).abs() < 1e-12, "{}", test.p);
        // Five equal folds shrink t by √(0.45/0.2) = 1.5.
        let values = of(&[1.0, 2.0, 2.0, 4.0, 5.0]);
        let plain = corrected_t(&values, 0.0).unwrap();
        assert!((plain.t / corrected_t(&values, 0.25).unwrap().t - 1.5).abs() < 1e-12);
    }

    #[test]
    fn test_share_uses_actual_fold_sizes() {
        assert_eq!(mean_test_share(&[(80, 20), (50, 50)]), Ok(0.625));
        assert_eq!(mean_test_share(&[]), Err(NoTest::TooFew { have: 0, min: 1 }));
        assert_eq!(mean_test_share(&[(0, 5)]), Err(NoTest::OutOfRange));
    }

    #[test]
    fn zero_variance_is_not_tested() {
        assert_eq!(corrected_t(&of(&[0.1]), 0.25), Err(NoTest::TooFew { have: 1, min: 2 }));
        assert_eq!(corrected_t(&of(&[0.0; 5]), 0.25), Err(NoTest::AllEqual));
        assert_eq!(corrected_t(&of(&[0.1; 5]), 0.25), Err(NoTest::NoSpread));
        let rounded = Differences::new(&[0.5, 0.6, 0.7], &[0.4, 0.5, 0.6]).unwrap();
        assert_eq!(corrected_t(&rounded, 0.25), Err(NoTest::NoSpread));
        // These differ in their last bits.
        let rounded = Differences::new(&[0.3, 0.4], &[0.2, 0.3]).unwrap();
        assert_eq!(corrected_t(&rounded, 0.25), Err(NoTest::NoSpread));
        assert_eq!(corrected_t(&of(&[1.0, 2.0]), f64::NAN), Err(NoTest::OutOfRange));
    }
}

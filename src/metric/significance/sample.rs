//! Paired differences, and ranks with ties averaged.

use super::error::SampleError;
use crate::math;

/// Paired differences, first minus second, all finite.
///
/// Decimal numbers are not exact in binary: 0.768 − 0.763 and 0.936 − 0.931 differ in their last
/// bits, and so may two means of the same numbers. Differences within this tolerance error count
/// as equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences {
    values: Vec<f64>,
    tolerance: f64,
}

impl Differences {
    /// Computes `first[i] − second[i]`.
    ///
    /// # Errors
    /// If the lengths differ, or a number or difference is not finite.
    pub fn new(first: &[f64], second: &[f64]) -> Result<Self, SampleError> {
        if first.len() != second.len() {
            return Err(SampleError::LengthMismatch { first: first.len(), second: second.len() });
        }
        finite(first)?;
        finite(second)?;
        let mut values: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
        finite(&values)?;
        let largest = first.iter().chain(second).fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let tolerance = 4.0 * f64::EPSILON * largest;
        for value in values.iter_mut().filter(|value| value.abs() <= tolerance) {
            *value = 0.0;
        }
        Ok(Differences { values, tolerance })
    }

    /// Returns the differences; those within tolerance error are zero.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the differences with first and second swapped.
    pub fn reversed(&self) -> Self {
        // Subtracted from 0, since a negated zero would print as −0.
        Differences { values: self.values.iter().map(|value| 0.0 - value).collect(), tolerance: self.tolerance }
    }

    /// Returns the tolerance within which differences count as equal.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Returns whether all differences are equal within the tolerance.
    pub(super) fn are_equal(&self) -> bool {
        let smallest = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest - smallest <= self.tolerance
    }
}

pub(super) fn finite(values: &[f64]) -> Result<(), SampleError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(SampleError::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// Returns twice the rank of each value, the smallest having rank 1. Ties share the mean of their
/// ranks; doubling keeps all ranks integers. Values within `tolerance` of the smallest of a group
/// are ties.
pub(super) fn doubled_ranks(values: &[f64], tolerance: f64) -> Vec<u64> {
    let order = math::ascending(values);
    let mut ranks = vec![0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let is_equal = |&&at: &&usize| values[at] - values[order[start]] <= tolerance;
        let end = start + order[start..].iter().take_while(is_equal).count();
        // Ranks start + 1 to end: twice their mean is the sum of both ends.
        for &at in &order[start..end] {
            ranks[at] = (start + 1 + end) as u64;
        }
        start = end;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_within_rounding_error_are_zero() {
        let pairs = Differences::new(&[0.1 + 0.2, 0.5], &[0.3, 0.25]).unwrap();
        assert_eq!(pairs.values(), [0.0, 0.25]);
        assert_eq!(pairs.reversed().values(), [0.0, -0.25]);
        assert!(pairs.reversed().values()[0].is_sign_positive());
        assert!(!pairs.are_equal());
        assert!(Differences::new(&[0.768, 0.936], &[0.763, 0.931]).unwrap().are_equal());
    }

    #[test]
    fn unpaired_or_non_finite_samples_are_errors() {
        let error = Differences::new(&[1.0], &[]).unwrap_err();
        assert_eq!(error, SampleError::LengthMismatch { first: 1, second: 0 });
        for bad in [f64::NAN, f64::INFINITY] {
            for (first, second) in [([0.0, bad], [0.0, 0.0]), ([0.0, 0.0], [0.0, bad])] {
                let error = Differences::new(&first, &second).unwrap_err();
                assert!(matches!(error, SampleError::NotFinite { index: 1, .. }), "{error:?}");
            }
        }
        // Both are finite, but their difference is not.
        assert!(Differences::new(&[f64::MAX], &[f64::MIN]).is_err());
    }

    #[test]
    fn ties_share_the_mean_rank() {
        assert_eq!(doubled_ranks(&[3.0, 1.0, 2.0, 1.0, 1.0], 0.0), [10, 4, 8, 4, 4]);
        assert_eq!(doubled_ranks(&[0.0, -0.0], 0.0), [3, 3]);
        assert_eq!(doubled_ranks(&[], 0.0), [0u64; 0]);
    }
}

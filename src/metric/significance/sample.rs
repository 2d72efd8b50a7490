//! Paired differences, and ranks with ties averaged.

use super::error::SampleError;

/// Differences of pairs, the first minus the second, all finite.
///
/// Decimal numbers are not exact: 0.768 − 0.763 and 0.936 − 0.931 differ in their last bits, and so may two means of the same
/// numbers. What differs by no more than such rounding counts as equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences {
    values: Vec<f64>,
    rounding: f64,
}

impl Differences {
    /// `first[i] − second[i]`.
    ///
    /// # Errors
    /// If they are not pairs, or a number or difference is not finite.
    pub fn new(first: &[f64], second: &[f64]) -> Result<Self, SampleError> {
        if first.len() != second.len() {
            return Err(SampleError::LengthMismatch { first: first.len(), second: second.len() });
        }
        finite(first)?;
        finite(second)?;
        let mut values: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
        finite(&values)?;
        let greatest = first.iter().chain(second).fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
        let rounding = 4.0 * f64::EPSILON * greatest;
        for value in values.iter_mut().filter(|value| value.abs() <= rounding) {
            *value = 0.0;
        }
        Ok(Differences { values, rounding })
    }

    /// The differences; those that are mere rounding are zero.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same with first and second swapped.
    pub fn reversed(&self) -> Self {
        // Subtracted from 0, since minus zero would be printed.
        Differences { values: self.values.iter().map(|value| 0.0 - value).collect(), rounding: self.rounding }
    }

    /// How far equal differences may lie apart.
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Whether all are the same.
    pub(super) fn are_equal(&self) -> bool {
        let least = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        greatest - least <= self.rounding
    }
}

pub(super) fn finite(values: &[f64]) -> Result<(), SampleError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(SampleError::NotFinite { index, value: values[index] }),
        None => Ok(()),
    }
}

/// Twice the rank of each value, the least having rank 1; equal values share the mean of their ranks, which is why it is
/// doubled: all are whole numbers. Values within `rounding` of the least of a group are equal to it.
pub(super) fn doubled_ranks(values: &[f64], rounding: f64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let is_equal = |&&at: &&usize| values[at] - values[order[start]] <= rounding;
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
    fn rounding_makes_no_difference() {
        let pairs = Differences::new(&[0.1 + 0.2, 0.5], &[0.3, 0.25]).unwrap();
        assert_eq!(pairs.values(), [0.0, 0.25]);
        assert_eq!(pairs.reversed().values(), [0.0, -0.25]);
        assert!(pairs.reversed().values()[0].is_sign_positive());
        assert!(!pairs.are_equal());
        assert!(Differences::new(&[0.768, 0.936], &[0.763, 0.931]).unwrap().are_equal());
    }

    #[test]
    fn what_is_no_pair_of_numbers_is_refused() {
        let error = Differences::new(&[1.0], &[]).unwrap_err();
        assert_eq!(error, SampleError::LengthMismatch { first: 1, second: 0 });
        for bad in [f64::NAN, f64::INFINITY] {
            for (first, second) in [([0.0, bad], [0.0, 0.0]), ([0.0, 0.0], [0.0, bad])] {
                let error = Differences::new(&first, &second).unwrap_err();
                assert!(matches!(error, SampleError::NotFinite { index: 1, .. }), "{error:?}");
            }
        }
        // Both are finite, their difference is not.
        assert!(Differences::new(&[f64::MAX], &[f64::MIN]).is_err());
    }

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(doubled_ranks(&[3.0, 1.0, 2.0, 1.0, 1.0], 0.0), [10, 4, 8, 4, 4]);
        assert_eq!(doubled_ranks(&[0.0, -0.0], 0.0), [3, 3]);
        assert_eq!(doubled_ranks(&[], 0.0), [0u64; 0]);
    }
}

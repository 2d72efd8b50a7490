//! Correction for multiple tests.

use super::error::SampleError;
use crate::math;

/// Returns Holm's adjusted p-values, in the order given (Holm 1979, *A simple sequentially
/// rejective multiple test procedure*).
///
/// Holm's procedure bounds the family-wise error rate: it compares the smallest p with α/m, the
/// next with α/(m − 1), and stops at the first that fails. The adjusted p is the smallest α at
/// which a test rejects.
///
/// # Errors
/// If a p-value is not between 0 and 1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, SampleError> {
    if let Some(index) = p_values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(SampleError::NotAProbability { index, value: p_values[index] });
    }
    let order = math::ascending(p_values);
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (passed, &at) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - passed) as f64 * p_values[at]).min(1.0);
        adjusted[at] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_values_match_hand_computation() {
        // 0.01·4, 0.02·3, 0.03·2, 0.5·1; the third is not below the second.
        assert_eq!(holm(&[0.5, 0.01, 0.03, 0.02]).unwrap(), [0.5, 0.04, 0.06, 0.06]);
        assert_eq!(holm(&[0.4, 0.9]).unwrap(), [0.8, 0.9]);
        assert_eq!(holm(&[0.6, 0.9]).unwrap(), [1.0, 1.0]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
        for bad in [f64::NAN, -0.1, 1.1] {
            assert!(matches!(holm(&[0.5, bad]), Err(SampleError::NotAProbability { index: 1, .. })));
        }
    }
}

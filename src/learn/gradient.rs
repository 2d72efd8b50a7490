//! The functional gradient: how ψ of each example should move.

use crate::kb::Example;
use crate::rbm::{sigmoid, softplus};

/// Δ = I(y = 1) − P(y = 1), the derivative of an example's log-likelihood by its ψ.
#[inline]
pub fn gradient(positive: bool, psi: f64) -> f64 {
    f64::from(u8::from(positive)) - sigmoid(psi)
}

/// log P(y), exact also where P is next to 0 or 1.
#[inline]
pub fn log_likelihood(positive: bool, psi: f64) -> f64 {
    -softplus(if positive { -psi } else { psi })
}

/// The gradients of all examples.
pub fn gradients(examples: &[Example], psi: &[f64]) -> Vec<f64> {
    examples.iter().zip(psi).map(|(example, &psi)| gradient(example.positive, psi)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // ψ = ln 3 is P = 3/4
        assert!((gradient(true, 3f64.ln()) - 0.25).abs() < 1e-15);
        assert!((gradient(false, 3f64.ln()) + 0.75).abs() < 1e-15);
        assert!((log_likelihood(true, 3f64.ln()) - 0.75f64.ln()).abs() < 1e-15);
        assert!((log_likelihood(false, 3f64.ln()) - 0.25f64.ln()).abs() < 1e-15);
        assert_eq!(log_likelihood(true, -1000.0), -1000.0);
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_finite_difference_of_the_log_likelihood(positive: bool, psi in -20.0..20.0f64) {
            let h = 1e-5;
            let difference = (log_likelihood(positive, psi + h) - log_likelihood(positive, psi - h)) / (2.0 * h);
            prop_assert!((difference - gradient(positive, psi)).abs() < 1e-8);
        }
    }
}

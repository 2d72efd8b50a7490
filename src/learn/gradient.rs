//! The functional gradient of the log-likelihood by ψ, or by the score of each class.

use crate::kb::Example;
use crate::math::{log_sum_exp, sigmoid, softmax, softplus};

/// Returns Δ = I(y = 1) − P(y = 1), the derivative of an example's log-likelihood by ψ.
#[inline]
pub fn gradient(positive: bool, psi: f64) -> f64 {
    f64::from(u8::from(positive)) - sigmoid(psi)
}

/// Returns log P(y), accurate also where P is close to 0 or 1.
#[inline]
pub fn log_likelihood(positive: bool, psi: f64) -> f64 {
    -softplus(if positive { -psi } else { psi })
}

/// Returns Δₖ = I(y = k) − P(y = k) for each class, with P the softmax of the scores: the
/// derivatives of an example's log-likelihood.
pub fn class_gradients(class: usize, scores: &[f64]) -> Vec<f64> {
    let mut slopes = softmax(scores);
    slopes.iter_mut().for_each(|p| *p = -*p);
    slopes[class] += 1.0;
    slopes
}

/// Returns log P(y = class), accurate also where P is close to 0 or 1.
pub fn class_log_likelihood(class: usize, scores: &[f64]) -> f64 {
    scores[class] - log_sum_exp(scores)
}

/// Current scores of all examples: one column of ψ, or one column per class.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    columns: Vec<Vec<f64>>,
}

impl Scores {
    /// Creates columns that hold the prior.
    pub fn new(priors: &[f64], examples: usize) -> Self {
        Scores { columns: priors.iter().map(|&prior| vec![prior; examples]).collect() }
    }

    /// Returns a column for update.
    pub fn column(&mut self, k: usize) -> &mut [f64] {
        &mut self.columns[k]
    }

    /// Returns the columns.
    pub fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.columns.iter().map(Vec::as_slice)
    }

    fn row(&self, i: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[i]).collect()
    }

    /// Returns the gradients of all examples, by column.
    pub fn gradients(&self, examples: &[Example]) -> Vec<Vec<f64>> {
        if let [psi] = &self.columns[..] {
            return vec![examples.iter().zip(psi).map(|(example, &psi)| gradient(example.positive, psi)).collect()];
        }
        let mut gradients = vec![Vec::with_capacity(examples.len()); self.columns.len()];
        for (i, example) in examples.iter().enumerate() {
            let slopes = class_gradients(example.class as usize, &self.row(i));
            gradients.iter_mut().zip(slopes).for_each(|(column, slope)| column.push(slope));
        }
        gradients
    }

    /// Returns log P(y) of an example.
    pub fn log_likelihood(&self, i: usize, example: &Example) -> f64 {
        match &self.columns[..] {
            [psi] => log_likelihood(example.positive, psi[i]),
            _ => class_log_likelihood(example.class as usize, &self.row(i)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gradients_match_hand_computation() {
        // ψ = ln 3 is P = 3/4
        assert!((gradient(true, 3f64.ln()) - 0.25).abs() < 1e-15);
        assert!((gradient(false, 3f64.ln()) + 0.75).abs() < 1e-15);
        assert!((log_likelihood(true, 3f64.ln()) - 0.75f64.ln()).abs() < 1e-15);
        assert!((log_likelihood(false, 3f64.ln()) - 0.25f64.ln()).abs() < 1e-15);
        assert_eq!(log_likelihood(true, -1000.0), -1000.0);
    }

    #[test]
    fn class_gradients_match_hand_computation() {
        // 1 : 2 : 5 of 8
        let scores = [0.0, 2f64.ln(), 5f64.ln()];
        for (found, expected) in class_gradients(1, &scores).iter().zip([-0.125, 0.75, -0.625]) {
            assert!((found - expected).abs() < 1e-15);
        }
        assert!((class_log_likelihood(2, &scores) - 0.625f64.ln()).abs() < 1e-15);
        assert_eq!(class_log_likelihood(0, &[-1000.0, 0.0]), -1000.0);
    }

    proptest! {
        #[test]
        fn class_gradients_match_finite_differences(
            scores in prop::collection::vec(-10.0..10.0f64, 2..6),
            draw: usize,
        ) {
            let class = draw % scores.len();
            let gradients = class_gradients(class, &scores);
            prop_assert!(gradients.iter().sum::<f64>().abs() < 1e-12, "scores are determined up to a common constant");
            let h = 1e-5;
            for (k, gradient) in gradients.into_iter().enumerate() {
                let at = |by: f64| {
                    let mut moved = scores.clone();
                    moved[k] += by;
                    class_log_likelihood(class, &moved)
                };
                let difference = (at(h) - at(-h)) / (2.0 * h);
                prop_assert!((difference - gradient).abs() < 1e-8, "{k}: {difference} {gradient}");
            }
        }

        #[test]
        fn two_class_gradients_equal_the_binary_gradient(a in -10.0..10.0f64, b in -10.0..10.0f64) {
            let found = class_gradients(1, &[a, b]);
            prop_assert!((found[1] - gradient(true, b - a)).abs() < 1e-14);
            prop_assert!((class_gradients(0, &[a, b])[1] - gradient(false, b - a)).abs() < 1e-14);
            prop_assert!((class_log_likelihood(1, &[a, b]) - log_likelihood(true, b - a)).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn gradient_matches_finite_difference_of_the_log_likelihood(positive: bool, psi in -20.0..20.0f64) {
            let h = 1e-5;
            let difference = (log_likelihood(positive, psi + h) - log_likelihood(positive, psi - h)) / (2.0 * h);
            prop_assert!((difference - gradient(positive, psi)).abs() < 1e-8);
        }
    }
}

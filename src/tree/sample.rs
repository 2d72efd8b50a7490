//! The gradients of the examples of a leaf, and how much each example counts.

/// What a leaf is fitted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'s> {
    /// The gradient of each example.
    pub gradients: &'s [f64],
    /// How much each example counts; `None` if all count 1. An example of weight 2 is as good as two of weight 1.
    pub weights: Option<&'s [f64]>,
}

impl<'s> Sample<'s> {
    /// Examples that all count the same.
    pub fn even(gradients: &'s [f64]) -> Self {
        Sample { gradients, weights: None }
    }

    /// How much all examples count together: their number, if none has a weight.
    pub fn weight(&self) -> f64 {
        self.weights.map_or(self.gradients.len() as f64, |weights| weights.iter().sum())
    }

    /// The sum of the gradients, each times its weight.
    pub fn sum(&self) -> f64 {
        match self.weights {
            None => self.gradients.iter().sum(),
            Some(weights) => self.gradients.iter().zip(weights).map(|(gradient, weight)| weight * gradient).sum(),
        }
    }

    /// The mean gradient; 0 if nothing counts.
    pub fn mean(&self) -> f64 {
        let weight = self.weight();
        if weight > 0.0 { self.sum() / weight } else { 0.0 }
    }

    /// The squared error of a value, each example's times its weight.
    pub fn squared_error(&self, value: f64) -> f64 {
        // Paper: Eq. (8), Σᵢ (ψ(xᵢ) − Δᵢ)², over the examples of a leaf.
        let squares = self.gradients.iter().map(|gradient| (value - gradient).powi(2));
        match self.weights {
            None => squares.sum(),
            Some(weights) => squares.zip(weights).map(|(square, weight)| weight * square).sum(),
        }
    }
}

/// The gradients and weights of some examples, picked from all.
#[derive(Clone, Debug)]
pub(super) struct Picked {
    gradients: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Picked {
    pub fn new(here: &crate::cover::Bits, gradients: &[f64], weights: Option<&[f64]>) -> Self {
        Picked { gradients: here.pick(gradients), weights: weights.map(|weights| here.pick(weights)) }
    }

    pub fn sample(&self) -> Sample<'_> {
        Sample { gradients: &self.gradients, weights: self.weights.as_deref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_of_two_is_the_example_twice() {
        let twice = Sample::even(&[0.5, 0.5, -1.0]);
        let weighted = Sample { gradients: &[0.5, -1.0], weights: Some(&[2.0, 1.0]) };
        for sample in [twice, weighted] {
            assert_eq!((sample.weight(), sample.sum(), sample.mean()), (3.0, 0.0, 0.0));
            // 2 · 0.5² + 1²
            assert_eq!(sample.squared_error(0.0), 1.5);
        }
        assert_eq!(Sample { gradients: &[0.5], weights: Some(&[0.0]) }.mean(), 0.0);
        assert_eq!(Sample::even(&[]).mean(), 0.0);
    }
}

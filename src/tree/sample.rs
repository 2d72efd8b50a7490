//! The gradients and weights that leaves are fitted to.

/// The gradients and weights of the examples of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'s> {
    /// The gradient of each example.
    pub gradients: &'s [f64],
    /// The weight of each example; `None` if all are 1. Weight 2 is equivalent to two copies of
    /// weight 1.
    pub weights: Option<&'s [f64]>,
}

impl<'s> Sample<'s> {
    /// Creates a sample of unweighted examples.
    pub fn unweighted(gradients: &'s [f64]) -> Self {
        Sample { gradients, weights: None }
    }

    /// Returns the total weight: the number of examples, if they are unweighted.
    pub fn weight(&self) -> f64 {
        self.weights.map_or(self.gradients.len() as f64, |weights| weights.iter().sum())
    }

    /// Returns the weighted sum of the gradients.
    pub fn sum(&self) -> f64 {
        match self.weights {
            None => self.gradients.iter().sum(),
            Some(weights) => self.gradients.iter().zip(weights).map(|(gradient, weight)| weight * gradient).sum(),
        }
    }

    /// Returns the weighted mean gradient; 0 if the total weight is 0.
    pub fn mean(&self) -> f64 {
        let weight = self.weight();
        if weight > 0.0 { self.sum() / weight } else { 0.0 }
    }

    /// Returns the weighted squared error of a value.
    pub fn squared_error(&self, value: f64) -> f64 {
        // Paper: Eq. (8), Σᵢ (ψ(xᵢ) − Δᵢ)², over the examples of a leaf.
        let squares = self.gradients.iter().map(|gradient| (value - gradient).powi(2));
        match self.weights {
            None => squares.sum(),
            Some(weights) => squares.zip(weights).map(|(square, weight)| weight * square).sum(),
        }
    }
}

/// The gradients and weights of a subset of the examples.
#[derive(Clone, Debug)]
pub(super) struct OwnedSample {
    gradients: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl OwnedSample {
    pub fn new(here: &crate::cover::Bits, gradients: &[f64], weights: Option<&[f64]>) -> Self {
        OwnedSample { gradients: here.pick(gradients), weights: weights.map(|weights| here.pick(weights)) }
    }

    pub fn sample(&self) -> Sample<'_> {
        Sample { gradients: &self.gradients, weights: self.weights.as_deref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_two_equals_two_copies() {
        let twice = Sample::unweighted(&[0.5, 0.5, -1.0]);
        let weighted = Sample { gradients: &[0.5, -1.0], weights: Some(&[2.0, 1.0]) };
        for sample in [twice, weighted] {
            assert_eq!((sample.weight(), sample.sum(), sample.mean()), (3.0, 0.0, 0.0));
            // 2 · 0.5² + 1²
            assert_eq!(sample.squared_error(0.0), 1.5);
        }
        assert_eq!(Sample { gradients: &[0.5], weights: Some(&[0.0]) }.mean(), 0.0);
        assert_eq!(Sample::unweighted(&[]).mean(), 0.0);
    }
}

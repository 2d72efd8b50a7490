//! A discriminative RBM over a feature vector, fully connected (Larochelle and Bengio, 2008,
//! "Classification using discriminative restricted Boltzmann machines").
//!
//! For two classes, ψ = d + Σⱼ ζ(cⱼ + Uⱼ₁ + Σₖ Wⱼₖ vₖ) − ζ(cⱼ + Uⱼ₀ + Σₖ Wⱼₖ vₖ) is the log-odds of
//! class 1, with the hidden units marginalized exactly. So the gradient of −log P(y | v) is exact
//! as well, and no sampling is needed.

use super::theta::Theta;
use crate::determinism::Stream;
use crate::math::sigmoid;

/// A sparse feature vector: ascending indices with their values.
pub type Inputs = [(u32, f64)];

/// The RBM. Its weights are stored in one vector: d, then c, U₀, U₁ and W of each hidden unit.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseRbm {
    inputs: usize,
    hidden: usize,
    weights: Vec<f64>,
}

/// The offset of W among the weights of a hidden unit, after c, U₀ and U₁.
const W_OFFSET: usize = 3;

/// A hidden unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HiddenUnit<'a> {
    /// Its bias.
    pub c: f64,
    /// The weight to class 0.
    pub u0: f64,
    /// The weight to class 1.
    pub u1: f64,
    /// The weights to the inputs.
    pub w: &'a [f64],
}

impl HiddenUnit<'_> {
    /// Returns the unit as θ, with the weighted sum of the inputs as W.
    fn with_inputs(&self, inputs: &Inputs) -> Theta {
        let w = inputs.iter().map(|&(k, v)| self.w[k as usize] * v).sum();
        Theta { d: 0.0, c: self.c, w, u0: self.u0, u1: self.u1 }
    }
}

impl DenseRbm {
    /// Initializes an RBM: d is `log_odds`, c is 0, and U and W are drawn uniformly within
    /// ±1/√(inputs + hidden), so that the units differ.
    pub fn new(inputs: usize, hidden: usize, log_odds: f64, stream: &mut Stream) -> Self {
        let mut weights = vec![0.0; Self::size(inputs, hidden)];
        weights[0] = log_odds;
        let bound = 1.0 / ((inputs + hidden).max(1) as f64).sqrt();
        let mut draw = || bound * (2.0 * stream.unit() - 1.0);
        for unit in weights[1..].chunks_exact_mut(W_OFFSET + inputs) {
            // With U₀ = U₁ a unit has no effect and the gradient of its W is 0.
            (unit[1], unit[2]) = (draw(), draw());
            unit[W_OFFSET..].iter_mut().for_each(|w| *w = draw());
        }
        DenseRbm { inputs, hidden, weights }
    }

    /// Creates an RBM with these weights; `None` if their number is wrong.
    pub fn from_weights(inputs: usize, hidden: usize, weights: Vec<f64>) -> Option<Self> {
        (weights.len() == Self::size(inputs, hidden)).then_some(DenseRbm { inputs, hidden, weights })
    }

    /// Returns the number of weights.
    fn size(inputs: usize, hidden: usize) -> usize {
        1 + hidden * (W_OFFSET + inputs)
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Returns the output bias d = d₁ − d₀.
    pub fn bias(&self) -> f64 {
        self.weights[0]
    }

    /// Returns all weights in one vector.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns all weights for modification.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Returns whether the L2 penalty applies to a weight: to all but d.
    pub fn is_penalized(at: usize) -> bool {
        at > 0
    }

    /// Returns the hidden units.
    pub fn units(&self) -> impl Iterator<Item = HiddenUnit<'_>> {
        let rows = self.weights[1..].chunks_exact(W_OFFSET + self.inputs);
        rows.map(|row| HiddenUnit { c: row[0], u0: row[1], u1: row[2], w: &row[W_OFFSET..] })
    }

    /// Returns the log-odds of class 1.
    pub fn psi(&self, inputs: &Inputs) -> f64 {
        self.bias() + self.units().map(|unit| unit.with_inputs(inputs).psi()).sum::<f64>()
    }

    /// Adds the gradient of ψ, times `scale` of ψ, to `sum`, in the order of the weights.
    pub fn add_gradient(&self, inputs: &Inputs, scale: impl FnOnce(f64) -> f64, sum: &mut [f64]) {
        let units: Vec<Theta> = self.units().map(|unit| unit.with_inputs(inputs)).collect();
        let psi = self.bias() + units.iter().map(Theta::psi).sum::<f64>();
        let scale = scale(psi);
        sum[0] += scale;
        for (unit, row) in units.iter().zip(sum[1..].chunks_exact_mut(W_OFFSET + self.inputs)) {
            let (s0, s1) = (sigmoid(unit.c + unit.u0 + unit.w), sigmoid(unit.c + unit.u1 + unit.w));
            row[0] += scale * (s1 - s0);
            row[1] -= scale * s0;
            row[2] += scale * s1;
            for &(k, v) in inputs {
                row[W_OFFSET + k as usize] += scale * (s1 - s0) * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::softplus;
    use proptest::prelude::*;

    #[test]
    fn psi_matches_a_worked_example() {
        // One unit: c = 1, U₀ = −1, U₁ = 2, W = (3, −4); d = 0.5. For v = (0.5, 0.25) the inputs
        // add 1.5 − 1 = 0.5.
        let rbm = DenseRbm::from_weights(2, 1, vec![0.5, 1.0, -1.0, 2.0, 3.0, -4.0]).unwrap();
        let expected = 0.5 + (1.0 + 3.5f64.exp()).ln() - (1.0 + 0.5f64.exp()).ln();
        assert!((rbm.psi(&[(0, 0.5), (1, 0.25)]) - expected).abs() < 1e-12);
        assert!((rbm.psi(&[]) - (0.5 + softplus(3.0) - softplus(0.0))).abs() < 1e-12);
        assert_eq!(DenseRbm::from_weights(2, 1, vec![0.0; 5]), None);
    }

    #[test]
    fn psi_is_the_free_energy_difference_over_all_hidden_states() {
        // P(y | v) with two hidden units marginalized by enumeration of
        // e^(d_y + Σⱼ hⱼ (cⱼ + U_jy + W_j v)), d₀ = 0.
        let rbm = DenseRbm::from_weights(1, 2, vec![0.3, 0.1, -0.7, 0.4, 1.5, -0.2, 0.6, -1.1, 0.8]).unwrap();
        let units: Vec<HiddenUnit<'_>> = rbm.units().collect();
        let sum = |class: f64| {
            let mut sum = 0.0;
            for states in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0f64]] {
                let energy = |(unit, h): (&HiddenUnit<'_>, f64)| {
                    h * (unit.c + (1.0 - class) * unit.u0 + class * unit.u1 + unit.w[0] * 2.0)
                };
                sum += (class * 0.3 + units.iter().zip(states).map(energy).sum::<f64>()).exp();
            }
            sum
        };
        assert!((rbm.psi(&[(0, 2.0)]) - (sum(1.0) / sum(0.0)).ln()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_gradient_matches_finite_differences(
            weights in prop::collection::vec(-3.0..3.0f64, 1 + 3 * (3 + 4)),
            inputs in prop::collection::vec(prop_oneof![Just(0.0), 0.0..2.0f64], 4),
            positive: bool,
            weight in 0.5..2.0f64,
        ) {
            let row: Vec<(u32, f64)> =
                (0u32..).zip(inputs).filter(|&(_, v)| v != 0.0).collect();
            let rbm = DenseRbm::from_weights(4, 3, weights).unwrap();
            let loss = |rbm: &DenseRbm| weight * softplus(if positive { -rbm.psi(&row) } else { rbm.psi(&row) });
            let mut exact = vec![0.0; rbm.weights().len()];
            let y = f64::from(u8::from(positive));
            rbm.add_gradient(&row, |psi| weight * (sigmoid(psi) - y), &mut exact);
            let h = 1e-5;
            for (at, exact) in exact.into_iter().enumerate() {
                let shifted = |by: f64| {
                    let mut shifted = rbm.clone();
                    shifted.weights_mut()[at] += by;
                    loss(&shifted)
                };
                let difference = (shifted(h) - shifted(-h)) / (2.0 * h);
                prop_assert!((difference - exact).abs() < 1e-7, "weight {at}: {difference} instead of {exact}");
            }
        }
    }
}

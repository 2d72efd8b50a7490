//! The dense RBM with its weights in the order of descent: all hidden units beside each other.
//!
//! Each unit sums its inputs in the order of [`DenseRbm`], so that both give the same bits, but a
//! row of inputs is added to all units at once instead of to one after another.

use super::dense::{DenseRbm, Inputs};
use crate::math::softplus_and_sigmoid;

/// The RBM. Its weights are d, then c, U₀, U₁ of all units, then the weights of all units to each
/// input.
#[derive(Clone, Debug)]
pub struct InterleavedRbm {
    inputs: usize,
    hidden: usize,
    weights: Vec<f64>,
}

/// What the hidden units compute for a vector of inputs.
#[derive(Clone, Debug, Default)]
pub struct UnitStates {
    /// The weighted sum of the inputs.
    w: Vec<f64>,
    /// The probability of each unit under class 0, and under class 1.
    on: Vec<[f64; 2]>,
}

/// The number of weights of a unit besides those to the inputs.
const BIASES: usize = 3;

impl InterleavedRbm {
    /// Converts the weights.
    pub fn new(rbm: &DenseRbm) -> Self {
        let (inputs, hidden) = (rbm.inputs(), rbm.hidden());
        let mut weights = vec![0.0; rbm.weights().len()];
        weights[0] = rbm.weights()[0];
        for (from, &weight) in rbm.weights()[1..].iter().enumerate() {
            weights[1 + transposed(from, BIASES + inputs, hidden)] = weight;
        }
        InterleavedRbm { inputs, hidden, weights }
    }

    /// Converts the weights back.
    pub fn to_dense(&self) -> Option<DenseRbm> {
        let (inputs, hidden) = (self.inputs, self.hidden);
        let mut weights = vec![0.0; self.weights.len()];
        weights[0] = self.weights[0];
        for (from, &weight) in self.weights[1..].iter().enumerate() {
            weights[1 + transposed(from, hidden, BIASES + inputs)] = weight;
        }
        DenseRbm::from_weights(inputs, hidden, weights)
    }

    /// Returns all weights for modification.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// Forward pass: returns ψ.
    pub fn forward(&self, inputs: &Inputs, states: &mut UnitStates) -> f64 {
        let hidden = self.hidden;
        let (biases, w) = self.weights[1..].split_at(BIASES * hidden);
        states.w.clear();
        states.w.resize(hidden, 0.0);
        for &(k, value) in inputs {
            let row = &w[k as usize * hidden..][..hidden];
            states.w.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight * value);
        }
        let (c, u) = biases.split_at(hidden);
        let (u0, u1) = u.split_at(hidden);
        states.on.clear();
        let mut sum = 0.0;
        for (((c, u0), u1), w) in c.iter().zip(u0).zip(u1).zip(&states.w) {
            let (free_0, on_0) = softplus_and_sigmoid(c + u0 + w);
            let (free_1, on_1) = softplus_and_sigmoid(c + u1 + w);
            states.on.push([on_0, on_1]);
            sum += free_1 - free_0;
        }
        self.weights[0] + sum
    }

    /// Backward pass: adds the gradient of ψ, times `scale`, to `sum`, in the order of the weights.
    pub fn add_gradient(&self, inputs: &Inputs, states: &UnitStates, scale: f64, sum: &mut [f64]) {
        let hidden = self.hidden;
        sum[0] += scale;
        let (biases, w) = sum[1..].split_at_mut(BIASES * hidden);
        let (c, u) = biases.split_at_mut(hidden);
        let (u0, u1) = u.split_at_mut(hidden);
        for (j, [on_0, on_1]) in states.on.iter().enumerate() {
            c[j] += scale * (on_1 - on_0);
            u0[j] -= scale * on_0;
            u1[j] += scale * on_1;
        }
        for &(k, value) in inputs {
            let row = &mut w[k as usize * hidden..][..hidden];
            for (sum, [on_0, on_1]) in row.iter_mut().zip(&states.on) {
                *sum += scale * (on_1 - on_0) * value;
            }
        }
    }
}

/// Returns the index in the transposed matrix of an element of a matrix of this size.
fn transposed(at: usize, columns: usize, rows: usize) -> usize {
    at % columns * rows + at / columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Both orders of the weights give the same bits.
        #[test]
        fn weights_may_be_interleaved(
            weights in prop::collection::vec(-3.0..3.0f64, 1 + 3 * (3 + 4)),
            inputs in prop::collection::vec(prop_oneof![Just(0.0), -2.0..2.0f64], 4),
            scale in -2.0..2.0f64,
        ) {
            let row: Vec<(u32, f64)> = (0u32..).zip(inputs).filter(|&(_, v)| v != 0.0).collect();
            let dense = DenseRbm::from_weights(4, 3, weights).unwrap();
            let mut interleaved = InterleavedRbm::new(&dense);
            let same = interleaved.to_dense().unwrap();
            prop_assert_eq!(&same, &dense);
            let mut states = UnitStates::default();
            let psi = interleaved.forward(&row, &mut states);
            prop_assert_eq!(psi.to_bits(), dense.psi(&row).to_bits());
            let mut expected = vec![0.25; dense.weights().len()];
            dense.add_gradient(&row, |_| scale, &mut expected);
            let mut sum = vec![0.25; dense.weights().len()];
            interleaved.add_gradient(&row, &states, scale, &mut sum);
            interleaved.weights_mut().copy_from_slice(&sum);
            let sum = interleaved.to_dense().unwrap();
            prop_assert_eq!(sum.weights(), expected);
        }
    }
}

//! Mini-batch stochastic gradient descent, with a new permutation of the examples per epoch.
//!
//! Adam (Kingma and Ba, 2015) with the constants of that paper: without per-weight scaling, weights
//! of rare inputs would hardly move.

use super::Task;
use super::gradient::{gradient, log_likelihood};
use super::params::shared::{LearningRate, Sgd};
use super::progress::Progress;
use crate::cancel;
use crate::determinism::Stream;

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const TINY: f64 = 1e-8;

/// Hyperparameters of the descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SgdOptions {
    /// Epochs: passes over the examples.
    pub epochs: usize,
    /// Learning rate.
    pub learning_rate: f64,
    /// Batch size.
    pub batch: usize,
    /// L2 penalty: l2/2 · ‖w‖² over the penalized weights is added to the mean loss.
    pub l2: f64,
}

impl SgdOptions {
    /// Creates the options from the parameters of a kind.
    pub(super) fn new(rate: &LearningRate, sgd: &Sgd) -> Self {
        SgdOptions {
            epochs: sgd.epochs as usize,
            learning_rate: rate.learning_rate,
            batch: sgd.batch as usize,
            l2: sgd.l2,
        }
    }
}

/// A model whose ψ is differentiable by its weights; examples are addressed by index.
pub trait Differentiable {
    /// Returns all weights for update.
    fn weights(&mut self) -> &mut [f64];

    /// Returns whether the L2 penalty applies to a weight.
    fn is_penalized(&self, weight: usize) -> bool;

    /// Returns ψ of an example.
    fn psi(&self, example: usize) -> f64;

    /// Adds `scale(ψ)` times the derivatives of ψ by the weights to `sum`.
    fn add_gradient(&self, example: usize, scale: &dyn Fn(f64) -> f64, sum: &mut [f64]);
}

/// Minimizes the mean of −log P(y) over the training examples, weighted by their example weights.
pub fn descend(
    model: &mut impl Differentiable,
    task: &Task<'_>,
    options: &SgdOptions,
    progress: &mut dyn FnMut(Progress),
) {
    let Task { examples, seed, .. } = *task;
    let size = model.weights().len();
    let (mut first, mut second, mut sum) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    let (mut first_power, mut second_power) = (1.0, 1.0);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    for epoch in 0..options.epochs {
        Stream::new(seed, &["batches", &epoch.to_string()]).shuffle(&mut order);
        for batch in order.chunks(options.batch.max(1)) {
            let total: f64 = batch.iter().map(|&i| examples[i].weight).sum();
            if total <= 0.0 {
                continue;
            }
            sum.fill(0.0);
            for &i in batch {
                cancel::poll();
                let example = &examples[i];
                let scale = |psi: f64| -gradient(example.positive, psi) * example.weight / total;
                model.add_gradient(i, &scale, &mut sum);
            }
            first_power *= FIRST_DECAY;
            second_power *= SECOND_DECAY;
            for at in 0..size {
                let penalty = if model.is_penalized(at) { options.l2 } else { 0.0 };
                let weight = &mut model.weights()[at];
                let slope = sum[at] + penalty * *weight;
                first[at] = FIRST_DECAY * first[at] + (1.0 - FIRST_DECAY) * slope;
                second[at] = SECOND_DECAY * second[at] + (1.0 - SECOND_DECAY) * slope * slope;
                let (mean, square) = (first[at] / (1.0 - first_power), second[at] / (1.0 - second_power));
                *weight -= options.learning_rate * mean / (square.sqrt() + TINY);
            }
        }
        progress(Progress::new(epoch + 1, options.epochs, &|| mean_log_likelihood(model, task)));
    }
}

/// Returns the weighted mean log-likelihood of the training examples.
pub fn mean_log_likelihood(model: &impl Differentiable, task: &Task<'_>) -> f64 {
    let each = task.examples.iter().enumerate().map(|(i, e)| e.weight * log_likelihood(e.positive, model.psi(i)));
    each.sum::<f64>() / task.examples.iter().map(|e| e.weight).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::{Example, sample};
    use crate::learn::Resources;

    /// A model whose ψ is a single bias.
    struct BiasModel([f64; 1]);

    impl Differentiable for BiasModel {
        fn weights(&mut self) -> &mut [f64] {
            &mut self.0
        }

        fn is_penalized(&self, _: usize) -> bool {
            true
        }

        fn psi(&self, _: usize) -> f64 {
            self.0[0]
        }

        fn add_gradient(&self, _: usize, scale: &dyn Fn(f64) -> f64, sum: &mut [f64]) {
            sum[0] += scale(self.0[0]);
        }
    }

    fn fitted(weights: [f64; 4], l2: f64) -> f64 {
        let (database, ..) = sample::build("p(a).", None);
        let example = |(i, weight)| Example { args: Box::new([]), positive: i == 0, class: 0, weight, line: 0 };
        let examples: Vec<Example> = weights.into_iter().enumerate().map(example).collect();
        let target = crate::logic::PredicateId(0);
        let task = Task { database: &database, target, examples: &examples, seed: 1, resources: Resources::default() };
        let mut model = BiasModel([0.0]);
        let options = SgdOptions { epochs: 2000, learning_rate: 0.01, batch: 4, l2 };
        descend(&mut model, &task, &options, &mut |_| {});
        model.0[0]
    }

    #[test]
    fn descent_reaches_the_weighted_log_odds_and_l2_shrinks_them() {
        // One positive of four: log-odds ln(1/3). With a weight of 9 for it: ln 3.
        assert!((fitted([1.0; 4], 0.0) + 3f64.ln()).abs() < 1e-3);
        assert!((fitted([9.0, 1.0, 1.0, 1.0], 0.0) - 3f64.ln()).abs() < 1e-3);
        // With l2 = 1 the minimum is at sigmoid(w) − 1/4 + w = 0: w = −0.2007…
        let shrunk = fitted([1.0; 4], 1.0);
        assert!((crate::math::sigmoid(shrunk) - 0.25 + shrunk).abs() < 1e-3, "{shrunk}");
    }
}

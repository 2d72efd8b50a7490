//! Stochastic gradient descent over a row of weights, in small batches of examples drawn anew in each pass.
//!
//! Steps are scaled for each weight by the size of its recent gradients (Kingma and Ba, 2015, "Adam"): inputs that are
//! rarely there would hardly move otherwise. The numbers are those of that paper.

use super::Task;
use super::gradient::{gradient, log_likelihood};
use super::progress::Progress;
use crate::cancel;
use crate::determinism::Stream;

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const TINY: f64 = 1e-8;

/// How weights are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SgdOptions {
    /// Passes over the examples.
    pub epochs: usize,
    /// The length of a step.
    pub learning_rate: f64,
    /// How many examples a step looks at.
    pub batch: usize,
    /// Half of it times the squares of the weights that are held back is added to the mean loss.
    pub l2: f64,
}

/// Something with weights that gives ψ of examples, which are known by their numbers.
pub trait Differentiable {
    /// All weights.
    fn weights(&mut self) -> &mut [f64];

    /// Whether a weight is held back.
    fn is_held(&self, weight: usize) -> bool;

    /// ψ of an example.
    fn psi(&self, example: usize) -> f64;

    /// Adds the derivatives of ψ by the weights to `sum`, times what `scale` makes of ψ.
    fn add_gradient(&self, example: usize, scale: &dyn Fn(f64) -> f64, sum: &mut [f64]);
}

/// Moves the weights towards a lower −log P(y) of the training examples, each as much as its own weight says.
pub fn descend(
    model: &mut impl Differentiable,
    task: &Task<'_>,
    options: &SgdOptions,
    progress: &mut dyn FnMut(Progress),
) {
    let Task { examples, seed, .. } = *task;
    let size = model.weights().len();
    let (mut first, mut second, mut sum) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    let (mut first_left, mut second_left) = (1.0, 1.0);
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
            first_left *= FIRST_DECAY;
            second_left *= SECOND_DECAY;
            for at in 0..size {
                let held = if model.is_held(at) { options.l2 } else { 0.0 };
                let weight = &mut model.weights()[at];
                let slope = sum[at] + held * *weight;
                first[at] = FIRST_DECAY * first[at] + (1.0 - FIRST_DECAY) * slope;
                second[at] = SECOND_DECAY * second[at] + (1.0 - SECOND_DECAY) * slope * slope;
                let (mean, square) = (first[at] / (1.0 - first_left), second[at] / (1.0 - second_left));
                *weight -= options.learning_rate * mean / (square.sqrt() + TINY);
            }
        }
        progress(Progress::new(epoch + 1, options.epochs, &|| mean_log_likelihood(model, task)));
    }
}

/// The mean log-likelihood of the training examples.
pub fn mean_log_likelihood(model: &impl Differentiable, task: &Task<'_>) -> f64 {
    let each = task.examples.iter().enumerate().map(|(i, e)| e.weight * log_likelihood(e.positive, model.psi(i)));
    each.sum::<f64>() / task.examples.iter().map(|e| e.weight).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::{Example, sample};
    use crate::learn::Resources;

    /// ψ is one number.
    struct Constant([f64; 1]);

    impl Differentiable for Constant {
        fn weights(&mut self) -> &mut [f64] {
            &mut self.0
        }

        fn is_held(&self, _: usize) -> bool {
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
        let mut model = Constant([0.0]);
        let options = SgdOptions { epochs: 2000, learning_rate: 0.01, batch: 4, l2 };
        descend(&mut model, &task, &options, &mut |_| {});
        model.0[0]
    }

    #[test]
    fn the_mean_is_reached_weights_count_and_l2_holds_back() {
        // One positive of four: log-odds ln(1/3). With a weight of 9 for it: ln 3.
        assert!((fitted([1.0; 4], 0.0) + 3f64.ln()).abs() < 1e-3);
        assert!((fitted([9.0, 1.0, 1.0, 1.0], 0.0) - 3f64.ln()).abs() < 1e-3);
        // With l2 = 1 the loss is least where sigmoid(w) − 1/4 + w = 0: w = −0.2007…
        let held = fitted([1.0; 4], 1.0);
        assert!((crate::math::sigmoid(held) - 0.25 + held).abs() < 1e-3, "{held}");
    }
}

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

/// A model whose ψ is differentiable by its weights. Examples with equal inputs share them, and a
/// forward pass while the weights stay.
pub trait Differentiable {
    /// Results of forward passes with the same weights.
    type Passes: Default;

    /// Returns all weights for update.
    fn weights(&mut self) -> &mut [f64];

    /// Returns whether the L2 penalty applies to a weight.
    fn is_penalized(&self, weight: usize) -> bool;

    /// Returns the number of distinct inputs.
    fn inputs(&self) -> usize;

    /// Returns the input of an example.
    fn input_of(&self, example: usize) -> usize;

    /// Prepares for forward passes after the weights have changed.
    fn clear(&self, passes: &mut Self::Passes);

    /// Forward pass: returns ψ of an input; `slot` numbers the passes that are kept.
    fn forward(&self, input: usize, slot: usize, passes: &mut Self::Passes) -> f64;

    /// Backward pass: adds `scale` times the derivatives of ψ by the weights to `sum`, for an
    /// input with its slot.
    fn add_gradient(&self, at: (usize, usize), passes: &mut Self::Passes, scale: f64, sum: &mut [f64]);
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
    let penalties: Vec<f64> = (0..size).map(|at| if model.is_penalized(at) { options.l2 } else { 0.0 }).collect();
    let (mut moments, mut sum) = (vec![[0.0; 2]; size], vec![0.0; size]);
    let mut powers = [1.0; 2];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut forward = ForwardPasses::new(model);
    for epoch in 0..options.epochs {
        Stream::new(seed, &["batches", &epoch.to_string()]).shuffle(&mut order);
        for batch in order.chunks(options.batch.max(1)) {
            cancel::poll();
            let total: f64 = batch.iter().map(|&i| examples[i].weight).sum();
            if total <= 0.0 {
                continue;
            }
            sum.fill(0.0);
            forward.clear(model);
            for &i in batch {
                let (example, input) = (&examples[i], model.input_of(i));
                let (slot, psi) = forward.get(model, input);
                let scale = -gradient(example.positive, psi) * example.weight / total;
                model.add_gradient((input, slot), &mut forward.passes, scale, &mut sum);
            }
            powers[0] *= FIRST_DECAY;
            powers[1] *= SECOND_DECAY;
            update(model.weights(), &mut moments, (&sum, &penalties), powers, options.learning_rate);
        }
        progress(Progress::new(epoch + 1, options.epochs, &|| mean_log_likelihood(model, task)));
    }
}

/// Moves the weights by one step of Adam; `powers` are those of the two decays.
fn update(
    weights: &mut [f64],
    moments: &mut [[f64; 2]],
    (sum, penalties): (&[f64], &[f64]),
    powers: [f64; 2],
    learning_rate: f64,
) {
    for (((weight, [first, second]), sum), penalty) in weights.iter_mut().zip(moments).zip(sum).zip(penalties) {
        let slope = sum + penalty * *weight;
        *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * slope;
        *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * slope * slope;
        let (mean, square) = (*first / (1.0 - powers[0]), *second / (1.0 - powers[1]));
        *weight -= learning_rate * mean / (square.sqrt() + TINY);
    }
}

/// The forward passes of the inputs of a batch.
struct ForwardPasses<P> {
    passes: P,
    /// ψ of each input in use, by slot.
    psi: Vec<f64>,
    batch: usize,
    /// For each input, the last batch that had it, and its slot there.
    last: Vec<(usize, usize)>,
}

impl<P: Default> ForwardPasses<P> {
    fn new(model: &impl Differentiable<Passes = P>) -> Self {
        ForwardPasses { passes: P::default(), psi: Vec::new(), batch: 0, last: vec![(0, 0); model.inputs()] }
    }

    /// Begins a batch.
    fn clear(&mut self, model: &impl Differentiable<Passes = P>) {
        model.clear(&mut self.passes);
        self.psi.clear();
        self.batch += 1;
    }

    /// Returns the slot and ψ of an input.
    fn get(&mut self, model: &impl Differentiable<Passes = P>, input: usize) -> (usize, f64) {
        let (batch, slot) = &mut self.last[input];
        if *batch != self.batch {
            (*batch, *slot) = (self.batch, self.psi.len());
            self.psi.push(model.forward(input, *slot, &mut self.passes));
        }
        (*slot, self.psi[*slot])
    }
}

/// Returns the weighted mean log-likelihood of the training examples.
pub fn mean_log_likelihood<M: Differentiable>(model: &M, task: &Task<'_>) -> f64 {
    let mut passes = M::Passes::default();
    model.clear(&mut passes);
    let mut known: Vec<Option<f64>> = vec![None; model.inputs()];
    let mut psi = |i| {
        let input = model.input_of(i);
        *known[input].get_or_insert_with(|| model.forward(input, 0, &mut passes))
    };
    let each = task.examples.iter().enumerate().map(|(i, e)| e.weight * log_likelihood(e.positive, psi(i)));
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
        type Passes = ();

        fn weights(&mut self) -> &mut [f64] {
            &mut self.0
        }

        fn is_penalized(&self, _: usize) -> bool {
            true
        }

        fn inputs(&self) -> usize {
            1
        }

        fn input_of(&self, _: usize) -> usize {
            0
        }

        fn clear(&self, (): &mut ()) {}

        fn forward(&self, _: usize, _: usize, (): &mut ()) -> f64 {
            self.0[0]
        }

        fn add_gradient(&self, _: (usize, usize), (): &mut (), scale: f64, sum: &mut [f64]) {
            sum[0] += scale;
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

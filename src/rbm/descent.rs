//! Coordinate descent on θ: the paper's method of fitting a leaf.
//!
//! The squared error of a leaf is minimal where ψ(θ) is the mean gradient of its examples, and all
//! such θ are equivalent. Descent starts from zero and stops early, so a leaf with few examples
//! does not reach the mean: this is shrinkage that depends on its size. The authors' program has it
//! too, hence it is kept.

use super::passes::{Batch, LeafDescent, Passes};
use super::settings::{Descent, Outcome, Schedule, Visit};
use super::step::ThetaState;
use crate::cancel;
use crate::determinism::Stream;
use crate::tree::Sample;

/// The minimum weight of both sides for interleaved descent; below it, predicting the passes does
/// not pay off.
const MIN_INTERLEAVED_WEIGHT: f64 = 32.0;

impl Descent {
    /// Fits the two sides of a split, true side first.
    pub fn fit_pair(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Outcome, Outcome) {
        if self.visit == Visit::Batch {
            return self.fit_means(Batch::of(yes), Batch::of(no));
        }
        let first = self.fit(yes, self.learning_rate, stream);
        let second = self.fit(no, self.second_step(&first), stream);
        (first, second)
    }

    /// Returns the initial step size of the second side of a split.
    fn second_step(&self, first: &Outcome) -> f64 {
        match self.schedule {
            Schedule::Authors => first.step,
            Schedule::Sqrt => self.learning_rate,
        }
    }

    /// Fits the two sides of a split by batch descent, interleaved.
    ///
    /// With the authors' schedule the second side depends on the number of passes of the first.
    /// That number is predicted; if the prediction was wrong, the second side is fitted again.
    fn fit_means(&self, yes: Batch, no: Batch) -> (Outcome, Outcome) {
        let mut first = LeafDescent::new(self, yes, self.learning_rate);
        if yes.weight.min(no.weight) < MIN_INTERLEAVED_WEIGHT {
            let first = first.finish();
            let step = self.second_step(&first);
            return (first, LeafDescent::new(self, no, step).finish());
        }
        let predicted = match self.schedule {
            Schedule::Authors => self.predict(yes).step,
            Schedule::Sqrt => self.learning_rate,
        };
        let mut second = LeafDescent::new(self, no, predicted);
        first.run_with(&mut second);
        let (first, second) = (first.finish(), second.finish());
        let step = self.second_step(&first);
        let second = if step == predicted { second } else { LeafDescent::new(self, no, step).finish() };
        (first, second)
    }

    /// Predicts the result for a leaf, in particular the number of passes, with few large steps per
    /// pass.
    fn predict(&self, leaf: Batch) -> Outcome {
        const STRIDES: usize = 8;
        // At θ = 0 a step reduces the residual by its size times the sum of the squared slopes.
        const SLOPES: f64 = 1.5;
        self.run(self.learning_rate, |state, step| {
            let left = (1.0 - SLOPES * step).max(0.0).powf(leaf.weight / STRIDES as f64);
            state.pass(&[leaf.mean; STRIDES], (1.0 - left) / SLOPES);
        })
    }

    /// Fits one leaf to the gradients of its examples, with the given initial step size.
    ///
    /// An example of weight 2 is visited twice in a pass; a fractional part of a weight is a visit
    /// with that fraction of the step size.
    pub fn fit(&self, sample: Sample<'_>, first_step: f64, stream: &mut Stream) -> Outcome {
        match (self.visit, sample.weights) {
            (Visit::Online, None) => {
                let mut shuffled = sample.gradients.to_vec();
                self.run(first_step, |state, step| {
                    stream.shuffle(&mut shuffled);
                    state.pass(&shuffled, step);
                })
            }
            (Visit::Online, Some(weights)) => {
                let mut shuffled = visits(sample.gradients, weights);
                self.run(first_step, |state, step| {
                    stream.shuffle(&mut shuffled);
                    shuffled.iter().for_each(|&(gradient, part)| state.pass(&[gradient], part * step));
                })
            }
            (Visit::Batch, _) => LeafDescent::new(self, Batch::of(sample), first_step).finish(),
        }
    }

    fn run(&self, first_step: f64, mut pass: impl FnMut(&mut ThetaState, f64)) -> Outcome {
        let (mut state, mut passes) = (ThetaState::default(), Passes::new(self, first_step));
        while !passes.ended {
            // A pass visits every example of the leaf.
            cancel::poll();
            pass(&mut state, passes.step);
            passes.close(state.theta);
        }
        passes.outcome()
    }
}

/// Repeats each gradient according to its weight, with the fraction of the step size of each visit.
fn visits(gradients: &[f64], weights: &[f64]) -> Vec<(f64, f64)> {
    let mut visits = Vec::with_capacity(gradients.len());
    for (&gradient, weight) in gradients.iter().zip(weights) {
        visits.extend(std::iter::repeat_n((gradient, 1.0), *weight as usize));
        visits.extend(Some((gradient, weight.fract())).filter(|&(_, part)| part > 0.0));
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rbm::theta::Theta;
    use proptest::prelude::*;

    fn stream() -> Stream {
        Stream::new(1, &["test"])
    }

    #[test]
    fn small_leaves_stop_short_of_the_mean() {
        // The values of the authors' program for a mean of 0.86, to two digits.
        for visit in [Visit::Online, Visit::Batch] {
            let descent = Descent::new(Schedule::Authors, visit, 0.05);
            let psi = |n: usize| descent.fit(Sample::unweighted(&vec![0.86; n]), 0.05, &mut stream()).theta.psi();
            let reached = [1, 5, 10, 100].map(|n| format!("{:.2}", psi(n)));
            assert_eq!(reached, ["0.14", "0.52", "0.73", "0.86"]);
        }
    }

    #[test]
    fn the_false_branch_starts_with_the_final_step_of_the_true_branch() {
        let gradients = Sample::unweighted(&[0.86; 5]);
        let authors = Descent::new(Schedule::Authors, Visit::Online, 0.05);
        let (yes, no) = authors.fit_pair(gradients, gradients, &mut stream());
        // Six passes: 0.05 / √(2·3·4·5·6·7)
        assert_eq!(yes.passes, 6);
        assert!((yes.step - 0.05 / 5040f64.sqrt()).abs() < 1e-15);
        assert_eq!(no, authors.fit(gradients, yes.step, &mut stream()));
        assert!(no.theta.psi() < 0.1 * yes.theta.psi());
        let sqrt = Descent::new(Schedule::Sqrt, Visit::Online, 0.05);
        let (yes, no) = sqrt.fit_pair(gradients, gradients, &mut stream());
        assert_eq!(yes, no);
    }

    #[test]
    fn an_empty_leaf_has_zero_parameters() {
        for visit in [Visit::Online, Visit::Batch] {
            let outcome = Descent::new(Schedule::Sqrt, visit, 0.05).fit(Sample::unweighted(&[]), 0.05, &mut stream());
            assert_eq!((outcome.theta, outcome.passes), (Theta::default(), 1));
        }
    }

    /// Coordinate descent as described in the paper, without incremental updates.
    fn replay(descent: &Descent, gradients: &[f64], first_step: f64, stream: &mut Stream) -> (Theta, u32) {
        let mut theta = Theta::default();
        let mut step = first_step;
        let mut order = gradients.to_vec();
        for t in 1..=descent.max_passes {
            let before = theta;
            stream.shuffle(&mut order);
            for &delta in &order {
                // d, U1, U0, W, c by their index among the fields
                for k in [0, 4, 3, 2, 1] {
                    let change = step * (theta.psi() - delta) * theta.gradient()[k];
                    let fields = [&mut theta.d, &mut theta.c, &mut theta.w, &mut theta.u0, &mut theta.u1];
                    *fields.into_iter().nth(k).unwrap() -= change;
                }
            }
            step = match descent.schedule {
                Schedule::Authors => step / f64::from(t + 1).sqrt(),
                Schedule::Sqrt => first_step / f64::from(t + 1).sqrt(),
            };
            if theta.squared_distance(&before) <= descent.tolerance {
                return (theta, t);
            }
        }
        (theta, descent.max_passes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn descent_equals_a_naive_replay(
            gradients in prop::collection::vec(-1.0..1.0f64, 1..500),
            size in prop::sample::select(vec![0.01, 1.0, 1.0, 4.0]),
            authors: bool,
            batch: bool,
            // From the step of the false branch of a large leaf to far beyond any reasonable value.
            rate in prop::sample::select(vec![1e-6, 1e-4, 0.01, 0.05, 0.3]),
        ) {
            let gradients: Vec<f64> = gradients.into_iter().map(|gradient| size * gradient).collect();
            let schedule = if authors { Schedule::Authors } else { Schedule::Sqrt };
            let visit = if batch { Visit::Batch } else { Visit::Online };
            let descent = Descent { max_passes: 12, ..Descent::new(schedule, visit, rate) };
            let outcome = descent.fit(Sample::unweighted(&gradients), rate, &mut stream());
            let mean = gradients.iter().sum::<f64>() / gradients.len() as f64;
            let seen = if batch { vec![mean; gradients.len()] } else { gradients };
            let (theta, passes) = replay(&descent, &seen, rate, &mut stream());
            prop_assert_eq!(outcome.passes, passes);
            prop_assert!((outcome.theta.psi() - theta.psi()).abs() < 1e-9);
            prop_assert!(outcome.theta.squared_distance(&theta).sqrt() < 1e-9);
        }

        #[test]
        fn interleaved_descent_equals_separate_descent(
            sizes in [0u32..600, 0u32..600],
            parts in prop::sample::select(vec![[0.0, 0.0], [0.25, 0.0], [0.5, 0.75]]),
            means in [-1.0..1.0f64, -1.0..1.0f64],
            authors: bool,
            rate in prop::sample::select(vec![1e-4, 0.01, 0.02, 0.05, 0.3, 2.0]),
        ) {
            let schedule = if authors { Schedule::Authors } else { Schedule::Sqrt };
            let descent = Descent { max_passes: 12, ..Descent::new(schedule, Visit::Batch, rate) };
            let leaf = |k: usize| Batch { weight: f64::from(sizes[k]) + parts[k], mean: means[k] };
            let (yes, no) = descent.fit_means(leaf(0), leaf(1));
            // Bit for bit: interleaving does not change the results.
            prop_assert_eq!(yes, LeafDescent::new(&descent, leaf(0), rate).finish());
            let step = if authors { yes.step } else { rate };
            prop_assert_eq!(no, LeafDescent::new(&descent, leaf(1), step).finish());
        }

        #[test]
        fn integer_weights_equal_repeated_examples(
            weighted in prop::collection::vec((-1.0..1.0f64, 0u32..4), 1..30),
            batch: bool,
        ) {
            let visit = if batch { Visit::Batch } else { Visit::Online };
            let descent = Descent::new(Schedule::Authors, visit, 0.05);
            let (gradients, weights): (Vec<f64>, Vec<f64>) =
                weighted.iter().map(|&(gradient, times)| (gradient, f64::from(times))).unzip();
            let twice: Vec<f64> =
                weighted.iter().flat_map(|&(gradient, times)| vec![gradient; times as usize]).collect();
            let sample = Sample { gradients: &gradients, weights: Some(&weights) };
            let (one, other) =
                (descent.fit(sample, 0.05, &mut stream()), descent.fit(Sample::unweighted(&twice), 0.05, &mut stream()));
            prop_assert_eq!(one.passes, other.passes);
            prop_assert!(one.theta.squared_distance(&other.theta).sqrt() < 1e-12);
        }

        #[test]
        fn descent_to_convergence_reaches_the_mean(gradients in prop::collection::vec(-1.0..1.0f64, 1..40)) {
            let descent = Descent {
                tolerance: 1e-32,
                max_passes: 200_000,
                ..Descent::new(Schedule::Sqrt, Visit::Batch, 0.05)
            };
            let mean = gradients.iter().sum::<f64>() / gradients.len() as f64;
            let psi = descent.fit(Sample::unweighted(&gradients), 0.05, &mut stream()).theta.psi();
            prop_assert!((psi - mean).abs() < 1e-12, "{} instead of {}", psi, mean);
        }
    }
}

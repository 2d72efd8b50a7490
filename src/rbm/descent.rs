//! Coordinate descent on θ: the paper's way to fit a leaf.
//!
//! The squared error of a leaf is least where ψ(θ) is the mean gradient of its examples, and every such θ is as good as
//! any other. Descent starts from five zeros and stops early, so a leaf with few examples ends short of that mean: it
//! is shrunk by its size. That is part of what the authors' program learns, hence it is kept.

use super::passes::{Batch, Course, Passes};
use super::step::Walk;
use super::theta::Theta;
use crate::determinism::Stream;
use crate::tree::Sample;

/// How the step of coordinate descent falls from pass to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// As in the authors' program: after pass t the step is divided by √(t+1), *again* each time, so that it is
    /// η/√(t!) in pass t; and the false branch of a split starts with the step that the true branch left.
    Authors,
    /// η/√t in pass t, from η anew in every leaf.
    Sqrt,
}

/// What one step of coordinate descent looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// One example after the other, in shuffled order.
    Online,
    /// The mean of all examples, as often in a pass as there are examples. The result depends on their number, or weight,
    /// and the sum of their gradients alone.
    ///
    /// One step a pass against the *sum* of gradients, the usual batch, diverges for a few dozen examples at the
    /// paper's learning rate; one step against their mean would not know how many there are.
    Batch,
}

/// Coordinate descent with all its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descent {
    /// How the step falls.
    pub schedule: Schedule,
    /// What a step looks at.
    pub visit: Visit,
    /// The first step, η.
    pub learning_rate: f64,
    /// It ends when the squared change of the five numbers in a pass is at most this.
    pub tolerance: f64,
    /// It ends after this many passes in any case.
    pub max_passes: u32,
}

/// Where descent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The five numbers.
    pub theta: Theta,
    /// The step that the next pass would have had.
    pub step: f64,
    /// How many passes it took.
    pub passes: u32,
}

/// With fewer examples on a side, to guess takes longer than it saves.
const WORTH_GUESSING: f64 = 32.0;

impl Descent {
    /// The authors' rule: stop when the squared change of the five numbers in a pass is at most this.
    pub const TOLERANCE: f64 = 2.5e-5;
    /// The authors' schedule ends by itself within some twenty passes. With the other one, walking over examples that
    /// disagree never settles within [`Descent::TOLERANCE`] and ends here.
    pub const MAX_PASSES: u32 = 100;

    /// Descent with the authors' stopping rule.
    pub fn new(schedule: Schedule, visit: Visit, learning_rate: f64) -> Self {
        Descent { schedule, visit, learning_rate, tolerance: Self::TOLERANCE, max_passes: Self::MAX_PASSES }
    }

    /// Fits the two sides of a split, true side first.
    pub fn fit_pair(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Outcome, Outcome) {
        if self.visit == Visit::Batch {
            return self.fit_means(Batch::of(yes), Batch::of(no));
        }
        let first = self.fit(yes, self.learning_rate, stream);
        let second = self.fit(no, self.second_step(&first), stream);
        (first, second)
    }

    /// The step that the second side of a split starts with.
    fn second_step(&self, first: &Outcome) -> f64 {
        match self.schedule {
            Schedule::Authors => first.step,
            Schedule::Sqrt => self.learning_rate,
        }
    }

    /// The two sides of a split in batches.
    ///
    /// With the authors' schedule the second must know how many passes the first takes. That is guessed, so that both can walk
    /// at the same time; if the guess was wrong, the second walks once more.
    fn fit_means(&self, yes: Batch, no: Batch) -> (Outcome, Outcome) {
        let mut first = Course::new(self, yes, self.learning_rate);
        if yes.weight.min(no.weight) < WORTH_GUESSING {
            let first = first.end();
            let step = self.second_step(&first);
            return (first, Course::new(self, no, step).end());
        }
        let guess = match self.schedule {
            Schedule::Authors => self.guess(yes).step,
            Schedule::Sqrt => self.learning_rate,
        };
        let mut second = Course::new(self, no, guess);
        first.walk_with(&mut second);
        let (first, second) = (first.end(), second.end());
        let step = self.second_step(&first);
        let second = if step == guess { second } else { Course::new(self, no, step).end() };
        (first, second)
    }

    /// About where a leaf ends, and most likely after how many passes: each pass is walked in a few strides.
    fn guess(&self, leaf: Batch) -> Outcome {
        const STRIDES: usize = 8;
        // At θ = 0 a step takes this times its size of the residual: the sum of the squared slopes.
        const SLOPES: f64 = 1.5;
        self.run(self.learning_rate, |walk, step| {
            let left = (1.0 - SLOPES * step).max(0.0).powf(leaf.weight / STRIDES as f64);
            walk.pass(&[leaf.mean; STRIDES], (1.0 - left) / SLOPES);
        })
    }

    /// Fits one leaf to the gradients of its examples, with the given first step.
    ///
    /// An example of weight 2 is visited twice in a pass; what a weight has beyond a whole number is a visit with that part of
    /// the step.
    pub fn fit(&self, sample: Sample<'_>, first_step: f64, stream: &mut Stream) -> Outcome {
        match (self.visit, sample.weights) {
            (Visit::Online, None) => {
                let mut shuffled = sample.gradients.to_vec();
                self.run(first_step, |walk, step| {
                    stream.shuffle(&mut shuffled);
                    walk.pass(&shuffled, step);
                })
            }
            (Visit::Online, Some(weights)) => {
                let mut shuffled = visits(sample.gradients, weights);
                self.run(first_step, |walk, step| {
                    stream.shuffle(&mut shuffled);
                    shuffled.iter().for_each(|&(gradient, part)| walk.pass(&[gradient], part * step));
                })
            }
            (Visit::Batch, _) => Course::new(self, Batch::of(sample), first_step).end(),
        }
    }

    fn run(&self, first_step: f64, mut pass: impl FnMut(&mut Walk, f64)) -> Outcome {
        let (mut walk, mut passes) = (Walk::default(), Passes::new(self, first_step));
        while !passes.ended {
            pass(&mut walk, passes.step);
            passes.close(walk.theta);
        }
        passes.outcome()
    }
}

/// Each gradient as often as its weight says, with the part of the step that a visit takes.
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
    use proptest::prelude::*;

    fn stream() -> Stream {
        Stream::new(1, &["test"])
    }

    #[test]
    fn small_leaves_stop_short_of_the_mean() {
        // The figures of the authors' program for a mean of 0.86, to two digits.
        for visit in [Visit::Online, Visit::Batch] {
            let descent = Descent::new(Schedule::Authors, visit, 0.05);
            let psi = |n: usize| descent.fit(Sample::unweighted(&vec![0.86; n]), 0.05, &mut stream()).theta.psi();
            let reached = [1, 5, 10, 100].map(|n| format!("{:.2}", psi(n)));
            assert_eq!(reached, ["0.14", "0.52", "0.73", "0.86"]);
        }
    }

    #[test]
    fn the_false_branch_goes_on_with_the_step_of_the_true_branch() {
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
    fn no_examples_give_zero() {
        for visit in [Visit::Online, Visit::Batch] {
            let outcome = Descent::new(Schedule::Sqrt, visit, 0.05).fit(Sample::unweighted(&[]), 0.05, &mut stream());
            assert_eq!((outcome.theta, outcome.passes), (Theta::default(), 1));
        }
    }

    /// The rule as it is told, with nothing kept from step to step.
    fn replay(descent: &Descent, gradients: &[f64], first_step: f64, stream: &mut Stream) -> (Theta, u32) {
        let mut theta = Theta::default();
        let mut step = first_step;
        let mut order = gradients.to_vec();
        for t in 1..=descent.max_passes {
            let before = theta;
            stream.shuffle(&mut order);
            for &delta in &order {
                // d, U1, U0, W, c by their place among the fields
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
            // From what the false branch of a large leaf starts with to far beyond what anybody would take.
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
        fn both_sides_together_end_where_each_ends_alone(
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
            // Bit for bit: the walks are the same, only beside each other.
            prop_assert_eq!(yes, Course::new(&descent, leaf(0), rate).end());
            let step = if authors { yes.step } else { rate };
            prop_assert_eq!(no, Course::new(&descent, leaf(1), step).end());
        }

        #[test]
        fn whole_weights_are_repeated_examples(
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
        fn run_to_convergence_it_reaches_the_mean(gradients in prop::collection::vec(-1.0..1.0f64, 1..40)) {
            let descent = Descent {
                tolerance: 1e-32,
                max_passes: 200_000,
                ..Descent::new(Schedule::Sqrt, Visit::Batch, 0.05)
            };
            let mean = gradients.iter().sum::<f64>() / gradients.len() as f64;
            let psi = descent.fit(Sample::unweighted(&gradients), 0.05, &mut stream()).theta.psi();
            prop_assert!((psi - mean).abs() < 1e-12, "{} is not {}", psi, mean);
        }
    }
}

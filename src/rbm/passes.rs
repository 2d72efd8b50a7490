//! Batch descent of a leaf, pass by pass, alone or interleaved with another.

use super::settings::{Descent, Outcome, Schedule};
use super::step::ThetaState;
use super::theta::Theta;
use crate::cancel;
use crate::tree::Sample;

/// Number of passes between two polls for cancellation; a pass takes well below a microsecond.
const PASSES_PER_POLL: u32 = 1024;

/// The sufficient statistics of a leaf for batch descent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// The total weight of the examples.
    pub weight: f64,
    /// Their mean gradient.
    pub mean: f64,
}

impl Batch {
    pub fn of(sample: Sample<'_>) -> Self {
        Batch { weight: sample.weight(), mean: sample.mean() }
    }
}

/// The progress of a descent through its passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes<'d> {
    descent: &'d Descent,
    first_step: f64,
    /// The step size of this pass.
    pub step: f64,
    done: u32,
    last: Theta,
    /// Whether descent is finished.
    pub ended: bool,
}

impl<'d> Passes<'d> {
    pub fn new(descent: &'d Descent, first_step: f64) -> Self {
        let ended = descent.max_passes == 0;
        Passes { descent, first_step, step: first_step, done: 0, last: Theta::default(), ended }
    }

    /// Ends a pass at these parameters.
    pub fn close(&mut self, theta: Theta) {
        self.done += 1;
        if self.done.is_multiple_of(PASSES_PER_POLL) {
            cancel::poll();
        }
        let divisor = f64::from(self.done + 1).sqrt();
        self.step = match self.descent.schedule {
            Schedule::Authors => self.step / divisor,
            Schedule::Sqrt => self.first_step / divisor,
        };
        let converged = theta.squared_distance(&self.last) <= self.descent.tolerance;
        self.ended = converged || self.done >= self.descent.max_passes;
        self.last = theta;
    }

    /// Returns the result after the last pass.
    pub fn outcome(&self) -> Outcome {
        Outcome { theta: self.last, step: self.step, passes: self.done }
    }
}

/// The batch descent of one leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafDescent<'d> {
    leaf: Batch,
    passes: Passes<'d>,
    state: ThetaState,
    /// The number of full steps left in this pass.
    left: usize,
}

impl<'d> LeafDescent<'d> {
    pub fn new(descent: &'d Descent, leaf: Batch, first_step: f64) -> Self {
        let passes = Passes::new(descent, first_step);
        LeafDescent { leaf, passes, state: ThetaState::default(), left: leaf.weight as usize }
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Outcome {
        while !self.passes.ended {
            self.finish_pass();
        }
        self.passes.outcome()
    }

    /// Runs to the end of the pass.
    fn finish_pass(&mut self) {
        let (mean, step) = (self.leaf.mean, self.passes.step);
        self.state.repeat(mean, step, self.left);
        let fraction = self.leaf.weight.fract();
        if fraction > 0.0 {
            self.state.pass(&[mean], fraction * step);
        }
        self.passes.close(self.state.theta);
        self.left = self.leaf.weight as usize;
    }

    /// Runs interleaved with another descent until one of them ends. The results do not depend on
    /// it.
    pub fn run_with(&mut self, other: &mut LeafDescent<'_>) {
        while !self.passes.ended && !other.passes.ended {
            let times = self.left.min(other.left);
            let gradients = [self.leaf.mean, other.leaf.mean];
            let steps = [self.passes.step, other.passes.step];
            let done = ThetaState::step_pair([&mut self.state, &mut other.state], gradients, steps, times);
            self.left -= done;
            other.left -= done;
            // The descent that stopped the loop has little left to do in its pass.
            if self.is_nearly_done() {
                self.finish_pass();
            }
            if other.is_nearly_done() {
                other.finish_pass();
            }
        }
    }

    fn is_nearly_done(&self) -> bool {
        self.left == 0 || self.state.is_linear(self.leaf.mean, self.passes.step)
    }
}

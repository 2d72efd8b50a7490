//! A leaf on its way down in batches, pass by pass, alone or beside another.

use super::descent::{Descent, Outcome, Schedule};
use super::step::Walk;
use super::theta::Theta;
use crate::tree::Sample;

/// What a leaf is fitted to when only the mean of its examples counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// How much the examples count, their number if each counts 1.
    pub weight: f64,
    /// Their mean gradient.
    pub mean: f64,
}

impl Batch {
    pub fn of(sample: Sample<'_>) -> Self {
        Batch { weight: sample.weight(), mean: sample.mean() }
    }
}

/// How far descent is in its passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes<'d> {
    descent: &'d Descent,
    first_step: f64,
    /// The step of this pass.
    pub step: f64,
    done: u32,
    before: Theta,
    /// Whether there is no further pass.
    pub ended: bool,
}

impl<'d> Passes<'d> {
    pub fn new(descent: &'d Descent, first_step: f64) -> Self {
        let ended = descent.max_passes == 0;
        Passes { descent, first_step, step: first_step, done: 0, before: Theta::default(), ended }
    }

    /// A pass has led here.
    pub fn close(&mut self, theta: Theta) {
        self.done += 1;
        let fallen = f64::from(self.done + 1).sqrt();
        self.step = match self.descent.schedule {
            Schedule::Authors => self.step / fallen,
            Schedule::Sqrt => self.first_step / fallen,
        };
        let settled = theta.squared_distance(&self.before) <= self.descent.tolerance;
        self.ended = settled || self.done >= self.descent.max_passes;
        self.before = theta;
    }

    /// Where the last pass has led.
    pub fn outcome(&self) -> Outcome {
        Outcome { theta: self.before, step: self.step, passes: self.done }
    }
}

/// A leaf on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course<'d> {
    leaf: Batch,
    passes: Passes<'d>,
    walk: Walk,
    /// Whole visits that are left in this pass.
    left: usize,
}

impl<'d> Course<'d> {
    pub fn new(descent: &'d Descent, leaf: Batch, first_step: f64) -> Self {
        let passes = Passes::new(descent, first_step);
        Course { leaf, passes, walk: Walk::default(), left: leaf.weight as usize }
    }

    /// Walks to the end.
    pub fn end(mut self) -> Outcome {
        while !self.passes.ended {
            self.end_pass();
        }
        self.passes.outcome()
    }

    /// Walks to the end of the pass.
    fn end_pass(&mut self) {
        let (mean, step) = (self.leaf.mean, self.passes.step);
        self.walk.repeat(mean, step, self.left);
        let part = self.leaf.weight.fract();
        if part > 0.0 {
            self.walk.pass(&[mean], part * step);
        }
        self.passes.close(self.walk.theta);
        self.left = self.leaf.weight as usize;
    }

    /// Walks beside another until one of them has ended. Each goes where it would go alone.
    pub fn walk_with(&mut self, other: &mut Course<'_>) {
        while !self.passes.ended && !other.passes.ended {
            let times = self.left.min(other.left);
            let gradients = [self.leaf.mean, other.leaf.mean];
            let steps = [self.passes.step, other.passes.step];
            let done = Walk::together([&mut self.walk, &mut other.walk], gradients, steps, times);
            self.left -= done;
            other.left -= done;
            // Whoever stopped them has little to do until the end of its pass.
            if self.is_almost_there() {
                self.end_pass();
            }
            if other.is_almost_there() {
                other.end_pass();
            }
        }
    }

    fn is_almost_there(&self) -> bool {
        self.left == 0 || self.walk.is_near(self.leaf.mean, self.passes.step)
    }
}

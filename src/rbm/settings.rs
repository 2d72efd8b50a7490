//! The settings of coordinate descent, and its result.

use super::theta::Theta;

/// How the step size decreases from pass to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// As in the authors' program: after pass t the step size is divided by √(t+1), cumulatively,
    /// so that it is η/√(t!) in pass t. The false branch of a split starts with the final step size
    /// of the true branch.
    Authors,
    /// η/√t in pass t, starting from η in every leaf.
    Sqrt,
}

/// The gradient that a step of coordinate descent is taken against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// That of one example after another, in shuffled order.
    Online,
    /// The mean gradient of all examples, one step per example and pass. The result depends only on
    /// their number, or weight, and the sum of their gradients.
    ///
    /// The usual batch, one step per pass against the *sum* of gradients, diverges for a few dozen
    /// examples at the paper's learning rate. One step against their mean would ignore their
    /// number.
    Batch,
}

/// Coordinate descent with all its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descent {
    /// How the step size decreases.
    pub schedule: Schedule,
    /// The gradient that a step is taken against.
    pub visit: Visit,
    /// The initial step size, η.
    pub learning_rate: f64,
    /// The squared change of θ in a pass at or below which descent stops.
    pub tolerance: f64,
    /// The maximum number of passes.
    pub max_passes: u32,
}

/// The result of coordinate descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The fitted parameters.
    pub theta: Theta,
    /// The step size that the next pass would have had.
    pub step: f64,
    /// The number of passes.
    pub passes: u32,
}

impl Descent {
    /// The authors' stopping rule: the squared change of θ in a pass is at most this.
    pub const TOLERANCE: f64 = 2.5e-5;
    /// The authors' schedule ends by itself within some twenty passes. With the other one, online
    /// steps over examples that disagree never meet [`Descent::TOLERANCE`] and end here.
    pub const MAX_PASSES: u32 = 100;

    /// Creates a descent with the authors' stopping rule.
    pub fn new(schedule: Schedule, visit: Visit, learning_rate: f64) -> Self {
        Descent { schedule, visit, learning_rate, tolerance: Self::TOLERANCE, max_passes: Self::MAX_PASSES }
    }
}

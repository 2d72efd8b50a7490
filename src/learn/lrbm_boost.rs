//! LRBM-Boost: boosted trees whose leaves are restricted Boltzmann machines.

use super::boost;
use super::leaf::Fitter;
use super::params::{LeafFit, Params};
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel};

/// Learner of the paper's ensemble.
#[derive(Clone, Debug)]
pub struct LrbmBoost {
    /// Parameters.
    pub params: Params,
}

pub(super) fn fitter(params: &Params) -> Fitter {
    match params.leaf_fit {
        LeafFit::CoordinateDescent => Fitter::Descent(params.descent()),
        LeafFit::ClosedForm => Fitter::ClosedForm,
    }
}

impl Learner for LrbmBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        boost::train(Kind::LrbmBoost, task, &self.params, &fitter(&self.params), progress)
    }
}

//! LRBM-NoBoost: a single large tree instead of an ensemble.

use super::boost;
use super::params::Params;
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel, lrbm_boost};

/// Learner of the paper's single tree: one round of LRBM-Boost, limited in depth instead of leaves.
#[derive(Clone, Debug)]
pub struct LrbmNoBoost {
    /// Parameters.
    pub params: Params,
}

impl Learner for LrbmNoBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        boost::train(Kind::LrbmNoBoost, task, &self.params, &lrbm_boost::fitter(&self.params), progress)
    }
}

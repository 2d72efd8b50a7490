//! RDN-Boost (Natarajan et al., 2012): the same boosting loop with the mean gradient in each leaf.

use super::boost;
use super::leaf::Fitter;
use super::params::Params;
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel};

/// Learner of boosted relational dependency networks.
#[derive(Clone, Debug)]
pub struct RdnBoost {
    /// Parameters.
    pub params: Params,
}

impl Learner for RdnBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        boost::train(Kind::RdnBoost, task, &self.params, &Fitter::Mean, progress)
    }
}

//! RDN-Boost (Natarajan et al., 2012): the same boosting loop with the mean gradient in each leaf.

use super::auto::Selection;
use super::boost;
use super::boost::{BoostParams, Setup};
use super::kind_params::{KindParams, ensemble_cost};
use super::leaf::Fitter;
use super::params::shared::{
    Additive, Growth, LeafFitting, RegressionTarget, Rounds, Seed, Stopping, TestExtensions, Tests, Training,
};
use super::params::{Builder, ParamSet, kind_params};
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel};

/// Learner of boosted relational dependency networks.
#[derive(Clone, Debug)]
pub struct RdnBoost {
    /// Parameters.
    pub params: RdnBoostParams,
}

impl RdnBoost {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<RdnBoostParams> {
        Builder::new()
    }
}

kind_params! {
    /// Parameters of RDN-Boost.
    pub struct RdnBoostParams {
        rounds: Rounds,
        growth: Growth,
        stopping: Stopping,
        tests: Tests,
        more_tests: TestExtensions,
        training: Training,
        additive: Additive,
        seed: Seed,
    }
    own defaults: |params| {
        // As in BoostSRL.
        params.additive.step = 1.0;
    }
}

impl KindParams for RdnBoostParams {
    type Learner = RdnBoost;

    fn learner(self) -> RdnBoost {
        RdnBoost { params: self }
    }

    fn cost(&self) -> f64 {
        self.tests.cost() * ensemble_cost(self.growth.max_leaves, self.rounds.trees)
    }

    fn prefix_rounds(&self) -> Option<u32> {
        self.rounds.prefix(&self.more_tests)
    }
}

impl Learner for RdnBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        boost::train(task, &self.setup(), &[self.params.rounds.trees], progress).map(boost::only)
    }

    fn fit_prefixes(
        &self,
        task: &Task<'_>,
        lengths: &[u32],
        progress: &mut dyn FnMut(Progress),
    ) -> Option<Result<Vec<TrainedModel>, LearnError>> {
        Some(boost::train(task, &self.setup(), lengths, progress))
    }

    fn fit_best(
        candidates: &[Self],
        task: &Task<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Option<Result<(Selection, TrainedModel), LearnError>> {
        let setups: Vec<Setup> = candidates.iter().map(Self::setup).collect();
        Some(boost::train_best(task, &setups, progress))
    }
}

impl RdnBoost {
    fn setup(&self) -> Setup {
        let RdnBoostParams { rounds, growth, stopping, tests, more_tests, training, additive, .. } = self.params;
        let (rescore, values) = (LeafFitting::default().rescore, self.params.to_values());
        let target = RegressionTarget::Gradient;
        let params =
            BoostParams { growth, stopping, tests, more_tests, training, additive, rounds, rescore, target, values };
        Setup { kind: Kind::RdnBoost, params, fitter: Fitter::Mean }
    }
}

//! LRBM-Boost: boosted trees whose leaves are restricted Boltzmann machines.

use super::boost;
use super::boost::BoostParams;
use super::kind_params::{KindParams, ensemble_cost};
use super::leaf::Fitter;
use super::params::shared::{
    Additive, Growth, LeafFit, LeafFitting, LearningRate, RegressionTarget, Rounds, Seed, Stopping, TestExtensions,
    Tests, Training, descent,
};
use super::params::{Builder, ParamSet, kind_params};
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel};

/// Learner of the paper's ensemble.
#[derive(Clone, Debug)]
pub struct LrbmBoost {
    /// Parameters.
    pub params: LrbmBoostParams,
}

impl LrbmBoost {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<LrbmBoostParams> {
        Builder::new()
    }
}

kind_params! {
    /// Parameters of LRBM-Boost.
    pub struct LrbmBoostParams {
        rounds: Rounds,
        growth: Growth,
        stopping: Stopping,
        tests: Tests,
        more_tests: TestExtensions,
        training: Training,
        additive: Additive,
        rate: LearningRate,
        leaf: LeafFitting,
        seed: Seed,
    }
    own defaults: |_params| {}
}

impl KindParams for LrbmBoostParams {
    type Learner = LrbmBoost;

    fn learner(self) -> LrbmBoost {
        LrbmBoost { params: self }
    }

    fn cost(&self) -> f64 {
        self.tests.cost() * ensemble_cost(self.growth.max_leaves, self.rounds.trees)
    }
}

/// Returns how leaves that are restricted Boltzmann machines are fitted.
pub(super) fn fitter(leaf: &LeafFitting, rate: &LearningRate) -> Fitter {
    match leaf.leaf_fit {
        LeafFit::CoordinateDescent => Fitter::Descent(descent(leaf, rate)),
        LeafFit::ClosedForm => Fitter::ClosedForm,
    }
}

impl Learner for LrbmBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        let LrbmBoostParams { rounds, growth, stopping, tests, more_tests, training, additive, rate, leaf, .. } =
            self.params;
        let (rescore, values) = (leaf.rescore, self.params.to_values());
        let target = RegressionTarget::Gradient;
        let params =
            BoostParams { growth, stopping, tests, more_tests, training, additive, rounds, rescore, target, values };
        boost::train(Kind::LrbmBoost, task, &params, &fitter(&leaf, &rate), progress)
    }
}

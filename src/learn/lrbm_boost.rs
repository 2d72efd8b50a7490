//! LRBM-Boost: boosted trees whose leaves are restricted Boltzmann machines.

use super::auto::Selection;
use super::boost;
use super::boost::{BoostParams, Setup};
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

    fn prefix_rounds(&self) -> Option<u32> {
        self.rounds.prefix(&self.more_tests)
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

impl LrbmBoost {
    pub(super) fn setup(&self) -> Setup {
        let LrbmBoostParams { rounds, growth, stopping, tests, more_tests, training, additive, rate, leaf, .. } =
            self.params;
        let (rescore, values) = (leaf.rescore, self.params.to_values());
        let target = RegressionTarget::Gradient;
        let params =
            BoostParams { growth, stopping, tests, more_tests, training, additive, rounds, rescore, target, values };
        Setup { kind: Kind::LrbmBoost, params, fitter: fitter(&leaf, &rate) }
    }
}

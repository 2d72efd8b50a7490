//! LRBM-NoBoost: a single large tree instead of an ensemble.

use super::auto::Selection;
use super::boost;
use super::boost::{BoostParams, Setup};
use super::kind_params::{KindParams, tree_cost};
use super::params::shared::{
    Additive, Growth, LeafFitting, LearningRate, RegressionTarget, Rounds, Seed, Stopping, TestExtensions, Tests,
    Training,
};
use super::params::{Builder, ParamSet, Shape, group, kind_params};
use super::progress::Progress;
use super::{Kind, LearnError, Learner, Task, TrainedModel, TreeModel, lrbm_boost};

/// Learner of the paper's single tree: one round of LRBM-Boost, limited in depth instead of leaves.
#[derive(Clone, Debug)]
pub struct LrbmNoBoost {
    /// Parameters.
    pub params: LrbmNoBoostParams,
}

impl LrbmNoBoost {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<LrbmNoBoostParams> {
        Builder::new()
    }
}

group! {
    /// What the tree is fitted to.
    pub struct SingleFit {
        regression_target: RegressionTarget = RegressionTarget::Gradient,
            Shape::RealOrWord { min: 0.01, max: 100.0, word: "gradient" },
            "What the tree is fitted to: the gradient at the prior, or this value for positives and its negative for \
             negatives", added later;
    }
}

kind_params! {
    /// Parameters of LRBM-NoBoost.
    pub struct LrbmNoBoostParams {
        growth: Growth,
        stopping: Stopping,
        tests: Tests,
        more_tests: TestExtensions,
        training: Training,
        additive: Additive,
        rate: LearningRate,
        leaf: LeafFitting,
        fit: SingleFit,
        seed: Seed,
    }
    own defaults: |params| {
        // Paper: section 4.4, which uses one large tree of depth 10
        params.growth.max_depth = Some(10);
        params.growth.max_leaves = None;
        params.additive.step = 1.0;
    }
}

impl KindParams for LrbmNoBoostParams {
    type Learner = LrbmNoBoost;

    fn learner(self) -> LrbmNoBoost {
        LrbmNoBoost { params: self }
    }

    fn cost(&self) -> f64 {
        self.tests.cost() * tree_cost(self.growth.max_depth)
    }
}

impl Learner for LrbmNoBoost {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        boost::train(task, &self.setup(), &[1], progress).map(boost::only)
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

impl LrbmNoBoost {
    fn setup(&self) -> Setup {
        let LrbmNoBoostParams { growth, stopping, tests, more_tests, training, additive, rate, leaf, fit, .. } =
            self.params;
        let (rounds, rescore, values) = (Rounds::one(), leaf.rescore, self.params.to_values());
        let target = fit.regression_target;
        let params =
            BoostParams { growth, stopping, tests, more_tests, training, additive, rounds, rescore, target, values };
        Setup { kind: Kind::LrbmNoBoost, params, fitter: lrbm_boost::fitter(&leaf, &rate) }
    }
}

//! Explainable LRBM: one large tree distilled from an ensemble, as in Craven and Shavlik (1996).

use super::auto::Selection;
use super::boost::{self, Setup};
use super::checks;
use super::header::Header;
use super::kind_params::{KindParams, tree_cost};
use super::leaf::Fitter;
use super::lrbm_boost::LrbmBoostParams;
use super::negatives;
use super::params::shared::{
    Additive, Growth, LeafFitting, LearningRate, Rounds, Seed, Stopping, TestExtensions, Tests, Training, grow_options,
    with_stopping,
};
use super::params::{Builder, Choice, ParamSet, Shape, choice, group, kind_params};
use super::progress::{Progress, Statistics};
use super::tree_model::{Parts, add, with_counts};
use super::weights::Weights;
use super::{
    ClassSums, Fidelity, Kind, LearnError, Learner, LrbmBoost, ScoreError, Task, TrainedModel, TreeModel, lrbm_boost,
    warnings,
};
use crate::math::sigmoid;
use crate::rbm::network::one_vs_rest;
use crate::tree::Grower;

/// The leaves and the limits of the distilled tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistilSettings {
    /// Leaves in closed form, and its own limits.
    Own,
    /// Leaves fitted like those of the ensemble's trees, and their limits.
    Ensemble,
}

choice!(DistilSettings { "own" => Own, "ensemble" => Ensemble });

/// Learner that fits one tree to an ensemble's ψ on the training examples.
#[derive(Clone, Debug)]
pub struct LrbmExplainable {
    /// Parameters of the ensemble and the size of the single tree.
    pub params: LrbmExplainableParams,
    /// The ensemble to distill; `None` learns one first.
    pub from: Option<TreeModel>,
}

group! {
    /// Size of the distilled tree.
    pub struct DistilledTree {
        distil_leaves: Option<u32> = None, Shape::count_or(2, "none"), "Maximum number of leaves of the distilled tree";
        distil_depth: Option<u32> = Some(10), Shape::count_or(1, "none"),
            "Maximum number of tests on a path to a leaf of the distilled tree";
        distil_settings: DistilSettings = DistilSettings::Own, Shape::Choice(DistilSettings::WORDS),
            "Distilled tree: leaves in closed form with distil_leaves and distil_depth, or leaf fit and limits of the \
             ensemble's trees", added later;
    }
}

kind_params! {
    /// Parameters of the explainable LRBM: those of the ensemble, and the size of the one tree.
    pub struct LrbmExplainableParams {
        rounds: Rounds,
        growth: Growth,
        stopping: Stopping,
        tests: Tests,
        more_tests: TestExtensions,
        training: Training,
        additive: Additive,
        rate: LearningRate,
        leaf: LeafFitting,
        distilled: DistilledTree,
        seed: Seed,
    }
    own defaults: |_params| {}
}

/// The parameters of the ensemble that the distilled tree takes from it with
/// [`DistilSettings::Ensemble`].
const FROM_ENSEMBLE: [&str; 6] = ["max_leaves", "max_depth", "leaf_fit", "schedule", "order", "learning_rate"];

/// The parameters that influence the distilled tree; all others are about the ensemble.
pub const TREE_PARAMETERS: [&str; 22] = [
    "node_size",
    "look_ahead",
    "look_ahead_margin",
    "path_length",
    "counts",
    "count_margin",
    "cuts",
    "positive_weight",
    "min_leaf",
    "expand",
    "rescore",
    "max_candidates",
    "min_split",
    "require_gain",
    "min_variance",
    "max_share",
    "test_seeds",
    "max_path_literals",
    "max_searches",
    "distil_leaves",
    "distil_depth",
    "distil_settings",
];

impl LrbmExplainableParams {
    /// Returns the parameters of the ensemble.
    fn ensemble(&self) -> LrbmBoostParams {
        let LrbmExplainableParams {
            rounds,
            growth,
            stopping,
            tests,
            more_tests,
            training,
            additive,
            rate,
            leaf,
            seed,
            ..
        } = *self;
        LrbmBoostParams { rounds, growth, stopping, tests, more_tests, training, additive, rate, leaf, seed }
    }
}

impl KindParams for LrbmExplainableParams {
    type Learner = LrbmExplainable;

    fn learner(self) -> LrbmExplainable {
        LrbmExplainable { params: self, from: None }
    }

    /// Returns the cost of the distilled tree alone.
    fn cost(&self) -> f64 {
        self.tests.cost() * tree_cost(self.distilled.distil_depth)
    }
}

impl Learner for LrbmExplainable {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        let examples = negatives::of_model(task, &self.params.training)?;
        let task = &Task { examples: &examples, ..*task };
        if let Some(ensemble) = &self.from {
            return self.distill(ensemble, task, Statistics::default());
        }
        let LearnedEnsemble { model, statistics } = self.ensemble(task, progress)?;
        self.distill(&model, task, statistics)
    }

    /// Compares the ensembles; the best one is distilled.
    fn fit_best(
        candidates: &[Self],
        task: &Task<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Option<Result<(Selection, TrainedModel), LearnError>> {
        let ensemble = |candidate: &Self| LrbmBoost { params: candidate.params.ensemble() }.setup();
        let setups: Vec<Setup> = candidates.iter().map(ensemble).collect();
        let trained = negatives::of_model(task, &candidates[0].params.training).and_then(|examples| {
            let task = &Task { examples: &examples, ..*task };
            let (selection, ensemble) = boost::train_best(task, &setups, progress)?;
            let chosen = &candidates[selection.chosen];
            Ok((selection, chosen.distill(&ensemble.model, task, ensemble.statistics)?))
        });
        Some(trained)
    }
}

struct LearnedEnsemble {
    model: TreeModel,
    statistics: Statistics,
}

impl LrbmExplainable {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<LrbmExplainableParams> {
        Builder::new()
    }

    fn ensemble(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<LearnedEnsemble, LearnError> {
        let learner = LrbmBoost { params: self.params.ensemble() };
        let trained = learner.fit(task, progress)?;
        Ok(LearnedEnsemble { model: trained.model, statistics: trained.statistics })
    }

    /// Returns the parameters of the distilled tree, with its limits in place of the ensemble's.
    fn tree_params(&self, ensemble: &TreeModel) -> LrbmExplainableParams {
        let mut params = self.params.clone();
        match params.distilled.distil_settings {
            DistilSettings::Own => {
                params.growth.max_leaves = params.distilled.distil_leaves;
                params.growth.max_depth = params.distilled.distil_depth;
            }
            DistilSettings::Ensemble => {
                for name in FROM_ENSEMBLE {
                    // Values of a model file that the shape rejects are ignored.
                    if let Some(value) = ensemble.header.parameters.get(name) {
                        let _ = params.set(name, value);
                    }
                }
            }
        }
        params
    }

    fn distill(&self, ensemble: &TreeModel, task: &Task<'_>, before: Statistics) -> Result<TrainedModel, LearnError> {
        let params = self.tree_params(ensemble);
        let LrbmExplainableParams { growth, stopping, tests, more_tests, training, additive, rate, leaf, .. } = params;
        let weights = Weights::new(task.examples, training.positive_weight);
        let (trained_on, classes) = boost::count_classes(task, &training, additive.prior, &weights)?;
        checks::check_recursion(task, ensemble.header.signature.recursive.is_some())?;
        let Task { database, target, examples, seed, .. } = *task;
        same_classes(ensemble, task)?;
        let goals = ensemble.columns(database, target, examples)?;
        let coverage = task.coverage();
        let language = boost::language(task, &tests, &more_tests);
        let options = grow_options(&growth, &more_tests, leaf.rescore, true);
        let options = with_stopping(options, &stopping, task.negatives_per_positive());
        let fitter = match params.distilled.distil_settings {
            // Departs from paper: leaves take the mean ψ in closed form. A descent that stops short
            // of the mean, as it does for gradients, would bias the copy.
            DistilSettings::Own => Fitter::ClosedForm,
            // An ensemble without such leaves has means in them.
            DistilSettings::Ensemble if ensemble.header.kind != Kind::LrbmBoost => Fitter::ClosedForm,
            DistilSettings::Ensemble => lrbm_boost::fitter(&leaf, &rate),
        };
        let grower = Grower::new(&coverage, &language, options).weighted(weights.get());
        let counted = weights.counted();
        let (mut statistics, mut trees, mut copies) = (before, Vec::new(), Vec::new());
        for (k, goal) in goals.iter().enumerate() {
            let grown = grower.grow(&fitter, goal, &counted, seed, k);
            let mut copy = vec![0.0; examples.len()];
            add(&grown.tree, &grown.reached, 1.0, &mut copy);
            statistics = statistics.after(&grown.statistics);
            let own = |i: usize| examples[i].class as usize == k;
            let several = goals.len() > 1;
            trees.push(if several { with_counts(grown.tree, &grown.reached, &counted, own) } else { grown.tree });
            copies.push(copy);
        }
        let mut warnings = Vec::new();
        warnings.extend(warnings::budget(statistics.budget_hits, tests.max_candidates));
        if trees.iter().all(|tree| tree.leaves() == 1) {
            warnings.extend(warnings::nothing_learned(database, target, &stopping.rejecting()));
        }
        let kind = Kind::LrbmExplainable;
        let parts = Parts {
            header: Header::new(kind, task, self.params.to_values(), trained_on),
            classes: classes.map(|classes| ClassSums { priors: vec![0.0; goals.len()], ..classes }),
            fidelity: Some(fidelity(&goals, &copies, &weights)),
            prior: 0.0,
            step: 1.0,
            trees,
        };
        Ok(TrainedModel { model: TreeModel::from_parts(parts, database), warnings, statistics, choice: None })
    }
}

/// Returns an error if the task's classes differ from those of the ensemble.
fn same_classes(ensemble: &TreeModel, task: &Task<'_>) -> Result<(), ScoreError> {
    let known = ensemble.class_names();
    match (known, task.classes()) {
        (Some(known), Some(examples)) => match examples.iter().find(|class| !known.contains(class)) {
            Some(class) => Err(ScoreError::UnknownClass { model: known.join(", "), class: class.clone() }),
            None if known == examples => Ok(()),
            None => Err(ScoreError::OtherClasses { model: known.join(", "), examples: examples.join(", ") }),
        },
        (Some(known), None) => Err(ScoreError::Classes { classes: known.join(", ") }),
        (None, Some(examples)) => Err(ScoreError::NoClasses { classes: examples.join(", ") }),
        (None, None) => Ok(()),
    }
}

/// Measures how well the copies reproduce the ensemble's columns: one ψ, or a score per class. At
/// least one example has weight.
fn fidelity(goals: &[Vec<f64>], copies: &[Vec<f64>], weights: &Weights) -> Fidelity {
    let examples = goals[0].len();
    let sum = |of: &dyn Fn(usize) -> f64| (0..examples).map(|i| weights.at(i) * of(i)).sum::<f64>();
    let n = sum(&|_| 1.0);
    let (mut total, mut residual) = (0.0, 0.0);
    for (goal, copy) in goals.iter().zip(copies) {
        let mean = sum(&|i| goal[i]) / n;
        total += sum(&|i| (goal[i] - mean) * (goal[i] - mean));
        residual += sum(&|i| (goal[i] - copy[i]) * (goal[i] - copy[i]));
    }
    // For several classes, the gap is averaged over them.
    let probabilities = |columns: &[Vec<f64>]| match columns {
        [psi] => vec![psi.clone()],
        _ => one_vs_rest(columns),
    };
    let (original, copied) = (probabilities(goals), probabilities(copies));
    let gaps = original
        .iter()
        .zip(&copied)
        .map(|(original, copied)| sum(&|i| (sigmoid(original[i]) - sigmoid(copied[i])).abs()));
    let gap = gaps.sum::<f64>() / original.len() as f64;
    Fidelity { r_squared: if total > 0.0 { 1.0 - residual / total } else { 1.0 }, mean_probability_gap: gap / n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded::load_domain;
    use crate::data::generate::Domain;

    #[test]
    fn fidelity_by_hand() {
        // Mean 0, total 8; the copy misses by 1 twice: 1 − 2/8
        let example = |weight| crate::kb::Example { args: Box::new([]), positive: true, class: 0, weight, line: 0 };
        let even = Weights::new(&[example(1.0), example(1.0)], 1.0);
        let of = |goal: [f64; 2], copy: [f64; 2], weights| fidelity(&[goal.to_vec()], &[copy.to_vec()], weights);
        let found = of([-2.0, 2.0], [-1.0, 1.0], &even);
        assert_eq!(found.r_squared, 0.75);
        assert!((found.mean_probability_gap - (sigmoid(2.0) - sigmoid(1.0))).abs() < 1e-15);
        assert_eq!(of([1.0, 1.0], [1.0, 1.0], &even).r_squared, 1.0);
        // Once −2 and three times 2: mean 1, total 12; the copy misses by 1 four times.
        let uneven = Weights::new(&[example(1.0), example(3.0)], 1.0);
        assert_eq!(of([-2.0, 2.0], [-1.0, 1.0], &uneven).r_squared, 1.0 - 4.0 / 12.0);
    }

    #[test]
    fn the_combined_tree_takes_limits_and_leaf_fit_from_the_ensemble() {
        let movies = load_domain(Domain::Movies, &Domain::Movies.settings()).unwrap();
        let (database, target, examples) = (&movies.database, movies.target, &movies.examples[..]);
        let task = Task { database, target, examples, seed: 1, resources: Default::default() };
        let ensemble = LrbmBoost { params: LrbmBoost::params().trees(3).max_leaves(3).build().unwrap() };
        let ensemble = ensemble.fit(&task, &mut |_| {}).unwrap().model;
        let tree = |settings| {
            let params = LrbmExplainable::params().distil_settings(settings).max_leaves(8).build().unwrap();
            let learner = LrbmExplainable { params, from: Some(ensemble.clone()) };
            let limit = learner.tree_params(&ensemble).growth.max_leaves;
            (limit, learner.fit(&task, &mut |_| {}).unwrap().model.trees()[0].clone())
        };
        let ((none, own), (three, combined)) = (tree(DistilSettings::Own), tree(DistilSettings::Ensemble));
        assert_eq!((none, three), (None, Some(3)));
        // A closed form sets d alone; descent moves all five numbers.
        let moved = |tree: &crate::tree::Tree<crate::learn::LeafWeights>| {
            tree.paths().iter().all(|path| path.leaf.leaf.is_some_and(|theta| theta.u1 != 0.0))
        };
        assert!(!moved(&own) && moved(&combined));
    }
}

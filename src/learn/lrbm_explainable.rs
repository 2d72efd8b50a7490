//! Explainable LRBM: one large tree that copies an ensemble, as in Craven and Shavlik (1996).

use super::boost::{self, Progress, Statistics};
use super::leaf::Fitter;
use super::model::{Parts, add};
use super::params::Params;
use super::weights::Weights;
use super::{Fidelity, Kind, LearnError, Learner, LrbmBoost, Model, Task, TrainedModel, TreeModel, remarks};
use crate::rbm::sigmoid;
use crate::tree::{GrowOptions, Grower};

/// Learns an ensemble, or takes one, and fits one tree to its ψ on the training examples.
#[derive(Clone, Debug)]
pub struct LrbmExplainable {
    /// Its parameters: those of the ensemble, and the size of the one tree.
    pub params: Params,
    /// The ensemble to explain; without it, one is learned first.
    pub from: Option<TreeModel>,
}

impl Learner for LrbmExplainable {
    type Model = TreeModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<TrainedModel, LearnError> {
        if let Some(ensemble) = &self.from {
            return self.distil(ensemble, task, Statistics::default());
        }
        let LearnedEnsemble { model, statistics } = self.ensemble(task, progress)?;
        self.distil(&model, task, statistics)
    }
}

struct LearnedEnsemble {
    model: TreeModel,
    statistics: Statistics,
}

impl LrbmExplainable {
    fn ensemble(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<LearnedEnsemble, LearnError> {
        let learner = LrbmBoost { params: self.params.clone() };
        let trained = learner.fit(task, progress)?;
        Ok(LearnedEnsemble { model: trained.model, statistics: trained.statistics })
    }

    fn distil(&self, ensemble: &TreeModel, task: &Task<'_>, before: Statistics) -> Result<TrainedModel, LearnError> {
        let weights = Weights::new(task.examples, self.params.positive_weight);
        let trained_on = boost::both_classes(task, &weights)?;
        boost::check_recursion(task, ensemble.recursive.is_some())?;
        let Task { database, target, examples, seed, .. } = *task;
        let goal = ensemble.score(database, target, examples)?;
        let coverage = task.coverage();
        let language = boost::language(task, &self.params);
        let options = GrowOptions {
            max_leaves: self.params.distil_leaves.map(|n| n as usize),
            max_depth: self.params.distil_depth.map(|n| n as usize),
            single: !self.params.counts,
            ..self.params.grow_options()
        };
        // Departs from paper: the leaves get the mean ψ at once, because a descent that stops short of it, as it does for
        // the gradients, would bend what is to be copied.
        let grower = Grower::new(&coverage, &language, options).weighted(weights.get());
        let grown = grower.grow(&Fitter::ClosedForm, &goal, &weights.counted(), seed, 0);
        let mut copy = vec![0.0; examples.len()];
        add(&grown.tree, &grown.reached, 1.0, &mut copy);
        let statistics = before.after(&grown.statistics);
        let mut warnings = Vec::new();
        warnings.extend(remarks::budget(statistics.budget_hits, self.params.max_candidates));
        if grown.tree.leaves() == 1 {
            warnings.extend(remarks::nothing_learned(database, target));
        }
        let parts = Parts {
            kind: Kind::LrbmExplainable,
            parameters: self.params.to_values(Kind::LrbmExplainable),
            seed,
            trained_on,
            fidelity: Some(fidelity(&goal, &copy, &weights)),
            prior: 0.0,
            step: 1.0,
            trees: vec![grown.tree],
        };
        Ok(TrainedModel { model: TreeModel::from_parts(parts, database, target), warnings, statistics })
    }
}

/// How near the copy is; there is at least one example that counts.
fn fidelity(goal: &[f64], copy: &[f64], weights: &Weights) -> Fidelity {
    let sum = |of: &dyn Fn(usize) -> f64| (0..goal.len()).map(|i| weights.at(i) * of(i)).sum::<f64>();
    let n = sum(&|_| 1.0);
    let mean = sum(&|i| goal[i]) / n;
    let total = sum(&|i| (goal[i] - mean) * (goal[i] - mean));
    let left = sum(&|i| (goal[i] - copy[i]) * (goal[i] - copy[i]));
    let gap = sum(&|i| (sigmoid(goal[i]) - sigmoid(copy[i])).abs());
    Fidelity { r_squared: if total > 0.0 { 1.0 - left / total } else { 1.0 }, mean_probability_gap: gap / n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fidelity_by_hand() {
        // Mean 0, total 8; the copy misses by 1 twice: 1 − 2/8
        let example = |weight| crate::kb::Example { args: Box::new([]), positive: true, weight, line: 0 };
        let even = Weights::new(&[example(1.0), example(1.0)], 1.0);
        let found = fidelity(&[-2.0, 2.0], &[-1.0, 1.0], &even);
        assert_eq!(found.r_squared, 0.75);
        assert!((found.mean_probability_gap - (sigmoid(2.0) - sigmoid(1.0))).abs() < 1e-15);
        assert_eq!(fidelity(&[1.0, 1.0], &[1.0, 1.0], &even).r_squared, 1.0);
        // Once −2 and three times 2: mean 1, total 12; the copy misses by 1 four times.
        let uneven = Weights::new(&[example(1.0), example(3.0)], 1.0);
        assert_eq!(fidelity(&[-2.0, 2.0], &[-1.0, 1.0], &uneven).r_squared, 1.0 - 4.0 / 12.0);
    }
}

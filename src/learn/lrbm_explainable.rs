//! Explainable LRBM: one large tree that copies an ensemble, as in Craven and Shavlik (1996).

use super::boost::{self, Progress, Statistics};
use super::leaf::Fitter;
use super::model::{Parts, add};
use super::params::Params;
use super::{Fidelity, Kind, LearnError, Learner, LrbmBoost, Model, Task, TrainedModel, TreeModel, remarks};
use crate::rbm::sigmoid;
use crate::tree::{Bits, GrowOptions, Grower};

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
        let trained_on = boost::both_classes(task)?;
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
        let all = Bits::ones(examples.len());
        let grown = Grower::new(&coverage, &language, options).grow(&Fitter::ClosedForm, &goal, &all, seed, 0);
        let mut copy = vec![0.0; examples.len()];
        add(&grown.tree, &grown.reached, 1.0, &mut copy);
        let statistics = before.after(&grown.statistics);
        let mut warnings: Vec<_> = remarks::weights(examples).into_iter().collect();
        warnings.extend(remarks::budget(statistics.budget_hits, self.params.max_candidates));
        if grown.tree.leaves() == 1 {
            warnings.extend(remarks::nothing_learned(database, target));
        }
        let parts = Parts {
            kind: Kind::LrbmExplainable,
            parameters: self.params.to_values(Kind::LrbmExplainable),
            seed,
            trained_on,
            fidelity: Some(fidelity(&goal, &copy)),
            prior: 0.0,
            step: 1.0,
            trees: vec![grown.tree],
        };
        Ok(TrainedModel { model: TreeModel::from_parts(parts, database, target), warnings, statistics })
    }
}

/// How near the copy is; there is at least one example.
fn fidelity(goal: &[f64], copy: &[f64]) -> Fidelity {
    let n = goal.len() as f64;
    let mean = goal.iter().sum::<f64>() / n;
    let total: f64 = goal.iter().map(|psi| (psi - mean) * (psi - mean)).sum();
    let left: f64 = goal.iter().zip(copy).map(|(psi, copy)| (psi - copy) * (psi - copy)).sum();
    let gap: f64 = goal.iter().zip(copy).map(|(&psi, &copy)| (sigmoid(psi) - sigmoid(copy)).abs()).sum();
    Fidelity { r_squared: if total > 0.0 { 1.0 - left / total } else { 1.0 }, mean_probability_gap: gap / n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fidelity_by_hand() {
        // Mean 0, total 8; the copy misses by 1 twice: 1 − 2/8
        let found = fidelity(&[-2.0, 2.0], &[-1.0, 1.0]);
        assert_eq!(found.r_squared, 0.75);
        assert!((found.mean_probability_gap - (sigmoid(2.0) - sigmoid(1.0))).abs() < 1e-15);
        assert_eq!(fidelity(&[1.0, 1.0], &[1.0, 1.0]).r_squared, 1.0);
    }
}

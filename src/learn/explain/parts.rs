//! Explanation of a query by the walks or template rules of a model.

use serde::Serialize;

use super::decision::{Decision, unlabeled};
use crate::data::load::Dataset;
use crate::learn::error::ScoreError;
use crate::learn::lrnn::LrnnModel;
use crate::learn::rrbm::{RrbmModel, WalkContribution};
use crate::learn::scoring::Scored;
use crate::logic::Constant;
use crate::math;

/// A prediction with the contributions of its parts.
#[derive(Clone, Debug, Serialize)]
pub struct PartContributions {
    /// The prediction.
    #[serde(flatten)]
    pub decision: Decision,
    /// ψ without any part.
    pub psi_without_parts: f64,
    /// Parts with a grounding, by decreasing magnitude of the contribution.
    pub parts: Vec<PartContribution>,
}

/// Contribution of a walk or a rule.
#[derive(Clone, Debug, Serialize)]
pub struct PartContribution {
    /// The walk or the rule.
    pub what: String,
    /// Contribution to ψ.
    pub adds: f64,
    /// How far it is active.
    #[serde(flatten)]
    pub activity: Activity,
}

/// Number of groundings, or value, of a part.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Number of groundings of a walk.
    Groundings(f64),
    /// Value of a rule.
    Value(f64),
}

impl PartContributions {
    /// Computes the contributions of walks. Hidden units combine walks, so they do not sum to ψ.
    ///
    /// # Errors
    /// If the data do not fit the model.
    pub fn of_walks(
        model: &RrbmModel,
        data: &Dataset,
        constants: &[Constant],
        threshold: f64,
    ) -> Result<Scored<Self>, ScoreError> {
        let found = model.contributions(&data.database, data.target, &unlabeled(constants))?;
        let part = |walk: &WalkContribution| PartContribution {
            what: model.show_walk(walk.walk),
            adds: walk.contribution,
            activity: Activity::Groundings(walk.count),
        };
        let parts = found.walks.iter().map(part).collect();
        let decision = Decision::new(data, constants, found.psi, threshold);
        Ok(Self::sorted(decision, model.rbm().psi(&[]), parts).into())
    }

    /// Computes the contributions of rules, which sum to ψ with ψ without any part.
    ///
    /// # Errors
    /// If the data do not fit the model.
    pub fn of_rules(
        model: &LrnnModel,
        data: &Dataset,
        constants: &[Constant],
        threshold: f64,
    ) -> Result<Scored<Self>, ScoreError> {
        let fired = model.fired(&data.database, data.target, &[unlabeled(constants)])?;
        Ok(fired.map(|fired| {
            let fired = fired.concat();
            let bias = model.head_weight(0);
            let psi = bias + fired.iter().map(|fired| fired.contribution).sum::<f64>();
            let text = |rule: usize| model.template().show(&model.template().rules[rule]);
            let part = |(what, adds, value)| PartContribution { what, adds, activity: Activity::Value(value) };
            let parts = fired.iter().map(|fired| part((text(fired.rule), fired.contribution, fired.value)));
            Self::sorted(Decision::new(data, constants, psi, threshold), bias, parts.collect())
        }))
    }

    fn sorted(decision: Decision, psi_without_parts: f64, parts: Vec<PartContribution>) -> Self {
        let parts = math::strongest_first(parts, |part| part.adds);
        PartContributions { decision, psi_without_parts, parts }
    }
}

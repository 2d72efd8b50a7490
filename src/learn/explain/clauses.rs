//! Explanation of a query by a model of weighted clauses.

use serde::Serialize;

use super::decision::{Decision, unlabeled};
use crate::data::load::Dataset;
use crate::learn::error::ScoreError;
use crate::learn::mln::MlnModel;
use crate::learn::scoring::Scored;
use crate::logic::Constant;
use crate::math;

/// Contributions of the clauses to ψ of a query.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseContributions {
    /// The prediction.
    #[serde(flatten)]
    pub decision: Decision,
    /// ψ without any clause.
    pub prior: f64,
    /// Clauses with a grounding, by decreasing magnitude of the contribution.
    pub clauses: Vec<ClauseContribution>,
    /// Number of clauses without a grounding.
    pub without_groundings: usize,
}

/// Contribution of a clause.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseContribution {
    /// The clause.
    pub clause: String,
    /// Its weight.
    pub weight: f64,
    /// Number of its groundings.
    pub groundings: f64,
    /// Contribution to ψ.
    pub adds: f64,
}

impl ClauseContributions {
    /// Counts the groundings of every clause for one query.
    ///
    /// # Errors
    /// If the data do not fit the model.
    pub fn new(
        model: &MlnModel,
        data: &Dataset,
        constants: &[Constant],
        threshold: f64,
    ) -> Result<Scored<Self>, ScoreError> {
        let counted = model.groundings(&data.database, data.target, &[unlabeled(constants)])?;
        Ok(counted.map(|counts| {
            let mut psi = model.prior;
            let mut clauses = Vec::new();
            for (formula, counts) in model.formulas().iter().zip(&counts) {
                let (weight, groundings) = (formula.weight, counts[0]);
                psi += weight * groundings;
                if groundings > 0.0 {
                    let clause = model.show(formula).to_string();
                    clauses.push(ClauseContribution { clause, weight, groundings, adds: weight * groundings });
                }
            }
            let clauses = math::strongest_first(clauses, |clause| clause.adds);
            ClauseContributions {
                decision: Decision::new(data, constants, psi, threshold),
                prior: model.prior,
                without_groundings: counts.len() - clauses.len(),
                clauses,
            }
        }))
    }
}

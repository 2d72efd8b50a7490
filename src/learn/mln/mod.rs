//! MLN-Boost (Khot, Natarajan, Kersting and Shavlik, 2011): a Markov logic network learned by functional gradient boosting.
//!
//! ψ is the sum over weighted clauses of the weight times the number of groundings of the clause for the example. Each step fits
//! the gradients Δ = y − P by a tree whose paths are clauses, or by clauses one by one, under the squared error
//! Σᵢ (Σ w·n(xᵢ) − Δᵢ)². A test that fails for a grounding of the path above it is negated there as a whole: the clause of a no side
//! counts the groundings of the path that have no extension by the test.
//!
//! Departures from the original: all weights of a step are solved for together, not those of the two sides of each test as they are
//! made; weights can be held back (`shrinkage`, 0 by default); and no test is tied to a part of a path that has `largest_part` literals
//! already, since counts of long conjunctions are large, slow and carry over badly from one set of facts to another.

mod clauses;
mod grow;
mod model;
mod solve;
pub mod tally;
mod wire;

pub use clauses::ClauseOptions as CountClauseOptions;
pub use grow::{CountGrower, CountOptions, CountStatistics, Weighted};
pub use model::{Formula, MlnModel};
pub use tally::{Pattern, Tally};
pub use wire::FORMAT;

use super::boost::{boost, language, prior};
use super::checks::count_both;
use super::params::{Form, Params};
use super::progress::{Progress, Statistics};
use super::weights::Weights;
use super::{Kind, LearnError, Learner, Task, Trained, warnings};
use crate::determinism::IndexMap;

/// A boosted Markov logic network.
#[derive(Clone, Debug)]
pub struct MlnBoost {
    /// Its parameters.
    pub params: Params,
}

impl Learner for MlnBoost {
    type Model = MlnModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<MlnModel>, LearnError> {
        let params = &self.params;
        let trained_on = count_both(Kind::MlnBoost, task)?;
        let even = Weights::even(task.examples.len());
        let first = prior(params, &even, task.examples);
        let coverage = task.coverage();
        let language = language(task, params);
        let tally = Tally::new(&coverage, params.count_budget.into());
        let grower = CountGrower::new(&tally, &language, params.largest_part as usize);
        let mut statistics = Statistics::default();
        let steps = boost(task, params, &even, &[first], progress, |round, psi| {
            let (found, done) = match params.form {
                Form::Trees => grower.grow(&params.count_options(), round.gradients, round.in_use),
                Form::Clauses => grower.clauses(&params.count_clause_options(), round.gradients, round.in_use),
            };
            for Weighted { weight, counts, .. } in &found {
                psi.iter_mut().zip(counts).for_each(|(psi, count)| *psi += params.step * weight * count);
            }
            statistics.expansions += done.expansions;
            statistics.screened += done.screened;
            statistics.budget_hits += done.budget_hits;
            found.into_iter().map(|weighted| (weighted.pattern, weighted.weight)).collect::<Vec<_>>()
        })?;
        let steps: Vec<_> = steps.into_iter().flatten().collect();
        statistics.trees = steps.len() as u64;
        let (prior, formulas) = sum(first, params.step, &steps);
        let mut warnings: Vec<_> = warnings::weights(Kind::MlnBoost, task.examples).into_iter().collect();
        warnings.extend(warnings::budget(statistics.budget_hits, params.max_candidates));
        warnings.extend(warnings::counts_cut(tally.cut(), params.count_budget));
        if formulas.is_empty() {
            warnings.extend(warnings::nothing_learned(task.database, task.target));
        }
        let mut model = MlnModel::new(task, prior, &formulas);
        model.parameters = params.to_values(Kind::MlnBoost);
        model.trained_on = trained_on;
        model.steps = steps.len() as u32;
        model.count_budget = params.count_budget;
        Ok(Trained { model, warnings, statistics })
    }
}

/// The clauses of all steps, each once with what it is worth in all of them; the one without a body is a part of ψ before them.
fn sum(prior: f64, step: f64, steps: &[Vec<(Pattern, f64)>]) -> (f64, Vec<(Pattern, f64)>) {
    let mut all: IndexMap<Pattern, f64> = IndexMap::default();
    for (pattern, weight) in steps.iter().flatten().filter(|(_, weight)| *weight != 0.0) {
        *all.entry(pattern.clone()).or_default() += step * weight;
    }
    let bias = all.shift_remove(&Pattern::default()).unwrap_or(0.0);
    (prior + bias, all.into_iter().collect())
}

#[cfg(test)]
mod tests;

//! MLN-Boost (Khot, Natarajan, Kersting and Shavlik, 2011): a Markov logic network learned by
//! functional gradient boosting.
//!
//! ψ is the sum over clauses of the weight times the number of groundings for the example. Each
//! round fits the gradients Δ = y − P by a tree whose paths are clauses, or by clauses one by one,
//! under the squared error Σᵢ (Σ w·n(xᵢ) − Δᵢ)². A failed test is negated as a whole: the clause of
//! a no side counts the groundings of the path that have no extension by the test.
//!
//! Departs from the original: all weights of a round are fitted jointly, instead of the two sides
//! of each test as it is made; weights can be shrunk (`shrinkage`, 0 by default); and connected
//! components with `largest_part` literals are not extended, since counts of long conjunctions are
//! large, slow and transfer badly to other facts.

mod clauses;
mod grow;
mod model;
mod params;
mod solve;
pub mod tally;
mod wire;

pub use clauses::CountClauseOptions;
pub use grow::{CountGrower, CountOptions, CountStatistics, WeightedPattern};
pub use model::{Formula, MlnModel};
pub use params::{Counting, Form, MlnBoostParams};
pub use tally::{Pattern, Tally};

use super::boost::{Sampling, boost, language, only, prior, with_rounds};
use super::checks::count_both;
use super::header::Header;
use super::kind_params::KindParams;
use super::params::shared::{TestExtensions, Training};
use super::params::{Builder, ParamSet};
use super::progress::{Progress, Statistics};
use super::weights::Weights;
use super::{Kind, LearnError, Learner, Task, Trained, warnings};
use crate::determinism::IndexMap;

/// Learner of a boosted Markov logic network.
#[derive(Clone, Debug)]
pub struct MlnBoost {
    /// Parameters.
    pub params: MlnBoostParams,
}

impl MlnBoost {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<MlnBoostParams> {
        Builder::new()
    }
}

impl KindParams for MlnBoostParams {
    type Learner = MlnBoost;

    fn learner(self) -> MlnBoost {
        MlnBoost { params: self }
    }

    /// Counts are computed again for each tree, and there are more of them than of tests for
    /// existence.
    fn cost(&self) -> f64 {
        self.tests.cost() * (f64::from(self.growth.max_leaves.unwrap_or(8)) * f64::from(self.rounds.trees))
    }

    fn prefix_rounds(&self) -> Option<u32> {
        Some(self.rounds.trees)
    }
}

impl Learner for MlnBoost {
    type Model = MlnModel;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<MlnModel>, LearnError> {
        self.train(task, &[self.params.rounds.trees], progress).map(only)
    }

    fn fit_prefixes(
        &self,
        task: &Task<'_>,
        lengths: &[u32],
        progress: &mut dyn FnMut(Progress),
    ) -> Option<Result<Vec<Trained<MlnModel>>, LearnError>> {
        Some(self.train(task, lengths, progress))
    }
}

/// What a round learned.
struct Step {
    clauses: Vec<(Pattern, f64)>,
    statistics: CountStatistics,
    /// The counts cut so far, as [`Tally::cut`] returns them.
    cut: (usize, usize),
}

impl MlnBoost {
    fn train(
        &self,
        task: &Task<'_>,
        lengths: &[u32],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Trained<MlnModel>>, LearnError> {
        let params = &self.params;
        let trained_on = count_both(Kind::MlnBoost, task)?;
        let uniform = Weights::even(task.examples.len());
        let first = prior(params.additive.prior, &uniform, task.examples);
        let coverage = task.coverage();
        let language = language(task, &params.tests, &TestExtensions::default());
        let tally = Tally::new(&coverage, params.counting.count_budget.into());
        let grower = CountGrower::new(&tally, &language, params.counting.largest_part as usize);
        let sampling = Sampling::new(&params.additive, &Training::default());
        let longest = params.rounds.longest(lengths);
        let boosted = boost(task, &sampling, &longest, &uniform, &[first], progress, |round, psi| {
            let (found, statistics) = match params.counting.form {
                Form::Trees => grower.grow(&params.count_options(), round.gradients, round.in_use),
                Form::Clauses => grower.clauses(&params.clause_options(), round.gradients, round.in_use),
            };
            for WeightedPattern { weight, counts, .. } in &found {
                psi.iter_mut().zip(counts).for_each(|(psi, count)| *psi += params.additive.step * weight * count);
            }
            let clauses = found.into_iter().map(|weighted| (weighted.pattern, weighted.weight)).collect();
            Step { clauses, statistics, cut: tally.cut() }
        })?;
        let model = |&length: &u32| {
            let (fitted, kept) = boosted.prefix(length);
            let (mut statistics, mut cut) = (Statistics::default(), (0, 0));
            for step in fitted {
                statistics.expansions += step.statistics.expansions;
                statistics.screened += step.statistics.screened;
                statistics.budget_hits += step.statistics.budget_hits;
                cut = step.cut;
            }
            let steps: Vec<&[(Pattern, f64)]> = kept.map(|step| &step.clauses[..]).collect();
            statistics.trees = steps.len() as u64;
            let (prior, formulas) = merge_rounds(first, params.additive.step, &steps);
            let mut warnings: Vec<_> = warnings::weights(Kind::MlnBoost, task.examples).into_iter().collect();
            warnings.extend(warnings::budget(statistics.budget_hits, params.tests.max_candidates));
            warnings.extend(warnings::counts_cut(cut, params.counting.count_budget));
            if formulas.is_empty() {
                warnings.extend(warnings::nothing_learned(task.database, task.target, &[]));
            }
            let values = with_rounds(&params.to_values(), length);
            let header = Header::new(Kind::MlnBoost, task, values, trained_on);
            let mut model = MlnModel::new(header, task.database, prior, &formulas);
            model.steps = steps.len() as u32;
            model.count_budget = params.counting.count_budget;
            Trained { model, warnings, statistics, choice: None }
        };
        Ok(lengths.iter().map(model).collect())
    }
}

/// Sums the weights of equal clauses over all rounds; the clause without a body joins the prior.
fn merge_rounds(prior: f64, step: f64, steps: &[&[(Pattern, f64)]]) -> (f64, Vec<(Pattern, f64)>) {
    let mut all: IndexMap<Pattern, f64> = IndexMap::default();
    for (pattern, weight) in steps.iter().copied().flatten().filter(|(_, weight)| *weight != 0.0) {
        *all.entry(pattern.clone()).or_default() += step * weight;
    }
    let bias = all.shift_remove(&Pattern::default()).unwrap_or(0.0);
    (prior + bias, all.into_iter().collect())
}

#[cfg(test)]
mod tests;

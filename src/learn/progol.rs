//! Progol's clauses as a probabilistic model.
//!
//! Each clause becomes a rule of a network ([`crate::rbm::network`]), so that explanation, pruning
//! (`convert --prune`) and the file format of networks apply.

use super::checks::count_weighted;
use super::clauses::{ClauseOptions, Theory, learn_clauses};
use super::gradient::{gradient, log_likelihood};
use super::kind_params::KindParams;
use super::params::shared::{ClauseLength, ClauseSearch, Seed};
use super::params::{Builder, Choice, Shape, choice, group, kind_params};
use super::progress::{Progress, Statistics};
use super::weights::Weights;
use super::{Kind, LearnError, Learner, LrbmWeights, Task, Trained, warnings};
use crate::kb::Example;
use crate::logic::Diagnostic;
use crate::math::sigmoid;
use crate::rbm::network::{Network, Rule};

/// Learner of clauses by inverse entailment, with weights.
#[derive(Clone, Debug)]
pub struct Progol {
    /// Parameters.
    pub params: ProgolParams,
}

impl Progol {
    /// Returns the default parameters, to be changed by their setters.
    pub fn params() -> Builder<ProgolParams> {
        Builder::new()
    }
}

/// Weighting of the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseWeights {
    /// Each has its own weight, by the likelihood of the training examples.
    Fitted,
    /// All have the same weight, so that ψ depends on the number of clauses that cover an example.
    Votes,
}

choice!(ClauseWeights { "fitted" => Fitted, "votes" => Votes });

group! {
    /// Weights of clauses.
    pub struct Weighing {
        clause_weights: ClauseWeights = ClauseWeights::Fitted, Shape::Choice(ClauseWeights::WORDS),
            "Weights of clauses: fitted one by one, or one vote each";
    }
}

kind_params! {
    /// Parameters of Progol.
    pub struct ProgolParams {
        length: ClauseLength,
        search: ClauseSearch,
        weighing: Weighing,
        seed: Seed,
    }
    own defaults: |_params| {}
}

impl KindParams for ProgolParams {
    type Learner = Progol;

    fn learner(self) -> Progol {
        Progol { params: self }
    }

    /// Most seeds are covered by an earlier clause.
    fn cost(&self) -> f64 {
        f64::from(self.search.max_seeds.min(100)) / 2.0
    }
}

impl Learner for Progol {
    type Model = Network;

    fn fit(&self, task: &Task<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Trained<Network>, LearnError> {
        let (positives, negatives) = count_weighted(Kind::Progol, task, &Weights::new(task.examples, 1.0))?;
        let options = ClauseOptions::new(&self.params.length, &self.params.search);
        let theory = learn_clauses(task, &options);
        let mut warnings: Vec<Diagnostic> = warnings::clauses(&theory, &options);
        if self.params.weighing.clause_weights == ClauseWeights::Votes {
            warnings.extend(warnings::weights(Kind::Progol, task.examples));
        }
        if theory.clauses.is_empty() {
            warnings.extend(warnings::nothing_learned(task.database, task.target, &[]));
        }
        let mut network = network_of(task, &theory, task.log_odds())?;
        let mut how = "no clause".to_owned();
        if !theory.clauses.is_empty() {
            how = match self.params.weighing.clause_weights {
                ClauseWeights::Fitted => {
                    LrbmWeights { fresh: true, ..LrbmWeights::default() }.fit(&mut network, task)?;
                    "weights fitted".to_owned()
                }
                ClauseWeights::Votes => {
                    fit_votes(&mut network, task);
                    "one vote each".to_owned()
                }
            };
        }
        network.origin = format!(
            "progol, {} clauses, {how}, learned from {positives} positives and {negatives} negatives",
            theory.clauses.len()
        );
        let psi = network.psi(&network.active(&task.coverage()), task.examples.len());
        let likelihoods = task.examples.iter().zip(&psi).map(|(example, &psi)| log_likelihood(example.positive, psi));
        let log_likelihood = likelihoods.sum::<f64>() / psi.len() as f64;
        progress(Progress::new(1, 1, &|| log_likelihood));
        let Theory { seeds, examined, budget_hits, .. } = theory;
        let statistics = Statistics { expansions: seeds, screened: examined, budget_hits, ..Statistics::default() };
        Ok(Trained { model: network, warnings, statistics, choice: None })
    }
}

/// Builds the network of the clauses, with zero weights.
fn network_of(task: &Task<'_>, theory: &Theory, log_odds: f64) -> Result<Network, LearnError> {
    let mut network = Network::with_signature(task.database.signature(task.target), vec![0.0, log_odds], "");
    let arity = network.target_arity();
    for clause in &theory.clauses {
        let rule = Rule::new(clause.body.clone(), Vec::new(), arity);
        network.add_rule(&rule, task.database.names(), &[0.0, 0.0])?;
    }
    Ok(network)
}

/// Gives all rules the same weight, and fits that weight and the bias.
fn fit_votes(network: &mut Network, task: &Task<'_>) {
    let covered = network.active(&task.coverage());
    let votes: Vec<f64> =
        (0..task.examples.len()).map(|i| covered.iter().filter(|examples| examples.get(i)).count() as f64).collect();
    let (bias, weight) = logistic_fit(&votes, task.examples);
    network.set_contributions(vec![0.0, bias], &vec![vec![0.0, weight]; covered.len()]);
}

/// Returns the maximum-likelihood bias and weight per vote, with a ridge penalty on the weight: it
/// diverges where the votes separate the classes.
fn logistic_fit(votes: &[f64], examples: &[Example]) -> (f64, f64) {
    /// L2 penalty on the weight.
    const RIDGE: f64 = 0.1;
    let (mut bias, mut weight) = (0.0, 0.0);
    let value = |bias: f64, weight: f64| -> f64 {
        let each = votes.iter().zip(examples).map(|(vote, e)| log_likelihood(e.positive, bias + weight * vote));
        each.sum::<f64>() - RIDGE / 2.0 * weight * weight
    };
    // Newton's method: the penalized likelihood is concave, so it converges to the maximum.
    for _ in 0..50 {
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, -RIDGE * weight, 1e-9, 0.0, RIDGE);
        for (&vote, example) in votes.iter().zip(examples) {
            let psi = bias + weight * vote;
            let (slope, p) = (gradient(example.positive, psi), sigmoid(psi));
            let curve = p * (1.0 - p);
            g0 += slope;
            g1 += slope * vote;
            h00 += curve;
            h01 += curve * vote;
            h11 += curve * vote * vote;
        }
        let det = h00 * h11 - h01 * h01;
        let (d0, d1) = ((h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det);
        // Backtracking line search.
        let before = value(bias, weight);
        let mut part = 1.0;
        while value(bias + part * d0, weight + part * d1) < before && part > 1e-6 {
            part /= 2.0;
        }
        (bias, weight) = (bias + part * d0, weight + part * d1);
        if d0.abs() + d1.abs() < 1e-10 {
            break;
        }
    }
    (bias, weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voting_weights_maximize_the_penalized_likelihood() {
        let example = |positive| Example { args: Box::new([]), positive, class: 0, weight: 1.0, line: 0 };
        // Of those with no vote one of four is positive, of those with one vote two of three.
        let labels = [true, false, false, false, true, true, false];
        let votes = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let examples = labels.map(example);
        let (bias, weight) = logistic_fit(&votes, &examples);
        let slope = |by: &dyn Fn(usize) -> f64| -> f64 {
            (0..7).map(|i| by(i) * gradient(labels[i], bias + weight * votes[i])).sum()
        };
        assert!(slope(&|_| 1.0).abs() < 1e-6);
        assert!((slope(&|i| votes[i]) - 0.1 * weight).abs() < 1e-6, "the gradient equals the penalty's");
        assert!((0.5..2.0).contains(&weight), "{weight}");
        // Separable votes still give a finite weight.
        let (_, weight) = logistic_fit(&[0.0, 1.0], &[example(false), example(true)]);
        assert!((1.0..20.0).contains(&weight), "{weight}");
    }
}

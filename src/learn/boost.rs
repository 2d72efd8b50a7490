//! The loop that all ensembles share: the paper's Algorithm 1, lines 1 to 9.

use super::gradient::{gradients, log_likelihood};
use super::leaf::Fitter;
use super::model::{Parts, add};
use super::params::{Params, Prior};
use super::{Kind, LearnError, Task, TrainedModel, TreeModel, remarks};
use crate::kb::Example;
use crate::order::Stream;
use crate::tree::{Bits, GrowStatistics, Grower, Language, PathOptions, path};

/// How far training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Trees grown.
    pub done: usize,
    /// Trees to grow, unless training stops early.
    pub of: usize,
    /// The mean log-likelihood of the examples that trees are grown on.
    pub log_likelihood: f64,
}

/// What training did, over all trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Trees in the model.
    pub trees: u64,
    /// Leaves for which a test was looked for.
    pub expansions: u64,
    /// Candidates that were screened.
    pub screened: u64,
    /// Candidates that were fitted in earnest.
    pub rescored: u64,
    /// How often the choice after the fits was not the candidate that screening liked best.
    pub differed: u64,
    /// How often there were more candidates than the budget allows.
    pub budget_hits: u64,
}

impl Statistics {
    /// The same, after one more tree.
    pub(super) fn after(mut self, tree: &GrowStatistics) -> Self {
        self.trees += 1;
        self.expansions += tree.expansions;
        self.screened += tree.screened;
        self.rescored += tree.rescored;
        self.differed += tree.differed;
        self.budget_hits += tree.budget_hits;
        self
    }
}

/// Learns a sum of trees.
pub(super) fn train(
    kind: Kind,
    task: &Task<'_>,
    params: &Params,
    fitter: &Fitter,
    progress: &mut dyn FnMut(Progress),
) -> Result<TrainedModel, LearnError> {
    let trained_on = both_classes(task)?;
    let prior = prior(params, trained_on);
    let Task { database, target, examples, seed, .. } = *task;
    let coverage = task.coverage();
    let language = language(task, params);
    let grower = Grower::new(&coverage, &language, params.grow_options());
    let mut statistics = Statistics::default();
    let trees = boost(task, params, prior, progress, |round, psi| {
        let grown = grower.grow(fitter, round.gradients, round.in_use, seed, round.number);
        add(&grown.tree, &grown.reached, params.step, psi);
        statistics = statistics.after(&grown.statistics);
        grown.tree
    })?;
    statistics.trees = trees.len() as u64;
    let mut warnings: Vec<_> = remarks::weights(examples).into_iter().collect();
    warnings.extend(remarks::budget(statistics.budget_hits, params.max_candidates));
    if trees.iter().all(|tree| tree.leaves() == 1) {
        warnings.extend(remarks::nothing_learned(database, target));
    }
    let parameters = params.to_values(kind);
    let parts = Parts { kind, parameters, seed, trained_on, fidelity: None, prior, step: params.step, trees };
    Ok(TrainedModel { model: TreeModel::from_parts(parts, database, target), warnings, statistics })
}

/// ψ before the first tree, for so many positives and negatives.
pub(super) fn prior(params: &Params, (positives, negatives): (u64, u64)) -> f64 {
    match params.prior {
        Prior::Value(value) => value,
        Prior::LogOdds => (positives as f64 / negatives as f64).ln(),
    }
}

/// How many positive and negative examples there are; at least one of each.
pub(super) fn both_classes(task: &Task<'_>) -> Result<(u64, u64), LearnError> {
    let positives = task.examples.iter().filter(|example| example.positive).count();
    let negatives = task.examples.len() - positives;
    if positives == 0 || negatives == 0 {
        let target = task.database.predicates.show(task.target).to_string();
        return Err(LearnError::OneClass { target, positives, negatives });
    }
    Ok((positives as u64, negatives as u64))
}

/// The tests that a node may ask: what the modes give, and the chains between the arguments of the target.
pub(super) fn language(task: &Task<'_>, params: &Params) -> Language {
    let Task { database, target, examples, seed, .. } = *task;
    let options = PathOptions { max_length: params.path_length as usize, seed, ..PathOptions::default() };
    let chains = path::chains(database, target, examples, &options);
    Language::new(database, target, params.language_options()).with_tests(chains)
}

/// What the next summand is fitted to.
pub(super) struct Round<'r> {
    /// How many summands there are.
    pub number: usize,
    /// How ψ of each example should move.
    pub gradients: &'r [f64],
    /// The examples to learn from.
    pub in_use: &'r Bits,
}

/// A sum of whatever `grow` fits to the gradients; it also adds to the ψ of each example what its summand says of it.
// Paper: Alg. 1, line 1
pub(super) fn boost<T>(
    task: &Task<'_>,
    params: &Params,
    prior: f64,
    progress: &mut dyn FnMut(Progress),
    mut grow: impl FnMut(Round<'_>, &mut [f64]) -> T,
) -> Result<Vec<T>, LearnError> {
    let Task { examples, seed, .. } = *task;
    let (learning, held_out) = hold_out(examples, params, seed)?;
    let mut patience = Patience::new(params.early_stopping);
    // Paper: Alg. 1, line 2, F₀ = ψ₀
    let mut psi = vec![prior; examples.len()];
    let mut trees = Vec::with_capacity(params.trees as usize);
    // Paper: Alg. 1, line 3
    for number in 0..params.trees as usize {
        // Paper: Alg. 1, line 4, GenerateExamples: Δᵢ = I(yᵢ = 1) − P(yᵢ = 1)
        let gradients = gradients(examples, &psi);
        let in_use = draw(&learning, examples, params.subsample, seed, number);
        // Paper: Alg. 1, line 5
        // Paper: Alg. 1, line 6, Fₙ = Fₙ + Fₙ₋₁, with a step that the paper does not have and that is 1 by default.
        trees.push(grow(Round { number, gradients: &gradients, in_use: &in_use }, &mut psi));
        let log_likelihood = mean_log_likelihood(examples, &psi, &learning);
        progress(Progress { done: number + 1, of: params.trees as usize, log_likelihood });
        if let Some(held_out) = &held_out
            && patience.ends(mean_log_likelihood(examples, &psi, held_out))
        {
            break;
        }
    }
    // Paper: Alg. 1, lines 7 to 9: P(y = 1) = sigmoid(ψ), see [`crate::rbm::sigmoid`]
    if held_out.is_some() {
        trees.truncate(patience.best_trees);
    }
    Ok(trees)
}

/// The examples that trees are grown on, and those that say when to stop, if any are held out.
fn hold_out(examples: &[Example], params: &Params, seed: u64) -> Result<(Bits, Option<Bits>), LearnError> {
    let all = Bits::ones(examples.len());
    if params.early_stopping == 0 {
        return Ok((all, None));
    }
    let positives = examples.iter().filter(|example| example.positive).count();
    if positives < 2 || examples.len() - positives < 2 {
        return Err(LearnError::TooFewToHoldOut { positives, negatives: examples.len() - positives });
    }
    let most = |n: usize| n - 1;
    let held_out = sample(&all, examples, params.held_out, most, &mut Stream::new(seed, &["held out"]));
    Ok((all.and_not(&held_out), Some(held_out)))
}

/// The examples one tree is grown on.
fn draw(learning: &Bits, examples: &[Example], part: f64, seed: u64, tree: usize) -> Bits {
    if part >= 1.0 {
        return learning.clone();
    }
    let mut stream = Stream::new(seed, &["subsample", &tree.to_string()]);
    sample(learning, examples, part, |n| n, &mut stream)
}

/// A part of the positives and the same part of the negatives, at least one of each and at most what `most` allows.
fn sample(from: &Bits, examples: &[Example], part: f64, most: impl Fn(usize) -> usize, stream: &mut Stream) -> Bits {
    let mut taken = Bits::zeros(examples.len());
    for label in [true, false] {
        let mut indices: Vec<usize> = from.iter().filter(|&i| examples[i].positive == label).collect();
        stream.shuffle(&mut indices);
        let count = (part * indices.len() as f64).round() as usize;
        let count = count.max(1).min(most(indices.len()));
        indices[..count].iter().for_each(|&i| taken.set(i, true));
    }
    taken
}

fn mean_log_likelihood(examples: &[Example], psi: &[f64], of: &Bits) -> f64 {
    let sum: f64 = of.iter().map(|i| log_likelihood(examples[i].positive, psi[i])).sum();
    sum / of.count().max(1) as f64
}

/// Waits for a better likelihood, but not for ever.
struct Patience {
    trees: usize,
    limit: usize,
    best: f64,
    best_trees: usize,
}

impl Patience {
    fn new(limit: u32) -> Self {
        Patience { trees: 0, limit: limit as usize, best: f64::NEG_INFINITY, best_trees: 0 }
    }

    /// Takes the likelihood after one more tree; whether to stop.
    fn ends(&mut self, likelihood: f64) -> bool {
        self.trees += 1;
        if likelihood > self.best {
            (self.best, self.best_trees) = (likelihood, self.trees);
        }
        self.trees - self.best_trees >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_and_knows_the_best() {
        let mut patience = Patience::new(2);
        let ends: Vec<bool> = [-3.0, -1.0, -2.0, -1.0].iter().map(|&x| patience.ends(x)).collect();
        assert_eq!(ends, [false, false, false, true]);
        assert_eq!(patience.best_trees, 2);
    }

    #[test]
    fn samples_keep_both_classes() {
        let example = |positive| Example { args: Box::new([]), positive, weight: 1.0, line: 0 };
        let examples: Vec<Example> = (0..10).map(|i| example(i < 3)).collect();
        let all = Bits::ones(10);
        let count = |bits: &Bits, label| bits.iter().filter(|&i| examples[i].positive == label).count();
        let half = draw(&all, &examples, 0.5, 1, 0);
        assert_eq!((count(&half, true), count(&half, false)), (2, 4));
        assert_ne!(half, draw(&all, &examples, 0.5, 1, 1));
        let little = draw(&all, &examples, 0.01, 1, 0);
        assert_eq!((count(&little, true), count(&little, false)), (1, 1));
        let params = super::super::Unchecked::new(Kind::LrbmBoost).spec("early_stopping", 3).spec("held_out", 0.3);
        let (learning, held_out) = hold_out(&examples, &params.check().unwrap(), 1).unwrap();
        let held_out = held_out.unwrap();
        assert_eq!((count(&held_out, true), count(&held_out, false)), (1, 2));
        assert!(!learning.and(&held_out).any());
        assert_eq!(learning.count() + held_out.count(), 10);
        let error = hold_out(&examples[..4], &params.check().unwrap(), 1).unwrap_err();
        assert_eq!(error, LearnError::TooFewToHoldOut { positives: 3, negatives: 1 });
    }
}

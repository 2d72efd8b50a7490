//! Functional gradient boosting, shared by all ensembles: the paper's Algorithm 1, lines 1 to 9.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::checks::{check_recursion, count_labels};
use super::gradient::Scores;
use super::header::Header;
use super::leaf::Fitter;
use super::params::Value;
use super::params::shared::{
    Additive, Growth, Prior, RegressionTarget, Rounds, Stopping, TestExtensions, Tests, Training, grow_options,
    language_options, with_stopping,
};
use super::progress::{Progress, Statistics};
use super::tree_model::{ClassSums, Parts, add, with_counts};
use super::weights::Weights;
use super::{Kind, LearnError, Task, TrainedModel, TreeModel, negatives, warnings};
use crate::cover::Bits;
use crate::determinism::Stream;
use crate::kb::Example;
use crate::tree::{Grower, Language, PathOptions, path};

/// The parameters of a sum of trees.
pub(super) struct BoostParams {
    pub growth: Growth,
    pub stopping: Stopping,
    pub tests: Tests,
    pub more_tests: TestExtensions,
    pub training: Training,
    pub additive: Additive,
    pub rounds: Rounds,
    /// Maximum number of candidates refitted exactly; `None` for all.
    pub rescore: Option<u32>,
    /// What trees are fitted to; anything but the gradient is meant for a single tree.
    pub target: RegressionTarget,
    /// All parameters of the kind, for the record.
    pub values: BTreeMap<String, Value>,
}

/// Learns a sum of trees, or one sum per class for a multi-class target.
pub(super) fn train(
    kind: Kind,
    task: &Task<'_>,
    params: &BoostParams,
    fitter: &Fitter,
    progress: &mut dyn FnMut(Progress),
) -> Result<TrainedModel, LearnError> {
    negatives::check(&params.training)?;
    let examples = negatives::of_model(task, &params.training)?;
    let task = &Task { examples: &examples, ..*task };
    let weights = Weights::new(task.examples, params.training.positive_weight);
    let (trained_on, classes) = count_classes(task, &params.training, params.additive.prior, &weights)?;
    check_recursion(task, params.training.recursive)?;
    let priors = match &classes {
        None => vec![prior(params.additive.prior, &weights, task.examples)],
        Some(classes) => classes.priors.clone(),
    };
    let Task { database, target, examples, seed, .. } = *task;
    let coverage = task.coverage();
    let language = language(task, &params.tests, &params.more_tests);
    let single = params.rounds.trees == 1;
    let options = grow_options(&params.growth, &params.more_tests, params.rescore, single);
    let options = with_stopping(options, &params.stopping, task.negatives_per_positive());
    let grower = Grower::new(&coverage, &language, options).weighted(weights.get());
    let mut statistics = Statistics::default();
    let sampling = Sampling::new(&params.additive, &params.training);
    let trees = boost(task, &sampling, &params.rounds, &weights, &priors, progress, |round, psi| {
        let targets = regression_targets(params.target, examples, priors.len() > 1, &round);
        let grown = grower.grow(fitter, &targets, round.in_use, seed, round.number);
        add(&grown.tree, &grown.reached, params.additive.step, psi);
        statistics = statistics.after(&grown.statistics);
        let own = |i: usize| examples[i].class as usize == round.class;
        let counted = |tree| if priors.len() > 1 { with_counts(tree, &grown.reached, round.in_use, own) } else { tree };
        counted(grown.tree)
    })?;
    let trees: Vec<_> = trees.into_iter().flatten().collect();
    statistics.trees = trees.len() as u64;
    let prior = if classes.is_some() { 0.0 } else { priors[0] };
    let mut warnings = Vec::new();
    warnings.extend(warnings::budget(statistics.budget_hits, params.tests.max_candidates));
    if trees.iter().all(|tree| tree.leaves() == 1) {
        warnings.extend(warnings::nothing_learned(database, target, &params.stopping.rejecting()));
    }
    let header = Header::new(kind, task, params.values.clone(), trained_on);
    let parts = Parts { header, classes, fidelity: None, prior, step: params.additive.step, trees };
    Ok(TrainedModel { model: TreeModel::from_parts(parts, database), warnings, statistics })
}

/// Returns what the tree of a round is fitted to.
fn regression_targets<'r>(
    target: RegressionTarget,
    examples: &[Example],
    multi_class: bool,
    round: &Round<'r>,
) -> Cow<'r, [f64]> {
    let RegressionTarget::Value(value) = target else { return Cow::Borrowed(round.gradients) };
    let is_own = |example: &Example| if multi_class { example.class as usize == round.class } else { example.positive };
    // Departs from paper: its Δ is the gradient, but the authors' program fits a single tree to ±4.
    examples.iter().map(|example| if is_own(example) { value } else { -value }).collect()
}

/// Returns ψ₀, the prior log-odds of a binary target.
pub(super) fn prior(prior: Prior, weights: &Weights, examples: &[Example]) -> f64 {
    match prior {
        Prior::Value(value) => value,
        Prior::LogOdds => weights.log_odds(examples),
    }
}

/// Counts the positive and negative examples; for a multi-class target, all examples and those of
/// each class.
///
/// # Errors
/// If fewer than two classes have weight, or a parameter does not apply to several classes.
pub(super) fn count_classes(
    task: &Task<'_>,
    training: &Training,
    prior: Prior,
    weights: &Weights,
) -> Result<((u64, u64), Option<ClassSums>), LearnError> {
    let Some(names) = task.classes() else { return Ok((count_labels(task, weights)?, None)) };
    let target = || task.database.predicates.show(task.target).to_string();
    if training.recursive {
        return Err(LearnError::NotForClasses { what: "recursive = true", target: target() });
    }
    if training.positive_weight != 1.0 {
        return Err(LearnError::NotForClasses { what: "positive_weight", target: target() });
    }
    let (mut trained_on, mut shares) = (vec![0; names.len()], vec![0.0; names.len()]);
    for (i, example) in task.examples.iter().enumerate() {
        trained_on[example.class as usize] += 1;
        shares[example.class as usize] += weights.at(i);
    }
    if shares.iter().filter(|&&share| share > 0.0).count() < 2 {
        let only = shares.iter().position(|&share| share > 0.0).map(|k| names[k].clone());
        return Err(LearnError::OneOfClasses { target: target(), only });
    }
    let total: f64 = shares.iter().sum();
    // A constant added to all classes changes nothing, so a fixed prior is 0. A class without an
    // example counts as half an example.
    let prior = |&share: &f64| match prior {
        Prior::Value(_) => 0.0,
        Prior::LogOdds => (share.max(0.5) / total).ln(),
    };
    let priors = shares.iter().map(prior).collect();
    let count = task.examples.len() as u64;
    Ok(((count, 0), Some(ClassSums { priors, trained_on })))
}

/// Returns the language bias: the literals that the modes allow, and the chains between the
/// arguments of the target as additional tests.
pub(super) fn language(task: &Task<'_>, tests: &Tests, more: &TestExtensions) -> Language {
    let Task { database, target, examples, seed, .. } = *task;
    let max_length = tests.path_length as usize;
    let options = PathOptions { max_length, compares: more.cuts > 0, seed, ..PathOptions::default() };
    let chains = path::chains(database, target, examples, &options);
    Language::new(database, target, language_options(tests, more)).with_tests(chains)
}

/// The regression problem of one boosting round.
pub(super) struct Round<'r> {
    /// The number of summands already fitted, over all classes.
    pub number: usize,
    /// The class the summand is for; 0 for a binary target.
    pub class: usize,
    /// The functional gradient of each example.
    pub gradients: &'r [f64],
    /// The examples to fit.
    pub in_use: &'r Bits,
}

/// The random choice of the examples of each round.
pub(super) struct Sampling {
    /// The share of the positives and of the negatives.
    subsample: f64,
    /// The maximum number of negatives per positive; `None` for all.
    negatives: Option<u32>,
}

impl Sampling {
    pub fn new(additive: &Additive, training: &Training) -> Self {
        let negatives = training.train_negatives.filter(|_| training.redraw_negatives);
        Sampling { subsample: additive.subsample, negatives }
    }
}

/// Fits one summand per round and class with `grow`, which also adds the summand's values to ψ of
/// each example. Returns the summands of each class; a binary target has one list.
// Paper: Alg. 1, line 1
pub(super) fn boost<T>(
    task: &Task<'_>,
    sampling: &Sampling,
    rounds: &Rounds,
    weights: &Weights,
    priors: &[f64],
    progress: &mut dyn FnMut(Progress),
    mut grow: impl FnMut(Round<'_>, &mut [f64]) -> T,
) -> Result<Vec<Vec<T>>, LearnError> {
    let Task { examples, seed, .. } = *task;
    let strata = strata(examples, task.classes().map(<[_]>::len));
    let (learning, held_out) = hold_out(task, &strata, weights.counted(), rounds)?;
    let mut stopping = EarlyStopping::new(rounds.early_stopping);
    // Paper: Alg. 1, line 2, F₀ = ψ₀; one for each class, if there are several.
    let mut scores = Scores::new(priors, examples.len());
    let mut summands: Vec<Vec<T>> = priors.iter().map(|_| Vec::with_capacity(rounds.trees as usize)).collect();
    // Paper: Alg. 1, line 3
    for step in 0..rounds.trees as usize {
        // Paper: Alg. 1, line 4, GenerateExamples: Δᵢ = I(yᵢ = 1) − P(yᵢ = 1)
        let gradients = scores.gradients(examples);
        let drawn = negatives::of_tree(examples, &learning, sampling.negatives, seed, step);
        let in_use = subsample(&drawn, &strata, sampling.subsample, seed, step);
        // The trees of all classes in a round fit the same gradients.
        for (class, (gradients, summands)) in gradients.iter().zip(&mut summands).enumerate() {
            // Paper: Alg. 1, line 5
            // Paper: Alg. 1, line 6, Fₙ = Fₙ + Fₙ₋₁. Departs from the paper by the factor `step` on
            // each tree (LRBM-Boost: 2.0 by default).
            let round = Round { number: step * priors.len() + class, class, gradients, in_use: &in_use };
            summands.push(grow(round, scores.column(class)));
        }
        let log_likelihood = || mean_log_likelihood(examples, &scores, weights, &learning);
        progress(Progress::new(step + 1, rounds.trees as usize, &log_likelihood));
        if let Some(held_out) = &held_out
            && stopping.should_stop(mean_log_likelihood(examples, &scores, weights, held_out))
        {
            break;
        }
    }
    // Paper: Alg. 1, lines 7 to 9: P(y = 1) = sigmoid(ψ), see [`crate::math::sigmoid`]
    if held_out.is_some() {
        summands.iter_mut().for_each(|summands| summands.truncate(stopping.best_rounds));
    }
    Ok(summands)
}

/// Returns the strata of sampling: positives and negatives, or the examples of each class.
fn strata(examples: &[Example], classes: Option<usize>) -> Vec<Vec<usize>> {
    let of = |belongs: &dyn Fn(&Example) -> bool| (0..examples.len()).filter(|&i| belongs(&examples[i])).collect();
    match classes {
        None => [true, false].map(|label| of(&|example| example.positive == label)).into(),
        Some(classes) => (0..classes).map(|class| of(&|example| example.class as usize == class)).collect(),
    }
}

/// Splits the examples into those that trees are grown on and, with early stopping, a held-out
/// part.
fn hold_out(
    task: &Task<'_>,
    strata: &[Vec<usize>],
    all: Bits,
    rounds: &Rounds,
) -> Result<(Bits, Option<Bits>), LearnError> {
    if rounds.early_stopping == 0 {
        return Ok((all, None));
    }
    let counts: Vec<usize> = strata.iter().map(|stratum| stratum.iter().filter(|&&i| all.get(i)).count()).collect();
    match (task.classes(), &counts[..]) {
        (None, &[positives, negatives]) if positives < 2 || negatives < 2 => {
            return Err(LearnError::TooFewToHoldOut { positives, negatives });
        }
        (Some(names), _) => {
            // A class without examples needs none held out.
            if let Some(class) = counts.iter().position(|&count| count == 1) {
                return Err(LearnError::TooFewOfClass { class: names[class].clone() });
            }
        }
        _ => {}
    }
    let held_out =
        sample(&all, strata, rounds.held_out, |n| n.saturating_sub(1), &mut Stream::new(task.seed, &["held out"]));
    Ok((all.and_not(&held_out), Some(held_out)))
}

/// Draws the examples of one tree.
fn subsample(learning: &Bits, strata: &[Vec<usize>], fraction: f64, seed: u64, tree: usize) -> Bits {
    if fraction >= 1.0 {
        return learning.clone();
    }
    let mut stream = Stream::new(seed, &["subsample", &tree.to_string()]);
    sample(learning, strata, fraction, |n| n, &mut stream)
}

/// Draws the same fraction of each stratum, at least one example and at most `max(size)`.
fn sample(
    from: &Bits,
    strata: &[Vec<usize>],
    fraction: f64,
    max: impl Fn(usize) -> usize,
    stream: &mut Stream,
) -> Bits {
    let mut taken = Bits::zeros(from.len());
    for stratum in strata {
        let mut indices: Vec<usize> = stratum.iter().copied().filter(|&i| from.get(i)).collect();
        stream.shuffle(&mut indices);
        let count = (fraction * indices.len() as f64).round() as usize;
        let count = count.max(1).min(max(indices.len()));
        indices[..count].iter().for_each(|&i| taken.set(i, true));
    }
    taken
}

fn mean_log_likelihood(examples: &[Example], scores: &Scores, weights: &Weights, of: &Bits) -> f64 {
    let sum: f64 = of.iter().map(|i| weights.at(i) * scores.log_likelihood(i, &examples[i])).sum();
    let total: f64 = of.iter().map(|i| weights.at(i)).sum();
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Early stopping: ends boosting after `patience` rounds without a better held-out likelihood.
struct EarlyStopping {
    rounds: usize,
    patience: usize,
    best: f64,
    best_rounds: usize,
}

impl EarlyStopping {
    fn new(patience: u32) -> Self {
        EarlyStopping { rounds: 0, patience: patience as usize, best: f64::NEG_INFINITY, best_rounds: 0 }
    }

    /// Records the held-out likelihood after one more round; returns whether to stop.
    fn should_stop(&mut self, likelihood: f64) -> bool {
        self.rounds += 1;
        if likelihood > self.best {
            (self.best, self.best_rounds) = (likelihood, self.rounds);
        }
        self.rounds - self.best_rounds >= self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_stopping_ends_after_patience_and_keeps_the_best_round() {
        let mut stopping = EarlyStopping::new(2);
        let ends: Vec<bool> = [-3.0, -1.0, -2.0, -1.0].iter().map(|&x| stopping.should_stop(x)).collect();
        assert_eq!(ends, [false, false, false, true]);
        assert_eq!(stopping.best_rounds, 2);
    }

    #[test]
    fn a_single_tree_is_fitted_to_the_gradient_or_to_a_value() {
        let example = |positive, class| Example { args: Box::new([]), positive, class, weight: 1.0, line: 0 };
        let examples = [example(true, 0), example(false, 1), example(true, 1)];
        let (gradients, in_use) = ([0.5, -0.5, 0.5], Bits::ones(3));
        let round = |class| Round { number: 0, class, gradients: &gradients, in_use: &in_use };
        let targets =
            |target, multi_class, class| regression_targets(target, &examples, multi_class, &round(class)).into_owned();
        assert_eq!(targets(RegressionTarget::Gradient, false, 0), gradients);
        assert_eq!(targets(RegressionTarget::Value(4.0), false, 0), [4.0, -4.0, 4.0]);
        assert_eq!(targets(RegressionTarget::Value(4.0), true, 1), [-4.0, 4.0, 4.0]);
    }

    #[test]
    fn subsamples_are_stratified_by_label() {
        let example = |positive| Example { args: Box::new([]), positive, class: 0, weight: 1.0, line: 0 };
        let examples: Vec<Example> = (0..10).map(|i| example(i < 3)).collect();
        let all = Bits::ones(10);
        let both = strata(&examples, None);
        let count = |bits: &Bits, label| bits.iter().filter(|&i| examples[i].positive == label).count();
        let half = subsample(&all, &both, 0.5, 1, 0);
        assert_eq!((count(&half, true), count(&half, false)), (2, 4));
        assert_ne!(half, subsample(&all, &both, 0.5, 1, 1));
        let little = subsample(&all, &both, 0.01, 1, 0);
        assert_eq!((count(&little, true), count(&little, false)), (1, 1));
        let params = Rounds { early_stopping: 3, held_out: 0.3, ..Rounds::default() };
        let (database, ..) = crate::kb::sample::build("p(a). h(X) :- p(X).", None);
        let target = database.predicates.find("h", 1).unwrap();
        let task = |examples| Task { database: &database, target, examples, seed: 1, resources: Default::default() };
        let (learning, held_out) = hold_out(&task(&examples), &both, all, &params).unwrap();
        let held_out = held_out.unwrap();
        assert_eq!((count(&held_out, true), count(&held_out, false)), (1, 2));
        assert!(!learning.and(&held_out).any());
        assert_eq!(learning.count() + held_out.count(), 10);
        let few = &examples[..4];
        let error = hold_out(&task(few), &strata(few, None), Bits::ones(4), &params).unwrap_err();
        assert_eq!(error, LearnError::TooFewToHoldOut { positives: 3, negatives: 1 });
    }

    #[test]
    fn subsamples_are_stratified_by_class() {
        let example = |class| Example { args: Box::new([]), positive: true, class, weight: 1.0, line: 0 };
        let examples: Vec<Example> = (0..12).map(|i| example(if i < 6 { 0 } else { 1 + i / 10 })).collect();
        let classes = strata(&examples, Some(4));
        assert_eq!(classes.iter().map(Vec::len).collect::<Vec<_>>(), [6, 4, 2, 0]);
        let half = subsample(&Bits::ones(12), &classes, 0.5, 1, 0);
        let of = |class| half.iter().filter(|&i| examples[i].class == class).count();
        assert_eq!([of(0), of(1), of(2), of(3)], [3, 2, 1, 0]);
    }
}

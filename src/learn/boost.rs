//! Functional gradient boosting, shared by all ensembles: the paper's Algorithm 1, lines 1 to 9.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::auto::{self, Selection};
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
use super::tree_model::{ClassSums, LeafWeights, Parts, add, with_counts};
use super::weights::Weights;
use super::{Kind, LearnError, Task, Trained, TrainedModel, TreeModel, negatives, warnings};
use crate::cover::{Bits, Coverage};
use crate::data::example_folds::ExampleFold;
use crate::determinism::Stream;
use crate::kb::Example;
use crate::logic::Literal;
use crate::tree::{CandidateCache, GrowStatistics, Grower, Language, PathOptions, Tree, path};

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

/// A kind of ensemble with its parameters.
pub(super) struct Setup {
    pub kind: Kind,
    pub params: BoostParams,
    pub fitter: Fitter,
}

/// Learns a sum of trees, or one sum per class for a multi-class target, for each of these numbers
/// of rounds. A shorter sum is a prefix of the longest one: no round depends on the number of
/// rounds, except as [`Rounds::prefix`] says.
pub(super) fn train(
    task: &Task<'_>,
    setup: &Setup,
    lengths: &[u32],
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<TrainedModel>, LearnError> {
    negatives::check(&setup.params.training)?;
    let examples = negatives::of_model(task, &setup.params.training)?;
    let task = &Task { examples: &examples, ..*task };
    let coverage = task.coverage();
    Booster::new(task, setup, &coverage, 1).fit(lengths, progress)
}

/// Compares setups that treat the training examples alike, and trains the best on all of them. All
/// trainings share one coverage, in which held-out examples are masked.
pub(super) fn train_best(
    task: &Task<'_>,
    setups: &[Setup],
    progress: &mut dyn FnMut(Progress),
) -> Result<(Selection, TrainedModel), LearnError> {
    let training = &setups[0].params.training;
    negatives::check(training)?;
    let examples = negatives::of_model(task, training)?;
    let task = &Task { examples: &examples, ..*task };
    let coverage = task.coverage();
    let boosters: Vec<Booster<'_>> =
        setups.iter().map(|setup| Booster::new(task, setup, &coverage, setups.len())).collect();
    let selection = auto::select(task, setups.len(), |setup, fold| boosters[setup].held_out_scores(fold, progress))?;
    let chosen = &boosters[selection.chosen];
    let trained = chosen.fit(&[chosen.setup.params.rounds.trees], progress).map(only)?;
    Ok((selection, trained))
}

/// Boosting over the examples of a coverage.
struct Booster<'a> {
    task: &'a Task<'a>,
    setup: &'a Setup,
    coverage: &'a Coverage<'a>,
    language: Language,
    chains: Vec<Vec<Literal>>,
    /// The candidate tests of the language.
    cache: CandidateCache,
    /// Number of boosters that share the memory of the coverage.
    users: usize,
}

/// The trees of each round with the statistics of their growth.
type BoostedTrees = Boosted<(Tree<LeafWeights>, GrowStatistics)>;

impl<'a> Booster<'a> {
    fn new(task: &'a Task<'a>, setup: &'a Setup, coverage: &'a Coverage<'a>, users: usize) -> Self {
        let BoostParams { tests, more_tests, .. } = &setup.params;
        let chains = chains(task, tests, more_tests);
        let language = Language::new(task.database, task.target, language_options(tests, more_tests));
        let language = language.with_tests(chains.clone());
        Booster { task, setup, coverage, language, chains, cache: CandidateCache::new(coverage, users), users }
    }

    /// Learns a model on all examples for each of these numbers of rounds.
    fn fit(&self, lengths: &[u32], progress: &mut dyn FnMut(Progress)) -> Result<Vec<TrainedModel>, LearnError> {
        let Setup { kind, params, .. } = self.setup;
        let Task { database, target, examples, .. } = *self.task;
        let weights = Weights::new(examples, params.training.positive_weight);
        let (trained_on, classes) = count_classes(self.task, &params.training, params.additive.prior, &weights)?;
        check_recursion(self.task, params.training.recursive)?;
        let priors = self.priors(classes.as_ref(), &weights);
        let rounds = params.rounds.longest(lengths);
        let sizes = self.task.negatives_per_positive();
        let grower = self.grower(&self.language, &self.cache, &rounds, sizes);
        let boosted = self.boost(&grower.weighted(weights.get()), &rounds, &weights, &priors, progress)?;
        let model = |&length: &u32| {
            let (fitted, kept) = boosted.prefix(length);
            let mut statistics = fitted.fold(Statistics::default(), |sum, (_, of_tree)| sum.after(of_tree));
            let trees: Vec<_> = kept.map(|(tree, _)| tree.clone()).collect();
            statistics.trees = trees.len() as u64;
            let prior = if classes.is_some() { 0.0 } else { priors[0] };
            let mut warnings = Vec::new();
            warnings.extend(warnings::budget(statistics.budget_hits, params.tests.max_candidates));
            if trees.iter().all(|tree| tree.leaves() == 1) {
                warnings.extend(warnings::nothing_learned(database, target, &params.stopping.rejecting()));
            }
            let header = Header::new(*kind, self.task, with_rounds(&params.values, length), trained_on);
            let (classes, step) = (classes.clone(), params.additive.step);
            let parts = Parts { header, classes, fidelity: None, prior, step, trees };
            TrainedModel { model: TreeModel::from_parts(parts, database), warnings, statistics, choice: None }
        };
        Ok(lengths.iter().map(model).collect())
    }

    /// Learns on the training examples of a fold and returns the scores of its test examples, as
    /// [`auto::select`] takes them.
    fn held_out_scores(
        &self,
        fold: &ExampleFold,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Vec<f64>>, LearnError> {
        let BoostParams { tests, more_tests, training, additive, rounds, .. } = &self.setup.params;
        let mut within = Bits::zeros(self.task.examples.len());
        fold.train.iter().for_each(|&i| within.set(i as usize, true));
        let inner: Vec<Example> = within.iter().map(|i| self.task.examples[i].clone()).collect();
        let inner = Task { examples: &inner, ..*self.task };
        // Chains are proposed by positives, which must not be held-out ones.
        let chains = chains(&inner, tests, more_tests);
        let own = (chains != self.chains).then(|| {
            let language = Language::new(inner.database, inner.target, language_options(tests, more_tests));
            (language.with_tests(chains), CandidateCache::new(self.coverage, self.users))
        });
        let (language, cache) =
            own.as_ref().map_or((&self.language, &self.cache), |(language, cache)| (language, cache));
        let weights = Weights::new(self.task.examples, training.positive_weight).restricted_to(within);
        let (_, classes) = count_classes(self.task, training, additive.prior, &weights)?;
        check_recursion(self.task, training.recursive)?;
        let priors = self.priors(classes.as_ref(), &weights);
        let rounds = Rounds { trees: auto::inner_rounds(rounds.trees), early_stopping: 0, ..*rounds };
        let grower = self.grower(language, cache, &rounds, inner.negatives_per_positive());
        let boosted = self.boost(&grower.weighted(weights.get()), &rounds, &weights, &priors, progress)?;
        let tested = |column: &[f64]| fold.test.iter().map(|&i| column[i as usize]).collect();
        Ok(boosted.scores.columns().map(tested).collect())
    }

    fn priors(&self, classes: Option<&ClassSums>, weights: &Weights) -> Vec<f64> {
        match classes {
            None => vec![prior(self.setup.params.additive.prior, weights, self.task.examples)],
            Some(classes) => classes.priors.clone(),
        }
    }

    fn grower<'g>(
        &'g self,
        language: &'g Language,
        cache: &CandidateCache,
        rounds: &Rounds,
        negatives_per_positive: f64,
    ) -> Grower<'g> {
        let BoostParams { growth, stopping, more_tests, rescore, .. } = &self.setup.params;
        let options = grow_options(growth, more_tests, *rescore, rounds.trees == 1);
        let options = with_stopping(options, stopping, negatives_per_positive);
        Grower::new(self.coverage, language, options).sharing(cache)
    }

    fn boost(
        &self,
        grower: &Grower<'_>,
        rounds: &Rounds,
        weights: &Weights,
        priors: &[f64],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<BoostedTrees, LearnError> {
        let Setup { params, fitter, .. } = self.setup;
        let Task { examples, seed, .. } = *self.task;
        let sampling = Sampling::new(&params.additive, &params.training);
        boost(self.task, &sampling, rounds, weights, priors, progress, |round, psi| {
            let targets = regression_targets(params.target, examples, priors.len() > 1, &round);
            let grown = grower.grow(fitter, &targets, round.in_use, seed, round.number);
            add(&grown.tree, &grown.reached, params.additive.step, psi);
            let own = |i: usize| examples[i].class as usize == round.class;
            let counted =
                |tree| if priors.len() > 1 { with_counts(tree, &grown.reached, round.in_use, own) } else { tree };
            (counted(grown.tree), grown.statistics)
        })
    }
}

/// Returns the only model of a training with one number of rounds.
pub(super) fn only<M>(models: Vec<Trained<M>>) -> Trained<M> {
    models.into_iter().next().expect("training returns a model for each number of rounds")
}

/// Returns the parameters of a model with this number of rounds; kinds of one round record none.
pub(super) fn with_rounds(values: &BTreeMap<String, Value>, rounds: u32) -> BTreeMap<String, Value> {
    let mut values = values.clone();
    if let Some(trees) = values.get_mut("trees") {
        *trees = Value::Integer(rounds.into());
    }
    values
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
    let language = Language::new(task.database, task.target, language_options(tests, more));
    language.with_tests(chains(task, tests, more))
}

/// Returns the chains between the arguments of the target that its positives propose.
fn chains(task: &Task<'_>, tests: &Tests, more: &TestExtensions) -> Vec<Vec<Literal>> {
    let Task { database, target, examples, seed, .. } = *task;
    let max_length = tests.path_length as usize;
    let options = PathOptions { max_length, compares: more.cuts > 0, seed, ..PathOptions::default() };
    path::chains(database, target, examples, &options)
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

/// The summands of boosting.
pub(super) struct Boosted<T> {
    /// The summands of each class; a binary target has one list.
    summands: Vec<Vec<T>>,
    /// By round that ran: the number of rounds that are kept if boosting ends with it.
    kept: Vec<usize>,
    /// The scores of all examples after the last round.
    pub scores: Scores,
}

impl<T> Boosted<T> {
    /// Returns the summands that boosting with this number of rounds fits, and those of them that
    /// it keeps, class by class.
    pub fn prefix(&self, rounds: u32) -> (impl Iterator<Item = &T>, impl Iterator<Item = &T>) {
        let ran = self.kept.len().min(rounds as usize);
        let kept = ran.checked_sub(1).map_or(0, |last| self.kept[last]);
        let first = |count: usize| self.summands.iter().flat_map(move |summands| &summands[..count]);
        (first(ran), first(kept))
    }
}

/// Fits one summand per round and class with `grow`, which also adds the summand's values to ψ of
/// each example.
// Paper: Alg. 1, line 1
pub(super) fn boost<T>(
    task: &Task<'_>,
    sampling: &Sampling,
    rounds: &Rounds,
    weights: &Weights,
    priors: &[f64],
    progress: &mut dyn FnMut(Progress),
    mut grow: impl FnMut(Round<'_>, &mut [f64]) -> T,
) -> Result<Boosted<T>, LearnError> {
    let Task { examples, seed, .. } = *task;
    let strata = strata(examples, task.classes().map(<[_]>::len));
    let (learning, held_out) = hold_out(task, &strata, weights.counted(), rounds)?;
    let mut stopping = EarlyStopping::new(rounds.early_stopping);
    // Paper: Alg. 1, line 2, F₀ = ψ₀; one for each class, if there are several.
    let mut scores = Scores::new(priors, examples.len());
    let mut summands: Vec<Vec<T>> = priors.iter().map(|_| Vec::with_capacity(rounds.trees as usize)).collect();
    let mut kept = Vec::with_capacity(rounds.trees as usize);
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
        let ends = held_out
            .as_ref()
            .is_some_and(|held_out| stopping.should_stop(mean_log_likelihood(examples, &scores, weights, held_out)));
        kept.push(if held_out.is_some() { stopping.best_rounds } else { step + 1 });
        if ends {
            break;
        }
    }
    // Paper: Alg. 1, lines 7 to 9: P(y = 1) = sigmoid(ψ), see [`crate::math::sigmoid`]
    Ok(Boosted { summands, kept, scores })
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

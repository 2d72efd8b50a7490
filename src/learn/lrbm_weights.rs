//! Fits the weights of a given set of rules, and prunes rules.

use super::checks::count_labels;
use super::weights::Weights;
use super::{LearnError, ScoreError, Task};
use crate::cover::Bits;
use crate::data::folds::random_folds;
use crate::kb::Example;
use crate::rbm::network::{FitOptions, Fitted, Network, Patterns, PenaltyCenter, one_vs_rest};

/// Learner of the weights of a network with fixed rules.
///
/// The L2 penalty and the number of steps are chosen by cross-validation; then the weights are
/// fitted to all examples.
///
/// Weights learned from the same examples have already seen the held-out folds. Fitting therefore
/// either restarts from scratch with a penalty towards 0, or continues with a penalty towards the
/// current weights, which move only if that helps held-out examples biased towards them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LrbmWeights {
    /// Whether U and d restart from scratch, at 0 and at the log-odds of the examples.
    pub fresh: bool,
    /// L2 penalty, see [`FitOptions::l2`]; `None` chooses among five values by cross-validation.
    pub l2: Option<f64>,
    /// Maximum number of steps.
    pub max_steps: usize,
    /// Number of cross-validation folds; fewer if a class has fewer examples.
    pub folds: usize,
}

impl Default for LrbmWeights {
    fn default() -> Self {
        LrbmWeights { fresh: false, l2: None, max_steps: 300, folds: 5 }
    }
}

/// L2 penalties tried by default.
const L2_CANDIDATES: [f64; 5] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// Steps without a better held-out likelihood after which a fit stops.
const PATIENCE: usize = 20;

/// Result of fitting weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedWeights {
    /// The final fit to all examples.
    pub fitted: Fitted,
    /// The L2 penalty used.
    pub l2: f64,
    /// Cross-validated mean log-likelihood; `None` if there are too few examples for two folds.
    pub held_out: Option<f64>,
}

/// Stopping rule of pruning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prune {
    /// Prune to this number of rules.
    ToSize(usize),
    /// Prune to the fewest rules whose cross-validated AUC-ROC is at most this much lower than with
    /// all rules. Weights are refitted on the training folds at every size.
    ToLoss(f64),
}

/// Function that computes AUC-ROC from scores and labels, supplied by the caller because `metric`
/// is a later layer.
pub type AucRoc<'a> = &'a dyn Fn(&[f64], &[bool]) -> f64;

/// Training examples, with the rules that cover them.
#[derive(Clone)]
struct TrainingData<'a> {
    examples: &'a [Example],
    /// Index of the class of each example in the network.
    labels: Vec<usize>,
    classes: usize,
    weights: Weights,
    /// The examples that each rule covers.
    covered: Vec<Bits>,
}

/// Returns the index of the class of each example in the network.
fn labels(network: &Network, task: &Task<'_>, weights: &Weights) -> Result<Vec<usize>, LearnError> {
    let known = network.classes();
    let Some(names) = task.classes() else {
        count_labels(task, weights)?;
        if known.len() != 2 {
            return Err(ScoreError::Classes { classes: known.join(", ") }.into());
        }
        return Ok(task.examples.iter().map(|example| usize::from(example.positive)).collect());
    };
    let mut class_numbers = Vec::with_capacity(names.len());
    for class in names {
        let number = known.iter().position(|name| name == class);
        let unknown = || ScoreError::UnknownClass { model: known.join(", "), class: class.clone() };
        class_numbers.push(number.ok_or_else(unknown)?);
    }
    let labels: Vec<usize> = task.examples.iter().map(|example| class_numbers[example.class as usize]).collect();
    match labels.first() {
        Some(&first) if labels.iter().any(|&label| label != first) => Ok(labels),
        first => {
            let target = task.database.predicates.show(task.target).to_string();
            Err(LearnError::OneOfClasses { target, only: first.map(|&first| known[first].clone()) })
        }
    }
}

impl<'a> TrainingData<'a> {
    fn new(network: &Network, task: &Task<'a>) -> Result<Self, LearnError> {
        let weights = Weights::new(task.examples, 1.0);
        let examples = (&task.database.predicates, task.target);
        ScoreError::check_arity((network.names().predicates, network.target()), examples)?;
        let labels = labels(network, task, &weights)?;
        let classes = network.classes().len();
        Ok(TrainingData {
            examples: task.examples,
            labels,
            classes,
            weights,
            covered: network.active(&task.coverage()),
        })
    }

    fn all(&self) -> Bits {
        Bits::ones(self.examples.len())
    }

    /// Returns the number of examples of each class.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        self.labels.iter().for_each(|&label| counts[label] += 1);
        counts
    }

    fn patterns(&self, of: &Bits) -> Patterns {
        Patterns::new(&self.covered, &self.labels, self.classes, of, self.weights.get())
    }

    /// Returns the training and held-out examples of each fold; empty if a class has only one
    /// example.
    fn folds(&self, max_folds: usize, seed: u64) -> Vec<(Bits, Bits)> {
        // A class without examples needs none held out.
        let fewest = self.counts().into_iter().filter(|&count| count > 0).min().unwrap_or(0);
        let k = max_folds.min(fewest);
        if k < 2 {
            return Vec::new();
        }
        let fold_of = random_folds(self.examples, k, seed, "weights");
        let split = |fold| {
            let held_out = Bits::from_fn(fold_of.len(), |i| fold_of[i] == fold);
            (self.all().and_not(&held_out), held_out)
        };
        (0..k as u32).map(split).collect()
    }

    /// Returns the network with zero output weights and the log-odds of the classes as biases.
    fn fresh(&self, network: &Network) -> Network {
        let mut shares = vec![0.0; self.classes];
        self.labels.iter().enumerate().for_each(|(i, &label)| shares[label] += self.weights.at(i));
        // A class without an example counts as half an example.
        let smoothed = shares.iter().map(|&share: &f64| if share > 0.0 { share } else { 0.5 });
        let shares: Vec<f64> = smoothed.collect();
        network.with_zero_outputs(shares.iter().map(|share| (share / shares[0]).ln()).collect())
    }

    /// Returns the error for too few examples to cross-validate.
    fn too_few(&self, network: &Network) -> LearnError {
        match self.counts()[..] {
            [negatives, positives] => LearnError::TooFewToJudge { positives, negatives },
            ref counts => {
                let class = counts.iter().position(|&count| count == 1).unwrap_or(0);
                LearnError::TooFewOfClass { class: network.classes()[class].clone() }
            }
        }
    }

    /// Returns AUC-ROC on the examples `of`; for several classes, the mean of one-vs-rest.
    fn held_out_auc(&self, network: &Network, of: &Bits, auc: AucRoc<'_>) -> f64 {
        let n = self.examples.len();
        let of_class = |scores: &[f64], class: usize| {
            let labels: Vec<bool> = of.iter().map(|i| self.labels[i] == class).collect();
            auc(&of.pick(scores), &labels)
        };
        if self.classes == 2 {
            return of_class(&network.psi(&self.covered, n), 1);
        }
        let odds = one_vs_rest(&network.class_scores(&self.covered, n));
        odds.iter().enumerate().map(|(class, odds)| of_class(odds, class)).sum::<f64>() / self.classes as f64
    }

    /// Returns the rule whose contribution has the smallest standard deviation over the examples;
    /// the last of ties.
    fn weakest(&self, network: &Network) -> usize {
        let n = self.examples.len() as f64;
        let mut weakest = (0, f64::INFINITY);
        for (j, node) in network.hidden().iter().enumerate() {
            let share = self.covered[j].count() as f64 / n;
            let deviation = node.strength() * (share * (1.0 - share)).sqrt();
            if deviation <= weakest.1 {
                weakest = (j, deviation);
            }
        }
        weakest.0
    }

    /// Removes the weakest rule and refits the others in a few steps.
    fn drop_weakest(&mut self, network: &mut Network, of: &Bits, options: &FitOptions) {
        let j = self.weakest(network);
        let removed = self.covered.remove(j);
        *network = network.without(j, removed.count_and(of), of.count());
        let options = FitOptions { max_steps: REFIT_STEPS, ..*options };
        network.fit(&self.patterns(of), &options, &mut |_, _| false);
    }
}

/// Steps that suffice to compensate for one removed rule.
const REFIT_STEPS: usize = 10;

/// Fit options chosen by cross-validation.
#[derive(Clone, Copy)]
struct ChosenFit {
    options: FitOptions,
    held_out: Option<f64>,
}

impl LrbmWeights {
    /// Fits the weights in place.
    ///
    /// # Errors
    /// If the examples are all of one class, or the network does not fit the arity or the classes
    /// of the target.
    pub fn fit(&self, network: &mut Network, task: &Task<'_>) -> Result<LearnedWeights, LearnError> {
        let data = TrainingData::new(network, task)?;
        network.use_time_of(task.database);
        Ok(self.fit_data(network, &data, task.seed))
    }

    fn fit_data(&self, network: &mut Network, data: &TrainingData<'_>, seed: u64) -> LearnedWeights {
        if self.fresh {
            *network = data.fresh(network);
        }
        let ChosenFit { options, held_out } = self.choose(network, data, &data.folds(self.folds, seed));
        let fitted = network.fit(&data.patterns(&data.all()), &options, &mut |_, _| false);
        LearnedWeights { fitted, l2: options.l2, held_out }
    }

    /// Chooses the L2 penalty and the number of steps by cross-validation, starting from this
    /// network.
    fn choose(&self, network: &Network, data: &TrainingData<'_>, folds: &[(Bits, Bits)]) -> ChosenFit {
        let tried: &[f64] = self.l2.as_ref().map_or(&L2_CANDIDATES, std::slice::from_ref);
        // Without folds, take the middle penalty and the maximum number of steps.
        let center = if self.fresh { PenaltyCenter::ZeroOutputs } else { PenaltyCenter::Initial };
        let options = |l2, max_steps| FitOptions { l2, center, max_steps };
        let mut best = ChosenFit { options: options(tried[tried.len() / 2], self.max_steps), held_out: None };
        for &l2 in tried.iter().filter(|_| !folds.is_empty()) {
            let limit = options(l2, self.max_steps);
            let curves: Vec<Vec<f64>> = folds.iter().map(|fold| curve(network, data, fold, &limit)).collect();
            let longest = curves.iter().map(Vec::len).max().unwrap_or(0);
            for step in 0..longest {
                // A fit that stopped early keeps its last value.
                let at = |curve: &Vec<f64>| curve.get(step).or(curve.last()).copied().unwrap_or(f64::NEG_INFINITY);
                let mean = curves.iter().map(at).sum::<f64>() / curves.len() as f64;
                if best.held_out.is_none_or(|known| mean > known) {
                    best = ChosenFit { options: options(l2, step), held_out: Some(mean) };
                }
            }
        }
        best
    }

    /// Removes rules one by one, the weakest first, and refits the others each time.
    ///
    /// # Errors
    /// As [`LrbmWeights::fit`]; also if there are too few examples to judge a loss by.
    pub fn prune(
        &self,
        network: &Network,
        task: &Task<'_>,
        prune: Prune,
        auc: AucRoc<'_>,
    ) -> Result<(Network, LearnedWeights), LearnError> {
        let mut data = TrainingData::new(network, task)?;
        let folds = data.folds(self.folds, task.seed);
        let mut smaller = if self.fresh { data.fresh(network) } else { network.clone() };
        let ChosenFit { options, .. } = self.choose(&smaller, &data, &folds);
        let size = match prune {
            Prune::ToSize(size) => size,
            Prune::ToLoss(_) if folds.is_empty() => {
                return Err(data.too_few(network));
            }
            Prune::ToLoss(loss) => {
                let aucs: Vec<Vec<f64>> =
                    folds.iter().map(|fold| auc_by_size(&smaller, &data, fold, &options, auc)).collect();
                let mean = |size: usize| aucs.iter().map(|aucs| aucs[size]).sum::<f64>() / aucs.len() as f64;
                let all = network.hidden().len();
                // Walk down from all rules while the loss is acceptable: a lucky smaller size does
                // not count.
                (0..=all).rev().take_while(|&size| mean(size) >= mean(all) - loss).last().unwrap_or(all)
            }
        };
        let all = data.all();
        smaller.fit(&data.patterns(&all), &options, &mut |_, _| false);
        while smaller.hidden().len() > size {
            data.drop_weakest(&mut smaller, &all, &options);
        }
        let learned = self.fit_data(&mut smaller, &data, task.seed);
        Ok((smaller, learned))
    }
}

/// Returns the mean held-out log-likelihood after each step of a fit to the other folds.
fn curve(network: &Network, data: &TrainingData<'_>, fold: &(Bits, Bits), options: &FitOptions) -> Vec<f64> {
    let (learning, held_out) = (data.patterns(&fold.0), data.patterns(&fold.1));
    let (mut curve, mut best) = (Vec::new(), 0);
    network.clone().fit(&learning, options, &mut |step, network| {
        curve.push(network.log_likelihood(&held_out));
        if curve[step] > curve[best] {
            best = step;
        }
        step - best >= PATIENCE
    });
    curve
}

/// Returns held-out AUC-ROC for each number of rules, from none to all.
fn auc_by_size(
    network: &Network,
    data: &TrainingData<'_>,
    (learning, held_out): &(Bits, Bits),
    options: &FitOptions,
    auc: AucRoc<'_>,
) -> Vec<f64> {
    let (mut network, mut data) = (network.clone(), data.clone());
    network.fit(&data.patterns(learning), options, &mut |_, _| false);
    let mut aucs = vec![0.0; network.hidden().len() + 1];
    loop {
        aucs[network.hidden().len()] = data.held_out_auc(&network, held_out, auc);
        if network.hidden().is_empty() {
            return aucs;
        }
        data.drop_weakest(&mut network, learning, options);
    }
}

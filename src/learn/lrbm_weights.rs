//! The weights of rules that are given, and which of the rules to keep.

use super::checks::count_labels;
use super::weights::Weights;
use super::{LearnError, ScoreError, Task};
use crate::cover::Bits;
use crate::data::folds::random_folds;
use crate::kb::Example;
use crate::rbm::network::{FitOptions, Fitted, Hold, Network, Patterns, against_others};

/// Learns the weights of a network whose rules stay as they are.
///
/// Examples held out in turn say how much weights are held back, and how many steps are best; then all examples are taken.
///
/// Weights that were learned from the same examples know those that are held out. So they begin anew and are held back to 0; or
/// they go on and are held back to what they were, and then move only if that helps examples which already speak for staying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LrbmWeights {
    /// Whether U and d begin anew, at 0 and at the log-odds of the examples.
    pub fresh: bool,
    /// How much weights are held back, see [`FitOptions::l2`]; without it the best of a few.
    pub l2: Option<f64>,
    /// The most steps.
    pub max_steps: usize,
    /// How many parts the examples fall into, each of which is held out once. It is lower if a class has fewer.
    pub folds: usize,
}

impl Default for LrbmWeights {
    fn default() -> Self {
        LrbmWeights { fresh: false, l2: None, max_steps: 300, folds: 5 }
    }
}

/// What is tried if nothing is said.
const L2: [f64; 5] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// Steps without a better likelihood of the examples held out before a fit ends.
const PATIENCE: usize = 20;

/// How weights were learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedWeights {
    /// The fit to all examples.
    pub fitted: Fitted,
    /// How much weights were held back.
    pub l2: f64,
    /// The mean log-likelihood of examples while they were held out; `None` if there were too few to hold any out.
    pub held_out: Option<f64>,
}

/// When pruning ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prune {
    /// When so many rules are left.
    ToSize(usize),
    /// At the fewest rules with which the area under the ROC curve is lower by no more than this than with all of them. It is
    /// measured on training examples held out in turn, and weights are fitted to the others with few rules as with all.
    ToLoss(f64),
}

/// The area under the ROC curve of scores, where true marks the positives.
pub type Area<'a> = &'a dyn Fn(&[f64], &[bool]) -> f64;

/// Training examples as a network sees them.
#[derive(Clone)]
struct Seen<'a> {
    examples: &'a [Example],
    /// The number of each example's class among those of the network.
    labels: Vec<usize>,
    classes: usize,
    weights: Weights,
    lit: Vec<Bits>,
}

/// The number of each example's class among those of the network.
fn labels(network: &Network, task: &Task<'_>, weights: &Weights) -> Result<Vec<usize>, LearnError> {
    let known = network.classes();
    let Some(names) = task.classes() else {
        count_labels(task, weights)?;
        if known.len() != 2 {
            return Err(ScoreError::Classes { classes: known.join(", ") }.into());
        }
        return Ok(task.examples.iter().map(|example| usize::from(example.positive)).collect());
    };
    let mut places = Vec::with_capacity(names.len());
    for class in names {
        let place = known.iter().position(|name| name == class);
        let unknown = || ScoreError::UnknownClass { model: known.join(", "), class: class.clone() };
        places.push(place.ok_or_else(unknown)?);
    }
    let labels: Vec<usize> = task.examples.iter().map(|example| places[example.class as usize]).collect();
    match labels.first() {
        Some(&first) if labels.iter().any(|&label| label != first) => Ok(labels),
        first => {
            let target = task.database.predicates.show(task.target).to_string();
            Err(LearnError::OneOfClasses { target, only: first.map(|&first| known[first].clone()) })
        }
    }
}

impl<'a> Seen<'a> {
    fn new(network: &Network, task: &Task<'a>) -> Result<Self, LearnError> {
        let weights = Weights::new(task.examples, 1.0);
        let asked = (&task.database.predicates, task.target);
        ScoreError::check_arity((network.names().predicates, network.target()), asked)?;
        let labels = labels(network, task, &weights)?;
        let classes = network.classes().len();
        Ok(Seen { examples: task.examples, labels, classes, weights, lit: network.lit(&task.coverage()) })
    }

    fn all(&self) -> Bits {
        Bits::ones(self.examples.len())
    }

    /// How many examples there are of each class.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        self.labels.iter().for_each(|&label| counts[label] += 1);
        counts
    }

    fn patterns(&self, of: &Bits) -> Patterns {
        Patterns::new(&self.lit, &self.labels, self.classes, of, self.weights.get())
    }

    /// For each part that is held out once: the others, and it.
    fn parts(&self, folds: usize, seed: u64) -> Vec<(Bits, Bits)> {
        // Of a class that no example is of, none can be held out.
        let fewest = self.counts().into_iter().filter(|&count| count > 0).min().unwrap_or(0);
        let k = folds.min(fewest);
        if k < 2 {
            return Vec::new();
        }
        let fold_of = random_folds(self.examples, k, seed, "weights");
        let part = |fold| {
            let held_out = Bits::from_fn(fold_of.len(), |i| fold_of[i] == fold);
            (self.all().and_not(&held_out), held_out)
        };
        (0..k as u32).map(part).collect()
    }

    /// The network before it learned anything of the classes.
    fn fresh(&self, network: &Network) -> Network {
        let mut shares = vec![0.0; self.classes];
        self.labels.iter().enumerate().for_each(|(i, &label)| shares[label] += self.weights.at(i));
        // A class without an example counts as half a one.
        let least = shares.iter().map(|&share: &f64| if share > 0.0 { share } else { 0.5 });
        let shares: Vec<f64> = least.collect();
        network.with_blank_classes(shares.iter().map(|share| (share / shares[0]).ln()).collect())
    }

    /// There are too few examples to hold some of each class out.
    fn too_few(&self, network: &Network) -> LearnError {
        match self.counts()[..] {
            [negatives, positives] => LearnError::TooFewToJudge { positives, negatives },
            ref counts => {
                let class = counts.iter().position(|&count| count == 1).unwrap_or(0);
                LearnError::TooFewOfClass { class: network.classes()[class].clone() }
            }
        }
    }

    /// The area on some examples; of more than two classes, the mean of each against the others.
    fn area(&self, network: &Network, of: &Bits, area: Area<'_>) -> f64 {
        let n = self.examples.len();
        let of_class = |scores: &[f64], class: usize| {
            let labels: Vec<bool> = of.iter().map(|i| self.labels[i] == class).collect();
            area(&of.pick(scores), &labels)
        };
        if self.classes == 2 {
            return of_class(&network.psi(&self.lit, n), 1);
        }
        let odds = against_others(&network.class_scores(&self.lit, n));
        odds.iter().enumerate().map(|(class, odds)| of_class(odds, class)).sum::<f64>() / self.classes as f64
    }

    /// The rule that says least: what it adds varies least over the examples. Of equals the last.
    fn weakest(&self, network: &Network) -> usize {
        let n = self.examples.len() as f64;
        let mut weakest = (0, f64::INFINITY);
        for (j, node) in network.hidden().iter().enumerate() {
            let part = self.lit[j].count() as f64 / n;
            let says = node.strength() * (part * (1.0 - part)).sqrt();
            if says <= weakest.1 {
                weakest = (j, says);
            }
        }
        weakest.0
    }

    /// Takes the weakest rule away and fits the rest again, in few steps.
    fn shrink(&mut self, network: &mut Network, of: &Bits, options: &FitOptions) {
        let j = self.weakest(network);
        let lit = self.lit.remove(j);
        *network = network.without(j, lit.count_and(of), of.count());
        let options = FitOptions { max_steps: STEPS_OF_A_ROUND, ..*options };
        network.fit(&self.patterns(of), &options, &mut |_, _| false);
    }
}

/// Enough to make up for one rule.
const STEPS_OF_A_ROUND: usize = 10;

/// How to fit: found on examples held out.
#[derive(Clone, Copy)]
struct Choice {
    options: FitOptions,
    held_out: Option<f64>,
}

impl LrbmWeights {
    /// Learns the weights.
    ///
    /// # Errors
    /// If there is no positive or no negative example, or none of a second class, or the network is not for examples of this kind.
    pub fn fit(&self, network: &mut Network, task: &Task<'_>) -> Result<LearnedWeights, LearnError> {
        let seen = Seen::new(network, task)?;
        Ok(self.fit_seen(network, &seen, task.seed))
    }

    fn fit_seen(&self, network: &mut Network, seen: &Seen<'_>, seed: u64) -> LearnedWeights {
        if self.fresh {
            *network = seen.fresh(network);
        }
        let Choice { options, held_out } = self.choose(network, seen, &seen.parts(self.folds, seed));
        let fitted = network.fit(&seen.patterns(&seen.all()), &options, &mut |_, _| false);
        LearnedWeights { fitted, l2: options.l2, held_out }
    }

    /// What is best for the examples that are held out, from this network on.
    fn choose(&self, network: &Network, seen: &Seen<'_>, parts: &[(Bits, Bits)]) -> Choice {
        let tried: &[f64] = self.l2.as_ref().map_or(&L2, std::slice::from_ref);
        // With too few examples to hold any out, the middle and the limit on steps are all there is.
        let hold = if self.fresh { Hold::Blank } else { Hold::Start };
        let options = |l2, max_steps| FitOptions { l2, hold, max_steps };
        let mut best = Choice { options: options(tried[tried.len() / 2], self.max_steps), held_out: None };
        for &l2 in tried.iter().filter(|_| !parts.is_empty()) {
            let limit = options(l2, self.max_steps);
            let curves: Vec<Vec<f64>> = parts.iter().map(|part| curve(network, seen, part, &limit)).collect();
            let longest = curves.iter().map(Vec::len).max().unwrap_or(0);
            for step in 0..longest {
                // A fit that ended early stays where it ended.
                let at = |curve: &Vec<f64>| curve.get(step).or(curve.last()).copied().unwrap_or(f64::NEG_INFINITY);
                let mean = curves.iter().map(at).sum::<f64>() / curves.len() as f64;
                if best.held_out.is_none_or(|known| mean > known) {
                    best = Choice { options: options(l2, step), held_out: Some(mean) };
                }
            }
        }
        best
    }

    /// Takes rules away, the one that says least first, and fits the rest again each time.
    ///
    /// # Errors
    /// As [`LrbmWeights::fit`]; also if there are too few examples to judge a loss by.
    pub fn prune(
        &self,
        network: &Network,
        task: &Task<'_>,
        prune: Prune,
        area: Area<'_>,
    ) -> Result<(Network, LearnedWeights), LearnError> {
        let mut seen = Seen::new(network, task)?;
        let parts = seen.parts(self.folds, task.seed);
        let mut smaller = if self.fresh { seen.fresh(network) } else { network.clone() };
        let Choice { options, .. } = self.choose(&smaller, &seen, &parts);
        let size = match prune {
            Prune::ToSize(size) => size,
            Prune::ToLoss(_) if parts.is_empty() => {
                return Err(seen.too_few(network));
            }
            Prune::ToLoss(loss) => {
                let areas: Vec<Vec<f64>> =
                    parts.iter().map(|part| areas_by_size(&smaller, &seen, part, &options, area)).collect();
                let mean = |size: usize| areas.iter().map(|areas| areas[size]).sum::<f64>() / areas.len() as f64;
                let all = network.hidden().len();
                // From the largest down, as long as no step loses too much: a lucky one further down does not count.
                (0..=all).rev().take_while(|&size| mean(size) >= mean(all) - loss).last().unwrap_or(all)
            }
        };
        let all = seen.all();
        smaller.fit(&seen.patterns(&all), &options, &mut |_, _| false);
        while smaller.hidden().len() > size {
            seen.shrink(&mut smaller, &all, &options);
        }
        let learned = self.fit_seen(&mut smaller, &seen, task.seed);
        Ok((smaller, learned))
    }
}

/// The mean log-likelihood of the examples held out after each step of a fit to the others.
fn curve(network: &Network, seen: &Seen<'_>, part: &(Bits, Bits), options: &FitOptions) -> Vec<f64> {
    let (learning, held_out) = (seen.patterns(&part.0), seen.patterns(&part.1));
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

/// The area on the examples held out with each number of rules, from none to all.
fn areas_by_size(
    network: &Network,
    seen: &Seen<'_>,
    (learning, held_out): &(Bits, Bits),
    options: &FitOptions,
    area: Area<'_>,
) -> Vec<f64> {
    let (mut network, mut seen) = (network.clone(), seen.clone());
    network.fit(&seen.patterns(learning), options, &mut |_, _| false);
    let mut areas = vec![0.0; network.hidden().len() + 1];
    loop {
        areas[network.hidden().len()] = seen.area(&network, held_out, area);
        if network.hidden().is_empty() {
            return areas;
        }
        seen.shrink(&mut network, learning, options);
    }
}

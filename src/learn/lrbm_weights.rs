//! The weights of rules that are given, and which of the rules to keep.

use super::boost::{both_classes, hold_out_part};
use super::{LearnError, ScoreError, Task};
use crate::kb::Example;
use crate::rbm::network::{FitOptions, Fitted, Network, Patterns};
use crate::tree::Bits;

/// Learns the weights of a network whose rules stay as they are.
///
/// The likelihood of examples held out says how many steps are best; then all examples are taken, and as many steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LrbmWeights {
    /// How weights are fitted.
    pub options: FitOptions,
    /// The part of the training examples that is held out, above 0 and below 1.
    pub held_out: f64,
}

impl Default for LrbmWeights {
    fn default() -> Self {
        LrbmWeights { options: FitOptions::default(), held_out: 0.2 }
    }
}

/// When pruning ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prune {
    /// When so many rules are left.
    ToSize(usize),
    /// At the fewest rules with which the area under the ROC curve, on training examples held out, is lower by no more than this.
    ToLoss(f64),
}

/// The area under the ROC curve of scores, where true marks the positives.
pub type Area<'a> = &'a dyn Fn(&[f64], &[bool]) -> f64;

/// Training examples as a network sees them.
struct Seen<'a> {
    examples: &'a [Example],
    labels: Vec<usize>,
    lit: Vec<Bits>,
}

impl<'a> Seen<'a> {
    fn new(network: &Network, task: &Task<'a>) -> Result<Self, LearnError> {
        both_classes(task)?;
        let arity = task.database.predicates.arity(task.target);
        if arity != network.target_arity() {
            return Err(ScoreError::Arity {
                model: network.names().predicates.show(network.target()).to_string(),
                asked: task.database.predicates.show(task.target).to_string(),
            }
            .into());
        }
        if network.classes().len() != 2 {
            return Err(ScoreError::Classes { classes: network.classes().join(", ") }.into());
        }
        let labels = task.examples.iter().map(|example| usize::from(example.positive)).collect();
        Ok(Seen { examples: task.examples, labels, lit: network.lit(&task.coverage()) })
    }

    fn patterns(&self, of: &Bits) -> Patterns {
        Patterns::new(&self.lit, &self.labels, 2, of)
    }

    /// The rule that says least: what it adds varies least over the examples. Of equals the last.
    fn weakest(&self, network: &Network) -> usize {
        let n = self.examples.len() as f64;
        let says = |j: usize| {
            let part = self.lit[j].count() as f64 / n;
            network.hidden()[j].strength() * (part * (1.0 - part)).sqrt()
        };
        let mut weakest = (0, f64::INFINITY);
        for j in 0..network.hidden().len() {
            let says = says(j);
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
        network.fit(&self.patterns(of), None, &FitOptions { max_steps: STEPS_OF_A_ROUND, ..*options });
    }
}

/// Enough to make up for one rule.
const STEPS_OF_A_ROUND: usize = 10;

impl LrbmWeights {
    /// Learns the weights, from where they are.
    ///
    /// # Errors
    /// If there is no positive or no negative example, or the network is not for examples of this kind.
    pub fn fit(&self, network: &mut Network, task: &Task<'_>) -> Result<Fitted, LearnError> {
        let seen = Seen::new(network, task)?;
        Ok(self.fit_seen(network, &seen, task.seed))
    }

    fn fit_seen(&self, network: &mut Network, seen: &Seen<'_>, seed: u64) -> Fitted {
        let all = seen.patterns(&Bits::ones(seen.examples.len()));
        let mut options = self.options;
        // With too few examples to hold any out, the limit on steps is all there is.
        let mut judged = None;
        if let Some((learning, held_out)) = hold_out_part(seen.examples, self.held_out, seed) {
            let (learning, held_out) = (seen.patterns(&learning), seen.patterns(&held_out));
            let fitted = network.clone().fit(&learning, Some(&held_out), &options);
            options.max_steps = fitted.kept;
            judged = fitted.held_out;
        }
        Fitted { held_out: judged, ..network.fit(&all, None, &options) }
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
    ) -> Result<(Network, Fitted), LearnError> {
        let size = match prune {
            Prune::ToSize(size) => size,
            Prune::ToLoss(loss) => self.size_for_loss(network, task, loss, area)?,
        };
        let (mut smaller, mut seen) = (network.clone(), Seen::new(network, task)?);
        let all = Bits::ones(seen.examples.len());
        while smaller.hidden().len() > size {
            seen.shrink(&mut smaller, &all, &self.options);
        }
        let fitted = self.fit_seen(&mut smaller, &seen, task.seed);
        Ok((smaller, fitted))
    }

    /// The fewest rules that lose no more than allowed on examples that the weights are not fitted to.
    ///
    /// The network that is pruned may have seen them, so it looks a little better than it is, and the loss a little larger.
    fn size_for_loss(
        &self,
        network: &Network,
        task: &Task<'_>,
        loss: f64,
        area: Area<'_>,
    ) -> Result<usize, LearnError> {
        let mut seen = Seen::new(network, task)?;
        let Some((learning, held_out)) = hold_out_part(seen.examples, self.held_out, task.seed) else {
            let positives = seen.labels.iter().sum();
            return Err(LearnError::TooFewToJudge { positives, negatives: seen.examples.len() - positives });
        };
        let labels: Vec<bool> = held_out.iter().map(|i| seen.examples[i].positive).collect();
        let judge = |network: &Network, seen: &Seen<'_>| {
            let psi = network.psi(&seen.lit, seen.examples.len());
            area(&held_out.pick(&psi), &labels)
        };
        let needed = judge(network, &seen) - loss;
        let (mut smaller, mut size) = (network.clone(), network.hidden().len());
        while !smaller.hidden().is_empty() {
            seen.shrink(&mut smaller, &learning, &self.options);
            if judge(&smaller, &seen) >= needed {
                size = smaller.hidden().len();
            }
        }
        Ok(size)
    }
}

//! The weights of a network from examples: maximum conditional likelihood, by its exact gradient.
//!
//! Only which rules an example lights and what class it has count, so examples that agree in both are one. What a node adds
//! depends on whether it is lit and on nothing else, so a pass over the examples takes no logarithm but one each.

use super::Network;
use crate::cover::Bits;
use crate::determinism::IndexMap;
use crate::math::{log_sum_exp, sigmoid};

/// Examples as far as a network tells them apart.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The hidden nodes that are lit, and how many examples of each class light just these.
    all: Vec<(Vec<u32>, Vec<f64>)>,
    total: f64,
}

impl Patterns {
    /// The examples in `of`, each with the number of its class; `lit` says which of them light each hidden node, and `weights` how much
    /// each counts, if that is not 1.
    pub fn new(lit: &[Bits], labels: &[usize], classes: usize, of: &Bits, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let mut all: IndexMap<Vec<u32>, Vec<f64>> = IndexMap::default();
        for i in of.iter() {
            let on: Vec<u32> = (0..lit.len() as u32).filter(|&j| lit[j as usize].get(i)).collect();
            all.entry(on).or_insert_with(|| vec![0.0; classes])[labels[i]] += weight(i);
        }
        let total: f64 = of.iter().map(weight).sum();
        Patterns { all: all.into_iter().collect(), total: if total > 0.0 { total } else { 1.0 } }
    }
}

/// How weights are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// How much weights are held back: half of it, times the squares of how far c, W and U are from where they are held, is added
    /// to the mean negative log-likelihood. The biases of classes are free.
    pub l2: f64,
    /// Where they are held.
    pub hold: Hold,
    /// The most steps.
    pub max_steps: usize,
}

/// What weights are held back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// All to what they were.
    Start,
    /// U to 0, which says nothing of the classes; c and W to what they were.
    Blank,
}

/// How a fit went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// Steps taken.
    pub steps: usize,
    /// The mean log-likelihood of the examples it was fitted to.
    pub log_likelihood: f64,
}

/// Sees the network before the first step, with the number 0, and after each; whether to stop.
pub type Watch<'a> = &'a mut dyn FnMut(usize, &Network) -> bool;

impl Network {
    /// All weights in one row: d, then c, W and U of each hidden node.
    pub fn weights(&self) -> Vec<f64> {
        let mut all = self.d.clone();
        for node in &self.hidden {
            all.push(node.c);
            all.extend(&node.w);
            all.extend(&node.u);
        }
        all
    }

    /// Puts weights in place, in the order of [`Network::weights`].
    ///
    /// # Panics
    /// If there are too few or too many.
    pub fn set_weights(&mut self, weights: &[f64]) {
        let (mut rest, mut used) = (weights, 0);
        let mut take = |place: &mut [f64]| {
            let (head, tail) = rest.split_at(place.len());
            place.copy_from_slice(head);
            rest = tail;
            used += place.len();
        };
        take(&mut self.d);
        for node in &mut self.hidden {
            take(std::slice::from_mut(&mut node.c));
            take(&mut node.w);
            take(&mut node.u);
        }
        assert_eq!(used, weights.len(), "one number for each weight");
    }

    /// The mean of log p(y | x) over examples.
    pub fn log_likelihood(&self, examples: &Patterns) -> f64 {
        self.likelihood(examples, None)
    }

    /// The mean of log p(y | x), and its derivatives by the weights in the order of [`Network::weights`].
    pub fn gradient(&self, examples: &Patterns) -> (f64, Vec<f64>) {
        let mut gradient = Vec::new();
        let value = self.likelihood(examples, Some(&mut gradient));
        (value, gradient)
    }

    fn likelihood(&self, examples: &Patterns, gradient: Option<&mut Vec<f64>>) -> f64 {
        let classes = self.d.len();
        // What is added by each node when it is lit, over what it adds otherwise; that is added at once.
        let gains: Vec<Vec<f64>> = self
            .hidden
            .iter()
            .map(|node| node.adds(true).into_iter().zip(node.adds(false)).map(|(on, off)| on - off).collect())
            .collect();
        let base = self.scores(|_| false);
        let mut value = 0.0;
        // Σ of the derivatives by the scores, of all examples and of those that light each node.
        let mut of_all = vec![0.0; classes];
        let mut of_lit = vec![vec![0.0; classes]; self.hidden.len()];
        for (on, counts) in &examples.all {
            let mut scores = base.clone();
            for &j in on {
                scores.iter_mut().zip(&gains[j as usize]).for_each(|(score, gain)| *score += gain);
            }
            let (total, n) = (log_sum_exp(&scores), counts.iter().sum::<f64>());
            value += counts.iter().zip(&scores).map(|(count, score)| count * (score - total)).sum::<f64>();
            if gradient.is_some() {
                // ∂/∂score(y): how many there are of the class, less how many are expected.
                let slopes = counts.iter().zip(&scores).map(|(count, score)| count - n * (score - total).exp());
                let slopes: Vec<f64> = slopes.collect();
                of_all.iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum += slope);
                for &j in on {
                    of_lit[j as usize].iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum += slope);
                }
            }
        }
        if let Some(gradient) = gradient {
            *gradient = of_all.clone();
            for (node, lit) in self.hidden.iter().zip(&of_lit) {
                // ζ′ is the sigmoid.
                let input: f64 = node.w.iter().sum();
                let slope = |y: usize, input: f64| sigmoid(node.c + node.u[y] + input);
                let on: Vec<f64> = (0..classes).map(|y| lit[y] * slope(y, input)).collect();
                let off: Vec<f64> = (0..classes).map(|y| (of_all[y] - lit[y]) * slope(y, 0.0)).collect();
                let sum_on: f64 = on.iter().sum();
                gradient.push(sum_on + off.iter().sum::<f64>());
                gradient.extend(node.w.iter().map(|_| sum_on));
                gradient.extend(on.iter().zip(&off).map(|(on, off)| on + off));
            }
            gradient.iter_mut().for_each(|slope| *slope /= examples.total);
        }
        value / examples.total
    }

    /// Fits all weights together. The same arguments give the same weights.
    pub fn fit(&mut self, examples: &Patterns, options: &FitOptions, watch: Watch<'_>) -> Fitted {
        let biases = self.d.len();
        let held = match options.hold {
            Hold::Start => self.weights(),
            Hold::Blank => self.with_blank_classes(self.d.clone()).weights(),
        };
        let penalty = |k: usize| if k < biases { 0.0 } else { options.l2 };
        let mut network = self.clone();
        let mut objective = |weights: &[f64]| {
            network.set_weights(weights);
            let (value, mut slopes) = network.gradient(examples);
            let mut loss = -value;
            for (k, slope) in slopes.iter_mut().enumerate() {
                let away = weights[k] - held[k];
                loss += 0.5 * penalty(k) * away * away;
                *slope = penalty(k) * away - *slope;
            }
            (loss, slopes)
        };
        let steps = descend(self.weights(), options.max_steps, &mut objective, &mut |step, weights| {
            self.set_weights(weights);
            watch(step, self)
        });
        Fitted { steps, log_likelihood: self.log_likelihood(examples) }
    }

    /// The same rules with nothing learned about the classes: U is 0, and the biases are these.
    pub fn with_blank_classes(&self, d: Vec<f64>) -> Network {
        assert_eq!(d.len(), self.classes().len(), "one bias for each class");
        let mut blank = Network { d, ..self.clone() };
        blank.hidden.iter_mut().for_each(|node| node.u.fill(0.0));
        blank
    }
}

/// A value to make small, and its slopes.
type Objective<'a> = &'a mut dyn FnMut(&[f64]) -> (f64, Vec<f64>);

/// How many of the last steps tell how the slopes change.
const MEMORY: usize = 10;

/// Minimises a function by L-BFGS with steps that are halved until they lead down far enough; `ends` sees every point, the first
/// with the number 0. Gives the number of steps.
fn descend(
    mut at: Vec<f64>,
    max_steps: usize,
    objective: Objective<'_>,
    ends: &mut dyn FnMut(usize, &[f64]) -> bool,
) -> usize {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut value, mut slopes) = objective(&at);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    if ends(0, &at) {
        return 0;
    }
    for step in 1..=max_steps {
        let mut direction = newton(&slopes, &memory);
        if dot(&direction, &slopes) >= 0.0 {
            memory.clear();
            direction = newton(&slopes, &memory);
        }
        let fall = dot(&direction, &slopes);
        // Without memory the slope says where to go, not how far: begin with a length of 1 at most.
        let mut length = if memory.is_empty() { 1f64.min(1.0 / fall.abs().sqrt().max(1e-300)) } else { 1.0 };
        let next = loop {
            let there: Vec<f64> = at.iter().zip(&direction).map(|(at, d)| at + length * d).collect();
            let (new_value, new_slopes) = objective(&there);
            if new_value <= value + 1e-4 * length * fall {
                break Some((there, new_value, new_slopes));
            }
            length /= 2.0;
            if length < 1e-12 {
                break None;
            }
        };
        let Some((there, new_value, new_slopes)) = next else { return step - 1 };
        let moved: Vec<f64> = there.iter().zip(&at).map(|(a, b)| a - b).collect();
        let changed: Vec<f64> = new_slopes.iter().zip(&slopes).map(|(a, b)| a - b).collect();
        if dot(&moved, &changed) > 1e-10 * dot(&changed, &changed) {
            if memory.len() == MEMORY {
                memory.remove(0);
            }
            memory.push((moved, changed));
        }
        let gained = value - new_value;
        (at, value, slopes) = (there, new_value, new_slopes);
        if ends(step, &at) || gained < 1e-12 * (1.0 + value.abs()) {
            return step;
        }
    }
    max_steps
}

/// The direction of the next step: down the slopes, bent by how they changed in the last steps (Nocedal and Wright, Algorithm 7.4).
fn newton(slopes: &[f64], memory: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut direction: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (moved, changed) in memory.iter().rev() {
        let share = dot(moved, &direction) / dot(moved, changed);
        direction.iter_mut().zip(changed).for_each(|(d, changed)| *d -= share * changed);
        shares.push(share);
    }
    if let Some((moved, changed)) = memory.last() {
        let scale = dot(moved, changed) / dot(changed, changed);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for ((moved, changed), share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = dot(changed, &direction) / dot(moved, changed);
        direction.iter_mut().zip(moved).for_each(|(d, moved)| *d += (share - back) * moved);
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::super::tests::network;
    use super::*;
    use crate::determinism::Stream;
    use proptest::prelude::*;

    /// Random examples of the running example's network: which light each of its three nodes, and their classes.
    fn examples(seed: u64, n: usize) -> (Vec<Bits>, Vec<usize>) {
        let mut stream = Stream::new(seed, &["examples"]);
        let lit = (0..3).map(|_| Bits::from_fn(n, |_| stream.index(3) == 0)).collect();
        let labels = (0..n).map(|_| stream.index(4)).collect();
        (lit, labels)
    }

    #[test]
    fn the_likelihood_is_that_of_the_probabilities() {
        let (lit, labels) = examples(1, 40);
        let patterns = Patterns::new(&lit, &labels, 4, &Bits::ones(40), None);
        assert!(patterns.all.len() <= 8, "three nodes are lit in eight ways");
        let probabilities = network().probabilities(&lit, 40);
        let mean: f64 = labels.iter().zip(&probabilities).map(|(&y, p)| p[y].ln()).sum::<f64>() / 40.0;
        assert!((network().log_likelihood(&patterns) - mean).abs() < 1e-12);
    }

    #[test]
    fn without_rules_the_biases_become_the_log_odds() {
        let mut network = Network::new(("h", 1), super::super::two_classes(), vec![0.0, 0.0], "test");
        let labels: Vec<usize> = (0..40).map(|i| usize::from(i < 10)).collect();
        let patterns = Patterns::new(&[], &labels, 2, &Bits::ones(40), None);
        let fitted =
            network.fit(&patterns, &FitOptions { l2: 0.0, hold: Hold::Start, max_steps: 100 }, &mut |_, _| false);
        // 10 of 40: log-odds log(1/3), likelihood (log(1/4) + 3 log(3/4)) / 4
        assert!((network.biases()[1] - network.biases()[0] - (1f64 / 3.0).ln()).abs() < 1e-5, "{:?}", network.biases());
        assert!((fitted.log_likelihood - (0.25f64.ln() + 3.0 * 0.75f64.ln()) / 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_fit_leads_up_and_is_the_same_again() {
        let (lit, labels) = examples(5, 200);
        let patterns = Patterns::new(&lit, &labels, 4, &Bits::ones(200), None);
        let before = network().log_likelihood(&patterns);
        let fit = |max_steps| {
            let (mut network, mut seen) = (network(), Vec::new());
            let options = FitOptions { l2: 1e-4, hold: Hold::Blank, max_steps };
            let fitted = network.fit(&patterns, &options, &mut |step, network| {
                assert_eq!(step, seen.len());
                seen.push(network.log_likelihood(&patterns));
                step == 7
            });
            (network.weights(), fitted, seen)
        };
        let (weights, fitted, seen) = fit(100);
        // It stops where it is told to, with the weights of that step.
        assert_eq!((fitted.steps, seen.len(), seen[0]), (7, 8, before));
        assert_eq!(fitted.log_likelihood, seen[7]);
        assert!(fitted.log_likelihood > before, "{seen:?}");
        assert_eq!(fit(100), (weights.clone(), fitted, seen.clone()));
        assert_eq!(fit(7), (weights, fitted, seen));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn the_gradient_is_the_finite_difference(seed: u64) {
            let (lit, labels) = examples(seed, 30);
            let patterns = Patterns::new(&lit, &labels, 4, &Bits::ones(30), None);
            let mut stream = Stream::new(seed, &["weights"]);
            let mut network = network();
            let weights: Vec<f64> = network.weights().iter().map(|_| 4.0 * stream.unit() - 2.0).collect();
            network.set_weights(&weights);
            prop_assert_eq!(&network.weights(), &weights);
            let (_, gradient) = network.gradient(&patterns);
            let h = 1e-6;
            for k in 0..weights.len() {
                let mut moved = |by: f64| {
                    let mut weights = weights.clone();
                    weights[k] += by;
                    network.set_weights(&weights);
                    network.log_likelihood(&patterns)
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                prop_assert!((difference - gradient[k]).abs() < 1e-7, "{k}: {difference} {}", gradient[k]);
            }
        }
    }
}

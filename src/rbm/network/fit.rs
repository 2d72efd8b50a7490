//! Fitting of network weights by maximum conditional likelihood, with the exact gradient.
//!
//! Only the active rules and the class of an example matter, so examples that agree in both are
//! merged. The term of a node depends only on whether it is active, so a pass needs one logarithm
//! per pattern.

use super::Network;
use crate::cancel;
use crate::cover::Bits;
use crate::determinism::IndexMap;
use crate::math::{log_sum_exp, sigmoid};

/// Examples grouped by their active hidden nodes.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The active hidden nodes, and the weight of the examples of each class with this pattern.
    all: Vec<(Vec<u32>, Vec<f64>)>,
    total: f64,
}

impl Patterns {
    /// Groups the examples in `of`, given their classes, the examples that activate each hidden
    /// node, and optional weights.
    pub fn new(active: &[Bits], labels: &[usize], classes: usize, of: &Bits, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let mut all: IndexMap<Vec<u32>, Vec<f64>> = IndexMap::default();
        for i in of.iter() {
            let on: Vec<u32> = (0..active.len() as u32).filter(|&j| active[j as usize].get(i)).collect();
            all.entry(on).or_insert_with(|| vec![0.0; classes])[labels[i]] += weight(i);
        }
        let total: f64 = of.iter().map(weight).sum();
        Patterns { all: all.into_iter().collect(), total: if total > 0.0 { total } else { 1.0 } }
    }
}

/// Options of fitting weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// The L2 penalty: l2/2 times the squared distance of c, W and U from their center is added to
    /// the mean negative log-likelihood. The biases of classes are not penalized.
    pub l2: f64,
    /// The center of the penalty.
    pub center: PenaltyCenter,
    /// The maximum number of steps.
    pub max_steps: usize,
}

/// The weights that the L2 penalty pulls towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PenaltyCenter {
    /// The initial weights.
    Initial,
    /// 0 for U, so that rules have no effect on the classes; the initial c and W.
    ZeroOutputs,
}

/// The result of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The number of steps.
    pub steps: usize,
    /// The mean log-likelihood of the training examples.
    pub log_likelihood: f64,
}

/// Called with the network before the first step (number 0) and after each; returns whether to
/// stop.
pub type Monitor<'a> = &'a mut dyn FnMut(usize, &Network) -> bool;

impl Network {
    /// Returns all weights in one vector: d, then c, W and U of each hidden node.
    pub fn weights(&self) -> Vec<f64> {
        let mut all = self.d.clone();
        for node in &self.hidden {
            all.push(node.c);
            all.extend(&node.w);
            all.extend(&node.u);
        }
        all
    }

    /// Sets all weights, in the order of [`Network::weights`].
    ///
    /// # Panics
    /// If the number of weights is wrong.
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
        assert_eq!(used, weights.len(), "wrong number of weights");
    }

    /// Returns the mean of log p(y | x) over examples.
    pub fn log_likelihood(&self, examples: &Patterns) -> f64 {
        self.likelihood(examples, None)
    }

    /// Returns the mean of log p(y | x), and its gradient in the order of [`Network::weights`].
    pub fn gradient(&self, examples: &Patterns) -> (f64, Vec<f64>) {
        let mut gradient = Vec::new();
        let value = self.likelihood(examples, Some(&mut gradient));
        (value, gradient)
    }

    fn likelihood(&self, examples: &Patterns, gradient: Option<&mut Vec<f64>>) -> f64 {
        let classes = self.d.len();
        // The terms of inactive nodes are added once; per pattern only the differences of active
        // ones.
        let gains: Vec<Vec<f64>> = self
            .hidden
            .iter()
            .map(|node| {
                node.class_terms(true).into_iter().zip(node.class_terms(false)).map(|(on, off)| on - off).collect()
            })
            .collect();
        let base = self.scores(|_| false);
        let mut value = 0.0;
        // Sums of the derivatives by the scores, over all examples and over those that activate
        // each node.
        let mut of_all = vec![0.0; classes];
        let mut of_active = vec![vec![0.0; classes]; self.hidden.len()];
        for (on, counts) in &examples.all {
            let mut scores = base.clone();
            for &j in on {
                scores.iter_mut().zip(&gains[j as usize]).for_each(|(score, gain)| *score += gain);
            }
            let (total, n) = (log_sum_exp(&scores), counts.iter().sum::<f64>());
            value += counts.iter().zip(&scores).map(|(count, score)| count * (score - total)).sum::<f64>();
            if gradient.is_some() {
                // ∂/∂score(y): observed minus expected weight of the class.
                let derivatives = counts.iter().zip(&scores).map(|(count, score)| count - n * (score - total).exp());
                let derivatives: Vec<f64> = derivatives.collect();
                of_all.iter_mut().zip(&derivatives).for_each(|(sum, derivative)| *sum += derivative);
                for &j in on {
                    of_active[j as usize].iter_mut().zip(&derivatives).for_each(|(sum, derivative)| *sum += derivative);
                }
            }
        }
        if let Some(gradient) = gradient {
            *gradient = of_all.clone();
            for (node, active) in self.hidden.iter().zip(&of_active) {
                // ζ′ is the sigmoid.
                let input: f64 = node.w.iter().sum();
                let slope = |y: usize, input: f64| sigmoid(node.c + node.u[y] + input);
                let on: Vec<f64> = (0..classes).map(|y| active[y] * slope(y, input)).collect();
                let off: Vec<f64> = (0..classes).map(|y| (of_all[y] - active[y]) * slope(y, 0.0)).collect();
                let sum_on: f64 = on.iter().sum();
                gradient.push(sum_on + off.iter().sum::<f64>());
                gradient.extend(node.w.iter().map(|_| sum_on));
                gradient.extend(on.iter().zip(&off).map(|(on, off)| on + off));
            }
            gradient.iter_mut().for_each(|slope| *slope /= examples.total);
        }
        value / examples.total
    }

    /// Fits all weights jointly. The result is deterministic.
    pub fn fit(&mut self, examples: &Patterns, options: &FitOptions, monitor: Monitor<'_>) -> Fitted {
        let biases = self.d.len();
        let center = match options.center {
            PenaltyCenter::Initial => self.weights(),
            PenaltyCenter::ZeroOutputs => self.with_zero_outputs(self.d.clone()).weights(),
        };
        let penalty = |k: usize| if k < biases { 0.0 } else { options.l2 };
        let mut network = self.clone();
        let mut objective = |weights: &[f64]| {
            network.set_weights(weights);
            let (value, mut gradient) = network.gradient(examples);
            let mut loss = -value;
            for (k, slope) in gradient.iter_mut().enumerate() {
                let offset = weights[k] - center[k];
                loss += 0.5 * penalty(k) * offset * offset;
                *slope = penalty(k) * offset - *slope;
            }
            (loss, gradient)
        };
        let steps = minimize(self.weights(), options.max_steps, &mut objective, &mut |step, weights| {
            self.set_weights(weights);
            monitor(step, self)
        });
        Fitted { steps, log_likelihood: self.log_likelihood(examples) }
    }

    /// Returns the network with U set to 0 and the given biases.
    pub fn with_zero_outputs(&self, d: Vec<f64>) -> Network {
        assert_eq!(d.len(), self.classes().len(), "the number of biases differs from that of the classes");
        let mut network = Network { d, ..self.clone() };
        network.hidden.iter_mut().for_each(|node| node.u.fill(0.0));
        network
    }
}

/// The value of an objective and its gradient.
type Objective<'a> = &'a mut dyn FnMut(&[f64]) -> (f64, Vec<f64>);

/// The number of steps that L-BFGS remembers.
const MEMORY: usize = 10;

/// Minimizes a function by L-BFGS with backtracking line search; `ends` is called with every point,
/// starting with number 0, and returns whether to stop. Returns the number of steps.
fn minimize(
    mut at: Vec<f64>,
    max_steps: usize,
    objective: Objective<'_>,
    ends: &mut dyn FnMut(usize, &[f64]) -> bool,
) -> usize {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut value, mut gradient) = objective(&at);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    if ends(0, &at) {
        return 0;
    }
    for step in 1..=max_steps {
        cancel::poll();
        let mut direction = lbfgs_direction(&gradient, &memory);
        if dot(&direction, &gradient) >= 0.0 {
            memory.clear();
            direction = lbfgs_direction(&gradient, &memory);
        }
        let fall = dot(&direction, &gradient);
        // Without history only the direction is known: start with a length of at most 1.
        let mut length = if memory.is_empty() { 1f64.min(1.0 / fall.abs().sqrt().max(1e-300)) } else { 1.0 };
        let next = loop {
            let there: Vec<f64> = at.iter().zip(&direction).map(|(at, d)| at + length * d).collect();
            let (new_value, new_gradient) = objective(&there);
            if new_value <= value + 1e-4 * length * fall {
                break Some((there, new_value, new_gradient));
            }
            length /= 2.0;
            if length < 1e-12 {
                break None;
            }
        };
        let Some((there, new_value, new_gradient)) = next else { return step - 1 };
        let moved: Vec<f64> = there.iter().zip(&at).map(|(a, b)| a - b).collect();
        let changed: Vec<f64> = new_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        if dot(&moved, &changed) > 1e-10 * dot(&changed, &changed) {
            if memory.len() == MEMORY {
                memory.remove(0);
            }
            memory.push((moved, changed));
        }
        let gained = value - new_value;
        (at, value, gradient) = (there, new_value, new_gradient);
        if ends(step, &at) || gained < 1e-12 * (1.0 + value.abs()) {
            return step;
        }
    }
    max_steps
}

/// Returns the search direction by the two-loop recursion (Nocedal and Wright, Algorithm 7.4).
fn lbfgs_direction(gradient: &[f64], memory: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut coefficients = Vec::with_capacity(memory.len());
    for (moved, changed) in memory.iter().rev() {
        let coefficient = dot(moved, &direction) / dot(moved, changed);
        direction.iter_mut().zip(changed).for_each(|(d, changed)| *d -= coefficient * changed);
        coefficients.push(coefficient);
    }
    if let Some((moved, changed)) = memory.last() {
        let scale = dot(moved, changed) / dot(changed, changed);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for ((moved, changed), coefficient) in memory.iter().zip(coefficients.into_iter().rev()) {
        let back = dot(changed, &direction) / dot(moved, changed);
        direction.iter_mut().zip(moved).for_each(|(d, moved)| *d += (coefficient - back) * moved);
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::super::tests::network;
    use super::*;
    use crate::determinism::Stream;
    use proptest::prelude::*;

    /// Returns random examples for the running example: which activate each of its three nodes, and
    /// their classes.
    fn examples(seed: u64, n: usize) -> (Vec<Bits>, Vec<usize>) {
        let mut stream = Stream::new(seed, &["examples"]);
        let active = (0..3).map(|_| Bits::from_fn(n, |_| stream.index(3) == 0)).collect();
        let labels = (0..n).map(|_| stream.index(4)).collect();
        (active, labels)
    }

    #[test]
    fn the_likelihood_matches_the_probabilities() {
        let (active, labels) = examples(1, 40);
        let patterns = Patterns::new(&active, &labels, 4, &Bits::ones(40), None);
        assert!(patterns.all.len() <= 8, "three nodes have eight activation patterns");
        let probabilities = network().probabilities(&active, 40);
        let mean: f64 = labels.iter().zip(&probabilities).map(|(&y, p)| p[y].ln()).sum::<f64>() / 40.0;
        assert!((network().log_likelihood(&patterns) - mean).abs() < 1e-12);
    }

    #[test]
    fn without_rules_the_biases_become_the_log_odds() {
        let mut network = Network::new(("h", 1), super::super::two_classes(), vec![0.0, 0.0], "test");
        let labels: Vec<usize> = (0..40).map(|i| usize::from(i < 10)).collect();
        let patterns = Patterns::new(&[], &labels, 2, &Bits::ones(40), None);
        let fitted = network.fit(
            &patterns,
            &FitOptions { l2: 0.0, center: PenaltyCenter::Initial, max_steps: 100 },
            &mut |_, _| false,
        );
        // 10 of 40: log-odds log(1/3), likelihood (log(1/4) + 3 log(3/4)) / 4
        assert!((network.biases()[1] - network.biases()[0] - (1f64 / 3.0).ln()).abs() < 1e-5, "{:?}", network.biases());
        assert!((fitted.log_likelihood - (0.25f64.ln() + 3.0 * 0.75f64.ln()) / 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_fit_increases_the_likelihood_and_is_deterministic() {
        let (active, labels) = examples(5, 200);
        let patterns = Patterns::new(&active, &labels, 4, &Bits::ones(200), None);
        let before = network().log_likelihood(&patterns);
        let fit = |max_steps| {
            let (mut network, mut seen) = (network(), Vec::new());
            let options = FitOptions { l2: 1e-4, center: PenaltyCenter::ZeroOutputs, max_steps };
            let fitted = network.fit(&patterns, &options, &mut |step, network| {
                assert_eq!(step, seen.len());
                seen.push(network.log_likelihood(&patterns));
                step == 7
            });
            (network.weights(), fitted, seen)
        };
        let (weights, fitted, seen) = fit(100);
        // It stops on request, with the weights of that step.
        assert_eq!((fitted.steps, seen.len(), seen[0]), (7, 8, before));
        assert_eq!(fitted.log_likelihood, seen[7]);
        assert!(fitted.log_likelihood > before, "{seen:?}");
        assert_eq!(fit(100), (weights.clone(), fitted, seen.clone()));
        assert_eq!(fit(7), (weights, fitted, seen));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn the_gradient_matches_finite_differences(seed: u64) {
            let (active, labels) = examples(seed, 30);
            let patterns = Patterns::new(&active, &labels, 4, &Bits::ones(30), None);
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

//! Neurons and the ground networks of examples.
//!
//! Activation of each kind of neuron; all neurons of a rule or predicate share its weights:
//! - a fact is 1;
//! - a rule neuron, one per grounding of its body, is σ(x₁ + … + xₖ − k + c), a soft conjunction of
//!   its atoms;
//! - an aggregation neuron takes the maximum or the average over the groundings of a rule for one
//!   head;
//! - an atom is σ(Σ w x + d) over the aggregations of all rules with its head, a soft disjunction.
//!   The target has no squashing: Σ w x + d is ψ.
//!
//! Equal neurons are shared (hash-consing), so examples with isomorphic neighborhoods share a
//! network.

use crate::determinism::{HashMap, IndexSet};
use crate::math::sigmoid;

/// Aggregation over the groundings of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Maximum.
    Max,
    /// Average.
    Avg,
}

impl Family {
    /// Names in files and parameters.
    pub const NAMES: [(&'static str, Family); 2] = [("max", Family::Max), ("avg", Family::Avg)];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Family::Max => "max",
            Family::Avg => "avg",
        }
    }
}

/// A neuron; its inputs precede it in topological order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Neuron {
    Fact,
    Rule {
        rule: u32,
        inputs: Vec<u32>,
    },
    /// Aggregation: each input with its multiplicity.
    Group(Vec<(u32, u32)>),
    /// For each rule with groundings, its number and its aggregation neuron.
    Atom {
        head: u32,
        inputs: Vec<(u32, u32)>,
    },
}

impl Neuron {
    /// Returns the neuron with renumbered inputs.
    fn renumbered(&self, number: impl Fn(u32) -> u32) -> Self {
        match self {
            Neuron::Fact => Neuron::Fact,
            Neuron::Rule { rule, inputs } => {
                Neuron::Rule { rule: *rule, inputs: inputs.iter().map(|&input| number(input)).collect() }
            }
            Neuron::Group(inputs) => Neuron::Group(inputs.iter().map(|&(input, n)| (number(input), n)).collect()),
            Neuron::Atom { head, inputs } => Neuron::Atom {
                head: *head,
                inputs: inputs.iter().map(|&(rule, input)| (rule, number(input))).collect(),
            },
        }
    }

    fn inputs(&self) -> Vec<u32> {
        match self {
            Neuron::Fact => Vec::new(),
            Neuron::Rule { inputs, .. } => inputs.clone(),
            Neuron::Group(inputs) => inputs.iter().map(|&(input, _)| input).collect(),
            Neuron::Atom { inputs, .. } => inputs.iter().map(|&(_, input)| input).collect(),
        }
    }
}

/// Hash-consed neurons.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    all: IndexSet<Neuron>,
}

impl Arena {
    pub fn add(&mut self, neuron: Neuron) -> u32 {
        self.all.insert_full(neuron).0 as u32
    }

    /// Adds the aggregation of a rule's neurons, one per grounding.
    pub fn group(&mut self, groundings: Vec<u32>, family: Family) -> u32 {
        self.group_of(groundings.into_iter().map(|neuron| (neuron, 1)).collect(), family)
    }

    /// Adds the aggregation of a rule's neurons with their numbers of groundings.
    pub fn group_of(&mut self, mut groundings: Vec<(u32, u32)>, family: Family) -> u32 {
        groundings.sort_unstable();
        let mut inputs: Vec<(u32, u32)> = Vec::new();
        for (neuron, number) in groundings {
            // The maximum ignores multiplicities.
            let number = if family == Family::Avg { number } else { 1 };
            match inputs.last_mut() {
                Some((last, n)) if *last == neuron => *n += if family == Family::Avg { number } else { 0 },
                _ => inputs.push((neuron, number)),
            }
        }
        // The average of equal neurons is the neuron itself.
        if let [(_, n)] = &mut inputs[..] {
            *n = 1;
        }
        self.add(Neuron::Group(inputs))
    }

    /// Returns all neurons; inputs precede their consumers.
    pub fn neurons(&self) -> impl Iterator<Item = &Neuron> {
        self.all.iter()
    }

    /// Extracts the network with this output neuron.
    pub fn network(&self, root: u32) -> Net {
        let mut reached = vec![root];
        let mut numbers: HashMap<u32, u32> = HashMap::default();
        let mut stack = vec![root];
        numbers.insert(root, 0);
        while let Some(at) = stack.pop() {
            for input in self.all[at as usize].inputs() {
                if numbers.insert(input, 0).is_none() {
                    reached.push(input);
                    stack.push(input);
                }
            }
        }
        // Inputs precede their consumers in the arena.
        reached.sort_unstable();
        for (number, id) in (0u32..).zip(&reached) {
            numbers.insert(*id, number);
        }
        let neuron = |&id: &u32| self.all[id as usize].renumbered(|input| numbers[&input]);
        Net { neurons: reached.iter().map(neuron).collect() }
    }
}

/// Layout of the weight vector: w and c of each rule, then d of each head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub rules: usize,
    pub heads: usize,
}

impl Layout {
    pub fn size(self) -> usize {
        2 * self.rules + self.heads
    }

    pub fn w(self, rule: u32) -> usize {
        2 * rule as usize
    }

    pub fn c(self, rule: u32) -> usize {
        2 * rule as usize + 1
    }

    pub fn d(self, head: u32) -> usize {
        2 * self.rules + head as usize
    }
}

/// A weight vector with its layout and aggregation.
#[derive(Clone, Copy, Debug)]
pub(super) struct NetWeights<'a> {
    pub all: &'a [f64],
    pub layout: Layout,
    pub family: Family,
}

/// A ground network; its last neuron is the target atom.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Net {
    pub neurons: Vec<Neuron>,
}

impl Net {
    /// Returns the activation of each neuron; the last one is ψ.
    pub fn values(&self, weights: NetWeights<'_>) -> Vec<f64> {
        let NetWeights { all, layout, family } = weights;
        let mut values: Vec<f64> = Vec::with_capacity(self.neurons.len());
        for (at, neuron) in self.neurons.iter().enumerate() {
            let value = |input: u32| values[input as usize];
            let computed = match neuron {
                Neuron::Fact => 1.0,
                Neuron::Rule { rule, inputs } => {
                    let sum: f64 = inputs.iter().map(|&input| value(input)).sum();
                    sigmoid(sum - inputs.len() as f64 + all[layout.c(*rule)])
                }
                Neuron::Group(inputs) => match family {
                    Family::Max => inputs.iter().map(|&(input, _)| value(input)).fold(f64::NEG_INFINITY, f64::max),
                    Family::Avg => {
                        let total: f64 = inputs.iter().map(|&(_, n)| f64::from(n)).sum();
                        inputs.iter().map(|&(input, n)| f64::from(n) / total * value(input)).sum()
                    }
                },
                Neuron::Atom { head, inputs } => {
                    let sum: f64 = inputs.iter().map(|&(rule, input)| all[layout.w(rule)] * value(input)).sum();
                    let sum = all[layout.d(*head)] + sum;
                    if at + 1 == self.neurons.len() { sum } else { sigmoid(sum) }
                }
            };
            values.push(computed);
        }
        values
    }

    /// Returns ψ.
    #[cfg(test)]
    pub fn psi(&self, weights: NetWeights<'_>) -> f64 {
        self.values(weights).last().copied().unwrap_or_default()
    }

    /// Backward pass: adds `scale` times the derivatives of ψ by the weights to `sum`; `values` are
    /// those of the forward pass. [`super::flat`] does the same for all networks.
    #[cfg(test)]
    pub fn add_gradient(&self, weights: NetWeights<'_>, values: &[f64], scale: f64, sum: &mut [f64]) {
        let NetWeights { all, layout, family } = weights;
        let mut slopes = vec![0.0; values.len()];
        let Some(last) = slopes.last_mut() else { return };
        *last = scale;
        for at in (0..values.len()).rev() {
            let slope = slopes[at];
            if slope == 0.0 {
                continue;
            }
            // σ' = σ (1 − σ).
            let inside = slope * values[at] * (1.0 - values[at]);
            match &self.neurons[at] {
                Neuron::Fact => {}
                Neuron::Rule { rule, inputs } => {
                    sum[layout.c(*rule)] += inside;
                    inputs.iter().for_each(|&input| slopes[input as usize] += inside);
                }
                Neuron::Group(inputs) => match family {
                    Family::Max => {
                        // The first of equal maxima receives the gradient.
                        let largest = inputs.iter().find(|&&(input, _)| values[input as usize] == values[at]);
                        largest.into_iter().for_each(|&(input, _)| slopes[input as usize] += slope);
                    }
                    Family::Avg => {
                        let total: f64 = inputs.iter().map(|&(_, n)| f64::from(n)).sum();
                        inputs.iter().for_each(|&(input, n)| slopes[input as usize] += slope * f64::from(n) / total);
                    }
                },
                Neuron::Atom { head, inputs } => {
                    let inside = if at + 1 == values.len() { slope } else { inside };
                    sum[layout.d(*head)] += inside;
                    for &(rule, input) in inputs {
                        sum[layout.w(rule)] += inside * values[input as usize];
                        slopes[input as usize] += inside * all[layout.w(rule)];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The target has rule 0 over two latent atoms and rule 1 over a fact; latent atoms have rules
    /// 2 and 3.
    pub fn arena() -> (Arena, u32) {
        let mut arena = Arena::default();
        let fact = arena.add(Neuron::Fact);
        let mut atom = |rules: &[u32]| {
            let inputs = rules
                .iter()
                .map(|&rule| {
                    let neuron = arena.add(Neuron::Rule { rule, inputs: vec![fact] });
                    (rule, arena.group(vec![neuron], Family::Avg))
                })
                .collect();
            arena.add(Neuron::Atom { head: 1, inputs })
        };
        let (one, both) = (atom(&[2]), atom(&[2, 3]));
        let mut of = |inputs: &[u32]| arena.add(Neuron::Rule { rule: 0, inputs: inputs.to_vec() });
        let groundings = vec![of(&[one, both]), of(&[one, one]), of(&[one, one]), of(&[both, both])];
        let first = arena.group(groundings, Family::Avg);
        let neuron = arena.add(Neuron::Rule { rule: 1, inputs: vec![fact] });
        let second = arena.group(vec![neuron, neuron], Family::Avg);
        let root = arena.add(Neuron::Atom { head: 0, inputs: vec![(0, first), (1, second)] });
        (arena, root)
    }

    pub const LAYOUT: Layout = Layout { rules: 4, heads: 2 };

    fn weights(all: &[f64], family: Family) -> NetWeights<'_> {
        NetWeights { all, layout: LAYOUT, family }
    }

    #[test]
    fn activations_match_hand_computation() {
        let (arena, root) = arena();
        let net = arena.network(root);
        // w and c of rules 0 to 3, then d of the target and of the latent predicate.
        let all = [2.0, 0.5, -1.0, 1.0, 1.5, 0.0, -0.5, 2.0, 0.25, -0.75];
        let one = sigmoid(1.5 * sigmoid(0.0) - 0.75);
        let both = sigmoid(1.5 * sigmoid(0.0) - 0.5 * sigmoid(2.0) - 0.75);
        let rule = |a: f64, b: f64| sigmoid(a + b - 2.0 + 0.5);
        let max = rule(one, one).max(rule(one, both)).max(rule(both, both));
        let avg = (rule(one, both) + 2.0 * rule(one, one) + rule(both, both)) / 4.0;
        for (family, joined) in [(Family::Max, max), (Family::Avg, avg)] {
            let psi = net.psi(weights(&all, family));
            assert!((psi - (0.25 + 2.0 * joined - sigmoid(1.0))).abs() < 1e-12, "{family:?}");
        }
    }

    #[test]
    fn equal_neurons_are_shared() {
        let (mut arena, root) = arena();
        let before = arena.all.len();
        assert_eq!(arena.add(Neuron::Fact), 0);
        let again = arena.network(root);
        assert_eq!((arena.all.len(), again.neurons.len()), (before, before));
        // Equal groundings collapse, for both aggregations.
        assert_eq!(arena.group(vec![1, 1], Family::Max), arena.group(vec![1], Family::Avg));
        assert_ne!(arena.group(vec![1, 1, 2], Family::Avg), arena.group(vec![1, 2], Family::Avg));
        assert_eq!(arena.group(vec![1, 1, 2], Family::Max), arena.group(vec![2, 1], Family::Max));
    }

    proptest! {
        #[test]
        fn gradient_matches_finite_difference(
            all in prop::collection::vec(-3.0..3.0f64, 10),
            max: bool,
            positive: bool,
        ) {
            let (arena, root) = arena();
            let net = arena.network(root);
            let family = if max { Family::Max } else { Family::Avg };
            let loss = |all: &[f64]| {
                let psi = net.psi(weights(all, family));
                crate::math::softplus(if positive { -psi } else { psi })
            };
            let mut exact = vec![0.0; all.len()];
            let y = f64::from(u8::from(positive));
            let values = net.values(weights(&all, family));
            let scale = sigmoid(net.psi(weights(&all, family))) - y;
            net.add_gradient(weights(&all, family), &values, scale, &mut exact);
            let h = 1e-5;
            for (at, exact) in exact.into_iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = all.clone();
                    moved[at] += by;
                    loss(&moved)
                };
                let (before, here, after) = (moved(-h), moved(0.0), moved(h));
                // At a kink of the maximum the subgradient need not match.
                let kink = ((after - here) - (here - before)).abs() > 1e-8;
                let difference = (after - before) / (2.0 * h);
                prop_assert!(kink || (difference - exact).abs() < 1e-6, "weight {at}: {difference} and {exact}");
            }
        }
    }
}

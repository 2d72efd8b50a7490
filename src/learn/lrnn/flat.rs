//! All ground networks in flat arrays, for descent and scoring.
//!
//! A neuron that several networks share is computed once while the weights stay. Sums have the
//! order of [`super::net::Net`], so that both give the same bits.

use super::net::{Arena, Family, NetWeights, Neuron};
use crate::math::sigmoid;

/// Ground networks over shared neurons.
#[derive(Clone, Debug)]
pub(super) struct FlatNets {
    /// The inputs of neurons precede them.
    neurons: Vec<FlatNeuron>,
    /// The inputs of all neurons. Those of an aggregation have their multiplicity, those of an atom
    /// their rule.
    inputs: Vec<(u32, u32)>,
    /// The neurons of each network, ascending; the last one is the target atom.
    nets: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct FlatNeuron {
    kind: FlatKind,
    /// The first of its inputs and the end of them.
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
enum FlatKind {
    Fact,
    Rule(u32),
    Group,
    Atom(u32),
    /// An atom without squashing.
    Target,
}

/// The activations of the neurons that have been computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Activations {
    values: Vec<f64>,
    /// The round in which each was computed.
    rounds: Vec<u64>,
    round: u64,
    /// The derivatives of ψ by the neurons during a backward pass, otherwise zeros.
    slopes: Vec<f64>,
}

impl Activations {
    /// Forgets all activations: the weights have changed.
    pub fn clear(&mut self) {
        self.round += 1;
    }
}

impl FlatNets {
    /// Creates the networks with these output neurons, which are atoms of head 0.
    pub fn new(arena: &Arena, roots: impl IntoIterator<Item = u32>) -> Self {
        let (mut neurons, mut inputs) = (Vec::new(), Vec::new());
        for neuron in arena.neurons() {
            let start = inputs.len() as u32;
            let kind = match neuron {
                Neuron::Fact => FlatKind::Fact,
                Neuron::Rule { rule, inputs: own } => {
                    inputs.extend(own.iter().map(|&input| (input, 1)));
                    FlatKind::Rule(*rule)
                }
                Neuron::Group(own) => {
                    inputs.extend(own);
                    FlatKind::Group
                }
                Neuron::Atom { head, inputs: own } => {
                    inputs.extend(own.iter().map(|&(rule, input)| (input, rule)));
                    if *head == 0 { FlatKind::Target } else { FlatKind::Atom(*head) }
                }
            };
            neurons.push(FlatNeuron { kind, start, end: inputs.len() as u32 });
        }
        let mut nets = FlatNets { neurons, inputs, nets: Vec::new() };
        let mut reached_by: Vec<Option<u32>> = vec![None; nets.neurons.len()];
        nets.nets = (0..).zip(roots).map(|(net, root)| nets.reachable(net, root, &mut reached_by)).collect();
        nets
    }

    /// Returns the neurons below an output neuron, ascending.
    fn reachable(&self, net: u32, root: u32, reached_by: &mut [Option<u32>]) -> Vec<u32> {
        let mut reached = vec![root];
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for &(input, _) in self.inputs_of(at) {
                if reached_by[input as usize].replace(net) != Some(net) {
                    reached.push(input);
                }
            }
        }
        reached.sort_unstable();
        reached
    }

    fn inputs_of(&self, neuron: u32) -> &[(u32, u32)] {
        let FlatNeuron { start, end, .. } = self.neurons[neuron as usize];
        &self.inputs[start as usize..end as usize]
    }

    /// Returns the number of networks.
    pub fn len(&self) -> usize {
        self.nets.len()
    }

    /// Forward pass: computes the neurons of a network that are not known yet, and returns ψ.
    pub fn forward(&self, net: usize, weights: NetWeights<'_>, activations: &mut Activations) -> f64 {
        let Activations { values, rounds, round, .. } = activations;
        values.resize(self.neurons.len(), 0.0);
        // No round is 0 after the first [`Activations::clear`].
        rounds.resize(self.neurons.len(), 0);
        let mut psi = 0.0;
        for &at in &self.nets[net] {
            if rounds[at as usize] != *round {
                rounds[at as usize] = *round;
                values[at as usize] = self.value(at, weights, values);
            }
            psi = values[at as usize];
        }
        psi
    }

    fn value(&self, at: u32, NetWeights { all, layout, family }: NetWeights<'_>, values: &[f64]) -> f64 {
        let inputs = self.inputs_of(at);
        let value = |input: u32| values[input as usize];
        let weighted = |head| {
            let sum: f64 = inputs.iter().map(|&(input, rule)| all[layout.w(rule)] * value(input)).sum();
            all[layout.d(head)] + sum
        };
        match self.neurons[at as usize].kind {
            FlatKind::Fact => 1.0,
            FlatKind::Rule(rule) => {
                let sum: f64 = inputs.iter().map(|&(input, _)| value(input)).sum();
                sigmoid(sum - inputs.len() as f64 + all[layout.c(rule)])
            }
            FlatKind::Group => match family {
                Family::Max => inputs.iter().map(|&(input, _)| value(input)).fold(f64::NEG_INFINITY, f64::max),
                Family::Avg => {
                    let total: f64 = inputs.iter().map(|&(_, n)| f64::from(n)).sum();
                    inputs.iter().map(|&(input, n)| f64::from(n) / total * value(input)).sum()
                }
            },
            FlatKind::Atom(head) => sigmoid(weighted(head)),
            FlatKind::Target => weighted(0),
        }
    }

    /// Backward pass: adds `scale` times the derivatives of ψ by the weights to `sum`, after the
    /// forward pass of the network.
    pub fn add_gradient(
        &self,
        net: usize,
        NetWeights { all, layout, family }: NetWeights<'_>,
        activations: &mut Activations,
        scale: f64,
        sum: &mut [f64],
    ) {
        let Activations { values, slopes, .. } = activations;
        slopes.resize(self.neurons.len(), 0.0);
        let neurons = &self.nets[net];
        let Some(&root) = neurons.last() else { return };
        slopes[root as usize] = scale;
        for &at in neurons.iter().rev() {
            let slope = std::mem::take(&mut slopes[at as usize]);
            if slope == 0.0 {
                continue;
            }
            let own = values[at as usize];
            // σ' = σ (1 − σ).
            let inside = slope * own * (1.0 - own);
            let inputs = self.inputs_of(at);
            let (head, inside) = match self.neurons[at as usize].kind {
                FlatKind::Fact => continue,
                FlatKind::Rule(rule) => {
                    sum[layout.c(rule)] += inside;
                    inputs.iter().for_each(|&(input, _)| slopes[input as usize] += inside);
                    continue;
                }
                FlatKind::Group => {
                    match family {
                        Family::Max => {
                            // The first of equal maxima receives the gradient.
                            let largest = inputs.iter().find(|&&(input, _)| values[input as usize] == own);
                            largest.into_iter().for_each(|&(input, _)| slopes[input as usize] += slope);
                        }
                        Family::Avg => {
                            let total: f64 = inputs.iter().map(|&(_, n)| f64::from(n)).sum();
                            let share = |n| slope * f64::from(n) / total;
                            inputs.iter().for_each(|&(input, n)| slopes[input as usize] += share(n));
                        }
                    }
                    continue;
                }
                FlatKind::Atom(head) => (head, inside),
                FlatKind::Target => (0, slope),
            };
            sum[layout.d(head)] += inside;
            for &(input, rule) in inputs {
                sum[layout.w(rule)] += inside * values[input as usize];
                slopes[input as usize] += inside * all[layout.w(rule)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::lrnn::net::tests::{LAYOUT, arena};
    use proptest::prelude::*;

    proptest! {
        /// Both forms of a network give the same bits, also with neurons that are known already.
        #[test]
        fn flat_networks_match_networks(
            all in prop::collection::vec(-3.0..3.0f64, 10),
            scale in -1.0..1.0f64,
            max: bool,
        ) {
            let (arena, root) = arena();
            let net = arena.network(root);
            let weights = NetWeights { all: &all, layout: LAYOUT, family: if max { Family::Max } else { Family::Avg } };
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            let mut expected = vec![0.0; all.len()];
            net.add_gradient(weights, &net.values(weights), scale, &mut expected);
            let nets = FlatNets::new(&arena, [root, root]);
            let mut activations = Activations::default();
            activations.clear();
            for number in 0..nets.len() {
                let psi = nets.forward(number, weights, &mut activations);
                prop_assert_eq!(psi.to_bits(), net.psi(weights).to_bits());
                let mut sum = vec![0.0; all.len()];
                nets.add_gradient(number, weights, &mut activations, scale, &mut sum);
                prop_assert_eq!(bits(&sum), bits(&expected));
            }
        }
    }
}

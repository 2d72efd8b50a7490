//! From a sum of trees to one network.

use super::{Condition, Hidden, MOST_WORTH, Network, Rule, is_worth};
use crate::kb::Signature;
use crate::logic::rename::{self, Names};
use crate::logic::wire::{self, TooLarge};
use crate::logic::{Literal, SymbolTableFull};
use crate::math::softplus;
use crate::rbm::Theta;
use crate::tree::{Path, Tree};

/// Trees that add to the score of one class.
#[derive(Clone, Copy, Debug)]
pub struct Summands<'a> {
    /// The class.
    pub class: usize,
    /// What the value of each tree is multiplied by.
    pub step: f64,
    /// The trees; a leaf keeps its five numbers, if it has them.
    pub trees: &'a [Tree<Option<Theta>>],
}

/// The score of each class as a sum of trees; p(y | x) is the softmax of the scores.
#[derive(Clone, Debug)]
pub struct Ensemble<'a> {
    /// The task that the trees were learned for.
    pub signature: Signature,
    /// The score of each class before the first tree.
    pub prior: Vec<f64>,
    /// The trees.
    pub sums: Vec<Summands<'a>>,
    /// What they are written with.
    pub names: Names<'a>,
}

/// Trees that a conversion cannot take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvertError {
    /// A leaf is a number and nothing else.
    #[error(
        "the leaves of tree {tree} have a value but not the five numbers d, c, W, U0 and U1, so the paper's conversion has no \
         weights to carry over: use --method exact"
    )]
    NoTheta {
        /// The first such tree, from 1.
        tree: usize,
    },
    /// The paper's leaves are for two classes.
    #[error("the paper's conversion is for two classes, and there are {classes}: use --method exact")]
    NotTwoClasses {
        /// How many there are.
        classes: usize,
    },
    /// A leaf has a number that a network cannot keep apart from others.
    #[error("a leaf of tree {tree} has the number {value:e}, and {MOST_WORTH:e} is the most that a rule can be worth")]
    TooMuch {
        /// The first such tree, from 1.
        tree: usize,
        /// The number, times the step of its tree.
        value: f64,
    },
    /// A path that no file of a network could keep.
    #[error(transparent)]
    TooWide(#[from] TooLarge),
    /// Too many names.
    #[error(transparent)]
    Full(#[from] SymbolTableFull),
}

/// A network that gives every example the same probabilities as the trees.
///
/// Each path becomes a hidden node that is worth the value of its leaf when the path holds, and nothing when it does not (see
/// [`Hidden::indicator`]). Trees without a test go into the biases.
///
/// # Errors
/// If there are too many names or variables, or a leaf is worth more than a rule can be.
pub fn exact(ensemble: &Ensemble<'_>) -> Result<Network, ConvertError> {
    let mut network = ensemble.empty("exact conversion of trees");
    for sum in &ensemble.sums {
        let trees = sum.trees.iter().enumerate();
        for (number, path) in trees.flat_map(|(k, tree)| tree.paths().into_iter().map(move |path| (k + 1, path))) {
            let value = worth(number, sum.step * path.leaf.value)?;
            let rule = network.take(&path, ensemble.names)?;
            if rule.is_always() {
                network.d[sum.class] += value;
                continue;
            }
            let mut worth = vec![0.0; network.classes().len()];
            worth[sum.class] = value;
            network.push(Hidden::indicator(rule, &worth));
        }
    }
    Ok(network)
}

/// The paper's conversion: every path a hidden node, with the weights of its leaf.
///
/// It is "almost, but not exactly, equivalent" to the trees: nodes whose path does not hold add something too. Of the leaves' d,
/// the network has one, so each tree gives the mean of its leaves', weighted by how many training examples they got.
///
/// # Errors
/// If a leaf has no five numbers or such as are too large, or there are not two classes.
pub fn paper(ensemble: &Ensemble<'_>) -> Result<Network, ConvertError> {
    let classes = ensemble.prior.len();
    if classes != 2 || ensemble.sums.iter().any(|sum| sum.class != 1) {
        return Err(ConvertError::NotTwoClasses { classes });
    }
    let mut network = ensemble.empty("the paper's conversion of trees");
    for sum in &ensemble.sums {
        for (number, tree) in sum.trees.iter().enumerate() {
            let (mut d, mut examples) = (0.0, 0.0);
            for path in tree.paths() {
                let theta = path.leaf.leaf.ok_or(ConvertError::NoTheta { tree: number + 1 })?;
                for value in [sum.step * path.leaf.value, theta.d, theta.c, theta.w, theta.u0, theta.u1] {
                    worth(number + 1, value)?;
                }
                let here = f64::from(path.leaf.positives) + f64::from(path.leaf.negatives);
                d += here * theta.d;
                examples += here;
                let rule = network.take(&path, ensemble.names)?;
                network.push(carried_over(rule, &theta, sum.step));
            }
            // A tree that nobody trained has no weights to take the mean with.
            network.d[1] += if examples > 0.0 { sum.step * d / examples } else { 0.0 };
        }
    }
    Ok(network)
}

/// A number of a leaf that a rule can be worth.
fn worth(tree: usize, value: f64) -> Result<f64, ConvertError> {
    if is_worth(value) { Ok(value) } else { Err(ConvertError::TooMuch { tree, value }) }
}

/// The hidden node of a leaf, with W in equal parts on the edges of the path's predicates.
fn carried_over(rule: Rule, theta: &Theta, step: f64) -> Hidden {
    let edges = rule.predicates().len();
    let part = theta.w / edges.max(1) as f64;
    // Without predicates there is no edge; such a path holds always, and so W is a part of the bias.
    let c = if edges == 0 { theta.c + theta.w } else { theta.c };
    let u = stepped(theta, step);
    Hidden { rule, c, w: vec![part; edges], u: vec![u[0], u[1]], dropped: 0 }
}

/// U₀ and U₁ of a leaf that counts `step` times.
///
/// Departs from paper: it has no such step, and no weight of a hidden node multiplies what it adds. So U₀ and U₁ are moved apart
/// around their middle until a node whose path holds is worth `step` times the leaf's; with a step of 1 they stay as they are.
fn stepped(theta: &Theta, step: f64) -> [f64; 2] {
    if step == 1.0 || theta.u0 == theta.u1 {
        return [theta.u0, theta.u1];
    }
    let (base, middle) = (theta.c + theta.w, (theta.u0 + theta.u1) / 2.0);
    let gain = |half: f64| softplus(base + middle + half) - softplus(base + middle - half);
    let goal = step * gain((theta.u1 - theta.u0) / 2.0);
    // The gain rises with `half`, by less than 2 for each 1: double until it is reached, then halve the interval.
    let (mut low, mut high) = (0.0, goal.signum());
    while gain(high).abs() < goal.abs() && high.abs() < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..200 {
        let half = (low + high) / 2.0;
        if half == low || half == high {
            break;
        }
        if gain(half).abs() < goal.abs() { low = half } else { high = half }
    }
    [middle - high, middle + high]
}

/// When an example ends at a leaf.
fn rule<L>(path: &Path<'_, L>, arity: usize) -> Rule {
    let own = |literals: &[&Literal]| literals.iter().map(|&literal| literal.clone()).collect::<Vec<_>>();
    let mut conditions = Vec::new();
    // A variable that was free in a negated literal, and so stood for anything, or in a comparison, which so did not hold, and that
    // a later test binds: what held before does not follow from what holds then.
    for &end in &path.ends {
        let (above, below) = path.literals.split_at(end);
        let free = |literal: &&Literal| {
            let bound = |v| above.iter().any(|l| !l.is_check() && l.variables().any(|other| other == v));
            let later = |v| below.iter().any(|l| !l.is_check() && l.variables().any(|other| other == v));
            literal.is_check() && literal.variables().any(|v| v.0 as usize >= arity && !bound(v) && later(v))
        };
        if above.iter().any(free) {
            conditions.push(Condition { holds: true, at_least: 1, body: own(above) });
        }
    }
    let counts = path.counts.iter();
    conditions.extend(counts.map(|count| Condition {
        holds: true,
        at_least: count.at_least,
        body: count.test.to_vec(),
    }));
    for failed in &path.failed {
        // Groundings are counted of the test alone, but one grounding is of the test with all that is true above it.
        let above = if failed.at_least == 1 { own(&failed.above) } else { Vec::new() };
        let body = [&above[..], failed.test].concat();
        conditions.push(Condition { holds: false, at_least: failed.at_least, body });
    }
    Rule::new(own(&path.literals), conditions, arity)
}

impl Ensemble<'_> {
    /// The network with the biases, before any path.
    fn empty(&self, origin: &str) -> Network {
        Network::with_signature(self.signature.clone(), self.prior.clone(), origin)
    }
}

impl Network {
    /// The rule of a path over the names of this network.
    fn take<L>(&mut self, path: &Path<'_, L>, from: Names<'_>) -> Result<Rule, ConvertError> {
        let arity = self.target_arity();
        let rule = rule(path, arity);
        wire::check(arity, rule.literals())?;
        Ok(self.own(&rule, from)?)
    }

    /// Adds a rule that is over other names, worth so much for each class while it holds (see [`Hidden::indicator`]).
    ///
    /// # Errors
    /// If there are too many names or variables, or it is worth more than a rule can be.
    pub fn add_rule(&mut self, rule: &Rule, from: Names<'_>, worths: &[f64]) -> Result<(), ConvertError> {
        for &value in worths {
            worth(self.hidden.len() + 1, value)?;
        }
        wire::check(self.target_arity(), rule.literals())?;
        let rule = self.own(rule, from)?;
        self.push(Hidden::indicator(rule, worths));
        Ok(())
    }

    /// Gives the classes these biases, and every rule what it is worth for each class while it holds.
    ///
    /// # Panics
    /// If there is not one number for each class, and one list of them for each rule.
    pub fn set_worths(&mut self, biases: Vec<f64>, worths: &[Vec<f64>]) {
        assert_eq!(biases.len(), self.classes().len(), "one bias for each class");
        assert_eq!(worths.len(), self.hidden.len(), "one worth for each rule");
        self.d = biases;
        for (node, worth) in self.hidden.iter_mut().zip(worths) {
            *node = Hidden::indicator(std::mem::take(&mut node.rule), worth);
        }
    }

    /// The rule over the names of this network, which learns those it lacks.
    pub(super) fn own(&mut self, rule: &Rule, from: Names<'_>) -> Result<Rule, SymbolTableFull> {
        let mut full = None;
        let own = rule.map(|literal| {
            rename::intern(literal, from, &mut self.predicates, &mut self.symbols).unwrap_or_else(|error| {
                full = Some(error);
                literal.clone()
            })
        });
        match full {
            Some(error) => Err(error),
            None => Ok(own),
        }
    }
}

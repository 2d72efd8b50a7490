//! Conversion of a sum of trees to one network.

use super::{Condition, Hidden, MAX_CONTRIBUTION, Network, Rule, is_valid_contribution};
use crate::kb::Signature;
use crate::logic::rename::{self, Names};
use crate::logic::wire::{self, TooLarge};
use crate::logic::{Literal, SymbolTableFull};
use crate::math::softplus;
use crate::rbm::Theta;
use crate::tree::{Path, Tree};

/// Trees that contribute to the score of one class.
#[derive(Clone, Copy, Debug)]
pub struct TreeSum<'a> {
    /// The class.
    pub class: usize,
    /// The factor of the value of each tree.
    pub step: f64,
    /// The trees; a leaf has the parameters θ if it was fitted with them.
    pub trees: &'a [Tree<Option<Theta>>],
}

/// The score of each class as a sum of trees; p(y | x) is the softmax of the scores.
#[derive(Clone, Debug)]
pub struct Ensemble<'a> {
    /// The task that the trees were learned for.
    pub signature: Signature,
    /// The prior score of each class.
    pub prior: Vec<f64>,
    /// The trees.
    pub sums: Vec<TreeSum<'a>>,
    /// The names used in the trees.
    pub names: Names<'a>,
}

/// The reason why trees cannot be converted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvertError {
    /// A leaf has a value but no parameters θ.
    #[error(
        "the leaves of tree {tree} have a value but not the parameters d, c, W, U0 and U1, so the paper's conversion has no \
         weights to carry over: use --method exact"
    )]
    NoTheta {
        /// The first such tree, from 1.
        tree: usize,
    },
    /// The paper's conversion is for two classes.
    #[error("the paper's conversion requires two classes, got {classes}: use --method exact")]
    NotTwoClasses {
        /// The number of classes.
        classes: usize,
    },
    /// A leaf exceeds the maximum contribution of a rule.
    #[error(
        "a leaf of tree {tree} has the value {value:e}; the maximum contribution of a rule is {MAX_CONTRIBUTION:e}"
    )]
    TooMuch {
        /// The first such tree, from 1.
        tree: usize,
        /// The value, times the step of its tree.
        value: f64,
    },
    /// A path is too large for a network file.
    #[error(transparent)]
    TooWide(#[from] TooLarge),
    /// There are too many names.
    #[error(transparent)]
    Full(#[from] SymbolTableFull),
}

/// Converts trees to a network with the same probabilities for every example.
///
/// Each path becomes a hidden node that contributes the value of its leaf when the path is true,
/// and nothing otherwise (see [`Hidden::indicator`]). Trees without a test go into the biases.
///
/// # Errors
/// If there are too many names or variables, or a leaf exceeds the maximum contribution.
pub fn exact(ensemble: &Ensemble<'_>) -> Result<Network, ConvertError> {
    let mut network = ensemble.empty("exact conversion of trees");
    for sum in &ensemble.sums {
        let trees = sum.trees.iter().enumerate();
        for (number, path) in trees.flat_map(|(k, tree)| tree.paths().into_iter().map(move |path| (k + 1, path))) {
            let value = check_contribution(number, sum.step * path.leaf.value)?;
            let rule = network.take(&path, ensemble.names)?;
            if rule.is_always() {
                network.d[sum.class] += value;
                continue;
            }
            let mut contributions = vec![0.0; network.classes().len()];
            contributions[sum.class] = value;
            network.push(Hidden::indicator(rule, &contributions));
        }
    }
    Ok(network)
}

/// Converts trees as in the paper: every path becomes a hidden node with the weights of its leaf.
///
/// The paper states that this is only approximately equivalent to the trees: nodes whose path is
/// false contribute too. The network has a single d, so each tree gives the mean of d over its
/// leaves, weighted by their numbers of training examples.
///
/// # Errors
/// If a leaf has no parameters θ or too large ones, or there are not two classes.
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
                    check_contribution(number + 1, value)?;
                }
                let here = f64::from(path.leaf.positives) + f64::from(path.leaf.negatives);
                d += here * theta.d;
                examples += here;
                let rule = network.take(&path, ensemble.names)?;
                network.push(leaf_node(rule, &theta, sum.step));
            }
            // A tree without training counts has no weights for the mean.
            network.d[1] += if examples > 0.0 { sum.step * d / examples } else { 0.0 };
        }
    }
    Ok(network)
}

/// Checks the contribution of a leaf.
fn check_contribution(tree: usize, value: f64) -> Result<f64, ConvertError> {
    if is_valid_contribution(value) { Ok(value) } else { Err(ConvertError::TooMuch { tree, value }) }
}

/// Returns the hidden node of a leaf, with W divided equally among the edges to the path's
/// predicates.
fn leaf_node(rule: Rule, theta: &Theta, step: f64) -> Hidden {
    let edges = rule.predicates().len();
    let part = theta.w / edges.max(1) as f64;
    // Without predicates there is no edge; such a path is always true, so W is part of the bias.
    let c = if edges == 0 { theta.c + theta.w } else { theta.c };
    let u = scaled_outputs(theta, step);
    Hidden { rule, c, w: vec![part; edges], u: vec![u[0], u[1]], dropped: 0 }
}

/// Returns U₀ and U₁ of a leaf multiplied by `step`.
///
/// Departs from paper: it has no such step, and no weight of a hidden node multiplies its
/// contribution. So U₀ and U₁ are moved apart symmetrically until the contribution of the active
/// node is `step` times that of the leaf; with a step of 1 they stay as they are.
fn scaled_outputs(theta: &Theta, step: f64) -> [f64; 2] {
    if step == 1.0 || theta.u0 == theta.u1 {
        return [theta.u0, theta.u1];
    }
    let (base, middle) = (theta.c + theta.w, (theta.u0 + theta.u1) / 2.0);
    let gain = |half: f64| softplus(base + middle + half) - softplus(base + middle - half);
    let goal = step * gain((theta.u1 - theta.u0) / 2.0);
    // The gain increases with `half` at a rate below 2: double until it is reached, then bisect.
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

/// Returns the rule that is true for the examples that reach a leaf.
fn rule<L>(path: &Path<'_, L>, arity: usize) -> Rule {
    let adopt = |literals: &[&Literal]| literals.iter().map(|&literal| literal.clone()).collect::<Vec<_>>();
    let mut conditions = Vec::new();
    // A variable may have been free in a negated literal (and matched anything) or in a comparison
    // (which was then false) before a later test bound it. The conjunction does not imply the
    // earlier outcome then.
    for &end in &path.ends {
        let (above, below) = path.literals.split_at(end);
        let free = |literal: &&Literal| {
            let bound = |v| above.iter().any(|l| !l.is_check() && l.variables().any(|other| other == v));
            let later = |v| below.iter().any(|l| !l.is_check() && l.variables().any(|other| other == v));
            literal.is_check() && literal.variables().any(|v| v.0 as usize >= arity && !bound(v) && later(v))
        };
        if above.iter().any(free) {
            conditions.push(Condition { holds: true, at_least: 1, body: adopt(above) });
        }
    }
    let counts = path.counts.iter();
    conditions.extend(counts.map(|count| Condition {
        holds: true,
        at_least: count.at_least,
        body: count.test.to_vec(),
    }));
    for failed in &path.failed {
        // At-least-k tests count groundings of the test alone; other tests include the true
        // literals above.
        let above = if failed.at_least == 1 { adopt(&failed.above) } else { Vec::new() };
        let body = [&above[..], failed.test].concat();
        conditions.push(Condition { holds: false, at_least: failed.at_least, body });
    }
    Rule::new(adopt(&path.literals), conditions, arity)
}

impl Ensemble<'_> {
    /// Creates the network with the biases, before any path.
    fn empty(&self, origin: &str) -> Network {
        Network::with_signature(self.signature.clone(), self.prior.clone(), origin)
    }
}

impl Network {
    /// Returns the rule of a path with the names of this network.
    fn take<L>(&mut self, path: &Path<'_, L>, from: Names<'_>) -> Result<Rule, ConvertError> {
        let arity = self.target_arity();
        let rule = rule(path, arity);
        wire::check(arity, rule.literals())?;
        Ok(self.adopt(&rule, from)?)
    }

    /// Adds a rule with other names and its contribution to each class while it is true (see
    /// [`Hidden::indicator`]).
    ///
    /// # Errors
    /// If there are too many names or variables, or a contribution exceeds the maximum.
    pub fn add_rule(&mut self, rule: &Rule, from: Names<'_>, contributions: &[f64]) -> Result<(), ConvertError> {
        for &value in contributions {
            check_contribution(self.hidden.len() + 1, value)?;
        }
        wire::check(self.target_arity(), rule.literals())?;
        let rule = self.adopt(rule, from)?;
        self.push(Hidden::indicator(rule, contributions));
        Ok(())
    }

    /// Sets the biases of the classes, and the contribution of every rule to each class.
    ///
    /// # Panics
    /// If the number of biases differs from that of the classes, or that of lists from that of the
    /// rules.
    pub fn set_contributions(&mut self, biases: Vec<f64>, contributions: &[Vec<f64>]) {
        assert_eq!(biases.len(), self.classes().len(), "the number of biases differs from that of the classes");
        assert_eq!(
            contributions.len(),
            self.hidden.len(),
            "the number of contributions differs from that of the rules"
        );
        self.d = biases;
        for (node, contributions) in self.hidden.iter_mut().zip(contributions) {
            *node = Hidden::indicator(std::mem::take(&mut node.rule), contributions);
        }
    }

    /// Translates a rule to the names of this network, adding new ones.
    pub(super) fn adopt(&mut self, rule: &Rule, from: Names<'_>) -> Result<Rule, SymbolTableFull> {
        let mut full = None;
        let adopt = rule.map(|literal| {
            rename::intern(literal, from, &mut self.predicates, &mut self.symbols).unwrap_or_else(|error| {
                full = Some(error);
                literal.clone()
            })
        });
        match full {
            Some(error) => Err(error),
            None => Ok(adopt),
        }
    }
}

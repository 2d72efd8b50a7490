//! Sums of trees as JSON files.
//!
//! Versions of the format; a model is written in the first that can represent it:
//! 1. Trees with conjunctive tests.
//! 2. At-least-k tests, with `at_least`.
//! 3. Comparisons of numbers, with the predicates `<=` and `>`, and recursive models, with
//!    `recursive`.
//! 4. Multi-class targets, with `classes`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::model::{ClassSums, Fidelity, LeafWeights, TreeModel};
use crate::cover::MAX_GROUNDINGS;
use crate::files::json::{self, FileError};
use crate::kb::StoredRecursion;
use crate::kb::wire::WireTime;
use crate::learn::Kind;
use crate::learn::format;
use crate::learn::header::{Header, WireHeader};
use crate::learn::params::Value;
use crate::learn::stored::{ModelSize, SizeOf, Stored};
use crate::logic::wire::{WireLiteral, WirePredicate};
use crate::logic::{Predicates, Symbols};
use crate::rbm::network::{MAX_CONTRIBUTION, is_valid_contribution};
use crate::rbm::{Theta, check_weight};
use crate::tree::{Leaf, Node, NodeId, SplitNode, Tree};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    format: String,
    version: u32,
    kind: String,
    target: WirePredicate,
    parameters: BTreeMap<String, Value>,
    seed: u64,
    trained_on: WireCounts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    classes: Option<WireClasses>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fidelity: Option<Fidelity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recursive: Option<StoredRecursion>,
    prior: f64,
    step: f64,
    trees: Vec<Vec<WireNode>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireClasses {
    names: Vec<String>,
    priors: Vec<f64>,
    trained_on: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCounts {
    positives: u64,
    negatives: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireNode {
    Split(WireSplit),
    Leaf(WireLeaf),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSplit {
    test: Vec<WireLiteral>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    at_least: u32,
    yes: u32,
    no: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLeaf {
    value: f64,
    positives: u32,
    negatives: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    theta: Option<Theta>,
}

/// Returns the first version of the format that can represent the model.
fn version(model: &TreeModel) -> u32 {
    let of_node = |node: &Node<LeafWeights>| match node {
        Node::Split(split) if split.test.iter().any(|literal| literal.comparison().is_some()) => 3,
        Node::Split(split) if split.at_least > 1 => 2,
        _ => 1,
    };
    if model.classes.is_some() {
        return 4;
    }
    if model.header.signature.recursive.is_some() {
        return 3;
    }
    model.trees.iter().flat_map(|tree| tree.nodes()).map(of_node).max().unwrap_or(1)
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

impl TreeModel {
    /// Returns the text of the model file.
    pub fn to_json(&self) -> String {
        let WireHeader { kind, parameters, seed, positives, negatives, classes, time, recursive } =
            WireHeader::from(&self.header);
        let classes = classes.zip(self.classes.clone()).map(|(names, ClassSums { priors, trained_on })| WireClasses {
            names,
            priors,
            trained_on,
        });
        let node = |node| to_wire(node, self);
        json::text(&WireModel {
            format: format::TREES.name.to_owned(),
            version: version(self),
            kind,
            target: self.header.target(),
            parameters,
            seed,
            trained_on: WireCounts { positives, negatives },
            classes,
            fidelity: self.fidelity,
            time,
            recursive,
            prior: self.prior,
            step: self.step,
            trees: self.trees.iter().map(|tree| tree.nodes().iter().map(node).collect()).collect(),
        })
    }

    /// Reads a model from the text of a file.
    ///
    /// # Errors
    /// If the text is not a sum of trees of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        let wire = format::TREES.read(text).map_err(|error| match (error, json::format(text)) {
            (FileError::Invalid { .. }, Some(name)) if format::NETWORK.is_named(&name) => {
                format::TREES.invalid("expected trees, got a network")
            }
            (FileError::Invalid { .. }, Some(name)) if format::MLN.is_named(&name) => {
                format::TREES.invalid("expected trees, got weights of counts of groundings")
            }
            (error, _) => error,
        })?;
        from_wire(wire).map_err(|what| format::TREES.invalid(what))
    }

    /// Writes the model to a file, atomically.
    ///
    /// # Errors
    /// If the file cannot be written, or the model has numbers that JSON cannot represent.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        json::save(path, self.to_json(), Self::from_json)
    }

    /// Reads a model from a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a sum of trees of this or an earlier version.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        json::load(path, Self::from_json)
    }
}

impl Stored for TreeModel {
    fn header(&self) -> Option<&Header> {
        Some(&self.header)
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn to_json(&self) -> String {
        TreeModel::to_json(self)
    }

    fn size(&self) -> ModelSize {
        let leaves = self.trees.iter().map(Tree::leaves).sum();
        ModelSize { trees: self.trees.len(), leaves, parts: SizeOf::Leaves }
    }
}

fn to_wire(node: &Node<LeafWeights>, model: &TreeModel) -> WireNode {
    match node {
        Node::Leaf(leaf) => WireNode::Leaf(WireLeaf {
            value: leaf.value,
            positives: leaf.positives,
            negatives: leaf.negatives,
            theta: leaf.leaf,
        }),
        Node::Split(split) => {
            let test =
                split.test.iter().map(|literal| WireLiteral::new(literal, &model.predicates, &model.symbols)).collect();
            WireNode::Split(WireSplit { test, at_least: split.at_least, yes: split.yes.0, no: split.no.0 })
        }
    }
}

fn from_wire(wire: WireModel) -> Result<TreeModel, String> {
    let header = WireHeader {
        kind: wire.kind,
        parameters: wire.parameters,
        seed: wire.seed,
        positives: wire.trained_on.positives,
        negatives: wire.trained_on.negatives,
        classes: wire.classes.as_ref().map(|classes| classes.names.clone()),
        time: wire.time,
        recursive: wire.recursive,
    };
    let header = header.read(&wire.target, &Kind::ALL)?;
    check_weight("prior", wire.prior)?;
    check_weight("step", wire.step)?;
    let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut trees = Vec::with_capacity(wire.trees.len());
    for (number, nodes) in wire.trees.into_iter().enumerate() {
        let mut built = Vec::with_capacity(nodes.len());
        for node in nodes {
            let node = node_from_wire(node, wire.step, &mut predicates, &mut symbols);
            built.push(node.map_err(|what| format!("tree {number}: {what}"))?);
        }
        trees.push(Tree::from_nodes(built).map_err(|error| format!("tree {number}: {error}"))?);
    }
    if let Some(classes) = &wire.classes {
        check_classes(classes, trees.len())?;
    }
    Ok(TreeModel {
        header,
        classes: wire.classes.map(|WireClasses { priors, trained_on, .. }| ClassSums { priors, trained_on }),
        fidelity: wire.fidelity,
        prior: wire.prior,
        step: wire.step,
        target,
        trees,
        predicates,
        symbols,
    })
}

/// Checks that every class has a name, a prior, a count and as many trees as the others.
fn check_classes(classes: &WireClasses, trees: usize) -> Result<(), String> {
    let WireClasses { names, priors, trained_on } = classes;
    let count = names.len();
    if count < 2 {
        return Err(format!("expected at least two classes, got {count}"));
    }
    if (1..count).any(|k| names[..k].contains(&names[k])) {
        return Err("two of its classes have the same name".to_owned());
    }
    priors.iter().try_for_each(|&prior| check_weight("the prior of a class", prior))?;
    if priors.len() != count || trained_on.len() != count {
        let (priors, examples) = (priors.len(), trained_on.len());
        return Err(format!("it has {priors} priors and {examples} numbers of examples for {count} classes"));
    }
    if !trees.is_multiple_of(count) {
        return Err(format!("expected the same number of trees for each of {count} classes, got {trees} trees"));
    }
    Ok(())
}

fn node_from_wire(
    node: WireNode,
    step: f64,
    predicates: &mut Predicates,
    symbols: &mut Symbols,
) -> Result<Node<LeafWeights>, String> {
    let split = match node {
        WireNode::Leaf(WireLeaf { value, positives, negatives, theta }) => {
            check_weight("the value of a leaf", value)?;
            // `lrbm explain` converts paths to rules, whose contribution is bounded.
            if !is_valid_contribution(step * value) {
                let adds = step * value;
                return Err(format!(
                    "a leaf adds {adds:e} to the log-odds; expected at most {MAX_CONTRIBUTION:e} in magnitude"
                ));
            }
            theta.as_ref().map_or(Ok(()), Theta::check)?;
            return Ok(Node::Leaf(Leaf { value, positives, negatives, leaf: theta }));
        }
        WireNode::Split(split) => split,
    };
    let test = split.test.into_iter().map(|literal| literal.read(predicates, symbols)).collect::<Result<_, _>>()?;
    let at_least = split.at_least;
    if !(1..=MAX_GROUNDINGS).contains(&at_least) {
        return Err(format!("a test requires {at_least} groundings; expected 1 to {MAX_GROUNDINGS}"));
    }
    Ok(Node::Split(SplitNode { test, at_least, yes: NodeId(split.yes), no: NodeId(split.no) }))
}

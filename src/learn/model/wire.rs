//! Models as JSON files.
//!
//! Versions of the format:
//! 1. The first.
//! 2. Tests may ask for several groundings, with `at_least`. A model without such tests is written as version 1.
//! 3. Tests may compare numbers, with the predicates `<=` and `>`, and ask for facts of the target, with `recursive`. A model
//!    without these is written as one of those before.
//! 4. The target may tell classes apart, with `classes`; only such models are of this version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ClassSums, Fidelity, LeafWeights, TreeModel};
use crate::cover::MAX_GROUNDINGS;
use crate::files::json::{self, FileError, Format};
use crate::kb::wire::WireTime;
use crate::kb::{StoredRecursion, TimeRule};
use crate::learn::params::Value;
use crate::learn::{Kind, mln};
use crate::logic::wire::{WireLiteral, WirePredicate};
use crate::logic::{Predicates, Symbols};
use crate::rbm::network::{MOST_WORTH, is_worth};
use crate::rbm::{Theta, check_weight, network};
use crate::tree::{Leaf, Node, NodeId, SplitNode, Tree};

/// Files of trees.
pub const FORMAT: Format = Format { name: "lrbm model", thing: "model", maker: "lrbm train", version: 4 };

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
    classes: Option<ClassSums>,
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

/// The first version that can say what the model says.
fn version(model: &TreeModel) -> u32 {
    let of_node = |node: &Node<LeafWeights>| match node {
        Node::Split(split) if split.test.iter().any(|literal| literal.comparison().is_some()) => 3,
        Node::Split(split) if split.at_least > 1 => 2,
        _ => 1,
    };
    if model.classes.is_some() {
        return 4;
    }
    if model.recursive.is_some() {
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

pub(super) fn write(model: &TreeModel) -> String {
    let (positives, negatives) = model.trained_on;
    let wire = WireModel {
        format: FORMAT.name.to_owned(),
        version: version(model),
        kind: model.kind.name().to_owned(),
        target: WirePredicate { name: model.target_name().to_owned(), arity: model.target_arity() },
        parameters: model.parameters.clone(),
        seed: model.seed,
        trained_on: WireCounts { positives, negatives },
        classes: model.classes.clone(),
        fidelity: model.fidelity,
        time: model.time.as_ref().map(WireTime::from),
        recursive: model.recursive,
        prior: model.prior,
        step: model.step,
        trees: model.trees.iter().map(|tree| tree.nodes().iter().map(|node| to_wire(node, model)).collect()).collect(),
    };
    json::text(&wire)
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

pub(super) fn read(text: &str) -> Result<TreeModel, FileError> {
    let wire = FORMAT.read(text).map_err(|error| match error {
        FileError::Invalid { .. } if json::format(text).as_deref() == Some(network::FORMAT.name) => {
            FORMAT.invalid("it is a network, and trees are needed here")
        }
        FileError::Invalid { .. } if json::format(text).as_deref() == Some(mln::FORMAT.name) => {
            FORMAT.invalid("it has weights for numbers of groundings, and trees are needed here")
        }
        error => error,
    })?;
    from_wire(wire).map_err(|what| FORMAT.invalid(what))
}

fn from_wire(wire: WireModel) -> Result<TreeModel, String> {
    let kind = Kind::find(&wire.kind).map_err(|error| error.to_string())?;
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
        kind,
        parameters: wire.parameters,
        seed: wire.seed,
        trained_on: (wire.trained_on.positives, wire.trained_on.negatives),
        classes: wire.classes,
        fidelity: wire.fidelity,
        time: wire.time.map(TimeRule::from),
        recursive: wire.recursive,
        prior: wire.prior,
        step: wire.step,
        target,
        trees,
        predicates,
        symbols,
    })
}

/// Every class has a name, a prior and as many trees as the others.
fn check_classes(classes: &ClassSums, trees: usize) -> Result<(), String> {
    let ClassSums { names, priors, trained_on } = classes;
    let count = names.len();
    if count < 2 {
        return Err(format!("it has {count} classes, and two are the fewest"));
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
        return Err(format!("{trees} trees are not the same number for each of {count} classes"));
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
            // What can be scored can be explained: paths become rules.
            if !is_worth(step * value) {
                let worth = step * value;
                return Err(format!("a leaf adds {worth:e}, and {MOST_WORTH:e} is the most that a rule can be worth"));
            }
            theta.as_ref().map_or(Ok(()), Theta::check)?;
            return Ok(Node::Leaf(Leaf { value, positives, negatives, leaf: theta }));
        }
        WireNode::Split(split) => split,
    };
    let test = split.test.into_iter().map(|literal| literal.read(predicates, symbols)).collect::<Result<_, _>>()?;
    let at_least = split.at_least;
    if !(1..=MAX_GROUNDINGS).contains(&at_least) {
        return Err(format!("a test asks for {at_least} groundings; it must be 1 to {MAX_GROUNDINGS}"));
    }
    Ok(Node::Split(SplitNode { test, at_least, yes: NodeId(split.yes), no: NodeId(split.no) }))
}

//! Models as JSON files.
//!
//! Versions of the format:
//! 1. The first.
//! 2. Tests may ask for several groundings, with `at_least`. A model without such tests is written as version 1.
//! 3. Tests may compare numbers, with the predicates `<=` and `>`, and ask for facts of the target, with `recursive`. A model
//!    without these is written as one of those before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Fidelity, LeafWeights, Recursive, TreeModel};
use crate::files;
use crate::kb::{TimeRule, TimeSource};
use crate::learn::Kind;
use crate::learn::params::Value;
use crate::logic::{Argument, Literal, Number, Predicates, Symbols, SymbolsFull, Variable};
use crate::rbm::Theta;
use crate::tree::count::MOST_GROUNDINGS;
use crate::tree::{Leaf, Node, NodeId, Split, Tree};

/// The version of the format that is written; every version up to it can be read.
pub const FORMAT_VERSION: u32 = 3;

const FORMAT: &str = "lrbm model";
/// The largest number a variable may have: a mistyped one must not make tables of thousands of millions.
const LAST_VARIABLE: u32 = 9_999;

/// A file that cannot be used as a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is not a model.
    #[error("{place}not a model: {what}: give a file that `lrbm train` wrote")]
    Invalid {
        /// The file and a colon, or nothing.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// It is of a later version.
    #[error(
        "{place}a model of format version {found}, and this program reads up to {FORMAT_VERSION}: use a newer lrbm"
    )]
    Newer {
        /// The file and a colon, or nothing.
        place: String,
        /// Its version.
        found: u64,
    },
}

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
    fidelity: Option<Fidelity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recursive: Option<Recursive>,
    prior: f64,
    step: f64,
    trees: Vec<Vec<WireNode>>,
}

/// The time limits that training was under.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTime {
    from: WireTimeSource,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by_argument: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireTimeSource {
    Predicate(String),
    Type(String),
}

impl From<&TimeRule> for WireTime {
    fn from(rule: &TimeRule) -> Self {
        let source = match &rule.source {
            TimeSource::Predicate(name) => WireTimeSource::Predicate(name.clone()),
            TimeSource::Ids { type_name } => WireTimeSource::Type(type_name.clone()),
        };
        WireTime { from: source, by_argument: rule.by_argument.clone() }
    }
}

impl From<WireTime> for TimeRule {
    fn from(wire: WireTime) -> Self {
        let source = match wire.from {
            WireTimeSource::Predicate(name) => TimeSource::Predicate(name),
            WireTimeSource::Type(type_name) => TimeSource::Ids { type_name },
        };
        TimeRule { source, by_argument: wire.by_argument }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePredicate {
    name: String,
    arity: usize,
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLiteral {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    negated: bool,
    predicate: String,
    args: Vec<WireArgument>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireArgument {
    /// By its number; those of the head come first.
    Variable(u32),
    /// A name in its canonical print, quoted where it must be.
    Name(String),
    Number(f64),
    /// `true` for +∞: JSON has no such number.
    Infinity(bool),
}

/// The first version that can say what the model says.
fn version(model: &TreeModel) -> u32 {
    let of_node = |node: &Node<LeafWeights>| match node {
        Node::Split(split) if split.test.iter().any(|literal| literal.comparison().is_some()) => 3,
        Node::Split(split) if split.at_least > 1 => 2,
        _ => 1,
    };
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
        format: FORMAT.to_owned(),
        version: version(model),
        kind: model.kind.name().to_owned(),
        target: WirePredicate { name: model.target_name().to_owned(), arity: model.target_arity() },
        parameters: model.parameters.clone(),
        seed: model.seed,
        trained_on: WireCounts { positives, negatives },
        fidelity: model.fidelity,
        time: model.time.as_ref().map(WireTime::from),
        recursive: model.recursive,
        prior: model.prior,
        step: model.step,
        trees: model.trees.iter().map(|tree| tree.nodes().iter().map(|node| to_wire(node, model)).collect()).collect(),
    };
    // Only maps with keys that are not text can fail.
    let mut text = serde_json::to_string_pretty(&wire).unwrap_or_default();
    text.push('\n');
    text
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
            let test = split.test.iter().map(|literal| literal_to_wire(literal, model)).collect();
            WireNode::Split(WireSplit { test, at_least: split.at_least, yes: split.yes.0, no: split.no.0 })
        }
    }
}

fn literal_to_wire(literal: &Literal, model: &TreeModel) -> WireLiteral {
    let number = |value: f64| match value.is_infinite() {
        true => WireArgument::Infinity(value > 0.0),
        false => WireArgument::Number(value),
    };
    let arg = |arg: &Argument| match *arg {
        Argument::Variable(variable) => WireArgument::Variable(variable.0),
        Argument::Number(compared) => number(compared.value()),
        Argument::Constant(constant) => match model.symbols.number(constant) {
            Some(value) => number(value),
            None => WireArgument::Name(model.symbols.name(constant).unwrap_or_default().to_owned()),
        },
    };
    WireLiteral {
        negated: literal.negated,
        predicate: model.predicates.name(literal.predicate).to_owned(),
        args: literal.args.iter().map(arg).collect(),
    }
}

pub(super) fn read(text: &str) -> Result<TreeModel, ModelFileError> {
    read_at(text, String::new())
}

fn read_at(text: &str, place: String) -> Result<TreeModel, ModelFileError> {
    let invalid = |what: String| ModelFileError::Invalid { place: place.clone(), what };
    // What comes first is what tells this file from any other, and from one of the future.
    let any: serde_json::Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    if any.get("format").and_then(serde_json::Value::as_str) != Some(FORMAT) {
        return Err(invalid(format!("it does not say \"format\": \"{FORMAT}\"")));
    }
    match any.get("version").and_then(serde_json::Value::as_u64) {
        None | Some(0) => return Err(invalid("it has no version".to_owned())),
        Some(found) if found > u64::from(FORMAT_VERSION) => return Err(ModelFileError::Newer { place, found }),
        Some(_) => {}
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let wire: WireModel = serde_path_to_error::deserialize(&mut reader).map_err(|error| invalid(error.to_string()))?;
    from_wire(wire).map_err(invalid)
}

fn from_wire(wire: WireModel) -> Result<TreeModel, String> {
    let kind = Kind::find(&wire.kind).map_err(|error| error.to_string())?;
    let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut trees = Vec::with_capacity(wire.trees.len());
    for (number, nodes) in wire.trees.into_iter().enumerate() {
        let mut built = Vec::with_capacity(nodes.len());
        for node in nodes {
            let node = node_from_wire(node, &mut predicates, &mut symbols);
            built.push(node.map_err(|what| format!("tree {number}: {what}"))?);
        }
        trees.push(Tree::from_nodes(built).map_err(|error| format!("tree {number}: {error}"))?);
    }
    Ok(TreeModel {
        kind,
        parameters: wire.parameters,
        seed: wire.seed,
        trained_on: (wire.trained_on.positives, wire.trained_on.negatives),
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

fn node_from_wire(
    node: WireNode,
    predicates: &mut Predicates,
    symbols: &mut Symbols,
) -> Result<Node<LeafWeights>, String> {
    let split = match node {
        WireNode::Leaf(WireLeaf { value, positives, negatives, theta }) => {
            return Ok(Node::Leaf(Leaf { value, positives, negatives, leaf: theta }));
        }
        WireNode::Split(split) => split,
    };
    let mut test = Vec::with_capacity(split.test.len());
    for literal in split.test {
        let mut args = Vec::with_capacity(literal.args.len());
        let predicate = predicates.intern(&literal.predicate, literal.args.len());
        for arg in literal.args {
            let full = |error: SymbolsFull| error.to_string();
            let mut number = |value: f64| match predicate.comparison() {
                // What is compared with need not be a constant of any data.
                Some(_) => Ok(Argument::Number(Number::new(value))),
                None => symbols.intern_number(value).map(Argument::Constant).map_err(full),
            };
            args.push(match arg {
                WireArgument::Variable(number) if number > LAST_VARIABLE => {
                    return Err(format!("a variable has the number {number}, beyond {LAST_VARIABLE}"));
                }
                WireArgument::Variable(number) => Argument::Variable(Variable(number)),
                WireArgument::Name(name) => Argument::Constant(symbols.intern(&name).map_err(full)?),
                WireArgument::Number(value) => number(value)?,
                WireArgument::Infinity(positive) => number(if positive { f64::INFINITY } else { f64::NEG_INFINITY })?,
            });
        }
        test.push(Literal { negated: literal.negated, predicate, args });
    }
    let at_least = split.at_least;
    if !(1..=MOST_GROUNDINGS).contains(&at_least) {
        return Err(format!("a test asks for {at_least} groundings; it must be 1 to {MOST_GROUNDINGS}"));
    }
    Ok(Node::Split(Split { test, at_least, yes: NodeId(split.yes), no: NodeId(split.no) }))
}

pub(super) fn save(model: &TreeModel, path: &Path) -> Result<(), ModelFileError> {
    let written = files::write(path, |out| out.write_all(write(model).as_bytes()));
    written.map_err(|error| ModelFileError::Io { path: path.to_owned(), error })
}

pub(super) fn load(path: &Path) -> Result<TreeModel, ModelFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| ModelFileError::Io { path: path.to_owned(), error })?;
    read_at(&text, format!("{}: ", path.display()))
}

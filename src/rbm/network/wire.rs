//! Networks as JSON files.
//!
//! Versions of the format:
//! 1. Rules without comparisons and recursion.
//! 2. Rules may compare numbers, with the predicates `<=` and `>`, and use facts of the target,
//!    with `recursive`. A network without these is written as version 1.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Condition, Hidden, Network, Rule};
use crate::cover::MAX_GROUNDINGS;
use crate::files::json::{self, FileError, Format};
use crate::kb::wire::WireTime;
use crate::kb::{StoredRecursion, TimeRule};
use crate::logic::wire::{self, WireLiteral, WirePredicate};
use crate::logic::{Literal, Predicates, Symbols};
use crate::rbm::check_weight;

/// The format of network files.
pub const FORMAT: Format =
    Format { name: "lrbm-network", former: &[], thing: "network", maker: "lrbm convert", version: 2 };

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireNetwork {
    format: String,
    version: u32,
    origin: String,
    target: WirePredicate,
    classes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recursive: Option<StoredRecursion>,
    /// The bias of each class.
    d: Vec<f64>,
    hidden: Vec<WireHidden>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHidden {
    body: Vec<WireLiteral>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<WireCondition>,
    c: f64,
    w: Vec<WireEdge>,
    /// The weight of each class.
    u: Vec<f64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    dropped: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCondition {
    holds: bool,
    at_least: u32,
    body: Vec<WireLiteral>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEdge {
    predicate: WirePredicate,
    weight: f64,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Network {
    /// Returns the first version that can represent the network.
    fn version(&self) -> u32 {
        let compares = |node: &Hidden| node.rule.literals().any(|literal| literal.comparison().is_some());
        if self.signature.recursive.is_some() || self.hidden.iter().any(compares) { 2 } else { 1 }
    }

    /// Serializes the network as JSON.
    pub fn to_json(&self) -> String {
        let wire = WireNetwork {
            format: FORMAT.name.to_owned(),
            version: self.version(),
            origin: self.origin.clone(),
            target: WirePredicate { name: self.target_name().to_owned(), arity: self.target_arity() },
            classes: self.classes().to_vec(),
            time: self.signature.time.as_ref().map(WireTime::from),
            recursive: self.signature.recursive,
            d: self.d.clone(),
            hidden: self.hidden.iter().map(|node| self.node_to_wire(node)).collect(),
        };
        json::text(&wire)
    }

    fn node_to_wire(&self, node: &Hidden) -> WireHidden {
        let predicates = &self.predicates;
        let literals = |body: &[Literal]| -> Vec<WireLiteral> {
            body.iter().map(|literal| WireLiteral::new(literal, predicates, &self.symbols)).collect()
        };
        let condition = |condition: &Condition| WireCondition {
            holds: condition.holds,
            at_least: condition.at_least,
            body: literals(&condition.body),
        };
        let edge = |(id, &weight)| WireEdge {
            predicate: WirePredicate { name: predicates.name(id).to_owned(), arity: predicates.arity(id) },
            weight,
        };
        WireHidden {
            body: literals(node.rule.body()),
            conditions: node.rule.conditions().iter().map(condition).collect(),
            c: node.c,
            w: node.rule.predicates().into_iter().zip(&node.w).map(edge).collect(),
            u: node.u.clone(),
            dropped: node.dropped,
        }
    }

    /// Reads a network from JSON, of this or an earlier version.
    ///
    /// # Errors
    /// If it is not a network, or of a later version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        from_wire(FORMAT.read(text)?).map_err(|what| FORMAT.invalid(what))
    }

    /// Writes the network to a file atomically.
    ///
    /// # Errors
    /// If the file cannot be written, or the network has numbers that JSON cannot represent.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        json::save(path, self.to_json(), Self::from_json)
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a network of this or an earlier version.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        json::load(path, Self::from_json)
    }
}

fn from_wire(wire: WireNetwork) -> Result<Network, String> {
    let classes = wire.classes.len();
    if classes < 2 {
        return Err(format!("expected at least two classes, got {classes}"));
    }
    if (1..classes).any(|k| wire.classes[..k].contains(&wire.classes[k])) {
        return Err("two of its classes have the same name".to_owned());
    }
    if wire.d.len() != classes {
        return Err(format!("d has {} numbers for {classes} classes", wire.d.len()));
    }
    wire.d.iter().try_for_each(|&d| check_weight("a number of d", d))?;
    let mut network = Network::new((&wire.target.name, wire.target.arity), wire.classes, wire.d, wire.origin);
    network.signature.time = wire.time.map(TimeRule::from);
    network.signature.recursive = wire.recursive;
    for (number, node) in wire.hidden.into_iter().enumerate() {
        let node = node_from_wire(node, &mut network).map_err(|what| format!("hidden[{number}]: {what}"))?;
        network.push(node);
    }
    Ok(network)
}

fn node_from_wire(node: WireHidden, network: &mut Network) -> Result<Hidden, String> {
    let (arity, classes) = (network.target_arity(), network.classes().len());
    let Network { predicates, symbols, .. } = network;
    let body = literals(node.body, predicates, symbols)?;
    let mut conditions = Vec::with_capacity(node.conditions.len());
    for WireCondition { holds, at_least, body } in node.conditions {
        if !(1..=MAX_GROUNDINGS).contains(&at_least) {
            return Err(format!("a condition requires {at_least} groundings; expected 1 to {MAX_GROUNDINGS}"));
        }
        conditions.push(Condition { holds, at_least, body: literals(body, predicates, symbols)? });
    }
    let rule = Rule::new(body, conditions, arity);
    // Conjunctions may be numbered separately in the file; here they are numbered jointly.
    wire::check(arity, rule.literals()).map_err(|error| error.to_string())?;
    if node.u.len() != classes {
        return Err(format!("u has {} numbers for {classes} classes", node.u.len()));
    }
    check_weight("c", node.c)?;
    node.u.iter().try_for_each(|&u| check_weight("a number of u", u))?;
    node.w.iter().try_for_each(|edge| check_weight("a weight of w", edge.weight))?;
    let named = |edge: &WireEdge| predicates.find(&edge.predicate.name, edge.predicate.arity);
    if !node.w.iter().map(named).eq(rule.predicates().into_iter().map(Some)) {
        let all: Vec<String> = rule.predicates().iter().map(|&id| predicates.show(id).to_string()).collect();
        return Err(format!(
            "w must have one weight for each predicate of the rule, in this order: {}",
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        ));
    }
    let w = node.w.iter().map(|edge| edge.weight).collect();
    Ok(Hidden { rule, c: node.c, w, u: node.u, dropped: node.dropped })
}

fn literals(
    body: Vec<WireLiteral>,
    predicates: &mut Predicates,
    symbols: &mut Symbols,
) -> Result<Vec<Literal>, String> {
    body.into_iter().map(|literal| literal.read(predicates, symbols)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::network;
    use super::*;

    #[test]
    fn a_network_survives_a_round_trip() {
        let network = network();
        let text = network.to_json();
        let read = Network::from_json(&text).unwrap();
        assert_eq!(read.to_json(), text);
        assert_eq!(
            (read.hidden(), read.biases(), read.classes()),
            (network.hidden(), network.biases(), network.classes())
        );
    }

    #[test]
    fn errors_in_a_file_are_reported() {
        let good = network().to_json();
        for (from, to, message) in [
            ("\"version\": 1", "\"version\": 9", "a network of format version 9, and this program reads up to 2"),
            ("lrbm-network", "lrbm model", "its format is \"lrbm model\"; expected \"lrbm-network\""),
            ("\"origin\"", "\"origins\"", "unknown field `origins`"),
            ("\"name\": \"actedIn\"", "\"name\": \"acted\"", "hidden[0]: w must have one weight for each predicate"),
            ("    0.1,\n", "", "d has 3 numbers for 4 classes"),
            (
                "      \"c\": -3.0",
                "      \"conditions\": [{\"holds\": true, \"at_least\": 0, \"body\": []}],\n      \"c\": -3.0",
                "1 to 100",
            ),
            ("    \"1\",", "    \"0\",", "two of its classes have the same name"),
            ("\"c\": -3.0", "\"c\": -1.5e308", "hidden[0]: c is -1.5e308; expected a number from -1e100 to 1e100"),
            ("    0.1,\n", "    1e101,\n", "a number of d is 1e101"),
            ("\"arity\": 2", "\"arity\": 4000000000", "arity must be at most 9999, got 4000000000"),
            ("\"arity\": 2", "\"arity\": 18446744073709551615", "arity must be at most 9999, got 18446744073709551615"),
            ("\"variable\": 2", "\"variable\": 123456", "variable number must be at most 9999, got 123456"),
        ] {
            assert!(good.contains(from), "{from}");
            let error = Network::from_json(&good.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}

//! Markov logic networks as JSON files.
//!
//! Versions of the format:
//! 1. The first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{Formula, MlnModel};
use super::params::Counting;
use super::tally::Pattern;
use crate::files::json::{self, FileError};
use crate::kb::StoredRecursion;
use crate::kb::wire::WireTime;
use crate::learn::Kind;
use crate::learn::format;
use crate::learn::header::{Header, WireHeader};
use crate::learn::params::{Value, check_stored};
use crate::learn::stored::{ModelSize, SizeOf, Stored};
use crate::logic::wire::{WireLiteral, WirePredicate};
use crate::logic::{Literal, Predicates, Symbols};
use crate::rbm::check_weight;

/// Maximum number of negated conjunctions of a formula, and of its literals including theirs. They
/// bound the depth and the time of the search for groundings.
const MAX_GROUPS: usize = 1000;
const MAX_LITERALS: usize = 1000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    format: String,
    version: u32,
    target: WirePredicate,
    parameters: BTreeMap<String, Value>,
    seed: u64,
    positives: u64,
    negatives: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recursive: Option<StoredRecursion>,
    steps: u32,
    count_budget: u32,
    prior: f64,
    formulas: Vec<WireFormula>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFormula {
    weight: f64,
    body: Vec<WireLiteral>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    none_of: Vec<Vec<WireLiteral>>,
}

impl MlnModel {
    /// Reads a model from the text of a file.
    ///
    /// # Errors
    /// If the text is not such a model of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        from_wire(format::MLN.read(text)?).map_err(|what| format::MLN.invalid(what))
    }
}

impl Stored for MlnModel {
    fn header(&self) -> Option<&Header> {
        Some(&self.header)
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn to_json(&self) -> String {
        let literals = |body: &Vec<Literal>| -> Vec<WireLiteral> {
            body.iter().map(|literal| WireLiteral::new(literal, &self.predicates, &self.symbols)).collect()
        };
        let formula = |formula: &Formula| WireFormula {
            weight: formula.weight,
            body: literals(&formula.pattern.literals),
            none_of: formula.pattern.none_of.iter().map(literals).collect(),
        };
        // The format has one kind and no classes.
        let WireHeader { parameters, seed, positives, negatives, time, recursive, .. } = (&self.header).into();
        json::text(&WireModel {
            format: format::MLN.name.to_owned(),
            version: format::MLN.version,
            target: self.header.target(),
            parameters,
            seed,
            positives,
            negatives,
            time,
            recursive,
            steps: self.steps,
            count_budget: self.count_budget,
            prior: self.prior,
            formulas: self.formulas.iter().map(formula).collect(),
        })
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: self.steps as usize, leaves: self.formulas.len(), parts: SizeOf::Clauses }
    }
}

fn from_wire(wire: WireModel) -> Result<MlnModel, String> {
    let header = WireHeader {
        kind: Kind::MlnBoost.name().to_owned(),
        parameters: wire.parameters,
        seed: wire.seed,
        positives: wire.positives,
        negatives: wire.negatives,
        classes: None,
        time: wire.time,
        recursive: wire.recursive,
    };
    let header = header.read(&wire.target, &[Kind::MlnBoost])?;
    let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut formulas = Vec::with_capacity(wire.formulas.len());
    for (number, formula) in wire.formulas.into_iter().enumerate() {
        let formula = formula_from_wire(formula, &mut predicates, &mut symbols);
        formulas.push(formula.map_err(|what| format!("formula {number}: {what}"))?);
    }
    check_weight("prior", wire.prior)?;
    check_stored::<Counting>("count_budget", wire.count_budget.into())?;
    Ok(MlnModel {
        header,
        prior: wire.prior,
        steps: wire.steps,
        count_budget: wire.count_budget,
        target,
        formulas,
        predicates,
        symbols,
    })
}

fn formula_from_wire(wire: WireFormula, predicates: &mut Predicates, symbols: &mut Symbols) -> Result<Formula, String> {
    check_weight("its weight", wire.weight)?;
    if wire.none_of.len() > MAX_GROUPS || wire.none_of.iter().any(Vec::is_empty) {
        return Err(format!("`none_of` must hold up to {MAX_GROUPS} conjunctions of at least one literal"));
    }
    let count = wire.body.len() + wire.none_of.iter().map(Vec::len).sum::<usize>();
    if count > MAX_LITERALS {
        return Err(format!("it has {count} literals, and {MAX_LITERALS} are the most"));
    }
    let mut literals = |body: Vec<WireLiteral>| -> Result<Vec<Literal>, String> {
        body.into_iter().map(|literal| literal.read(predicates, symbols)).collect()
    };
    let body = literals(wire.body)?;
    let none_of = wire.none_of.into_iter().map(literals).collect::<Result<_, _>>()?;
    Ok(Formula { pattern: Pattern { literals: body, none_of }, weight: wire.weight })
}

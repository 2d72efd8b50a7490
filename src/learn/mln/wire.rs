//! Markov logic networks as JSON files.
//!
//! Versions of the format:
//! 1. The first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{Formula, MlnModel};
use super::tally::Pattern;
use crate::files::json::{self, FileError, Format};
use crate::kb::TimeRule;
use crate::kb::wire::WireTime;
use crate::learn::any::Stored;
use crate::learn::params::{Value, check_stored};
use crate::logic::wire::{WireLiteral, WirePredicate};
use crate::logic::{Literal, Predicates, Symbols};
use crate::rbm::check_weight;

/// Files of Markov logic networks.
pub const FORMAT: Format = Format { name: "lrbm-mln", thing: "model", maker: "lrbm train", version: 1 };

/// The most groups that one formula may rule out, and the most literals it may have with theirs, so that no file makes a search
/// that is too deep or never ends.
const MOST_GROUPS: usize = 1000;
const MOST_LITERALS: usize = 1000;

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

pub(super) fn write(model: &MlnModel) -> String {
    let literals = |body: &Vec<Literal>| -> Vec<WireLiteral> {
        body.iter().map(|literal| WireLiteral::new(literal, &model.predicates, &model.symbols)).collect()
    };
    let formula = |formula: &Formula| WireFormula {
        weight: formula.weight,
        body: literals(&formula.pattern.literals),
        none_of: formula.pattern.none_of.iter().map(literals).collect(),
    };
    json::text(&WireModel {
        format: FORMAT.name.to_owned(),
        version: FORMAT.version,
        target: WirePredicate { name: model.target_name().to_owned(), arity: model.target_arity() },
        parameters: model.parameters.clone(),
        seed: model.seed,
        positives: model.trained_on.0,
        negatives: model.trained_on.1,
        time: model.time.as_ref().map(WireTime::from),
        steps: model.steps,
        count_budget: model.count_budget,
        prior: model.prior,
        formulas: model.formulas.iter().map(formula).collect(),
    })
}

pub(super) fn read(text: &str) -> Result<MlnModel, FileError> {
    from_wire(FORMAT.read(text)?).map_err(|what| FORMAT.invalid(what))
}

fn from_wire(wire: WireModel) -> Result<MlnModel, String> {
    let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut formulas = Vec::with_capacity(wire.formulas.len());
    for (number, formula) in wire.formulas.into_iter().enumerate() {
        let formula = formula_from_wire(formula, &mut predicates, &mut symbols);
        formulas.push(formula.map_err(|what| format!("formula {number}: {what}"))?);
    }
    check_weight("prior", wire.prior)?;
    check_stored("count_budget", wire.count_budget.into())?;
    Ok(MlnModel {
        parameters: wire.parameters,
        seed: wire.seed,
        trained_on: (wire.positives, wire.negatives),
        time: wire.time.map(TimeRule::from),
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
    if wire.none_of.len() > MOST_GROUPS || wire.none_of.iter().any(Vec::is_empty) {
        return Err(format!("`none_of` must hold up to {MOST_GROUPS} conjunctions of at least one literal"));
    }
    let count = wire.body.len() + wire.none_of.iter().map(Vec::len).sum::<usize>();
    if count > MOST_LITERALS {
        return Err(format!("it has {count} literals, and {MOST_LITERALS} are the most"));
    }
    let mut literals = |body: Vec<WireLiteral>| -> Result<Vec<Literal>, String> {
        body.into_iter().map(|literal| literal.read(predicates, symbols)).collect()
    };
    let body = literals(wire.body)?;
    let none_of = wire.none_of.into_iter().map(literals).collect::<Result<_, _>>()?;
    Ok(Formula { pattern: Pattern { literals: body, none_of }, weight: wire.weight })
}

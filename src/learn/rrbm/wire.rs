//! Walks and the machine over them as JSON files.
//!
//! Versions of the format:
//! 1. The first.

use serde::{Deserialize, Serialize};

use super::feature::Feature;
use super::model::{RrbmModel, WalkInput};
use super::walk::{Direction, Step};
use crate::files::json::{self, FileError, Format};
use crate::learn::header::WireRecord;
use crate::learn::params::check_stored;
use crate::learn::{Kind, Stored};
use crate::logic::Predicates;
use crate::logic::wire::WirePredicate;
use crate::rbm::{DenseRbm, MOST_WEIGHT, check_weight};

/// What such a file is.
pub const FORMAT: Format =
    Format { name: "lrbm walks", thing: "model over walks", maker: "lrbm train --kind rrbm-c", version: 1 };

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    format: String,
    version: u32,
    target: WirePredicate,
    learned: WireRecord,
    feature: String,
    walks: Vec<WireWalk>,
    d: f64,
    hidden: Vec<WireUnit>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireWalk {
    steps: Vec<WireStep>,
    scale: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStep {
    predicate: String,
    way: WireWay,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireWay {
    Forward,
    Backward,
    Stay,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireUnit {
    c: f64,
    u0: f64,
    u1: f64,
    w: Vec<f64>,
}

impl RrbmModel {
    /// The model as JSON.
    pub(super) fn text(&self) -> String {
        let step = |step: &Step| WireStep {
            predicate: self.predicates.name(step.predicate).to_owned(),
            way: match step.direction {
                Direction::Forward => WireWay::Forward,
                Direction::Backward => WireWay::Backward,
                Direction::Stay => WireWay::Stay,
            },
        };
        let walk = |walk: &WalkInput| WireWalk { steps: walk.steps.iter().map(step).collect(), scale: walk.scale };
        let wire = WireModel {
            format: FORMAT.name.to_owned(),
            version: FORMAT.version,
            target: WirePredicate { name: self.target_name().to_owned(), arity: self.target_arity() },
            learned: (&self.record).into(),
            feature: self.feature.name().to_owned(),
            walks: self.walks.iter().map(walk).collect(),
            d: self.rbm.bias(),
            hidden: self
                .rbm
                .units()
                .map(|unit| WireUnit { c: unit.c, u0: unit.u0, u1: unit.u1, w: unit.w.to_vec() })
                .collect(),
        };
        json::text(&wire)
    }

    /// A model from JSON, of this or an earlier version.
    ///
    /// # Errors
    /// If it is not one, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        from_wire(FORMAT.read(text)?).map_err(|what| FORMAT.invalid(what))
    }
}

fn from_wire(wire: WireModel) -> Result<RrbmModel, String> {
    let record = wire.learned.read(&[Kind::RrbmC, Kind::RrbmE])?;
    if wire.target.arity != 2 {
        return Err(format!("a target of {} arguments, and walks lead from one to another", wire.target.arity));
    }
    let feature = Feature::NAMES.iter().find(|(name, _)| *name == wire.feature).map(|&(_, feature)| feature);
    let feature = feature.ok_or_else(|| {
        let names = Feature::NAMES.map(|(name, _)| name).join(", ");
        format!("the feature \"{}\"; it must be one of {names}", wire.feature)
    })?;
    let mut predicates = Predicates::default();
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut walks = Vec::with_capacity(wire.walks.len());
    for (number, WireWalk { steps, scale }) in wire.walks.into_iter().enumerate() {
        // This also refuses what is not a number.
        if !(1.0 / MOST_WEIGHT..=MOST_WEIGHT).contains(&scale) {
            let least = 1.0 / MOST_WEIGHT;
            return Err(format!("walks[{number}]: the scale {scale:e}; it must be from {least:e} to {MOST_WEIGHT:e}"));
        }
        if steps.iter().all(|step| matches!(step.way, WireWay::Stay)) {
            return Err(format!("walks[{number}]: no step leads anywhere"));
        }
        check_stored("walk_length", steps.len() as u64).map_err(|what| format!("walks[{number}]: {what}"))?;
        let mut step = |step: WireStep| {
            let (direction, arity) = match step.way {
                WireWay::Forward => (Direction::Forward, 2),
                WireWay::Backward => (Direction::Backward, 2),
                WireWay::Stay => (Direction::Stay, 1),
            };
            Step { predicate: predicates.intern(&step.predicate, arity), direction }
        };
        walks.push(WalkInput { steps: steps.into_iter().map(&mut step).collect(), scale });
    }
    let (inputs, hidden) = (walks.len(), wire.hidden.len());
    check_weight("d", wire.d)?;
    let mut weights = vec![wire.d];
    for (number, unit) in wire.hidden.iter().enumerate() {
        if unit.w.len() != inputs {
            return Err(format!("hidden[{number}]: w has {} numbers for {inputs} walks", unit.w.len()));
        }
        for &weight in [unit.c, unit.u0, unit.u1].iter().chain(&unit.w) {
            check_weight("a weight", weight).map_err(|what| format!("hidden[{number}]: {what}"))?;
        }
        weights.extend([unit.c, unit.u0, unit.u1]);
        weights.extend(&unit.w);
    }
    let rbm = DenseRbm::from_weights(inputs, hidden, weights).ok_or("there are too few weights")?;
    Ok(RrbmModel { record, feature, target, predicates, walks, rbm })
}

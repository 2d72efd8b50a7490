//! RBMs over random walks as JSON files.
//!
//! Versions of the format:
//! 1. The first.

use serde::{Deserialize, Serialize};

use super::feature::Feature;
use super::model::{RrbmModel, WalkInput};
use super::params::Walks;
use super::walk::{Direction, Step};
use crate::files::json::{self, FileError};
use crate::learn::Kind;
use crate::learn::format;
use crate::learn::header::{Header, WireHeader};
use crate::learn::params::check_stored;
use crate::learn::stored::{ModelSize, SizeOf, Stored};
use crate::logic::Predicates;
use crate::logic::wire::WirePredicate;
use crate::rbm::{DenseRbm, MAX_WEIGHT, check_weight};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    format: String,
    version: u32,
    target: WirePredicate,
    learned: WireHeader,
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

impl Stored for RrbmModel {
    fn header(&self) -> Option<&Header> {
        Some(&self.header)
    }

    fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    fn size(&self) -> ModelSize {
        ModelSize { trees: 0, leaves: self.rbm.hidden(), parts: SizeOf::Units { walks: self.walks.len() } }
    }

    fn to_json(&self) -> String {
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
            format: format::RRBM.name.to_owned(),
            version: format::RRBM.version,
            target: self.header.target(),
            learned: (&self.header).into(),
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
}

impl RrbmModel {
    /// Reads a model from the text of a file.
    ///
    /// # Errors
    /// If the text is not such a model of this or an earlier version.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        from_wire(format::RRBM.read(text)?).map_err(|what| format::RRBM.invalid(what))
    }
}

fn from_wire(wire: WireModel) -> Result<RrbmModel, String> {
    let header = wire.learned.read(&wire.target, &[Kind::RrbmC, Kind::RrbmE])?;
    if wire.target.arity != 2 {
        return Err(format!("the target has {} arguments; it must have 2, which walks connect", wire.target.arity));
    }
    let feature = Feature::NAMES.iter().find(|(name, _)| *name == wire.feature).map(|&(_, feature)| feature);
    let feature = feature.ok_or_else(|| {
        let names = Feature::NAMES.map(|(name, _)| name).join(", ");
        format!("unknown feature \"{}\"; expected one of {names}", wire.feature)
    })?;
    let mut predicates = Predicates::default();
    let target = predicates.intern(&wire.target.name, wire.target.arity);
    let mut walks = Vec::with_capacity(wire.walks.len());
    for (number, WireWalk { steps, scale }) in wire.walks.into_iter().enumerate() {
        // NaN is rejected as well.
        if !(1.0 / MAX_WEIGHT..=MAX_WEIGHT).contains(&scale) {
            let min = 1.0 / MAX_WEIGHT;
            return Err(format!(
                "walks[{number}]: scale is {scale:e}; expected a number from {min:e} to {MAX_WEIGHT:e}"
            ));
        }
        if steps.iter().all(|step| matches!(step.way, WireWay::Stay)) {
            return Err(format!(
                "walks[{number}]: every step stays at its entity; at least one must be forward or backward"
            ));
        }
        check_stored::<Walks>("walk_length", steps.len() as u64).map_err(|what| format!("walks[{number}]: {what}"))?;
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
    let rbm = DenseRbm::from_weights(inputs, hidden, weights).ok_or("too few weights")?;
    Ok(RrbmModel { header, feature, target, predicates, walks, rbm })
}

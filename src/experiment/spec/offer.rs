//! What an alternative of a multiverse changes about a dataset, and whether the dataset offers it.

use super::super::dataset_ref::DatasetRef;
use super::names;
use super::raw::{Item, RawTable};
use crate::data::benchmark::{Arity, Mirror, Reflexive, TimeUse};
use crate::data::generate::Domain;
use crate::data::manifest::{FoldScheme, NegativeScheme};
use crate::learn::params::Value;

/// Changes of a dataset, as far as an alternative makes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataSettings {
    pub evidence: Option<String>,
    pub arity: Option<Arity>,
    pub folds: Option<usize>,
    pub fold_scheme: Option<FoldScheme>,
    pub negatives: Option<NegativeScheme>,
    pub negatives_per_positive: Option<f64>,
    pub reflexive: Option<Reflexive>,
    pub drop_shared: Option<bool>,
    pub time: Option<TimeUse>,
    pub modes: Option<String>,
    pub mirror: Option<Mirror>,
    pub seed: Option<u64>,
}

impl DataSettings {
    /// Reads the keys of an alternative.
    pub fn read(table: &RawTable) -> DataSettings {
        let text = |key: &str| table.get(key).and_then(Item::text);
        let flag = |key: &str| match table.get(key).and_then(Item::scalar) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        };
        DataSettings {
            evidence: text("evidence").map(str::to_owned),
            arity: text("arity").and_then(names::arity),
            folds: table.get("folds").and_then(Item::whole).map(|folds| folds as usize),
            fold_scheme: text("fold_scheme").and_then(names::fold_scheme),
            negatives: text("negatives").and_then(names::negative_scheme),
            negatives_per_positive: table.get("negatives_per_positive").and_then(Item::number),
            reflexive: text("reflexive").and_then(names::reflexive),
            drop_shared: flag("drop_shared"),
            time: text("time").and_then(names::time_use),
            modes: text("modes").map(str::to_owned),
            mirror: text("mirror").and_then(names::mirror),
            seed: table.get("seed").and_then(Item::whole),
        }
    }
}

/// Returns the dataset with these changes, later ones first in effect, except that mode options
/// add up; the error says why the dataset does not offer one.
pub fn apply(source: &DatasetRef, all: &[&DataSettings]) -> Result<DatasetRef, String> {
    let mut changed = source.clone();
    let manifest = source.manifest();
    let has_times = manifest.is_some_and(|manifest| manifest.time.is_some())
        || Domain::find(&source.id).is_ok_and(|domain| domain.info().time.is_some());
    let variant = &mut changed.variant;
    for data in all {
        if let Some(name) = &data.evidence {
            let offered = manifest.is_some_and(|manifest| manifest.evidence(Some(name)).is_ok());
            require(offered, format!("the dataset has no evidence variant `{name}`"))?;
            variant.evidence = Some(name.clone());
        }
        if let Some(arity) = data.arity {
            let is_changed = arity == Arity::Original || source.may_have_long_predicates();
            require(is_changed, "every predicate has at most two arguments")?;
            variant.arity = arity;
        }
        if let Some(scheme) = data.fold_scheme {
            let schemes = manifest.map(|manifest| {
                let others = manifest.folds.option.iter().map(|option| option.scheme);
                [manifest.folds.scheme].into_iter().chain(others).collect::<Vec<_>>()
            });
            let offered = match schemes {
                Some(schemes) => schemes.contains(&scheme),
                None if scheme == FoldScheme::ByTime => has_times,
                None => source.generated.is_none() || scheme == FoldScheme::Random,
            };
            require(offered, "the dataset does not have these folds")?;
            variant.folds = Some(scheme);
        }
        if let Some(scheme) = data.negatives {
            let offered = manifest.is_none_or(|manifest| {
                manifest.negatives.scheme == scheme || manifest.negatives.option.contains(&scheme)
            });
            require(offered, "the dataset does not have these negatives")?;
            variant.negatives = Some(scheme);
        }
        if let Some(reflexive) = data.reflexive {
            let may_occur = manifest.is_none_or(|manifest| {
                let arguments = &manifest.target.arguments;
                arguments.len() == 2 && arguments[0] == arguments[1]
            });
            let is_changed = reflexive == Reflexive::Keep || may_occur;
            require(is_changed, "the arguments of the target have different types")?;
            variant.reflexive = reflexive;
        }
        variant.drop_shared = data.drop_shared.unwrap_or(variant.drop_shared);
        if let Some(time) = data.time {
            require(time == TimeUse::Limit || has_times, "the dataset has no timestamps")?;
            variant.time = time;
        }
        if let Some(names) = &data.modes {
            let evidence = manifest.and_then(|manifest| manifest.evidence(variant.evidence.as_deref()).ok());
            let known = manifest.zip(evidence).is_some_and(|(manifest, of)| manifest.option_modes(names, of).is_ok());
            require(known, format!("the dataset has no mode option `{names}`"))?;
            let mut all: Vec<&str> = variant.modes.iter().flat_map(|modes| modes.split('+')).collect();
            all.extend(names.split('+'));
            all.sort_unstable();
            all.dedup();
            variant.modes = Some(all.join("+"));
        }
        if let Some(mirror) = data.mirror {
            let is_symmetric = manifest.is_some_and(|manifest| manifest.target.symmetric);
            require(mirror == Mirror::Hide || is_symmetric, "the target is not symmetric")?;
            variant.mirror = mirror;
        }
    }
    Ok(changed)
}

fn require(holds: bool, reason: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason.into()) }
}

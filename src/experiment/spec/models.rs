//! From models, presets and the sweep to the rows of an experiment, each with parameters that are allowed.

use super::diagnostic::{Mistake, Place, did_you_mean, listed};
use super::experiment::Row;
use super::format;
use super::raw::{Item, Table};
use super::shape::join;
use crate::data::dataset::Arity;
use crate::determinism::{HashSet, IndexMap};
use crate::experiment::job::Ensemble;
use crate::learn::params::{KEYS, ParamError, Value};
use crate::learn::{Kind, Params, Preset, Unchecked};

/// The parameters of an explainable model that are about its one tree and not about the ensemble it copies.
const OF_THE_COPY: [&str; 14] = [
    "node_size",
    "look_ahead",
    "look_ahead_margin",
    "path_length",
    "counts",
    "count_margin",
    "cuts",
    "positive_weight",
    "min_leaf",
    "expand",
    "rescore",
    "max_candidates",
    "distil_leaves",
    "distil_depth",
];

/// A parameter that was written, with its place.
#[derive(Clone, Debug)]
pub struct Written {
    pub path: String,
    pub place: Place,
    pub key: String,
    pub value: Value,
}

/// A model as it was written.
#[derive(Clone, Debug)]
pub struct Model {
    pub path: String,
    pub name: String,
    pub kind: Kind,
    pub preset: Option<Preset>,
    pub parameters: Vec<Written>,
    /// Which model it copies.
    pub from: Option<usize>,
}

/// One of several things to vary.
#[derive(Clone, Debug)]
pub struct Axis {
    pub choices: Vec<Choice>,
}

/// One choice of an axis.
#[derive(Clone, Debug)]
pub struct Choice {
    pub place: Place,
    pub path: String,
    /// What tells it apart: a key and its value, or `case` and its name.
    pub label: (String, String),
    pub parameters: Vec<Written>,
    pub negatives_per_positive: Option<f64>,
    pub arity: Option<Arity>,
}

/// The parameters that stand in a table.
pub fn parameters(table: &Table, path: &str) -> Vec<Written> {
    let is_parameter = |key: &str| KEYS.iter().any(|known| known.name == key);
    let found = table.iter().filter(|(key, _)| is_parameter(key)).filter_map(|(key, item)| {
        let value = item.scalar()?.clone();
        Some(Written { path: join(path, key), place: item.place.clone(), key: key.clone(), value })
    });
    found.collect()
}

fn uses(kind: Kind, key: &str) -> bool {
    KEYS.iter().any(|known| known.name == key && known.kinds.contains(&kind))
}

/// Whether a model, as it was written, has a parameter of its own of this name.
pub fn takes(model: &Table, key: &str) -> bool {
    let kind = model.get("kind").and_then(Item::text).and_then(|name| Kind::find(name).ok());
    kind.is_some_and(|kind| uses(kind, key) && (!model.contains_key("from") || OF_THE_COPY.contains(&key)))
}

/// Reads `[[model]]`.
pub fn read(items: &[Item], mistakes: &mut Vec<Mistake>) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    let (mut froms, mut presets): (Vec<Option<Item>>, Vec<Option<Item>>) = Default::default();
    for (i, item) in items.iter().enumerate() {
        let Some(table) = item.table() else { continue };
        let path = format!("model[{i}]");
        let kind = table.get("kind").and_then(Item::text).and_then(|name| Kind::find(name).ok());
        let (Some(name), Some(kind)) = (table.get("name").and_then(Item::text), kind) else { continue };
        if let Some(other) = models.iter().find(|other| other.name.eq_ignore_ascii_case(name)) {
            let reason = format!("another model is called `{}`: each needs a name of its own", other.name);
            mistakes.push(Mistake::new(&table["name"].place, join(&path, "name"), reason).with(quoted(name)));
            continue;
        }
        let preset = table.get("preset").and_then(Item::text).and_then(|name| Preset::find(name).ok());
        models.push(Model {
            name: name.to_owned(),
            kind,
            preset,
            parameters: parameters(table, &path),
            from: None,
            path,
        });
        froms.push(table.get("from").cloned());
        presets.push(table.get("preset").cloned());
    }
    let complete = models.len() == items.len();
    for (i, from) in froms.iter().enumerate() {
        // A name that is not among the models may be that of one that could not be read.
        let known = |from: &&Item| complete || models.iter().any(|model| Some(model.name.as_str()) == from.text());
        let ensemble = from.as_ref().filter(known).and_then(|from| ensemble_of(&models, i, from, mistakes));
        models[i].from = ensemble;
        if let (Some(_), Some(preset)) = (from, presets[i].as_ref()) {
            let reason = "a model with `from` has the preset of its ensemble: leave it out";
            let path = join(&models[i].path, "preset");
            mistakes.push(Mistake::new(&preset.place, path, reason).with(preset.value.inline()));
        }
        if let Some(preset) = presets[i].as_ref().filter(|_| !Preset::is_for(models[i].kind)) {
            let reason = ParamError::NoPresets { kind: models[i].kind }.to_string();
            let path = join(&models[i].path, "preset");
            mistakes.push(Mistake::new(&preset.place, path, reason).with(preset.value.inline()));
        }
        let model = &models[i];
        for parameter in &model.parameters {
            let of_ensemble =
                from.is_some() && uses(model.kind, &parameter.key) && !OF_THE_COPY.contains(&parameter.key.as_str());
            if of_ensemble {
                let ensemble = from.as_ref().and_then(Item::text).unwrap_or_default();
                let reason = format!("this is for the ensemble: set it in the model `{ensemble}`");
                mistakes.push(wrong(parameter, reason));
            } else {
                check_parameter(model.kind, parameter, mistakes);
            }
        }
    }
    models
}

fn quoted(name: &str) -> String {
    Value::Text(name.to_owned()).to_string()
}

fn wrong(parameter: &Written, reason: impl Into<String>) -> Mistake {
    Mistake::new(&parameter.place, &parameter.path, reason).with(parameter.value.to_string())
}

fn check_parameter(kind: Kind, parameter: &Written, mistakes: &mut Vec<Mistake>) {
    let unchecked = Unchecked::new(kind).spec(&parameter.key, parameter.value.clone());
    let Err(error) = unchecked.check() else { return };
    mistakes.push(match error {
        ParamError::BadValue { allowed, .. } => wrong(parameter, format!("must be {allowed}")),
        ParamError::NotUsed { kind, kinds, .. } => {
            wrong(parameter, format!("{kind} has no such parameter, which is for {kinds}: leave it out"))
        }
        other => wrong(parameter, other.to_string()),
    });
}

/// The model that another copies.
fn ensemble_of(models: &[Model], copy: usize, from: &Item, mistakes: &mut Vec<Mistake>) -> Option<usize> {
    let name = from.text()?;
    let path = join(&models[copy].path, "from");
    let mut refuse =
        |reason: String| mistakes.push(Mistake::new(&from.place, path.as_str(), reason).with(quoted(name)));
    if models[copy].kind != Kind::LrbmExplainable {
        refuse(format!("only lrbm-explainable copies another model, and this is {}: leave it out", models[copy].kind));
        return None;
    }
    let Some(found) = models.iter().position(|model| model.name == name) else {
        let ensembles = models.iter().filter(|model| is_ensemble(model.kind)).map(|model| model.name.as_str());
        let hint = did_you_mean(name, ensembles.clone());
        refuse(format!("no model is called so: {hint}ensembles are {}", listed(ensembles)));
        return None;
    };
    if !is_ensemble(models[found].kind) {
        refuse(format!("this is {}: an ensemble is lrbm-boost or rdn-boost", models[found].kind));
        return None;
    }
    Some(found)
}

fn is_ensemble(kind: Kind) -> bool {
    matches!(kind, Kind::LrbmBoost | Kind::RdnBoost)
}

/// Reads `[sweep]`.
pub fn sweep(table: &Table, models: &[Model], complete: bool, mistakes: &mut Vec<Mistake>) -> Vec<Axis> {
    let mut axes = Vec::new();
    for (key, item) in table.iter().filter(|(key, _)| *key != "case") {
        let mut choices = Vec::new();
        for (i, value) in item.items().iter().enumerate() {
            let Some(scalar) = value.scalar() else { continue };
            let path = format!("sweep.{key}[{i}]");
            let label = (key.clone(), shown(scalar));
            choices.push(choice(key, value, scalar, path, label));
        }
        axes.push(Axis { choices });
    }
    let cases = table.get("case").map_or(&[][..], Item::items).iter().enumerate();
    let cases: Vec<Choice> = cases
        .filter_map(|(i, item)| {
            let (table, path) = (item.table()?, format!("sweep.case[{i}]"));
            let name = table.get("name")?.text()?.to_owned();
            Some(Choice {
                place: item.place.clone(),
                label: ("case".to_owned(), name),
                parameters: parameters(table, &path),
                negatives_per_positive: table.get("negatives_per_positive").and_then(Item::number),
                arity: table.get("arity").and_then(Item::text).and_then(format::arity),
                path,
            })
        })
        .collect();
    if !cases.is_empty() {
        axes.push(Axis { choices: cases });
    }
    for axis in &axes {
        check_axis(axis, models, complete, mistakes);
    }
    axes
}

fn choice(key: &str, item: &Item, value: &Value, path: String, label: (String, String)) -> Choice {
    let place = item.place.clone();
    let (mut parameters, mut negatives_per_positive, mut arity) = (Vec::new(), None, None);
    match key {
        "negatives_per_positive" => negatives_per_positive = item.number(),
        "arity" => arity = item.text().and_then(format::arity),
        _ => parameters.push(Written {
            path: path.clone(),
            place: place.clone(),
            key: key.to_owned(),
            value: value.clone(),
        }),
    }
    Choice { place, path, label, parameters, negatives_per_positive, arity }
}

/// A value as a label has it: text without quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

fn check_axis(axis: &Axis, models: &[Model], complete: bool, mistakes: &mut Vec<Mistake>) {
    let mut seen: HashSet<String> = HashSet::default();
    for choice in &axis.choices {
        if !seen.insert(choice.label.1.to_ascii_lowercase()) {
            let is_case = choice.label.0 == "case";
            let reason = if is_case { "another case has this name" } else { "this value is in the list twice" };
            let path = if is_case { join(&choice.path, "name") } else { choice.path.clone() };
            mistakes.push(Mistake::new(&choice.place, path, reason).with(quoted_label(choice)));
        }
        for parameter in &choice.parameters {
            let Some(model) = models.iter().find(|model| can_have(models, model, &parameter.key)) else {
                if complete {
                    mistakes.push(wrong(parameter, "no model of the experiment has this parameter"));
                }
                continue;
            };
            let kind = if uses(model.kind, &parameter.key) { model.kind } else { ensemble_kind(models, model) };
            check_parameter(kind, parameter, mistakes);
        }
        for model in models.iter().filter(|model| takes_part(models, model, axis)) {
            if let Some(lacking) = choice.parameters.iter().find(|p| !can_have(models, model, &p.key)) {
                let reason = format!("the model `{}` has others of the cases' parameters but not this one", model.name);
                mistakes.push(wrong(lacking, reason));
            }
        }
    }
}

fn quoted_label(choice: &Choice) -> String {
    let (key, value) = &choice.label;
    if key == "case" { quoted(value) } else { value.clone() }
}

fn ensemble_kind(models: &[Model], model: &Model) -> Kind {
    model.from.map_or(model.kind, |from| models[from].kind)
}

/// Whether a parameter means something to a model or to the ensemble it copies.
fn can_have(models: &[Model], model: &Model, key: &str) -> bool {
    uses(model.kind, key) || uses(ensemble_kind(models, model), key)
}

/// Whether an axis varies anything of a model; a model of which it varies nothing runs once, as a line to compare with.
fn takes_part(models: &[Model], model: &Model, axis: &Axis) -> bool {
    axis.choices.iter().any(|choice| {
        choice.negatives_per_positive.is_some()
            || choice.arity.is_some()
            || choice.parameters.iter().any(|parameter| can_have(models, model, &parameter.key))
    })
}

/// The rows of one dataset: models × presets × what the sweep varies, in the order of the file.
pub fn rows(
    models: &[Model],
    presets: &[Preset],
    axes: &[Axis],
    of_dataset: &[Written],
) -> Result<Vec<Row>, ParamError> {
    let mut rows = Vec::new();
    for model in models {
        for preset in presets_of(models, model, presets) {
            for choices in combinations(models, model, axes) {
                rows.push(row(models, model, preset, &choices, of_dataset)?);
            }
        }
    }
    Ok(rows)
}

/// How many rows a dataset has, without making them.
pub fn count(models: &[Model], presets: &[Preset], axes: &[Axis]) -> usize {
    let of = |model: &Model| {
        let varied = axes.iter().filter(|axis| takes_part(models, model, axis)).map(|axis| axis.choices.len().max(1));
        varied.fold(presets_of(models, model, presets).len(), usize::saturating_mul)
    };
    models.iter().map(of).fold(0, usize::saturating_add)
}

/// The presets that a model runs in.
pub fn presets_of(models: &[Model], model: &Model, presets: &[Preset]) -> Vec<Option<Preset>> {
    let model = model.from.map_or(model, |from| &models[from]);
    match model.preset {
        Some(preset) => vec![Some(preset)],
        None if presets.is_empty() || !Preset::is_for(model.kind) => vec![None],
        None => presets.iter().copied().map(Some).collect(),
    }
}

fn combinations<'a>(models: &[Model], model: &Model, axes: &'a [Axis]) -> Vec<Vec<&'a Choice>> {
    let mut all: Vec<Vec<&Choice>> = vec![Vec::new()];
    for axis in axes.iter().filter(|axis| takes_part(models, model, axis)) {
        let longer = all
            .iter()
            .flat_map(|chosen| axis.choices.iter().map(move |choice| chosen.iter().copied().chain([choice]).collect()));
        all = longer.collect();
    }
    all
}

fn row(
    models: &[Model],
    model: &Model,
    preset: Option<Preset>,
    choices: &[&Choice],
    of_dataset: &[Written],
) -> Result<Row, ParamError> {
    let swept: Vec<&Written> = choices.iter().flat_map(|choice| &choice.parameters).collect();
    let params = |kind: Kind, own: Vec<&Written>| -> Result<Params, ParamError> {
        let mut unchecked = Unchecked::new(kind);
        if let Some(preset) = preset {
            unchecked = unchecked.preset(preset);
        }
        // Later ones win.
        let all = own.into_iter().chain(of_dataset).chain(swept.iter().copied());
        for parameter in all.filter(|parameter| uses(kind, &parameter.key)) {
            unchecked = unchecked.spec(&parameter.key, parameter.value.clone());
        }
        unchecked.check()
    };
    let from = match (model.kind, model.from.map(|from| &models[from])) {
        (Kind::LrbmExplainable, Some(ensemble)) => Some(Ensemble {
            model: Some(ensemble.name.clone()),
            kind: ensemble.kind,
            params: params(ensemble.kind, ensemble.parameters.iter().collect())?,
        }),
        (Kind::LrbmExplainable, None) => Some(Ensemble {
            model: None,
            kind: Kind::LrbmBoost,
            params: params(Kind::LrbmBoost, model.parameters.iter().collect())?,
        }),
        _ => None,
    };
    let inherited = model.from.map_or(&[][..], |from| &models[from].parameters);
    let settings: IndexMap<String, String> = choices.iter().map(|choice| choice.label.clone()).collect();
    Ok(Row {
        model: model.name.clone(),
        kind: model.kind,
        preset,
        params: params(model.kind, inherited.iter().chain(&model.parameters).collect())?,
        from,
        settings,
        negatives_per_positive: choices.iter().rev().find_map(|choice| choice.negatives_per_positive),
        arity: choices.iter().rev().find_map(|choice| choice.arity),
    })
}

/// Whether any model can have a parameter that a dataset sets.
pub fn check_for_dataset(
    parameter: &Written,
    models: &[Model],
    complete: bool,
    axes: &[Axis],
    mistakes: &mut Vec<Mistake>,
) {
    let swept = axes.iter().flat_map(|axis| &axis.choices).flat_map(|choice| &choice.parameters);
    if swept.clone().any(|swept| swept.key == parameter.key) {
        mistakes.push(wrong(parameter, "the sweep varies this: a dataset cannot have its own value"));
        return;
    }
    match models.iter().find(|model| can_have(models, model, &parameter.key)) {
        Some(model) => {
            let kind = if uses(model.kind, &parameter.key) { model.kind } else { ensemble_kind(models, model) };
            check_parameter(kind, parameter, mistakes);
        }
        None if !complete => {}
        None => mistakes.push(wrong(parameter, "no model of the experiment has this parameter")),
    }
}

//! Models, presets and the sweep of a spec, expanded to model configurations with checked
//! parameters.

use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::experiment::ModelConfig;
use super::format;
use super::raw::{Item, RawTable};
use super::shape::join;
use crate::data::benchmark::Arity;
use crate::determinism::{HashSet, IndexMap};
use crate::experiment::job::Ensemble;
use crate::learn::lrbm_explainable::TREE_PARAMETERS;
use crate::learn::params::{ParamError, Value};
use crate::learn::{Distillation, Kind, Params, Preset, Unchecked, parameter};
use crate::logic::nearest::did_you_mean;

/// A parameter of the raw spec with its location.
#[derive(Clone, Debug)]
pub struct RawParameter {
    pub path: String,
    pub place: SpecLocation,
    pub key: String,
    pub value: Value,
}

/// A model of the raw spec.
#[derive(Clone, Debug)]
pub struct Model {
    pub path: String,
    pub name: String,
    pub kind: Kind,
    pub preset: Option<Preset>,
    pub parameters: Vec<RawParameter>,
    /// Index of the model that it is distilled from.
    pub from: Option<usize>,
}

/// One dimension of the sweep.
#[derive(Clone, Debug)]
pub struct Axis {
    pub choices: Vec<Choice>,
}

/// One value of an axis.
#[derive(Clone, Debug)]
pub struct Choice {
    pub place: SpecLocation,
    pub path: String,
    /// Label: a key and its value, or `case` and the name of the case.
    pub label: (String, String),
    pub parameters: Vec<RawParameter>,
    pub negatives_per_positive: Option<f64>,
    pub arity: Option<Arity>,
}

/// Returns the parameters of a table.
pub fn parameters(table: &RawTable, path: &str) -> Vec<RawParameter> {
    let found = table.iter().filter(|(key, _)| parameter(key).is_some()).filter_map(|(key, item)| {
        let value = item.scalar()?.clone();
        Some(RawParameter { path: join(path, key), place: item.place.clone(), key: key.clone(), value })
    });
    found.collect()
}

/// Returns whether a model of the raw spec has its own parameter of this name.
pub fn has_own_parameter(model: &RawTable, key: &str) -> bool {
    let kind = model.get("kind").and_then(Item::text).and_then(|name| Kind::find(name).ok());
    kind.is_some_and(|kind| kind.has_parameter(key) && (!model.contains_key("from") || TREE_PARAMETERS.contains(&key)))
}

/// Reads `[[model]]`.
pub fn read(items: &[Item], diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    let (mut froms, mut presets): (Vec<Option<Item>>, Vec<Option<Item>>) = Default::default();
    for (i, item) in items.iter().enumerate() {
        let Some(table) = item.table() else { continue };
        let path = format!("model[{i}]");
        let kind = table.get("kind").and_then(Item::text).and_then(|name| Kind::find(name).ok());
        let (Some(name), Some(kind)) = (table.get("name").and_then(Item::text), kind) else { continue };
        if let Some(other) = models.iter().find(|other| other.name.eq_ignore_ascii_case(name)) {
            let reason = format!("another model has the name `{}`; names must be unique", other.name);
            diagnostics.push(SpecDiagnostic::new(&table["name"].place, join(&path, "name"), reason).with(quoted(name)));
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
        // If some model could not be read, an unknown name may be its name.
        let known = |from: &&Item| complete || models.iter().any(|model| Some(model.name.as_str()) == from.text());
        let ensemble = from.as_ref().filter(known).and_then(|from| ensemble_of(&models, i, from, diagnostics));
        models[i].from = ensemble;
        if let (Some(_), Some(preset)) = (from, presets[i].as_ref()) {
            let reason = "a model with `from` inherits the preset of its ensemble; remove this key";
            let path = join(&models[i].path, "preset");
            diagnostics.push(SpecDiagnostic::new(&preset.place, path, reason).with(preset.value.inline()));
        }
        if let Some(preset) = presets[i].as_ref().filter(|_| !models[i].kind.has_presets()) {
            let reason = ParamError::NoPresets { kind: models[i].kind }.to_string();
            let path = join(&models[i].path, "preset");
            diagnostics.push(SpecDiagnostic::new(&preset.place, path, reason).with(preset.value.inline()));
        }
        let model = &models[i];
        for parameter in &model.parameters {
            let of_ensemble = from.is_some()
                && model.kind.has_parameter(&parameter.key)
                && !TREE_PARAMETERS.contains(&parameter.key.as_str());
            if of_ensemble {
                let ensemble = from.as_ref().and_then(Item::text).unwrap_or_default();
                let reason = format!("this is a parameter of the ensemble; set it in the model `{ensemble}`");
                diagnostics.push(invalid(parameter, reason));
            } else {
                check_parameter(model.kind, parameter, diagnostics);
            }
        }
    }
    models
}

fn quoted(name: &str) -> String {
    Value::Text(name.to_owned()).to_string()
}

fn invalid(parameter: &RawParameter, reason: impl Into<String>) -> SpecDiagnostic {
    SpecDiagnostic::new(&parameter.place, &parameter.path, reason).with(parameter.value.to_string())
}

fn check_parameter(kind: Kind, parameter: &RawParameter, diagnostics: &mut Vec<SpecDiagnostic>) {
    let unchecked = Unchecked::new(kind).spec(&parameter.key, parameter.value.clone());
    let Err(error) = unchecked.check() else { return };
    diagnostics.push(match error {
        ParamError::BadValue { shape, .. } => invalid(parameter, format!("must be {shape}")),
        ParamError::NotUsed { kind, kinds, .. } => {
            invalid(parameter, format!("{kind} does not have this parameter, only {kinds} do; remove it"))
        }
        other => invalid(parameter, other.to_string()),
    });
}

/// Returns the index of the model that another is distilled from.
fn ensemble_of(models: &[Model], copy: usize, from: &Item, diagnostics: &mut Vec<SpecDiagnostic>) -> Option<usize> {
    let name = from.text()?;
    let path = join(&models[copy].path, "from");
    let mut report =
        |reason: String| diagnostics.push(SpecDiagnostic::new(&from.place, path.as_str(), reason).with(quoted(name)));
    if !distills(models[copy].kind) {
        let kinds = listed(Kind::ALL.into_iter().filter(|&kind| distills(kind)).map(Kind::name));
        report(format!("only {kinds} supports `from`, got a model of kind {}; remove this key", models[copy].kind));
        return None;
    }
    let Some(found) = models.iter().position(|model| model.name == name) else {
        let ensembles = models.iter().filter(|model| is_ensemble(model.kind)).map(|model| model.name.as_str());
        if ensembles.clone().next().is_none() {
            let kinds = listed(Kind::ALL.into_iter().filter(|&kind| is_ensemble(kind)).map(Kind::name));
            report(format!("unknown model; the spec has no ensemble: add a model of one of the kinds {kinds}"));
            return None;
        }
        let hint = did_you_mean(name, ensembles.clone());
        report(format!("unknown model; {hint}expected one of the ensembles {}", listed(ensembles)));
        return None;
    };
    if !is_ensemble(models[found].kind) {
        let kinds = listed(Kind::ALL.into_iter().filter(|&kind| is_ensemble(kind)).map(Kind::name));
        report(format!("got a model of kind {}; expected an ensemble, whose kinds are {kinds}", models[found].kind));
        return None;
    }
    Some(found)
}

fn is_ensemble(kind: Kind) -> bool {
    kind.info().distillation == Distillation::Source
}

fn distills(kind: Kind) -> bool {
    kind.info().distillation == Distillation::Target
}

/// The kind of ensemble learned for a distilled model without `from`.
const DEFAULT_ENSEMBLE: Kind = Kind::LrbmBoost;

/// Reads `[sweep]`.
pub fn sweep(table: &RawTable, models: &[Model], complete: bool, diagnostics: &mut Vec<SpecDiagnostic>) -> Vec<Axis> {
    let mut axes = Vec::new();
    for (key, item) in table.iter().filter(|(key, _)| *key != "case") {
        let mut choices = Vec::new();
        for (i, value) in item.items().iter().enumerate() {
            let Some(scalar) = value.scalar() else { continue };
            let path = format!("sweep.{key}[{i}]");
            let label = (key.clone(), label_text(scalar));
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
        check_axis(axis, models, complete, diagnostics);
    }
    axes
}

fn choice(key: &str, item: &Item, value: &Value, path: String, label: (String, String)) -> Choice {
    let place = item.place.clone();
    let (mut parameters, mut negatives_per_positive, mut arity) = (Vec::new(), None, None);
    match key {
        "negatives_per_positive" => negatives_per_positive = item.number(),
        "arity" => arity = item.text().and_then(format::arity),
        _ => parameters.push(RawParameter {
            path: path.clone(),
            place: place.clone(),
            key: key.to_owned(),
            value: value.clone(),
        }),
    }
    Choice { place, path, label, parameters, negatives_per_positive, arity }
}

/// Formats a value for a label: text without quotes.
fn label_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

fn check_axis(axis: &Axis, models: &[Model], complete: bool, diagnostics: &mut Vec<SpecDiagnostic>) {
    let mut seen: HashSet<String> = HashSet::default();
    for choice in &axis.choices {
        if !seen.insert(choice.label.1.to_ascii_lowercase()) {
            let is_case = choice.label.0 == "case";
            let reason = if is_case { "another case has the same name" } else { "duplicate value in the list" };
            let path = if is_case { join(&choice.path, "name") } else { choice.path.clone() };
            diagnostics.push(SpecDiagnostic::new(&choice.place, path, reason).with(quoted_label(choice)));
        }
        for parameter in &choice.parameters {
            let Some(model) = models.iter().find(|model| has_parameter(models, model, &parameter.key)) else {
                if complete {
                    diagnostics.push(invalid(parameter, "no model of the experiment has this parameter"));
                }
                continue;
            };
            let kind = if model.kind.has_parameter(&parameter.key) { model.kind } else { ensemble_kind(models, model) };
            check_parameter(kind, parameter, diagnostics);
        }
        for model in models.iter().filter(|model| is_varied(models, model, axis)) {
            if let Some(lacking) = choice.parameters.iter().find(|p| !has_parameter(models, model, &p.key)) {
                let reason = format!("the model `{}` has other parameters of the cases, but not this one", model.name);
                diagnostics.push(invalid(lacking, reason));
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

/// Returns whether a model, or the ensemble it is distilled from, has a parameter.
fn has_parameter(models: &[Model], model: &Model, key: &str) -> bool {
    model.kind.has_parameter(key) || ensemble_kind(models, model).has_parameter(key)
}

/// Returns whether an axis varies a model; other models run once, for comparison.
fn is_varied(models: &[Model], model: &Model, axis: &Axis) -> bool {
    axis.choices.iter().any(|choice| {
        choice.negatives_per_positive.is_some()
            || choice.arity.is_some()
            || choice.parameters.iter().any(|parameter| has_parameter(models, model, &parameter.key))
    })
}

/// Returns the model configurations of one dataset: models × presets × sweep, in the order of the
/// file.
pub fn rows(
    models: &[Model],
    presets: &[Preset],
    axes: &[Axis],
    of_dataset: &[RawParameter],
) -> Result<Vec<ModelConfig>, ParamError> {
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

/// Returns the number of model configurations of a dataset without building them.
pub fn count(models: &[Model], presets: &[Preset], axes: &[Axis]) -> usize {
    let of = |model: &Model| {
        let varied = axes.iter().filter(|axis| is_varied(models, model, axis)).map(|axis| axis.choices.len().max(1));
        varied.fold(presets_of(models, model, presets).len(), usize::saturating_mul)
    };
    models.iter().map(of).fold(0, usize::saturating_add)
}

/// Returns the presets that a model runs in.
pub fn presets_of(models: &[Model], model: &Model, presets: &[Preset]) -> Vec<Option<Preset>> {
    let model = model.from.map_or(model, |from| &models[from]);
    match model.preset {
        Some(preset) => vec![Some(preset)],
        None if presets.is_empty() || !model.kind.has_presets() => vec![None],
        None => presets.iter().copied().map(Some).collect(),
    }
}

fn combinations<'a>(models: &[Model], model: &Model, axes: &'a [Axis]) -> Vec<Vec<&'a Choice>> {
    let mut all: Vec<Vec<&Choice>> = vec![Vec::new()];
    for axis in axes.iter().filter(|axis| is_varied(models, model, axis)) {
        let extended = all
            .iter()
            .flat_map(|chosen| axis.choices.iter().map(move |choice| chosen.iter().copied().chain([choice]).collect()));
        all = extended.collect();
    }
    all
}

fn row(
    models: &[Model],
    model: &Model,
    preset: Option<Preset>,
    choices: &[&Choice],
    of_dataset: &[RawParameter],
) -> Result<ModelConfig, ParamError> {
    let swept: Vec<&RawParameter> = choices.iter().flat_map(|choice| &choice.parameters).collect();
    let params = |kind: Kind, own: Vec<&RawParameter>| -> Result<Params, ParamError> {
        let mut unchecked = Unchecked::new(kind);
        if let Some(preset) = preset {
            unchecked = unchecked.preset(preset);
        }
        // Later values override earlier ones.
        let all = own.into_iter().chain(of_dataset).chain(swept.iter().copied());
        for parameter in all.filter(|parameter| kind.has_parameter(&parameter.key)) {
            unchecked = unchecked.spec(&parameter.key, parameter.value.clone());
        }
        unchecked.check()
    };
    let from = match (distills(model.kind), model.from.map(|from| &models[from])) {
        (true, Some(ensemble)) => Some(Ensemble {
            model: Some(ensemble.name.clone()),
            kind: ensemble.kind,
            params: params(ensemble.kind, ensemble.parameters.iter().collect())?,
        }),
        (true, None) => Some(Ensemble {
            model: None,
            kind: DEFAULT_ENSEMBLE,
            params: params(DEFAULT_ENSEMBLE, model.parameters.iter().collect())?,
        }),
        (false, _) => None,
    };
    let inherited = model.from.map_or(&[][..], |from| &models[from].parameters);
    let settings: IndexMap<String, String> = choices.iter().map(|choice| choice.label.clone()).collect();
    Ok(ModelConfig {
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

/// Checks that some model has a parameter that a dataset sets.
pub fn check_for_dataset(
    parameter: &RawParameter,
    models: &[Model],
    complete: bool,
    axes: &[Axis],
    diagnostics: &mut Vec<SpecDiagnostic>,
) {
    let swept = axes.iter().flat_map(|axis| &axis.choices).flat_map(|choice| &choice.parameters);
    if swept.clone().any(|swept| swept.key == parameter.key) {
        diagnostics.push(invalid(parameter, "varied by the sweep: a dataset cannot set its own value"));
        return;
    }
    match models.iter().find(|model| has_parameter(models, model, &parameter.key)) {
        Some(model) => {
            let kind = if model.kind.has_parameter(&parameter.key) { model.kind } else { ensemble_kind(models, model) };
            check_parameter(kind, parameter, diagnostics);
        }
        None if !complete => {}
        None => diagnostics.push(invalid(parameter, "no model of the experiment has this parameter")),
    }
}

//! Models, presets and the sweep of a spec, expanded to model configurations with checked
//! parameters.

use std::sync::Arc;

use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::experiment::ModelConfig;
use super::external;
use super::format::{self, Parameters, Section};
use super::names;
use super::parameter::RawParameter;
use super::raw::{Item, RawTable};
use super::shape::join;
use super::space::{RawTune, Setting};
use crate::data::benchmark::Arity;
use crate::determinism::{HashSet, IndexMap};
use crate::experiment::external::config::{COMMAND, External, Inputs, SCORES, ScoreSource};
use crate::experiment::job::{Ensemble, LearnerConfig, System};
use crate::experiment::tune::config::{TrialConfig, TrialSystem, Tuning};
use crate::learn::lrbm_explainable::TREE_PARAMETERS;
use crate::learn::params::{ParamError, Value};
use crate::learn::{Distillation, Kind, Params, Preset, Unchecked};
use crate::logic::nearest::did_you_mean;

/// The format of a table of parameters only.
const NO_FIELDS: Section = Section { fields: &[], parameters: Parameters::Values };

/// A model of the raw spec.
#[derive(Clone, Debug)]
pub struct Model {
    pub path: String,
    pub name: String,
    pub kind: ModelKind,
    pub preset: Option<Preset>,
    /// Its own arity, instead of that of the dataset.
    pub arity: Option<Arity>,
    pub parameters: Vec<RawParameter>,
    /// Index of the model that it is distilled from.
    pub from: Option<usize>,
    /// How it is tuned, if it has a parameter that is.
    pub tune: Option<Arc<RawTune>>,
}

/// Kind of a model of the raw spec.
#[derive(Clone, Debug)]
pub enum ModelKind {
    /// A learner of this library.
    Learner(Kind),
    /// An external system.
    External(ScoreSource),
}

impl Model {
    fn learner(&self) -> Option<Kind> {
        match self.kind {
            ModelKind::Learner(kind) => Some(kind),
            ModelKind::External(_) => None,
        }
    }

    fn kind_name(&self) -> &'static str {
        match &self.kind {
            ModelKind::Learner(kind) => kind.name(),
            ModelKind::External(ScoreSource::Command(_)) => COMMAND,
            ModelKind::External(ScoreSource::Files(_)) => SCORES,
        }
    }

    /// Returns whether it has a parameter itself. A command has those that its table lists.
    pub fn has_own_parameter(&self, key: &str) -> bool {
        match self.kind {
            ModelKind::Learner(kind) => kind.has_parameter(key),
            ModelKind::External(_) => self.parameters.iter().any(|parameter| parameter.key == key),
        }
    }
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
    pub train_fraction: Option<f64>,
}

/// Returns the parameters of a checked table of this format.
pub fn parameters(table: &RawTable, path: &str, section: &Section) -> Vec<RawParameter> {
    let found = table.iter().filter(|(key, _)| section.field(key).is_none()).filter_map(|(key, item)| {
        let value = item.scalar()?.clone();
        Some(RawParameter { path: join(path, key), place: item.place.clone(), key: key.clone(), value })
    });
    found.collect()
}

/// Returns whether a model of the raw spec has its own parameter of this name.
pub fn has_own_parameter(model: &RawTable, key: &str) -> bool {
    if let Some(params) = external::params(model) {
        return params.contains_key(key);
    }
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
        let (Some(name), Some(kind)) = (table.get("name").and_then(Item::text), table.get("kind").and_then(Item::text))
        else {
            continue;
        };
        let before = diagnostics.len();
        external::check_keys(kind, table, &path, diagnostics);
        let kind = match Kind::find(kind) {
            Ok(kind) => Some(ModelKind::Learner(kind)),
            Err(_) => external::read(kind, table, &path, &item.place, diagnostics).map(ModelKind::External),
        };
        let Some(kind) = kind.filter(|_| diagnostics.len() == before) else { continue };
        if let Some(other) = models.iter().find(|other| other.name.eq_ignore_ascii_case(name)) {
            let reason = format!("another model has the name `{}`; names must be unique", other.name);
            diagnostics.push(SpecDiagnostic::new(&table["name"].place, join(&path, "name"), reason).with(quoted(name)));
            continue;
        }
        let preset = table.get("preset").and_then(Item::text).and_then(|name| Preset::find(name).ok());
        let parameters = match external::params(table) {
            Some(params) => parameters(params, &join(&path, external::PARAMS), &NO_FIELDS),
            None => parameters(table, &path, &format::MODEL),
        };
        let arity = table.get("arity").and_then(Item::text).and_then(names::arity);
        models.push(Model { name: name.to_owned(), kind, preset, arity, parameters, from: None, tune: None, path });
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
        let Some(kind) = models[i].learner() else { continue };
        if let Some(preset) = presets[i].as_ref().filter(|_| !kind.has_presets()) {
            let reason = ParamError::NoPresets { kind }.to_string();
            let path = join(&models[i].path, "preset");
            diagnostics.push(SpecDiagnostic::new(&preset.place, path, reason).with(preset.value.inline()));
        }
        let model = &models[i];
        for parameter in &model.parameters {
            let of_ensemble = from.is_some()
                && kind.has_parameter(&parameter.key)
                && !TREE_PARAMETERS.contains(&parameter.key.as_str());
            if of_ensemble {
                let ensemble = from.as_ref().and_then(Item::text).unwrap_or_default();
                let reason = format!("this is a parameter of the ensemble; set it in the model `{ensemble}`");
                diagnostics.push(invalid(parameter, reason));
            } else {
                check_parameter(kind, parameter, diagnostics);
            }
        }
    }
    models
}

fn quoted(name: &str) -> String {
    Value::Text(name.to_owned()).to_string()
}

fn invalid(parameter: &RawParameter, reason: impl Into<String>) -> SpecDiagnostic {
    parameter.invalid(reason)
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
    if !models[copy].learner().is_some_and(distills) {
        let kinds = listed(Kind::ALL.into_iter().filter(|&kind| distills(kind)).map(Kind::name));
        report(format!(
            "only {kinds} supports `from`, got a model of kind {}; remove this key",
            models[copy].kind_name()
        ));
        return None;
    }
    let Some(found) = models.iter().position(|model| model.name == name) else {
        let ensembles =
            models.iter().filter(|model| model.learner().is_some_and(is_ensemble)).map(|model| model.name.as_str());
        if ensembles.clone().next().is_none() {
            let kinds = listed(Kind::ALL.into_iter().filter(|&kind| is_ensemble(kind)).map(Kind::name));
            report(format!("unknown model; the spec has no ensemble: add a model of one of the kinds {kinds}"));
            return None;
        }
        let hint = did_you_mean(name, ensembles.clone());
        report(format!("unknown model; {hint}expected one of the ensembles {}", listed(ensembles)));
        return None;
    };
    if !models[found].learner().is_some_and(is_ensemble) {
        let kinds = listed(Kind::ALL.into_iter().filter(|&kind| is_ensemble(kind)).map(Kind::name));
        let kind = models[found].kind_name();
        report(format!("got a model of kind {kind}; expected an ensemble, whose kinds are {kinds}"));
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
                parameters: parameters(table, &path, &format::CASE),
                negatives_per_positive: table.get("negatives_per_positive").and_then(Item::number),
                arity: table.get("arity").and_then(Item::text).and_then(names::arity),
                train_fraction: table.get("train_fraction").and_then(Item::number),
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
    let mut train_fraction = None;
    match key {
        "train_fraction" => train_fraction = item.number(),
        "negatives_per_positive" => negatives_per_positive = item.number(),
        "arity" => arity = item.text().and_then(names::arity),
        _ => parameters.push(RawParameter {
            path: path.clone(),
            place: place.clone(),
            key: key.to_owned(),
            value: value.clone(),
        }),
    }
    Choice { place, path, label, parameters, negatives_per_positive, arity, train_fraction }
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
            if !models.iter().any(|model| has_parameter(models, model, &parameter.key)) {
                if complete {
                    diagnostics.push(invalid(parameter, "no model of the experiment has this parameter"));
                }
                continue;
            }
            check_for_learners(models, parameter, diagnostics);
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

/// Returns whether a model, or the ensemble it is distilled from, has a parameter.
pub fn has_parameter(models: &[Model], model: &Model, key: &str) -> bool {
    model.has_own_parameter(key) || model.from.is_some_and(|from| models[from].has_own_parameter(key))
}

/// Checks a value with the first kind of learner that has the parameter. Commands check theirs
/// themselves.
pub fn check_for_learners(models: &[Model], parameter: &RawParameter, diagnostics: &mut Vec<SpecDiagnostic>) {
    let kinds = models.iter().flat_map(|model| [Some(model), model.from.map(|from| &models[from])]);
    let mut kinds = kinds.flatten().filter_map(Model::learner);
    if let Some(kind) = kinds.find(|kind| kind.has_parameter(&parameter.key)) {
        check_parameter(kind, parameter, diagnostics);
    }
}

/// Returns whether an axis varies a model; other models run once, for comparison.
fn is_varied(models: &[Model], model: &Model, axis: &Axis) -> bool {
    let mut parameters = axis.choices.iter().flat_map(|choice| &choice.parameters);
    changes_splits(axis) || parameters.any(|parameter| has_parameter(models, model, &parameter.key))
}

/// Returns whether an axis changes the data of a split, and thereby varies every model.
fn changes_splits(axis: &Axis) -> bool {
    axis.choices.iter().any(|choice| {
        choice.negatives_per_positive.is_some() || choice.arity.is_some() || choice.train_fraction.is_some()
    })
}

/// Returns the keys of the axes that change splits.
pub fn split_keys(axes: &[Axis]) -> Vec<String> {
    let keys = axes.iter().filter(|axis| changes_splits(axis)).filter_map(|axis| axis.choices.first());
    keys.map(|choice| choice.label.0.clone()).collect()
}

/// Returns the model configurations of one dataset: models × presets × sweep, in the order of the
/// file.
pub fn rows(
    models: &[Model],
    presets: &[Preset],
    axes: &[Axis],
    of_dataset: &[RawParameter],
    seed: u64,
) -> Result<Vec<ModelConfig>, ParamError> {
    let mut rows = Vec::new();
    for model in models {
        for preset in presets_of(models, model, presets) {
            for choices in combinations(models, model, axes) {
                rows.push(row(models, model, preset, &choices, of_dataset, seed)?);
            }
        }
    }
    Ok(rows)
}

/// Returns the number of jobs of a dataset per seed and fold, trials included, without building
/// them.
pub fn count(models: &[Model], presets: &[Preset], axes: &[Axis]) -> usize {
    let of = |model: &Model| {
        let varied = axes.iter().filter(|axis| is_varied(models, model, axis)).map(|axis| axis.choices.len().max(1));
        let rows = varied.fold(presets_of(models, model, presets).len(), usize::saturating_mul);
        rows.saturating_mul(1usize.saturating_add(trial_jobs(models, model)))
    };
    models.iter().map(of).fold(0, usize::saturating_add)
}

/// Returns the presets that a model runs in.
pub fn presets_of(models: &[Model], model: &Model, presets: &[Preset]) -> Vec<Option<Preset>> {
    if model.tune.as_ref().is_some_and(|tune| !tune.presets.is_empty()) && has_presets(models, model) {
        return vec![None];
    }
    let model = model.from.map_or(model, |from| &models[from]);
    match model.preset {
        Some(preset) => vec![Some(preset)],
        None if presets.is_empty() || !model.learner().is_some_and(Kind::has_presets) => vec![None],
        None => presets.iter().copied().map(Some).collect(),
    }
}

/// Returns whether a model, or the ensemble it is distilled from, has presets.
pub fn has_presets(models: &[Model], model: &Model) -> bool {
    let model = model.from.map_or(model, |from| &models[from]);
    model.learner().is_some_and(Kind::has_presets)
}

/// Returns how a model is tuned; `None` if it has none of the tuned parameters.
fn tune_of<'m>(models: &[Model], model: &'m Model) -> Option<&'m RawTune> {
    let has = |key: &str| has_parameter(models, model, key);
    model.tune.as_deref().filter(|tune| tune.applies(has, has_presets(models, model)))
}

/// Returns the number of trials of a job, times their inner folds.
fn trial_jobs(models: &[Model], model: &Model) -> usize {
    let trials = |tune: &RawTune| {
        tune.count(|key| has_parameter(models, model, key), has_presets(models, model)).saturating_mul(tune.folds)
    };
    tune_of(models, model).map_or(0, trials)
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

/// Returns the configuration of a model with these choices.
pub fn row(
    models: &[Model],
    model: &Model,
    preset: Option<Preset>,
    choices: &[&Choice],
    of_dataset: &[RawParameter],
    seed: u64,
) -> Result<ModelConfig, ParamError> {
    let swept: Vec<&RawParameter> = choices.iter().flat_map(|choice| &choice.parameters).collect();
    // Later values override earlier ones.
    let others: Vec<&RawParameter> = of_dataset.iter().chain(swept).collect();
    let system = system(models, model, preset, &others)?;
    let settings: IndexMap<String, String> = choices.iter().map(|choice| choice.label.clone()).collect();
    Ok(ModelConfig {
        model: model.name.clone(),
        system,
        preset,
        settings,
        negatives_per_positive: choices.iter().rev().find_map(|choice| choice.negatives_per_positive),
        arity: choices.iter().rev().find_map(|choice| choice.arity),
        own_arity: model.from.map_or(model, |from| &models[from]).arity,
        train_fraction: choices.iter().rev().find_map(|choice| choice.train_fraction),
        tuning: tuning(models, model, preset, &others, seed)?.map(Arc::new),
        source: None,
        seed: None,
        folds: None,
    })
}

fn system(
    models: &[Model],
    model: &Model,
    preset: Option<Preset>,
    others: &[&RawParameter],
) -> Result<System, ParamError> {
    Ok(match &model.kind {
        ModelKind::Learner(kind) => System::Learner(learner(models, model, *kind, preset, others)?),
        ModelKind::External(source) => {
            let own = others.iter().copied().filter(|parameter| model.has_own_parameter(&parameter.key));
            let all = model.parameters.iter().chain(own);
            let params = all.map(|parameter| (parameter.key.clone(), parameter.value.clone())).collect();
            System::External(Box::new(External { source: source.clone(), params, inputs: Inputs::default() }))
        }
    })
}

/// Returns the trials of a tuned model; `None` if it is not tuned.
fn tuning(
    models: &[Model],
    model: &Model,
    preset: Option<Preset>,
    others: &[&RawParameter],
    seed: u64,
) -> Result<Option<Tuning>, ParamError> {
    let Some(tune) = tune_of(models, model) else { return Ok(None) };
    let has = |key: &str| has_parameter(models, model, key);
    let mut trials = Vec::new();
    for Setting { preset: tried, parameters } in tune.settings(has, has_presets(models, model), seed, &model.name) {
        let all: Vec<&RawParameter> = others.iter().copied().chain(&parameters).collect();
        let system = match system(models, model, tried.or(preset), &all)? {
            System::Learner(LearnerConfig { params, from, .. }) => {
                TrialSystem::Learner { params, from: from.map(|from| from.params) }
            }
            System::External(external) => TrialSystem::External(external.params),
        };
        let tried = tried.map(|preset| ("preset".to_owned(), preset.name().to_owned()));
        let values = parameters.into_iter().map(|parameter| (parameter.key, label_text(&parameter.value)));
        trials.push(TrialConfig { settings: tried.into_iter().chain(values).collect(), system });
    }
    Ok(Some(Tuning { folds: tune.folds, metric: tune.metric, trials }))
}

fn learner(
    models: &[Model],
    model: &Model,
    kind: Kind,
    preset: Option<Preset>,
    others: &[&RawParameter],
) -> Result<LearnerConfig, ParamError> {
    let params = |kind: Kind, own: Vec<&RawParameter>| -> Result<Params, ParamError> {
        let mut unchecked = Unchecked::new(kind);
        if let Some(preset) = preset {
            unchecked = unchecked.preset(preset);
        }
        let all = own.into_iter().chain(others.iter().copied());
        for parameter in all.filter(|parameter| kind.has_parameter(&parameter.key)) {
            unchecked = unchecked.spec(&parameter.key, parameter.value.clone());
        }
        unchecked.check()
    };
    let ensemble = model.from.map(|from| &models[from]).and_then(|ensemble| Some((ensemble, ensemble.learner()?)));
    let from = match (distills(kind), ensemble) {
        (true, Some((ensemble, kind))) => Some(Ensemble {
            model: Some(ensemble.name.clone()),
            kind,
            params: params(kind, ensemble.parameters.iter().collect())?,
        }),
        (true, None) => Some(Ensemble {
            model: None,
            kind: DEFAULT_ENSEMBLE,
            params: params(DEFAULT_ENSEMBLE, model.parameters.iter().collect())?,
        }),
        (false, _) => None,
    };
    let inherited = model.from.map_or(&[][..], |from| &models[from].parameters);
    Ok(LearnerConfig { kind, params: params(kind, inherited.iter().chain(&model.parameters).collect())?, from })
}

/// Checks that a parameter that a dataset sets is not varied, and that some model has it.
pub fn check_for_dataset<'a>(
    parameter: &RawParameter,
    models: &[Model],
    complete: bool,
    mut varied: impl Iterator<Item = &'a RawParameter>,
    diagnostics: &mut Vec<SpecDiagnostic>,
) {
    if varied.any(|varied| varied.key == parameter.key) {
        diagnostics.push(invalid(parameter, "varied by the sweep: a dataset cannot set its own value"));
        return;
    }
    check_for_choice(parameter, models, complete, diagnostics);
}

/// Checks that some model has a parameter, and its value.
pub fn check_for_choice(
    parameter: &RawParameter,
    models: &[Model],
    complete: bool,
    diagnostics: &mut Vec<SpecDiagnostic>,
) {
    if models.iter().any(|model| has_parameter(models, model, &parameter.key)) {
        check_for_learners(models, parameter, diagnostics);
    } else if complete {
        diagnostics.push(invalid(parameter, "no model of the experiment has this parameter"));
    }
}

//! Validates `[tune]` tables against the models and the rest of the spec.

use std::sync::Arc;

use super::diagnostic::SpecDiagnostic;
use super::models::{self, Axis, Model};
use super::parameter::RawParameter;
use super::raw::{Item, RawTable};
use super::shape::join;
use super::space::{self, RawTune};
use crate::learn::Preset;

/// Gives every model its `tune` table: its own, that of its ensemble, or `[tune]`.
pub fn attach(table: &RawTable, models: &mut [Model], complete: bool, diagnostics: &mut Vec<SpecDiagnostic>) {
    let general = table.get("tune").and_then(|item| space::read(item, "tune", diagnostics)).map(Arc::new);
    let items = table.get("model").map_or(&[][..], Item::items);
    let mut own: Vec<Option<Arc<RawTune>>> = Vec::new();
    for model in &*models {
        let of_model = |item: &&Item| item.table().and_then(|table| table.get("name")?.text()) == Some(&model.name);
        let item = items.iter().find(of_model).and_then(|item| item.table()?.get("tune"));
        let tune = item.and_then(|item| space::read(item, &join(&model.path, "tune"), diagnostics));
        own.push(tune.map(Arc::new));
    }
    for model in 0..models.len() {
        let inherited = models[model].from.and_then(|from| own[from].clone());
        models[model].tune = own[model].clone().or(inherited).or_else(|| general.clone());
    }
    // Missing parameters can be reported only if all models could be read.
    if let Some(general) = general.filter(|_| complete) {
        check_values(&general, models, "no model of the experiment has this parameter", diagnostics);
    }
    for (model, tune) in own.into_iter().enumerate() {
        let Some(tune) = tune else { continue };
        let reason = format!("the model `{}` does not have this parameter", models[model].name);
        let of_ensemble = models[model].from.map(|from| models[from].clone());
        let tuned: Vec<Model> = [Some(models[model].clone()), of_ensemble].into_iter().flatten().collect();
        check_values(&tune, &tuned, &reason, diagnostics);
        if !tune.presets.is_empty() && !models::has_presets(models, &models[model]) {
            let reason = format!("the model `{}` has no presets: remove this key", models[model].name);
            diagnostics.push(SpecDiagnostic::new(&tune.place, join(&tune.path, "presets"), reason));
        }
    }
}

fn check_values(tune: &RawTune, models: &[Model], lacking: &str, diagnostics: &mut Vec<SpecDiagnostic>) {
    let mut unknown: Option<String> = None;
    for parameter in tune.bounds() {
        if unknown.as_ref() == Some(&parameter.key) {
            continue;
        }
        if models.iter().any(|model| model.has_own_parameter(&parameter.key)) {
            models::check_for_learners(models, &parameter, diagnostics);
        } else {
            diagnostics.push(SpecDiagnostic::new(&parameter.place, join(&tune.path, &parameter.key), lacking));
            unknown = Some(parameter.key);
        }
    }
}

/// Reports what is both tuned and set elsewhere.
pub fn check_conflicts(models: &[Model], presets: &[Preset], axes: &[Axis], diagnostics: &mut Vec<SpecDiagnostic>) {
    let mut reported: Vec<String> = Vec::new();
    for model in models {
        let Some(tune) = &model.tune else { continue };
        let swept = axes.iter().flat_map(|axis| &axis.choices).flat_map(|choice| &choice.parameters);
        for axis in &tune.axes {
            let path = join(&tune.path, &axis.key);
            if swept.clone().any(|swept| swept.key == axis.key) && !reported.contains(&path) {
                let reason = "varied by the sweep: remove it from [sweep] or from here";
                diagnostics.push(SpecDiagnostic::new(&tune.place, path.as_str(), reason));
                reported.push(path);
            }
        }
        let is_set = model.preset.is_some() || model.from.is_some_and(|from| models[from].preset.is_some());
        let path = join(&tune.path, "presets");
        let is_tuned = !tune.presets.is_empty() && models::has_presets(models, model);
        if is_tuned && (is_set || !presets.is_empty()) && !reported.contains(&path) {
            let reason = match is_set {
                true => format!("the model `{}` has its own preset: remove that, or this key", model.name),
                false => "the spec has `presets`: remove that, or this key".to_owned(),
            };
            diagnostics.push(SpecDiagnostic::new(&tune.place, path.as_str(), reason));
            reported.push(path);
        }
    }
}

/// Returns whether some model tunes a parameter that a dataset sets.
pub fn is_tuned(models: &[Model], parameter: &RawParameter) -> bool {
    let tunes = |model: &Model| {
        let axes = model.tune.iter().flat_map(|tune| &tune.axes);
        axes.filter(|axis| axis.key == parameter.key).count() > 0
    };
    models.iter().any(|model| tunes(model) && models::has_parameter(models, model, &parameter.key))
}

//! `--set KEY=VALUE`: changes of a spec on the command line.
//!
//! `KEY` is a top-level key (`folds`, `seeds`, `datasets`, …), `dataset.NAME.KEY` for a dataset,
//! `tune.KEY` for `[tune]`, `MODEL.KEY` for one model, or a parameter, which is set in every model
//! that has it. The value replaces that of the file. A parameter that the sweep, `[tune]` or a
//! dataset sets cannot be set for models, because it would have no effect.

use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::external;
use super::format::{DATASET, FieldShape, TOP, TUNE};
use super::models;
use super::raw::{Item, RawTable, RawValue};
use super::value;
use crate::learn::params::Value;
use crate::learn::{parameter, parameters};
use crate::logic::nearest::did_you_mean;

/// Applies settings to the table.
pub fn apply(table: &mut RawTable, settings: &[String], diagnostics: &mut Vec<SpecDiagnostic>) {
    for setting in settings {
        if let Err(diagnostic) = apply_one(table, setting) {
            diagnostics.push(diagnostic);
        }
    }
}

fn apply_one(table: &mut RawTable, setting: &str) -> Result<(), SpecDiagnostic> {
    let place = SpecLocation::Set(setting.to_owned());
    let error = |reason: String| SpecDiagnostic::new(&place, "", reason);
    let Some((key, value)) = setting.split_once('=') else {
        return Err(error("expected KEY=VALUE, such as `--set trees=10`".to_owned()));
    };
    let (key, value) = (key.trim(), value.trim());
    if let Some(field) = TOP.field(key) {
        if matches!(field.shape, FieldShape::Table(_) | FieldShape::Tables(_) | FieldShape::Named(_)) {
            return Err(error(format!("`{key}` is a table and cannot be set on the command line")));
        }
        set_at_top(table, key, value::parse(value, &field.shape, &place), place);
        return Ok(());
    }
    if let Some((name, inner)) = key.strip_prefix("dataset.").and_then(|rest| rest.rsplit_once('.')) {
        set_in_dataset(table, name, inner, value, &place);
        return Ok(());
    }
    if let Some(inner) = key.strip_prefix("tune.") {
        return set_in_tune(table, inner, value, &place);
    }
    let (model, key) = match key.rsplit_once('.') {
        Some((model, key)) => (Some(known_model(table, model, &place)?), key),
        None => (None, key),
    };
    let is_known = parameter(key).is_some() || external::parameter_names(table).iter().any(|name| name == key);
    if key == "seed" || !is_known {
        let parameters = parameters().iter().map(|known| known.entry.name).filter(|name| *name != "seed");
        let own = TOP.fields.iter().map(|field| field.name).filter(|_| model.is_none());
        let hint = did_you_mean(key, own.chain(parameters));
        return Err(error(format!("unknown key or parameter `{key}`: {hint}`lrbm train --help` lists the parameters")));
    }
    set_in_models(table, model.as_deref(), key, &Value::parse(value), &place)
}

fn set_at_top(table: &mut RawTable, key: &str, value: RawValue, place: SpecLocation) {
    // `seed` and `seeds` replace each other.
    match key {
        "seed" => table.shift_remove("seeds"),
        "seeds" => table.shift_remove("seed"),
        _ => None,
    };
    table.insert(key.to_owned(), Item { place, value });
    if key == "datasets" {
        remove_unlisted(table);
    }
}

/// Removes the settings and expectations of datasets that are no longer listed.
fn remove_unlisted(table: &mut RawTable) {
    let listed: Vec<String> =
        table["datasets"].items().iter().filter_map(|item| item.text().map(str::to_owned)).collect();
    if let Some(RawValue::Table(datasets)) = table.get_mut("dataset").map(|item| &mut item.value) {
        datasets.retain(|name, _| listed.contains(name));
    }
    let mut is_empty = false;
    if let Some(RawValue::Table(expected)) = table.get_mut("expected").map(|item| &mut item.value)
        && let Some(RawValue::List(rows)) = expected.get_mut("rows").map(|item| &mut item.value)
    {
        let dataset = |row: &Item| row.table().and_then(|row| row.get("dataset")?.text().map(str::to_owned));
        rows.retain(|row| dataset(row).is_none_or(|name| listed.contains(&name)));
        is_empty = rows.is_empty();
    }
    if is_empty {
        table.shift_remove("expected");
    }
}

fn set_in_models(
    table: &mut RawTable,
    model: Option<&str>,
    key: &str,
    value: &Value,
    place: &SpecLocation,
) -> Result<(), SpecDiagnostic> {
    let error = |reason: String| Err(SpecDiagnostic::new(place, "", reason));
    let sweep = table.get("sweep").and_then(Item::table);
    let cases = sweep.and_then(|sweep| sweep.get("case")).map_or(&[][..], Item::items);
    if sweep.is_some_and(|sweep| sweep.contains_key(key))
        || cases.iter().filter_map(Item::table).any(|case| case.contains_key(key))
    {
        return error(format!("`{key}` is varied by the sweep: change [sweep], or select jobs with `--only`"));
    }
    let mut datasets = table.get("dataset").and_then(Item::table).into_iter().flatten();
    let own = datasets.find(|(_, item)| item.table().is_some_and(|table| table.contains_key(key)));
    if let Some((name, _)) = own {
        return error(format!("[dataset.{name}] sets its own `{key}`: use `--set dataset.{name}.{key}=…`"));
    }
    let concerned = |raw: &RawTable| match model {
        Some(wanted) => raw.get("name").and_then(Item::text) == Some(wanted),
        None => models::has_own_parameter(raw, key),
    };
    let mut all = table.get("model").map_or(&[][..], Item::items).iter().filter_map(Item::table);
    if all.any(|raw| concerned(raw) && is_tuned(table, raw, key)) {
        return error(format!("`{key}` is tuned: change it with `--set tune.{key}=…`, or remove it from [tune]"));
    }
    let Some(RawValue::List(models)) = table.get_mut("model").map(|item| &mut item.value) else { return Ok(()) };
    let mut found = false;
    for item in models {
        let RawValue::Table(raw) = &mut item.value else { continue };
        let name = raw.get("name").and_then(Item::text).unwrap_or_default();
        if model.is_some_and(|wanted| wanted != name) || (model.is_none() && !models::has_own_parameter(raw, key)) {
            continue;
        }
        found = true;
        let item = Item { place: place.clone(), value: RawValue::Scalar(value.clone()) };
        match external::params(raw).is_some_and(|params| params.contains_key(key)) {
            true => external::set_param(raw, key, item),
            false => drop(raw.insert(key.to_owned(), item)),
        }
    }
    if found { Ok(()) } else { error(format!("no model of the experiment has a parameter `{key}`")) }
}

/// Sets a key of `[tune]`; a parameter has a list of values or a range.
fn set_in_tune(table: &mut RawTable, key: &str, value: &str, place: &SpecLocation) -> Result<(), SpecDiagnostic> {
    let Some(RawValue::Table(tune)) = table.get_mut("tune").map(|item| &mut item.value) else {
        return Err(SpecDiagnostic::new(place, "", "the spec has no [tune]: add the table to the file"));
    };
    const LIST: FieldShape = FieldShape::List(&FieldShape::Text);
    let value = value::parse(value, TUNE.field(key).map_or(&LIST, |field| &field.shape), place);
    tune.insert(key.to_owned(), Item { place: place.clone(), value });
    Ok(())
}

/// Returns whether a model of the raw spec tunes a parameter.
fn is_tuned(table: &RawTable, model: &RawTable, key: &str) -> bool {
    let own = model.get("tune").or_else(|| table.get("tune")).and_then(Item::table);
    own.is_some_and(|tune| TUNE.field(key).is_none() && tune.contains_key(key))
}

fn set_in_dataset(table: &mut RawTable, name: &str, key: &str, value: &str, place: &SpecLocation) {
    let empty = || Item { place: place.clone(), value: RawValue::Table(RawTable::default()) };
    let datasets = table.entry("dataset".to_owned()).or_insert_with(empty);
    let RawValue::Table(datasets) = &mut datasets.value else { return };
    let dataset = datasets.entry(name.to_owned()).or_insert_with(empty);
    let RawValue::Table(dataset) = &mut dataset.value else { return };
    let value = match DATASET.field(key) {
        Some(field) => value::parse(value, &field.shape, place),
        None => RawValue::Scalar(Value::parse(value)),
    };
    dataset.insert(key.to_owned(), Item { place: place.clone(), value });
}

fn known_model(table: &RawTable, model: &str, place: &SpecLocation) -> Result<String, SpecDiagnostic> {
    let models = table.get("model").map_or(&[][..], Item::items).iter();
    let names: Vec<&str> = models.filter_map(|item| item.table()?.get("name")?.text()).collect();
    if names.contains(&model) {
        return Ok(model.to_owned());
    }
    let hint = did_you_mean(model, names.iter().copied());
    Err(SpecDiagnostic::new(place, "", format!("unknown model `{model}`: {hint}the experiment has {}", listed(names))))
}

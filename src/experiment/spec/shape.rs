//! Checks a raw spec against the format: unknown keys, wrong types, values out of range, missing
//! keys.
//!
//! Invalid values are reported and removed, so that later checks see valid ones only.

use super::diagnostic::{SpecDiagnostic, SpecLocation, listed};
use super::format::{FieldShape, NOT_BUILT, Parameters, RANGE, Section};
use super::raw::{Item, RawTable, RawValue};
use crate::learn::{Kind, parameter, parameters};
use crate::logic::nearest::did_you_mean;

/// Returns the table without its invalid entries. `own` are names of parameters that are not known
/// to this program, because they belong to commands.
pub fn check(
    table: &RawTable,
    section: &Section,
    (path, place): (&str, &SpecLocation),
    own: &[String],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> RawTable {
    let mut valid = RawTable::default();
    for (key, item) in table {
        let path = join(path, key);
        let checked = match section.field(key) {
            Some(field) => check_item(item, &field.shape, &path, own, diagnostics),
            None if is_parameter(section, key, own) => check_parameter(item, section, &path, diagnostics),
            None => {
                diagnostics.push(unknown(key, section, &path, &item.place));
                None
            }
        };
        valid.extend(checked.map(|item| (key.clone(), item)));
    }
    for field in section.fields.iter().filter(|field| field.required && !table.contains_key(field.name)) {
        let reason = format!("missing: {}; it must be {}", field.about, field.shape.allowed());
        diagnostics.push(SpecDiagnostic::new(place, join(path, field.name), reason));
    }
    valid
}

/// Returns the path of a key in a table.
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns whether the key is a parameter, which is checked with its model. The seed of a spec
/// applies to all models.
fn is_parameter(section: &Section, key: &str, own: &[String]) -> bool {
    let is_known = || parameter(key).is_some() || own.iter().any(|name| name == key);
    section.parameters != Parameters::No && key != "seed" && is_known()
}

fn unknown(key: &str, section: &Section, path: &str, place: &SpecLocation) -> SpecDiagnostic {
    if key == "seed" {
        return SpecDiagnostic::new(
            place,
            path,
            "the seed is the same for all models: set `seed` at the top of the file",
        );
    }
    let has_parameters = section.parameters != Parameters::No;
    let parameters = parameters().iter().map(|known| known.entry.name).filter(|name| has_parameters && *name != "seed");
    let fields = section.fields.iter().map(|field| field.name);
    let known: Vec<&str> = fields.clone().chain(parameters).collect();
    let suffix = if has_parameters { ", or a parameter of a model (see `lrbm train --help`)" } else { "" };
    let hint = did_you_mean(key, known);
    SpecDiagnostic::new(place, path, format!("unknown key: {hint}expected one of {}{suffix}", listed(fields)))
}

fn check_parameter(item: &Item, section: &Section, path: &str, diagnostics: &mut Vec<SpecDiagnostic>) -> Option<Item> {
    let has_ranges = section.parameters == Parameters::Ranges;
    let wants_list = has_ranges || section.parameters == Parameters::Lists;
    if let (true, RawValue::Table(table)) = (has_ranges, &item.value) {
        let before = diagnostics.len();
        let range = check(table, &RANGE, (path, &item.place), &[], diagnostics);
        let is_valid = diagnostics.len() == before;
        return is_valid.then(|| Item { place: item.place.clone(), value: RawValue::Table(range) });
    }
    let fits = match &item.value {
        RawValue::Scalar(_) => !wants_list,
        RawValue::List(items) => wants_list && !items.is_empty() && items.iter().all(|item| item.scalar().is_some()),
        RawValue::Table(_) | RawValue::Other(_) => false,
    };
    if fits {
        return Some(item.clone());
    }
    let allowed = path.rsplit('.').next().and_then(parameter);
    let allowed = allowed.map_or("a value".to_owned(), |known| known.entry.shape.to_string());
    let reason = match (wants_list, has_ranges) {
        (false, _) => format!("must be {allowed}"),
        (true, false) => format!("must be a list, each {allowed}"),
        (true, true) => {
            format!("must be a list, each {allowed}, or a range such as {{ min = 1, max = 10, steps = 4 }}")
        }
    };
    diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
    None
}

fn check_item(
    item: &Item,
    shape: &FieldShape,
    path: &str,
    own: &[String],
    diagnostics: &mut Vec<SpecDiagnostic>,
) -> Option<Item> {
    if !shape.fits(item) {
        diagnostics.push(SpecDiagnostic::new(&item.place, path, misfit(item, shape)).with(item.value.inline()));
        return None;
    }
    let value = match (shape, &item.value) {
        (FieldShape::List(each), RawValue::List(items)) => {
            let valid = items
                .iter()
                .enumerate()
                .filter_map(|(i, item)| check_item(item, each, &format!("{path}[{i}]"), own, diagnostics));
            RawValue::List(valid.collect())
        }
        (FieldShape::Tables(section), RawValue::List(items)) => {
            let tables = items.iter().enumerate().filter_map(|(i, item)| Some((i, item, item.table()?)));
            let valid = tables.map(|(i, item, table)| {
                let table = check(table, section, (&format!("{path}[{i}]"), &item.place), own, diagnostics);
                Item { place: item.place.clone(), value: RawValue::Table(table) }
            });
            RawValue::List(valid.collect())
        }
        (FieldShape::Table(section), RawValue::Table(table)) => {
            RawValue::Table(check(table, section, (path, &item.place), own, diagnostics))
        }
        (FieldShape::Named(section), RawValue::Table(table)) => {
            let mut valid = RawTable::default();
            for (name, item) in table {
                let path = join(path, name);
                match item.table() {
                    Some(table) => {
                        let value = RawValue::Table(check(table, section, (&path, &item.place), own, diagnostics));
                        valid.insert(name.clone(), Item { place: item.place.clone(), value });
                    }
                    None => {
                        let reason = format!("must be a table, as in `[{path}]`");
                        diagnostics.push(SpecDiagnostic::new(&item.place, path, reason).with(item.value.inline()));
                    }
                }
            }
            RawValue::Table(valid)
        }
        (_, value) => value.clone(),
    };
    Some(Item { place: item.place.clone(), value })
}

/// Returns the reason why a value does not fit.
fn misfit(item: &Item, shape: &FieldShape) -> String {
    let must = format!("must be {}", shape.allowed());
    let (FieldShape::OneOf(names), Some(text)) = (shape, item.text()) else { return must };
    let names = names();
    let is_kind = Kind::find(names.first().copied().unwrap_or_default()).is_ok();
    if let Some((name, about)) = NOT_BUILT.iter().find(|(name, _)| is_kind && *name == text) {
        return format!("`{name}` ({about}) is not supported in specs: {must}");
    }
    format!("{}{must}", did_you_mean(text, names))
}

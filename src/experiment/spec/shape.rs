//! Checks a raw spec against the format: unknown keys, wrong types, values out of range, missing keys.
//!
//! Invalid values are reported and removed, so that later checks see valid ones only.

use super::diagnostic::{Mistake, Place, did_you_mean, listed};
use super::format::{NOT_BUILT, Parameters, Section, Shape};
use super::raw::{Item, Table, Written};
use crate::learn::{Kind, parameter, parameters};

/// Returns the table without its invalid entries.
pub fn check(table: &Table, section: &Section, path: &str, place: &Place, mistakes: &mut Vec<Mistake>) -> Table {
    let mut sound = Table::default();
    for (key, item) in table {
        let path = join(path, key);
        let taken = match section.field(key) {
            Some(field) => check_item(item, &field.shape, &path, mistakes),
            None if is_parameter(section, key) => check_parameter(item, section, &path, mistakes),
            None => {
                mistakes.push(unknown(key, section, &path, &item.place));
                None
            }
        };
        sound.extend(taken.map(|item| (key.clone(), item)));
    }
    for field in section.fields.iter().filter(|field| field.required && !table.contains_key(field.name)) {
        let reason = format!("missing: {}; it must be {}", field.about, field.shape.allowed());
        mistakes.push(Mistake::new(place, join(path, field.name), reason));
    }
    sound
}

/// Returns the path of a key in a table.
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Whether the key is a parameter, which is checked with its model. The seed of a spec is for all models.
fn is_parameter(section: &Section, key: &str) -> bool {
    section.parameters != Parameters::No && key != "seed" && parameter(key).is_some()
}

fn unknown(key: &str, section: &Section, path: &str, place: &Place) -> Mistake {
    if key == "seed" {
        return Mistake::new(place, path, "the seed is the same for all models: set `seed` at the top of the file");
    }
    let has_parameters = section.parameters != Parameters::No;
    let parameters = parameters().iter().map(|known| known.entry.name).filter(|name| has_parameters && *name != "seed");
    let fields = section.fields.iter().map(|field| field.name);
    let known: Vec<&str> = fields.clone().chain(parameters).collect();
    let beyond = if has_parameters { ", and parameters of models (see `lrbm train --help`)" } else { "" };
    let hint = did_you_mean(key, known);
    Mistake::new(place, path, format!("no such key: {hint}known here are {}{beyond}", listed(fields)))
}

fn check_parameter(item: &Item, section: &Section, path: &str, mistakes: &mut Vec<Mistake>) -> Option<Item> {
    let wants_list = section.parameters == Parameters::Lists;
    let fits = match &item.value {
        Written::Scalar(_) => !wants_list,
        Written::List(items) => wants_list && !items.is_empty() && items.iter().all(|item| item.scalar().is_some()),
        Written::Table(_) | Written::Other(_) => false,
    };
    if fits {
        return Some(item.clone());
    }
    let allowed = path.rsplit('.').next().and_then(parameter);
    let allowed = allowed.map_or("a value".to_owned(), |known| known.entry.shape.to_string());
    let reason = if wants_list { format!("must be a list, each {allowed}") } else { format!("must be {allowed}") };
    mistakes.push(Mistake::new(&item.place, path, reason).with(item.value.inline()));
    None
}

fn check_item(item: &Item, shape: &Shape, path: &str, mistakes: &mut Vec<Mistake>) -> Option<Item> {
    if !shape.fits(item) {
        mistakes.push(Mistake::new(&item.place, path, misfit(item, shape)).with(item.value.inline()));
        return None;
    }
    let value = match (shape, &item.value) {
        (Shape::List(each), Written::List(items)) => {
            let checked = items.iter().enumerate();
            let sound = checked.filter_map(|(i, item)| check_item(item, each, &format!("{path}[{i}]"), mistakes));
            Written::List(sound.collect())
        }
        (Shape::Tables(section), Written::List(items)) => {
            let tables = items.iter().enumerate().filter_map(|(i, item)| Some((i, item, item.table()?)));
            let sound = tables.map(|(i, item, table)| {
                let table = check(table, section, &format!("{path}[{i}]"), &item.place, mistakes);
                Item { place: item.place.clone(), value: Written::Table(table) }
            });
            Written::List(sound.collect())
        }
        (Shape::Table(section), Written::Table(table)) => {
            Written::Table(check(table, section, path, &item.place, mistakes))
        }
        (Shape::Named(section), Written::Table(table)) => {
            let mut sound = Table::default();
            for (name, item) in table {
                let path = join(path, name);
                match item.table() {
                    Some(table) => {
                        let value = Written::Table(check(table, section, &path, &item.place, mistakes));
                        sound.insert(name.clone(), Item { place: item.place.clone(), value });
                    }
                    None => {
                        let reason = format!("must be a table, as in `[{path}]`");
                        mistakes.push(Mistake::new(&item.place, path, reason).with(item.value.inline()));
                    }
                }
            }
            Written::Table(sound)
        }
        (_, value) => value.clone(),
    };
    Some(Item { place: item.place.clone(), value })
}

/// Explains why a value does not fit.
fn misfit(item: &Item, shape: &Shape) -> String {
    let must = format!("must be {}", shape.allowed());
    let (Shape::OneOf(names), Some(text)) = (shape, item.text()) else { return must };
    let names = names();
    let is_kind = Kind::find(names.first().copied().unwrap_or_default()).is_ok();
    if let Some((name, about)) = NOT_BUILT.iter().find(|(name, _)| is_kind && *name == text) {
        return format!("`{name}` ({about}) is not there for experiments yet: {must}");
    }
    format!("{}{must}", did_you_mean(text, names))
}

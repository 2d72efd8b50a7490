//! `--set KEY=VALUE`: what the command line changes in a spec.
//!
//! `KEY` is a key of the top of the file (`folds`, `seeds`, `datasets`, …), `dataset.NAME.KEY` for a dataset, `MODEL.KEY` for one
//! model, or a parameter, which is set in every model that has it. It takes the place of what the file says there. A
//! parameter that the sweep varies or a dataset has its own value of cannot be set for models: it would win over nothing.
//! A value is read as TOML, and if it is none, as text; where a list is expected, commas part its items.

use super::diagnostic::{Mistake, Place, did_you_mean, listed};
use super::format::{DATASET, Shape, TOP};
use super::models;
use super::raw::{self, Item, Table, Written};
use crate::learn::params::{KEYS, Value};

/// Puts settings into the table, which then says everything.
pub fn apply(table: &mut Table, settings: &[String], mistakes: &mut Vec<Mistake>) {
    for setting in settings {
        if let Err(mistake) = one(table, setting) {
            mistakes.push(mistake);
        }
    }
}

fn one(table: &mut Table, setting: &str) -> Result<(), Mistake> {
    let place = Place::Set(setting.to_owned());
    let wrong = |reason: String| Mistake::new(&place, "", reason);
    let Some((key, value)) = setting.split_once('=') else {
        return Err(wrong("this is not KEY=VALUE: write it as in `--set trees=10`".to_owned()));
    };
    let (key, value) = (key.trim(), value.trim());
    if let Some(field) = TOP.field(key) {
        if matches!(field.shape, Shape::Table(_) | Shape::Tables(_) | Shape::Named(_)) {
            return Err(wrong(format!("`{key}` is a table, which cannot be set from the command line")));
        }
        set_at_top(table, key, parse(value, &field.shape, &place), place);
        return Ok(());
    }
    if let Some((name, inner)) = key.strip_prefix("dataset.").and_then(|rest| rest.rsplit_once('.')) {
        set_in_dataset(table, name, inner, value, &place);
        return Ok(());
    }
    let (model, key) = match key.rsplit_once('.') {
        Some((model, key)) => (Some(known_model(table, model, &place)?), key),
        None => (None, key),
    };
    if key == "seed" || !KEYS.iter().any(|known| known.name == key) {
        let parameters = KEYS.iter().map(|key| key.name).filter(|name| *name != "seed");
        let own = TOP.fields.iter().map(|field| field.name).filter(|_| model.is_none());
        let hint = did_you_mean(key, own.chain(parameters));
        return Err(wrong(format!(
            "no key of a spec and no parameter of a model is called `{key}`: {hint}see `lrbm train --help` for the parameters"
        )));
    }
    set_in_models(table, model.as_deref(), key, &Value::parse(value), &place)
}

fn set_at_top(table: &mut Table, key: &str, value: Written, place: Place) {
    // One setting of seeds takes the place of the other.
    match key {
        "seed" => table.shift_remove("seeds"),
        "seeds" => table.shift_remove("seed"),
        _ => None,
    };
    table.insert(key.to_owned(), Item { place, value });
    if key == "datasets" {
        leave_out_unlisted(table);
    }
}

/// What the file says of datasets that are no longer listed goes with them.
fn leave_out_unlisted(table: &mut Table) {
    let listed: Vec<String> =
        table["datasets"].items().iter().filter_map(|item| item.text().map(str::to_owned)).collect();
    if let Some(Written::Table(datasets)) = table.get_mut("dataset").map(|item| &mut item.value) {
        datasets.retain(|name, _| listed.contains(name));
    }
    let mut is_empty = false;
    if let Some(Written::Table(expected)) = table.get_mut("expected").map(|item| &mut item.value)
        && let Some(Written::List(rows)) = expected.get_mut("rows").map(|item| &mut item.value)
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
    table: &mut Table,
    model: Option<&str>,
    key: &str,
    value: &Value,
    place: &Place,
) -> Result<(), Mistake> {
    let wrong = |reason: String| Err(Mistake::new(place, "", reason));
    let sweep = table.get("sweep").and_then(Item::table);
    let cases = sweep.and_then(|sweep| sweep.get("case")).map_or(&[][..], Item::items);
    if sweep.is_some_and(|sweep| sweep.contains_key(key))
        || cases.iter().filter_map(Item::table).any(|case| case.contains_key(key))
    {
        return wrong(format!("the sweep varies `{key}`: change [sweep], or choose jobs with `--only`"));
    }
    let mut datasets = table.get("dataset").and_then(Item::table).into_iter().flatten();
    let own = datasets.find(|(_, item)| item.table().is_some_and(|table| table.contains_key(key)));
    if let Some((name, _)) = own {
        return wrong(format!("[dataset.{name}] has its own `{key}`: write `--set dataset.{name}.{key}=…`"));
    }
    let Some(Written::List(models)) = table.get_mut("model").map(|item| &mut item.value) else { return Ok(()) };
    let mut found = false;
    for item in models {
        let Written::Table(written) = &mut item.value else { continue };
        let name = written.get("name").and_then(Item::text).unwrap_or_default();
        if model.is_some_and(|wanted| wanted != name) || (model.is_none() && !models::takes(written, key)) {
            continue;
        }
        found = true;
        written.insert(key.to_owned(), Item { place: place.clone(), value: Written::Scalar(value.clone()) });
    }
    if found { Ok(()) } else { wrong(format!("no model of the experiment has a parameter `{key}`")) }
}

fn set_in_dataset(table: &mut Table, name: &str, key: &str, value: &str, place: &Place) {
    let empty = || Item { place: place.clone(), value: Written::Table(Table::default()) };
    let datasets = table.entry("dataset".to_owned()).or_insert_with(empty);
    let Written::Table(datasets) = &mut datasets.value else { return };
    let dataset = datasets.entry(name.to_owned()).or_insert_with(empty);
    let Written::Table(dataset) = &mut dataset.value else { return };
    let value = match DATASET.field(key) {
        Some(field) => parse(value, &field.shape, place),
        None => Written::Scalar(Value::parse(value)),
    };
    dataset.insert(key.to_owned(), Item { place: place.clone(), value });
}

fn known_model(table: &Table, model: &str, place: &Place) -> Result<String, Mistake> {
    let models = table.get("model").map_or(&[][..], Item::items).iter();
    let names: Vec<&str> = models.filter_map(|item| item.table()?.get("name")?.text()).collect();
    if names.contains(&model) {
        return Ok(model.to_owned());
    }
    let hint = did_you_mean(model, names.iter().copied());
    Err(Mistake::new(place, "", format!("no model is called `{model}`: {hint}there are {}", listed(names))))
}

/// A value of the command line, for a key of this shape.
pub(super) fn parse(text: &str, shape: &Shape, place: &Place) -> Written {
    if let Some(value) = toml_value(text, place) {
        return match (&value, shape) {
            (Written::Scalar(_), Shape::List(_)) => Written::List(vec![Item { place: place.clone(), value }]),
            _ => value,
        };
    }
    match shape {
        Shape::List(each) => {
            let item = |part: &str| Item { place: place.clone(), value: parse(part.trim(), each, place) };
            Written::List(text.split(',').map(item).collect())
        }
        _ => self::text(text),
    }
}

/// Text as it is.
pub(super) fn text(text: &str) -> Written {
    Written::Scalar(Value::Text(text.to_owned()))
}

/// A list with one text in it.
pub(super) fn list_of_one(one: &str, place: &Place) -> Written {
    Written::List(vec![Item { place: place.clone(), value: text(one) }])
}

fn toml_value(text: &str, place: &Place) -> Option<Written> {
    let mut table = raw::read(&format!("value = {text}")).ok()?;
    let mut value = table.swap_remove("value").filter(|_| table.is_empty())?;
    put_at(&mut value, place);
    Some(value.value)
}

fn put_at(item: &mut Item, place: &Place) {
    item.place = place.clone();
    match &mut item.value {
        Written::List(items) => items.iter_mut().for_each(|item| put_at(item, place)),
        Written::Table(table) => table.values_mut().for_each(|item| put_at(item, place)),
        Written::Scalar(_) | Written::Other(_) => {}
    }
}

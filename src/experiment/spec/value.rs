//! Values given on the command line.

use super::diagnostic::SpecLocation;
use super::format::FieldShape;
use super::raw::{self, Item, RawValue};
use crate::learn::params::Value;

/// Parses a command-line value for a key of this shape. It is read as TOML or else as text; a list
/// may be given as comma-separated items.
pub fn parse(text: &str, shape: &FieldShape, place: &SpecLocation) -> RawValue {
    if let Some(value) = toml_value(text, place) {
        return match (&value, shape) {
            (RawValue::Scalar(_), FieldShape::List(_)) => RawValue::List(vec![Item { place: place.clone(), value }]),
            _ => value,
        };
    }
    match shape {
        FieldShape::List(each) => {
            let item = |part: &str| Item { place: place.clone(), value: parse(part.trim(), each, place) };
            RawValue::List(text.split(',').map(item).collect())
        }
        _ => literal(text),
    }
}

/// Returns a literal text value.
pub fn literal(text: &str) -> RawValue {
    RawValue::Scalar(Value::Text(text.to_owned()))
}

/// Returns a list with one literal text value.
pub fn literal_list(text: &str, place: &SpecLocation) -> RawValue {
    RawValue::List(vec![Item { place: place.clone(), value: literal(text) }])
}

fn toml_value(text: &str, place: &SpecLocation) -> Option<RawValue> {
    let mut table = raw::read(&format!("value = {text}")).ok()?;
    let mut value = table.swap_remove("value").filter(|_| table.is_empty())?;
    relocate(&mut value, place);
    Some(value.value)
}

fn relocate(item: &mut Item, place: &SpecLocation) {
    item.place = place.clone();
    match &mut item.value {
        RawValue::List(items) => items.iter_mut().for_each(|item| relocate(item, place)),
        RawValue::Table(table) => table.values_mut().for_each(|item| relocate(item, place)),
        RawValue::Scalar(_) | RawValue::Other(_) => {}
    }
}

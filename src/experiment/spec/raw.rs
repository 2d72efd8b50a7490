//! Raw specs: TOML values with their locations, before validation.

use toml::de::{DeTable, DeValue};

use super::diagnostic::{SpecDiagnostic, SpecLocation};
use crate::determinism::IndexMap;
use crate::learn::params::Value;

/// Keys with their values, in the order of the file.
pub type RawTable = IndexMap<String, Item>;

/// A value with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Location.
    pub place: SpecLocation,
    /// Value.
    pub value: RawValue,
}

/// A raw value.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    /// A scalar.
    Scalar(Value),
    /// A list of values or tables.
    List(Vec<Item>),
    /// A table.
    Table(RawTable),
    /// A value that no key accepts: a date, or a number out of range.
    Other(String),
}

/// Parses TOML.
///
/// # Errors
/// With all syntax errors.
pub fn read(text: &str) -> Result<RawTable, Vec<SpecDiagnostic>> {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let line = |offset: usize| SpecLocation::Line(1 + ends.partition_point(|&end| end < offset));
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table(document.get_ref(), &line));
    }
    let diagnostic = |error: &toml::de::Error| {
        let place = line(error.span().map_or(0, |span| span.start));
        SpecDiagnostic::new(&place, "", format!("invalid TOML: {}", error.message()))
    };
    Err(errors.iter().map(diagnostic).collect())
}

fn table(raw: &DeTable<'_>, line: &impl Fn(usize) -> SpecLocation) -> RawTable {
    let mut entries: Vec<_> = raw.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut table = RawTable::default();
    for (key, value) in entries {
        let item = Item { place: line(key.span().start), value: item(value.get_ref(), line) };
        table.insert(key.get_ref().clone().into_owned(), item);
    }
    table
}

fn item(value: &DeValue<'_>, line: &impl Fn(usize) -> SpecLocation) -> RawValue {
    match value {
        DeValue::String(text) => RawValue::Scalar(Value::Text(text.clone().into_owned())),
        DeValue::Boolean(value) => RawValue::Scalar(Value::Bool(*value)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => RawValue::Scalar(Value::Integer(number)),
            Err(_) => RawValue::Other(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => RawValue::Scalar(Value::Number(number)),
            _ => RawValue::Other(number.as_str().to_owned()),
        },
        DeValue::Datetime(date) => RawValue::Other(date.to_string()),
        DeValue::Array(values) => {
            let each = |value: &toml::Spanned<DeValue<'_>>| Item {
                place: line(value.span().start),
                value: item(value.get_ref(), line),
            };
            RawValue::List(values.iter().map(each).collect())
        }
        DeValue::Table(inner) => RawValue::Table(table(inner, line)),
    }
}

impl Item {
    /// Returns the value if it is text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            RawValue::Scalar(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it is a scalar.
    pub fn scalar(&self) -> Option<&Value> {
        match &self.value {
            RawValue::Scalar(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value if it is a non-negative integer.
    pub fn whole(&self) -> Option<u64> {
        match self.scalar()? {
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the value if it is a number.
    pub fn number(&self) -> Option<f64> {
        match self.scalar()? {
            Value::Integer(number) => Some(*number as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> &[Item] {
        match &self.value {
            RawValue::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the value if it is a table.
    pub fn table(&self) -> Option<&RawTable> {
        match &self.value {
            RawValue::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl RawValue {
    /// Formats the value as TOML on one line.
    pub fn inline(&self) -> String {
        match self {
            RawValue::Scalar(value) => scalar(value),
            RawValue::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.value.inline()).collect();
                format!("[{}]", items.join(", "))
            }
            RawValue::Table(table) => {
                let entries: Vec<String> =
                    table.iter().map(|(key, item)| format!("{} = {}", bare(key), item.value.inline())).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            RawValue::Other(text) => text.clone(),
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        // TOML floats need digits after the point.
        Value::Number(number) => format!("{number:?}"),
        Value::Text(text) => toml::Value::String(text.clone()).to_string(),
        other => other.to_string(),
    }
}

fn bare(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_bare { key.to_owned() } else { scalar(&Value::Text(key.to_owned())) }
}

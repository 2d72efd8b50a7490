//! A spec exactly as it was written: values with their places, before anybody asks what they mean.

use toml::de::{DeTable, DeValue};

use super::diagnostic::{Mistake, Place};
use crate::determinism::IndexMap;
use crate::learn::params::Value;

/// Keys with what stands behind them, in the order of the file.
pub type Table = IndexMap<String, Item>;

/// Something that was written, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where.
    pub place: Place,
    /// What.
    pub value: Written,
}

/// What can be written.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// One value.
    Scalar(Value),
    /// Several in brackets, or tables in double brackets.
    List(Vec<Item>),
    /// A table.
    Table(Table),
    /// Something that no key of a spec takes: a date, or a number that does not fit.
    Other(String),
}

/// Reads TOML.
///
/// # Errors
/// With every place at which the text is not TOML.
pub fn read(text: &str) -> Result<Table, Vec<Mistake>> {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let line = |offset: usize| Place::Line(1 + ends.partition_point(|&end| end < offset));
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table(document.get_ref(), &line));
    }
    let mistake = |error: &toml::de::Error| {
        let place = line(error.span().map_or(0, |span| span.start));
        Mistake::new(&place, "", format!("this is not TOML: {}", error.message()))
    };
    Err(errors.iter().map(mistake).collect())
}

fn table(written: &DeTable<'_>, line: &impl Fn(usize) -> Place) -> Table {
    let mut entries: Vec<_> = written.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut table = Table::default();
    for (key, value) in entries {
        let item = Item { place: line(key.span().start), value: item(value.get_ref(), line) };
        table.insert(key.get_ref().clone().into_owned(), item);
    }
    table
}

fn item(value: &DeValue<'_>, line: &impl Fn(usize) -> Place) -> Written {
    match value {
        DeValue::String(text) => Written::Scalar(Value::Text(text.clone().into_owned())),
        DeValue::Boolean(value) => Written::Scalar(Value::Bool(*value)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Written::Scalar(Value::Integer(number)),
            Err(_) => Written::Other(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Written::Scalar(Value::Number(number)),
            _ => Written::Other(number.as_str().to_owned()),
        },
        DeValue::Datetime(date) => Written::Other(date.to_string()),
        DeValue::Array(values) => {
            let each = |value: &toml::Spanned<DeValue<'_>>| Item {
                place: line(value.span().start),
                value: item(value.get_ref(), line),
            };
            Written::List(values.iter().map(each).collect())
        }
        DeValue::Table(inner) => Written::Table(table(inner, line)),
    }
}

impl Item {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Written::Scalar(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The one value, if it is one.
    pub fn scalar(&self) -> Option<&Value> {
        match &self.value {
            Written::Scalar(value) => Some(value),
            _ => None,
        }
    }

    /// The whole number from 0, if it is one.
    pub fn whole(&self) -> Option<u64> {
        match self.scalar()? {
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self.scalar()? {
            Value::Integer(number) => Some(*number as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// What is in the list; nothing if it is none.
    pub fn items(&self) -> &[Item] {
        match &self.value {
            Written::List(items) => items,
            _ => &[],
        }
    }

    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Written::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Written {
    /// The value in one line, as TOML.
    pub fn inline(&self) -> String {
        match self {
            Written::Scalar(value) => scalar(value),
            Written::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.value.inline()).collect();
                format!("[{}]", items.join(", "))
            }
            Written::Table(table) => {
                let entries: Vec<String> =
                    table.iter().map(|(key, item)| format!("{} = {}", bare(key), item.value.inline())).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            Written::Other(text) => text.clone(),
        }
    }

    fn is_tables(&self) -> bool {
        match self {
            Written::Table(_) => true,
            Written::List(items) => !items.is_empty() && items.iter().all(|item| item.table().is_some()),
            Written::Scalar(_) | Written::Other(_) => false,
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        // TOML has no number without digits after the point.
        Value::Number(number) => format!("{number:?}"),
        Value::Text(text) => toml::Value::String(text.clone()).to_string(),
        other => other.to_string(),
    }
}

fn bare(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_bare { key.to_owned() } else { scalar(&Value::Text(key.to_owned())) }
}

/// A spec as text again: values first, then tables, each in the order in which they were written.
pub fn print(table: &Table) -> String {
    let mut text = String::new();
    write_table(&mut text, "", table);
    text
}

fn write_table(text: &mut String, path: &str, table: &Table) {
    for (key, item) in table.iter().filter(|(_, item)| !item.value.is_tables()) {
        *text += &format!("{} = {}\n", bare(key), item.value.inline());
    }
    for (key, item) in table.iter().filter(|(_, item)| item.value.is_tables()) {
        let path = if path.is_empty() { bare(key) } else { format!("{path}.{}", bare(key)) };
        if let Written::Table(inner) = &item.value {
            // A table that holds nothing but tables needs no line of its own.
            if inner.is_empty() || inner.values().any(|item| !item.value.is_tables()) {
                *text += &format!("\n[{path}]\n");
            }
            write_table(text, &path, inner);
        }
        for inner in item.items().iter().filter_map(Item::table) {
            *text += &format!("\n[[{path}]]\n");
            write_table(text, &path, inner);
        }
    }
}

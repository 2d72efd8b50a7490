//! Tables of typed columns, independent of the file format they come from.

use std::borrow::Cow;

use super::date;
use crate::determinism::HashSet;
use crate::logic::term::write_number;

/// Integers up to this magnitude are exact as numbers.
const EXACT: u64 = 1 << 53;

/// A table as read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceTable {
    /// The name, by which a mapping refers to it.
    pub name: String,
    /// The columns, all with the same number of rows.
    pub columns: Vec<SourceColumn>,
    /// The columns of the primary key, if the source declares one.
    pub primary_key: Vec<String>,
    /// The foreign keys that the source declares.
    pub foreign_keys: Vec<ForeignKey>,
}

/// A declared foreign key of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The column.
    pub column: String,
    /// The table it refers to.
    pub table: String,
    /// The column it refers to; `None` is the primary key.
    pub references: Option<String>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceColumn {
    /// The name.
    pub name: String,
    /// The values.
    pub values: Values,
}

/// The values of a column; `None` is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers.
    Integer(Vec<Option<i64>>),
    /// Finite numbers.
    Real(Vec<Option<f64>>),
    /// Booleans.
    Boolean(Vec<Option<bool>>),
    /// Dates as days since 1970-01-01.
    Date(Vec<Option<f64>>),
    /// Texts.
    Text(Vec<Option<String>>),
    /// Values of a type that cannot be imported; a mapping must not use the column.
    Unsupported {
        /// The type, for messages.
        kind: String,
        /// The number of rows.
        rows: usize,
    },
}

impl SourceTable {
    /// Creates a table without declared keys.
    pub fn new(name: impl Into<String>, columns: Vec<SourceColumn>) -> Self {
        SourceTable { name: name.into(), columns, primary_key: Vec::new(), foreign_keys: Vec::new() }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.rows())
    }

    /// Returns the column with this name.
    pub fn column(&self, name: &str) -> Option<&SourceColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Values {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Values::Integer(values) => values.len(),
            Values::Real(values) | Values::Date(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Text(values) => values.len(),
            Values::Unsupported { rows, .. } => *rows,
        }
    }

    /// Returns the type of the values, for messages.
    pub fn kind(&self) -> &str {
        match self {
            Values::Integer(_) => "integer",
            Values::Real(_) => "number",
            Values::Boolean(_) => "boolean",
            Values::Date(_) => "date",
            Values::Text(_) => "text",
            Values::Unsupported { kind, .. } => kind,
        }
    }

    /// Returns the value in a row as text, or `None` for NULL. Different values have different
    /// texts.
    pub fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        match self {
            Values::Integer(values) => values[row].map(|value| value.to_string().into()),
            Values::Real(values) | Values::Date(values) => values[row].map(|value| {
                let mut text = String::new();
                // Writing to a string cannot fail.
                let _ = write_number(&mut text, value);
                text.into()
            }),
            Values::Boolean(values) => values[row].map(|value| if value { "true" } else { "false" }.into()),
            Values::Text(values) => values[row].as_deref().map(Into::into),
            Values::Unsupported { .. } => None,
        }
    }

    /// Returns the value in a row as a number, or `None` for NULL and for values that are not exact
    /// as numbers.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Values::Integer(values) => values[row].filter(|v| v.unsigned_abs() <= EXACT).map(|value| value as f64),
            Values::Real(values) | Values::Date(values) => values[row],
            _ => None,
        }
    }

    /// Returns whether every value is NULL, so that the type says nothing.
    pub fn is_blank(&self) -> bool {
        !matches!(self, Values::Unsupported { .. }) && (0..self.rows()).all(|row| self.text(row).is_none())
    }

    /// Counts the distinct values.
    pub fn distinct(&self) -> usize {
        (0..self.rows()).filter_map(|row| self.text(row)).collect::<HashSet<_>>().len()
    }

    /// Returns the first row of an infinite number in a column of texts that are numbers otherwise;
    /// `None` if there is none.
    pub fn infinite(texts: &[Option<String>]) -> Option<usize> {
        let numbers: Option<Vec<Option<f64>>> = texts
            .iter()
            .map(|text| text.as_deref().map(|text| text.parse().ok()).map_or(Some(None), |n| n.map(Some)))
            .collect();
        let numbers = numbers?;
        let has = |accepted: fn(&f64) -> bool| numbers.iter().position(|number| number.as_ref().is_some_and(accepted));
        has(|number| number.is_finite()).and_then(|_| has(|number| number.is_infinite()))
    }

    /// Types a column of texts by its content: booleans if every text is `true` or `false` in any
    /// case, integers without leading zeros, numbers, dates, otherwise texts. A column without
    /// texts has no type to find and stays one of texts.
    pub fn of_texts(texts: Vec<Option<String>>) -> Values {
        let present = || texts.iter().flatten().map(String::as_str);
        if present().next().is_none() {
            return Values::Text(texts);
        }
        fn all<T>(texts: &[Option<String>], parse: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
            texts
                .iter()
                .map(|text| text.as_deref().map(|text| parse(text).ok_or(())).transpose())
                .collect::<Result<_, _>>()
                .ok()
        }
        if let Some(values) = all(&texts, boolean) {
            return Values::Boolean(values);
        }
        if let Some(values) = all(&texts, integer) {
            return Values::Integer(values);
        }
        if let Some(values) = all(&texts, real) {
            return Values::Real(values);
        }
        if let Some(values) = all(&texts, date::parse) {
            return Values::Date(values);
        }
        Values::Text(texts)
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Reads an integer that is written in the one usual way, so that `007` and `+7` remain texts.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let usual = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if usual { text.parse().ok() } else { None }
}

fn real(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
    let padded = digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit());
    // An integer that no 64 bits hold is an identifier, not a number.
    let huge = digits.len() > 18 && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain || padded || huge || text.starts_with('+') {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(texts: &[&str]) -> Values {
        let null = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
        Values::of_texts(texts.iter().map(null).collect())
    }

    #[test]
    fn columns_are_typed_by_all_their_values() {
        assert_eq!(typed(&["true", "", "FALSE"]), Values::Boolean(vec![Some(true), None, Some(false)]));
        assert_eq!(typed(&["1", "-20", ""]), Values::Integer(vec![Some(1), Some(-20), None]));
        assert_eq!(typed(&["1", "2.5", "1e3"]), Values::Real(vec![Some(1.0), Some(2.5), Some(1000.0)]));
        assert_eq!(typed(&["1970-01-02", ""]), Values::Date(vec![Some(1.0), None]));
        for texts in [
            &["01234", "12"][..],
            &["1", "x"],
            &["nan", "1.5"],
            &["inf", "x"],
            &["inf"],
            &["+7"],
            &["", ""],
            &["99999999999999999999"],
            &["1e999"],
            &["1970-01-02", "5"],
            &["yes", "no"],
        ] {
            assert!(matches!(typed(texts), Values::Text(_)), "{texts:?}");
        }
    }

    #[test]
    fn infinite_numbers_are_found_among_numbers() {
        let infinite = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect();
            Values::infinite(&texts)
        };
        assert_eq!(infinite(&["1", "", "-inf"]), Some(2));
        assert_eq!(infinite(&["1e999", "0.5"]), Some(0));
        for texts in [&["inf"][..], &["inf", "x"], &["1", "2"], &["nan", "1"], &["", ""]] {
            assert_eq!(infinite(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn values_read_as_texts_and_numbers() {
        let reals = typed(&["0.5", "", "-3"]);
        assert_eq!((reals.text(0), reals.text(1), reals.text(2)), (Some("0.5".into()), None, Some("-3".into())));
        assert_eq!(reals.number(2), Some(-3.0));
        let large = Values::Integer(vec![Some(i64::MAX), Some(-5)]);
        assert_eq!((large.number(0), large.number(1)), (None, Some(-5.0)));
        assert_eq!(large.text(0).unwrap(), "9223372036854775807");
    }
}

//! The value of a parameter as written in a spec, on the command line or in a background file.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::logic::Term;

/// A value that is not checked yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl Value {
    /// Parses a word of the command line.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Ok(integer) = text.parse() {
            return Value::Integer(integer);
        }
        match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            // Rust parses `inf` and `nan` as numbers, but no parameter accepts them.
            _ => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::Number(number),
                _ => Value::Text(text.trim_matches('"').to_owned()),
            },
        }
    }

    pub(crate) fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::Integer(i) => u64::try_from(i).ok(),
            Value::Number(x) if x.fract() == 0.0 && (0.0..9e15).contains(&x) => Some(x as u64),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::Integer(i) => Some(i as f64),
            Value::Number(x) if x.is_finite() => Some(x),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match *self {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Number(x) => write!(f, "{x}"),
            Value::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl From<&Term> for Value {
    fn from(term: &Term) -> Self {
        match term {
            Term::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => Value::Integer(*x as i64),
            Term::Number(x) => Value::Number(*x),
            Term::Name(name) => Value::parse(name),
            other => Value::Text(other.to_string()),
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Integer(i)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Number(x)
    }
}

//! Predicates and literals as they stand in the JSON files of models.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::clause::{Argument, Literal, Number, Predicates, Variable};
use super::symbol::{Symbols, SymbolsFull};

/// The largest number a variable may have: a mistyped one must not make tables of thousands of millions.
const LAST_VARIABLE: u32 = 9_999;
/// The largest number of arguments: those of a head are variables.
const MOST_ARGUMENTS: usize = LAST_VARIABLE as usize;

/// What no file can say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Variables with numbers that no file may give.
    #[error("a rule has {0} variables or more, and {max} are the most", max = LAST_VARIABLE + 1)]
    Variables(u32),
    /// A predicate with more arguments than a file may give.
    #[error("a predicate has {0} arguments, and {MOST_ARGUMENTS} are the most")]
    Arity(usize),
}

/// Whether a file can say a rule with these literals for a target with `arity` arguments.
///
/// # Errors
/// If it cannot.
pub fn check<'a>(arity: usize, literals: impl Iterator<Item = &'a Literal>) -> Result<(), TooLarge> {
    let small = |arity: usize| if arity > MOST_ARGUMENTS { Err(TooLarge::Arity(arity)) } else { Ok(()) };
    small(arity)?;
    for literal in literals {
        small(literal.args.len())?;
        if let Some(variable) = literal.variables().find(|variable| variable.0 > LAST_VARIABLE) {
            return Err(TooLarge::Variables(variable.0 + 1));
        }
    }
    Ok(())
}

/// A predicate by name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePredicate {
    /// Its name.
    pub name: String,
    /// The number of its arguments.
    #[serde(deserialize_with = "read_arity")]
    pub arity: usize,
}

fn read_arity<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let arity = u64::deserialize(from)?;
    let small = usize::try_from(arity).ok().filter(|&arity| arity <= MOST_ARGUMENTS);
    small.ok_or_else(|| D::Error::custom(format_args!("an arity of {arity}, beyond {MOST_ARGUMENTS}")))
}

/// A literal with names instead of ids.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireLiteral {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    negated: bool,
    predicate: String,
    args: Vec<WireArgument>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireArgument {
    /// By its number; those of the head come first.
    Variable(u32),
    /// A name in its canonical print, quoted where it must be.
    Name(String),
    Number(f64),
    /// `true` for +∞: JSON has no such number.
    Infinity(bool),
}

impl WireLiteral {
    /// A literal over these names.
    pub fn new(literal: &Literal, predicates: &Predicates, symbols: &Symbols) -> Self {
        let number = |value: f64| match value.is_infinite() {
            true => WireArgument::Infinity(value > 0.0),
            false => WireArgument::Number(value),
        };
        let arg = |arg: &Argument| match *arg {
            Argument::Variable(variable) => WireArgument::Variable(variable.0),
            Argument::Number(compared) => number(compared.value()),
            Argument::Constant(constant) => match symbols.number(constant) {
                Some(value) => number(value),
                None => WireArgument::Name(symbols.name(constant).unwrap_or_default().to_owned()),
            },
        };
        WireLiteral {
            negated: literal.negated,
            predicate: predicates.name(literal.predicate).to_owned(),
            args: literal.args.iter().map(arg).collect(),
        }
    }

    /// The literal, with its names interned.
    ///
    /// # Errors
    /// If a variable has a number that no program gives, or the tables are full.
    pub fn read(self, predicates: &mut Predicates, symbols: &mut Symbols) -> Result<Literal, String> {
        let full = |error: SymbolsFull| error.to_string();
        let predicate = predicates.intern(&self.predicate, self.args.len());
        let number = |value: f64, symbols: &mut Symbols| match predicate.comparison() {
            // What is compared with need not be a constant of any data.
            Some(_) => Ok(Argument::Number(Number::new(value))),
            None => symbols.intern_number(value).map(Argument::Constant).map_err(full),
        };
        let mut args = Vec::with_capacity(self.args.len());
        for arg in self.args {
            args.push(match arg {
                WireArgument::Variable(number) if number > LAST_VARIABLE => {
                    return Err(format!("a variable has the number {number}, beyond {LAST_VARIABLE}"));
                }
                WireArgument::Variable(number) => Argument::Variable(Variable(number)),
                WireArgument::Name(name) => Argument::Constant(symbols.intern(&name).map_err(full)?),
                WireArgument::Number(value) => number(value, symbols)?,
                WireArgument::Infinity(positive) => {
                    number(if positive { f64::INFINITY } else { f64::NEG_INFINITY }, symbols)?
                }
            });
        }
        Ok(Literal { negated: self.negated, predicate, args })
    }
}

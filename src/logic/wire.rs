//! Serialized form of predicates and literals in the JSON files of models.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::clause::{Argument, Literal, Number, Predicates, Variable};
use super::symbol::{SymbolTableFull, Symbols};

/// Maximum number of a variable; a corrupt one must not cause gigantic tables.
const MAX_VARIABLE: u32 = 9_999;
/// Maximum arity: the arguments of a head are variables.
const MAX_ARITY: usize = MAX_VARIABLE as usize;

/// A rule beyond the limits of the file format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Too many variables.
    #[error("a rule has at least {0} variables, but at most {max} are supported", max = MAX_VARIABLE + 1)]
    Variables(u32),
    /// Too many arguments.
    #[error("a predicate has {0} arguments, but at most {MAX_ARITY} are supported")]
    Arity(usize),
}

/// Checks that a rule with these literals for a target of this arity can be written to a file.
///
/// # Errors
/// If a limit of the file format is exceeded.
pub fn check<'a>(arity: usize, literals: impl Iterator<Item = &'a Literal>) -> Result<(), TooLarge> {
    let check_arity = |arity: usize| if arity > MAX_ARITY { Err(TooLarge::Arity(arity)) } else { Ok(()) };
    check_arity(arity)?;
    for literal in literals {
        check_arity(literal.args.len())?;
        if let Some(variable) = literal.variables().find(|variable| variable.0 > MAX_VARIABLE) {
            return Err(TooLarge::Variables(variable.0 + 1));
        }
    }
    Ok(())
}

/// A predicate by name and arity.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePredicate {
    /// The name.
    pub name: String,
    /// The number of arguments.
    #[serde(deserialize_with = "read_arity")]
    pub arity: usize,
}

fn read_arity<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let arity = u64::deserialize(from)?;
    let small = usize::try_from(arity).ok().filter(|&arity| arity <= MAX_ARITY);
    small.ok_or_else(|| D::Error::custom(format_args!("arity must be at most {MAX_ARITY}, got {arity}")))
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
    /// By number; head variables come first.
    Variable(u32),
    /// A name in its canonical form, quoted where necessary.
    Name(String),
    Number(f64),
    /// `true` for +∞, `false` for −∞: JSON has no infinities.
    Infinity(bool),
}

impl WireLiteral {
    /// Converts a literal to its serialized form.
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

    /// Interns the names and returns the literal.
    ///
    /// # Errors
    /// If a variable number is too large or the symbol table is full.
    pub fn read(self, predicates: &mut Predicates, symbols: &mut Symbols) -> Result<Literal, String> {
        let full = |error: SymbolTableFull| error.to_string();
        let predicate = predicates.intern(&self.predicate, self.args.len());
        let number = |value: f64, symbols: &mut Symbols| match predicate.comparison() {
            // A threshold need not be a constant of the data.
            Some(_) => Ok(Argument::Number(Number::new(value))),
            None => symbols.intern_number(value).map(Argument::Constant).map_err(full),
        };
        let mut args = Vec::with_capacity(self.args.len());
        for arg in self.args {
            args.push(match arg {
                WireArgument::Variable(number) if number > MAX_VARIABLE => {
                    return Err(format!("variable number must be at most {MAX_VARIABLE}, got {number}"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::{Argument, PredicateId, Variable};

    #[test]
    fn rules_beyond_the_limits_of_the_format_are_errors() {
        let literal = |variable| Literal::new(PredicateId(0), vec![Argument::Variable(Variable(variable))]);
        let checked = |arity: usize, variable: u32| check(arity, [literal(variable)].iter());
        assert_eq!(checked(MAX_ARITY, MAX_VARIABLE), Ok(()));
        assert_eq!(checked(MAX_ARITY + 1, 0), Err(TooLarge::Arity(MAX_ARITY + 1)));
        assert_eq!(checked(1, MAX_VARIABLE + 1), Err(TooLarge::Variables(MAX_VARIABLE + 2)));
        let wide = Literal::new(PredicateId(0), vec![Argument::Variable(Variable(0)); MAX_ARITY + 1]);
        assert_eq!(check(1, [wide].iter()), Err(TooLarge::Arity(MAX_ARITY + 1)));
    }
}

//! Translates literals from one vocabulary to another, and renames variables.

use super::clause::{Argument, Literal, Predicates, Variable};
use super::symbol::{Constant, SymbolTableFull, Symbols};
use crate::determinism::HashMap;

/// The predicate and symbol tables that literals refer to.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The constants.
    pub symbols: &'a Symbols,
}

/// Translates a literal; `None` if a name is unknown in `to`, where then nothing can match it.
pub fn find(literal: &Literal, from: Names<'_>, to: Names<'_>) -> Option<Literal> {
    let mut found = literal.clone();
    found.predicate = to.predicates.find(from.predicates.name(literal.predicate), literal.args.len())?;
    for arg in &mut found.args {
        *arg = find_argument(*arg, from, to)?;
    }
    Some(found)
}

/// Translates an argument; `None` for a constant unknown in `to`.
pub fn find_argument(arg: Argument, from: Names<'_>, to: Names<'_>) -> Option<Argument> {
    match arg {
        Argument::Constant(constant) => find_constant(from.symbols, constant, to.symbols).map(Argument::Constant),
        variable => Some(variable),
    }
}

fn find_constant(from: &Symbols, constant: Constant, to: &Symbols) -> Option<Constant> {
    match from.number(constant) {
        Some(value) => to.find_number(value),
        None => to.find(from.name(constant)?),
    }
}

/// Translates a literal into tables that grow as needed.
///
/// # Errors
/// If the table of constants is full.
pub fn intern(
    literal: &Literal,
    from: Names<'_>,
    predicates: &mut Predicates,
    symbols: &mut Symbols,
) -> Result<Literal, SymbolTableFull> {
    let mut own = literal.clone();
    own.predicate = predicates.intern(from.predicates.name(literal.predicate), literal.args.len());
    for arg in &mut own.args {
        if let Argument::Constant(constant) = arg {
            *constant = match from.symbols.number(*constant) {
                Some(value) => symbols.intern_number(value)?,
                None => symbols.intern(from.symbols.name(*constant).unwrap_or_default())?,
            };
        }
    }
    Ok(own)
}

/// Translates a conjunction; `translate` returns `None` for a literal that nothing matches.
///
/// Such a literal is dropped if negated, since it is always true. Otherwise the conjunction is
/// always false and the result is `None`.
pub fn conjunction(
    literals: &[Literal],
    mut translate: impl FnMut(&Literal) -> Option<Literal>,
) -> Option<Vec<Literal>> {
    let mut kept = Vec::with_capacity(literals.len());
    for literal in literals {
        match translate(literal) {
            Some(literal) => kept.push(literal),
            None if literal.negated => {}
            None => return None,
        }
    }
    Some(kept)
}

/// Renames the local variables of a conjunction apart: those that are not of the head, `0..arity`,
/// are numbered from `next` on in order of occurrence.
pub fn apart(mut body: Vec<Literal>, arity: usize, next: &mut u32) -> Vec<Literal> {
    let mut renamed: HashMap<Variable, Variable> = HashMap::default();
    for arg in body.iter_mut().flat_map(|literal| &mut literal.args) {
        if let Argument::Variable(variable) = arg
            && variable.0 as usize >= arity
        {
            *variable = *renamed.entry(*variable).or_insert_with(|| {
                *next += 1;
                Variable(*next - 1)
            });
        }
    }
    body
}

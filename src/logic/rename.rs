//! Translates literals from one vocabulary to another.

use super::clause::{Argument, Literal, Predicates};
use super::symbol::{Constant, SymbolTableFull, Symbols};

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

//! From the names of one vocabulary to those of another.

use super::clause::{Argument, Literal, Predicates};
use super::symbol::{Constant, Symbols, SymbolsFull};

/// The predicates and constants that literals are written with.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The constants.
    pub symbols: &'a Symbols,
}

/// The literal over other names; `None` if one of its own is not among them, so that nothing there can match it.
pub fn find(literal: &Literal, from: Names<'_>, to: Names<'_>) -> Option<Literal> {
    let mut found = literal.clone();
    found.predicate = to.predicates.find(from.predicates.name(literal.predicate), literal.args.len())?;
    for arg in &mut found.args {
        *arg = find_argument(*arg, from, to)?;
    }
    Some(found)
}

/// The argument over other names; `None` for a constant that is not among them.
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

/// The literal over other names, which learn those they lack.
///
/// # Errors
/// If the table of constants is full.
pub fn intern(
    literal: &Literal,
    from: Names<'_>,
    predicates: &mut Predicates,
    symbols: &mut Symbols,
) -> Result<Literal, SymbolsFull> {
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

/// A conjunction in other words, where `None` from `translate` stands for a literal that nothing matches: negated, it
/// always holds and is left out; otherwise the conjunction never holds, and there is none.
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

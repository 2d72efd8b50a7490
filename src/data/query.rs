//! A query to explain: an atom of the target, about constants of the data.

use super::load::Dataset;
use crate::logic::nearest::did_you_mean;
use crate::logic::query::parse_atom;
use crate::logic::reader::intern_term;
use crate::logic::{Atom, Constant, Diagnostic, Term};

const ORIGIN: &str = "--query";

/// Parses the query and checks that it is an atom of the target.
///
/// # Errors
/// If it is not an atom, or one of another predicate.
pub fn parse(query: &str, (name, arity): (&str, usize)) -> Result<Atom, Diagnostic> {
    let atom = parse_atom(query, ORIGIN)?;
    let slots = vec!["…"; arity].join(", ");
    let expected = if arity == 0 { name.to_owned() } else { format!("{name}({slots})") };
    if atom.predicate != name {
        let message = format!("the model predicts {name}/{arity}, got {}", atom.predicate);
        return Err(Diagnostic::error("query", message, format!("write `{expected}`; names are case-sensitive")));
    }
    if atom.args.len() != arity {
        let message = format!("{name} has {arity} arguments, got {}", atom.args.len());
        return Err(Diagnostic::error("query", message, format!("write `{expected}`")));
    }
    Ok(atom)
}

/// Returns the constants of the query. A constant that the data do not mention is probably a typing
/// error, so it must be allowed explicitly.
///
/// # Errors
/// If a term is a variable, or a constant that is unknown and not allowed.
pub fn constants(atom: &Atom, loaded: &mut Dataset, allow_unknown: bool) -> Result<Vec<Constant>, Diagnostic> {
    let mut constants = Vec::with_capacity(atom.args.len());
    for (position, term) in atom.args.iter().enumerate() {
        if let Some(known) = find(term, loaded) {
            constants.push(known);
            continue;
        }
        if let Some(variable) = variable(term) {
            let message = format!("a query must be ground, got the variable `{variable}`");
            let help = format!("write a constant instead; quote a constant of this name: \"{variable}\"");
            return Err(Diagnostic::error("query", message, help));
        }
        if !allow_unknown {
            return Err(unknown(term, position, loaded));
        }
        constants.push(intern_term(&mut loaded.database.symbols, term).map_err(too_many)?);
    }
    Ok(constants)
}

/// Returns the constant of the data that a term denotes. A capitalized name is a constant if the
/// data have it.
fn find(term: &Term, loaded: &Dataset) -> Option<Constant> {
    let symbols = &loaded.database.symbols;
    match term {
        Term::Number(value) => symbols.find_number(*value),
        Term::Variable(name) => symbols.find(&Term::Name(name.clone()).to_string()),
        term if term.is_ground() => symbols.find(&term.to_string()),
        _ => None,
    }
}

fn variable(term: &Term) -> Option<&str> {
    match term {
        Term::Variable(name) => Some(name),
        Term::Name(_) | Term::Number(_) => None,
        Term::Compound(_, terms) | Term::List(terms) => terms.iter().find_map(variable),
    }
}

fn unknown(term: &Term, position: usize, loaded: &Dataset) -> Diagnostic {
    let database = &loaded.database;
    let types = database.schema.argument_types(loaded.target);
    // Candidates: constants of the type, or in the same argument of an example.
    let mut candidates: Vec<Constant> =
        types.and_then(|types| types.get(position)).map(|&kind| database.constants_of_type(kind)).unwrap_or_default();
    candidates.extend(loaded.examples.iter().filter_map(|example| example.args.get(position)));
    if candidates.is_empty() {
        candidates = (0..database.symbols.names() as u32).map(Constant::from_id).collect();
    }
    candidates.sort_unstable();
    candidates.dedup();
    let written = term.to_string();
    let meant = did_you_mean(&written, candidates.iter().filter_map(|&constant| database.symbols.name(constant)));
    let message = format!("unknown constant `{written}`, argument {} of the query", position + 1);
    Diagnostic::error("query", message, format!("{meant}use --allow-unknown to query it anyway"))
}

fn too_many(error: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error("query", error.to_string(), "")
}

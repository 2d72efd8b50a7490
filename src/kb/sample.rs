//! Builds small databases from text for tests.

use super::database::{Database, DatabaseBuilder};
use super::time::TimeRule;
use crate::logic::parser::parse_sentence;
use crate::logic::reader::intern_term;
use crate::logic::{Argument, Atom, Constant, Diagnostic, Literal, Notation, PredicateId, Sentence, Term, Variable};

/// The predicate of the head, and the body with head variables numbered first.
pub(crate) type Clause = (PredicateId, Vec<Literal>);

/// Parses facts, modes and clauses.
pub(crate) fn read(text: &str) -> (DatabaseBuilder, Vec<Clause>) {
    let (mut builder, mut clauses, mut start) = (DatabaseBuilder::new(), Vec::new(), 0);
    while !text[start..].trim().is_empty() {
        let parsed = parse_sentence(text, start, true, Notation::Prolog, false).unwrap();
        start = parsed.end;
        match parsed.sentence {
            Sentence::Fact { atom, .. } => {
                let predicate = builder.predicates.intern(&atom.predicate, atom.args.len());
                let args: Vec<Constant> =
                    atom.args.iter().map(|t| intern_term(&mut builder.symbols, t).unwrap()).collect();
                builder.fact(predicate, &args).unwrap();
            }
            Sentence::Mode(mode) => builder.schema.add(&mode, &mut builder.predicates, &mut builder.symbols).unwrap(),
            Sentence::Clause { head, body } => {
                let mut variables = Vec::new();
                let head = literal(&mut builder, &mut variables, &head).predicate;
                let literals = body
                    .iter()
                    .map(|b| Literal { negated: b.negated, ..literal(&mut builder, &mut variables, &b.atom) });
                let literals = literals.collect();
                clauses.push((head, literals));
            }
            other => panic!("{other:?}"),
        }
    }
    (builder, clauses)
}

/// Builds the database of a text; also returns its clauses and warnings.
pub(crate) fn build(text: &str, time: Option<&TimeRule>) -> (Database, Vec<Clause>, Vec<Diagnostic>) {
    let (builder, clauses) = read(text);
    let (database, warnings) = builder.build(time).unwrap();
    (database, clauses, warnings)
}

/// Returns the constants with these names or values.
pub(crate) fn constants<const N: usize>(database: &Database, words: [&str; N]) -> [Constant; N] {
    words.map(|word| match word.parse() {
        Ok(number) => database.symbols.find_number(number).unwrap(),
        Err(_) => database.symbols.find(word).unwrap(),
    })
}

fn literal(builder: &mut DatabaseBuilder, variables: &mut Vec<String>, atom: &Atom) -> Literal {
    let mut argument = |term: &Term| match term {
        Term::Variable(name) => {
            let known = variables.iter().position(|v| v == name).unwrap_or_else(|| {
                variables.push(name.clone());
                variables.len() - 1
            });
            Argument::Variable(Variable(known as u32))
        }
        term => Argument::Constant(intern_term(&mut builder.symbols, term).unwrap()),
    };
    let args = atom.args.iter().map(&mut argument).collect();
    Literal::new(builder.predicates.intern(&atom.predicate, atom.args.len()), args)
}

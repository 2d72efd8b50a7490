//! Symbols, terms, modes and clauses, and the reader of the BoostSRL family of files.
//!
//! This is the lowest room: it knows how logic is written, and nothing of facts, examples or learning.

pub mod clause;
pub mod diagnostic;
mod directive;
pub mod fast;
pub mod lexer;
pub mod mode;
pub mod nearest;
pub mod parser;
pub mod query;
pub mod reader;
pub mod rename;
pub mod rule;
pub mod sentence;
pub mod source;
pub mod symbol;
pub mod term;
pub mod wire;

pub use clause::{Argument, Comparison, Literal, Number, PredicateId, Predicates, Variable};
pub use diagnostic::{Diagnostic, Diagnostics, Location, Severity};
pub use mode::{ModeArg, ModeDeclaration, ModeSymbol, ValueLimit};
pub use reader::{Full, ReadError, Reader, Role, Sink};
pub use sentence::{BodyLiteral, ImportKind, Notation, Sentence};
pub use source::Source;
pub use symbol::{Constant, Symbols, SymbolsFull};
pub use term::{Atom, Term};

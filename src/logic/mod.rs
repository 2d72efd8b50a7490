//! Symbols, terms, modes and clauses, and the parser of the BoostSRL family of file formats.
//!
//! The lowest layer above the foundations: syntax only, independent of facts, examples and
//! learning.

pub mod clause;
pub mod diagnostic;
mod directive;
pub mod fast;
mod grammar;
pub mod lexer;
pub mod mode;
pub mod natural;
pub mod nearest;
pub mod parser;
pub mod quantity;
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
pub use reader::{CapacityError, FileRole, ReadError, Reader, Sink};
pub use sentence::{BodyLiteral, ImportKind, Notation, Sentence};
pub use source::SourceWindow;
pub use symbol::{Constant, Ranks, SymbolTableFull, Symbols};
pub use term::{Atom, Term};

//! Symbols, terms, modes and clauses, and the reader of the BoostSRL family of files.
//!
//! This is the lowest room: it knows how logic is written, and nothing of facts, examples or learning.

pub mod clause;
pub mod diagnostic;
pub mod mode;
pub mod symbol;
pub mod term;

pub use clause::{Argument, Literal, PredicateId, Predicates, Variable};
pub use diagnostic::{Diagnostic, Diagnostics, Location, Severity};
pub use mode::{ModeArg, ModeDeclaration, ModeSymbol, ValueLimit};
pub use symbol::{Constant, Symbols, SymbolsFull};
pub use term::{Atom, Term};

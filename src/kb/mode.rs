//! Modes of predicates over interned names.

use crate::logic::{Constant, ModeSymbol, PredicateId, ValueLimit};

/// A type of constants, such as `person`, as an index into the types of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u16);

/// The mode of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeSlot {
    /// The instantiation mode.
    pub symbol: ModeSymbol,
    /// The type of the argument.
    pub type_id: TypeId,
    /// The only admissible constant (`@colour:red`).
    pub constant: Option<Constant>,
    /// For how many values of this argument the predicate can be true.
    pub limit: Option<ValueLimit>,
}

/// A mode of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments.
    pub args: Vec<ModeSlot>,
    /// Maximum number of occurrences in a clause.
    pub max: Option<u32>,
    /// The same per binding of the input variables.
    pub max_per_input: Option<u32>,
    /// The only target this mode applies to; `None` means all targets.
    pub target: Option<PredicateId>,
}

impl ModeSlot {
    fn sort_key(&self) -> impl Ord + use<> {
        let limit = self.limit.map(|limit| match limit {
            ValueLimit::Exactly(n) => (0, n),
            ValueLimit::AtMost(n) => (1, n),
        });
        (self.symbol, self.type_id, self.constant, limit)
    }
}

impl Mode {
    /// Returns the key by which modes are ordered, given canonical ids.
    pub(super) fn sort_key(&self) -> impl Ord + use<> {
        let args: Vec<_> = self.args.iter().map(ModeSlot::sort_key).collect();
        (self.predicate, args, self.max, self.max_per_input, self.target)
    }
}

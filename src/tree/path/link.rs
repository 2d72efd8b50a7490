//! The literals that chains are made of, as the modes allow them.
//!
//! A chain visits variables `V0, V1, …, Vn`, of which the first and the last are of the head. Its literals can be added
//! one after another, in some order, if each variable between them is new in one of its two literals and known in the
//! other: whichever literals come first, a chain has no circle, so some order fits. Hence it is enough to look at each
//! literal and its two ends alone.

use super::super::cuts;
use super::super::language::is_recursive;
use crate::determinism::IndexMap;
use crate::kb::{Database, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Constant, Literal, ModeSymbol, PredicateId, Variable};

/// How a literal meets the variable at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is a variable of the head.
    Head,
    /// The neighbour brought it.
    Known,
    /// It is new, and the neighbour finds it known.
    New,
}

/// How a literal meets the variable at one of its ends, and of which type that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub type_id: TypeId,
    pub role: Role,
}

impl End {
    pub fn head(type_id: TypeId) -> Self {
        End { type_id, role: Role::Head }
    }

    /// How the neighbour must meet the same variable; a variable of the head has no neighbour.
    pub fn across(self) -> Option<End> {
        let role = match self.role {
            Role::Head => return None,
            Role::Known => Role::New,
            Role::New => Role::Known,
        };
        Some(End { role, ..self })
    }
}

/// A literal that is entered at one argument and left at another, or not left at all if a chain ends with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub predicate: PredicateId,
    pub from: usize,
    pub to: Option<usize>,
    /// The arguments that are constants, and which if only one is allowed. All others are variables of no other literal.
    pub constants: Vec<(usize, Option<Constant>)>,
}

/// What a mode asks at the ends of a literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub from: End,
    pub to: Option<End>,
    /// The number of the mode.
    pub mode: usize,
}

/// A shape with everything that the modes say of it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub shape: Shape,
    pub uses: Vec<Use>,
    /// The same literal entered at its other end.
    pub reverse: usize,
}

impl Link {
    /// How the literal can be left if it is entered in one of these ways.
    pub fn ends_after<'l>(&'l self, entered: &'l [End]) -> impl Iterator<Item = End> + 'l {
        self.uses.iter().filter(|used| entered.contains(&used.from)).filter_map(|used| used.to)
    }

    pub fn can_enter(&self, ends: &[End]) -> bool {
        self.uses.iter().any(|used| ends.contains(&used.from))
    }
}

/// One literal of a chain: a link and the constants in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Piece {
    pub link: usize,
    pub constants: Vec<Constant>,
}

/// With more choices between a variable and a constant than this in a literal, the rest are variables.
const MOST_CHOICES: usize = 64;

/// All links that the modes for a target allow.
#[derive(Debug)]
pub(super) struct Links<'a> {
    pub all: Vec<Link>,
    modes: Vec<&'a Mode>,
    has_limits: bool,
}

impl<'a> Links<'a> {
    /// The links between variables, or with `to_constants` also those that end a chain with a constant.
    ///
    /// Where `compares` is set, an argument of numbers is never asked for one of them.
    pub fn new(database: &'a Database, target: PredicateId, to_constants: bool, compares: bool) -> Self {
        let is_recursive = is_recursive(database, target);
        let is_for = |mode: &&Mode| {
            let for_target = mode.target.is_none_or(|only| only == target);
            (mode.predicate != target || is_recursive) && mode.predicate.comparison().is_none() && for_target
        };
        let modes: Vec<&Mode> = database.schema.modes().iter().filter(is_for).collect();
        let mut found: IndexMap<Shape, Vec<Use>> = IndexMap::default();
        for (number, mode) in modes.iter().enumerate() {
            let is_compared = |k: usize| compares && !cuts::of_slot(database, mode, k, 1).is_empty();
            let compared: Vec<bool> = (0..mode.args.len()).map(is_compared).collect();
            for from in 0..mode.args.len() {
                let to = (0..mode.args.len()).filter(|&to| to != from).map(Some);
                for to in to.chain(to_constants.then_some(None)) {
                    for (shape, uses) in shapes(mode, from, to, number, &compared) {
                        found.entry(shape).or_default().extend(uses);
                    }
                }
            }
        }
        let reverse = |shape: &Shape| {
            let turned = shape.to.map(|to| Shape { from: to, to: Some(shape.from), ..shape.clone() });
            // A link that ends a chain is never walked from its other end.
            turned.and_then(|turned| found.get_index_of(&turned)).unwrap_or(usize::MAX)
        };
        let link = |(shape, uses): (&Shape, &Vec<Use>)| Link {
            shape: shape.clone(),
            uses: uses.clone(),
            reverse: reverse(shape),
        };
        Links {
            all: found.iter().map(link).collect(),
            has_limits: modes.iter().any(|mode| mode.max.is_some() || mode.max_per_input.is_some()),
            modes,
        }
    }

    /// The literals of a chain from one variable of the head to another, or to a constant; new variables are numbered
    /// from `next` on as they come.
    pub fn literals(&self, chain: &[Piece], first: u32, last: Option<u32>, mut next: u32) -> Vec<Literal> {
        let mut new = || {
            next += 1;
            Argument::Variable(Variable(next - 1))
        };
        let mut entered = Argument::Variable(Variable(first));
        let mut literals = Vec::with_capacity(chain.len());
        for (at, piece) in chain.iter().enumerate() {
            let Shape { predicate, from, to, constants } = &self.all[piece.link].shape;
            let left = match last {
                Some(last) if at + 1 == chain.len() => Some(Argument::Variable(Variable(last))),
                _ => to.map(|_| new()),
            };
            let arity = self.modes[self.all[piece.link].uses[0].mode].args.len();
            let arg = |k: usize| match constants.iter().position(|&(position, _)| position == k) {
                Some(place) => Argument::Constant(piece.constants[place]),
                None if k == *from => entered,
                None if Some(k) == *to => left.unwrap_or(entered),
                None => new(),
            };
            let args = (0..arity).map(arg).collect();
            literals.push(Literal::new(*predicate, args));
            entered = left.unwrap_or(entered);
        }
        literals
    }

    /// The same literal, entered at its other end.
    pub fn turned(&self, piece: Piece) -> Piece {
        Piece { link: self.all[piece.link].reverse, ..piece }
    }

    /// Whether a chain that the types allow also keeps to what its modes say of how often a predicate may occur.
    ///
    /// A mode is used only if all literals of the chain together are within its limits.
    pub fn keep_limits(&self, chain: &[Piece], literals: &[Literal], first: TypeId, last: Option<TypeId>) -> bool {
        if !self.has_limits {
            return true;
        }
        let mut entered = vec![End::head(first)];
        for (at, piece) in chain.iter().enumerate() {
            let mut left = Vec::new();
            let uses = self.all[piece.link].uses.iter();
            for used in uses.filter(|used| entered.contains(&used.from) && self.is_within(used.mode, at, literals)) {
                match used.to {
                    None => return true,
                    Some(end) if at + 1 == chain.len() && Some(end) == last.map(End::head) => return true,
                    Some(end) => left.extend(end.across()),
                }
            }
            entered = left;
        }
        false
    }

    fn is_within(&self, mode: usize, at: usize, literals: &[Literal]) -> bool {
        let mode = self.modes[mode];
        let same = || literals.iter().filter(|other| other.predicate == mode.predicate);
        let same_input = |other: &&Literal| {
            let inputs = mode.args.iter().enumerate().filter(|(_, slot)| slot.symbol == ModeSymbol::Input);
            inputs.into_iter().all(|(k, _)| other.args.get(k) == literals[at].args.get(k))
        };
        mode.max.is_none_or(|max| same().count() <= max as usize)
            && mode.max_per_input.is_none_or(|max| same().filter(same_input).count() <= max as usize)
    }
}

/// The shapes that a mode gives between two of its arguments, each with the ways to use it.
fn shapes(mode: &Mode, from: usize, to: Option<usize>, number: usize, compared: &[bool]) -> Vec<(Shape, Vec<Use>)> {
    let mut uses = Vec::new();
    for from in ends(&mode.args[from]) {
        match to {
            None => uses.push(Use { from, to: None, mode: number }),
            Some(to) => uses.extend(ends(&mode.args[to]).map(|to| Use { from, to: Some(to), mode: number })),
        }
    }
    if uses.is_empty() {
        return Vec::new();
    }
    let mut choices: Vec<Vec<(usize, Option<Constant>)>> = vec![Vec::new()];
    for (k, slot) in mode.args.iter().enumerate().filter(|&(k, _)| k != from && Some(k) != to) {
        let (variable, constant) = match compared[k] {
            true => (true, false),
            false => (slot.symbol.may_be_new(), slot.symbol.may_be_constant()),
        };
        let constant = constant && (!variable || choices.len() < MOST_CHOICES);
        let with = |chosen: &Vec<_>| [&chosen[..], &[(k, slot.constant)]].concat();
        let longer: Vec<_> = choices.iter().filter(|_| constant).map(with).collect();
        if !variable {
            choices.clear();
        }
        choices.extend(longer);
    }
    if to.is_none() {
        choices.retain(|constants| !constants.is_empty());
    }
    let shape = |constants| Shape { predicate: mode.predicate, from, to, constants };
    choices.into_iter().map(|constants| (shape(constants), uses.clone())).collect()
}

/// How an argument can meet a variable of a chain.
fn ends(slot: &ModeSlot) -> impl Iterator<Item = End> + use<> {
    let symbol = slot.symbol;
    let type_id = slot.type_id;
    let fits = move |role: Role| match role {
        // A variable of a chain stands in two literals, or in the head and a literal.
        _ if symbol == ModeSymbol::Once => false,
        Role::Head => symbol.may_reuse() && !matches!(symbol, ModeSymbol::NotHead | ModeSymbol::InBody),
        Role::Known => symbol.may_reuse(),
        Role::New => symbol.may_be_new(),
    };
    let roles = [Role::Head, Role::Known, Role::New].into_iter();
    roles.filter(move |&role| fits(role)).map(move |role| End { type_id, role })
}

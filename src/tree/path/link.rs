//! The literals that chains are made of, as allowed by the modes.
//!
//! A chain visits variables `V0, V1, …, Vn`, the first and last of which are head variables. Its
//! literals can be added in some order if each inner variable is new in one of its two literals and
//! bound in the other: a chain has no cycle, so a suitable order exists. Hence it is enough to
//! check each literal with its two ends.

use super::super::cuts;
use super::super::language::is_recursive;
use crate::determinism::IndexMap;
use crate::kb::{Database, Mode, ModeSlot, TypeId};
use crate::logic::{Argument, Constant, Literal, ModeSymbol, PredicateId, Variable};

/// The role of the variable at one end of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A head variable.
    Head,
    /// Bound by the neighboring literal.
    Bound,
    /// Bound here, and used by the neighboring literal.
    New,
}

/// The type and role of the variable at one end of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkEnd {
    pub type_id: TypeId,
    pub role: Role,
}

impl LinkEnd {
    pub fn head(type_id: TypeId) -> Self {
        LinkEnd { type_id, role: Role::Head }
    }

    /// Returns the end of the neighboring literal at the same variable; `None` for a head variable.
    pub fn across(self) -> Option<LinkEnd> {
        let role = match self.role {
            Role::Head => return None,
            Role::Bound => Role::New,
            Role::New => Role::Bound,
        };
        Some(LinkEnd { role, ..self })
    }
}

/// A literal entered at one argument and left at another, or not left if it ends a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LinkShape {
    pub predicate: PredicateId,
    pub from: usize,
    pub to: Option<usize>,
    /// The constant arguments, with the constant if the mode names one. All others are variables of
    /// no other literal.
    pub constants: Vec<(usize, Option<Constant>)>,
}

/// The ends that a mode allows for a literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkUse {
    pub from: LinkEnd,
    pub to: Option<LinkEnd>,
    /// The index of the mode.
    pub mode: usize,
}

/// A shape with all the uses that the modes allow.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub shape: LinkShape,
    pub uses: Vec<LinkUse>,
    /// The index of the same literal entered at its other end.
    pub reverse: usize,
}

impl Link {
    /// Returns the possible exits of the literal for these entries.
    pub fn ends_after<'l>(&'l self, entered: &'l [LinkEnd]) -> impl Iterator<Item = LinkEnd> + 'l {
        self.uses.iter().filter(|used| entered.contains(&used.from)).filter_map(|used| used.to)
    }

    pub fn can_enter(&self, ends: &[LinkEnd]) -> bool {
        self.uses.iter().any(|used| ends.contains(&used.from))
    }
}

/// One literal of a chain: a link and the constants in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChainLink {
    pub link: usize,
    pub constants: Vec<Constant>,
}

/// The maximum number of combinations of variables and constants per literal; further arguments are
/// variables.
const MAX_CHOICES: usize = 64;

/// All links that the modes for a target allow.
#[derive(Debug)]
pub(super) struct Links<'a> {
    pub all: Vec<Link>,
    modes: Vec<&'a Mode>,
    has_limits: bool,
}

impl<'a> Links<'a> {
    /// Builds the links between variables, and with `to_constants` also those that end in a
    /// constant.
    ///
    /// With `compares`, numeric arguments are never constants.
    pub fn new(database: &'a Database, target: PredicateId, to_constants: bool, compares: bool) -> Self {
        let is_recursive = is_recursive(database, target);
        let is_for = |mode: &&Mode| {
            let for_target = mode.target.is_none_or(|only| only == target);
            (mode.predicate != target || is_recursive) && mode.predicate.comparison().is_none() && for_target
        };
        let modes: Vec<&Mode> = database.schema.modes().iter().filter(is_for).collect();
        let mut found: IndexMap<LinkShape, Vec<LinkUse>> = IndexMap::default();
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
        let reverse = |shape: &LinkShape| {
            let reversed = shape.to.map(|to| LinkShape { from: to, to: Some(shape.from), ..shape.clone() });
            // A link that ends a chain is never traversed in reverse.
            reversed.and_then(|reversed| found.get_index_of(&reversed)).unwrap_or(usize::MAX)
        };
        let link = |(shape, uses): (&LinkShape, &Vec<LinkUse>)| Link {
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

    /// Returns the literals of a chain from one head variable to another, or to a constant; new
    /// variables are numbered from `next` on.
    pub fn literals(&self, chain: &[ChainLink], first: u32, last: Option<u32>, mut next: u32) -> Vec<Literal> {
        let mut new = || {
            next += 1;
            Argument::Variable(Variable(next - 1))
        };
        let mut entered = Argument::Variable(Variable(first));
        let mut literals = Vec::with_capacity(chain.len());
        for (at, link) in chain.iter().enumerate() {
            let LinkShape { predicate, from, to, constants } = &self.all[link.link].shape;
            let left = match last {
                Some(last) if at + 1 == chain.len() => Some(Argument::Variable(Variable(last))),
                _ => to.map(|_| new()),
            };
            let arity = self.modes[self.all[link.link].uses[0].mode].args.len();
            let arg = |k: usize| match constants.iter().position(|&(position, _)| position == k) {
                Some(index) => Argument::Constant(link.constants[index]),
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

    /// Returns the same literal entered at its other end.
    pub fn reversed(&self, link: ChainLink) -> ChainLink {
        ChainLink { link: self.all[link.link].reverse, ..link }
    }

    /// Returns whether a well-typed chain also keeps the occurrence limits of its modes.
    ///
    /// A mode is usable only if all literals of the chain together are within its limits.
    pub fn within_mode_limits(
        &self,
        chain: &[ChainLink],
        literals: &[Literal],
        first: TypeId,
        last: Option<TypeId>,
    ) -> bool {
        if !self.has_limits {
            return true;
        }
        let mut entered = vec![LinkEnd::head(first)];
        for (at, link) in chain.iter().enumerate() {
            let mut left = Vec::new();
            let uses = self.all[link.link].uses.iter();
            for used in uses.filter(|used| entered.contains(&used.from) && self.is_within(used.mode, at, literals)) {
                match used.to {
                    None => return true,
                    Some(end) if at + 1 == chain.len() && Some(end) == last.map(LinkEnd::head) => return true,
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

/// Returns the shapes that a mode allows between two of its arguments, each with its uses.
fn shapes(
    mode: &Mode,
    from: usize,
    to: Option<usize>,
    number: usize,
    compared: &[bool],
) -> Vec<(LinkShape, Vec<LinkUse>)> {
    let mut uses = Vec::new();
    for from in ends(&mode.args[from]) {
        match to {
            None => uses.push(LinkUse { from, to: None, mode: number }),
            Some(to) => uses.extend(ends(&mode.args[to]).map(|to| LinkUse { from, to: Some(to), mode: number })),
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
        let constant = constant && (!variable || choices.len() < MAX_CHOICES);
        let with = |chosen: &Vec<_>| [&chosen[..], &[(k, slot.constant)]].concat();
        let with_constant: Vec<_> = choices.iter().filter(|_| constant).map(with).collect();
        if !variable {
            choices.clear();
        }
        choices.extend(with_constant);
    }
    if to.is_none() {
        choices.retain(|constants| !constants.is_empty());
    }
    let shape = |constants| LinkShape { predicate: mode.predicate, from, to, constants };
    choices.into_iter().map(|constants| (shape(constants), uses.clone())).collect()
}

/// Returns the possible roles of an argument in a chain.
fn ends(slot: &ModeSlot) -> impl Iterator<Item = LinkEnd> + use<> {
    let symbol = slot.symbol;
    let type_id = slot.type_id;
    let fits = move |role: Role| match role {
        // A variable of a chain occurs in two literals, or in the head and a literal.
        _ if symbol == ModeSymbol::Once => false,
        Role::Head => symbol.may_reuse() && !matches!(symbol, ModeSymbol::NotHead | ModeSymbol::InBody),
        Role::Bound => symbol.may_reuse(),
        Role::New => symbol.may_be_new(),
    };
    let roles = [Role::Head, Role::Bound, Role::New].into_iter();
    roles.filter(move |&role| fits(role)).map(move |role| LinkEnd { type_id, role })
}

//! Refinements of a base, grouped by their interfaces.

use hashbrown::HashTable;

use super::bits::Bits;
use super::conjunction::{KeyArg, KeyLiteral};
use super::groups::TimeLimits;
use super::matches::{CONSTANT, FRESH, KIND, PREDICATE, hash};
use crate::determinism::HashMap;
use crate::logic::{Argument, Literal, PredicateId, Variable};

/// The maximum number of variables of a base: sets of them are words.
pub(super) const MAX_SLOTS: usize = 63;

/// A list of positive literals.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiteralList {
    predicates: Vec<PredicateId>,
    args: Vec<Argument>,
    /// The end of the arguments of each literal.
    ends: Vec<u32>,
}

impl LiteralList {
    pub fn push(&mut self, predicate: PredicateId, args: &[Argument]) {
        self.predicates.push(predicate);
        self.args.extend_from_slice(args);
        self.ends.push(self.args.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, i: usize) -> (PredicateId, &[Argument]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (self.predicates[i], &self.args[start..self.ends[i] as usize])
    }
}

/// The examples that a refinement covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refinement {
    /// No example.
    Empty,
    /// The examples of a row of [`Refined`].
    Row(u32),
    /// Not decided within the bound on the effort; inside one of the bounds of [`Refined`].
    Undecided(u32),
}

/// The examples that the refinements of a base cover.
#[derive(Debug, Default)]
pub(crate) struct Refined {
    /// Distinct sets, none of them empty.
    pub rows: Vec<Bits>,
    /// One for each refinement.
    pub of: Vec<Refinement>,
    /// Sets that include the examples of undecided refinements.
    pub bounds: Vec<Bits>,
}

/// A base with its variables numbered: first those of the head, then its own.
pub(super) struct Base {
    pub literals: Vec<KeyLiteral>,
    pub locals: Vec<Variable>,
    /// The head variables it mentions, as bits.
    pub heads: u64,
}

/// The refinements with the same interface.
pub(super) struct Interface {
    /// The variables, as bits.
    pub slots: u64,
    /// The patterns of the literals, one after the other.
    pub patterns: Vec<u64>,
    /// The index of each refinement.
    pub members: Vec<u32>,
}

impl Interface {
    /// Returns the number of the interner for its tuples: by their width, and whether a time limit
    /// belongs to them.
    pub fn space(&self, limits: &TimeLimits) -> usize {
        let is_limited = limits.values.iter().any(Option::is_some);
        2 * self.slots.count_ones() as usize + usize::from(is_limited)
    }
}

impl Base {
    pub fn new(literals: &[&Literal], arity: usize) -> Option<Self> {
        let (mut locals, mut heads): (Vec<Variable>, u64) = (Vec::new(), 0);
        let mut arg = |arg: &Argument| match *arg {
            Argument::Variable(v) if (v.0 as usize) < arity => {
                heads |= 1u64.checked_shl(v.0).unwrap_or(0);
                KeyArg::Head(v.0)
            }
            Argument::Variable(v) => {
                let place = locals.iter().position(|&local| local == v).unwrap_or_else(|| {
                    locals.push(v);
                    locals.len() - 1
                });
                KeyArg::Local(place as u32)
            }
            Argument::Constant(constant) => KeyArg::Constant(constant.id()),
            Argument::Number(number) => KeyArg::Number(number.bits()),
        };
        let mut literal = |literal: &&Literal| KeyLiteral {
            negated: literal.negated,
            predicate: literal.predicate,
            args: literal.args.iter().map(&mut arg).collect(),
        };
        let literals = literals.iter().map(&mut literal).collect();
        (arity + locals.len() <= MAX_SLOTS).then_some(Base { literals, locals, heads })
    }

    /// Returns the number of a variable, unless it is new.
    fn slot(&self, variable: Variable, arity: usize) -> Option<usize> {
        if (variable.0 as usize) < arity {
            return Some(variable.0 as usize);
        }
        self.locals.iter().position(|&local| local == variable).map(|place| arity + place)
    }

    /// Groups the refinements by their interfaces, those with fewer variables first.
    pub fn interfaces(
        &self,
        literals: &LiteralList,
        chosen: &[u32],
        arity: usize,
    ) -> (Vec<Interface>, Generalizations) {
        let (mut interfaces, mut generalizations): (Vec<Interface>, _) = (Vec::new(), Generalizations::default());
        let mut by_slots: HashMap<u64, usize> = HashMap::default();
        let (mut args, mut fresh): (Vec<Result<usize, u64>>, Vec<Variable>) = (Vec::new(), Vec::new());
        for (number, &i) in chosen.iter().enumerate() {
            let (predicate, of_literal) = literals.get(i as usize);
            args.clear();
            fresh.clear();
            let mut slots = 0u64;
            for arg in of_literal {
                args.push(match *arg {
                    Argument::Variable(v) => match self.slot(v, arity) {
                        Some(slot) => {
                            slots |= 1 << slot;
                            Ok(slot)
                        }
                        None => {
                            let place = fresh.iter().position(|&other| other == v).unwrap_or_else(|| {
                                fresh.push(v);
                                fresh.len() - 1
                            });
                            Err(FRESH | place as u64)
                        }
                    },
                    Argument::Constant(constant) => Err(CONSTANT | u64::from(constant.id())),
                    Argument::Number(_) => Err(CONSTANT | u64::from(u32::MAX)),
                });
            }
            let interface = *by_slots.entry(slots).or_insert_with(|| {
                interfaces.push(Interface { slots, patterns: Vec::new(), members: Vec::new() });
                interfaces.len() - 1
            });
            let interface = &mut interfaces[interface];
            interface.members.push(number as u32);
            interface.patterns.push(PREDICATE | u64::from(predicate.0));
            let word = |arg: &Result<usize, u64>| match *arg {
                Ok(slot) => u64::from((slots & ((1 << slot) - 1)).count_ones()),
                Err(word) => word,
            };
            interface.patterns.extend(args.iter().map(word));
            let absolute = |arg: &Result<usize, u64>| arg.map_or_else(|word| word, |slot| slot as u64);
            generalizations.push([PREDICATE | u64::from(predicate.0)].into_iter().chain(args.iter().map(absolute)));
        }
        interfaces.sort_by_key(|interface| interface.slots.count_ones());
        (interfaces, generalizations)
    }
}

/// Refinements by their literals, to find those that are more general than others: with a new
/// variable in place of a bound one. Coverage is anti-monotone, so they cover no fewer examples.
#[derive(Default)]
pub(super) struct Generalizations {
    /// The words of each literal, with the numbers of bound variables.
    words: Vec<u64>,
    /// The end of the words of each literal.
    ends: Vec<u32>,
    by_words: HashTable<u32>,
}

impl Generalizations {
    fn push(&mut self, words: impl IntoIterator<Item = u64>) {
        let start = self.words.len();
        self.words.extend(words);
        self.ends.push(self.words.len() as u32);
        let (words, ends) = (&self.words, &self.ends);
        let of = |member: u32| {
            let start = if member == 0 { 0 } else { ends[member as usize - 1] as usize };
            hash(&words[start..ends[member as usize] as usize])
        };
        // Of equal literals the last is found.
        self.by_words.insert_unique(hash(&words[start..]), ends.len() as u32 - 1, |&member| of(member));
    }

    fn words(&self, member: u32) -> &[u64] {
        let start = if member == 0 { 0 } else { self.ends[member as usize - 1] as usize };
        &self.words[start..self.ends[member as usize] as usize]
    }

    /// Returns the examples inside `within` that some of these refinements may cover, given the
    /// answers so far; `None` if that is all of them.
    pub fn bound(&self, members: &[u32], within: &Bits, refined: &Refined) -> Option<Bits> {
        let mut all: Option<Bits> = None;
        let mut general: Vec<u64> = Vec::new();
        for &member in members {
            let words = self.words(member);
            let mut own: Option<Bits> = None;
            let mut is_empty = false;
            for k in 1..words.len() {
                let is_single = words[k] & KIND == 0 && words.iter().filter(|&&word| word == words[k]).count() == 1;
                if !is_single {
                    continue;
                }
                general.clear();
                general.extend_from_slice(words);
                general[k] = FRESH | u64::from(u32::MAX);
                rename_fresh(&mut general);
                let found = self.by_words.find(hash(&general), |&other| self.words(other) == general);
                let Some(&other) = found else { continue };
                match refined.of[other as usize] {
                    Refinement::Empty => is_empty = true,
                    Refinement::Row(row) => match &mut own {
                        Some(own) => own.and_assign(&refined.rows[row as usize]),
                        None => own = Some(refined.rows[row as usize].clone()),
                    },
                    Refinement::Undecided(_) => {}
                }
            }
            let own = if is_empty { Bits::zeros(within.len()) } else { own? };
            match &mut all {
                Some(all) => all.or_assign(&own),
                None => all = Some(own),
            }
        }
        all
    }
}

/// Numbers the new variables of a literal by first occurrence.
fn rename_fresh(words: &mut [u64]) {
    let (mut names, mut named) = ([0; MAX_SLOTS], 0);
    for word in words.iter_mut().filter(|word| **word & KIND == FRESH) {
        let name = names[..named].iter().position(|name| name == word).unwrap_or_else(|| {
            names[named] = *word;
            named += 1;
            named - 1
        });
        *word = FRESH | name as u64;
    }
}

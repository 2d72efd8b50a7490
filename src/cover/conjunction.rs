//! Encoding of conjunctions, their connected components and normal forms.
//!
//! Literals that share only head variables are independent given the head, so the components of a
//! conjunction are searched one by one.

use crate::logic::{Argument, Literal, PredicateId};

/// The normal form of a component: for each literal one word for the predicate and one per
/// argument.
///
/// Components with the same key are equal up to the names of variables and the order of literals.
/// The converse nearly always holds; where it does not, a component is searched twice.
pub(crate) type ComponentKey = Box<[u64]>;

const CONSTANT: u64 = 1 << 32;
const LOCAL: u64 = 2 << 32;
const PREDICATE: u64 = 3 << 32;
const NEGATED: u64 = 1 << 34;
/// Marks the halves of a number in a comparison, the high one first.
const HIGH: u64 = 1 << 35;
const LOW: u64 = 1 << 36;
const KIND: u64 = 3 << 32;

/// A decoded argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum KeyArg {
    /// A head variable.
    Head(u32),
    /// The id of a constant.
    Constant(u32),
    /// The bits of a number in a comparison.
    Number(u64),
    /// Any other variable, numbered from 0.
    Local(u32),
}

/// A decoded literal of a component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KeyLiteral {
    pub negated: bool,
    pub predicate: PredicateId,
    pub args: Vec<KeyArg>,
}

/// The number of local variables up to which they are few.
const MAX_FEW_LOCALS: usize = 16;

/// The initial capacities of an encoded conjunction.
const FEW_WORDS: usize = 24;
const MAX_FEW_LITERALS: usize = 7;
const FEW_NAMES: usize = 8;

/// A local variable that has no number yet.
const UNNAMED: u32 = u32::MAX;

/// A local variable that has no image yet.
const UNMAPPED: u64 = u64::MAX;

/// The maximum number of literals of which implied ones are omitted, and of their words: sets of
/// either are words.
const MAX_FOLDED: usize = 24;
const MAX_FOLDED_WORDS: usize = 64;

/// The maximum number of pairs of literals that are compared to omit one.
const MAX_FOLD_STEPS: usize = 256;

/// A conjunction encoded as words, with its local (non-head) variables numbered from 0.
pub(crate) struct EncodedConjunction {
    words: Vec<u64>,
    /// The start of each literal, followed by the number of words.
    starts: Vec<usize>,
    locals: usize,
}

impl EncodedConjunction {
    pub fn new<'l>(conjunction: impl Iterator<Item = &'l Literal>, arity: usize) -> Self {
        // Most conjunctions fit, so nothing grows.
        let (mut words, mut starts) = (Vec::with_capacity(FEW_WORDS), Vec::with_capacity(MAX_FEW_LITERALS + 1));
        let mut names = Vec::with_capacity(FEW_NAMES);
        starts.push(0);
        for literal in conjunction {
            let negated = if literal.negated { NEGATED } else { 0 };
            words.push(PREDICATE | negated | u64::from(literal.predicate.0));
            for arg in &literal.args {
                let word = match arg {
                    Argument::Number(number) => {
                        words.push(CONSTANT | HIGH | number.bits() >> 32);
                        CONSTANT | LOW | number.bits() & u64::from(u32::MAX)
                    }
                    Argument::Constant(constant) => CONSTANT | u64::from(constant.id()),
                    Argument::Variable(v) if (v.0 as usize) < arity => u64::from(v.0),
                    Argument::Variable(v) => {
                        let place = names.iter().position(|name| name == v).unwrap_or_else(|| {
                            names.push(*v);
                            names.len() - 1
                        });
                        LOCAL | place as u64
                    }
                };
                words.push(word);
            }
            starts.push(words.len());
        }
        EncodedConjunction { words, starts, locals: names.len() }
    }

    pub fn literals(&self) -> usize {
        self.starts.len() - 1
    }

    fn literal(&self, i: usize) -> &[u64] {
        &self.words[self.starts[i]..self.starts[i + 1]]
    }

    pub(super) fn is_negated(&self, i: usize) -> bool {
        self.literal(i)[0] & NEGATED != 0
    }

    /// Returns whether a literal only filters substitutions: it is negated or a comparison.
    fn is_filter(&self, i: usize) -> bool {
        self.is_negated(i) || PredicateId(self.literal(i)[0] as u32).comparison().is_some()
    }

    /// Returns whether every local variable of a negated literal or comparison among `members` is
    /// bound by another of them. Otherwise removing a literal could reduce the coverage.
    pub(super) fn checks_are_bound(&self, members: &[usize]) -> bool {
        let locals = |i: usize| self.literal(i)[1..].iter().filter(|&word| word & KIND == LOCAL);
        let bound = |word: &u64| members.iter().any(|&i| !self.is_filter(i) && locals(i).any(|other| other == word));
        members.iter().filter(|&&i| self.is_filter(i)).all(|&i| locals(i).all(bound))
    }

    /// Splits `members` into connected components, each in the given order, ordered by their first
    /// literal.
    ///
    /// A local variable that occurs only in negated literals and comparisons connects nothing: each
    /// such literal is on its own.
    pub fn components(&self, members: &[usize]) -> Vec<Vec<usize>> {
        // The component of each local variable of a positive literal.
        const NONE: usize = usize::MAX;
        let mut owner = vec![NONE; self.locals];
        let mut parent: Vec<usize> = (0..members.len()).collect();
        for positive in [true, false] {
            for (at, &i) in members.iter().enumerate().filter(|&(_, &i)| self.is_filter(i) != positive) {
                for word in self.literal(i)[1..].iter().filter(|&word| word & KIND == LOCAL) {
                    let owner = &mut owner[(word & u64::from(u32::MAX)) as usize];
                    match *owner {
                        NONE if positive => *owner = at,
                        NONE => {}
                        other => {
                            let (a, b) = (root(&parent, at), root(&parent, other));
                            parent[a.max(b)] = a.min(b);
                        }
                    }
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut place = vec![NONE; members.len()];
        for (at, &i) in members.iter().enumerate() {
            let root = root(&parent, at);
            if place[root] == NONE {
                place[root] = groups.len();
                groups.push(Vec::new());
            }
            groups[place[root]].push(i);
        }
        groups
    }

    /// Returns the members that remain if literals are omitted as long as the others imply them, in
    /// the given order: a component that covers the same examples.
    ///
    /// A literal is implied if a substitution of local variables maps all members to the others:
    /// `p(X, V), p(W, V)` with local `V` and `W` is equivalent to `p(X, V)`. The last literals are
    /// omitted first. Counts of groundings differ. Members with a negated literal or a comparison
    /// are returned as they are.
    pub(super) fn minimal(&self, members: &[usize]) -> Vec<usize> {
        let mut minimal = members.to_vec();
        let is_excluded = |&i: &usize| self.is_filter(i) || self.literal(i).len() > MAX_FOLDED_WORDS;
        if !(2..=MAX_FOLDED).contains(&members.len()) || members.iter().any(is_excluded) {
            return minimal;
        }
        let mut image = vec![UNMAPPED; self.locals];
        // What is not implied by all others is not implied by some of them either.
        for at in (0..members.len()).rev() {
            let omitted = members[at];
            let is_same = |&other: &usize| self.literal(other)[0] == self.literal(omitted)[0];
            if minimal.iter().filter(|other| is_same(other)).count() < 2 {
                continue;
            }
            let mut fold =
                Fold { conjunction: self, members: &minimal, omitted, image: &mut image, mapped: 0, steps: 0 };
            if fold.map(at) {
                minimal.remove(at);
                image.fill(UNMAPPED);
            }
        }
        minimal
    }

    /// Returns the normal form of some literals.
    ///
    /// Literals are sorted by a hash that ignores names, by color refinement: variables are colored
    /// by the positions at which they occur, literals by the colors of their variables, for a few
    /// rounds.
    pub fn key(&self, members: &[usize]) -> ComponentKey {
        let mut members = members.to_vec();
        if members.len() > 1 {
            let mut buffer = vec![0u64; 2 * self.locals];
            let (mut colors, mut next) = buffer.split_at_mut(self.locals);
            let mut signatures = vec![0; self.literals()];
            for _ in 0..members.len().min(4) {
                next.fill(0);
                for &i in &members {
                    signatures[i] = self.signature(i, colors);
                    for (place, word) in self.literal(i).iter().enumerate().filter(|(_, word)| **word & KIND == LOCAL) {
                        let color = &mut next[(word & u64::from(u32::MAX)) as usize];
                        *color = color.wrapping_add(mix(signatures[i], place as u64));
                    }
                }
                std::mem::swap(&mut colors, &mut next);
            }
            for &i in &members {
                signatures[i] = self.signature(i, colors);
            }
            members.sort_by_key(|&i| signatures[i]);
        }
        self.renamed(&members).into()
    }

    /// Returns the exact normal form of all literals by trying every order; for few literals only.
    pub fn exact_key(&self) -> ComponentKey {
        if self.literals() == 1 {
            return self.renamed(&[0]).into();
        }
        let mut best: Option<Vec<u64>> = None;
        let mut order: Vec<usize> = (0..self.literals()).collect();
        self.try_orders(&mut order, 0, &mut best);
        best.unwrap_or_default().into()
    }

    fn try_orders(&self, order: &mut Vec<usize>, fixed: usize, best: &mut Option<Vec<u64>>) {
        if fixed + 1 >= order.len() {
            let key = self.renamed(order);
            if best.as_ref().is_none_or(|best| key < *best) {
                *best = Some(key);
            }
            return;
        }
        for i in fixed..order.len() {
            order.swap(fixed, i);
            self.try_orders(order, fixed + 1, best);
            order.swap(fixed, i);
        }
    }

    /// Returns the literals in this order, with local variables numbered by first occurrence.
    pub fn renamed(&self, order: &[usize]) -> Vec<u64> {
        let (mut few, mut many) = ([UNNAMED; MAX_FEW_LOCALS], Vec::new());
        // Most conjunctions have few variables, and their names need no allocation.
        let names = if self.locals <= MAX_FEW_LOCALS {
            &mut few[..]
        } else {
            many.resize(self.locals, UNNAMED);
            &mut many[..]
        };
        let mut next = 0;
        let mut key = Vec::with_capacity(self.words.len());
        for &word in order.iter().flat_map(|&i| self.literal(i)) {
            if word & KIND != LOCAL {
                key.push(word);
                continue;
            }
            let name = &mut names[(word & u64::from(u32::MAX)) as usize];
            if *name == UNNAMED {
                *name = next;
                next += 1;
            }
            key.push(LOCAL | u64::from(*name));
        }
        key
    }

    /// Returns the words of all these literals but the last, and those of the last, with local
    /// variables numbered by first occurrence; `None` if there is no literal or any of them is
    /// negated or a comparison.
    pub(super) fn split_last(&self, members: &[usize]) -> Option<(ComponentKey, Vec<u64>)> {
        let last = *members.last().filter(|_| !members.iter().any(|&i| self.is_filter(i)))?;
        let mut words = self.renamed(members);
        let last = words.split_off(words.len() - self.literal(last).len());
        Some((words.into(), last))
    }

    /// Returns the number of local variables of a normal form, which are numbered from 0.
    pub(super) fn locals_of(key: &[u64]) -> u32 {
        key.iter().filter(|&word| word & KIND == LOCAL).map(|&word| word as u32 + 1).max().unwrap_or(0)
    }

    fn signature(&self, i: usize, colors: &[u64]) -> u64 {
        let literal = self.literal(i);
        literal.iter().fold(0, |hash, &word| match word & KIND {
            LOCAL => {
                // The first occurrence in the literal, so that p(X, X) and p(X, Y) differ.
                let first = literal.iter().position(|&other| other == word).unwrap_or(0);
                mix(mix(hash, LOCAL | first as u64), colors[(word & u64::from(u32::MAX)) as usize])
            }
            _ => mix(hash, word),
        })
    }
}

/// The search for a substitution that maps literals to those other than an omitted one.
///
/// A variable without an image is mapped to itself, so only literals with a variable that changes
/// have to be matched.
struct Fold<'f> {
    conjunction: &'f EncodedConjunction,
    members: &'f [usize],
    omitted: usize,
    /// The image of each local variable.
    image: &'f mut [u64],
    /// The members that are matched, as bits.
    mapped: u64,
    steps: usize,
}

impl Fold<'_> {
    /// Maps a member, and then all others that this affects; returns whether that is possible. The
    /// images are undone otherwise. A search that takes too long fails.
    fn map(&mut self, at: usize) -> bool {
        let conjunction = self.conjunction;
        let literal = conjunction.literal(self.members[at]);
        self.mapped |= 1 << at;
        let (members, omitted) = (self.members, self.omitted);
        for &target in members.iter().filter(|&&target| target != omitted) {
            let target = conjunction.literal(target);
            if target[0] != literal[0] || target.len() != literal.len() {
                continue;
            }
            self.steps += 1;
            if self.steps > MAX_FOLD_STEPS {
                break;
            }
            let mut changed = 0u64;
            let matches = literal.iter().zip(target).enumerate().skip(1).all(|(place, (&word, &value))| {
                if word & KIND != LOCAL {
                    return word == value;
                }
                let image = &mut self.image[(word & u64::from(u32::MAX)) as usize];
                if *image == UNMAPPED {
                    *image = value;
                    changed |= 1 << place;
                }
                *image == value
            });
            if matches && self.map_affected() {
                return true;
            }
            for (_, &word) in literal.iter().enumerate().filter(|(place, _)| changed >> place & 1 == 1) {
                self.image[(word & u64::from(u32::MAX)) as usize] = UNMAPPED;
            }
        }
        self.mapped &= !(1 << at);
        false
    }

    /// Maps the members with a variable that changes.
    fn map_affected(&mut self) -> bool {
        let is_affected = |&at: &usize| {
            let literal = self.conjunction.literal(self.members[at]);
            let image = |word: &u64| self.image[(word & u64::from(u32::MAX)) as usize];
            self.mapped >> at & 1 == 0
                && literal[1..].iter().any(|word| word & KIND == LOCAL && ![UNMAPPED, *word].contains(&image(word)))
        };
        match (0..self.members.len()).find(is_affected) {
            Some(at) => self.map(at),
            None => true,
        }
    }
}

fn root(parent: &[usize], mut at: usize) -> usize {
    while parent[at] != at {
        at = parent[at];
    }
    at
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

/// Decodes the literals of a key.
pub(super) fn decode(key: &[u64]) -> Vec<KeyLiteral> {
    let mut literals: Vec<KeyLiteral> = Vec::new();
    for &word in key {
        let low = word as u32;
        let arg = match word & KIND {
            PREDICATE => {
                literals.push(KeyLiteral {
                    negated: word & NEGATED != 0,
                    predicate: PredicateId(low),
                    args: Vec::new(),
                });
                continue;
            }
            CONSTANT if word & HIGH != 0 => KeyArg::Number(u64::from(low) << 32),
            CONSTANT if word & LOW != 0 => {
                if let Some(KeyArg::Number(bits)) = literals.last_mut().and_then(|literal| literal.args.last_mut()) {
                    *bits |= u64::from(low);
                }
                continue;
            }
            CONSTANT => KeyArg::Constant(low),
            LOCAL => KeyArg::Local(low),
            _ => KeyArg::Head(low),
        };
        if let Some(literal) = literals.last_mut() {
            literal.args.push(arg);
        }
    }
    literals
}

/// Returns whether a key has a negated literal.
pub(super) fn has_negation(key: &[u64]) -> bool {
    key.iter().any(|&word| word & KIND == PREDICATE && word & NEGATED != 0)
}

/// Returns whether a key has a literal of the predicate.
pub(super) fn mentions(key: &[u64], predicate: PredicateId) -> bool {
    key.iter().any(|&word| word & KIND == PREDICATE && word as u32 == predicate.0)
}

/// Returns the distinct head variables of a key in ascending order.
pub(crate) fn head_variables(key: &[u64]) -> Vec<u32> {
    let mut heads: Vec<u32> = key.iter().filter(|&word| word & KIND == 0).map(|&word| word as u32).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::{Comparison, Constant, Number, Variable};

    /// Builds a literal; negative arguments are variables counting from −1, others are constants.
    fn literal(negated: bool, predicate: u32, args: &[i32]) -> Literal {
        let arg = |&a: &i32| match u32::try_from(a) {
            Ok(id) => Argument::Constant(Constant::from_id(id)),
            Err(_) => Argument::Variable(Variable(a.unsigned_abs() - 1)),
        };
        Literal { negated, predicate: PredicateId(predicate), args: args.iter().map(arg).collect() }
    }

    fn key_of(literals: &[Literal]) -> ComponentKey {
        let encoded = EncodedConjunction::new(literals.iter(), 2);
        encoded.key(&(0..literals.len()).collect::<Vec<_>>())
    }

    fn components_of(literals: &[Literal]) -> Vec<Vec<usize>> {
        EncodedConjunction::new(literals.iter(), 2).components(&(0..literals.len()).collect::<Vec<_>>())
    }

    #[test]
    fn head_variables_and_constants_connect_nothing() {
        let literals = [
            literal(false, 0, &[-1, -3]),
            literal(false, 0, &[-1, 7]),
            literal(false, 1, &[-4, -2]),
            literal(false, 2, &[-3, 7]),
        ];
        assert_eq!(components_of(&literals), [vec![0, 3], vec![1], vec![2]]);
    }

    #[test]
    fn negated_literals_connect_positive_ones_but_not_each_other() {
        // p(C), q(D), not r(C, D): one component. not s(E), not t(E): two.
        let literals = [
            literal(false, 0, &[-3]),
            literal(true, 2, &[-3, -4]),
            literal(true, 3, &[-5]),
            literal(false, 1, &[-4]),
            literal(true, 4, &[-5]),
        ];
        assert_eq!(components_of(&literals), [vec![0, 1, 3], vec![2], vec![4]]);
    }

    #[test]
    fn keys_ignore_variable_names_and_literal_order() {
        let one = [literal(false, 0, &[-3, -1]), literal(false, 0, &[-3, -4]), literal(true, 1, &[-4, 9])];
        let other = [literal(true, 1, &[-9, 9]), literal(false, 0, &[-7, -9]), literal(false, 0, &[-7, -1])];
        assert_eq!(key_of(&one), key_of(&other));
        let swapped = [literal(true, 1, &[-9, 9]), literal(false, 0, &[-7, -1]), literal(false, 0, &[-9, -7])];
        assert_ne!(key_of(&one), key_of(&swapped));
        assert_ne!(key_of(&[literal(false, 0, &[-3, -3])]), key_of(&[literal(false, 0, &[-3, -4])]));
    }

    /// Returns the literals that remain if implied ones are omitted; variables up to −2 are those
    /// of the head.
    fn minimal(literals: &[&[i32]]) -> Vec<usize> {
        let literals: Vec<Literal> = literals.iter().map(|args| literal(false, args[0] as u32, &args[1..])).collect();
        EncodedConjunction::new(literals.iter(), 2).minimal(&(0..literals.len()).collect::<Vec<_>>())
    }

    #[test]
    fn implied_literals_are_omitted() {
        // p(A, C), p(D, C): D may be A.
        assert_eq!(minimal(&[&[0, -1, -3], &[0, -4, -3]]), [0]);
        // The other way round, the first is implied.
        assert_eq!(minimal(&[&[0, -4, -3], &[0, -1, -3]]), [1]);
        // Two equal chains from A, and one to B that differs.
        assert_eq!(minimal(&[&[0, -1, -3], &[1, -3, -4], &[0, -1, -5], &[1, -5, -6]]), [0, 1]);
        assert_eq!(minimal(&[&[0, -1, -3], &[1, -3, -4], &[0, -1, -5], &[1, -5, -2]]), [2, 3]);
        // A chain of two is no shorter one, a loop is a chain of any length.
        assert_eq!(minimal(&[&[0, -1, -3], &[0, -3, -4]]), [0, 1]);
        assert_eq!(minimal(&[&[0, -3, -3], &[0, -3, -4], &[0, -4, -5]]), [0]);
        // Constants, head variables and other predicates imply nothing.
        assert_eq!(minimal(&[&[0, -1, 7], &[0, -1, 8], &[0, -2, 7], &[1, -1, 7]]), [0, 1, 2, 3]);
        assert_eq!(minimal(&[&[0, -1, 7], &[0, -1, -3]]), [0]);
        // Equal literals.
        assert_eq!(minimal(&[&[0, -1, -2], &[0, -1, -2]]), [0]);
    }

    #[test]
    fn negated_literals_are_not_omitted() {
        let literals = [literal(false, 0, &[-1, -3]), literal(false, 0, &[-1, -4]), literal(true, 1, &[-4])];
        assert_eq!(EncodedConjunction::new(literals.iter(), 2).minimal(&[0, 1, 2]), [0, 1, 2]);
    }

    #[test]
    fn decoding_inverts_encoding() {
        let key = key_of(&[literal(true, 5, &[-2, -6, 8, -6])]);
        let args = vec![KeyArg::Head(1), KeyArg::Local(0), KeyArg::Constant(8), KeyArg::Local(0)];
        assert_eq!(decode(&key), [KeyLiteral { negated: true, predicate: PredicateId(5), args }]);
        assert_eq!(head_variables(&key), [1]);
        let compared =
            |x| Literal::compare(Argument::Variable(Variable(4)), Comparison::Above, Argument::Number(Number::new(x)));
        let key = key_of(&[compared(-0.1)]);
        let args = vec![KeyArg::Local(0), KeyArg::Number((-0.1f64).to_bits())];
        assert_eq!(decode(&key), [KeyLiteral { negated: false, predicate: PredicateId::ABOVE, args }]);
        assert_ne!(key, key_of(&[compared(-0.1 - 1e-17 - f64::EPSILON)]));
    }

    #[test]
    fn comparisons_connect_bound_variables_and_bind_none() {
        let compare = |a: u32, b: u32| {
            Literal::compare(Argument::Variable(Variable(a)), Comparison::AtMost, Argument::Variable(Variable(b)))
        };
        // p(A, C), p(B, D), C <= D: one component. E <= F: both unbound.
        let literals = [literal(false, 0, &[-1, -3]), literal(false, 0, &[-2, -4]), compare(2, 3), compare(4, 5)];
        assert_eq!(components_of(&literals), [vec![0, 1, 2], vec![3]]);
        let encoded = EncodedConjunction::new(literals.iter(), 2);
        assert!(
            encoded.checks_are_bound(&[0, 1, 2])
                && !encoded.checks_are_bound(&[0, 2])
                && encoded.checks_are_bound(&[1])
        );
    }
}

//! Conjunctions in pieces: literals that share no variable but those of the head can be asked for one by one.

use crate::logic::{Argument, Literal, PredicateId};

/// A component in normal form: literal after literal, each a word for the predicate and one for each argument.
///
/// Two components with the same key are the same up to the names of variables and the order of literals. The converse
/// holds nearly always; where it does not, something is found twice, and nothing goes wrong.
pub(crate) type Key = Box<[u64]>;

const CONSTANT: u64 = 1 << 32;
const LOCAL: u64 = 2 << 32;
const PREDICATE: u64 = 3 << 32;
const NEGATED: u64 = 1 << 34;
/// Marks the halves of a number that is compared with, the high one first.
const HIGH: u64 = 1 << 35;
const LOW: u64 = 1 << 36;
const KIND: u64 = 3 << 32;

/// An argument, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// A variable of the head.
    Head(u32),
    /// The id of a constant.
    Constant(u32),
    /// The bits of a number that is compared with.
    Number(u64),
    /// Any other variable, numbered from 0.
    Local(u32),
}

/// A literal of a component, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyLiteral {
    pub negated: bool,
    pub predicate: PredicateId,
    pub args: Vec<Arg>,
}

/// A conjunction as words, with its variables numbered from 0 where they are not of the head.
pub(crate) struct Flat {
    words: Vec<u64>,
    /// Where each literal starts, and the number of words.
    starts: Vec<usize>,
    locals: usize,
}

impl Flat {
    pub fn new<'l>(conjunction: impl Iterator<Item = &'l Literal>, arity: usize) -> Self {
        let (mut words, mut starts, mut names) = (Vec::new(), vec![0], Vec::new());
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
        Flat { words, starts, locals: names.len() }
    }

    pub fn literals(&self) -> usize {
        self.starts.len() - 1
    }

    fn literal(&self, i: usize) -> &[u64] {
        &self.words[self.starts[i]..self.starts[i + 1]]
    }

    pub fn is_negated(&self, i: usize) -> bool {
        self.literal(i)[0] & NEGATED != 0
    }

    /// Whether a literal only tests a substitution: it is negated, or a comparison.
    fn is_check(&self, i: usize) -> bool {
        self.is_negated(i) || PredicateId(self.literal(i)[0] as u32).comparison().is_some()
    }

    /// Whether every variable of a comparison among these literals that is not of the head stands in another literal that binds
    /// it. Without that, fewer literals could hold less often.
    pub fn compares_bound(&self, members: &[usize]) -> bool {
        let locals = |i: usize| self.literal(i)[1..].iter().filter(|&word| word & KIND == LOCAL);
        let bound = |word: &u64| members.iter().any(|&i| !self.is_check(i) && locals(i).any(|other| other == word));
        members.iter().filter(|&&i| self.is_check(i)).all(|&i| locals(i).all(bound))
    }

    /// The literals in `members` that hang together, each group in the order given, groups by their first literal.
    ///
    /// Variables that only negated literals and comparisons mention tie nothing together: there, each literal stands for itself.
    pub fn components(&self, members: &[usize]) -> Vec<Vec<usize>> {
        // The component of each local variable that is in a positive literal.
        const NONE: usize = usize::MAX;
        let mut owner = vec![NONE; self.locals];
        let mut parent: Vec<usize> = (0..members.len()).collect();
        for positive in [true, false] {
            for (at, &i) in members.iter().enumerate().filter(|&(_, &i)| self.is_check(i) != positive) {
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

    /// The normal form of some literals.
    ///
    /// Literals are sorted by a hash that knows no names: variables get a colour from the places they stand at, and
    /// literals one from the colours of their variables, a few times over.
    pub fn key(&self, members: &[usize]) -> Key {
        let mut members = members.to_vec();
        if members.len() > 1 {
            let mut colours = vec![0; self.locals];
            let mut signatures = vec![0; self.literals()];
            for _ in 0..members.len().min(4) {
                let mut next = vec![0u64; self.locals];
                for &i in &members {
                    signatures[i] = self.signature(i, &colours);
                    for (place, word) in self.literal(i).iter().enumerate().filter(|(_, word)| **word & KIND == LOCAL) {
                        let colour = &mut next[(word & u64::from(u32::MAX)) as usize];
                        *colour = colour.wrapping_add(mix(signatures[i], place as u64));
                    }
                }
                colours = next;
            }
            for &i in &members {
                signatures[i] = self.signature(i, &colours);
            }
            members.sort_by_key(|&i| signatures[i]);
        }
        self.renamed(&members).into()
    }

    /// The normal form of all literals, by trying every order of them: exact, and meant for a handful.
    pub fn exact_key(&self) -> Key {
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

    /// The literals in this order, their variables numbered as they come.
    pub fn renamed(&self, order: &[usize]) -> Vec<u64> {
        let mut names: Vec<u64> = Vec::new();
        let mut key = Vec::with_capacity(self.words.len());
        for &word in order.iter().flat_map(|&i| self.literal(i)) {
            if word & KIND != LOCAL {
                key.push(word);
                continue;
            }
            let name = names.iter().position(|&name| name == word).unwrap_or_else(|| {
                names.push(word);
                names.len() - 1
            });
            key.push(LOCAL | name as u64);
        }
        key
    }

    fn signature(&self, i: usize, colours: &[u64]) -> u64 {
        let literal = self.literal(i);
        literal.iter().fold(0, |hash, &word| match word & KIND {
            LOCAL => {
                // Where in the literal the variable stands first, so that p(X, X) and p(X, Y) differ.
                let first = literal.iter().position(|&other| other == word).unwrap_or(0);
                mix(mix(hash, LOCAL | first as u64), colours[(word & u64::from(u32::MAX)) as usize])
            }
            _ => mix(hash, word),
        })
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

/// The literals of a key.
pub(crate) fn decode(key: &[u64]) -> Vec<KeyLiteral> {
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
            CONSTANT if word & HIGH != 0 => Arg::Number(u64::from(low) << 32),
            CONSTANT if word & LOW != 0 => {
                if let Some(Arg::Number(bits)) = literals.last_mut().and_then(|literal| literal.args.last_mut()) {
                    *bits |= u64::from(low);
                }
                continue;
            }
            CONSTANT => Arg::Constant(low),
            LOCAL => Arg::Local(low),
            _ => Arg::Head(low),
        };
        if let Some(literal) = literals.last_mut() {
            literal.args.push(arg);
        }
    }
    literals
}

/// Whether a key has a negated literal.
pub(crate) fn has_negation(key: &[u64]) -> bool {
    key.iter().any(|&word| word & KIND == PREDICATE && word & NEGATED != 0)
}

/// Whether a key has a literal of a predicate.
pub(crate) fn mentions(key: &[u64], predicate: PredicateId) -> bool {
    key.iter().any(|&word| word & KIND == PREDICATE && word as u32 == predicate.0)
}

/// The variables of the head that a key mentions, sorted, each once.
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

    /// `p(A, x, 3)` as `(false, 0, [..])`: variables are negative numbers counting from −1, constants are not negative.
    fn literal(negated: bool, predicate: u32, args: &[i32]) -> Literal {
        let arg = |&a: &i32| match u32::try_from(a) {
            Ok(id) => Argument::Constant(Constant::from_id(id)),
            Err(_) => Argument::Variable(Variable(a.unsigned_abs() - 1)),
        };
        Literal { negated, predicate: PredicateId(predicate), args: args.iter().map(arg).collect() }
    }

    fn key_of(literals: &[Literal]) -> Key {
        let flat = Flat::new(literals.iter(), 2);
        flat.key(&(0..literals.len()).collect::<Vec<_>>())
    }

    fn components_of(literals: &[Literal]) -> Vec<Vec<usize>> {
        Flat::new(literals.iter(), 2).components(&(0..literals.len()).collect::<Vec<_>>())
    }

    #[test]
    fn head_variables_and_constants_tie_nothing() {
        let literals = [
            literal(false, 0, &[-1, -3]),
            literal(false, 0, &[-1, 7]),
            literal(false, 1, &[-4, -2]),
            literal(false, 2, &[-3, 7]),
        ];
        assert_eq!(components_of(&literals), [vec![0, 3], vec![1], vec![2]]);
    }

    #[test]
    fn negated_literals_tie_what_they_mention_but_not_each_other() {
        // p(C), q(D), not r(C, D): one piece. not s(E), not t(E): two.
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
    fn names_and_order_do_not_matter() {
        let one = [literal(false, 0, &[-3, -1]), literal(false, 0, &[-3, -4]), literal(true, 1, &[-4, 9])];
        let other = [literal(true, 1, &[-9, 9]), literal(false, 0, &[-7, -9]), literal(false, 0, &[-7, -1])];
        assert_eq!(key_of(&one), key_of(&other));
        let swapped = [literal(true, 1, &[-9, 9]), literal(false, 0, &[-7, -1]), literal(false, 0, &[-9, -7])];
        assert_ne!(key_of(&one), key_of(&swapped));
        assert_ne!(key_of(&[literal(false, 0, &[-3, -3])]), key_of(&[literal(false, 0, &[-3, -4])]));
    }

    #[test]
    fn keys_read_back() {
        let key = key_of(&[literal(true, 5, &[-2, -6, 8, -6])]);
        let args = vec![Arg::Head(1), Arg::Local(0), Arg::Constant(8), Arg::Local(0)];
        assert_eq!(decode(&key), [KeyLiteral { negated: true, predicate: PredicateId(5), args }]);
        assert_eq!(head_variables(&key), [1]);
        let compared =
            |x| Literal::compare(Argument::Variable(Variable(4)), Comparison::Above, Argument::Number(Number::new(x)));
        let key = key_of(&[compared(-0.1)]);
        let args = vec![Arg::Local(0), Arg::Number((-0.1f64).to_bits())];
        assert_eq!(decode(&key), [KeyLiteral { negated: false, predicate: PredicateId::ABOVE, args }]);
        assert_ne!(key, key_of(&[compared(-0.1 - 1e-17 - f64::EPSILON)]));
    }

    #[test]
    fn comparisons_tie_what_is_bound_and_bind_nothing() {
        let compare = |a: u32, b: u32| {
            Literal::compare(Argument::Variable(Variable(a)), Comparison::AtMost, Argument::Variable(Variable(b)))
        };
        // p(A, C), p(B, D), C <= D: one piece. E <= F: nobody binds them.
        let literals = [literal(false, 0, &[-1, -3]), literal(false, 0, &[-2, -4]), compare(2, 3), compare(4, 5)];
        assert_eq!(components_of(&literals), [vec![0, 1, 2], vec![3]]);
        let flat = Flat::new(literals.iter(), 2);
        assert!(flat.compares_bound(&[0, 1, 2]) && !flat.compares_bound(&[0, 2]) && flat.compares_bound(&[1]));
    }
}

//! Literals and conjunctions over interned constants, the building blocks of tests and rules.

use std::fmt;

use super::natural;
use super::symbol::{Constant, Symbols};
use super::term::write_number;

/// A predicate with its arity, as an index into [`Predicates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u32);

impl PredicateId {
    /// The built-in `X <= Y`.
    pub const AT_MOST: PredicateId = PredicateId(u32::MAX);
    /// The built-in `X > Y`.
    pub const ABOVE: PredicateId = PredicateId(u32::MAX - 1);

    /// Returns the built-in comparison with this id, if it is one.
    #[inline]
    pub fn comparison(self) -> Option<Comparison> {
        match self {
            PredicateId::AT_MOST => Some(Comparison::AtMost),
            PredicateId::ABOVE => Some(Comparison::Above),
            _ => None,
        }
    }
}

/// A built-in predicate over two numbers, without facts.
///
/// It is false for anything but numbers and binds nothing: it is false if one of its variables is
/// bound by neither the head nor another literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// `X <= Y`
    AtMost,
    /// `X > Y`
    Above,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Comparison; 2] = [Comparison::AtMost, Comparison::Above];

    /// Returns the infix operator.
    pub const fn name(self) -> &'static str {
        match self {
            Comparison::AtMost => "<=",
            Comparison::Above => ">",
        }
    }

    /// Returns the id of the built-in predicate.
    pub const fn predicate(self) -> PredicateId {
        match self {
            Comparison::AtMost => PredicateId::AT_MOST,
            Comparison::Above => PredicateId::ABOVE,
        }
    }

    /// Evaluates the comparison; `None` represents a non-numeric constant.
    #[inline]
    pub fn holds(self, left: Option<f64>, right: Option<f64>) -> bool {
        match (self, left, right) {
            (Comparison::AtMost, Some(left), Some(right)) => left <= right,
            (Comparison::Above, Some(left), Some(right)) => left > right,
            _ => false,
        }
    }
}

/// A numeric threshold in a comparison; it need not occur in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u64);

impl Number {
    /// Wraps a value; −0 is normalized to 0.
    pub fn new(value: f64) -> Self {
        Number(if value == 0.0 { 0 } else { value.to_bits() })
    }

    /// Returns the value.
    #[inline]
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Returns the bit pattern of the value.
    pub fn bits(self) -> u64 {
        self.0
    }
}

/// A variable of a clause; head variables come first: `0..n` for a target with `n` arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub u32);

/// An argument of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// A variable bound by the head or by a grounding of the clause.
    Variable(Variable),
    /// A constant that occurs in the data.
    Constant(Constant),
    /// A threshold of a comparison.
    Number(Number),
}

/// A predicate applied to arguments, possibly negated.
///
/// A negated literal is true under a substitution if no fact matches it under *that* substitution
/// (the ¬SameGenre of the paper's h₁). The false branch of a tree differs: there, no grounding of
/// the entire conjunction exists. That negation is not expressed with this flag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// Whether the literal is negated within its substitution.
    pub negated: bool,
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments.
    pub args: Vec<Argument>,
}

impl Literal {
    /// Creates a positive literal.
    pub fn new(predicate: PredicateId, args: Vec<Argument>) -> Self {
        Literal { negated: false, predicate, args }
    }

    /// Toggles the negation.
    pub fn negate(mut self) -> Self {
        self.negated = !self.negated;
        self
    }

    /// Creates a comparison of two arguments.
    pub fn compare(left: Argument, comparison: Comparison, right: Argument) -> Self {
        Literal::new(comparison.predicate(), vec![left, right])
    }

    /// Returns the comparison this literal makes, if it is one.
    pub fn comparison(&self) -> Option<Comparison> {
        self.predicate.comparison()
    }

    /// Returns whether the literal only filters substitutions and binds nothing: negated or a
    /// comparison.
    pub fn is_check(&self) -> bool {
        self.negated || self.comparison().is_some()
    }

    /// Iterates over the variables, left to right, with repetitions.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Argument::Variable(v) => Some(*v),
            Argument::Constant(_) | Argument::Number(_) => None,
        })
    }
}

/// The predicates of a database, numbered in order of first appearance until they are
/// [sorted](Predicates::sort).
///
/// The built-in [comparisons](Comparison) exist in every database and are not listed.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    all: crate::determinism::IndexSet<(String, u32)>,
}

impl Predicates {
    /// Returns the id of a predicate, adding it if it is new.
    pub fn intern(&mut self, name: &str, arity: usize) -> PredicateId {
        match self.find(name, arity) {
            Some(id) => id,
            None => PredicateId(self.all.insert_full((name.to_owned(), arity as u32)).0 as u32),
        }
    }

    /// Returns the id of a known predicate.
    pub fn find(&self, name: &str, arity: usize) -> Option<PredicateId> {
        if let Some(known) = Comparison::ALL.into_iter().find(|known| arity == 2 && known.name() == name) {
            return Some(known.predicate());
        }
        self.all.get_index_of(&PredicateKey(name, arity as u32)).map(|i| PredicateId(i as u32))
    }

    /// Returns the name of a predicate.
    pub fn name(&self, id: PredicateId) -> &str {
        match id.comparison() {
            Some(comparison) => comparison.name(),
            None => &self.all[id.0 as usize].0,
        }
    }

    /// Returns the number of arguments of a predicate.
    pub fn arity(&self, id: PredicateId) -> usize {
        if id.comparison().is_some() { 2 } else { self.all[id.0 as usize].1 as usize }
    }

    /// Iterates over all predicates in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.all.len() as u32).map(PredicateId)
    }

    /// Numbers the predicates in [canonical order](natural) of their names, then by arity; returns
    /// the new id of each.
    pub fn sort(&mut self) -> Vec<PredicateId> {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        let key = |i: usize| (self.all[i].0.as_bytes(), self.all[i].1);
        order.sort_by(|&a, &b| {
            let ((x, x_arity), (y, y_arity)) = (key(a), key(b));
            natural::compare(x, y).then(x_arity.cmp(&y_arity))
        });
        let mut ranks = vec![PredicateId(0); order.len()];
        for (rank, &old) in order.iter().enumerate() {
            ranks[old] = PredicateId(rank as u32);
        }
        self.all = order.iter().map(|&old| self.all[old].clone()).collect();
        ranks
    }

    /// Returns the number of predicates.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether no predicate is known.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Displays a predicate as `name/arity`.
    pub fn show(&self, id: PredicateId) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| write!(f, "{}/{}", self.name(id), self.arity(id)))
    }
}

/// Borrowed lookup key that avoids allocating; hashes like `(String, u32)`.
#[derive(Hash)]
struct PredicateKey<'a>(&'a str, u32);

impl indexmap::Equivalent<(String, u32)> for PredicateKey<'_> {
    fn equivalent(&self, key: &(String, u32)) -> bool {
        self.0 == key.0 && self.1 == key.1
    }
}

/// Displays a variable: A to Z, then A1 to Z1, and so on.
pub fn variable_name(variable: Variable) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let letter = char::from(b'A' + (variable.0 % 26) as u8);
        match variable.0 / 26 {
            0 => write!(f, "{letter}"),
            round => write!(f, "{letter}{round}"),
        }
    })
}

/// Displays a conjunction in Prolog notation, `p(A, B), B <= 0.5, \+ q(B, c)`, or `true` if empty.
pub fn show_conjunction<'a>(
    literals: &'a [Literal],
    predicates: &'a Predicates,
    symbols: &'a Symbols,
) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        if literals.is_empty() {
            return f.write_str("true");
        }
        for (i, literal) in literals.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let not = if literal.negated { "\\+ " } else { "" };
            write!(f, "{comma}{not}")?;
            let show = |arg: &Argument, f: &mut fmt::Formatter<'_>| match arg {
                Argument::Variable(v) => write!(f, "{}", variable_name(*v)),
                Argument::Constant(c) => write!(f, "{}", symbols.show(*c)),
                Argument::Number(number) => write_number(f, number.value()),
            };
            if let (Some(comparison), [left, right]) = (literal.comparison(), &literal.args[..]) {
                show(left, f)?;
                write!(f, " {} ", comparison.name())?;
                show(right, f)?;
                continue;
            }
            f.write_str(predicates.name(literal.predicate))?;
            for (k, arg) in literal.args.iter().enumerate() {
                f.write_str(if k == 0 { "(" } else { ", " })?;
                show(arg, f)?;
            }
            if !literal.args.is_empty() {
                f.write_str(")")?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_differ_by_arity_and_case() {
        let mut predicates = Predicates::default();
        let p1 = predicates.intern("p", 1);
        assert_eq!(predicates.intern("p", 1), p1);
        assert_ne!(predicates.intern("p", 2), p1);
        assert_ne!(predicates.intern("P", 1), p1);
        assert_eq!(predicates.find("p", 1), Some(p1));
        assert_eq!(predicates.find("q", 1), None);
        assert_eq!(predicates.show(p1).to_string(), "p/1");
    }

    #[test]
    fn comparisons_hold_for_numbers_on_the_right_side_of_the_threshold() {
        let holds = |comparison: Comparison, x| comparison.holds(Some(x), Some(2.0));
        assert_eq!([1.0, 2.0, 3.0].map(|x| holds(Comparison::AtMost, x)), [true, true, false]);
        assert_eq!([1.0, 2.0, 3.0].map(|x| holds(Comparison::Above, x)), [false, false, true]);
        for comparison in Comparison::ALL {
            assert!(!comparison.holds(None, Some(2.0)) && !comparison.holds(Some(2.0), None));
        }
    }

    #[test]
    fn conjunctions_print_in_prolog_notation() {
        let (mut predicates, mut symbols) = (Predicates::default(), Symbols::new());
        let p = predicates.intern("p", 2);
        let q = predicates.intern("q", 0);
        let red = symbols.intern("red").unwrap();
        let body = [
            Literal::new(p, vec![Argument::Variable(Variable(0)), Argument::Variable(Variable(27))]),
            Literal::new(p, vec![Argument::Variable(Variable(1)), Argument::Constant(red)]).negate(),
            Literal::new(q, vec![]),
        ];
        assert_eq!(show_conjunction(&body, &predicates, &symbols).to_string(), "p(A, B1), \\+ p(B, red), q");
        let number = |x| Argument::Number(Number::new(x));
        let variable = |v| Argument::Variable(Variable(v));
        let body = [
            Literal::new(p, vec![variable(0), variable(2)]),
            Literal::compare(variable(2), Comparison::AtMost, number(-0.117)),
            Literal::compare(variable(2), Comparison::Above, variable(1)).negate(),
        ];
        assert_eq!(show_conjunction(&body, &predicates, &symbols).to_string(), "p(A, C), C <= -0.117, \\+ C > B");
        assert_eq!(show_conjunction(&[], &predicates, &symbols).to_string(), "true");
    }
}

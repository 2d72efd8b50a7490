//! Equivalence of rules: θ-subsumption in both directions.

use super::{Condition, Rule};
use crate::logic::{Argument, Literal, Variable};

/// The number of unification attempts after which two rules count as different; not merging is
/// always correct.
const BUDGET: usize = 20_000;

impl Rule {
    /// Returns whether the rules cover the same examples of every database, as far as θ-subsumption
    /// decides: their bodies subsume each other, and their conditions match one to one.
    pub fn is_equivalent(&self, other: &Rule, arity: usize) -> bool {
        let same = |a: &Condition, b: &Condition| {
            a.holds == b.holds
                && a.at_least == b.at_least
                && match a.at_least {
                    1 => subsume_each_other(&a.body, &b.body, arity),
                    // Groundings are counted, so only the names of variables may differ.
                    _ => are_variants(&a.body, &b.body, arity),
                }
        };
        subsume_each_other(self.body(), other.body(), arity)
            && self.conditions().len() == other.conditions().len()
            && match_one_to_one(self.conditions(), other.conditions(), &same)
    }
}

/// Equivalence is transitive, so any partner of each is as good as another.
fn match_one_to_one(a: &[Condition], b: &[Condition], same: &dyn Fn(&Condition, &Condition) -> bool) -> bool {
    let mut free: Vec<&Condition> = b.iter().collect();
    a.iter().all(|one| match free.iter().position(|other| same(one, other)) {
        Some(index) => {
            free.swap_remove(index);
            true
        }
        None => false,
    })
}

fn subsume_each_other(a: &[Literal], b: &[Literal], arity: usize) -> bool {
    Subsumption::new(a, b, arity, false).exists() && Subsumption::new(b, a, arity, false).exists()
}

fn are_variants(a: &[Literal], b: &[Literal], arity: usize) -> bool {
    let distinct = |body: &[Literal]| {
        let mut literals: Vec<Literal> = body.to_vec();
        literals.sort_unstable();
        literals.dedup();
        literals
    };
    let (a, b) = (distinct(a), distinct(b));
    a.len() == b.len() && Subsumption::new(&a, &b, arity, true).exists()
}

/// The search for a substitution that maps every literal of one conjunction into the other.
struct Subsumption<'a> {
    general: Vec<&'a Literal>,
    special: &'a [Literal],
    arity: usize,
    /// Whether distinct variables must map to distinct variables.
    injective: bool,
    /// The substitution for the variables of `general`.
    bound: Vec<(Variable, Argument)>,
    attempts: usize,
}

/// Returns whether a variable is unbound, neither in a positive literal nor in the head: it matches
/// anything.
fn is_unbound(body: &[Literal], variable: Variable, arity: usize) -> bool {
    let binds = |literal: &Literal| !literal.is_check() && literal.variables().any(|v| v == variable);
    variable.0 as usize >= arity && !body.iter().any(binds)
}

impl<'a> Subsumption<'a> {
    fn new(general: &'a [Literal], special: &'a [Literal], arity: usize, injective: bool) -> Self {
        // Literals with few candidates first.
        let candidates = |literal: &&Literal| special.iter().filter(|other| same_signature(literal, other)).count();
        let mut order: Vec<&Literal> = general.iter().collect();
        order.sort_by_key(candidates);
        Subsumption { general: order, special, arity, injective, bound: Vec::new(), attempts: 0 }
    }

    fn exists(&mut self) -> bool {
        self.from(0)
    }

    fn from(&mut self, index: usize) -> bool {
        let Some(&literal) = self.general.get(index) else { return true };
        for other in self.special {
            self.attempts += 1;
            if self.attempts > BUDGET {
                return false;
            }
            let known = self.bound.len();
            if same_signature(literal, other) && self.unify(literal, other) && self.from(index + 1) {
                return true;
            }
            self.bound.truncate(known);
        }
        false
    }

    fn unify(&mut self, literal: &Literal, other: &Literal) -> bool {
        let whole: Vec<Literal> = self.general.iter().map(|&literal| literal.clone()).collect();
        let free_here = |arg: &Argument| matches!(arg, Argument::Variable(v) if is_unbound(&whole, *v, self.arity));
        let free_there =
            |arg: &Argument| matches!(arg, Argument::Variable(v) if is_unbound(self.special, *v, self.arity));
        // An unbound variable matches anything, separately in each negated literal: it must map to
        // an unbound variable, and two of them must not map to the same one.
        let mut free: Vec<(Argument, Argument)> = Vec::new();
        for (&arg, &target) in literal.args.iter().zip(&other.args) {
            if free_here(&arg) != free_there(&target) {
                return false;
            }
            if free_here(&arg) {
                if free.iter().any(|&(a, b)| (a == arg) != (b == target)) {
                    return false;
                }
                free.push((arg, target));
                continue;
            }
            let Argument::Variable(variable) = arg else {
                if arg != target {
                    return false;
                }
                continue;
            };
            if (variable.0 as usize) < self.arity {
                if arg != target {
                    return false;
                }
                continue;
            }
            match self.bound.iter().find(|(known, _)| *known == variable) {
                Some(&(_, value)) if value != target => return false,
                Some(_) => {}
                None => {
                    let local = matches!(target, Argument::Variable(v) if v.0 as usize >= self.arity);
                    let taken = self.bound.iter().any(|&(_, value)| value == target);
                    if self.injective && (!local || taken) {
                        return false;
                    }
                    self.bound.push((variable, target));
                }
            }
        }
        true
    }
}

/// Returns whether literals have the same predicate and sign.
fn same_signature(a: &Literal, b: &Literal) -> bool {
    a.negated == b.negated && a.predicate == b.predicate && a.args.len() == b.args.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::sample;

    /// Returns whether the bodies of two clauses for h are equivalent, and whether they are as
    /// counted conditions.
    fn compare(first: &str, second: &str) -> (bool, bool) {
        let (_, clauses, _) = sample::build(&format!("h(A, B) :- {first}. h(A, B) :- {second}."), None);
        let [(_, a), (_, b)] = <[_; 2]>::try_from(clauses).unwrap();
        let counted = |body: &[Literal]| {
            Rule::new(Vec::new(), vec![Condition { holds: true, at_least: 2, body: body.to_vec() }], 2)
        };
        let counts = counted(&a).is_equivalent(&counted(&b), 2);
        (Rule::new(a, Vec::new(), 2).is_equivalent(&Rule::new(b, Vec::new(), 2), 2), counts)
    }

    #[test]
    fn variable_names_order_and_repetition_do_not_matter() {
        assert_eq!(compare("p(A, X), q(X)", "q(Y), p(A, Y)"), (true, true));
        assert_eq!(compare("p(A, X)", "p(B, X)"), (false, false));
        assert_eq!(compare("p(A, X), p(B, Y)", "p(A, X), p(B, X)"), (false, false));
        assert_eq!(compare("p(A, c)", "p(A, X)"), (false, false));
        assert_eq!(compare("p(A, X), p(A, X)", "p(A, X)"), (true, true));
    }

    #[test]
    fn redundant_literals_matter_for_counts() {
        // p(A, X), p(A, Y) is satisfied whenever p(A, X) is, but has more groundings.
        assert_eq!(compare("p(A, X), p(A, Y)", "p(A, X)"), (true, false));
    }

    #[test]
    fn an_unbound_variable_of_a_negated_literal_differs_from_a_bound_one() {
        // No q at all is not the same as no q with this argument.
        assert!(!compare(r"p(A, X), \+ q(A, Y)", r"p(A, X), \+ q(A, X)").0);
        assert!(compare(r"p(A, X), \+ q(A, Y)", r"p(A, Z), \+ q(A, W)").0);
        assert!(!compare(r"p(A, X), \+ q(Y, Z)", r"p(A, X), \+ q(Y, Y)").0);
        // Each negated literal has its own unbound variables.
        assert!(compare(r"\+ q(A, Y), \+ r(Y)", r"\+ q(A, Y), \+ r(Z)").0);
    }

    #[test]
    fn conditions_match_one_to_one() {
        let (_, clauses, _) = sample::build("h(A) :- p(A, X). h(A) :- p(A, Y), p(A, Z). h(A) :- q(A).", None);
        let [a, b, c] = <[_; 3]>::try_from(clauses.into_iter().map(|(_, body)| body).collect::<Vec<_>>()).unwrap();
        let not = |body: &Vec<Literal>| Condition { holds: false, at_least: 1, body: body.clone() };
        let rule =
            |conditions: &[&Vec<Literal>]| Rule::new(Vec::new(), conditions.iter().map(|&b| not(b)).collect(), 1);
        assert!(rule(&[&a, &c]).is_equivalent(&rule(&[&c, &b]), 1));
        assert!(!rule(&[&a, &b]).is_equivalent(&rule(&[&a, &c]), 1));
        assert!(!rule(&[&a]).is_equivalent(&rule(&[&a, &b]), 1));
    }
}

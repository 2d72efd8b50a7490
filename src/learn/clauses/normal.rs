//! Clauses up to the names of their variables and the order of their literals.

use crate::cancel;
use crate::determinism::IndexSet;
use crate::logic::{Argument, Literal, Variable};

/// No more ways to begin are followed than this: all there are of five literals. Beyond, a longer clause of literals that look alike may have
/// two forms, and is then looked at twice.
const MOST_WAYS: usize = 120;

/// The form that a clause has in common with those, and only those, that differ from it in the names of variables not of the head
/// and in the order of literals: the least of all ways to write it, with variables numbered as they come.
pub(super) fn normal_form(body: &[Literal], arity: u32) -> Vec<Literal> {
    let mut form = Vec::with_capacity(body.len());
    // The ways to begin that are least so far: which literals stand in the form, and the names of its variables.
    let mut ways: Vec<(Vec<bool>, Vec<Variable>)> = vec![(vec![false; body.len()], Vec::new())];
    // Literals that look alike and have variables that stand nowhere else may change places: one of them is enough.
    let stands = |variable| body.iter().filter(|literal| literal.variables().any(|other| other == variable)).count();
    let is_private = |variable: &Variable| stands(*variable) == 1;
    for _ in body {
        let mut least: Option<Literal> = None;
        let mut next: IndexSet<(Vec<bool>, Vec<Variable>)> = IndexSet::default();
        for (used, names) in &ways {
            cancel::poll();
            let mut has_private = false;
            for at in (0..body.len()).filter(|&at| !used[at]) {
                let (mut literal, mut beyond) = (body[at].clone(), Vec::new());
                number(&body[at], (names, &mut beyond), arity, &mut literal);
                let private = beyond.iter().all(is_private);
                let names: Vec<Variable> = names.iter().copied().chain(beyond).collect();
                if least.as_ref().is_some_and(|least| literal > *least) {
                    continue;
                }
                if least.as_ref() != Some(&literal) {
                    least = Some(literal);
                    next.clear();
                    has_private = false;
                }
                if private && std::mem::replace(&mut has_private, true) || next.len() == MOST_WAYS {
                    continue;
                }
                let mut used = used.clone();
                used[at] = true;
                next.insert((used, names));
            }
        }
        form.extend(least);
        ways = next.into_iter().collect();
    }
    form
}

/// Writes a literal with its variables numbered behind those of the head: those that have a name by their places, the others,
/// which are noted beyond the names, as they come.
pub(super) fn number(
    literal: &Literal,
    (names, beyond): (&[Variable], &mut Vec<Variable>),
    arity: u32,
    numbered: &mut Literal,
) {
    (numbered.negated, numbered.predicate) = (literal.negated, literal.predicate);
    numbered.args.clear();
    for &argument in &literal.args {
        numbered.args.push(match argument {
            Argument::Variable(variable) if variable.0 >= arity => {
                let known = names.iter().chain(&*beyond).position(|&known| known == variable);
                let place = known.unwrap_or_else(|| {
                    beyond.push(variable);
                    names.len() + beyond.len() - 1
                });
                Argument::Variable(Variable(arity + place as u32))
            }
            other => other,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::PredicateId;
    use proptest::prelude::*;

    /// A literal of a predicate with variables.
    fn literal(predicate: u32, variables: &[u32]) -> Literal {
        Literal::new(PredicateId(predicate), variables.iter().map(|&v| Argument::Variable(Variable(v))).collect())
    }

    #[test]
    fn names_and_order_are_not_part_of_a_clause() {
        let form = |body: &[Literal]| normal_form(body, 2);
        // p(A, C), q(C, B) in two ways of writing.
        let chain = form(&[literal(7, &[0, 5]), literal(8, &[5, 1])]);
        assert_eq!(chain, form(&[literal(8, &[3, 1]), literal(7, &[0, 3])]));
        assert_eq!(chain, [literal(7, &[0, 2]), literal(8, &[2, 1])]);
        // The variables of the head are not like others, and one variable is not two.
        assert_ne!(chain, form(&[literal(7, &[1, 5]), literal(8, &[5, 0])]));
        assert_ne!(chain, form(&[literal(7, &[0, 5]), literal(8, &[6, 1])]));
        // The second of two literals that look alike says which comes first.
        let fork = [literal(7, &[0, 4]), literal(7, &[0, 5]), literal(8, &[5, 1])];
        assert_eq!(form(&fork), form(&[literal(7, &[0, 9]), literal(7, &[0, 3]), literal(8, &[9, 1])]));
    }

    #[test]
    fn many_literals_that_look_alike_take_little_time() {
        // 20 factorial ways to write either, if each were tried.
        let fan: Vec<Literal> = (0..20).map(|k| literal(7, &[0, 1 + k])).collect();
        assert_eq!(normal_form(&fan, 1), fan);
        let longer: Vec<Literal> = fan.iter().cloned().chain((0..20).map(|k| literal(8, &[1 + k, 0]))).collect();
        assert_eq!(normal_form(&longer, 1).len(), 40);
    }

    /// Whether clauses are the same up to names and order, by trying every order of the second.
    fn are_alike(a: &[Literal], b: &[Literal]) -> bool {
        fn goes_on(a: &[Literal], left: &[Literal], names: &[(Variable, Variable)]) -> bool {
            let Some((first, rest)) = a.split_first() else { return left.is_empty() };
            (0..left.len()).any(|at| {
                let mut names = names.to_vec();
                let fits = |(&a, &b): (&Argument, &Argument)| match (a, b) {
                    (Argument::Variable(a), Argument::Variable(b)) if a.0 >= 1 && b.0 >= 1 => {
                        let known = names.iter().find(|(x, y)| *x == a || *y == b).copied();
                        if known.is_none() {
                            names.push((a, b));
                        }
                        known.is_none_or(|known| known == (a, b))
                    }
                    _ => a == b,
                };
                let same = first.predicate == left[at].predicate && first.args.iter().zip(&left[at].args).all(fits);
                let others: Vec<Literal> = [&left[..at], &left[at + 1..]].concat();
                same && goes_on(rest, &others, &names)
            })
        }
        a.len() == b.len() && goes_on(a, b, &[])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        /// Clauses have the same form if and only if they are the same up to names and order.
        #[test]
        fn the_form_is_exact(
            a in prop::collection::vec((7u32..9, 0u32..4, 0u32..4), 1..5),
            b in prop::collection::vec((7u32..9, 0u32..4, 0u32..4), 1..5),
            order in prop::sample::subsequence((0usize..4).collect::<Vec<_>>(), 4).prop_shuffle(),
            names in Just(vec![1u32, 2, 3]).prop_shuffle(),
        ) {
            let clause = |words: &[(u32, u32, u32)]| words.iter().map(|&(p, x, y)| literal(p, &[x, y])).collect::<Vec<_>>();
            let (a, b) = (clause(&a), clause(&b));
            prop_assert_eq!(normal_form(&a, 1) == normal_form(&b, 1), are_alike(&a, &b));
            let rename = |l: &Literal| {
                let name = |arg: &Argument| match arg {
                    Argument::Variable(v) if v.0 >= 1 => Argument::Variable(Variable(names[v.0 as usize - 1] + 10)),
                    other => *other,
                };
                Literal::new(l.predicate, l.args.iter().map(name).collect())
            };
            let other: Vec<Literal> = order.iter().filter_map(|&i| a.get(i)).map(rename).collect();
            prop_assert_eq!(normal_form(&a, 1), normal_form(&other, 1));
        }
    }
}

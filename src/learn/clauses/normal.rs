//! Normal form of clauses up to variable renaming and literal order.

use crate::cancel;
use crate::determinism::IndexSet;
use crate::logic::{Argument, Literal, Variable};

/// Maximum number of partial forms tracked: all permutations of five literals. Beyond it, a longer
/// clause of similar literals may have two forms, and is then evaluated twice.
const MAX_PARTIAL_FORMS: usize = 120;

/// Returns the canonical form of a clause, equal for exactly those clauses that differ in the names
/// of body variables and the order of literals: the lexicographic minimum over all literal orders,
/// with variables numbered by first occurrence.
pub(super) fn normal_form(body: &[Literal], arity: u32) -> Vec<Literal> {
    let mut form = Vec::with_capacity(body.len());
    // The partial forms that are minimal so far: the literals used, and the variables in order.
    let mut partial: Vec<(Vec<bool>, Vec<Variable>)> = vec![(vec![false; body.len()], Vec::new())];
    // Similar literals whose variables occur nowhere else are interchangeable: following one
    // suffices.
    let occurrences =
        |variable| body.iter().filter(|literal| literal.variables().any(|other| other == variable)).count();
    let is_private = |variable: &Variable| occurrences(*variable) == 1;
    for _ in body {
        let mut minimum: Option<Literal> = None;
        let mut next: IndexSet<(Vec<bool>, Vec<Variable>)> = IndexSet::default();
        for (used, names) in &partial {
            cancel::poll();
            let mut has_private = false;
            for at in (0..body.len()).filter(|&at| !used[at]) {
                let (mut literal, mut fresh) = (body[at].clone(), Vec::new());
                number_variables(&body[at], (names, &mut fresh), arity, &mut literal);
                let private = fresh.iter().all(is_private);
                let names: Vec<Variable> = names.iter().copied().chain(fresh).collect();
                if minimum.as_ref().is_some_and(|minimum| literal > *minimum) {
                    continue;
                }
                if minimum.as_ref() != Some(&literal) {
                    minimum = Some(literal);
                    next.clear();
                    has_private = false;
                }
                if private && std::mem::replace(&mut has_private, true) || next.len() == MAX_PARTIAL_FORMS {
                    continue;
                }
                let mut used = used.clone();
                used[at] = true;
                next.insert((used, names));
            }
        }
        form.extend(minimum);
        partial = next.into_iter().collect();
    }
    form
}

/// Writes a literal with its body variables numbered after those of the head: known variables by
/// their index in `names`, new ones in order of occurrence; these are appended to `fresh`.
pub(super) fn number_variables(
    literal: &Literal,
    (names, fresh): (&[Variable], &mut Vec<Variable>),
    arity: u32,
    numbered: &mut Literal,
) {
    (numbered.negated, numbered.predicate) = (literal.negated, literal.predicate);
    numbered.args.clear();
    for &argument in &literal.args {
        numbered.args.push(match argument {
            Argument::Variable(variable) if variable.0 >= arity => {
                let known = names.iter().chain(&*fresh).position(|&known| known == variable);
                let index = known.unwrap_or_else(|| {
                    fresh.push(variable);
                    names.len() + fresh.len() - 1
                });
                Argument::Variable(Variable(arity + index as u32))
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

    /// Creates a literal over variables.
    fn literal(predicate: u32, variables: &[u32]) -> Literal {
        Literal::new(PredicateId(predicate), variables.iter().map(|&v| Argument::Variable(Variable(v))).collect())
    }

    #[test]
    fn normal_form_ignores_variable_names_and_literal_order() {
        let form = |body: &[Literal]| normal_form(body, 2);
        // p(A, C), q(C, B) written in two ways.
        let chain = form(&[literal(7, &[0, 5]), literal(8, &[5, 1])]);
        assert_eq!(chain, form(&[literal(8, &[3, 1]), literal(7, &[0, 3])]));
        assert_eq!(chain, [literal(7, &[0, 2]), literal(8, &[2, 1])]);
        // Head variables are fixed, and distinct variables stay distinct.
        assert_ne!(chain, form(&[literal(7, &[1, 5]), literal(8, &[5, 0])]));
        assert_ne!(chain, form(&[literal(7, &[0, 5]), literal(8, &[6, 1])]));
        // The third literal decides the order of the two similar ones.
        let fork = [literal(7, &[0, 4]), literal(7, &[0, 5]), literal(8, &[5, 1])];
        assert_eq!(form(&fork), form(&[literal(7, &[0, 9]), literal(7, &[0, 3]), literal(8, &[9, 1])]));
    }

    #[test]
    fn normal_form_of_many_similar_literals_is_fast() {
        // 20! orders each, if all were tried.
        let fan: Vec<Literal> = (0..20).map(|k| literal(7, &[0, 1 + k])).collect();
        assert_eq!(normal_form(&fan, 1), fan);
        let longer: Vec<Literal> = fan.iter().cloned().chain((0..20).map(|k| literal(8, &[1 + k, 0]))).collect();
        assert_eq!(normal_form(&longer, 1).len(), 40);
    }

    /// Oracle: returns whether clauses are variants, by trying every order of the second.
    fn are_variants(a: &[Literal], b: &[Literal]) -> bool {
        fn matches_rest(a: &[Literal], left: &[Literal], names: &[(Variable, Variable)]) -> bool {
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
                same && matches_rest(rest, &others, &names)
            })
        }
        a.len() == b.len() && matches_rest(a, b, &[])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        /// Normal forms are equal exactly for variants.
        #[test]
        fn normal_forms_are_equal_exactly_for_variants(
            a in prop::collection::vec((7u32..9, 0u32..4, 0u32..4), 1..5),
            b in prop::collection::vec((7u32..9, 0u32..4, 0u32..4), 1..5),
            order in prop::sample::subsequence((0usize..4).collect::<Vec<_>>(), 4).prop_shuffle(),
            names in Just(vec![1u32, 2, 3]).prop_shuffle(),
        ) {
            let clause = |words: &[(u32, u32, u32)]| words.iter().map(|&(p, x, y)| literal(p, &[x, y])).collect::<Vec<_>>();
            let (a, b) = (clause(&a), clause(&b));
            prop_assert_eq!(normal_form(&a, 1) == normal_form(&b, 1), are_variants(&a, &b));
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

//! Naive reference evaluator, the oracle for all optimized evaluators.
//!
//! It tries every fact for every literal, left to right, using nothing but the list of facts. It
//! must be obviously correct, so it has no index, no reordering and no cache.

use super::database::Database;
use super::view::View;
use crate::logic::{Argument, Comparison, Constant, Literal, PredicateId};

/// The constant bound to each variable; `None` while it is free.
type Bindings = Vec<Option<Constant>>;

/// Returns whether a conjunction covers an example of the target, given the facts visible to it.
///
/// The variables `0..head.len()` are those of the head, in order.
pub fn covers(database: &Database, body: &[Literal], target: PredicateId, head: &[Constant]) -> bool {
    witness(database, body, target, head).is_some()
}

/// Returns the first grounding; variables that occur only in negated literals are `None`.
///
/// A negated literal is true under a substitution if no visible fact matches it. A variable bound
/// by neither the head nor a positive literal matches anything, independently in each negated
/// literal. A comparison is true between numbers only.
pub fn witness(
    database: &Database,
    body: &[Literal],
    target: PredicateId,
    head: &[Constant],
) -> Option<Vec<Option<Constant>>> {
    let mut first = None;
    for_each_grounding(database, body, target, head, &mut |bindings| {
        first = Some(bindings);
        true
    });
    first
}

/// Counts groundings: substitutions of the non-head variables of positive literals.
///
/// Facts are a set, so distinct matches of all positive literals give distinct substitutions.
pub fn count(database: &Database, body: &[Literal], target: PredicateId, head: &[Constant]) -> usize {
    let mut count = 0;
    for_each_grounding(database, body, target, head, &mut |_| {
        count += 1;
        false
    });
    count
}

/// Counts groundings of `body` under which no conjunction of `none_of` has a grounding.
///
/// Variables not bound by the body are local to each conjunction.
pub fn count_without(
    database: &Database,
    body: &[Literal],
    none_of: &[Vec<Literal>],
    target: PredicateId,
    head: &[Constant],
) -> usize {
    let view = database.view(target, head);
    let variables = none_of.iter().flatten().flat_map(Literal::variables).map(|v| v.0 as usize + 1).max().unwrap_or(0);
    let mut count = 0;
    for_each_grounding(database, body, target, head, &mut |bindings| {
        let refuted = none_of.iter().any(|group| {
            let mut bindings = bindings.clone();
            bindings.resize(variables.max(bindings.len()), None);
            let (checks, positive): (Vec<_>, Vec<_>) = group.iter().partition(|literal| literal.is_check());
            search(database, &view, &positive, &checks, bindings, &mut |_| true)
        });
        count += usize::from(!refuted);
        false
    });
    count
}

/// Passes each grounding to `stop` until it returns `true`.
fn for_each_grounding(
    database: &Database,
    body: &[Literal],
    target: PredicateId,
    head: &[Constant],
    stop: &mut dyn FnMut(Bindings) -> bool,
) {
    let view = database.view(target, head);
    let variables = body.iter().flat_map(Literal::variables).map(|v| v.0 as usize + 1).max().unwrap_or(0);
    let mut bindings: Bindings = head.iter().copied().map(Some).collect();
    bindings.resize(variables.max(head.len()), None);
    let (checks, positive): (Vec<&Literal>, Vec<&Literal>) = body.iter().partition(|literal| literal.is_check());
    search(database, &view, &positive, &checks, bindings, stop);
}

/// Depth-first search; returns whether `stop` returned `true`.
fn search(
    database: &Database,
    view: &View<'_>,
    positive: &[&Literal],
    checks: &[&Literal],
    bindings: Bindings,
    stop: &mut dyn FnMut(Bindings) -> bool,
) -> bool {
    match positive {
        [] => {
            let holds = |literal: &Literal| match literal.comparison() {
                Some(comparison) => comparison_holds(database, literal, comparison, &bindings),
                None => matches(database, view, literal, &bindings).next().is_some(),
            };
            checks.iter().all(|literal| holds(literal) != literal.negated) && stop(bindings)
        }
        [first, rest @ ..] => matches(database, view, first, &bindings)
            .any(|extended| search(database, view, rest, checks, extended, stop)),
    }
}

/// Evaluates a comparison; free variables and names are not numbers.
fn comparison_holds(database: &Database, literal: &Literal, comparison: Comparison, bindings: &Bindings) -> bool {
    let [left, right] = &literal.args[..] else { return false };
    let value = |argument: &Argument| match argument {
        Argument::Number(number) => Some(number.value()),
        Argument::Constant(constant) => database.symbols.number(*constant),
        Argument::Variable(v) => bindings[v.0 as usize].and_then(|constant| database.symbols.number(constant)),
    };
    comparison.holds(value(left), value(right))
}

/// Iterates over the bindings extended by each visible fact that matches the literal.
fn matches<'a>(
    database: &'a Database,
    view: &'a View<'_>,
    literal: &'a Literal,
    bindings: &'a Bindings,
) -> impl Iterator<Item = Bindings> + 'a {
    let facts = database.facts.relation(literal.predicate).iter().map(|row| row.to_vec());
    let visible = facts.filter(move |fact| database.view_includes(view, literal.predicate, fact));
    visible.filter_map(|fact| unify(literal, &fact, bindings))
}

/// Unifies a literal with a fact; returns the extended bindings.
pub(crate) fn unify(literal: &Literal, fact: &[Constant], bindings: &Bindings) -> Option<Bindings> {
    if literal.args.len() != fact.len() {
        return None;
    }
    let mut bindings = bindings.clone();
    for (argument, &constant) in literal.args.iter().zip(fact) {
        let fits = match argument {
            Argument::Constant(own) => *own == constant,
            // Thresholds occur in comparisons only; facts match interned constants.
            Argument::Number(_) => false,
            Argument::Variable(v) => *bindings[v.0 as usize].get_or_insert(constant) == constant,
        };
        if !fits {
            return None;
        }
    }
    Some(bindings)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, constants};
    use super::*;

    /// h1, h2 and h3 of the paper's running example.
    const CLAUSES: &str = r"
        collab(P1, P2) :- directedBy(M1, P1), inGenre(M1, G1), actedIn(P2, M2), inGenre(M2, G2), \+ sameGenre(G1, G2).
        collab(P1, P2) :- directedBy(M1, P1), actedIn(P3, M1), samePerson(P3, P2).
        collab(P1, P2) :- actedIn(P1, M), actedIn(P2, M).
    ";

    /// Returns, for each clause, the pairs of persons it covers.
    fn covered<const N: usize>(facts: &str, persons: [&str; N]) -> Vec<Vec<String>> {
        let (database, clauses, _) = sample::build(&format!("{CLAUSES}{facts}"), None);
        let queries = || persons.iter().flat_map(|a| persons.iter().map(move |b| (a, b)));
        let covered_by = |(target, body): &sample::Clause| {
            let is_covered =
                |(a, b): &(&&str, &&str)| covers(&database, body, *target, &constants(&database, [*a, *b]));
            queries().filter(is_covered).map(|(a, b)| format!("{a} {b}")).collect()
        };
        clauses.iter().map(covered_by).collect()
    }

    /// Returns the witness of clause `k` for a query, without the head variables.
    fn witness_of(facts: &str, k: usize, query: [&str; 2]) -> Option<Vec<String>> {
        let (database, clauses, _) = sample::build(&format!("{CLAUSES}{facts}"), None);
        let (target, body) = &clauses[k - 1];
        let bindings = witness(&database, body, *target, &constants(&database, query))?;
        Some(bindings[2..].iter().map(|c| database.symbols.show(c.unwrap()).to_string()).collect())
    }

    const NONE: [&str; 0] = [];

    // Paper: Appendix, Example 1
    #[test]
    fn example_1_of_the_appendix() {
        let facts = "actedIn(p1, m1). actedIn(p1, m2). actedIn(p2, m1). actedIn(p2, m2).";
        let [h1, h2, h3] = covered(facts, ["p1", "p2"]).try_into().unwrap();
        assert_eq!(h1, NONE);
        assert_eq!(h2, NONE);
        assert_eq!(h3, ["p1 p1", "p1 p2", "p2 p1", "p2 p2"]);
        // θ = {P1/p1, M/m1, P2/p2}
        assert_eq!(witness_of(facts, 3, ["p1", "p2"]), Some(vec!["m1".into()]));
    }

    // Paper: Appendix, Example 2
    #[test]
    fn example_2_of_the_appendix() {
        let facts = "directedBy(m1, p1). inGenre(m1, g1). actedIn(p2, m2). inGenre(m2, g2). directedBy(m01, p01).
            actedIn(p03, m01). samePerson(p03, p02).";
        let [h1, h2, h3] = covered(facts, ["p1", "p2", "p01", "p02", "p03"]).try_into().unwrap();
        assert_eq!(h1, ["p1 p2"]);
        assert_eq!(h2, ["p01 p02"]);
        assert_eq!(h3, ["p2 p2", "p03 p03"]);
        // θ = {P1/p01, M/m01, P2/p02, P3/p03}
        assert_eq!(witness_of(facts, 2, ["p01", "p02"]), Some(vec!["m01".into(), "p03".into()]));
        assert_eq!(witness_of(facts, 1, ["p01", "p02"]), None);
        assert_eq!(witness_of(facts, 3, ["p01", "p02"]), None);
    }

    /// Ann directed m1 (g1), bob directed m2 (g2, g3); bob acted in m1, cat and dan in m2, ann in
    /// m3 (no genre).
    const MOVIES: &str = "directedBy(m1, ann). directedBy(m2, bob). actedIn(bob, m1). actedIn(cat, m2).
        actedIn(dan, m2). actedIn(ann, m3). inGenre(m1, g1). inGenre(m2, g2). inGenre(m2, g3). sameGenre(g1, g1).
        sameGenre(g1, g2). samePerson(dan, cat). samePerson(bob, bob).";

    #[test]
    fn all_clauses_cover_the_expected_queries() {
        let [h1, h2, h3] = covered(MOVIES, ["ann", "bob", "cat", "dan"]).try_into().unwrap();
        // (ann, bob) only has g1 with g1, which are the same; (ann, cat) has g1 with g3, which are
        // not.
        assert_eq!(h1, ["ann cat", "ann dan", "bob bob", "bob cat", "bob dan"]);
        assert_eq!(h2, ["ann bob", "bob cat"]);
        assert_eq!(h3, ["ann ann", "bob bob", "cat cat", "cat dan", "dan cat", "dan dan"]);
        // (bob, cat) has g2 and g3 of m2 with g2 and g3 of m2, no two of which are stated to be the
        // same.
        let (database, clauses, _) = sample::build(&format!("{CLAUSES}{MOVIES}"), None);
        let counted = |k: usize, query| count(&database, &clauses[k].1, clauses[k].0, &constants(&database, query));
        assert_eq!([counted(0, ["bob", "cat"]), counted(0, ["ann", "cat"]), counted(2, ["ann", "cat"])], [4, 1, 0]);
        // Negation applies within one substitution: g2 is refuted, g3 is not.
        assert_eq!(witness_of(MOVIES, 1, ["ann", "cat"]).unwrap(), ["m1", "g1", "m2", "g3"]);
        assert_eq!(witness_of(MOVIES, 2, ["bob", "cat"]).unwrap(), ["m2", "dan"]);
    }

    #[test]
    fn free_variables_of_negated_literals_match_anything() {
        let text = r"p(a). p(b). q(a, c). r(c).
            h(X) :- p(X), \+ q(X, Y).
            h(X) :- p(X), \+ q(X, X).
            h(X) :- \+ s(X, Y), \+ q(Y, X).
            h(X) :- p(X), \+ q(X, Y), \+ r(Y).";
        let (database, clauses, _) = sample::build(text, None);
        let check = |k: usize, name: &str| {
            let (target, body): &sample::Clause = &clauses[k];
            witness(&database, body, *target, &constants(&database, [name]))
        };
        assert_eq!(check(0, "a"), None);
        let b = constants(&database, ["b"])[0];
        assert_eq!(check(0, "b"), Some(vec![Some(b), None]));
        assert!(check(1, "a").is_some());
        // Y is local to each negated literal: q(a, c) refutes the query c, whatever s says.
        assert!(check(2, "a").is_some());
        assert!(check(2, "c").is_none());
        assert!(check(3, "b").is_none());
    }

    #[test]
    fn the_empty_conjunction_covers_everything() {
        let (database, clauses, _) = sample::build("p(a). rain. h(X) :- rain. h(X) :- snow.", None);
        let head = constants(&database, ["a"]);
        let target = clauses[0].0;
        assert!(covers(&database, &[], target, &head));
        assert!(covers(&database, &clauses[0].1, target, &head));
        assert!(!covers(&database, &clauses[1].1, target, &head));
    }
}

//! The sorted values of a step, intersected with those that a later step looks up.
//!
//! Long conjunctions spend most of their time on values that one literal has and another lacks.
//! Both lists are visited at once; each decides how far the other is skipped.

use std::ops::Range;

use super::super::join_plan::{Access, Intersection, JoinStep};
use super::Search;
use crate::logic::Constant;

impl<'p, 'a> Search<'p, 'a> {
    /// Returns the rows of the later step that agree with the other bound arguments; `None` if some
    /// of them may be invisible, so that each must be checked.
    pub(super) fn rows_of(&self, step: &JoinStep<'a>, intersection: &Intersection<'a>) -> Option<Range<usize>> {
        let Intersection { then, index, prefix, times } = intersection;
        if self.hidden == Some(step.then[*then].predicate) {
            return None;
        }
        if let Some(limit) = self.limit {
            let value = |column: usize| Constant::from_id(self.value(prefix[column]));
            if times.as_ref()?.iter().any(|(column, times)| times.hides(value(*column), limit)) {
                return Some(0..0);
            }
        }
        Some(self.rows_with(index, prefix))
    }

    /// Sums the groundings of the rows of a run, all of them visible, whose first bound value
    /// occurs among the rows of the later step.
    pub(super) fn intersect(
        &mut self,
        step: &'p JoinStep<'a>,
        access: &'p Access<'a>,
        intersection: &'p Intersection<'a>,
        run: Range<usize>,
        others: Range<usize>,
    ) -> u32 {
        let own = &access.index.column(access.prefix.len())[run.clone()];
        let others = &intersection.index.column(intersection.prefix.len())[others];
        let (mut at, mut other, mut sum) = (0, 0, 0u32);
        while at < own.len() {
            self.step();
            let value = own[at];
            other += below(&others[other..], value);
            let Some(&next) = others.get(other) else { break };
            if next > value {
                at += below(&own[at..], next);
                continue;
            }
            let equal = others[other..].iter().take(self.max_count as usize).take_while(|&&id| id == value);
            let repeats = equal.count() as u32;
            sum = sum.saturating_add(self.row_under(step, access, intersection, run.start + at, repeats));
            if sum >= self.max_count {
                return self.max_count;
            }
            if self.is_exhausted() {
                break;
            }
            at += 1;
            // Rows that differ in unconstrained columns only find the same again.
            while self.max_count == 1 && access.may_repeat && own.get(at) == Some(&value) {
                at += 1;
            }
        }
        sum
    }

    /// Counts the groundings of a row for which the later step has this many matches.
    fn row_under(
        &mut self,
        step: &'p JoinStep<'a>,
        access: &'p Access<'a>,
        intersection: &Intersection<'a>,
        at: usize,
        repeats: u32,
    ) -> u32 {
        if !access.actions.iter().all(|&(column, action)| self.act(action, access.index.column(column)[at])) {
            return 0;
        }
        let rest = step.then.iter().enumerate().filter(|(number, _)| *number != intersection.then);
        self.product_from(repeats, rest.map(|(_, step)| step))
    }
}

/// Returns the number of leading ids below a value, found in steps that double.
#[inline]
fn below(ids: &[u32], value: u32) -> usize {
    let mut end = 1;
    while end <= ids.len() && ids[end - 1] < value {
        end *= 2;
    }
    let start = end / 2;
    start + ids[start..ids.len().min(end)].partition_point(|&id| id < value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::catalog::Catalog;
    use crate::cover::conjunction::EncodedConjunction;
    use crate::cover::join_plan::JoinPlan;
    use crate::determinism::Stream;
    use crate::kb::sample::{self, constants};
    use crate::kb::{Database, TimeRule, TimeSource, naive};
    use std::fmt::Write as _;

    #[test]
    fn skipped_ids_are_those_below() {
        let ids = [2, 2, 3, 5, 8, 8, 9, 12];
        for start in 0..=ids.len() {
            for value in 0..14 {
                assert_eq!(below(&ids[start..], value), ids[start..].iter().filter(|&&id| id < value).count());
            }
        }
    }

    /// Returns whether a step of the plan has an intersection.
    fn intersects(steps: &[JoinStep<'_>]) -> bool {
        let here = |step: &JoinStep<'_>| step.access.as_ref().is_some_and(|access| access.intersection.is_some());
        steps.iter().any(|step| here(step) || intersects(&step.then))
    }

    /// Returns random facts with twelve constants, and a time of each.
    fn text(seed: u64) -> String {
        let stream = &mut Stream::new(seed, &["intersection"]);
        let mut text = String::from(
            "mode: p(+a, -b). mode: p(-a, +b). mode: q(+a, -b). mode: q(-a, +b). mode: r(+b). mode: s(+a, +a, -b). \
            mode: s(+a, -a, +b). ",
        );
        let mut facts = |predicate: &str, arity: usize, count: usize, text: &mut String| {
            for _ in 0..count {
                let args: Vec<String> = (0..arity).map(|_| format!("c{}", stream.index(12))).collect();
                write!(text, "{predicate}({}). ", args.join(", ")).unwrap();
            }
        };
        facts("p", 2, 40, &mut text);
        facts("q", 2, 40, &mut text);
        facts("r", 1, 6, &mut text);
        facts("s", 3, 120, &mut text);
        (0..12).for_each(|k| write!(text, "year(c{k}, {}). ", 2000 + k % 4).unwrap());
        text
    }

    const CLAUSES: [&str; 10] = [
        "h(A, B) :- p(A, C), q(B, C).",
        "h(A, B) :- p(A, C), q(B, C), r(C).",
        "h(A, B) :- p(C, A), q(B, C), p(C, D).",
        "h(A, B) :- s(A, B, C), q(B, C).",
        "h(A, B) :- p(A, C), s(B, A, C), q(D, C), p(D, B).",
        "h(A, B) :- s(A, C, D), s(B, C, E), p(A, D).",
        "h(A, B) :- p(A, C), s(B, C, D), q(A, D), p(B, D).",
        "h(A, B) :- p(c1, C), q(A, C), p(D, C), q(D, B).",
        "h(A, B) :- s(A, C, D), s(B, C, D), p(C, E).",
        "h(A, B) :- s(A, C, D), s(C, D, B), q(E, D).",
    ];

    #[test]
    fn intersections_agree_with_the_naive_evaluator() {
        let (mut planned, mut found) = (0, 0);
        for seed in 0..3 {
            let rule = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: Vec::new() };
            for rule in [None, Some(&rule)] {
                let (database, clauses, _) = sample::build(&(text(seed) + &CLAUSES.join(" ")), rule);
                for (target, body) in &clauses {
                    let key = EncodedConjunction::new(body.iter(), 2).key(&(0..body.len()).collect::<Vec<_>>());
                    let catalog = Catalog::new(&database);
                    let plan = JoinPlan::new(&key, 2, &catalog);
                    planned += usize::from(intersects(&plan.roots));
                    found += compare(&database, &plan, body, *target);
                }
            }
        }
        assert!(planned > 30 && found > 1000, "{planned} plans, {found} groundings");
    }

    /// Compares counts of one plan for all pairs of constants; returns their sum.
    fn compare(
        database: &Database,
        plan: &JoinPlan<'_>,
        body: &[crate::logic::Literal],
        target: crate::logic::PredicateId,
    ) -> usize {
        let all = constants(database, ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11"]);
        let mut sum = 0;
        for max_count in [1, 3, 1000] {
            let mut search = Search::new(plan, database, max_count, None);
            for (number, head) in all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b])).enumerate() {
                let limit = database.limit(target, &head);
                let expected = naive::count(database, body, target, &head);
                assert_eq!(search.count(&head, limit, number as u32) as usize, expected.min(max_count as usize));
                sum += expected;
            }
        }
        sum
    }
}

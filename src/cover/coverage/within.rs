//! Coverage inside a set of examples: for the candidates of one node.

use std::sync::Arc;

use super::bounds::Bounds;
use super::{Coverage, CoveredWithin, Decomposed, ENTRY_BYTES, head_variables, lock};
use crate::cover::Bits;
use crate::cover::interface::{LiteralList, Refined};
use crate::cover::refine::{RefineContext, refine};
use crate::logic::Literal;
use crate::parallel;

/// See [`Coverage::refines`].
const REFINEMENTS_PER_MEMBER: usize = 128;

impl Coverage<'_> {
    /// Covers several conjunctions, each inside a set of examples. An answer that took long is
    /// cached for the examples in its set.
    pub(crate) fn cover_within(&self, conjunctions: &[(Vec<&Literal>, &Bits)]) -> Vec<Bits> {
        parallel::map(conjunctions, 4 * self.examples.len(), |(conjunction, within)| {
            let Decomposed { encoded, components } = self.split(conjunction.iter().copied(), true);
            let mut covered = Bits::clone(within);
            for (members, key) in &components {
                let cached = lock(&self.cover_cache).get(key);
                if let Some(bits) = cached {
                    covered.and_assign(&bits);
                    continue;
                }
                let groups = self.groups(&head_variables(key), self.own_labels.is_some());
                let mut inside = groups.closure(&covered);
                let known = lock(&self.within_cache).get(key);
                if let Some(known) = &known {
                    inside = inside.and_not(&known.within);
                    if !inside.any() {
                        covered.and_assign(&known.covered);
                        continue;
                    }
                }
                if let Some(bound) = (Bounds { encoded: &encoded, cache: &self.cover_cache }).tight(members) {
                    inside.and_assign(&bound);
                }
                let mut now = CoveredWithin { within: groups.closure(&covered), covered: Bits::zeros(covered.len()) };
                let mut cost = 0;
                if inside.any() {
                    let (found, steps) = self.search_one(key, Some(&inside));
                    (now.covered, cost) = (Bits::clone(&found), steps);
                }
                if let Some(known) = &known {
                    now.within.or_assign(&known.within);
                    now.covered.or_assign(&known.covered);
                }
                covered.and_assign(&now.covered);
                // Most answers take less time than the memory for them is worth.
                if cost >= self.min_kept_cost * self.examples.len() as u64 {
                    let bytes = 8 * (key.len() + 2 * now.within.words().len()) + ENTRY_BYTES;
                    lock(&self.within_cache).insert(key.clone(), Arc::new(now), bytes, cost);
                }
            }
            covered
        })
    }

    /// Returns whether the refinements of conjunctions of these literals can be decided together:
    /// none of them is negated or a comparison, and no fact is hidden from a single example.
    pub(crate) fn can_refine(&self, literals: &[Literal]) -> bool {
        let is_plain = |literal: &Literal| !literal.negated && literal.comparison().is_none();
        self.own_labels.is_none() && self.database.recursion.is_none() && literals.iter().all(is_plain)
    }

    /// Returns whether it is worthwhile to decide so many refinements of all bases of a node
    /// together: few are answered faster by the cache.
    pub(crate) fn refines(&self, refinements: usize) -> bool {
        refinements >= self.min_members.saturating_sub(1).saturating_mul(REFINEMENTS_PER_MEMBER)
    }

    /// Returns the examples that a base covers together with each of the chosen literals, see
    /// [`super::refine`]; `None` if the base has too many variables.
    ///
    /// All literals are positive and no comparisons. `within` are the examples that the base
    /// covers, or some of them; the answers are for these.
    pub(crate) fn refine(
        &self,
        base: &[&Literal],
        literals: &LiteralList,
        chosen: &[u32],
        within: &Bits,
    ) -> Option<Refined> {
        let groups = |heads: &[u32]| self.groups(heads, false);
        let context = RefineContext {
            catalog: &self.catalog,
            arity: self.arity,
            examples: self.examples,
            limits: &self.limits,
            min_members: self.min_members,
            groups: &groups,
        };
        let mut matches = lock(&self.matches).pop().unwrap_or_default();
        let refined = refine(&context, &mut matches, base, literals, chosen, within);
        lock(&self.matches).push(matches);
        refined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::determinism::Stream;
    use crate::kb::sample::{self, constants};
    use crate::kb::{Example, naive};

    #[test]
    fn answers_for_some_examples_complete_each_other() {
        let text = "mode: p(+a, -a). mode: q(+a, -a). p(a, b). p(b, c). p(c, d). p(d, b). p(e, a). p(f, f). \
            q(b, c). q(c, e). q(d, d). q(f, a). h(A, B) :- p(A, C), q(C, D), p(B, D). h(A, B) :- p(A, C), p(C, D), q(B, E).";
        let (database, clauses, _) = sample::build(text, None);
        let all = constants(&database, ["a", "b", "c", "d", "e", "f"]);
        let pairs = all.iter().flat_map(|&first| all.iter().map(move |&second| [first, second]));
        let example = |args: [_; 2]| Example { args: args.into(), positive: true, class: 0, weight: 1.0, line: 0 };
        let examples: Vec<Example> = pairs.map(example).collect();
        let coverage = Coverage::new(&database, clauses[0].0, &examples, 1 << 20).kept_from(0);
        let mut stream = Stream::new(1, &["within"]);
        let mut covered = 0;
        for _ in 0..20 {
            for (target, literals) in &clauses {
                let share = 1 + stream.index(6);
                let within = Bits::from_fn(examples.len(), |_| stream.index(share) == 0);
                let found = coverage.cover_within(&[(literals.iter().collect(), &within)]).remove(0);
                let holds = |i: usize| naive::covers(&database, literals, *target, &examples[i].args);
                assert_eq!(found, Bits::from_fn(examples.len(), |i| within.get(i) && holds(i)));
                covered += found.count();
            }
        }
        assert!(covered > 0);
    }
}

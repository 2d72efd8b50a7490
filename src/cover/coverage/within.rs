//! Coverage inside a set of examples: for the candidates of one node.

use std::sync::Arc;

use super::bounds::Bounds;
use super::{Coverage, CoveredWithin, Decomposed, ENTRY_BYTES, head_variables, lock};
use crate::cover::Bits;
use crate::cover::binding_rows::{BindingRows, binding_rows};
use crate::cover::interface::{LiteralList, Refined};
use crate::cover::matches::Matches;
use crate::cover::refine::{RefineContext, refine};
use crate::logic::Literal;
use crate::parallel;

/// See [`Coverage::refines`].
const REFINEMENTS_PER_MEMBER: usize = 128;

/// The bindings of a path are enumerated if there are as many pairs per literal as refinements of
/// an interface from which on these are decided together, divided by this.
const FEWER_PAIRS: usize = 2;

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
        self.with_matches(|context, matches| refine(context, matches, base, literals, chosen, within))
    }

    /// Calls `f` with the inputs of refinement.
    fn with_matches<R>(&self, f: impl FnOnce(&RefineContext<'_, '_>, &mut Matches) -> R) -> R {
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
        let result = f(&context, &mut matches);
        lock(&self.matches).push(matches);
        result
    }

    /// Matches literals against all bindings of a path, to decide pairs of them, see
    /// [`super::binding_rows`]; `None` if the bindings are too many, or the pairs too few.
    pub(crate) fn binding_rows(
        &self,
        path: &[&Literal],
        literals: &LiteralList,
        within: &Bits,
        pairs: usize,
    ) -> Option<BindingRows> {
        if pairs < literals.len() * (self.min_members / FEWER_PAIRS) {
            return None;
        }
        self.with_matches(|context, matches| binding_rows(context, matches, path, literals, within))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::Refinement;
    use crate::determinism::Stream;
    use crate::kb::sample::{self, constants};
    use crate::kb::{Database, Example, naive};
    use crate::logic::{Argument, Variable};

    /// Returns an example of every pair of the six constants.
    fn pairs(database: &Database) -> Vec<Example> {
        let all = constants(database, ["a", "b", "c", "d", "e", "f"]);
        let pairs = all.iter().flat_map(|&first| all.iter().map(move |&second| [first, second]));
        let example = |args: [_; 2]| Example { args: args.into(), positive: true, class: 0, weight: 1.0, line: 0 };
        pairs.map(example).collect()
    }

    #[test]
    fn answers_for_some_examples_complete_each_other() {
        let text = "mode: p(+a, -a). mode: q(+a, -a). p(a, b). p(b, c). p(c, d). p(d, b). p(e, a). p(f, f). \
            q(b, c). q(c, e). q(d, d). q(f, a). h(A, B) :- p(A, C), q(C, D), p(B, D). h(A, B) :- p(A, C), p(C, D), q(B, E).";
        let (database, clauses, _) = sample::build(text, None);
        let examples = pairs(&database);
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

    #[test]
    fn pairs_of_literals_below_a_path_agree_with_the_naive_evaluator() {
        let text = "mode: p(+a, -a). mode: q(+a, -a). p(a, b). p(b, c). p(c, d). p(d, b). p(e, a). p(f, f). p(a, e). \
            q(b, c). q(c, e). q(d, d). q(f, a). q(e, a). q(e, d). \
            h(A, B) :- p(A, C), q(C, D), q(D, E), p(B, D), p(C, C), q(A, B), p(E, D), q(C, E), p(D, d).";
        let (database, clauses, _) = sample::build(text, None);
        let examples = pairs(&database);
        let (target, literals) = &clauses[0];
        let coverage = Coverage::new(&database, *target, &examples, 1 << 20).refined_from(1);
        let (path, singles) = literals.split_at(2);
        let mut list = LiteralList::default();
        singles.iter().for_each(|literal| list.push(literal.predicate, &literal.args));
        let holds = |body: &[Literal], i: usize| naive::covers(&database, body, *target, &examples[i].args);
        let within = Bits::from_fn(examples.len(), |i| i % 7 != 0 && holds(path, i));
        let references: Vec<&Literal> = path.iter().collect();
        let rows = coverage.binding_rows(&references, &list, &within, 1).unwrap();
        let others: Vec<u32> = (0..singles.len() as u32).collect();
        let mut covered = 0;
        for (first, literal) in singles.iter().enumerate() {
            let refined = rows.pairs(first, &others, &within);
            for (other, found) in singles.iter().zip(&refined.of) {
                // Variables that the path does not bind differ.
                let arg = |arg: &Argument| match *arg {
                    Argument::Variable(v) if v.0 >= 4 => Argument::Variable(Variable(v.0 + 10)),
                    other => other,
                };
                let apart = Literal { args: other.args.iter().map(arg).collect(), ..*other };
                let body = [path, &[literal.clone(), apart]].concat();
                let expected = Bits::from_fn(examples.len(), |i| within.get(i) && holds(&body, i));
                match *found {
                    Refinement::Row(row) => assert_eq!(refined.rows[row as usize], expected),
                    Refinement::Empty => assert!(!expected.any()),
                    Refinement::Undecided(_) => panic!("a pair is always decided"),
                }
                covered += expected.count();
            }
        }
        assert!(covered > 0);
        // Too few pairs for the literals.
        assert!(coverage.refined_from(8).binding_rows(&references, &list, &within, 1).is_none());
    }
}

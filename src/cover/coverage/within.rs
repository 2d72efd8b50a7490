//! Coverage inside a set of examples: for the candidates of one node.

use super::bounds::Bounds;
use super::{Coverage, Decomposed, head_variables, lock};
use crate::cover::Bits;
use crate::cover::interface::{LiteralList, Refined};
use crate::cover::refine::{RefineContext, refine};
use crate::logic::Literal;
use crate::parallel;

/// See [`Coverage::refines`].
const REFINEMENTS_PER_MEMBER: usize = 128;

impl Coverage<'_> {
    /// Covers several conjunctions, each inside a set of examples. The answers are not cached.
    pub(crate) fn cover_within(&self, conjunctions: &[(Vec<&Literal>, &Bits)]) -> Vec<Bits> {
        parallel::map(conjunctions, 4 * self.examples.len(), |(conjunction, within)| {
            let Decomposed { encoded, components } = self.split(conjunction.iter().copied());
            let mut covered = Bits::clone(within);
            for (members, key) in &components {
                let cached = lock(&self.cover_cache).get(key);
                if let Some(bits) = cached {
                    covered.and_assign(&bits);
                    continue;
                }
                let groups = self.groups(&head_variables(key), self.own_labels.is_some());
                let mut inside = groups.closure(&covered);
                if let Some(bound) = (Bounds { encoded: &encoded, cache: &self.cover_cache }).tight(members) {
                    inside.and_assign(&bound);
                }
                covered.and_assign(&self.search_one(key, Some(&inside)).0);
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

//! Coverage of recursive data, where positives are evidence and no example sees its own label.
//!
//! Without a negated literal, an example that is not covered with all labels visible is not covered
//! without its own. Searches therefore see all labels first, for many examples at once; only
//! covered examples whose own label is among the facts are searched again, one by one.

use std::sync::Arc;

use super::super::bits::Bits;
use super::super::conjunction::{ComponentKey, head_variables, mentions};
use super::super::groups::Groups;
use super::super::join_plan::JoinPlan;
use super::bounds::Bounds;
use super::{Coverage, Missing};
use crate::parallel;

impl Coverage<'_> {
    /// Corrects the coverage that packs found with all labels visible: no example sees its own.
    pub(super) fn hide_own_labels(&self, missing: &[Missing<'_>], found: &mut [Option<(Arc<Bits>, u64)>]) {
        let Some(own_labels) = &self.own_labels else { return };
        let is_affected = |number: &usize| {
            let covered = found[*number].as_ref();
            mentions(missing[*number].key, self.target)
                && covered.is_some_and(|(bits, _)| bits.count_and(own_labels) > 0)
        };
        let affected: Vec<usize> = (0..missing.len()).filter(is_affected).collect();
        let corrected = parallel::map(&affected, 4 * self.examples.len(), |&number| {
            let Missing { key, encoded, members, .. } = &missing[number];
            let (visible, cost) = found[number].as_ref()?;
            let within = Bounds { encoded, cache: &self.cover_cache }.tight(members);
            let within = within.map_or_else(|| Bits::clone(visible), |within| visible.and(&within));
            let plan = JoinPlan::new(key, self.arity, &self.catalog);
            let (covered, steps) = self.without_own_labels(key, &plan, own_labels, within);
            Some((Arc::new(covered), cost + steps))
        });
        for (number, corrected) in affected.into_iter().zip(corrected) {
            found[number] = corrected;
        }
    }

    /// Returns the examples that a component without negated literals covers if none sees its own
    /// label, given those it covers if all labels are visible; and the search cost.
    ///
    /// Only examples whose own label is among the facts may differ.
    pub(super) fn without_own_labels(
        &self,
        key: &ComponentKey,
        plan: &JoinPlan<'_>,
        own_labels: &Bits,
        visible: Bits,
    ) -> (Bits, u64) {
        let own = visible.and(own_labels);
        if !own.any() {
            return (visible, 0);
        }
        let groups = self.groups(&head_variables(key), true);
        let (groups, group_counts, cost) = self.search_with(plan, groups, 1, Some(&own), Some(self.target));
        // Each of these examples is a group of its own.
        let mut covered = visible.and_not(own_labels);
        covered.or_assign(&groups.covered(&group_counts));
        (covered, cost)
    }

    /// Returns the examples of groups with an example in a set. Cached answers hide own labels, so
    /// that the examples of a group may differ in them.
    pub(super) fn closure(&self, groups: &Groups, set: Bits) -> Bits {
        if self.own_labels.is_some() { groups.closure(&set) } else { set }
    }

    /// Returns the examples inside `within` that a component covers if all labels are visible, and
    /// the search cost.
    pub(super) fn search_visible(&self, key: &ComponentKey, plan: &JoinPlan<'_>, within: Option<&Bits>) -> (Bits, u64) {
        let groups = self.groups(&head_variables(key), false);
        let closed = within.map(|within| self.closure(&groups, within.clone()));
        let (groups, group_counts, cost) = self.search_or_separate(key, plan, groups, 1, closed.as_ref());
        let covered = groups.covered(&group_counts);
        (within.map_or_else(|| covered.clone(), |within| covered.and(within)), cost)
    }
}

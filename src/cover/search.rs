//! Depth-first search for the groundings of a component, up to a maximum number.
//!
//! A maximum of one decides whether a grounding exists.

mod intersect;

use super::join_plan::{
    Access, Action, BoundValue, JoinPlan, JoinStep, MAX_MEMO_SLOTS, MAX_NARROW_MEMO_SLOTS, Operand,
};
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Index, View};
use crate::logic::{Constant, PredicateId};

/// The maximum number of memoized counts per plan step.
const MAX_MEMO_ENTRIES: usize = 1 << 20;

/// A memo table with a larger capacity is replaced instead of cleared.
const MAX_CLEARED_CAPACITY: usize = 64;

/// The number of rows visited between two polls for cancellation.
const POLL_INTERVAL: u64 = 1 << 16;

/// The memoized count of a subplan.
#[derive(Clone, Copy, Debug)]
struct MemoEntry {
    count: u32,
    /// The rows visited to count it without any memo, saturating at [`COST_OVERFLOW`].
    cost: u32,
}

const COST_OVERFLOW: u32 = u32::MAX;

/// The maximum number of memoized counts per plan step with a wide key.
const MAX_WIDE_MEMO_ENTRIES: usize = 1 << 14;

/// The lookups after which a memo must have had some hits, and the lookups per hit.
const MIN_LOOKUPS: u64 = 1 << 9;
const MAX_LOOKUPS_PER_HIT: u64 = 8;

/// A memo with three or four bindings as its key, or with two and a time limit. Most are of use for
/// one head only, and many have hardly any hits.
#[derive(Clone, Debug, Default)]
struct WideMemo {
    counts: HashMap<u128, MemoEntry>,
    lookups: u64,
    hits: u64,
}

impl WideMemo {
    /// Returns whether there are enough hits.
    #[inline]
    fn is_worthwhile(&self) -> bool {
        self.lookups < MIN_LOOKUPS || self.hits * MAX_LOOKUPS_PER_HIT >= self.lookups
    }
}

/// What decides whether the rows of a run are visible.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Visibility {
    /// All are.
    All,
    /// The times of some columns, under this limit.
    ByColumns(f64),
    /// Each fact is looked up.
    ByFact,
}

/// A search through one plan, for one head after another.
///
/// The count for a head does not depend on the heads searched before, even where the budget runs
/// out: a memoized count is charged as if it had been computed again. A head that stays within its
/// budget under these charges has its exact count; any other is counted again without the memos of
/// other heads.
pub(crate) struct Search<'p, 'a> {
    plan: &'p JoinPlan<'a>,
    database: &'a Database,
    bindings: Vec<u32>,
    /// The target, if an example must not see its own label among the facts.
    hidden: Option<PredicateId>,
    /// The memos of steps that match facts of `hidden`: they are valid for one example only.
    per_example_memos: Vec<usize>,
    /// The arguments of the current example, if it must not see its own label.
    head: Vec<Constant>,
    limit: Option<f64>,
    /// The identifier of the time limit, part of the memo keys.
    limit_id: u32,
    /// Counts saturate here.
    max_count: u32,
    memos: Vec<HashMap<u64, MemoEntry>>,
    /// The memos with wide keys, by the same index.
    wide_memos: Vec<WideMemo>,
    /// Whether all memos are of the current head, so that their cost is charged already.
    memos_are_own: bool,
    /// The projected bindings found for the current head, one tuple after the other.
    found: Vec<u32>,
    args: Vec<Constant>,
    /// The number of rows visited.
    pub steps: u64,
    /// The maximum number of rows visited per head.
    budget: u64,
    /// The value of `steps` at which the budget of this head is exhausted; memo hits lower it.
    budget_end: u64,
}

impl<'p, 'a> Search<'p, 'a> {
    /// Creates a search for up to `max_count` groundings, at least one. With `hidden`, no example
    /// sees its own label among the facts of that predicate.
    pub fn new(plan: &'p JoinPlan<'a>, database: &'a Database, max_count: u32, hidden: Option<PredicateId>) -> Self {
        Search {
            hidden,
            per_example_memos: hidden.map_or_else(Vec::new, |hidden| memos_matching(&plan.roots, hidden)),
            head: Vec::new(),
            plan,
            database,
            max_count: max_count.max(1),
            bindings: vec![0; plan.slots],
            limit: None,
            limit_id: 0,
            memos: vec![HashMap::default(); plan.memos],
            wide_memos: vec![WideMemo::default(); plan.memos],
            memos_are_own: false,
            found: Vec::new(),
            args: Vec::new(),
            steps: 0,
            budget: u64::MAX,
            budget_end: u64::MAX,
        }
    }

    /// Limits the rows visited per head to about `budget`.
    pub fn with_budget(self, budget: u64) -> Self {
        Search { budget, ..self }
    }

    /// Returns whether the last count is a lower bound only: it reached the maximum, or the budget
    /// ran out.
    pub fn is_truncated(&self, count: u32) -> bool {
        count >= self.max_count || self.is_exhausted()
    }

    /// Counts a visited row and polls for cancellation at intervals.
    #[inline]
    fn step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(POLL_INTERVAL) {
            cancel::poll();
        }
    }

    /// Returns whether the budget of the last head ran out.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.steps >= self.budget_end
    }

    /// Counts the groundings of the component for a head with this time limit, up to `max_count`.
    /// `limit_id` identifies the limit.
    pub fn count(&mut self, head: &[Constant], limit: Option<f64>, limit_id: u32) -> u32 {
        self.start(head, limit, limit_id);
        for &memo in &self.per_example_memos {
            clear(&mut self.memos[memo]);
            clear(&mut self.wide_memos[memo].counts);
        }
        let count = self.count_roots();
        if !self.is_exhausted() {
            return count;
        }
        let other_memos = std::mem::replace(&mut self.memos, vec![HashMap::default(); self.plan.memos]);
        let other_wide_memos = std::mem::replace(&mut self.wide_memos, vec![WideMemo::default(); self.plan.memos]);
        self.memos_are_own = true;
        let count = self.count_roots();
        self.memos_are_own = false;
        (self.memos, self.wide_memos) = (other_memos, other_wide_memos);
        count
    }

    /// Returns the values of the projected variables for a head with this time limit, one tuple
    /// after the other and possibly repeated; `None` if the budget runs out.
    pub fn project(&mut self, head: &[Constant], limit: Option<f64>, limit_id: u32) -> Option<&mut Vec<u32>> {
        self.start(head, limit, limit_id);
        for &memo in &self.plan.enumerated {
            clear(&mut self.memos[memo]);
            clear(&mut self.wide_memos[memo].counts);
        }
        self.found.clear();
        // A memo hit is charged nothing: where the budget runs out, no answer is used.
        self.memos_are_own = true;
        self.count_roots();
        self.memos_are_own = false;
        (!self.is_exhausted()).then_some(&mut self.found)
    }

    fn start(&mut self, head: &[Constant], limit: Option<f64>, limit_id: u32) {
        let slots = &mut self.bindings[..head.len()];
        for (k, constant) in head.iter().enumerate() {
            slots[k] = constant.id();
        }
        (self.limit, self.limit_id) = (limit, limit_id);
        if self.hidden.is_some() {
            self.head.clear();
            self.head.extend_from_slice(head);
        }
    }

    fn count_roots(&mut self) -> u32 {
        self.step();
        self.budget_end = self.steps.saturating_add(self.budget);
        self.product(&self.plan.roots)
    }

    /// Counts the groundings of steps that share no free variable: the product of their counts.
    fn product(&mut self, steps: &'p [JoinStep<'a>]) -> u32 {
        self.product_from(1, steps)
    }

    /// Multiplies a count by those of steps.
    #[inline]
    fn product_from(&mut self, mut count: u32, steps: impl IntoIterator<Item = &'p JoinStep<'a>>) -> u32
    where
        'a: 'p,
    {
        for step in steps {
            count = self.max_count.min(self.count_with_memo(step).saturating_mul(count));
            if count == 0 {
                break;
            }
        }
        count
    }

    fn count_with_memo(&mut self, step: &'p JoinStep<'a>) -> u32 {
        let Some((memo, slots)) = &step.memo else { return self.count_step(step) };
        if slots.len() > MAX_NARROW_MEMO_SLOTS {
            return self.count_with_wide_memo(step, *memo, slots);
        }
        let value = |k: usize| u64::from(slots.get(k).map_or(0, |&slot| self.bindings[slot]));
        let key = match slots.len() {
            2 if self.limit.is_some() && self.plan.memoizes_limited_pairs => {
                return self.count_with_wide_memo(step, *memo, slots);
            }
            2 if self.limit.is_some() => return self.count_step(step),
            2 => value(0) << 32 | value(1),
            _ => value(0) << 32 | u64::from(self.limit_id),
        };
        if let Some(&MemoEntry { count, cost }) = self.memos[*memo].get(&key) {
            self.charge(cost);
            return count;
        }
        let before = (self.steps, self.budget_end);
        let count = self.count_step(step);
        // A truncated count is not memoized.
        if self.memos[*memo].len() < MAX_MEMO_ENTRIES && !self.is_exhausted() {
            let cost = self.cost_since(before);
            self.memos[*memo].insert(key, MemoEntry { count, cost });
        }
        count
    }

    /// The same for a memo with a wide key.
    fn count_with_wide_memo(&mut self, step: &'p JoinStep<'a>, memo: usize, slots: &[usize]) -> u32 {
        let is_full = slots.len() == MAX_MEMO_SLOTS;
        if (is_full && self.limit.is_some()) || !self.wide_memos[memo].is_worthwhile() {
            return self.count_step(step);
        }
        let last = if is_full { 0 } else { u128::from(self.limit_id) };
        let key = slots.iter().fold(last, |key, &slot| key << 32 | u128::from(self.bindings[slot]));
        let table = &mut self.wide_memos[memo];
        table.lookups += 1;
        if let Some(&MemoEntry { count, cost }) = table.counts.get(&key) {
            table.hits += 1;
            self.charge(cost);
            return count;
        }
        let before = (self.steps, self.budget_end);
        let count = self.count_step(step);
        if !self.is_exhausted() {
            let cost = self.cost_since(before);
            let counts = &mut self.wide_memos[memo].counts;
            if counts.len() >= MAX_WIDE_MEMO_ENTRIES {
                counts.clear();
            }
            counts.insert(key, MemoEntry { count, cost });
        }
        count
    }

    /// Charges the budget for a memoized count, as if it were counted again.
    #[inline]
    fn charge(&mut self, cost: u32) {
        if !self.memos_are_own && self.budget < u64::MAX {
            self.budget_end = if cost == COST_OVERFLOW { 0 } else { self.budget_end.saturating_sub(cost.into()) };
        }
    }

    /// Returns the steps taken and charged since these values of `steps` and `budget_end`.
    #[inline]
    fn cost_since(&self, (steps, budget_end): (u64, u64)) -> u32 {
        u32::try_from(self.steps - steps + (budget_end - self.budget_end)).unwrap_or(COST_OVERFLOW)
    }

    fn count_step(&mut self, step: &'p JoinStep<'a>) -> u32 {
        let found = match (&step.compare, &step.access) {
            (Some((comparison, [left, right])), _) => {
                self.step();
                u32::from(comparison.holds(self.operand(*left), self.operand(*right)))
            }
            (None, Some(access)) => self.matches(step, access),
            (None, None) if step.emits => {
                // The search goes on as if nothing was found.
                self.found.extend(self.plan.projected.iter().map(|&slot| self.bindings[slot]));
                0
            }
            (None, None) if step.none_of.is_empty() => 0,
            (None, None) => {
                let max_count = std::mem::replace(&mut self.max_count, 1);
                let found = self.product(&step.none_of);
                self.max_count = max_count;
                found
            }
        };
        match step.negated {
            // A truncated search may have missed a match: count none, so that no count is too high.
            true => u32::from(found == 0 && !self.is_exhausted()),
            false => found,
        }
    }

    /// Sums `f` over the items until the maximum is reached or the budget runs out.
    #[inline]
    fn sum<T>(&mut self, items: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T) -> u32) -> u32 {
        let mut sum = 0u32;
        for item in items {
            sum = sum.saturating_add(f(self, item));
            if sum >= self.max_count {
                return self.max_count;
            }
            if self.is_exhausted() {
                break;
            }
        }
        sum
    }

    #[inline]
    fn value(&self, source: BoundValue) -> u32 {
        match source {
            BoundValue::Constant(id) => id,
            BoundValue::Slot(slot) => self.bindings[slot],
        }
    }

    #[inline]
    fn operand(&self, operand: Operand) -> Option<f64> {
        match operand {
            Operand::Value(value) => value,
            Operand::Slot(slot) => self.database.symbols.number(Constant::from_id(self.bindings[slot])),
        }
    }

    /// Counts the ways to match a fact and then all later steps.
    fn matches(&mut self, step: &'p JoinStep<'a>, access: &'p Access<'a>) -> u32 {
        let index = access.index;
        let Some(&first) = access.prefix.first() else {
            if index.order().is_empty() {
                let is_checked = self.limit.is_some() || self.hidden == Some(step.predicate);
                let visibility = if is_checked { Visibility::ByFact } else { Visibility::All };
                return if index.rows() > 0 { self.row(step, access, visibility, 0, 0) } else { 0 };
            }
            return self.sum(index.directory().iter(), |search, (key, run)| {
                let matches = match access.actions.first() {
                    Some(&(0, action)) => search.act(action, key),
                    _ => true,
                };
                if matches { search.run(step, access, run, key) } else { 0 }
            });
        };
        let run = self.rows_with(index, &access.prefix);
        self.run(step, access, run, self.value(first))
    }

    /// Returns the rows of an index with these values in the leading columns, at least one.
    #[inline]
    fn rows_with(&self, index: &Index, prefix: &[BoundValue]) -> std::ops::Range<usize> {
        let mut values = prefix.iter().map(|&source| Constant::from_id(self.value(source)));
        let mut run = values.next().map_or(0..index.rows(), |key| index.run(key));
        for (k, value) in values.enumerate() {
            run = index.narrow(run, k + 1, value);
        }
        run
    }

    fn run(&mut self, step: &'p JoinStep<'a>, access: &'p Access<'a>, run: std::ops::Range<usize>, key: u32) -> u32 {
        let visibility = match (self.limit, &access.times) {
            _ if self.hidden == Some(step.predicate) => Visibility::ByFact,
            (None, _) => Visibility::All,
            (Some(_), None) => Visibility::ByFact,
            (Some(limit), Some(times)) => {
                let value = |column: usize| if column == 0 { key } else { self.value(access.prefix[column]) };
                if times.of_run.iter().any(|&(column, times)| times.hides(Constant::from_id(value(column)), limit)) {
                    self.step();
                    return 0;
                }
                if times.of_row.is_empty() { Visibility::All } else { Visibility::ByColumns(limit) }
            }
        };
        if visibility == Visibility::All {
            if let Some(intersection) = &access.intersection
                && !run.is_empty()
                && let Some(others) = self.rows_of(step, intersection)
            {
                return self.intersect(step, access, intersection, run, others);
            }
            // Unconstrained columns do not distinguish rows, and the key of the run is bound
            // already.
            if run.is_empty() || access.actions.iter().all(|(column, _)| *column == 0) {
                self.step();
                let rows = self.max_count.min(u32::try_from(run.len()).unwrap_or(u32::MAX));
                return if rows == 0 { 0 } else { self.max_count.min(rows.saturating_mul(self.product(&step.then))) };
            }
            if self.max_count == 1 && access.may_repeat && !access.prefix.is_empty() {
                let column = &access.index.column(access.prefix.len())[run.clone()];
                let mut last = None;
                return self.sum(run.zip(column), |search, (at, value)| {
                    if last.replace(value) == Some(value) { 0 } else { search.row(step, access, visibility, at, key) }
                });
            }
        }
        self.sum(run, |search, at| search.row(step, access, visibility, at, key))
    }

    fn row(
        &mut self,
        step: &'p JoinStep<'a>,
        access: &'p Access<'a>,
        visibility: Visibility,
        at: usize,
        key: u32,
    ) -> u32 {
        self.step();
        for &(column, action) in &access.actions {
            if column > 0 && !self.act(action, access.index.column(column)[at]) {
                return 0;
            }
        }
        let is_visible = match (visibility, &access.times) {
            (Visibility::All, _) => true,
            (Visibility::ByColumns(limit), Some(times)) => {
                let value = |column: usize| Constant::from_id(access.index.column(column)[at]);
                !times.of_row.iter().any(|&(column, times)| times.hides(value(column), limit))
            }
            (Visibility::ByColumns(_), None) | (Visibility::ByFact, _) => self.is_visible(step, access.index, at, key),
        };
        if is_visible { self.product(&step.then) } else { 0 }
    }

    #[inline]
    fn act(&mut self, action: Action, value: u32) -> bool {
        match action {
            Action::Equals(source) => self.value(source) == value,
            Action::Bind(slot) => {
                self.bindings[slot] = value;
                true
            }
        }
    }

    fn is_visible(&mut self, step: &JoinStep<'a>, index: &Index, at: usize, key: u32) -> bool {
        if self.args.len() != index.order().len() {
            self.args.resize(index.order().len(), Constant::from_id(key));
        }
        self.args.fill(Constant::from_id(key));
        for (column, &position) in index.order().iter().enumerate().skip(1) {
            self.args[position as usize] = Constant::from_id(index.column(column)[at]);
        }
        let predicate = step.predicate;
        let recursion = self.database.recursion.filter(|recursion| recursion.target == predicate);
        match recursion {
            None => self.database.visible(predicate, &self.args, self.limit),
            Some(recursion) => {
                // Without `hidden`, one answer serves a whole group: either no example of it has
                // its own label among the facts, or all labels are visible.
                let own: &[Constant] = if self.hidden.is_some() { &self.head } else { &[] };
                self.database.view_includes(&View::recursive(self.limit, recursion, own), predicate, &self.args)
            }
        }
    }
}

/// Clears a memo table.
fn clear<K>(table: &mut HashMap<K, MemoEntry>) {
    // Clearing takes time proportional to the capacity, and most examples need few entries.
    if table.capacity() > MAX_CLEARED_CAPACITY { *table = HashMap::default() } else { table.clear() }
}

/// Returns the memos of the steps that match facts of a predicate, directly or in a later step.
fn memos_matching(steps: &[JoinStep<'_>], predicate: PredicateId) -> Vec<usize> {
    let mut tables = Vec::new();
    for step in steps {
        let here = step.predicate == predicate || mentions(&step.then, predicate);
        tables.extend(step.memo.as_ref().filter(|_| here).map(|(memo, _)| *memo));
        tables.extend(memos_matching(&step.then, predicate));
    }
    tables
}

/// Returns whether a step matches facts of a predicate, directly or in a later step.
fn mentions(steps: &[JoinStep<'_>], predicate: PredicateId) -> bool {
    steps.iter().any(|step| step.predicate == predicate || mentions(&step.then, predicate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::catalog::Catalog;
    use crate::cover::conjunction::EncodedConjunction;
    use crate::kb::sample::{self, constants};
    use crate::kb::{TimeRule, TimeSource};
    use std::fmt::Write as _;

    #[test]
    fn a_budgeted_count_under_a_time_limit_is_charged_for_repeated_pairs() {
        let mut text =
            String::from("mode: a(+x, -w). mode: b(+w, -v). mode: c(+v, -u). mode: d(+u, +y). year(x, 2000).");
        let facts = |text: &mut String, name: &str, pairs: &mut dyn Iterator<Item = (String, String)>| {
            pairs.for_each(|(one, other)| write!(text, " {name}({one}, {other}).").unwrap());
        };
        facts(&mut text, "a", &mut (0..20).map(|w| ("x".into(), format!("w{w}"))));
        facts(&mut text, "b", &mut (0..20).flat_map(|w| (0..20).map(move |v| (format!("w{w}"), format!("v{v}")))));
        facts(&mut text, "c", &mut (0..20).flat_map(|v| (0..5).map(move |u| (format!("v{v}"), format!("u{u}")))));
        facts(&mut text, "d", &mut (0..5).flat_map(|u| (0..20).map(move |y| (format!("u{u}"), format!("y{y}")))));
        text += " h(X, Y) :- a(X, W), b(W, V), c(V, U), d(U, Y).";
        let source = TimeSource::Predicate("year".into());
        let (database, clauses, _) = sample::build(&text, Some(&TimeRule { source, by_argument: Vec::new() }));
        let catalog = Catalog::new(&database);
        let key = EncodedConjunction::new(clauses[0].1.iter(), 2).key(&[0, 1, 2, 3]);
        let head = constants(&database, ["x", "y3"]);
        let plan = JoinPlan::with_exclusions(&key, &[], 2, &catalog);
        let counted = |budget: u64, limit: Option<f64>| {
            let mut search = Search::new(&plan, &database, u32::MAX, None).with_budget(budget);
            let count = search.count(&head, limit, 0);
            (count, search.is_truncated(count))
        };
        // A pair (V, Y) is counted again for each W, which takes 11 steps.
        assert_eq!(counted(10_000, Some(2000.0)), (2000, false));
        let (count, is_truncated) = counted(2_000, Some(2000.0));
        assert!(count < 2000 && is_truncated, "{count}");
    }
}

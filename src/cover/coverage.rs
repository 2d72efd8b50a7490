//! The examples that a conjunction covers.
//!
//! Four things make this fast. A conjunction splits into components that share only head
//! variables, and its coverage is the intersection of theirs. A component is searched once for all
//! examples that agree on the head variables it mentions. Components that differ only in their last
//! literal share the search for the others, see [`super::pack`]. And since coverage does not depend
//! on gradients, results are cached across trees, as far as memory allows.

mod bounds;
mod own_labels;
mod within;

use std::sync::{Arc, Mutex};

use self::bounds::Bounds;
use super::audit::Audit;
use super::bits::Bits;
use super::cache::{Cache, lock};
use super::catalog::Catalog;
use super::conjunction::{ComponentKey, EncodedConjunction, has_negation, head_variables, mentions};
use super::count::{GroundingCounts, MAX_GROUNDINGS};
use super::groups::{Groups, TimeLimits};
use super::join_plan::JoinPlan;
use super::matches::Matches;
use super::pack::{Pack, PackContext};
use super::refine::MIN_MEMBERS;
use super::search::Search;
use super::separator::{ENTRIES_PER_STEP, ListContext, Lists, Separated, SeparatedCounts, Side};
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Example};
use crate::logic::{Constant, Literal, PredicateId};
use crate::parallel;

/// The default memory budget for cached answers: one gibibyte.
pub const DEFAULT_MEMORY_BYTES: usize = 1 << 30;

/// Computes and caches which examples conjunctions cover.
///
/// It can be shared between threads. Answers depend neither on threads nor on the memory budget.
#[derive(Debug)]
pub struct Coverage<'a> {
    database: &'a Database,
    target: PredicateId,
    examples: &'a [Example],
    arity: usize,
    memory_bytes: usize,
    limits: TimeLimits,
    /// The examples whose own label is among the facts and must be hidden from them; `None` if
    /// there is none.
    own_labels: Option<Bits>,
    /// By the head variables that distinguish examples, and whether own labels do.
    groups: Mutex<HashMap<Box<[u32]>, Arc<Groups>>>,
    catalog: Arc<Catalog<'a>>,
    cover_cache: Mutex<Cache<ComponentKey, Arc<Bits>>>,
    /// The answers of [`Coverage::cover_within`].
    within_cache: Mutex<Cache<ComponentKey, Arc<CoveredWithin>>>,
    count_cache: Mutex<Cache<ComponentKey, Arc<GroundingCounts>>>,
    /// By side of a separator, groups needed, and whether there are numbers.
    list_cache: Mutex<ListCache>,
    /// The matches of literals, one for each thread at work.
    matches: Arc<Mutex<Vec<Matches>>>,
    audit: Option<&'a Audit>,
    /// See [`Coverage::bounded_from`].
    min_groups_for_bounds: usize,
    /// See [`Coverage::refined_from`].
    min_members: usize,
    /// See [`Coverage::kept_from`].
    min_kept_cost: u64,
    /// The indices of the examples among those known to the audit, if they are a subset.
    indices: Option<&'a [usize]>,
}

/// The lists of sides of separators, or the number of steps that did not suffice for them.
type ListCache = Cache<(Side, Bits, bool), Result<Arc<Lists>, u64>>;

/// The examples that a component covers among some.
#[derive(Debug)]
struct CoveredWithin {
    within: Bits,
    covered: Bits,
}

/// A conjunction split into components.
struct Decomposed {
    encoded: EncodedConjunction,
    /// The literals of each component, and its normal form.
    components: Vec<(Vec<usize>, ComponentKey)>,
}

/// The number of components from which on a pack is worthwhile: a pack enumerates all bindings of
/// its base, while a search for one component ends at the first witness.
const MIN_PACK: usize = 8;

/// The steps of a search, per group of examples and in any case, after which a separator is tried.
const STEPS_BEFORE_SEPARATION: u64 = 32;
const MIN_STEPS_BEFORE_SEPARATION: u64 = 1 << 15;

/// The factor on the steps of a search after which a separator is tried again.
const STEPS_BETWEEN_SEPARATIONS: u64 = 4;

/// The steps for the lists of both sides of a separator, per step of the search so far.
const LIST_STEPS: u64 = 2;

/// The default of [`Coverage::bounded_from`]: with few groups, bounds take longer than the search.
const MIN_GROUPS_FOR_BOUNDS: usize = 512;

/// The default of [`Coverage::kept_from`].
const MIN_KEPT_COST: u64 = 8;

/// The memory of a cache entry besides its words: two allocations and a slot in the map.
const ENTRY_BYTES: usize = 128;

impl<'a> Coverage<'a> {
    /// Prepares the coverage of the examples of a target. Cached answers take about `memory_bytes`,
    /// not counting the temporary memory of a search.
    ///
    /// # Panics
    /// If the number of arguments of an example differs from the arity of the target.
    pub fn new(database: &'a Database, target: PredicateId, examples: &'a [Example], memory_bytes: usize) -> Self {
        let arity = database.predicates.arity(target);
        let fits = |example: &Example| example.args.len() == arity;
        assert!(examples.iter().all(fits), "the arity of an example differs from that of the target");
        let own_labels = Bits::from_fn(examples.len(), |i| database.label_is_evidence(target, &examples[i].args));
        Coverage {
            database,
            target,
            examples,
            arity,
            memory_bytes,
            limits: TimeLimits::new(database, target, examples),
            own_labels: Some(own_labels).filter(Bits::any),
            groups: Mutex::default(),
            catalog: Arc::new(Catalog::new(database)),
            // The other half is for cached candidate lists, see `Grower`.
            cover_cache: Mutex::new(Cache::new(memory_bytes / 16 * 4)),
            within_cache: Mutex::new(Cache::new(memory_bytes / 16)),
            count_cache: Mutex::new(Cache::new(memory_bytes / 8)),
            list_cache: Mutex::new(Cache::new(memory_bytes / 16)),
            matches: Arc::default(),
            audit: None,
            min_groups_for_bounds: MIN_GROUPS_FOR_BOUNDS,
            min_members: MIN_MEMBERS,
            min_kept_cost: MIN_KEPT_COST,
            indices: None,
        }
    }

    /// Records answers in an audit.
    pub fn audited(self, audit: Option<&'a Audit>) -> Self {
        Coverage { audit, ..self }
    }

    /// Sets the number of groups of examples from which on a pack of components first determines
    /// which of them they may cover. It affects the effort only.
    pub fn bounded_from(self, groups: usize) -> Self {
        Coverage { min_groups_for_bounds: groups, ..self }
    }

    /// Sets the number of refinements of a base with the same bound variables from which on they
    /// are decided together; 1 decides all together, the maximum none. It affects the effort only.
    pub fn refined_from(self, refinements: usize) -> Self {
        Coverage { min_members: refinements, ..self }
    }

    /// Sets the search cost per example from which on an answer for the examples of one node is
    /// cached. It affects the effort and the memory only.
    pub fn kept_from(self, cost: u64) -> Self {
        Coverage { min_kept_cost: cost, ..self }
    }

    /// Returns the coverage of a subset of the examples, given with their indices; its caches are
    /// empty.
    pub(crate) fn restricted_to<'b>(&self, examples: &'b [Example], indices: &'b [usize]) -> Coverage<'b>
    where
        'a: 'b,
    {
        let coverage = Coverage::new(self.database, self.target, examples, self.memory_bytes / 2);
        let (catalog, matches) = (self.catalog.clone(), self.matches.clone());
        let Coverage { audit, min_members, min_kept_cost, .. } = *self;
        Coverage { audit, indices: Some(indices), catalog, matches, min_members, min_kept_cost, ..coverage }
    }

    /// Returns the audit that records the answers.
    pub(crate) fn audit(&self) -> Option<&'a Audit> {
        self.audit
    }

    /// Returns whether an audit records the answers.
    pub(crate) fn is_audited(&self) -> bool {
        self.audit.is_some()
    }

    /// Records an answer in the audit, if there is one.
    pub(crate) fn record_for_audit(&self, conjunction: &[Literal], at_least: u32, covered: &Bits) {
        if let Some(audit) = self.audit {
            audit.record(conjunction, at_least, covered, self.indices);
        }
    }

    /// Returns the facts.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// Returns the predicate of the examples.
    pub fn target(&self) -> PredicateId {
        self.target
    }

    /// Returns the examples.
    pub fn examples(&self) -> &'a [Example] {
        self.examples
    }

    /// Returns the memory budget of cached answers in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Returns the examples for which the conjunction has a grounding among the facts each may see.
    ///
    /// Variables `0..arity` are the arguments of the example. A negated literal is true if no fact
    /// matches it under the same grounding; its unbound variables match anything.
    pub fn cover(&self, conjunction: &[Literal]) -> Arc<Bits> {
        self.cover_all(&[conjunction]).pop().unwrap_or_else(|| Arc::new(Bits::zeros(0)))
    }

    /// Covers several conjunctions, searched in parallel; large batches are more efficient.
    ///
    /// The search is faster if the conjunction without its last literal was covered before.
    pub fn cover_all<C: AsRef<[Literal]> + Sync>(&self, conjunctions: &[C]) -> Vec<Arc<Bits>> {
        let conjunctions: Vec<Vec<&Literal>> =
            conjunctions.iter().map(|conjunction| conjunction.as_ref().iter().collect()).collect();
        self.cover_each(&conjunctions)
    }

    /// Covers several conjunctions, given as references to their literals.
    pub(crate) fn cover_each(&self, conjunctions: &[Vec<&Literal>]) -> Vec<Arc<Bits>> {
        let split: Vec<Decomposed> =
            parallel::map(conjunctions, 1000, |conjunction| self.split(conjunction.iter().copied(), true));
        // The index of each distinct component in `found`, which has its coverage if cached.
        let mut index_of: HashMap<&ComponentKey, usize> = HashMap::default();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        {
            let mut cache = lock(&self.cover_cache);
            for Decomposed { encoded, components } in &split {
                for (members, key) in components {
                    if index_of.contains_key(key) {
                        continue;
                    }
                    index_of.insert(key, found.len());
                    let bits = cache.get(key);
                    if bits.is_none() {
                        missing.push(Missing { index: found.len(), key, encoded, members });
                    }
                    found.push(bits);
                }
            }
        }
        let searched = self.search_all(&missing);
        {
            let mut cache = lock(&self.cover_cache);
            for (Missing { index, key, .. }, (bits, steps)) in missing.into_iter().zip(searched) {
                let bytes = 8 * (key.len() + bits.words().len()) + ENTRY_BYTES;
                cache.insert(key.clone(), bits.clone(), bytes, steps);
                found[index] = Some(bits);
            }
        }
        let intersection = |split: &Decomposed| {
            let mut bits = split.components.iter().filter_map(|(_, key)| found[index_of[key]].clone());
            let Some(first) = bits.next() else { return Arc::new(Bits::ones(self.examples.len())) };
            bits.fold(first, |all, bits| Arc::new(all.and(&bits)))
        };
        let covered: Vec<Arc<Bits>> = split.iter().map(intersection).collect();
        for (conjunction, bits) in conjunctions.iter().zip(&covered).filter(|_| self.is_audited()) {
            let conjunction: Vec<Literal> = conjunction.iter().map(|&literal| literal.clone()).collect();
            self.record_for_audit(&conjunction, 1, bits);
        }
        covered
    }

    /// Returns the coverage of each component and its search cost.
    fn search_all(&self, missing: &[Missing<'_>]) -> Vec<(Arc<Bits>, u64)> {
        let mut found: Vec<Option<(Arc<Bits>, u64)>> = vec![None; missing.len()];
        let items = missing.iter().enumerate();
        let mut packs = Pack::group(items.map(|(number, missing)| (number, missing.encoded, &missing.members[..])));
        packs.retain(|pack| pack.refinements.len() >= MIN_PACK);
        let numbered: Vec<usize> = (0..packs.len()).collect();
        let sizes: usize = packs.iter().map(|pack| pack.refinements.len()).sum();
        let steps = self.examples.len() * sizes / packs.len().max(1);
        let packed = parallel::map(&numbered, steps, |&k| self.search_pack(&packs[k], missing));
        let empty = Arc::new(Bits::zeros(self.examples.len()));
        for (pack, covered) in packs.iter().zip(packed) {
            let Some((covered, steps)) = covered else { continue };
            let cost = steps / pack.refinements.len() as u64 + self.examples.len() as u64;
            for (&(number, _), bits) in pack.refinements.iter().zip(covered) {
                found[number] = Some((bits.map_or_else(|| empty.clone(), Arc::new), cost));
            }
        }
        self.hide_own_labels(missing, &mut found);
        let rest: Vec<usize> = (0..missing.len()).filter(|&number| found[number].is_none()).collect();
        let searched = parallel::map(&rest, 4 * self.examples.len(), |&number| {
            let Missing { key, encoded, members, .. } = &missing[number];
            let within = Bounds { encoded, cache: &self.cover_cache }.tight(members);
            match within {
                Some(within) if !within.any() => (empty.clone(), self.examples.len() as u64),
                within => self.search_one(key, within.as_ref()),
            }
        });
        for (number, searched) in rest.into_iter().zip(searched) {
            found[number] = Some(searched);
        }
        found.into_iter().flatten().collect()
    }

    /// Evaluates a pack, see [`Pack::evaluate`].
    fn search_pack(&self, pack: &Pack, missing: &[Missing<'_>]) -> Option<(Vec<Option<Bits>>, u64)> {
        let context =
            PackContext { catalog: &self.catalog, arity: self.arity, examples: self.examples, limits: &self.limits };
        let (base_groups, groups) = (self.groups(&pack.base_heads, false), self.groups(&pack.heads, false));
        let bound = |&(number, _): &(usize, _)| {
            let Missing { encoded, members, .. } = missing[number];
            (Bounds { encoded, cache: &self.cover_cache }, members)
        };
        if groups.first.len() < self.min_groups_for_bounds {
            let (bounds, members) = bound(&pack.refinements[0]);
            let within = bounds.without_last(members).map(|within| self.closure(&groups, within));
            let pairs = pack.refinements.len() * groups.first.len();
            return pack.evaluate(&context, &base_groups, &groups, within.as_ref(), pairs);
        }
        // The groups that some refinement may cover, and the number of pairs of both.
        let (mut within, mut pairs) = (Bits::zeros(self.examples.len()), 0);
        for refinement in &pack.refinements {
            let (bounds, members) = bound(refinement);
            let own = bounds.tight(members).unwrap_or_else(|| Bits::ones(self.examples.len()));
            pairs += own.count();
            within.or_assign(&own);
        }
        let pairs = (pairs as f64 * groups.first.len() as f64 / self.examples.len() as f64) as usize;
        let within = self.closure(&groups, within);
        pack.evaluate(&context, &base_groups, &groups, Some(&within), pairs)
    }

    /// Splits a conjunction into components with their normal forms. With `is_minimal`, literals
    /// that others imply are omitted: this does not affect which examples are covered.
    fn split<'l>(&self, conjunction: impl Iterator<Item = &'l Literal>, is_minimal: bool) -> Decomposed {
        let encoded = EncodedConjunction::new(conjunction, self.arity);
        let mut all: Vec<usize> = (0..encoded.literals()).collect();
        if is_minimal {
            all = encoded.minimal(&all);
        }
        let with_key = |members: Vec<usize>| {
            let key = encoded.key(&members);
            (members, key)
        };
        let components = encoded.components(&all).into_iter().map(with_key).collect();
        Decomposed { encoded, components }
    }

    /// Counts the groundings of conjunctions for each example among the facts it may see:
    /// substitutions of the local variables of positive literals. Several conjunctions are searched
    /// in parallel.
    pub fn counts<C: AsRef<[Literal]> + Sync>(&self, conjunctions: &[C]) -> Vec<Arc<GroundingCounts>> {
        let count = |conjunction: &C| {
            let components = self.split(conjunction.as_ref().iter(), false).components;
            let mut counts = components.iter().map(|(_, key)| self.count_component(key));
            let Some(first) = counts.next() else { return Arc::new(GroundingCounts(vec![1; self.examples.len()])) };
            counts.fold(first, |all, more| Arc::new(all.product(&more)))
        };
        parallel::map(conjunctions, 16 * self.examples.len(), count)
    }

    fn count_component(&self, key: &ComponentKey) -> Arc<GroundingCounts> {
        if let Some(counts) = lock(&self.count_cache).get(key) {
            return counts;
        }
        let (groups, group_counts, cost) = self.search(key, MAX_GROUNDINGS, None);
        let counts =
            Arc::new(GroundingCounts(groups.of.iter().map(|&group| group_counts[group as usize] as u8).collect()));
        let bytes = 8 * key.len() + counts.0.len() + ENTRY_BYTES;
        lock(&self.count_cache).insert(key.clone(), counts.clone(), bytes, cost);
        counts
    }

    /// Returns the examples that a component covers, all of them inside `within`, and the search
    /// cost.
    fn search_one(&self, key: &ComponentKey, within: Option<&Bits>) -> (Arc<Bits>, u64) {
        if let Some(own_labels) = self.own_labels.as_ref().filter(|_| mentions(key, self.target) && !has_negation(key))
        {
            let plan = JoinPlan::new(key, self.arity, &self.catalog);
            let (visible, cost) = self.search_visible(key, &plan, within);
            let (covered, steps) = self.without_own_labels(key, &plan, own_labels, visible);
            return (Arc::new(covered), cost + steps);
        }
        let (groups, group_counts, cost) = self.search(key, 1, within);
        (Arc::new(groups.covered(&group_counts)), cost)
    }

    /// Counts the groundings of a component for each group of examples, up to `max_count`;
    /// also returns the search cost. No example outside `within` has a grounding.
    fn search(&self, key: &ComponentKey, max_count: u32, within: Option<&Bits>) -> (Arc<Groups>, Vec<u32>, u64) {
        let plan = JoinPlan::new(key, self.arity, &self.catalog);
        let heads = head_variables(key);
        if self.own_labels.is_none() || !mentions(key, self.target) {
            return self.search_or_separate(key, &plan, self.groups(&heads, false), max_count, within);
        }
        // Without a negated literal, an example that is not covered with all labels visible is not
        // covered without its own. This is decided for many examples at once.
        let (mut cost, mut found) = (0, None);
        if !has_negation(key) {
            let (visible, steps) = self.search_visible(key, &plan, within);
            (cost, found) = (steps, Some(visible));
        }
        let within = found.as_ref().or(within);
        let groups = self.groups(&heads, true);
        let (groups, group_counts, steps) = self.search_with(&plan, groups, max_count, within, Some(self.target));
        (groups, group_counts, cost + steps)
    }

    /// Runs the search for given groups; if it takes long and the component has a separator, counts
    /// through this instead.
    fn search_or_separate(
        &self,
        key: &ComponentKey,
        plan: &JoinPlan<'_>,
        groups: Arc<Groups>,
        max_count: u32,
        within: Option<&Bits>,
    ) -> (Arc<Groups>, Vec<u32>, u64) {
        let mut max_steps = STEPS_BEFORE_SEPARATION * groups.first.len() as u64 + MIN_STEPS_BEFORE_SEPARATION;
        let mut search = Search::new(plan, self.database, max_count, None);
        let mut separated: Option<(Vec<u32>, u64)> = None;
        let mut group_counts = self.counts_of_groups(&groups, within, |head, limit, limit_id| {
            if search.steps > max_steps && separated.is_none() {
                // The effort is in proportion to that of the search, whichever is better.
                separated = self.count_separated(key, &groups, max_count, within, LIST_STEPS * search.steps);
                max_steps = search.steps.saturating_mul(STEPS_BETWEEN_SEPARATIONS);
            }
            if separated.is_some() { 0 } else { search.count(head, limit, limit_id) }
        });
        let mut cost = search.steps + self.examples.len() as u64;
        if let Some((counts, steps)) = separated {
            group_counts = counts;
            cost += steps;
        }
        (groups, group_counts, cost)
    }

    /// Counts the groundings of a component through a separator; `None` if it has none, or this
    /// takes more than `max_steps`.
    fn count_separated(
        &self,
        key: &ComponentKey,
        groups: &Groups,
        max_count: u32,
        within: Option<&Bits>,
        max_steps: u64,
    ) -> Option<(Vec<u32>, u64)> {
        let Separated { sides } = Separated::new(key)?;
        let by_head = sides.each_ref().map(|side| self.groups(&[side.head], false));
        let is_inside = |&&first: &&u32| within.is_none_or(|within| within.get(first as usize));
        let lists = |k: usize| {
            let mut needed = Bits::zeros(by_head[k].first.len());
            let inside = groups.first.iter().filter(is_inside);
            inside.for_each(|&first| needed.set(by_head[k].of[first as usize] as usize, true));
            self.lists(&sides[k], &by_head[k], needed, max_count, max_steps / 2)
        };
        let (first, second) = (lists(0)?, lists(1)?);
        let by_head = by_head.each_ref().map(|groups| &**groups);
        let counts = SeparatedCounts { groups, max_count, within, max_entries: ENTRIES_PER_STEP * max_steps };
        counts.of([&first, &second], by_head, self.database)
    }

    /// Returns the lists of a side of a separator for the groups needed, cached; `None` if they
    /// take more than `max_steps`.
    fn lists(&self, side: &Side, groups: &Groups, needed: Bits, max_count: u32, max_steps: u64) -> Option<Arc<Lists>> {
        let key = (side.clone(), needed, max_count > 1);
        match lock(&self.list_cache).get(&key) {
            Some(Ok(lists)) => return Some(lists),
            Some(Err(insufficient)) if max_steps <= insufficient => return None,
            Some(Err(_)) | None => {}
        }
        let context = ListContext { catalog: &self.catalog, examples: self.examples, limits: &self.limits };
        let lists = side.lists(&context, groups, &key.1, max_count.min(MAX_GROUNDINGS) as u8, max_steps);
        let lists = lists.map(Arc::new).ok_or(max_steps);
        let bytes = ENTRY_BYTES + 8 * key.1.words().len() + lists.as_ref().map_or(0, |lists| lists.bytes());
        lock(&self.list_cache).insert(key, lists.clone(), bytes, bytes as u64);
        lists.ok()
    }

    /// Runs the search for given groups. With `hidden`, no example sees its own label.
    fn search_with(
        &self,
        plan: &JoinPlan<'_>,
        groups: Arc<Groups>,
        max_count: u32,
        within: Option<&Bits>,
        hidden: Option<PredicateId>,
    ) -> (Arc<Groups>, Vec<u32>, u64) {
        let mut search = Search::new(plan, self.database, max_count, hidden);
        let group_counts =
            self.counts_of_groups(&groups, within, |head, limit, limit_id| search.count(head, limit, limit_id));
        let cost = search.steps + self.examples.len() as u64;
        (groups, group_counts, cost)
    }

    /// Calls `count` for each group of examples that agree on these head variables, with the
    /// arguments of its first example, its time limit and the identifier of that limit.
    pub(crate) fn count_groups(
        &self,
        heads: &[u32],
        count: impl FnMut(&[Constant], Option<f64>, u32) -> u32,
    ) -> (Arc<Groups>, Vec<u32>) {
        let groups = self.groups(heads, false);
        let group_counts = self.counts_of_groups(&groups, None, count);
        (groups, group_counts)
    }

    /// Calls `count` for given groups; the count is 0 for groups outside `within`.
    fn counts_of_groups(
        &self,
        groups: &Groups,
        within: Option<&Bits>,
        mut count: impl FnMut(&[Constant], Option<f64>, u32) -> u32,
    ) -> Vec<u32> {
        let count = |&first: &u32| {
            let i = first as usize;
            // A smaller component mentions fewer head variables, so all examples of the group agree
            // on it.
            if within.is_some_and(|within| !within.get(i)) {
                return 0;
            }
            let limit_id = self.limits.of[i];
            count(&self.examples[i].args, self.limits.values[limit_id as usize], limit_id)
        };
        cancel::map(&groups.first, count)
    }

    /// Groups the examples by these head variables and their time limits. With `own`, an example
    /// whose label is a known fact forms its own group, since it sees different facts from all
    /// others.
    fn groups(&self, heads: &[u32], own: bool) -> Arc<Groups> {
        let key: Box<[u32]> = heads.iter().copied().chain(own.then_some(u32::MAX)).collect();
        if let Some(groups) = lock(&self.groups).get(&key) {
            return groups.clone();
        }
        let mut groups = Groups::single(self.examples.len());
        if self.limits.values.len() > 1 {
            groups = groups.refine(|i| self.limits.of[i]);
        }
        for &head in heads {
            groups = groups.refine(|i| self.examples[i].args[head as usize].id());
        }
        if let Some(own_labels) = self.own_labels.as_ref().filter(|_| own) {
            groups = groups.refine(|i| if own_labels.get(i) { i as u32 + 1 } else { 0 });
        }
        let groups = Arc::new(groups);
        lock(&self.groups).entry(key).or_insert(groups).clone()
    }

    /// Returns the indexes and statistics for join plans.
    pub(crate) fn catalog(&self) -> &Catalog<'a> {
        &self.catalog
    }
}

/// A component to be searched.
struct Missing<'s> {
    /// Its index among the distinct components.
    index: usize,
    key: &'s ComponentKey,
    encoded: &'s EncodedConjunction,
    members: &'s Vec<usize>,
}

#[cfg(test)]
impl Coverage<'_> {
    /// Replaces the cached coverage of the first component, to test that an audit finds errors.
    pub(crate) fn plant(&self, conjunction: &[Literal], covered: Bits) {
        let (_, key) = self.split(conjunction.iter(), true).components.remove(0);
        lock(&self.cover_cache).insert(key, Arc::new(covered), 100, 100);
    }
}

//! Which examples satisfy a conjunction.
//!
//! Three things make this quick. A conjunction falls into components that share no variable but those of the head, and
//! its coverage is what theirs have in common. A component is searched once for all examples that agree on the head
//! variables it mentions. And since none of this depends on gradients, a component found for one tree is known to all
//! later ones, as long as memory allows.

use std::sync::{Arc, Mutex, OnceLock};

use super::audit::Audit;
use super::bits::Bits;
use super::cache::{Cache, lock};
use super::conjunction::{Flat, Key, has_negation, head_variables, mentions};
use super::count::{Counts, MOST_GROUNDINGS};
use super::groups::{Groups, Limits};
use super::join_plan::{Plan, distinct_values};
use super::search::Search;
use crate::cancel;
use crate::determinism::HashMap;
use crate::kb::{Database, Example};
use crate::logic::{Constant, Literal, PredicateId};
use crate::parallel;

/// How many bytes answers may take unless something else is said: a gibibyte.
pub const DEFAULT_MEMORY_BYTES: usize = 1 << 30;

/// Which examples satisfy a conjunction, found once and remembered.
///
/// Threads may share it. What it answers depends neither on them nor on the memory it may use.
#[derive(Debug)]
pub struct Coverage<'a> {
    database: &'a Database,
    target: PredicateId,
    examples: &'a [Example],
    arity: usize,
    memory_bytes: usize,
    limits: Limits,
    /// The examples whose own answer is among the facts, so that it must be hidden from them; `None` if there are none.
    answers: Option<Bits>,
    /// By the head variables that tell examples apart, and whether own answers do.
    groups: Mutex<HashMap<Box<[u32]>, Arc<Groups>>>,
    /// By predicate, see [`distinct_values`].
    distinct: Vec<OnceLock<Box<[f64]>>>,
    known: Mutex<Cache<Key, Arc<Bits>>>,
    counted: Mutex<Cache<Key, Arc<Counts>>>,
    audit: Option<&'a Audit>,
    /// The numbers of the examples, if they are some of those that an audit knows.
    numbers: Option<&'a [usize]>,
}

/// A conjunction in pieces.
struct Split {
    flat: Flat,
    /// The literals of each component, and its normal form.
    components: Vec<(Vec<usize>, Key)>,
}

/// What a kept answer takes beside its words: two allocations and a place in the map.
const ENTRY_BYTES: usize = 128;

impl<'a> Coverage<'a> {
    /// Coverage of the examples of a target; answers are kept in about `memory_bytes` of memory, beside what a search
    /// takes while it runs.
    ///
    /// # Panics
    /// If an example has another number of arguments than the target.
    pub fn new(database: &'a Database, target: PredicateId, examples: &'a [Example], memory_bytes: usize) -> Self {
        let arity = database.predicates.arity(target);
        let fits = |example: &Example| example.args.len() == arity;
        assert!(examples.iter().all(fits), "examples have the arguments of the target");
        let answers = Bits::from_fn(examples.len(), |i| database.knows_answer(target, &examples[i].args));
        Coverage {
            database,
            target,
            examples,
            arity,
            memory_bytes,
            limits: Limits::new(database, target, examples),
            answers: Some(answers).filter(Bits::any),
            groups: Mutex::default(),
            distinct: (0..database.predicates.len()).map(|_| OnceLock::new()).collect(),
            // The other half is for whoever keeps whole lists of tests, see `Grower`.
            known: Mutex::new(Cache::new(memory_bytes / 8 * 3)),
            counted: Mutex::new(Cache::new(memory_bytes / 8)),
            audit: None,
            numbers: None,
        }
    }

    /// The same, with answers shown to an audit.
    pub fn audited(self, audit: Option<&'a Audit>) -> Self {
        Coverage { audit, ..self }
    }

    /// Coverage of some of the examples, with their numbers; it begins with nothing known.
    pub(crate) fn among<'b>(&self, examples: &'b [Example], numbers: &'b [usize]) -> Coverage<'b>
    where
        'a: 'b,
    {
        let coverage = Coverage::new(self.database, self.target, examples, self.memory_bytes / 2);
        Coverage { audit: self.audit, numbers: Some(numbers), ..coverage }
    }

    /// Who looks at the answers.
    pub(crate) fn audit(&self) -> Option<&'a Audit> {
        self.audit
    }

    /// Whether somebody looks at the answers.
    pub(crate) fn is_audited(&self) -> bool {
        self.audit.is_some()
    }

    /// Shows an answer to whoever looks at them.
    pub(crate) fn show_to_audit(&self, conjunction: &[Literal], at_least: u32, covered: &Bits) {
        if let Some(audit) = self.audit {
            audit.note(conjunction, at_least, covered, self.numbers);
        }
    }

    /// The facts.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// The predicate that the examples are of.
    pub fn target(&self) -> PredicateId {
        self.target
    }

    /// The examples.
    pub fn examples(&self) -> &'a [Example] {
        self.examples
    }

    /// How many bytes answers may take.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// The examples for which some grounding of the conjunction holds, among the facts each may see.
    ///
    /// Variables `0..arity` are the arguments of the example. A negated literal holds if no fact matches it under the
    /// same grounding; variables that no positive literal and no head binds match anything there.
    pub fn cover(&self, conjunction: &[Literal]) -> Arc<Bits> {
        self.cover_all(&[conjunction]).pop().unwrap_or_else(|| Arc::new(Bits::zeros(0)))
    }

    /// The same for several conjunctions, searched in parallel. It pays to ask for many at once.
    ///
    /// A conjunction is searched faster if the one without its last literal was asked for before.
    pub fn cover_all<C: AsRef<[Literal]> + Sync>(&self, conjunctions: &[C]) -> Vec<Arc<Bits>> {
        let split: Vec<Split> = parallel::map(conjunctions, 1000, |conjunction| self.split(conjunction.as_ref()));
        // Every component once: its place here, then its examples if they are known.
        let mut places: HashMap<&Key, usize> = HashMap::default();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        {
            let mut known = lock(&self.known);
            for Split { flat, components } in &split {
                for (members, key) in components {
                    if places.contains_key(key) {
                        continue;
                    }
                    places.insert(key, found.len());
                    let bits = known.get(key);
                    if bits.is_none() {
                        missing.push((found.len(), key, within(&mut known, flat, members)));
                    }
                    found.push(bits);
                }
            }
        }
        let steps = 4 * self.examples.len();
        let searched: Vec<(Arc<Bits>, u64)> =
            parallel::map(&missing, steps, |(_, key, within)| self.search_one(key, within.as_ref()));
        {
            let mut known = lock(&self.known);
            for ((place, key, _), (bits, steps)) in missing.into_iter().zip(searched) {
                let bytes = 8 * (key.len() + bits.words().len()) + ENTRY_BYTES;
                known.insert(key.clone(), bits.clone(), bytes, steps);
                found[place] = Some(bits);
            }
        }
        let whole = |split: &Split| {
            let mut bits = split.components.iter().filter_map(|(_, key)| found[places[key]].clone());
            let Some(first) = bits.next() else { return Arc::new(Bits::ones(self.examples.len())) };
            bits.fold(first, |all, bits| Arc::new(all.and(&bits)))
        };
        let covered: Vec<Arc<Bits>> = split.iter().map(whole).collect();
        for (conjunction, bits) in conjunctions.iter().zip(&covered).filter(|_| self.is_audited()) {
            self.show_to_audit(conjunction.as_ref(), 1, bits);
        }
        covered
    }

    /// The components of a conjunction with their normal forms.
    fn split(&self, conjunction: &[Literal]) -> Split {
        let flat = Flat::new(conjunction.iter(), self.arity);
        let all: Vec<usize> = (0..conjunction.len()).collect();
        let with_key = |members: Vec<usize>| {
            let key = flat.key(&members);
            (members, key)
        };
        let components = flat.components(&all).into_iter().map(with_key).collect();
        Split { flat, components }
    }

    /// How many groundings of a conjunction each example has, among the facts it may see: substitutions of the variables
    /// that positive literals mention beside the head's. Several conjunctions are searched in parallel.
    pub fn counts<C: AsRef<[Literal]> + Sync>(&self, conjunctions: &[C]) -> Vec<Arc<Counts>> {
        let count = |conjunction: &C| {
            let components = self.split(conjunction.as_ref()).components;
            let mut counts = components.iter().map(|(_, key)| self.count_component(key));
            let Some(first) = counts.next() else { return Arc::new(Counts(vec![1; self.examples.len()])) };
            counts.fold(first, |all, more| Arc::new(all.times(&more)))
        };
        parallel::map(conjunctions, 16 * self.examples.len(), count)
    }

    fn count_component(&self, key: &Key) -> Arc<Counts> {
        if let Some(counts) = lock(&self.counted).get(key) {
            return counts;
        }
        let (groups, numbers, cost) = self.search(key, MOST_GROUNDINGS, None);
        let counts = Arc::new(Counts(groups.of.iter().map(|&group| numbers[group as usize] as u8).collect()));
        let bytes = 8 * key.len() + counts.0.len() + ENTRY_BYTES;
        lock(&self.counted).insert(key.clone(), counts.clone(), bytes, cost);
        counts
    }

    /// The examples that satisfy a component, and the cost of finding them. No example outside `within` does.
    fn search_one(&self, key: &Key, within: Option<&Bits>) -> (Arc<Bits>, u64) {
        let (groups, numbers, cost) = self.search(key, 1, within);
        (Arc::new(groups.spread(&numbers)), cost)
    }

    /// How many groundings of a component each group of examples has, up to `enough`, and the cost of finding them. No
    /// example outside `within` has any.
    fn search(&self, key: &Key, enough: u32, within: Option<&Bits>) -> (Arc<Groups>, Vec<u32>, u64) {
        let plan = Plan::new(key, self.arity, self.database, &|predicate| self.distinct(predicate));
        let heads = head_variables(key);
        if self.answers.is_none() || !mentions(key, self.target) {
            return self.search_with(&plan, self.groups(&heads, false), enough, within, None);
        }
        // What nobody would find with all answers in sight nobody finds without its own, and that is known for many examples at
        // once; unless less to see makes a negated literal true.
        let (mut cost, mut found) = (0, None);
        if !has_negation(key) {
            // `within` knows what examples see without their own answers, on which those of a group need not agree.
            let (groups, numbers, steps) = self.search_with(&plan, self.groups(&heads, false), 1, None, None);
            let all = groups.spread(&numbers);
            (cost, found) = (steps, Some(within.map_or_else(|| all.clone(), |within| all.and(within))));
        }
        let within = found.as_ref().or(within);
        let groups = self.groups(&heads, true);
        let (groups, numbers, steps) = self.search_with(&plan, groups, enough, within, Some(self.target));
        (groups, numbers, cost + steps)
    }

    /// The same for these groups. Where `hidden` is set, no example sees its own answer.
    fn search_with(
        &self,
        plan: &Plan<'_>,
        groups: Arc<Groups>,
        enough: u32,
        within: Option<&Bits>,
        hidden: Option<PredicateId>,
    ) -> (Arc<Groups>, Vec<u32>, u64) {
        let mut search = Search::new(plan, self.database, enough, hidden);
        let numbers = self.of_groups(&groups, within, |head, limit, limit_id| search.count(head, limit, limit_id));
        let cost = search.steps + self.examples.len() as u64;
        (groups, numbers, cost)
    }

    /// What `count` says of each group of examples that agree on these head variables, given the arguments of one of them, its
    /// limit and the number of that.
    pub(crate) fn search_groups(
        &self,
        heads: &[u32],
        count: impl FnMut(&[Constant], Option<f64>, u32) -> u32,
    ) -> (Arc<Groups>, Vec<u32>) {
        let groups = self.groups(heads, false);
        let numbers = self.of_groups(&groups, None, count);
        (groups, numbers)
    }

    /// The same for these groups; 0 without asking for those outside of `within`.
    fn of_groups(
        &self,
        groups: &Groups,
        within: Option<&Bits>,
        mut count: impl FnMut(&[Constant], Option<f64>, u32) -> u32,
    ) -> Vec<u32> {
        let count = |&first: &u32| {
            let i = first as usize;
            // A smaller component mentions fewer head variables, so all examples of the group agree on it.
            if within.is_some_and(|within| !within.get(i)) {
                return 0;
            }
            let limit_id = self.limits.of[i];
            count(&self.examples[i].args, self.limits.values[limit_id as usize], limit_id)
        };
        cancel::map(&groups.first, count)
    }

    /// The examples by these head variables, and by their limits; if `own` is set, every example whose answer is known stands
    /// alone, since nobody else sees what it sees.
    fn groups(&self, heads: &[u32], own: bool) -> Arc<Groups> {
        let key: Box<[u32]> = heads.iter().copied().chain(own.then_some(u32::MAX)).collect();
        if let Some(groups) = lock(&self.groups).get(&key) {
            return groups.clone();
        }
        let mut groups = Groups::whole(self.examples.len());
        if self.limits.values.len() > 1 {
            groups = groups.refine(|i| self.limits.of[i]);
        }
        for &head in heads {
            groups = groups.refine(|i| self.examples[i].args[head as usize].id());
        }
        if let Some(answers) = self.answers.as_ref().filter(|_| own) {
            groups = groups.refine(|i| if answers.get(i) { i as u32 + 1 } else { 0 });
        }
        let groups = Arc::new(groups);
        lock(&self.groups).entry(key).or_insert(groups).clone()
    }

    /// See [`distinct_values`].
    pub(crate) fn distinct(&self, predicate: PredicateId) -> &[f64] {
        match self.distinct.get(predicate.0 as usize) {
            Some(values) => values.get_or_init(|| distinct_values(self.database.facts.relation(predicate))),
            None => &[],
        }
    }
}

/// The examples that satisfy what is left of a component without its last literal, as far as that is known.
fn within(known: &mut Cache<Key, Arc<Bits>>, flat: &Flat, members: &[usize]) -> Option<Bits> {
    // A negated literal may hold more often without the literal that binds its variables.
    let (_, smaller) = members.split_last().filter(|_| !members.iter().any(|&i| flat.is_negated(i)))?;
    // So may a comparison hold for more once its variables are bound.
    if !flat.compares_bound(smaller) {
        return None;
    }
    let parts = flat.components(smaller);
    let mut bits = parts.into_iter().filter_map(|part| known.get(&flat.key(&part)));
    let first = Bits::clone(&*bits.next()?);
    Some(bits.fold(first, |all, bits| all.and(&bits)))
}

#[cfg(test)]
impl Coverage<'_> {
    /// Replaces the cached answer for the first component of a conjunction, so that tests can plant a wrong one.
    pub(crate) fn plant(&self, conjunction: &[Literal], covered: Bits) {
        let (_, key) = self.split(conjunction).components.remove(0);
        lock(&self.known).insert(key, Arc::new(covered), 100, 100);
    }
}

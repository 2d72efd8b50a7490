//! How many groundings a pattern has for each example, exactly.
//!
//! Parts of a pattern that share no variable but those of the head are counted one by one, and the counts multiplied. Within a
//! part the search goes literal by literal; what is left behind a match falls into parts again, and the count of each is
//! remembered for the few bindings it depends on. So a pattern whose literals hang together like a tree is counted by sums and
//! products, and no grounding of it is ever looked at as a whole. Patterns with cycles are enumerated as far as the cycles go.

use std::sync::{Arc, Mutex};

use crate::cover::Coverage;
use crate::cover::JoinPlan;
use crate::cover::Search;
use crate::cover::{Cache, lock};
use crate::cover::{ComponentKey, EncodedConjunction, head_variables};
use crate::determinism::{HashMap, HashSet};
use crate::logic::{Literal, Variable};
use crate::parallel;

/// Counts end here: a double still tells such numbers apart, and products of a few of them.
pub const MOST_COUNTED: u32 = 1_000_000_000;

/// Products of counts end here: squares of such numbers, and products of two of those, are finite.
pub const MOST_PRODUCT: f64 = 1e60;

/// Literals that hold together, and conjunctions that must not hold under the same substitution.
///
/// Variables of the head are `0..arity`. Variables of a conjunction that no literal mentions are its own: no value of them may
/// make it true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The literals whose groundings are counted.
    pub literals: Vec<Literal>,
    /// What must have no grounding.
    pub none_of: Vec<Vec<Literal>>,
}

impl Pattern {
    /// The pattern with more literals.
    pub fn with(&self, test: &[Literal]) -> Self {
        let mut more = self.clone();
        more.literals.extend_from_slice(test);
        more
    }

    /// The pattern with a conjunction that must not hold.
    pub fn without(&self, test: &[Literal]) -> Self {
        let mut more = self.clone();
        more.none_of.push(test.to_vec());
        more
    }
}

/// Counts groundings for the examples of a coverage, and remembers the counts of parts.
///
/// Threads may share it. What it answers depends neither on them nor on the memory it may use.
#[derive(Debug)]
pub struct Tally<'c, 'a> {
    coverage: &'c Coverage<'a>,
    /// The most facts looked at for one part and one example.
    budget: u64,
    known: Mutex<Cache<PartKey, Arc<[u32]>>>,
    /// Parts that were not counted to the end for some examples, with the numbers of these.
    cut: Mutex<HashMap<PartKey, Vec<usize>>>,
}

/// A part in words, and the sizes of the groups that its last literals form.
type PartKey = (ComponentKey, Box<[usize]>);

/// Literals that hang together, with the conjunctions that depend on them.
#[derive(Debug, Default)]
struct Part {
    literals: Vec<usize>,
    none_of: Vec<usize>,
}

impl<'c, 'a> Tally<'c, 'a> {
    /// Counts for the examples of a coverage, looking at about `budget` facts for one example and one part of a pattern.
    pub fn new(coverage: &'c Coverage<'a>, budget: u64) -> Self {
        let known = Mutex::new(Cache::new(coverage.memory_bytes() / 4));
        Tally { coverage, budget, known, cut: Mutex::default() }
    }

    /// What it counts for.
    pub fn coverage(&self) -> &'c Coverage<'a> {
        self.coverage
    }

    /// How many different parts were met whose counts are too low for some example, since it has more than
    /// [`MOST_COUNTED`] groundings or more facts had to be looked at than allowed; and for how many examples. No count is ever
    /// too high: a grounding of which it could not be said that nothing rules it out is not counted.
    pub fn cut(&self) -> (usize, usize) {
        let cut = lock(&self.cut);
        let examples: HashSet<usize> = cut.values().flatten().copied().collect();
        (cut.len(), examples.len())
    }

    /// The number of groundings of a pattern for each example, among the facts it may see.
    pub fn counts(&self, pattern: &Pattern) -> Vec<f64> {
        let counts = self.count(pattern);
        if let Some(audit) = self.coverage.audit() {
            let through = || {
                let bare = Pattern { literals: pattern.literals.clone(), none_of: Vec::new() };
                let mut through = self.count(&bare);
                // What was cut is known to be too low, and nothing is to be learned by asking again.
                for i in [pattern, &bare].into_iter().flat_map(|pattern| self.cut_examples(pattern)) {
                    through[i] = f64::INFINITY;
                }
                through
            };
            audit.record_counts((&pattern.literals, &pattern.none_of), &counts, through);
        }
        counts
    }

    /// The examples for which a pattern was not counted to the end.
    fn cut_examples(&self, pattern: &Pattern) -> Vec<usize> {
        let (parts, _) = self.parts(pattern);
        let cut = lock(&self.cut);
        parts.iter().filter_map(|part| cut.get(&self.key(pattern, part))).flatten().copied().collect()
    }

    fn count(&self, pattern: &Pattern) -> Vec<f64> {
        let mut counts = vec![1.0; self.coverage.examples().len()];
        let (parts, closed) = self.parts(pattern);
        for part in parts {
            let own = self.count_part(pattern, &part);
            counts
                .iter_mut()
                .zip(own.iter())
                .for_each(|(count, &own)| *count = (*count * f64::from(own)).min(MOST_PRODUCT));
        }
        for group in closed {
            self.coverage.cover(&pattern.none_of[group]).iter().for_each(|i| counts[i] = 0.0);
        }
        counts
    }

    /// The same for several patterns, in parallel.
    pub fn counts_of_all(&self, patterns: &[Pattern]) -> Vec<Vec<f64>> {
        parallel::map(patterns, 16 * self.coverage.examples().len(), |pattern| self.counts(pattern))
    }

    /// The parts of a pattern, and the conjunctions that depend on nothing but the head.
    fn parts(&self, pattern: &Pattern) -> (Vec<Part>, Vec<usize>) {
        let arity = self.arity();
        let all: Vec<usize> = (0..pattern.literals.len()).collect();
        let flat = EncodedConjunction::new(pattern.literals.iter(), arity);
        let mut parts: Vec<Part> =
            flat.components(&all).into_iter().map(|literals| Part { literals, none_of: Vec::new() }).collect();
        let mut closed = Vec::new();
        for (number, group) in pattern.none_of.iter().enumerate() {
            let own: Vec<Variable> =
                group.iter().flat_map(Literal::variables).filter(|v| v.0 as usize >= arity).collect();
            let touches = |part: &Part| {
                let mut variables = part.literals.iter().flat_map(|&k| pattern.literals[k].variables());
                variables.any(|variable| own.contains(&variable))
            };
            let (touched, apart): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(touches);
            parts = apart;
            if touched.is_empty() {
                closed.push(number);
                continue;
            }
            let mut whole = Part::default();
            for part in touched {
                whole.literals.extend(part.literals);
                whole.none_of.extend(part.none_of);
            }
            whole.literals.sort_unstable();
            whole.none_of.push(number);
            whole.none_of.sort_unstable();
            parts.push(whole);
        }
        (parts, closed)
    }

    fn arity(&self) -> usize {
        self.coverage.database().predicates.arity(self.coverage.target())
    }

    /// What a part is known by.
    fn key(&self, pattern: &Pattern, part: &Part) -> PartKey {
        let members = part.literals.iter().map(|&k| &pattern.literals[k]);
        let groups = part.none_of.iter().map(|&number| &pattern.none_of[number]);
        let literals: Vec<&Literal> = members.chain(groups.clone().flatten()).collect();
        let flat = EncodedConjunction::new(literals.iter().copied(), self.arity());
        let all: Vec<usize> = (0..literals.len()).collect();
        // Where nothing is ruled out, the order of literals does not matter, and names of variables never do.
        let words = if part.none_of.is_empty() { flat.key(&all) } else { flat.renamed(&all).into() };
        (words, groups.map(Vec::len).collect())
    }

    fn count_part(&self, pattern: &Pattern, part: &Part) -> Arc<[u32]> {
        let key = self.key(pattern, part);
        if let Some(counts) = lock(&self.known).get(&key) {
            return counts;
        }
        let (counts, cost) = self.search(&key);
        let bytes = 8 * (key.0.len() + key.1.len()) + 4 * counts.len() + 128;
        lock(&self.known).insert(key, counts.clone(), bytes, cost);
        counts
    }

    fn search(&self, key: &PartKey) -> (Arc<[u32]>, u64) {
        let database = self.coverage.database();
        let distinct = |predicate| self.coverage.distinct(predicate);
        let plan = JoinPlan::with_exclusions(&key.0, &key.1, self.arity(), database, &distinct);
        let mut search = Search::new(&plan, database, MOST_COUNTED, None).with_budget(self.budget);
        let mut was_cut = Vec::new();
        let (groups, numbers) = self.coverage.count_groups(&head_variables(&key.0), |head, limit, limit_id| {
            let count = search.count(head, limit, limit_id);
            was_cut.push(search.is_truncated(count));
            count
        });
        if was_cut.contains(&true) {
            let examples = (0..groups.of.len()).filter(|&i| was_cut[groups.of[i] as usize]).collect();
            lock(&self.cut).insert(key.clone(), examples);
        }
        let counts = groups.of.iter().map(|&group| numbers[group as usize]).collect();
        (counts, search.steps + groups.of.len() as u64)
    }
}

//! Exact grounding counts of patterns for each example.
//!
//! Components of a pattern that share only head variables are counted separately and multiplied.
//! Within a component, the search proceeds literal by literal; the rest after a match decomposes
//! again, and the count of each component is memoized by the bindings it depends on. Acyclic
//! patterns are thus counted by sums and products without enumerating groundings. Cyclic ones are
//! enumerated along the cycles.

use std::sync::{Arc, Mutex};

use crate::cover::Coverage;
use crate::cover::JoinPlan;
use crate::cover::Search;
use crate::cover::{Cache, lock};
use crate::cover::{ComponentKey, EncodedConjunction, head_variables};
use crate::determinism::{HashMap, HashSet};
use crate::logic::{Literal, Variable};
use crate::parallel;

/// Maximum count of a component: doubles represent it and products of a few exactly enough.
pub const MAX_COUNT: u32 = 1_000_000_000;

/// Maximum product of counts: squares of it, and products of two squares, are finite.
pub const MAX_PRODUCT: f64 = 1e60;

/// A conjunction, with conjunctions that must have no grounding under the same substitution.
///
/// Head variables are `0..arity`. Variables of a negated conjunction that no literal mentions are
/// existentially quantified within it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Literals whose groundings are counted.
    pub literals: Vec<Literal>,
    /// Conjunctions that must have no grounding.
    pub none_of: Vec<Vec<Literal>>,
}

impl Pattern {
    /// Returns the pattern extended by literals.
    pub fn with(&self, test: &[Literal]) -> Self {
        let mut more = self.clone();
        more.literals.extend_from_slice(test);
        more
    }

    /// Returns the pattern extended by a negated conjunction.
    pub fn without(&self, test: &[Literal]) -> Self {
        let mut more = self.clone();
        more.none_of.push(test.to_vec());
        more
    }
}

/// Counts groundings for the examples of a coverage and caches the counts of components.
///
/// Thread-safe; the counts depend neither on threads nor on the cache size.
#[derive(Debug)]
pub struct Tally<'c, 'a> {
    coverage: &'c Coverage<'a>,
    /// Maximum number of facts visited per component and example.
    budget: u64,
    known: Mutex<Cache<TallyKey, Arc<[u32]>>>,
    /// Components whose count is incomplete for some examples, with these examples.
    cut: Mutex<HashMap<TallyKey, Vec<usize>>>,
}

/// Canonical key of a component, with the sizes of its trailing negated conjunctions.
type TallyKey = (ComponentKey, Box<[usize]>);

/// Connected literals, with the negated conjunctions that share variables with them.
#[derive(Debug, Default)]
struct PatternComponent {
    literals: Vec<usize>,
    none_of: Vec<usize>,
}

impl<'c, 'a> Tally<'c, 'a> {
    /// Creates a counter that visits about `budget` facts per example and component.
    pub fn new(coverage: &'c Coverage<'a>, budget: u64) -> Self {
        let known = Mutex::new(Cache::new(coverage.memory_bytes() / 4));
        Tally { coverage, budget, known, cut: Mutex::default() }
    }

    /// Returns the coverage.
    pub fn coverage(&self) -> &'c Coverage<'a> {
        self.coverage
    }

    /// Returns the number of components with incomplete counts, and of the examples concerned: more
    /// than [`MAX_COUNT`] groundings, or more facts to visit than the budget. Counts are never too
    /// high: a grounding that could not be checked against the negated conjunctions is not counted.
    pub fn cut(&self) -> (usize, usize) {
        let cut = lock(&self.cut);
        let examples: HashSet<usize> = cut.values().flatten().copied().collect();
        (cut.len(), examples.len())
    }

    /// Returns the number of groundings of a pattern for each example, among the facts visible to
    /// it.
    pub fn counts(&self, pattern: &Pattern) -> Vec<f64> {
        let counts = self.count(pattern);
        if let Some(audit) = self.coverage.audit() {
            let unrestricted = || {
                let bare = Pattern { literals: pattern.literals.clone(), none_of: Vec::new() };
                let mut unrestricted = self.count(&bare);
                // Incomplete counts are known to be too low, so the audit skips them.
                for i in [pattern, &bare].into_iter().flat_map(|pattern| self.cut_examples(pattern)) {
                    unrestricted[i] = f64::INFINITY;
                }
                unrestricted
            };
            audit.record_counts((&pattern.literals, &pattern.none_of), &counts, unrestricted);
        }
        counts
    }

    /// Returns the examples for which the count of a pattern is incomplete.
    fn cut_examples(&self, pattern: &Pattern) -> Vec<usize> {
        let (components, _) = self.components(pattern);
        let cut = lock(&self.cut);
        components.iter().filter_map(|component| cut.get(&self.key(pattern, component))).flatten().copied().collect()
    }

    fn count(&self, pattern: &Pattern) -> Vec<f64> {
        let (components, closed) = self.components(pattern);
        let mut counts: Option<Vec<f64>> = None;
        for component in components {
            let own = self.count_component(pattern, &component);
            match &mut counts {
                None => counts = Some(own.iter().map(|&own| f64::from(own)).collect()),
                Some(counts) => counts
                    .iter_mut()
                    .zip(own.iter())
                    .for_each(|(count, &own)| *count = (*count * f64::from(own)).min(MAX_PRODUCT)),
            }
        }
        let mut counts = counts.unwrap_or_else(|| vec![1.0; self.coverage.examples().len()]);
        for group in closed {
            self.coverage.cover(&pattern.none_of[group]).iter().for_each(|i| counts[i] = 0.0);
        }
        counts
    }

    /// Counts several patterns in parallel.
    pub fn counts_of_all(&self, patterns: &[Pattern]) -> Vec<Vec<f64>> {
        parallel::map(patterns, 16 * self.coverage.examples().len(), |pattern| self.counts(pattern))
    }

    /// Splits a pattern into components, and returns the negated conjunctions over head variables
    /// only.
    fn components(&self, pattern: &Pattern) -> (Vec<PatternComponent>, Vec<usize>) {
        let arity = self.arity();
        let all: Vec<usize> = (0..pattern.literals.len()).collect();
        let flat = EncodedConjunction::new(pattern.literals.iter(), arity);
        let mut components: Vec<PatternComponent> = flat
            .components(&all)
            .into_iter()
            .map(|literals| PatternComponent { literals, none_of: Vec::new() })
            .collect();
        let mut closed = Vec::new();
        for (number, group) in pattern.none_of.iter().enumerate() {
            let own: Vec<Variable> =
                group.iter().flat_map(Literal::variables).filter(|v| v.0 as usize >= arity).collect();
            let touches = |component: &PatternComponent| {
                let mut variables = component.literals.iter().flat_map(|&k| pattern.literals[k].variables());
                variables.any(|variable| own.contains(&variable))
            };
            let (touched, others): (Vec<PatternComponent>, Vec<PatternComponent>) =
                components.into_iter().partition(touches);
            components = others;
            if touched.is_empty() {
                closed.push(number);
                continue;
            }
            let mut merged = PatternComponent::default();
            for component in touched {
                merged.literals.extend(component.literals);
                merged.none_of.extend(component.none_of);
            }
            merged.literals.sort_unstable();
            merged.none_of.push(number);
            merged.none_of.sort_unstable();
            components.push(merged);
        }
        (components, closed)
    }

    fn arity(&self) -> usize {
        self.coverage.database().predicates.arity(self.coverage.target())
    }

    /// Returns the canonical key of a component.
    fn key(&self, pattern: &Pattern, component: &PatternComponent) -> TallyKey {
        let members = component.literals.iter().map(|&k| &pattern.literals[k]);
        let groups = component.none_of.iter().map(|&number| &pattern.none_of[number]);
        let literals: Vec<&Literal> = members.chain(groups.clone().flatten()).collect();
        let flat = EncodedConjunction::new(literals.iter().copied(), self.arity());
        let all: Vec<usize> = (0..literals.len()).collect();
        // Variable names never matter; literal order matters only with negated conjunctions.
        let key = if component.none_of.is_empty() { flat.key(&all) } else { flat.renamed(&all).into() };
        (key, groups.map(Vec::len).collect())
    }

    fn count_component(&self, pattern: &Pattern, component: &PatternComponent) -> Arc<[u32]> {
        let key = self.key(pattern, component);
        if let Some(counts) = lock(&self.known).get(&key) {
            return counts;
        }
        let (counts, cost) = self.search(&key);
        let bytes = 8 * (key.0.len() + key.1.len()) + 4 * counts.len() + 128;
        lock(&self.known).insert(key, counts.clone(), bytes, cost);
        counts
    }

    fn search(&self, key: &TallyKey) -> (Arc<[u32]>, u64) {
        let database = self.coverage.database();
        let plan = JoinPlan::with_exclusions(&key.0, &key.1, self.arity(), self.coverage.catalog());
        let mut search = Search::new(&plan, database, MAX_COUNT, None).with_budget(self.budget);
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

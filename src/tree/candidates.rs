//! The candidate tests of a node, each with the examples it covers.
//!
//! A test is a set of literals. Literals connected by a new variable or by a component of the path
//! above form a *conjunct*; each conjunct is evaluated by one query. The coverage of a test of
//! several conjuncts is the intersection of theirs. Of conjuncts with the same coverage that touch
//! the same path components, one represents all in such a test.
//!
//! Tests have a fixed order: fewer literals first, then fewer conjuncts, then the order of modes,
//! variables and constants; at-least-k tests come last. Of tests with the same coverage, only the
//! one with the smallest margin is kept, and the first of equals: it would win every tie.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;

use super::conjunct::{Conjunct, Conjuncts, MAX_PATH_COMPONENT, Needed, max_combinable};
use super::language::{Language, LanguageOptions, LookAhead, MAX_NODE_SIZE, TypedVariable};
use super::margins::Margins;
use super::rows::{Row, Rows};
use crate::cover::{Bits, Coverage};
use crate::determinism::HashSet;
use crate::logic::Literal;

/// Padding of the conjuncts of a test.
const NO_CONJUNCT: u32 = u32::MAX;

/// A candidate test.
#[derive(Clone, Copy, Debug)]
struct Test {
    /// Indices of conjuncts, padded with [`NO_CONJUNCT`].
    conjuncts: [u32; MAX_NODE_SIZE],
    /// The number of groundings required.
    at_least: u32,
    /// The additional gain required, as a fraction of the squared error.
    margin: f64,
    /// Its rank in the order of tests.
    order: u32,
}

impl Test {
    /// Returns the indices of its conjuncts.
    fn conjuncts(&self) -> impl Iterator<Item = &u32> {
        self.conjuncts.iter().take_while(|&&conjunct| conjunct != NO_CONJUNCT)
    }
}

/// The candidate tests of a node, in order.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The conjuncts of the tests; `rows` has their coverage.
    conjuncts: Arc<Vec<Conjunct>>,
    tests: Vec<Test>,
    /// For each test the examples that the path and the test cover.
    rows: Rows,
    /// The number of the first new variable.
    next: u32,
    /// Whether the candidate limit was exceeded, or a path component is closed.
    pub over_budget: bool,
    /// Whether the tests do not depend on the examples, except that those of empty or equal
    /// coverage are dropped.
    pub is_exhaustive: bool,
}

impl Candidates {
    /// Returns the number of tests.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Returns for each test the examples that the path and the test cover.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Returns the literals of a test and the variables it binds.
    pub fn test(&self, test: usize) -> (Vec<Literal>, Vec<TypedVariable>) {
        let (mut literals, mut new) = (Vec::new(), Vec::new());
        for &conjunct in self.tests[test].conjuncts() {
            self.conjuncts[conjunct as usize].append_to(self.next, &mut literals, &mut new);
        }
        // An at-least-k test binds no variable: its groundings differ.
        if self.at_least(test) > 1 {
            new.clear();
        }
        (literals, new)
    }

    /// Returns the number of literals of a test.
    pub fn literals(&self, test: usize) -> usize {
        self.tests[test].conjuncts().map(|&conjunct| self.conjuncts[conjunct as usize].literals.len()).sum()
    }

    /// Returns the number of groundings a test requires.
    pub fn at_least(&self, test: usize) -> u32 {
        self.tests[test].at_least
    }

    /// Returns the additional gain required of a test, as a fraction of the squared error.
    pub fn margin(&self, test: usize) -> f64 {
        self.tests[test].margin
    }

    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let conjunct = |conjunct: &Conjunct| 200 + (conjunct.literals.len() + conjunct.comparisons.len()) * 100;
        self.rows.bytes() + size_of_val(&self.tests[..]) + self.conjuncts.iter().map(conjunct).sum::<usize>()
    }

    /// Generates the tests below a path with the variables `known`; new ones are numbered from
    /// `next` on.
    pub fn new(
        coverage: &Coverage<'_>,
        language: &Language,
        margins: Margins,
        path: &[Literal],
        known: &[TypedVariable],
        next: u32,
    ) -> Self {
        let needed = if margins.look_ahead > 0.0 { Needed::CoverageAndLookAhead } else { Needed::Coverage };
        let conjuncts = Conjuncts::new(coverage, language, path, known, next, MAX_PATH_COMPONENT, needed);
        let mut candidates = Candidates {
            conjuncts: Arc::default(),
            tests: Vec::new(),
            rows: Rows::new(conjuncts.path_coverage.len()),
            next,
            over_budget: conjuncts.over_budget,
            is_exhaustive: false,
        };
        let (table, order) = (HashTable::new(), 0);
        let mut combiner =
            Combiner { conjuncts: &conjuncts, language, margins, candidates: &mut candidates, table, order };
        combiner.all_tests();
        // With occurrence limits, a test of several conjuncts may be allowed although an equivalent
        // one is not. Thresholds of counts depend on the examples.
        candidates.is_exhaustive = !candidates.over_budget && !language.has_limits() && !language.options().counts;
        candidates.over_budget |= conjuncts.closed;
        candidates.rows.shrink_to_fit();
        candidates.tests.shrink_to_fit();
        candidates.take_conjuncts(conjuncts.list);
        candidates
    }

    /// Takes the conjuncts of the tests, without their coverage: at large nodes it takes as much
    /// memory as the rows.
    fn take_conjuncts(&mut self, list: Vec<Conjunct>) {
        let mut number_of: Vec<Option<u32>> = vec![None; list.len()];
        for &conjunct in self.tests.iter().flat_map(Test::conjuncts) {
            number_of[conjunct as usize] = Some(0);
        }
        let (nothing, mut kept) = (Arc::new(Bits::zeros(0)), Vec::new());
        for (conjunct, number) in list.into_iter().zip(&mut number_of) {
            if let Some(number) = number {
                *number = kept.len() as u32;
                kept.push(Conjunct { bits: nothing.clone(), ..conjunct });
            }
        }
        for entry in self.tests.iter_mut().flat_map(|test| &mut test.conjuncts) {
            *entry = number_of.get(*entry as usize).copied().flatten().unwrap_or(NO_CONJUNCT);
        }
        self.conjuncts = Arc::new(kept);
    }

    /// Returns the tests for some of the examples, given by their indices in ascending order. The
    /// path covers all of these.
    ///
    /// If the tests are exhaustive, these are the ones that [`Candidates::new`] generates for them.
    pub fn restricted_to(&self, indices: &[usize]) -> Self {
        let mut restricted = Candidates {
            conjuncts: self.conjuncts.clone(),
            tests: Vec::new(),
            rows: Rows::new(indices.len()),
            next: self.next,
            over_budget: self.over_budget,
            is_exhaustive: self.is_exhaustive,
        };
        let all = Bits::ones(indices.len());
        let mut table = HashTable::new();
        let mut words = vec![0; all.words().len()];
        let mut number_of = vec![None; self.rows.examples()];
        indices.iter().zip(0u32..).for_each(|(&i, k)| number_of[i] = Some(k));
        for (test, own) in self.tests.iter().enumerate() {
            words.fill(0);
            match self.rows.get(test) {
                Row::Words(row) => {
                    for (k, &i) in indices.iter().enumerate() {
                        words[k / 64] |= (row[i / 64] >> (i % 64) & 1) << (k % 64);
                    }
                }
                Row::Indices(row) => {
                    for k in row.iter().filter_map(|&i| number_of[i as usize]) {
                        words[k as usize / 64] |= 1 << (k % 64);
                    }
                }
            }
            if words.iter().any(|&word| word != 0) && words != all.words() {
                restricted.keep(*own, &words, &mut table);
            }
        }
        restricted
    }

    /// Adds a test, or keeps the better of it and the test with the same coverage.
    fn keep(&mut self, test: Test, words: &[u64], table: &mut TestTable) {
        let hash = rustc_hash::FxBuildHasher.hash_one(words);
        let is_same = |&(of, same): &(u64, u32)| of == hash && self.rows.get(same as usize).is(words);
        if let Some(&(_, same)) = table.find(hash, is_same) {
            let kept = &mut self.tests[same as usize];
            if test.margin.total_cmp(&kept.margin).then(test.order.cmp(&kept.order)).is_lt() {
                *kept = test;
            }
            return;
        }
        let number = self.tests.len() as u32;
        self.tests.push(test);
        self.rows.push(words);
        table.insert_unique(hash, (hash, number), |&(hash, _)| hash);
    }
}

/// Tests by the hashes of their rows.
type TestTable = HashTable<(u64, u32)>;

/// Combines conjuncts into tests.
struct Combiner<'f, 'b, 'a> {
    conjuncts: &'f Conjuncts<'b, 'a>,
    language: &'f Language,
    margins: Margins,
    candidates: &'f mut Candidates,
    table: TestTable,
    /// The rank of the next test.
    order: u32,
}

impl Combiner<'_, '_, '_> {
    fn all_tests(&mut self) {
        let (conjuncts, LanguageOptions { node_size, look_ahead, .. }) = (self.conjuncts, self.language.options());
        let representatives = match look_ahead {
            LookAhead::Anywhere => self.representatives(node_size),
            LookAhead::Head => Vec::new(),
        };
        let longest = conjuncts.list.iter().map(|conjunct| conjunct.literals.len()).max().unwrap_or(0);
        for size in 1..=longest.max(node_size) {
            for (b, conjunct) in
                conjuncts.list.iter().enumerate().filter(|(_, conjunct)| conjunct.literals.len() == size)
            {
                self.keep(&[b], 1, conjunct.bits.words());
            }
            if size <= node_size {
                self.unions(&representatives, 0, size, &mut Vec::new(), conjuncts.path_coverage.words());
            }
        }
        if self.language.options().counts {
            self.counts();
        }
    }

    /// Adds at-least-k tests of single conjuncts that touch no path component and have variables to
    /// count.
    fn counts(&mut self) {
        let conjuncts = self.conjuncts;
        let countable = |&b: &usize| conjuncts.list[b].touched == 0 && !conjuncts.list[b].new.is_empty();
        let countable: Vec<usize> = (0..conjuncts.list.len()).filter(countable).collect();
        let conjunction = |&b: &usize| [&conjuncts.list[b].literals[..], &conjuncts.list[b].comparisons].concat();
        let conjunctions: Vec<Vec<Literal>> = countable.iter().map(conjunction).collect();
        let counts = conjuncts.coverage.counts(&conjunctions);
        for ((b, counts), conjunction) in countable.into_iter().zip(counts).zip(&conjunctions) {
            for at_least in counts.thresholds(&conjuncts.path_coverage) {
                let covered = counts.at_least(at_least);
                conjuncts.coverage.record_for_audit(conjunction, at_least, &covered);
                self.keep(&[b], at_least, covered.and(&conjuncts.path_coverage).words());
            }
        }
    }

    /// Returns the conjuncts to combine: one for each combination of coverage and touched
    /// components, none that covers all examples of the path. If these give too many tests, those
    /// that split the examples most evenly are kept.
    fn representatives(&mut self, node_size: usize) -> Vec<usize> {
        let list = &self.conjuncts.list;
        let all = self.conjuncts.path_coverage.count();
        let mut seen: HashSet<(&Bits, u64, usize, &[usize])> = HashSet::default();
        let mut chosen: Vec<usize> = Vec::new();
        for (b, conjunct) in list.iter().enumerate() {
            let size = conjunct.literals.len();
            if conjunct.count == all || size >= node_size || conjunct.modes.is_empty() {
                continue;
            }
            // With occurrence limits, conjuncts of different modes cannot represent each other.
            let modes = if self.language.has_limits() { &conjunct.modes[..] } else { &[] };
            if seen.insert((&conjunct.bits, conjunct.touched, size, modes)) {
                chosen.push(b);
            }
        }
        let max = max_combinable(self.conjuncts.left, node_size);
        if chosen.len() > max {
            self.candidates.over_budget = true;
            let evenness = |&b: &usize| list[b].count.min(all - list[b].count);
            chosen.sort_by_key(|b| std::cmp::Reverse(evenness(b)));
            chosen.truncate(max);
            chosen.sort_unstable();
        }
        chosen
    }

    /// Adds the tests of several conjuncts with `size` literals in total.
    fn unions(&mut self, conjuncts: &[usize], touched: u64, size: usize, chosen: &mut Vec<usize>, words: &[u64]) {
        for (at, &b) in conjuncts.iter().enumerate() {
            let conjunct = &self.conjuncts.list[b];
            let own = conjunct.literals.len();
            if own > size || (own == size && chosen.is_empty()) || conjunct.touched & touched != 0 {
                continue;
            }
            let both: Vec<u64> = words.iter().zip(conjunct.bits.words()).map(|(a, b)| a & b).collect();
            if both.iter().all(|&word| word == 0) {
                continue;
            }
            chosen.push(b);
            if own < size {
                let rest = &conjuncts[at + 1..];
                self.unions(rest, touched | conjunct.touched, size - own, chosen, &both);
            } else if !self.language.has_limits() || self.conjuncts.are_compatible(chosen) {
                self.keep(chosen, 1, &both);
            }
            chosen.pop();
        }
    }

    /// Returns the additional gain required of a test of these conjuncts.
    fn margin(&self, conjuncts: &[usize], at_least: u32) -> f64 {
        let count = if at_least > 1 { self.margins.count } else { 0.0 };
        // Computing the extent of the look-ahead takes some time.
        let ahead =
            if self.margins.look_ahead > 0.0 { f64::from(self.conjuncts.look_ahead_literals(conjuncts)) } else { 0.0 };
        count + self.margins.look_ahead * ahead
    }

    /// Keeps a test if it splits the examples of the path and no test with the same coverage is as
    /// good.
    fn keep(&mut self, conjuncts: &[usize], at_least: u32, words: &[u64]) {
        if words == self.conjuncts.path_coverage.words() {
            return;
        }
        let (margin, order) = (self.margin(conjuncts, at_least), self.order);
        self.order += 1;
        let mut test = Test { conjuncts: [NO_CONJUNCT; MAX_NODE_SIZE], at_least, margin, order };
        test.conjuncts.iter_mut().zip(conjuncts).for_each(|(entry, &b)| *entry = b as u32);
        self.candidates.keep(test, words, &mut self.table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::Example;
    use crate::kb::sample::{self, constants};

    /// Returns the tests that cover only the first of three examples, by predicates, with their
    /// margins.
    fn tests(text: &str, node_size: usize, look_ahead: LookAhead, arity: usize) -> Vec<(String, f64)> {
        let (database, clauses, _) = sample::build(text, None);
        let target = clauses[0].0;
        let example = |k: usize| {
            let args = constants(&database, [format!("a{k}").as_str(), format!("b{k}").as_str()]);
            Example { args: args[..arity].into(), positive: true, class: 0, weight: 1.0, line: 0 }
        };
        let examples = [1, 2, 3].map(example);
        let coverage = Coverage::new(&database, target, &examples, 1 << 20);
        let options = LanguageOptions { node_size, look_ahead, ..LanguageOptions::default() };
        let language = Language::new(&database, target, options);
        let margins = Margins { count: 0.05, look_ahead: 0.06 };
        let candidates = Candidates::new(&coverage, &language, margins, &[], &language.head(), arity as u32);
        let name = |test: usize| {
            let (literals, _) = candidates.test(test);
            literals.iter().map(|literal| database.predicates.name(literal.predicate)).collect::<Vec<_>>().join(" ")
        };
        let first = |&test: &usize| candidates.rows().bits(test).words() == [1];
        (0..candidates.len()).filter(first).map(|test| (name(test), candidates.margin(test))).collect()
    }

    const FACTS: &str =
        "p(a1, x). q(x, b1). r(a1, y). s(y, k). s(k, k). p(a2, z). r(a2, w). p(b1, b2). p(b3, a3). t(A, B) :- p(A, B).";

    #[test]
    fn keeps_the_smallest_margin_among_tests_with_equal_coverage_in_any_order() {
        let (chain, ahead) = ("mode: p(+a, -x). mode: q(+x, +b). ", "mode: r(+a, -y). mode: s(+y, -y). ");
        for modes in [format!("{chain}{ahead}"), format!("{ahead}{chain}")] {
            for look_ahead in [LookAhead::Anywhere, LookAhead::Head] {
                let found = tests(&format!("mode: t(+a, +b). {modes}{FACTS}"), 2, look_ahead, 2);
                assert_eq!(found, [("p q".to_owned(), 0.0)], "{modes}");
            }
        }
    }

    #[test]
    fn look_ahead_margins_count_literals_if_the_head_has_several_variables() {
        let modes = "mode: r(+a, -y). mode: s(+y, #y). ";
        let two = format!("mode: t(+a, +b). {modes}{FACTS}");
        assert_eq!(tests(&two, 2, LookAhead::Head, 2), [("r s".to_owned(), 0.06)]);
        let one = format!("mode: t(+a). {modes}{}", FACTS.replace("t(A, B) :- p(A, B)", "t(A) :- p(A, B)"));
        assert_eq!(tests(&one, 2, LookAhead::Head, 1), [("r s".to_owned(), 0.0)]);
        // Two literals no longer separate the first example, three do.
        let three = two.replace("s(+y, #y)", "s(+y, -y)").replace("s(y, k). s(k, k)", "s(y, k). s(k, o). s(w, o)");
        let found = tests(&three, 3, LookAhead::Head, 2);
        assert_eq!(found, [("r s s".to_owned(), 0.12)]);
    }
}

//! The tests a node may ask, each with the examples that satisfy it.
//!
//! A test is a set of literals. Those that share a new variable, or that speak of the same part of the path above, hang
//! together and form a *block*; blocks are what must be searched for in the facts. A test of several blocks holds where
//! all of them hold, so its examples are found with a few `and`s. Of blocks that hold for the same examples and touch the
//! same parts of the path, the first can stand for all in such a test.
//!
//! Tests come in a fixed order: fewer literals first, then fewer blocks, then the order in which modes, variables and
//! constants come; tests for several groundings come last. Of several tests that hold for the same examples, only the one with the
//! smallest handicap is kept, and of equals the first: it would win every tie.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::conjunct::{Block, Blocks, LARGEST_PART, largest_choice};
use super::language::{Known, Language, LanguageOptions, LookAhead, MAX_NODE_SIZE};
use super::split::Margins;
use crate::cover::Bits;
use crate::cover::Coverage;
use crate::determinism::HashSet;
use crate::logic::Literal;

/// Stands where a test has no further block.
const NO_BLOCK: u32 = u32::MAX;

/// What is asked.
#[derive(Clone, Copy, Debug)]
struct Test {
    /// Blocks, filled up with [`NO_BLOCK`].
    blocks: [u32; MAX_NODE_SIZE],
    /// How many groundings must exist.
    at_least: u32,
    /// How much more than others it must gain, as a part of the squared error.
    margin: f64,
}

/// The tests of a node, in order.
#[derive(Debug)]
pub(super) struct Frontier {
    blocks: Vec<Block>,
    tests: Vec<Test>,
    /// For each test the examples that satisfy the path and the test, as words.
    rows: Vec<u64>,
    /// Words in a row.
    stride: usize,
    /// The number of the first new variable.
    next: u32,
    /// Whether there were more candidates than allowed.
    pub over_budget: bool,
}

impl Frontier {
    /// How many tests there are.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// The examples that satisfy the path and a test, as the words of [`Bits`].
    pub fn row(&self, test: usize) -> &[u64] {
        &self.rows[test * self.stride..(test + 1) * self.stride]
    }

    /// The literals of a test, and the variables that it binds.
    pub fn test(&self, test: usize) -> (Vec<Literal>, Vec<Known>) {
        let (mut literals, mut new) = (Vec::new(), Vec::new());
        for &block in self.tests[test].blocks.iter().take_while(|&&block| block != NO_BLOCK) {
            self.blocks[block as usize].append_to(self.next, &mut literals, &mut new);
        }
        // Where there are several groundings, no variable stands for one thing.
        if self.at_least(test) > 1 {
            new.clear();
        }
        (literals, new)
    }

    /// How many groundings a test asks for.
    pub fn at_least(&self, test: usize) -> u32 {
        self.tests[test].at_least
    }

    /// How much more than others a test must gain, as a part of the squared error.
    pub fn margin(&self, test: usize) -> f64 {
        self.tests[test].margin
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let block = |block: &Block| 200 + (block.literals.len() + block.comparisons.len()) * 100 + 8 * self.stride;
        8 * self.rows.len() + size_of_val(&self.tests[..]) + self.blocks.iter().map(block).sum::<usize>()
    }

    /// The tests below a path whose variables are `known`; `next` is the first number that is free for a new one.
    pub fn new(
        coverage: &Coverage<'_>,
        language: &Language,
        margins: Margins,
        path: &[Literal],
        known: &[Known],
        next: u32,
    ) -> Self {
        let blocks = Blocks::new(coverage, language, path, known, next, LARGEST_PART);
        let mut frontier = Frontier {
            blocks: Vec::new(),
            tests: Vec::new(),
            rows: Vec::new(),
            stride: blocks.here.words().len(),
            next,
            over_budget: blocks.over_budget || blocks.closed,
        };
        let table = HashTable::new();
        let mut combiner = Combiner { blocks: &blocks, language, margins, frontier: &mut frontier, table };
        combiner.all_tests();
        frontier.rows.shrink_to_fit();
        frontier.tests.shrink_to_fit();
        frontier.blocks = blocks.list;
        frontier
    }
}

/// Makes tests from blocks.
struct Combiner<'f, 'b, 'a> {
    blocks: &'f Blocks<'b, 'a>,
    language: &'f Language,
    margins: Margins,
    frontier: &'f mut Frontier,
    /// The tests by their rows.
    table: HashTable<u32>,
}

impl Combiner<'_, '_, '_> {
    fn all_tests(&mut self) {
        let (blocks, LanguageOptions { node_size, look_ahead, .. }) = (self.blocks, self.language.options());
        let representatives = match look_ahead {
            LookAhead::Anywhere => self.representatives(node_size),
            LookAhead::Head => Vec::new(),
        };
        let longest = blocks.list.iter().map(|block| block.literals.len()).max().unwrap_or(0);
        for size in 1..=longest.max(node_size) {
            for (b, block) in blocks.list.iter().enumerate().filter(|(_, block)| block.literals.len() == size) {
                self.keep(&[b], 1, block.bits.words());
            }
            if size <= node_size {
                self.unions(&representatives, 0, size, &mut Vec::new(), blocks.here.words());
            }
        }
        if self.language.options().counts {
            self.counts();
        }
    }

    /// Tests for several groundings of one block that touches nothing of the path and brings variables to count.
    fn counts(&mut self) {
        let blocks = self.blocks;
        let countable = |&b: &usize| blocks.list[b].touch == 0 && !blocks.list[b].new.is_empty();
        let countable: Vec<usize> = (0..blocks.list.len()).filter(countable).collect();
        let conjunctions: Vec<&[Literal]> = countable.iter().map(|&b| &blocks.list[b].literals[..]).collect();
        for (b, counts) in countable.into_iter().zip(blocks.coverage.counts(&conjunctions)) {
            for at_least in counts.thresholds(&blocks.here) {
                let enough = counts.at_least(at_least);
                blocks.coverage.record_for_audit(&blocks.list[b].literals, at_least, &enough);
                self.keep(&[b], at_least, enough.and(&blocks.here).words());
            }
        }
    }

    /// The blocks that are combined: the first of each kind that holds for the same examples and touches the same parts,
    /// and no block that holds for all examples of the path. If that gives too many tests, those stay that divide the
    /// examples most evenly.
    fn representatives(&mut self, node_size: usize) -> Vec<usize> {
        let list = &self.blocks.list;
        let all = self.blocks.here.count();
        let mut kinds: HashSet<(&Bits, u64, usize, &[usize])> = HashSet::default();
        let mut chosen: Vec<usize> = Vec::new();
        for (b, block) in list.iter().enumerate() {
            let size = block.literals.len();
            if block.count == all || size >= node_size || block.modes.is_empty() {
                continue;
            }
            // Where modes count predicates, blocks of other modes cannot stand for each other.
            let modes = if self.language.has_limits() { &block.modes[..] } else { &[] };
            if kinds.insert((&block.bits, block.touch, size, modes)) {
                chosen.push(b);
            }
        }
        let most = largest_choice(self.blocks.left, node_size);
        if chosen.len() > most {
            self.frontier.over_budget = true;
            let evenness = |&b: &usize| list[b].count.min(all - list[b].count);
            chosen.sort_by_key(|b| std::cmp::Reverse(evenness(b)));
            chosen.truncate(most);
            chosen.sort_unstable();
        }
        chosen
    }

    /// The tests of several blocks with so many literals together.
    fn unions(&mut self, blocks: &[usize], touch: u64, size: usize, chosen: &mut Vec<usize>, words: &[u64]) {
        for (at, &b) in blocks.iter().enumerate() {
            let block = &self.blocks.list[b];
            let own = block.literals.len();
            if own > size || (own == size && chosen.is_empty()) || block.touch & touch != 0 {
                continue;
            }
            let both: Vec<u64> = words.iter().zip(block.bits.words()).map(|(a, b)| a & b).collect();
            if both.iter().all(|&word| word == 0) {
                continue;
            }
            chosen.push(b);
            if own < size {
                let rest = &blocks[at + 1..];
                self.unions(rest, touch | block.touch, size - own, chosen, &both);
            } else if !self.language.has_limits() || self.blocks.may_stand_together(chosen) {
                self.keep(chosen, 1, &both);
            }
            chosen.pop();
        }
    }

    /// How much more than others a test of these blocks must gain.
    fn margin(&self, blocks: &[usize], at_least: u32) -> f64 {
        let counts = if at_least > 1 { self.margins.counts } else { 0.0 };
        // Whether blocks look ahead takes a moment to find out.
        let ahead = if self.margins.ahead > 0.0 { f64::from(self.blocks.ahead(blocks)) } else { 0.0 };
        counts + self.margins.ahead * ahead
    }

    /// Keeps a test if it divides the examples of the path, and none divides them in the same way that is as good.
    fn keep(&mut self, blocks: &[usize], at_least: u32, words: &[u64]) {
        if words == self.blocks.here.words() {
            return;
        }
        let mut test = Test { blocks: [NO_BLOCK; MAX_NODE_SIZE], at_least, margin: self.margin(blocks, at_least) };
        test.blocks.iter_mut().zip(blocks).for_each(|(place, &b)| *place = b as u32);
        let frontier = &mut *self.frontier;
        let hash = |words: &[u64]| rustc_hash::FxBuildHasher.hash_one(words);
        if let Some(&same) = self.table.find(hash(words), |&test| frontier.row(test as usize) == words) {
            let kept = &mut frontier.tests[same as usize];
            if test.margin < kept.margin {
                *kept = test;
            }
            return;
        }
        let number = frontier.tests.len() as u32;
        frontier.tests.push(test);
        frontier.rows.extend_from_slice(words);
        self.table.insert_unique(hash(words), number, |&test| hash(frontier.row(test as usize)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kb::Example;
    use crate::kb::sample::{self, constants};

    /// The tests for the first of three examples alone: their predicates, and how much more than others they must gain.
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
        let margins = Margins { counts: 0.05, ahead: 0.06 };
        let frontier = Frontier::new(&coverage, &language, margins, &[], &language.head(), arity as u32);
        let name = |test: usize| {
            let (literals, _) = frontier.test(test);
            literals.iter().map(|literal| database.predicates.name(literal.predicate)).collect::<Vec<_>>().join(" ")
        };
        let first = |&test: &usize| frontier.row(test) == [1];
        (0..frontier.len()).filter(first).map(|test| (name(test), frontier.margin(test))).collect()
    }

    const FACTS: &str =
        "p(a1, x). q(x, b1). r(a1, y). s(y, k). s(k, k). p(a2, z). r(a2, w). p(b1, b2). p(b3, a3). t(A, B) :- p(A, B).";

    #[test]
    fn of_equal_tests_the_one_with_the_smallest_margin_stays_whatever_comes_first() {
        let (chain, ahead) = ("mode: p(+a, -x). mode: q(+x, +b). ", "mode: r(+a, -y). mode: s(+y, -y). ");
        for modes in [format!("{chain}{ahead}"), format!("{ahead}{chain}")] {
            for look_ahead in [LookAhead::Anywhere, LookAhead::Head] {
                let found = tests(&format!("mode: t(+a, +b). {modes}{FACTS}"), 2, look_ahead, 2);
                assert_eq!(found, [("p q".to_owned(), 0.0)], "{modes}");
            }
        }
    }

    #[test]
    fn margins_count_literals_where_there_are_arguments_to_tie() {
        let modes = "mode: r(+a, -y). mode: s(+y, #y). ";
        let two = format!("mode: t(+a, +b). {modes}{FACTS}");
        assert_eq!(tests(&two, 2, LookAhead::Head, 2), [("r s".to_owned(), 0.06)]);
        let one = format!("mode: t(+a). {modes}{}", FACTS.replace("t(A, B) :- p(A, B)", "t(A) :- p(A, B)"));
        assert_eq!(tests(&one, 2, LookAhead::Head, 1), [("r s".to_owned(), 0.0)]);
        // Two literals do not hold for the first alone any more, three do.
        let three = two.replace("s(+y, #y)", "s(+y, -y)").replace("s(y, k). s(k, k)", "s(y, k). s(k, o). s(w, o)");
        let found = tests(&three, 3, LookAhead::Head, 2);
        assert_eq!(found, [("r s s".to_owned(), 0.12)]);
    }
}

//! The tests a node may ask, each with the examples that satisfy it.
//!
//! A test is a set of literals. Those that share a new variable, or that speak of the same part of the path above, hang
//! together and form a *block*; blocks are what must be searched for in the facts. A test of several blocks holds where
//! all of them hold, so its examples are found with a few `and`s. Of blocks that hold for the same examples and touch the
//! same parts of the path, the first can stand for all in such a test.
//!
//! Tests come in a fixed order: fewer literals first, then fewer blocks, then the order in which modes, variables and
//! constants come; tests for several groundings come last. Of several tests that hold for the same examples, only the first is kept: it would win every tie.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::bits::Bits;
use super::block::{Block, Blocks, LARGEST_PART, largest_choice};
use super::candidate::{Known, Language, LanguageOptions, LookAhead, MAX_NODE_SIZE};
use super::coverage::Coverage;
use crate::logic::Literal;
use crate::order::HashSet;

/// Stands where a test has no further block.
const NO_BLOCK: u32 = u32::MAX;

/// What is asked.
#[derive(Clone, Copy, Debug)]
struct Test {
    /// Blocks, filled up with [`NO_BLOCK`].
    blocks: [u32; MAX_NODE_SIZE],
    /// How many groundings must exist.
    at_least: u32,
    /// How many literals it looks ahead, see [`Frontier::ahead`].
    ahead: u32,
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

    /// How many literals beyond the first a test has that does not tie variables of the head together; 0 for one that does.
    pub fn ahead(&self, test: usize) -> u32 {
        self.tests[test].ahead
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        let block = |block: &Block| 200 + (block.literals.len() + block.comparisons.len()) * 100 + 8 * self.stride;
        8 * self.rows.len() + size_of_val(&self.tests[..]) + self.blocks.iter().map(block).sum::<usize>()
    }

    /// The tests below a path whose variables are `known`; `next` is the first number that is free for a new one.
    pub fn new(coverage: &Coverage<'_>, language: &Language, path: &[Literal], known: &[Known], next: u32) -> Self {
        let blocks = Blocks::new(coverage, language, path, known, next, LARGEST_PART);
        let mut frontier = Frontier {
            blocks: Vec::new(),
            tests: Vec::new(),
            rows: Vec::new(),
            stride: blocks.here.words().len(),
            next,
            over_budget: blocks.over_budget || blocks.closed,
        };
        let mut combiner = Combiner { blocks: &blocks, language, frontier: &mut frontier, table: HashTable::new() };
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
                blocks.coverage.show_to_audit(&blocks.list[b].literals, at_least, &enough);
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

    /// Keeps a test if it divides the examples of the path, and none before it divides them in the same way.
    fn keep(&mut self, blocks: &[usize], at_least: u32, words: &[u64]) {
        if words == self.blocks.here.words() {
            return;
        }
        let frontier = &mut *self.frontier;
        let hash = |words: &[u64]| rustc_hash::FxBuildHasher.hash_one(words);
        if self.table.find(hash(words), |&test| frontier.row(test as usize) == words).is_some() {
            return;
        }
        let mut test = Test { blocks: [NO_BLOCK; MAX_NODE_SIZE], at_least, ahead: self.blocks.ahead(blocks) };
        test.blocks.iter_mut().zip(blocks).for_each(|(place, &b)| *place = b as u32);
        let number = frontier.tests.len() as u32;
        frontier.tests.push(test);
        frontier.rows.extend_from_slice(words);
        self.table.insert_unique(hash(words), number, |&test| hash(frontier.row(test as usize)));
    }
}

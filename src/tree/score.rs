//! How well tests divide the gradients of a node.
//!
//! Gradients are summed as whole numbers of a tiny unit. Such sums are exact, so they do not depend on the order in which
//! they are made, two tests that divide the examples in the same way score the same to the last bit, and ties are
//! decided by the order of tests and not by rounding.

use rayon::prelude::*;

use super::bits::Bits;
use super::frontier::Frontier;
use super::parallel;

/// Gradients in a unit so small that it does not matter, and so large that no sum overflows.
#[derive(Debug)]
pub(super) struct Gradients {
    units: Vec<i64>,
    unit: f64,
}

impl Gradients {
    /// The gradients of the examples in use; the others do not count.
    pub fn new(gradients: &[f64], in_use: &Bits) -> Self {
        let total: f64 = in_use.iter().map(|i| gradients[i].abs()).sum();
        // A power of two, so that going from and to units only shifts: sums stay below 2^61.
        let exponent = if total.is_normal() { 60 - total.log2().ceil() as i32 } else { 60 };
        let scale = 2f64.powi(exponent.clamp(-1000, 1000));
        Gradients { units: gradients.iter().map(|g| (g * scale).round() as i64).collect(), unit: 1.0 / scale }
    }

    /// Those of some examples, in the same unit.
    pub fn pick(&self, examples: &[usize]) -> Self {
        Gradients { units: examples.iter().map(|&i| self.units[i]).collect(), unit: self.unit }
    }
}

/// The examples of a node, ready to be divided.
#[derive(Debug)]
pub(super) struct Node<'g> {
    gradients: &'g Gradients,
    /// The words in which the node has examples, with their numbers.
    words: Vec<(usize, u64)>,
    count: usize,
    sum: i64,
    /// The sum of squares.
    squares: f64,
    /// The squared error that there is before any test.
    error: f64,
    count_margin: f64,
}

/// With fewer tests than this, making the tables takes longer than they save.
const TESTS_FOR_TABLES: usize = 64;

/// Tables are made for so many words at a time, half a MiB of them: those of all words would take 256 bytes for each example
/// and not stay near the processor.
const WORDS_AT_ONCE: usize = 32;

/// For each byte of some words, the sum of every choice of its examples; empty if there are few tests.
type Tables = Vec<[i64; 256]>;

impl<'g> Node<'g> {
    /// The node with the examples `here`. A test for several groundings must gain more than others by the part
    /// `count_margin` of the squared error.
    pub fn new(gradients: &'g Gradients, here: &Bits, count_margin: f64) -> Self {
        let all = here.words().iter().copied().enumerate();
        let words = all.filter(|&(_, word)| word != 0).collect();
        let (count, sum): (usize, i64) = (here.count(), here.iter().map(|i| gradients.units[i]).sum());
        let squares: f64 = here.iter().map(|i| (gradients.units[i] as f64 * gradients.unit).powi(2)).sum();
        let error = squares - (sum as f64 * gradients.unit).powi(2) / count.max(1) as f64;
        Node { gradients, words, count, sum, squares, error, count_margin }
    }

    /// The tables of some of the words, for so many tests.
    fn tables(&self, words: &[(usize, u64)], tests: usize) -> Tables {
        if tests < TESTS_FOR_TABLES {
            return Vec::new();
        }
        let table = |first: usize, byte: u64| {
            let mut sums = [0; 256];
            for choice in 1..256usize {
                let lowest = choice.trailing_zeros() as usize;
                let own = if byte >> lowest & 1 == 1 { self.gradients.units[first + lowest] } else { 0 };
                sums[choice] = sums[choice & (choice - 1)] + own;
            }
            sums
        };
        let bytes = |&(k, word): &(usize, u64)| (0..8).map(move |b| (64 * k + 8 * b, word >> (8 * b) & 255));
        words.iter().flat_map(bytes).map(|(first, byte)| table(first, byte)).collect()
    }

    /// How many examples of some words of the node are in the row, and the sum of their gradients.
    fn side(&self, words: &[(usize, u64)], tables: &Tables, row: &[u64]) -> (usize, i64) {
        let (mut count, mut sum) = (0, 0);
        if tables.is_empty() {
            for &(k, word) in words {
                let mut both = row[k] & word;
                count += both.count_ones() as usize;
                while both != 0 {
                    sum += self.gradients.units[64 * k + both.trailing_zeros() as usize];
                    both &= both - 1;
                }
            }
            return (count, sum);
        }
        for (&(k, word), tables) in words.iter().zip(tables.chunks_exact(8)) {
            // Examples that are not here add nothing by the tables, but must not be counted.
            let both = row[k] & word;
            count += both.count_ones() as usize;
            for (table, byte) in tables.iter().zip(both.to_le_bytes()) {
                sum += table[usize::from(byte)];
            }
        }
        (count, sum)
    }

    /// For each of so many tests, the examples of the node that satisfy it, and the sum of their gradients.
    fn sides<'r>(&self, tests: usize, row: impl Fn(usize) -> &'r [u64] + Sync) -> Vec<(usize, i64)> {
        let numbers: Vec<usize> = (0..tests).collect();
        let some = |words: &[(usize, u64)]| -> Vec<(usize, i64)> {
            let tables = self.tables(words, tests);
            parallel::map(&numbers, 8 * words.len(), |&test| self.side(words, &tables, row(test)))
        };
        // Sums of whole numbers are the same in any order.
        let add = |mut all: Vec<(usize, i64)>, some: Vec<(usize, i64)>| {
            all.iter_mut().zip(some).for_each(|(all, some)| *all = (all.0 + some.0, all.1 + some.1));
            all
        };
        let nothing = || vec![(0, 0); tests];
        if parallel::pays(tests.saturating_mul(8 * self.words.len())) {
            self.words.par_chunks(WORDS_AT_ONCE).map(some).reduce(nothing, add)
        } else {
            self.words.chunks(WORDS_AT_ONCE).map(some).fold(nothing(), add)
        }
    }

    /// The least squared error after a division, that of the means of both sides; `None` if a side has fewer than
    /// `min_leaf` examples.
    fn error(&self, (count, sum): (usize, i64), min_leaf: usize) -> Option<f64> {
        let (others, rest) = (self.count - count, self.sum - sum);
        // The sum over the side of (mean - gradient)^2 is that of the squares of the gradients without this.
        let explained = |count: usize, sum: i64| {
            let sum = sum as f64 * self.gradients.unit;
            sum * sum / count as f64
        };
        let enough = count.min(others) >= min_leaf.max(1);
        enough.then(|| self.squares - (explained(count, sum) + explained(others, rest)))
    }

    /// What is added to the error of a test that asks for so many groundings.
    ///
    /// There are several such tests for each other one, so the best of them looks better than it is more often.
    pub fn handicap(&self, at_least: u32) -> f64 {
        if at_least > 1 { self.count_margin * self.error } else { 0.0 }
    }

    /// Errors of the same test that are worked out in different ways differ by less than this.
    pub fn rounding(&self) -> f64 {
        1e-10 * self.squares
    }

    /// The `most` tests with the least error, in order of error and then of the tests; and how many divide the examples
    /// at all.
    pub fn screen(&self, frontier: &Frontier, min_leaf: usize, most: Option<usize>) -> (Vec<(f64, usize)>, usize) {
        let sides = self.sides(frontier.len(), |test| frontier.row(test));
        let errors = sides.into_iter().map(|side| self.error(side, min_leaf));
        let handicap = |test: usize| self.handicap(frontier.at_least(test));
        let divides = errors.enumerate().filter_map(|(test, error)| Some((error? + handicap(test), test)));
        let mut ranked: Vec<(f64, usize)> = divides.collect();
        let divide = ranked.len();
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if let Some(most) = most.map(|most| most.max(1))
            && most < ranked.len()
        {
            ranked.select_nth_unstable_by(most - 1, order);
            ranked.truncate(most);
        }
        ranked.sort_unstable_by(order);
        (ranked, divide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_single_bits_give_the_same_sums() {
        // Once all words at once, once not.
        for examples in [200, 64 * WORDS_AT_ONCE + 200] {
            let gradients: Vec<f64> = (0..examples).map(|i| (i * i % 37) as f64 / 8.0 - 2.0).collect();
            let here = Bits::from_fn(examples, |i| i % 3 != 0 && !(64..128).contains(&i));
            let units = Gradients::new(&gradients, &Bits::ones(examples));
            let node = Node::new(&units, &here, 0.0);
            assert_eq!(node.words.len(), examples.div_ceil(64) - 1);
            assert!(node.tables(&node.words, TESTS_FOR_TABLES - 1).is_empty());
            assert_eq!(node.tables(&node.words[..3], TESTS_FOR_TABLES).len(), 24);
            let rows: Vec<Bits> = (1..=TESTS_FOR_TABLES).map(|k| Bits::from_fn(examples, |i| i % k == 1)).collect();
            let row = |test: usize| rows[test].words();
            let many = node.sides(rows.len(), row);
            assert_eq!(node.sides(rows.len() - 1, row), many[..rows.len() - 1]);
            for (row, (count, sum)) in rows.iter().zip(many) {
                let both = row.and(&here);
                assert_eq!(count, both.count());
                assert_eq!(sum as f64 * units.unit, both.sum(&gradients), "eighths are exact in both");
            }
        }
    }

    #[test]
    fn units_fit_any_size_of_gradients() {
        for size in [1e-250, 1e-9, 1.0, 1e6, 1e290] {
            let gradients = [size, -0.5 * size, 0.25 * size, f64::NAN];
            let in_use = Bits::from_fn(4, |i| i < 3);
            let units = Gradients::new(&gradients, &in_use);
            let node = Node::new(&units, &in_use, 0.0);
            assert!((node.sum as f64 * units.unit / (0.75 * size) - 1.0).abs() < 1e-12, "{size}");
        }
        assert_eq!(Gradients::new(&[0.0, 0.0], &Bits::ones(2)).units, [0, 0]);
    }
}

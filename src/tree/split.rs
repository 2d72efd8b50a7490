//! How well tests divide the gradients of a node.
//!
//! Gradients are summed as whole numbers of a tiny unit. Such sums are exact, so they do not depend on the order in which
//! they are made, two tests that divide the examples in the same way score the same to the last bit, and ties are
//! decided by the order of tests and not by rounding.

use rayon::prelude::*;

use super::candidates::Frontier;
use crate::cover::Bits;
use crate::parallel;

/// Numbers of examples in a unit so small that it does not matter, and so large that no sum overflows.
#[derive(Debug)]
struct Units {
    units: Vec<i64>,
    unit: f64,
}

impl Units {
    /// The numbers of the examples in use; the others do not count.
    fn new(numbers: &[f64], in_use: &Bits) -> Self {
        let total: f64 = in_use.iter().map(|i| numbers[i].abs()).sum();
        // A power of two, so that going from and to units only shifts: sums stay below 2^61.
        let exponent = if total.is_normal() { 60 - total.log2().ceil() as i32 } else { 60 };
        let scale = 2f64.powi(exponent.clamp(-1000, 1000));
        Units { units: numbers.iter().map(|x| (x * scale).round() as i64).collect(), unit: 1.0 / scale }
    }

    fn pick(&self, examples: &[usize]) -> Self {
        Units { units: examples.iter().map(|&i| self.units[i]).collect(), unit: self.unit }
    }

    fn get(&self, i: usize) -> f64 {
        self.units[i] as f64 * self.unit
    }

    fn sum(&self, of: &Bits) -> i64 {
        of.iter().map(|i| self.units[i]).sum()
    }
}

/// The gradients of the examples, each times its weight, and the weights if not all are 1.
#[derive(Debug)]
pub(super) struct Gradients {
    sums: Units,
    weights: Option<Units>,
}

impl Gradients {
    /// The gradients of the examples in use; the others do not count.
    pub fn new(gradients: &[f64], weights: Option<&[f64]>, in_use: &Bits) -> Self {
        let Some(weights) = weights else { return Gradients { sums: Units::new(gradients, in_use), weights: None } };
        let weighted: Vec<f64> = gradients.iter().zip(weights).map(|(gradient, weight)| weight * gradient).collect();
        Gradients { sums: Units::new(&weighted, in_use), weights: Some(Units::new(weights, in_use)) }
    }

    /// Those of some examples, in the same unit.
    pub fn pick(&self, examples: &[usize]) -> Self {
        Gradients { sums: self.sums.pick(examples), weights: self.weights.as_ref().map(|all| all.pick(examples)) }
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
    /// The sum of the weights, if examples have such.
    weight: i64,
    /// The sum of squares.
    squares: f64,
    /// The squared error that there is before any test.
    error: f64,
}

/// How much more than others some tests must gain, as parts of the squared error of a node: there are many such tests, so the
/// best of them looks better than it is more often.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margins {
    /// A test for several groundings.
    pub counts: f64,
    /// A test that looks ahead, for each literal beyond the first.
    pub ahead: f64,
}

/// With fewer tests than this, making the tables takes longer than they save.
const TESTS_FOR_TABLES: usize = 64;

/// Tables are made for so many words at a time, half a MiB of them: those of all words would take 256 bytes for each example
/// and not stay near the processor.
const WORDS_AT_ONCE: usize = 32;

/// For each byte of some words, the sum of every choice of its examples; empty if there are few tests.
type Tables = Vec<[i64; 256]>;

impl<'g> Node<'g> {
    /// The node with the examples `here`.
    pub fn new(gradients: &'g Gradients, here: &Bits) -> Self {
        let all = here.words().iter().copied().enumerate();
        let words = all.filter(|&(_, word)| word != 0).collect();
        let Gradients { sums, weights } = gradients;
        let (count, sum): (usize, i64) = (here.count(), sums.sum(here));
        let weight = weights.as_ref().map_or(0, |weights| weights.sum(here));
        let squares: f64 = match weights {
            None => here.iter().map(|i| sums.get(i).powi(2)).sum(),
            // The weight is in the sum once, and must not be in it twice.
            Some(weights) => here.iter().map(|i| sums.get(i).powi(2) / weights.get(i)).sum(),
        };
        let total = weights.as_ref().map_or(count.max(1) as f64, |weights| weight as f64 * weights.unit);
        let error = squares - (sum as f64 * sums.unit).powi(2) / total;
        Node { gradients, words, count, sum, weight, squares, error }
    }

    /// The tables of some of the words, for so many tests.
    fn tables(&self, units: &[i64], words: &[(usize, u64)], tests: usize) -> Tables {
        if tests < TESTS_FOR_TABLES {
            return Vec::new();
        }
        let table = |first: usize, byte: u64| {
            let mut sums = [0; 256];
            for choice in 1..256usize {
                let lowest = choice.trailing_zeros() as usize;
                let own = if byte >> lowest & 1 == 1 { units[first + lowest] } else { 0 };
                sums[choice] = sums[choice & (choice - 1)] + own;
            }
            sums
        };
        let bytes = |&(k, word): &(usize, u64)| (0..8).map(move |b| (64 * k + 8 * b, word >> (8 * b) & 255));
        words.iter().flat_map(bytes).map(|(first, byte)| table(first, byte)).collect()
    }

    /// How many examples of some words of the node are in the row, and the sum of their units.
    fn side(units: &[i64], words: &[(usize, u64)], tables: &Tables, row: &[u64]) -> (usize, i64) {
        let (mut count, mut sum) = (0, 0);
        if tables.is_empty() {
            for &(k, word) in words {
                let mut both = row[k] & word;
                count += both.count_ones() as usize;
                while both != 0 {
                    sum += units[64 * k + both.trailing_zeros() as usize];
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

    /// For each of so many tests, the examples of the node that satisfy it, and the sum of their units.
    fn sides<'r>(&self, units: &[i64], tests: usize, row: impl Fn(usize) -> &'r [u64] + Sync) -> Vec<(usize, i64)> {
        let numbers: Vec<usize> = (0..tests).collect();
        let some = |words: &[(usize, u64)]| -> Vec<(usize, i64)> {
            let tables = self.tables(units, words, tests);
            parallel::map(&numbers, 8 * words.len(), |&test| Self::side(units, words, &tables, row(test)))
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
            let sum = sum as f64 * self.gradients.sums.unit;
            sum * sum / count as f64
        };
        let enough = count.min(others) >= min_leaf.max(1);
        enough.then(|| self.squares - (explained(count, sum) + explained(others, rest)))
    }

    /// The same where examples have weights, with the weight of the side.
    fn weighted_error(&self, (count, sum): (usize, i64), weight: i64, unit: f64, min_leaf: usize) -> Option<f64> {
        let (others, rest, lighter) = (self.count - count, self.sum - sum, weight.min(self.weight - weight));
        let explained = |weight: i64, sum: i64| {
            let sum = sum as f64 * self.gradients.sums.unit;
            sum * sum / (weight as f64 * unit)
        };
        let heavy = min_leaf <= 1 || lighter as f64 * unit >= min_leaf as f64;
        let enough = count.min(others) >= 1 && lighter > 0 && heavy;
        enough.then(|| self.squares - (explained(weight, sum) + explained(self.weight - weight, rest)))
    }

    /// The least squared errors of all tests.
    fn errors<'r>(&self, tests: usize, row: impl Fn(usize) -> &'r [u64] + Sync, min_leaf: usize) -> Vec<Option<f64>> {
        let Gradients { sums, weights } = self.gradients;
        let sides = self.sides(&sums.units, tests, &row);
        let Some(weights) = weights else { return sides.into_iter().map(|side| self.error(side, min_leaf)).collect() };
        let heavy = self.sides(&weights.units, tests, &row).into_iter();
        let error = |(side, (_, weight))| self.weighted_error(side, weight, weights.unit, min_leaf);
        sides.into_iter().zip(heavy).map(error).collect()
    }

    /// What is added to the error of a test.
    pub fn handicap(&self, frontier: &Frontier, test: usize) -> f64 {
        frontier.margin(test) * self.error
    }

    /// Errors of the same test that are worked out in different ways differ by less than this.
    pub fn rounding(&self) -> f64 {
        1e-10 * self.squares
    }

    /// The `most` tests with the least error, in order of error and then of the tests; and how many divide the examples
    /// at all.
    pub fn screen(&self, frontier: &Frontier, min_leaf: usize, most: Option<usize>) -> (Vec<(f64, usize)>, usize) {
        let errors = self.errors(frontier.len(), |test| frontier.row(test), min_leaf).into_iter();
        let divides =
            errors.enumerate().filter_map(|(test, error)| Some((error? + self.handicap(frontier, test), test)));
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
            let units = Gradients::new(&gradients, None, &Bits::ones(examples));
            let all = &units.sums.units;
            let node = Node::new(&units, &here);
            assert_eq!(node.words.len(), examples.div_ceil(64) - 1);
            assert!(node.tables(all, &node.words, TESTS_FOR_TABLES - 1).is_empty());
            assert_eq!(node.tables(all, &node.words[..3], TESTS_FOR_TABLES).len(), 24);
            let rows: Vec<Bits> = (1..=TESTS_FOR_TABLES).map(|k| Bits::from_fn(examples, |i| i % k == 1)).collect();
            let row = |test: usize| rows[test].words();
            let many = node.sides(all, rows.len(), row);
            assert_eq!(node.sides(all, rows.len() - 1, row), many[..rows.len() - 1]);
            for (row, (count, sum)) in rows.iter().zip(many) {
                let both = row.and(&here);
                assert_eq!(count, both.count());
                assert_eq!(sum as f64 * units.sums.unit, both.sum(&gradients), "eighths are exact in both");
            }
        }
    }

    #[test]
    fn units_fit_any_size_of_gradients() {
        for size in [1e-250, 1e-9, 1.0, 1e6, 1e290] {
            let gradients = [size, -0.5 * size, 0.25 * size, f64::NAN];
            let in_use = Bits::from_fn(4, |i| i < 3);
            let units = Gradients::new(&gradients, None, &in_use);
            let node = Node::new(&units, &in_use);
            assert!((node.sum as f64 * units.sums.unit / (0.75 * size) - 1.0).abs() < 1e-12, "{size}");
        }
        assert_eq!(Gradients::new(&[0.0, 0.0], None, &Bits::ones(2)).sums.units, [0, 0]);
    }

    #[test]
    fn weights_score_as_repeated_examples_do() {
        // The first example twice, the third half: the same as 4, 2 and 1 of them with everything counted by halves.
        let (gradients, weights) = ([1.0, -0.5, 0.25, -1.0], [2.0, 1.0, 0.5, 1.0]);
        let repeated = [1.0, 1.0, 1.0, 1.0, -0.5, -0.5, 0.25, -1.0, -1.0];
        let row = [Bits::from_fn(4, |i| i % 2 == 0)];
        let repeated_row = [Bits::from_fn(9, |i| i < 4 || i == 6)];
        let units = Gradients::new(&gradients, Some(&weights), &Bits::ones(4));
        let node = Node::new(&units, &Bits::ones(4));
        let even = Gradients::new(&repeated, None, &Bits::ones(9));
        let even_node = Node::new(&even, &Bits::ones(9));
        let error = |node: &Node<'_>, row: &[Bits; 1], least| node.errors(1, |test| row[test].words(), least)[0];
        // Two sides of weight 2.5 and 2, or 5 and 4 examples.
        for (least, twice) in [(1, 2), (2, 4)] {
            let (weighted, even) =
                (error(&node, &row, least).unwrap(), error(&even_node, &repeated_row, twice).unwrap());
            assert!((2.0 * weighted - even).abs() < 1e-12, "{weighted} {even}");
        }
        assert_eq!((error(&node, &row, 3), error(&even_node, &repeated_row, 5)), (None, None));
        assert!((2.0 * node.error - even_node.error).abs() < 1e-12);
        assert_eq!(2.0 * node.squares, even_node.squares);
    }
}

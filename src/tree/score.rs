//! How well tests divide the gradients of a node.
//!
//! Gradients are summed as whole numbers of a tiny unit. Such sums are exact, so they do not depend on the order in which
//! they are made, two tests that divide the examples in the same way score the same to the last bit, and ties are
//! decided by the order of tests and not by rounding.

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
}

/// The examples of a node, ready to be divided.
#[derive(Debug)]
pub(super) struct Node<'g> {
    gradients: &'g Gradients,
    /// The words in which the node has examples, with their numbers.
    words: Vec<(usize, u64)>,
    /// For each byte of those words, the sum of every choice of its examples; empty if there are few tests.
    tables: Vec<[i64; 256]>,
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

impl<'g> Node<'g> {
    /// The node with the examples `here`, to be divided by so many tests. A count must gain more than other tests by the
    /// part `count_margin` of the squared error.
    pub fn new(gradients: &'g Gradients, here: &Bits, tests: usize, count_margin: f64) -> Self {
        let all = here.words().iter().copied().enumerate();
        let words: Vec<(usize, u64)> = all.filter(|&(_, word)| word != 0).collect();
        let table = |first: usize, byte: u64| {
            let mut sums = [0; 256];
            for choice in 1..256usize {
                let lowest = choice.trailing_zeros() as usize;
                let own = if byte >> lowest & 1 == 1 { gradients.units[first + lowest] } else { 0 };
                sums[choice] = sums[choice & (choice - 1)] + own;
            }
            sums
        };
        let bytes = |&(k, word): &(usize, u64)| (0..8).map(move |b| (64 * k + 8 * b, word >> (8 * b) & 255));
        let tables = if tests < TESTS_FOR_TABLES {
            Vec::new()
        } else {
            words.iter().flat_map(bytes).map(|(first, byte)| table(first, byte)).collect()
        };
        let (count, sum): (usize, i64) = (here.count(), here.iter().map(|i| gradients.units[i]).sum());
        let squares: f64 = here.iter().map(|i| (gradients.units[i] as f64 * gradients.unit).powi(2)).sum();
        let error = squares - (sum as f64 * gradients.unit).powi(2) / count.max(1) as f64;
        Node { gradients, words, tables, count, sum, squares, error, count_margin }
    }

    /// How many examples of the node are in the row, and the sum of their gradients.
    fn side(&self, row: &[u64]) -> (usize, i64) {
        let (mut count, mut sum) = (0, 0);
        if self.tables.is_empty() {
            for &(k, word) in &self.words {
                let mut both = row[k] & word;
                count += both.count_ones() as usize;
                while both != 0 {
                    sum += self.gradients.units[64 * k + both.trailing_zeros() as usize];
                    both &= both - 1;
                }
            }
            return (count, sum);
        }
        for (&(k, word), tables) in self.words.iter().zip(self.tables.chunks_exact(8)) {
            // Examples that are not here add nothing by the tables, but must not be counted.
            let both = row[k] & word;
            count += both.count_ones() as usize;
            for (table, byte) in tables.iter().zip(both.to_le_bytes()) {
                sum += table[usize::from(byte)];
            }
        }
        (count, sum)
    }

    /// The least squared error after the division by a row, that of the means of both sides; `None` if a side has fewer
    /// than `min_leaf` examples.
    fn error(&self, row: &[u64], min_leaf: usize) -> Option<f64> {
        let (count, sum) = self.side(row);
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
        let tests: Vec<usize> = (0..frontier.len()).collect();
        let error = |&test: &usize| self.error(frontier.row(test), min_leaf);
        let errors: Vec<Option<f64>> = parallel::map(&tests, 8 * self.words.len(), error);
        // What a count must gain more than other tests is added to its error.
        let errors = tests.into_iter().zip(errors);
        let divides = errors.filter_map(|(test, error)| Some((error? + self.handicap(frontier.at_least(test)), test)));
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
        let gradients: Vec<f64> = (0..200).map(|i| f64::from(i * i % 37) / 8.0 - 2.0).collect();
        let here = Bits::from_fn(200, |i| i % 3 != 0 && !(64..128).contains(&i));
        let units = Gradients::new(&gradients, &Bits::ones(200));
        let (few, many) = (Node::new(&units, &here, 1, 0.0), Node::new(&units, &here, TESTS_FOR_TABLES, 0.0));
        assert!(few.tables.is_empty() && many.tables.len() == 24);
        for k in 1..50 {
            let row = Bits::from_fn(200, |i| i % k == 1);
            let both = row.and(&here);
            let (count, sum) = few.side(row.words());
            assert_eq!((count, sum), many.side(row.words()));
            assert_eq!(count, both.count());
            assert_eq!(sum as f64 * units.unit, both.sum(&gradients), "eighths are exact in both");
        }
    }

    #[test]
    fn units_fit_any_size_of_gradients() {
        for size in [1e-250, 1e-9, 1.0, 1e6, 1e290] {
            let gradients = [size, -0.5 * size, 0.25 * size, f64::NAN];
            let in_use = Bits::from_fn(4, |i| i < 3);
            let units = Gradients::new(&gradients, &in_use);
            let node = Node::new(&units, &in_use, 1, 0.0);
            assert!((node.sum as f64 * units.unit / (0.75 * size) - 1.0).abs() < 1e-12, "{size}");
        }
        assert_eq!(Gradients::new(&[0.0, 0.0], &Bits::ones(2)).units, [0, 0]);
    }
}

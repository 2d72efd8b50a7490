//! Scores of candidate tests: the squared error of the gradients after a split.
//!
//! Gradients are summed in fixed point. Such sums are exact and do not depend on the order
//! of addition. Two tests that split the examples in the same way have bitwise equal scores, and
//! ties are decided by the order of tests rather than by rounding.

use rayon::prelude::*;

use super::candidates::Candidates;
use super::rows::{Row, Rows};
use crate::cover::Bits;
use crate::parallel;

/// Values in fixed point, with a unit that is negligibly small yet large enough that no sum
/// overflows.
#[derive(Debug)]
struct FixedPoint {
    units: Vec<i64>,
    unit: f64,
}

impl FixedPoint {
    /// Converts the values; the unit is chosen for those of the examples in use.
    fn new(numbers: &[f64], in_use: &Bits) -> Self {
        let total: f64 = in_use.iter().map(|i| numbers[i].abs()).sum();
        // A power of two, so that conversion only shifts the exponent; sums stay below 2^61.
        let exponent = if total.is_normal() { 60 - total.log2().ceil() as i32 } else { 60 };
        let scale = 2f64.powi(exponent.clamp(-1000, 1000));
        FixedPoint { units: numbers.iter().map(|x| (x * scale).round() as i64).collect(), unit: 1.0 / scale }
    }

    fn pick(&self, examples: &[usize]) -> Self {
        FixedPoint { units: examples.iter().map(|&i| self.units[i]).collect(), unit: self.unit }
    }

    fn get(&self, i: usize) -> f64 {
        self.units[i] as f64 * self.unit
    }

    fn sum(&self, of: &Bits) -> i64 {
        of.iter().map(|i| self.units[i]).sum()
    }
}

/// The gradients of the examples in fixed point, multiplied by their weights if these differ from
/// 1.
#[derive(Debug)]
pub(super) struct QuantizedGradients {
    sums: FixedPoint,
    weights: Option<FixedPoint>,
}

impl QuantizedGradients {
    /// Converts the gradients; the unit is chosen for those of the examples in use.
    pub fn new(gradients: &[f64], weights: Option<&[f64]>, in_use: &Bits) -> Self {
        let Some(weights) = weights else {
            return QuantizedGradients { sums: FixedPoint::new(gradients, in_use), weights: None };
        };
        let weighted: Vec<f64> = gradients.iter().zip(weights).map(|(gradient, weight)| weight * gradient).collect();
        QuantizedGradients { sums: FixedPoint::new(&weighted, in_use), weights: Some(FixedPoint::new(weights, in_use)) }
    }

    /// Returns those of some examples, with the same unit.
    pub fn pick(&self, examples: &[usize]) -> Self {
        QuantizedGradients {
            sums: self.sums.pick(examples),
            weights: self.weights.as_ref().map(|all| all.pick(examples)),
        }
    }
}

/// The examples of a node, prepared for scoring tests.
#[derive(Debug)]
pub(super) struct SplitScorer<'g> {
    gradients: &'g QuantizedGradients,
    /// The examples.
    here: &'g Bits,
    /// The nonzero words of the example set, with their indices.
    words: Vec<(usize, u64)>,
    count: usize,
    sum: i64,
    /// The sum of the weights; 0 without weights.
    weight: i64,
    /// The sum of the squared gradients.
    squares: f64,
    /// The squared error before any test.
    error: f64,
}

/// For each test, sums over the examples of a node that it covers.
///
/// All sums are integers, so those of a node are exactly the sums of its two sides: one side is the
/// difference of the node and the other.
#[derive(Debug)]
pub(super) struct CoveredSums {
    /// The number of examples, and the sum of the units of their gradients.
    gradients: Vec<(usize, i64)>,
    /// The same for weights, if there are any.
    weights: Option<Vec<(usize, i64)>>,
}

impl CoveredSums {
    /// Returns the sums of the examples that are not in a part.
    pub fn without(&self, part: &CoveredSums) -> Self {
        let difference = |all: &[(usize, i64)], part: &[(usize, i64)]| -> Vec<(usize, i64)> {
            all.iter().zip(part).map(|(all, part)| (all.0 - part.0, all.1 - part.1)).collect()
        };
        let weights = self.weights.as_ref().zip(part.weights.as_ref());
        CoveredSums {
            gradients: difference(&self.gradients, &part.gradients),
            weights: weights.map(|(all, part)| difference(all, part)),
        }
    }
}

/// With fewer tests than this, building the tables takes longer than they save.
const MIN_TESTS_FOR_TABLES: usize = 64;

/// The number of examples in a word up to which they are added one by one.
const MAX_SINGLE_BITS: usize = 5;

/// The number of words that tables are built for at a time, half a MiB: tables for all words would
/// take 256 bytes per example and exceed the processor's cache.
const WORDS_PER_BATCH: usize = 32;

/// For each byte of some words, the sums over all subsets of its examples; empty if there are few
/// tests.
type Tables = Vec<[i64; 256]>;

impl<'g> SplitScorer<'g> {
    /// Prepares the examples `here`.
    pub fn new(gradients: &'g QuantizedGradients, here: &'g Bits) -> Self {
        let all = here.words().iter().copied().enumerate();
        let words = all.filter(|&(_, word)| word != 0).collect();
        let QuantizedGradients { sums, weights } = gradients;
        let (count, sum): (usize, i64) = (here.count(), sums.sum(here));
        let weight = weights.as_ref().map_or(0, |weights| weights.sum(here));
        let squares: f64 = match weights {
            None => here.iter().map(|i| sums.get(i).powi(2)).sum(),
            // The sum includes the weight, so its square must be divided by it once.
            Some(weights) => here.iter().map(|i| sums.get(i).powi(2) / weights.get(i)).sum(),
        };
        let total = weights.as_ref().map_or(count.max(1) as f64, |weights| weight as f64 * weights.unit);
        let error = squares - (sum as f64 * sums.unit).powi(2) / total;
        SplitScorer { gradients, here, words, count, sum, weight, squares, error }
    }

    /// Builds the tables of some words, if there are enough tests.
    fn tables(&self, units: &[i64], words: &[(usize, u64)], tests: usize) -> Tables {
        if tests < MIN_TESTS_FOR_TABLES {
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

    /// Returns the number of examples of the node in a row, and the sum of their units, for some
    /// words.
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
        for (&(k, word), tables) in words.iter().zip(tables.as_chunks::<8>().0) {
            // The tables ignore examples outside the node, but the count must too.
            let mut both = row[k] & word;
            let ones = both.count_ones() as usize;
            count += ones;
            if ones <= MAX_SINGLE_BITS {
                while both != 0 {
                    sum += units[64 * k + both.trailing_zeros() as usize];
                    both &= both - 1;
                }
                continue;
            }
            for (table, byte) in tables.iter().zip(both.to_le_bytes()) {
                sum += table[usize::from(byte)];
            }
        }
        (count, sum)
    }

    /// Returns for each test the number of covered examples of the node, and the sum of their
    /// units.
    fn sides(&self, units: &[i64], rows: &Rows) -> Vec<(usize, i64)> {
        let (mut of_words, mut of_indices) = (Vec::new(), Vec::new());
        rows.iter().for_each(|row| match row {
            Row::Words(words) => of_words.push(words),
            Row::Indices(indices) => of_indices.push(indices),
        });
        let steps = of_indices.iter().map(|indices| indices.len()).sum::<usize>() / of_indices.len().max(1);
        let mut by_indices =
            parallel::map(&of_indices, steps, |indices| self.side_of_indices(units, indices)).into_iter();
        let mut by_words = self.sides_of_words(units, &of_words).into_iter();
        let next = |row| match row {
            Row::Words(_) => by_words.next(),
            Row::Indices(_) => by_indices.next(),
        };
        rows.iter().filter_map(next).collect()
    }

    fn sides_of_words(&self, units: &[i64], rows: &[&[u64]]) -> Vec<(usize, i64)> {
        let batch = |words: &[(usize, u64)]| -> Vec<(usize, i64)> {
            let tables = self.tables(units, words, rows.len());
            parallel::map(rows, 8 * words.len(), |row| Self::side(units, words, &tables, row))
        };
        // Integer sums do not depend on the order.
        let add = |mut all: Vec<(usize, i64)>, batch: Vec<(usize, i64)>| {
            all.iter_mut().zip(batch).for_each(|(all, batch)| *all = (all.0 + batch.0, all.1 + batch.1));
            all
        };
        let zeros = || vec![(0, 0); rows.len()];
        if parallel::is_worthwhile(rows.len().saturating_mul(8 * self.words.len())) {
            self.words.par_chunks(WORDS_PER_BATCH).map(batch).reduce(zeros, add)
        } else {
            self.words.chunks(WORDS_PER_BATCH).map(batch).fold(zeros(), add)
        }
    }

    /// Returns the number of examples of the node among some, and the sum of their units.
    fn side_of_indices(&self, units: &[i64], indices: &[u32]) -> (usize, i64) {
        let own = indices.iter().map(|&i| i as usize).filter(|&i| self.here.get(i));
        own.fold((0, 0), |(count, sum), i| (count + 1, sum + units[i]))
    }

    /// Returns the minimum squared error after a split, with both sides at their means; `None` if a
    /// side has fewer than `min_leaf` examples.
    fn error(&self, (count, sum): (usize, i64), min_leaf: usize) -> Option<f64> {
        let (others, rest) = (self.count - count, self.sum - sum);
        // The sum of (mean - gradient)^2 over a side is its sum of squares minus this.
        let explained = |count: usize, sum: i64| {
            let sum = sum as f64 * self.gradients.sums.unit;
            sum * sum / count as f64
        };
        let enough = count.min(others) >= min_leaf.max(1);
        enough.then(|| self.squares - (explained(count, sum) + explained(others, rest)))
    }

    /// Returns the error with example weights, given the weight of the covered side.
    fn weighted_error(&self, (count, sum): (usize, i64), weight: i64, unit: f64, min_leaf: usize) -> Option<f64> {
        let (others, rest, lighter) = (self.count - count, self.sum - sum, weight.min(self.weight - weight));
        let explained = |weight: i64, sum: i64| {
            let sum = sum as f64 * self.gradients.sums.unit;
            sum * sum / (weight as f64 * unit)
        };
        let is_heavy = min_leaf <= 1 || lighter as f64 * unit >= min_leaf as f64;
        let enough = count.min(others) >= 1 && lighter > 0 && is_heavy;
        enough.then(|| self.squares - (explained(weight, sum) + explained(self.weight - weight, rest)))
    }

    /// Returns the sums over the examples of the node that each test covers.
    pub fn covered_sums(&self, candidates: &Candidates) -> CoveredSums {
        self.sums(candidates.rows())
    }

    fn sums(&self, rows: &Rows) -> CoveredSums {
        let QuantizedGradients { sums, weights } = self.gradients;
        let weights = weights.as_ref().map(|weights| self.sides(&weights.units, rows));
        CoveredSums { gradients: self.sides(&sums.units, rows), weights }
    }

    /// Returns the minimum squared error of each test.
    fn errors(&self, sums: &CoveredSums, min_leaf: usize) -> Vec<Option<f64>> {
        let sides = sums.gradients.iter().copied();
        let (Some(weights), Some(side_weights)) = (&self.gradients.weights, &sums.weights) else {
            return sides.map(|side| self.error(side, min_leaf)).collect();
        };
        let error = |(side, &(_, weight))| self.weighted_error(side, weight, weights.unit, min_leaf);
        sides.zip(side_weights).map(error).collect()
    }

    /// Returns the penalty added to the error of a test.
    pub fn penalty(&self, candidates: &Candidates, test: usize) -> f64 {
        candidates.margin(test) * self.error
    }

    /// Returns a bound on the difference of errors of one test that are computed in different ways.
    pub fn rounding(&self) -> f64 {
        1e-10 * self.squares
    }

    /// Returns the `max` admitted tests with the smallest error, ordered by error and then by test;
    /// and the number of admitted tests that split the examples at all.
    pub fn screen(
        &self,
        candidates: &Candidates,
        sums: &CoveredSums,
        min_leaf: usize,
        max: Option<usize>,
        admits: impl Fn(usize) -> bool,
    ) -> (Vec<(f64, usize)>, usize) {
        let errors = self.errors(sums, min_leaf).into_iter();
        let scored =
            errors.enumerate().filter_map(|(test, error)| Some((error? + self.penalty(candidates, test), test)));
        let mut ranked: Vec<(f64, usize)> = scored.filter(|&(_, test)| admits(test)).collect();
        let splits = ranked.len();
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if let Some(max) = max.map(|max| max.max(1))
            && max < ranked.len()
        {
            ranked.select_nth_unstable_by(max - 1, order);
            ranked.truncate(max);
        }
        ranked.sort_unstable_by(order);
        (ranked, splits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(sets: &[Bits]) -> Rows {
        let mut rows = Rows::new(sets[0].len());
        sets.iter().for_each(|bits| rows.push(bits.words()));
        rows
    }

    #[test]
    fn tables_single_bits_and_indices_give_the_same_sums() {
        // Once with a single batch of words, once with several.
        for examples in [200, 64 * WORDS_PER_BATCH + 200] {
            let gradients: Vec<f64> = (0..examples).map(|i| (i * i % 37) as f64 / 8.0 - 2.0).collect();
            let here = Bits::from_fn(examples, |i| i % 3 != 0 && !(64..128).contains(&i));
            let units = QuantizedGradients::new(&gradients, None, &Bits::ones(examples));
            let all = &units.sums.units;
            let node = SplitScorer::new(&units, &here);
            assert_eq!(node.words.len(), examples.div_ceil(64) - 1);
            assert!(node.tables(all, &node.words, MIN_TESTS_FOR_TABLES - 1).is_empty());
            assert_eq!(node.tables(all, &node.words[..3], MIN_TESTS_FOR_TABLES).len(), 24);
            // Every other set has fewer elements than words.
            let is_element = |k: usize, i: usize| if k.is_multiple_of(2) { i * k % 7 < 3 } else { i % (80 + k) == 1 };
            let kth = |k: usize| Bits::from_fn(examples, |i| is_element(k, i));
            let sets: Vec<Bits> = (1..=2 * MIN_TESTS_FOR_TABLES).map(kth).collect();
            let is_small = |bits: &&Bits| bits.count() < bits.words().len();
            assert_eq!(sets.iter().filter(is_small).count(), MIN_TESTS_FOR_TABLES);
            let many = node.sides(all, &rows_of(&sets));
            // One set of words fewer than with tables.
            assert_eq!(node.sides(all, &rows_of(&sets[..sets.len() - 1])), many[..many.len() - 1]);
            for (row, (count, sum)) in sets.iter().zip(many) {
                let both = row.and(&here);
                assert_eq!(count, both.count());
                assert_eq!(sum as f64 * units.sums.unit, both.sum(&gradients), "eighths are exact in both");
            }
        }
    }

    #[test]
    fn a_side_is_the_difference_of_the_node_and_the_other_side() {
        let gradients: Vec<f64> = (0..300).map(|i| (i * i % 41) as f64 / 7.0 - 2.5).collect();
        let weights: Vec<f64> = (0..300).map(|i| 1.0 + (i % 5) as f64 / 3.0).collect();
        let here = Bits::from_fn(300, |i| i % 7 != 0);
        let yes = here.and(&Bits::from_fn(300, |i| i % 3 == 0));
        let rows: Vec<Bits> = (1..=100).map(|k| Bits::from_fn(300, |i| i % k < 2)).collect();
        for weights in [None, Some(&weights[..])] {
            let units = QuantizedGradients::new(&gradients, weights, &here);
            let sums = |of: &Bits| SplitScorer::new(&units, of).sums(&rows_of(&rows));
            let (difference, no) = (sums(&here).without(&sums(&yes)), sums(&here.and_not(&yes)));
            assert_eq!((difference.gradients, difference.weights), (no.gradients, no.weights));
        }
    }

    #[test]
    fn fixed_point_adapts_to_the_scale_of_gradients() {
        for size in [1e-250, 1e-9, 1.0, 1e6, 1e290] {
            let gradients = [size, -0.5 * size, 0.25 * size, f64::NAN];
            let in_use = Bits::from_fn(4, |i| i < 3);
            let units = QuantizedGradients::new(&gradients, None, &in_use);
            let node = SplitScorer::new(&units, &in_use);
            assert!((node.sum as f64 * units.sums.unit / (0.75 * size) - 1.0).abs() < 1e-12, "{size}");
        }
        assert_eq!(QuantizedGradients::new(&[0.0, 0.0], None, &Bits::ones(2)).sums.units, [0, 0]);
    }

    #[test]
    fn a_weight_scores_like_repeated_examples() {
        // Weights 2, 1, ½, 1 behave like 4, 2, 1 and 2 copies, with all counts doubled.
        let (gradients, weights) = ([1.0, -0.5, 0.25, -1.0], [2.0, 1.0, 0.5, 1.0]);
        let repeated = [1.0, 1.0, 1.0, 1.0, -0.5, -0.5, 0.25, -1.0, -1.0];
        let row = [Bits::from_fn(4, |i| i % 2 == 0)];
        let repeated_row = [Bits::from_fn(9, |i| i < 4 || i == 6)];
        let units = QuantizedGradients::new(&gradients, Some(&weights), &Bits::ones(4));
        let (all, all_repeated) = (Bits::ones(4), Bits::ones(9));
        let node = SplitScorer::new(&units, &all);
        let even = QuantizedGradients::new(&repeated, None, &Bits::ones(9));
        let even_node = SplitScorer::new(&even, &all_repeated);
        let error =
            |node: &SplitScorer<'_>, row: &[Bits; 1], min_leaf| node.errors(&node.sums(&rows_of(row)), min_leaf)[0];
        // The sides have weights 2.5 and 2, or 5 and 4 copies.
        for (min_leaf, twice) in [(1, 2), (2, 4)] {
            let (weighted, even) =
                (error(&node, &row, min_leaf).unwrap(), error(&even_node, &repeated_row, twice).unwrap());
            assert!((2.0 * weighted - even).abs() < 1e-12, "{weighted} {even}");
        }
        assert_eq!((error(&node, &row, 3), error(&even_node, &repeated_row, 5)), (None, None));
        assert!((2.0 * node.error - even_node.error).abs() < 1e-12);
        assert_eq!(2.0 * node.squares, even_node.squares);
    }
}

//! Comparison of several models on several datasets: mean ranks, Friedman's test, critical
//! differences.

use std::ops::Range;

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::error::{NoTest, SampleError};
use super::sample::{doubled_ranks, finite};
use super::verdict::Verdict;
use crate::math;

/// Ranks of models on datasets; the best model has rank 1, and ties share the mean rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// Mean rank of each model.
    means: Vec<f64>,
    datasets: usize,
    /// Σ (t³ − t) over all groups of t tied models on a dataset.
    ties: f64,
    /// Number of distinct assignments of the ranks of each dataset to the models.
    arrangements: Vec<f64>,
}

/// Result of Friedman's test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friedman {
    /// Friedman's χ² with k − 1 degrees of freedom, corrected for ties.
    pub chi_square: f64,
    /// Its p-value, which is conservative for few datasets.
    pub chi_square_p: f64,
    /// F statistic of Iman and Davenport (1980), with k − 1 and (k − 1)(N − 1) degrees of
    /// freedom; infinite if all datasets agree.
    pub f: f64,
    /// Outcome of the F test. If all datasets agree, p is exact.
    pub verdict: Verdict,
}

/// Significance level with tabulated critical values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CriticalLevel {
    /// 0.05
    #[default]
    Five,
    /// 0.10
    Ten,
}

impl CriticalLevel {
    /// Critical values of the studentized range over √2 for 2 to 10 models (Demšar 2006,
    /// *Statistical comparisons of classifiers over multiple data sets*, table 5a).
    const fn q(self) -> [f64; 9] {
        match self {
            CriticalLevel::Five => [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
            CriticalLevel::Ten => [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
        }
    }
}

impl Ranks {
    /// Ranks models by their values: `rows` has one row per dataset with one value per model.
    ///
    /// # Errors
    /// If the rows differ in length, or a value is not finite.
    pub fn new(rows: &[Vec<f64>], higher_is_better: bool) -> Result<Self, SampleError> {
        let models = rows.first().map_or(0, Vec::len);
        let mut sums = vec![0u64; models];
        let mut ties = 0.0;
        let mut arrangements = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != models {
                return Err(SampleError::LengthMismatch { first: models, second: row.len() });
            }
            finite(row)?;
            let upwards: Vec<f64> = row.iter().map(|value| if higher_is_better { -value } else { *value }).collect();
            let ranks = doubled_ranks(&upwards, 0.0);
            for (sum, rank) in sums.iter_mut().zip(&ranks) {
                *sum += rank;
            }
            // Summed over its t members, t² − 1 of a group is t³ − t.
            let group = |rank: &u64| ranks.iter().filter(|other| *other == rank).count() as f64;
            ties += ranks.iter().map(|rank| group(rank).powi(2) - 1.0).sum::<f64>();
            arrangements.push(arrangement_count(ranks));
        }
        let means = sums.iter().map(|&sum| sum as f64 / 2.0 / rows.len() as f64).collect();
        Ok(Ranks { means, datasets: rows.len(), ties, arrangements })
    }

    /// Returns the mean rank of each model, in the order given; 1 is best.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Returns the number of datasets.
    pub fn datasets(&self) -> usize {
        self.datasets
    }

    /// Tests the hypothesis that all models are equally good: Friedman's test, and its more
    /// powerful form of Iman and Davenport.
    ///
    /// # Errors
    /// If there are fewer than two models or datasets, or all models are tied on all datasets.
    pub fn friedman(&self, alpha: f64) -> Result<Friedman, NoTest> {
        for have in [self.means.len(), self.datasets] {
            if have < 2 {
                return Err(NoTest::TooFew { have, min: 2 });
            }
        }
        let (k, n) = (self.means.len() as f64, self.datasets as f64);
        let without_ties = 1.0 - self.ties / (n * k * (k * k - 1.0));
        if without_ties <= 0.0 {
            return Err(NoTest::AllEqual);
        }
        let middle = (k + 1.0) / 2.0;
        let squares: f64 = self.means.iter().map(|mean| (mean - middle).powi(2)).sum();
        let chi_square = 12.0 * n / (k * (k + 1.0)) * squares / without_ties;
        let chi_square_p = ChiSquared::new(k - 1.0).map_err(|_| NoTest::OutOfRange)?.sf(chi_square);
        let smallest = smallest_p(&self.arrangements);
        // χ² is at most N(k − 1), reached where all datasets agree; F diverges there.
        let left = n * (k - 1.0) - chi_square;
        let (f, p) = if left <= 1e-9 * n * k {
            (f64::INFINITY, smallest)
        } else {
            let f = (n - 1.0) * chi_square / left;
            let freedom = (k - 1.0, (k - 1.0) * (n - 1.0));
            (f, FisherSnedecor::new(freedom.0, freedom.1).map_err(|_| NoTest::OutOfRange)?.sf(f))
        };
        // F is an approximation: its p must not be smaller than the smallest reachable one.
        Ok(Friedman { chi_square, chi_square_p, f, verdict: Verdict::new(p.max(smallest), smallest, alpha) })
    }

    /// Returns Nemenyi's critical difference: models whose mean ranks differ by at least this
    /// much differ significantly.
    ///
    /// # Errors
    /// If there are fewer than two models, more than ten, or no datasets.
    pub fn critical_difference(&self, level: CriticalLevel) -> Result<f64, NoTest> {
        critical_difference(self.means.len(), self.datasets, level)
    }

    /// Returns the models sorted by mean rank, best first; ties stay in the order given.
    pub fn order(&self) -> Vec<usize> {
        math::ascending(&self.means)
    }

    /// Returns the bars of a critical-difference diagram: maximal ranges of [`Ranks::order`] with
    /// at least two models, none of which differ significantly.
    pub fn groups(&self, critical_difference: f64) -> Vec<Range<usize>> {
        let sorted: Vec<f64> = self.order().into_iter().map(|model| self.means[model]).collect();
        let mut groups: Vec<Range<usize>> = Vec::new();
        for start in 0..sorted.len() {
            let level = |&&mean: &&f64| mean - sorted[start] < critical_difference;
            let end = start + sorted[start..].iter().take_while(level).count();
            // A range that ends where the last one does lies within it.
            if end > start + 1 && groups.last().is_none_or(|last| last.end < end) {
                groups.push(start..end);
            }
        }
        groups
    }
}

/// Returns Nemenyi's critical difference q·√(k(k + 1) / 6N) for k models on N datasets.
fn critical_difference(models: usize, datasets: usize, level: CriticalLevel) -> Result<f64, NoTest> {
    let q = level.q();
    let max = q.len() + 1;
    if models > max {
        return Err(NoTest::TooMany { have: models, max });
    }
    for (have, min) in [(models, 2), (datasets, 1)] {
        if have < min {
            return Err(NoTest::TooFew { have, min });
        }
    }
    let k = models as f64;
    Ok(q[models - 2] * (k * (k + 1.0) / (6.0 * datasets as f64)).sqrt())
}

/// Returns the number of distinct assignments of ranks to models: k! / ∏ t! with groups of t
/// ties.
fn arrangement_count(mut ranks: Vec<u64>) -> f64 {
    ranks.sort_unstable();
    let mut count = 1.0;
    let mut placed = 0;
    for group in ranks.chunk_by(|a, b| a == b) {
        // A binomial coefficient, one member after the other: every intermediate value is an
        // integer.
        for member in 1..=group.len() {
            placed += 1;
            count = count * placed as f64 / member as f64;
        }
    }
    count
}

/// Returns the smallest reachable p-value if every assignment of the ranks of a dataset is
/// equally likely. The most extreme outcome occurs once for each assignment of one dataset, with
/// at most one matching assignment of each other: a product over all datasets but the one with
/// the most assignments. It is exact if all datasets agree; if ties differ between datasets, it
/// is a lower bound.
fn smallest_p(arrangements: &[f64]) -> f64 {
    let largest = (0..arrangements.len()).max_by(|&a, &b| arrangements[a].total_cmp(&arrangements[b]));
    let others = arrangements.iter().enumerate().filter(|(index, _)| Some(*index) != largest);
    1.0 / others.map(|(_, count)| count).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::significance::verdict::ALPHA;
    use proptest::prelude::*;

    /// Demšar (2006), table 6: the ranks of C4.5, with tuned leaf size, with tuned confidence, with
    /// both, on 14 datasets.
    const DEMSAR: [[f64; 4]; 14] = [
        [4.0, 3.0, 2.0, 1.0],
        [1.0, 2.0, 3.0, 4.0],
        [4.0, 1.0, 2.0, 3.0],
        [4.0, 1.0, 3.0, 2.0],
        [4.0, 2.0, 3.0, 1.0],
        [1.0, 2.5, 4.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [2.5, 2.5, 4.0, 1.0],
        [4.0, 3.0, 2.0, 1.0],
        [2.5, 2.5, 2.5, 2.5],
        [4.0, 2.5, 1.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [4.0, 1.0, 2.0, 3.0],
        [3.0, 1.0, 4.0, 2.0],
    ];

    fn demsar() -> Ranks {
        Ranks::new(&DEMSAR.map(Vec::from), false).unwrap()
    }

    #[test]
    fn friedman_example_of_demsar() {
        let ranks = demsar();
        assert_eq!(
            ranks.means().iter().map(|mean| format!("{mean:.3}")).collect::<Vec<_>>(),
            ["3.143", "2.000", "2.893", "1.964"]
        );
        let friedman = ranks.friedman(ALPHA).unwrap();
        // He prints 9.28 and 3.69, without the correction for ties: three pairs and a group of
        // four, 3·6 + 60 over 14·60.
        let without_ties = friedman.chi_square * (1.0 - 78.0 / 840.0);
        assert_eq!(format!("{without_ties:.2}"), "9.28");
        assert_eq!(format!("{:.2}", 13.0 * without_ties / (42.0 - without_ties)), "3.69");
        // His critical value of F with 3 and 39 degrees of freedom is 2.85.
        assert!(friedman.f > 2.85 && friedman.verdict.p().unwrap() < 0.05);
        assert!(friedman.chi_square_p > friedman.verdict.p().unwrap());
        let difference = |level| format!("{:.2}", ranks.critical_difference(level).unwrap());
        assert_eq!((difference(CriticalLevel::Five), difference(CriticalLevel::Ten)), ("1.25".into(), "1.12".into()));
        // At 0.05 Nemenyi's test finds no difference; at 0.10 the best two differ from plain
        // C4.5.
        assert_eq!(ranks.order(), [3, 1, 2, 0]);
        assert_eq!(ranks.groups(1.25), std::slice::from_ref(&(0..4)));
        assert_eq!(ranks.groups(1.12), [0..3, 2..4]);
    }

    #[test]
    fn tails_match_their_closed_forms() {
        // Three models have two degrees of freedom: P(χ² > x) = exp(−x/2), and
        // P(F > f) = (1 + 2f/m)^(−m/2) with m = 6.
        let rows = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0]].map(Vec::from);
        let ranks = Ranks::new(&rows, false).unwrap();
        assert_eq!((ranks.means(), ranks.datasets()), (&[1.25, 2.0, 2.75][..], 4));
        let found = ranks.friedman(ALPHA).unwrap();
        assert!((found.chi_square - 4.5).abs() < 1e-12 && (found.chi_square_p - (-2.25f64).exp()).abs() < 1e-9);
        assert!((found.f - 27.0 / 7.0).abs() < 1e-12);
        assert!((found.verdict.p().unwrap() - (16.0f64 / 7.0).powi(-3)).abs() < 1e-9, "{found:?}");
        // A difference of exactly the critical one is significant.
        assert!(ranks.groups(0.75).is_empty());
        assert_eq!(ranks.groups(0.76), [0..2, 1..3]);
    }

    #[test]
    fn critical_differences_of_seven_datasets() {
        for (models, expected) in [(3, "1.25"), (4, "1.77"), (5, "2.31"), (6, "2.85")] {
            assert_eq!(format!("{:.2}", critical_difference(models, 7, CriticalLevel::Five).unwrap()), expected);
        }
        assert!(critical_difference(10, 7, CriticalLevel::Five).is_ok());
        assert_eq!(critical_difference(11, 7, CriticalLevel::Five), Err(NoTest::TooMany { have: 11, max: 10 }));
        assert_eq!(critical_difference(1, 7, CriticalLevel::Five), Err(NoTest::TooFew { have: 1, min: 2 }));
        assert_eq!(critical_difference(2, 0, CriticalLevel::Ten), Err(NoTest::TooFew { have: 0, min: 1 }));
    }

    #[test]
    fn better_values_have_smaller_ranks() {
        let rows = [vec![0.9, 0.8, 0.8], vec![0.5, 0.7, 0.6]];
        assert_eq!(Ranks::new(&rows, true).unwrap().means(), [2.0, 1.75, 2.25]);
        assert_eq!(Ranks::new(&rows, false).unwrap().means(), [2.0, 2.25, 1.75]);
    }

    #[test]
    fn p_is_exact_if_all_datasets_agree() {
        let agreed = |datasets| Ranks::new(&vec![vec![3.0, 2.0, 1.0]; datasets], true).unwrap();
        // The second dataset agrees with the first in one of six orders, and so does the third.
        let found = agreed(3).friedman(ALPHA).unwrap();
        assert_eq!((found.chi_square, found.f), (6.0, f64::INFINITY));
        assert!((found.verdict.p().unwrap() - 1.0 / 36.0).abs() < 1e-15);
        let found = agreed(2).friedman(ALPHA).unwrap().verdict;
        assert!(matches!(found, Verdict::CannotReach { smallest } if (smallest - 1.0 / 6.0).abs() < 1e-15));
    }

    #[test]
    fn ties_reduce_the_number_of_arrangements() {
        let tied = |datasets| Ranks::new(&vec![vec![2.0, 1.0, 1.0]; datasets], true).unwrap();
        // The best of three agrees in one of three assignments: 24 of the 216 ways to permute three
        // rows.
        let found = tied(3).friedman(1.0).unwrap();
        assert_eq!((found.f, found.verdict), (f64::INFINITY, Verdict::P(1.0 / 9.0)));
        assert_eq!(tied(3).friedman(ALPHA).unwrap().verdict, Verdict::CannotReach { smallest: 1.0 / 9.0 });
        assert_eq!(tied(4).friedman(ALPHA).unwrap().verdict, Verdict::P(1.0 / 27.0));
        // A dataset on which all models tie carries no information.
        let level = Ranks::new(&[vec![3.0, 2.0, 1.0], vec![3.0, 2.0, 1.0], vec![1.0; 3]], true).unwrap();
        assert_eq!(level.friedman(ALPHA).unwrap().verdict, Verdict::CannotReach { smallest: 1.0 / 6.0 });
        assert_eq!(arrangement_count(vec![2, 2, 2, 5, 5, 5]), 20.0);
    }

    #[test]
    fn invalid_input_has_no_test() {
        assert_eq!(Ranks::new(&vec![vec![1.0, 1.0]; 4], true).unwrap().friedman(ALPHA), Err(NoTest::AllEqual));
        assert_eq!(
            Ranks::new(&[vec![1.0, 2.0]], true).unwrap().friedman(ALPHA),
            Err(NoTest::TooFew { have: 1, min: 2 })
        );
        assert_eq!(Ranks::new(&[], true).unwrap().friedman(ALPHA), Err(NoTest::TooFew { have: 0, min: 2 }));
        let ragged = Ranks::new(&[vec![1.0, 2.0], vec![1.0]], true).unwrap_err();
        assert_eq!(ragged, SampleError::LengthMismatch { first: 2, second: 1 });
        assert!(Ranks::new(&[vec![f64::NAN]], true).is_err());
    }

    /// χ² for every way to permute each of three rows of three.
    fn all_chi_squares(rows: &[Vec<f64>]) -> Vec<f64> {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut found = Vec::new();
        for way in 0..216 {
            let order = [ORDERS[way % 6], ORDERS[way / 6 % 6], ORDERS[way / 36]];
            let permuted: Vec<Vec<f64>> =
                rows.iter().zip(order).map(|(row, order)| order.map(|place| row[place]).to_vec()).collect();
            found.push(Ranks::new(&permuted, true).unwrap().friedman(1.0).unwrap().chi_square);
        }
        found
    }

    proptest! {
        #[test]
        fn smallest_p_is_a_lower_bound(
            rows in prop::collection::vec(prop::collection::vec((0u8..3).prop_map(f64::from), 3), 3),
        ) {
            let ranks = Ranks::new(&rows, true).unwrap();
            let Ok(found) = ranks.friedman(1.0) else { return Ok(()) };
            let all = all_chi_squares(&rows);
            let share = |bound: f64| all.iter().filter(|value| **value >= bound - 1e-9).count() as f64 / 216.0;
            let greatest = all.iter().copied().fold(0.0, f64::max);
            let smallest = smallest_p(&ranks.arrangements);
            prop_assert!(smallest <= share(greatest) + 1e-12);
            // If all datasets agree, p is exact.
            if found.f.is_infinite() {
                prop_assert!((found.verdict.p().unwrap() - share(found.chi_square)).abs() < 1e-12);
            }
        }
    }
}

//! Wilcoxon's signed-rank test, exact for few pairs.

use statrs::distribution::{ContinuousCDF, Normal};

use super::error::NoTest;
use super::sample::{Differences, doubled_ranks};
use super::verdict::Verdict;

/// Largest number of nonzero differences for which p is exact; beyond it the normal approximation
/// is used.
pub const EXACT_UP_TO: usize = 25;

/// Treatment of pairs without a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// Drop them before ranking (Wilcoxon 1945).
    #[default]
    Drop,
    /// Rank them, then drop them (Pratt 1959), which reduces the weight of the others. Splitting
    /// their ranks evenly between both sums (Demšar 2006) gives the same p.
    Pratt,
}

/// Result of the signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// Sum of the ranks of positive differences.
    pub plus: f64,
    /// Sum of the ranks of negative differences.
    pub minus: f64,
    /// Number of nonzero differences.
    pub pairs: usize,
    /// Number of zero differences.
    pub zeros: usize,
    /// Whether p is exact rather than approximated.
    pub is_exact: bool,
    /// The p-value, or that the level is out of reach.
    pub verdict: Verdict,
}

impl Wilcoxon {
    /// Returns the matched-pairs rank-biserial correlation, an effect size from −1 to 1: the
    /// share of ranks in favor of the first minus that of the second (Kerby 2014).
    pub fn rank_biserial(&self) -> f64 {
        (self.plus - self.minus) / (self.plus + self.minus)
    }
}

/// Returns the smallest reachable p for a number of nonzero differences: all on one side.
pub fn smallest_reachable_p(pairs: usize) -> f64 {
    // One of 2ⁿ sign vectors on each side.
    2f64.powi(1 - i32::try_from(pairs.max(1)).unwrap_or(i32::MAX))
}

/// Tests the hypothesis that the differences are symmetric about zero.
///
/// Ties are handled exactly: the null distribution is that of the actual ranks under all 2ⁿ sign
/// vectors, not a table for ranks 1 to n.
///
/// # Errors
/// If there are no pairs, or all differences are zero.
pub fn wilcoxon(differences: &Differences, zeros: Zeros, alpha: f64) -> Result<Wilcoxon, NoTest> {
    let values = differences.values();
    if values.is_empty() {
        return Err(NoTest::TooFew { have: 0, min: 1 });
    }
    let ranked: Vec<f64> = match zeros {
        Zeros::Drop => values.iter().copied().filter(|&value| value != 0.0).collect(),
        Zeros::Pratt => values.to_vec(),
    };
    let sizes: Vec<f64> = ranked.iter().map(|value| value.abs()).collect();
    let ranks = doubled_ranks(&sizes, differences.tolerance());
    let signed: Vec<(f64, u64)> = ranked.into_iter().zip(ranks).filter(|&(value, _)| value != 0.0).collect();
    if signed.is_empty() {
        return Err(NoTest::AllEqual);
    }
    let all: Vec<u64> = signed.iter().map(|&(_, rank)| rank).collect();
    let total: u64 = all.iter().sum();
    let plus: u64 = signed.iter().filter(|&&(value, _)| value > 0.0).map(|&(_, rank)| rank).sum();
    let (pairs, smaller) = (signed.len(), plus.min(total - plus));
    let is_exact = pairs <= EXACT_UP_TO;
    let p = if is_exact { exact(&all, smaller) } else { approximate(&all, smaller) };
    Ok(Wilcoxon {
        plus: plus as f64 / 2.0,
        minus: (total - plus) as f64 / 2.0,
        pairs,
        zeros: values.len() - pairs,
        is_exact,
        verdict: Verdict::new(p, smallest_reachable_p(pairs), alpha),
    })
}

/// Returns the share of sign vectors whose smaller rank sum is at most `smaller`, by dynamic
/// programming over sums.
fn exact(ranks: &[u64], smaller: u64) -> f64 {
    // Sums above `smaller` are not needed.
    let mut vectors = vec![0u64; smaller as usize + 1];
    vectors[0] = 1;
    for &rank in ranks {
        for sum in (rank as usize..vectors.len()).rev() {
            vectors[sum] += vectors[sum - rank as usize];
        }
    }
    let below: u64 = vectors.iter().sum();
    // Both tails, which overlap if the sums are equal.
    (2.0 * below as f64 / 2f64.powi(ranks.len() as i32)).min(1.0)
}

/// Approximates the same by a normal distribution with mean Σr/2 and variance Σr²/4, which is
/// valid with and without ties.
fn approximate(ranks: &[u64], smaller: u64) -> f64 {
    let mean = ranks.iter().sum::<u64>() as f64 / 2.0;
    let variance = ranks.iter().map(|&rank| (rank * rank) as f64).sum::<f64>() / 4.0;
    let z = (smaller as f64 - mean) / variance.sqrt();
    (2.0 * Normal::standard().cdf(z)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::significance::verdict::ALPHA;

    /// Demšar (2006), table 2: AUC of C4.5 without and with tuned leaf size on 14 datasets.
    const PLAIN: [f64; 14] =
        [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.94, 0.619, 0.972, 0.957];
    const TUNED: [f64; 14] =
        [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978];

    fn of(values: &[f64]) -> Differences {
        Differences::new(values, &vec![0.0; values.len()]).unwrap()
    }

    #[test]
    fn signed_rank_example_of_demsar() {
        let pairs = Differences::new(&TUNED, &PLAIN).unwrap();
        // Demšar ranks 12 differences 3 to 14, with 3.5 twice, and splits the two zeros: 93 and
        // 12, of which 1.5 each is theirs.
        let test = wilcoxon(&pairs, Zeros::Pratt, ALPHA).unwrap();
        assert_eq!((test.plus, test.minus, test.pairs, test.zeros), (93.0 - 1.5, 12.0 - 1.5, 12, 2));
        assert!(test.is_exact && test.verdict.p().unwrap() < 0.05, "{test:?}");
        // With zeros dropped first, the two negative differences have the ranks 1.5 and 5 of 12.
        let test = wilcoxon(&pairs, Zeros::Drop, ALPHA).unwrap();
        assert_eq!((test.plus, test.minus), (78.0 - 6.5, 6.5));
        assert_eq!(test.rank_biserial(), 65.0 / 78.0);
    }

    #[test]
    fn p_values_match_hand_computed_values() {
        // Signs of ranks 1, 2, 3: sums 0, 1, 2, 3, 3, 4, 5, 6. A smaller sum of at most 1 occurs
        // in 2 of 8 on either side.
        let test = wilcoxon(&of(&[-1.0, 2.0, 3.0]), Zeros::Drop, 0.5).unwrap();
        assert_eq!((test.plus, test.minus, test.verdict), (5.0, 1.0, Verdict::P(0.5)));
        // Equal sums: all sign vectors are as extreme.
        assert_eq!(wilcoxon(&of(&[1.0, 2.0, -3.0]), Zeros::Drop, 0.5).unwrap().verdict, Verdict::P(1.0));
        // 0.3 − 0.2 and 0.4 − 0.3 differ in their last bits, and are ties.
        let test = wilcoxon(&Differences::new(&[0.3, 0.3], &[0.2, 0.4]).unwrap(), Zeros::Drop, 0.5).unwrap();
        assert_eq!((test.plus, test.minus), (1.5, 1.5));
        // Two ties with rank 1.5: sums 0, 1.5, 1.5, 3.
        let test = wilcoxon(&of(&[1.0, -1.0]), Zeros::Drop, 0.5).unwrap();
        assert_eq!(test.verdict, Verdict::P(1.0));
    }

    #[test]
    fn many_pairs_are_compared_by_a_normal_distribution() {
        // All tied, 12 of 36 negative: z = (12 − 18) / (√36 / 2).
        let values: Vec<f64> = (0..36).map(|i| if i < 12 { -1.0 } else { 1.0 }).collect();
        let test = wilcoxon(&of(&values), Zeros::Drop, ALPHA).unwrap();
        let p = test.verdict.p().unwrap();
        assert!(!test.is_exact && (p - 0.045_500_263_896_358_42).abs() < 1e-9, "{p}");
        // Untied ranks 1 to 26: mean 175.5, variance 26·27·53/24, all on one side.
        let values: Vec<f64> = (1..=26).map(f64::from).collect();
        let p = wilcoxon(&of(&values), Zeros::Drop, ALPHA).unwrap().verdict.p().unwrap();
        let z = -175.5 / (26.0 * 27.0 * 53.0 / 24.0f64).sqrt();
        assert!((p - 2.0 * Normal::standard().cdf(z)).abs() < 1e-12, "{p}");
    }

    #[test]
    fn five_folds_cannot_reach_significance() {
        let clear = of(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        let cannot = Verdict::CannotReach { smallest: 0.0625 };
        assert_eq!(wilcoxon(&clear, Zeros::Drop, ALPHA).unwrap().verdict, cannot);
        assert_eq!(wilcoxon(&clear, Zeros::Drop, 0.1).unwrap().verdict, Verdict::P(0.0625));
        assert_eq!(cannot.p(), None);
        let seven = of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(wilcoxon(&seven, Zeros::Drop, ALPHA).unwrap().verdict, Verdict::P(0.015625));
        // Seven datasets of which two are ties count as five.
        let level = of(&[0.0, 0.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(wilcoxon(&level, Zeros::Drop, ALPHA).unwrap().verdict, cannot);
        assert_eq!(smallest_reachable_p(7), 0.015625);
        assert_eq!(smallest_reachable_p(0), 1.0);
    }

    #[test]
    fn empty_or_zero_differences_have_no_test() {
        assert_eq!(wilcoxon(&of(&[]), Zeros::Drop, ALPHA), Err(NoTest::TooFew { have: 0, min: 1 }));
        for zeros in [Zeros::Drop, Zeros::Pratt] {
            assert_eq!(wilcoxon(&of(&[0.0; 3]), zeros, ALPHA), Err(NoTest::AllEqual));
        }
    }
}

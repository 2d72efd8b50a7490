//! Bootstrap confidence intervals.

use super::error::NoTest;
use super::sample::finite;
use crate::determinism::Stream;
use crate::metric::summary::mean;

/// Default number of resamples.
pub const RESAMPLES: usize = 10_000;

/// Confidence interval of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// Returns the percentile bootstrap interval of a mean (Efron 1979): the central `level` of the
/// means of `resamples` samples drawn with replacement.
///
/// With as few values as five folds the interval is too narrow, since no unseen value can be
/// drawn.
///
/// The draws depend on `seed` alone, so the same values give the same interval.
///
/// # Errors
/// If there are fewer than two values or no resamples, `level` is not between 0 and 1, or a value
/// is not finite.
pub fn mean_interval(values: &[f64], level: f64, resamples: usize, seed: u64) -> Result<Interval, NoTest> {
    for (have, min) in [(values.len(), 2), (resamples, 1)] {
        if have < min {
            return Err(NoTest::TooFew { have, min });
        }
    }
    if finite(values).is_err() || !(level > 0.0 && level < 1.0) {
        return Err(NoTest::OutOfRange);
    }
    let mut stream = Stream::new(seed, &["bootstrap", "mean"]);
    let mut drawn = vec![0.0; values.len()];
    let mut means: Vec<f64> = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        drawn.fill_with(|| values[stream.index(values.len())]);
        means.push(mean(&drawn));
    }
    means.sort_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Ok(Interval { low: quantile(&means, tail), high: quantile(&means, 1.0 - tail) })
}

/// Returns a quantile of sorted values, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, rest) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + rest * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_hand_computed_values() {
        let sorted = [1.0, 2.0, 4.0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sorted, share)), [1.0, 1.5, 2.0, 3.0, 4.0]);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values = [0.9, 0.8, 0.95, 0.7, 0.85];
        let once = mean_interval(&values, 0.95, 500, 1).unwrap();
        assert_eq!(once, mean_interval(&values, 0.95, 500, 1).unwrap());
        assert_ne!(once, mean_interval(&values, 0.95, 500, 2).unwrap());
        assert!(0.7 < once.low && once.low < mean(&values) && mean(&values) < once.high && once.high < 0.95);
    }

    #[test]
    fn invalid_input_has_no_interval() {
        assert_eq!(mean_interval(&[0.5], 0.95, 10, 1), Err(NoTest::TooFew { have: 1, min: 2 }));
        assert_eq!(mean_interval(&[0.5, 0.6], 0.95, 0, 1), Err(NoTest::TooFew { have: 0, min: 1 }));
        for level in [0.0, 1.0, f64::NAN] {
            assert_eq!(mean_interval(&[0.5, 0.6], level, 10, 1), Err(NoTest::OutOfRange));
        }
        assert_eq!(mean_interval(&[0.5, f64::NAN], 0.95, 10, 1), Err(NoTest::OutOfRange));
    }
}

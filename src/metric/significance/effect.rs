//! How large a difference is, apart from whether it is more than chance.

use super::error::NoTest;
use super::sample::Differences;
use crate::metric::summary::{deviation, mean};

/// How often the first is better, level, or worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// How often the first is better.
    pub wins: usize,
    /// How often both are level.
    pub ties: usize,
    /// How often the first is worse.
    pub losses: usize,
}

/// Counts wins, ties and losses of the first, where a positive difference is a win.
pub fn score(differences: &Differences) -> Score {
    let count = |is: fn(f64) -> bool| differences.values().iter().filter(|&&value| is(value)).count();
    Score { wins: count(|value| value > 0.0), ties: count(|value| value == 0.0), losses: count(|value| value < 0.0) }
}

/// The mean difference in standard deviations of the differences (Cohen's d for pairs): 0.2 is called small, 0.8 large.
///
/// # Errors
/// If there are fewer than two, or no spread.
pub fn standardized_mean(differences: &Differences) -> Result<f64, NoTest> {
    let values = differences.values();
    let deviation = deviation(values).ok_or(NoTest::TooFew { have: values.len(), least: 2 })?;
    if differences.are_equal() || deviation == 0.0 {
        return Err(if values.iter().all(|&value| value == 0.0) { NoTest::AllEqual } else { NoTest::NoSpread });
    }
    Ok(mean(values) / deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let pairs = Differences::new(&[3.0, 2.0, 2.0, 9.0], &[2.0, 2.0, 4.0, 4.0]).unwrap();
        assert_eq!(score(&pairs), Score { wins: 2, ties: 1, losses: 1 });
        // Differences 1, 0, −2, 5 with mean 1 and squares 0 + 1 + 9 + 16.
        assert_eq!(standardized_mean(&pairs), Ok(1.0 / (26f64 / 3.0).sqrt()));
        assert_eq!(standardized_mean(&Differences::new(&[1.0, 2.0], &[0.0, 1.0]).unwrap()), Err(NoTest::NoSpread));
    }
}

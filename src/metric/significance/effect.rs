//! Effect sizes of paired differences.

use super::error::NoTest;
use super::sample::Differences;
use crate::metric::summary::{deviation, mean};

/// Numbers of wins, ties and losses of the first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinTieLoss {
    /// Pairs in which the first is better.
    pub wins: usize,
    /// Pairs without a difference.
    pub ties: usize,
    /// Pairs in which the first is worse.
    pub losses: usize,
}

/// Counts wins, ties and losses of the first sample; a positive difference is a win.
pub fn win_tie_loss(differences: &Differences) -> WinTieLoss {
    let count = |is: fn(f64) -> bool| differences.values().iter().filter(|&&value| is(value)).count();
    WinTieLoss {
        wins: count(|value| value > 0.0),
        ties: count(|value| value == 0.0),
        losses: count(|value| value < 0.0),
    }
}

/// Returns Cohen's d for pairs: the mean difference over the standard deviation of the
/// differences. By convention 0.2 is small and 0.8 large.
///
/// # Errors
/// If there are fewer than two differences, or their variance is zero.
pub fn standardized_mean(differences: &Differences) -> Result<f64, NoTest> {
    let values = differences.values();
    let deviation = deviation(values).ok_or(NoTest::TooFew { have: values.len(), min: 2 })?;
    if differences.are_equal() || deviation == 0.0 {
        return Err(if values.iter().all(|&value| value == 0.0) { NoTest::AllEqual } else { NoTest::NoSpread });
    }
    Ok(mean(values) / deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effect_sizes_match_hand_computed_values() {
        let counted = Differences::new(&[1.0, 1.0, 1.0, 0.0, 3.0, 0.0], &[0.0, 0.0, 0.0, 0.0, 4.0, 1.0]).unwrap();
        assert_eq!(win_tie_loss(&counted), WinTieLoss { wins: 3, ties: 1, losses: 2 });
        let pairs = Differences::new(&[3.0, 2.0, 2.0, 9.0], &[2.0, 2.0, 4.0, 4.0]).unwrap();
        assert_eq!(win_tie_loss(&pairs), WinTieLoss { wins: 2, ties: 1, losses: 1 });
        // Differences 1, 0, −2, 5 with mean 1 and squares 0 + 1 + 9 + 16.
        assert_eq!(standardized_mean(&pairs), Ok(1.0 / (26f64 / 3.0).sqrt()));
        assert_eq!(standardized_mean(&Differences::new(&[1.0, 2.0], &[0.0, 1.0]).unwrap()), Err(NoTest::NoSpread));
        // 0.3 − 0.2 and 0.4 − 0.3 differ in their last bits.
        assert_eq!(standardized_mean(&Differences::new(&[0.3, 0.4], &[0.2, 0.3]).unwrap()), Err(NoTest::NoSpread));
    }
}

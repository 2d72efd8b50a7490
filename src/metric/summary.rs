//! Mean, standard deviation and standard error.

/// Returns the arithmetic mean, or NaN for an empty slice.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the sample standard deviation (denominator n − 1), or `None` for fewer than two
/// numbers.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// Mean and standard deviation of a table cell, usually over folds with the seeds of a fold
/// averaged first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation; `None` for a single number.
    pub deviation: Option<f64>,
    /// The number of values.
    pub n: usize,
}

impl Average {
    /// Averages finite numbers; `None` for an empty slice.
    pub fn of(values: &[f64]) -> Option<Average> {
        let n = values.len();
        (n > 0).then(|| Average { mean: mean(values), deviation: deviation(values), n })
    }

    /// Returns the standard error of the mean under independence; `None` for a single number.
    /// Folds share most of their training examples, so this underestimates the error: use it for
    /// orientation, not for claims.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.deviation? / (self.n as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_deviations_by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        // Squares 4 + 1 + 9, over 2.
        assert_eq!(deviation(&[1.0, 2.0, 6.0]), Some(7f64.sqrt()));
        assert_eq!(deviation(&[1.0]), None);
        // The mean is rounded, and no square is negative.
        assert!(deviation(&[0.1; 3]).unwrap() < 1e-15);
        let average = Average::of(&[2.0, 4.0, 4.0, 6.0]).unwrap();
        // Squares 4 + 0 + 0 + 4, over 3.
        assert_eq!((average.mean, average.deviation, average.n), (4.0, Some((8f64 / 3.0).sqrt()), 4));
        assert_eq!(average.standard_error(), Some((8f64 / 3.0).sqrt() / 2.0));
        assert_eq!(Average::of(&[0.5]).unwrap().standard_error(), None);
        assert_eq!(Average::of(&[]), None);
    }
}

//! A few numbers in place of many: mean, standard deviation, standard error.

/// The mean of numbers; of none it is NaN.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample, over n − 1; none for fewer than two numbers.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// What a cell of a table shows of some numbers, usually one for each fold with its seeds averaged first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation; none for a single one.
    pub deviation: Option<f64>,
    /// How many there are.
    pub n: usize,
}

impl Average {
    /// Sums up finite numbers; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Average> {
        let n = values.len();
        (n > 0).then(|| Average { mean: mean(values), deviation: deviation(values), n })
    }

    /// The standard error of the mean, as if the numbers were independent; none for a single one. Folds share most of their
    /// training examples, so that this is too small for a claim; it serves as a yardstick.
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
        let average = Average::of(&[2.0, 4.0, 4.0, 6.0]).unwrap();
        // Squares 4 + 0 + 0 + 4, over 3.
        assert_eq!((average.mean, average.deviation, average.n), (4.0, Some((8f64 / 3.0).sqrt()), 4));
        assert_eq!(average.standard_error(), Some((8f64 / 3.0).sqrt() / 2.0));
        assert_eq!(Average::of(&[0.5]).unwrap().standard_error(), None);
        assert_eq!(Average::of(&[]), None);
    }
}

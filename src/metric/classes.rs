//! What is measured where examples are of several classes, beside the [macro averages](super::Metrics::macro_average).

use super::error::{MetricError, Undefined};
use crate::math::softplus;

/// How good decisions between several classes are.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassMetrics {
    /// The share of examples whose most likely class is their own.
    pub accuracy: f64,
    /// The mean over classes of the F1 of "this is the most likely class". A class that nobody is of and nobody is said to be of has
    /// none and is left out.
    pub f1_macro: f64,
    /// The mean of −log P(own class); lower is better.
    pub log_loss: f64,
}

/// The most likely class of each example, the first of equals.
pub fn decisions(log_odds: &[Vec<f64>]) -> Vec<usize> {
    let examples = log_odds.first().map_or(0, Vec::len);
    let likelier = |i: usize, best: usize, class: usize| log_odds[class][i] > log_odds[best][i];
    let decide =
        |i: usize| (1..log_odds.len()).fold(0, |best, class| if likelier(i, best, class) { class } else { best });
    (0..examples).map(decide).collect()
}

impl ClassMetrics {
    /// Measures the log-odds of each class against all others, a row for each class, for examples of these classes.
    ///
    /// # Errors
    /// If there is not one number of each class for each example, one is NaN, or a class has none. The inner error says why there is
    /// nothing to measure.
    pub fn new(log_odds: &[Vec<f64>], classes: &[usize]) -> Result<Result<Self, Undefined>, MetricError> {
        if let Some(row) = log_odds.iter().find(|row| row.len() != classes.len()) {
            return Err(MetricError::LengthMismatch { scores: row.len(), labels: classes.len() });
        }
        if let Some(index) = log_odds.iter().find_map(|row| row.iter().position(|odds| odds.is_nan())) {
            return Err(MetricError::NotANumber { index });
        }
        let known = log_odds.len();
        if let Some(index) = classes.iter().position(|&class| class >= known) {
            return Err(MetricError::NoSuchClass { index, class: classes[index], classes: known });
        }
        if classes.is_empty() {
            return Ok(Err(Undefined::NoExamples));
        }
        let n = classes.len() as f64;
        let said = decisions(log_odds);
        let right = said.iter().zip(classes).filter(|(said, own)| said == own).count();
        let loss: f64 = classes.iter().enumerate().map(|(i, &own)| softplus(-log_odds[own][i])).sum();
        let mut scores = Vec::with_capacity(known);
        for class in 0..known {
            let of = |all: &[usize]| all.iter().filter(|&&other| other == class).count();
            let both = said.iter().zip(classes).filter(|&(&said, &own)| said == class && own == class).count();
            let either = of(&said) + of(classes);
            scores.extend((either > 0).then(|| 2.0 * both as f64 / either as f64));
        }
        let f1_macro = scores.iter().sum::<f64>() / scores.len() as f64;
        Ok(Ok(ClassMetrics { accuracy: right as f64 / n, f1_macro, log_loss: loss / n }))
    }

    /// The names of the values.
    pub const NAMES: [&str; 3] = ["accuracy", "f1_macro", "log_loss"];

    /// The values by name.
    pub fn named(&self) -> [(&'static str, f64); 3] {
        let [accuracy, f1_macro, log_loss] = Self::NAMES;
        [(accuracy, self.accuracy), (f1_macro, self.f1_macro), (log_loss, self.log_loss)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_odds(probabilities: [[f64; 4]; 3]) -> Vec<Vec<f64>> {
        probabilities.iter().map(|row| row.iter().map(|p| (p / (1.0 - p)).ln()).collect()).collect()
    }

    #[test]
    fn by_hand() {
        // Said: 0, 1, 1, 0 (of equals the first); own: 0, 1, 0, 1. Nobody is of the third class or said to be.
        let odds = log_odds([[0.8, 0.2, 0.3, 0.4], [0.1, 0.5, 0.6, 0.4], [0.1, 0.3, 0.1, 0.2]]);
        let found = ClassMetrics::new(&odds, &[0, 1, 0, 1]).unwrap().unwrap();
        assert_eq!((found.accuracy, decisions(&odds)), (0.5, vec![0, 1, 1, 0]));
        // Each of the two classes: one of two said is right, and one of two is found.
        assert!((found.f1_macro - 0.5).abs() < 1e-15);
        let loss = -(0.8f64 * 0.5 * 0.3 * 0.4).ln() / 4.0;
        assert!((found.log_loss - loss).abs() < 1e-14);
        // One of the third class, which is not found, counts as 0.
        let found = ClassMetrics::new(&odds, &[0, 1, 0, 2]).unwrap().unwrap();
        assert!((found.f1_macro - (0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-15, "{}", found.f1_macro);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let odds = vec![vec![0.0, 1.0], vec![0.0, f64::NAN]];
        assert_eq!(ClassMetrics::new(&odds, &[0]), Err(MetricError::LengthMismatch { scores: 2, labels: 1 }));
        assert_eq!(ClassMetrics::new(&odds, &[0, 1]), Err(MetricError::NotANumber { index: 1 }));
        let odds = vec![vec![0.0], vec![1.0]];
        assert_eq!(ClassMetrics::new(&odds, &[2]), Err(MetricError::NoSuchClass { index: 0, class: 2, classes: 2 }));
        assert_eq!(ClassMetrics::new(&[vec![], vec![]], &[]), Ok(Err(Undefined::NoExamples)));
    }
}

//! Multi-class metrics, in addition to the [macro averages](super::Metrics::macro_average).

use super::error::{MetricError, Undefined};
use crate::math::softplus;

/// Metrics of multi-class decisions.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassMetrics {
    /// Share of examples whose most likely class is the true one.
    pub accuracy: f64,
    /// Mean over classes of the one-versus-rest F1. Classes that are neither true nor predicted
    /// for any example have no F1 and are left out.
    pub f1_macro: f64,
    /// Mean of −log P(true class); lower is better.
    pub log_loss: f64,
}

/// Returns the most likely class of each example; ties go to the first.
pub fn decisions(log_odds: &[Vec<f64>]) -> Vec<usize> {
    let examples = log_odds.first().map_or(0, Vec::len);
    let likelier = |i: usize, best: usize, class: usize| log_odds[class][i] > log_odds[best][i];
    let decide =
        |i: usize| (1..log_odds.len()).fold(0, |best, class| if likelier(i, best, class) { class } else { best });
    (0..examples).map(decide).collect()
}

impl ClassMetrics {
    /// Evaluates one-versus-rest log-odds, one row per class, for examples with the given true
    /// classes.
    ///
    /// # Errors
    /// If the lengths differ, a number is NaN, or a class has no log-odds. The inner error is the
    /// reason why the metrics are undefined.
    pub fn new(log_odds: &[Vec<f64>], classes: &[usize]) -> Result<Result<Self, Undefined>, MetricError> {
        if let Some(row) = log_odds.iter().find(|row| row.len() != classes.len()) {
            return Err(MetricError::LengthMismatch { scores: row.len(), labels: classes.len() });
        }
        if let Some(index) = log_odds.iter().find_map(|row| row.iter().position(|odds| odds.is_nan())) {
            return Err(MetricError::NotANumber { index });
        }
        let class_count = log_odds.len();
        if let Some(index) = classes.iter().position(|&class| class >= class_count) {
            return Err(MetricError::NoSuchClass { index, class: classes[index], classes: class_count });
        }
        if classes.is_empty() {
            return Ok(Err(Undefined::NoExamples));
        }
        let n = classes.len() as f64;
        let predicted = decisions(log_odds);
        let right = predicted.iter().zip(classes).filter(|(predicted, truth)| predicted == truth).count();
        let loss: f64 = classes.iter().enumerate().map(|(i, &truth)| softplus(-log_odds[truth][i])).sum();
        let mut scores = Vec::with_capacity(class_count);
        for class in 0..class_count {
            let of = |all: &[usize]| all.iter().filter(|&&other| other == class).count();
            let both = predicted
                .iter()
                .zip(classes)
                .filter(|&(&predicted, &truth)| predicted == class && truth == class)
                .count();
            let either = of(&predicted) + of(classes);
            scores.extend((either > 0).then(|| 2.0 * both as f64 / either as f64));
        }
        let f1_macro = scores.iter().sum::<f64>() / scores.len() as f64;
        Ok(Ok(ClassMetrics { accuracy: right as f64 / n, f1_macro, log_loss: loss / n }))
    }

    /// Names of the metrics.
    pub const NAMES: [&str; 3] = ["accuracy", "f1_macro", "log_loss"];

    /// Returns the values with their names.
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
    fn metrics_match_hand_computed_values() {
        // Predicted: 0, 1, 1, 0 (ties to the first); true: 0, 1, 0, 1. The third class does not
        // occur.
        let odds = log_odds([[0.8, 0.2, 0.3, 0.4], [0.1, 0.5, 0.6, 0.4], [0.1, 0.3, 0.1, 0.2]]);
        let found = ClassMetrics::new(&odds, &[0, 1, 0, 1]).unwrap().unwrap();
        assert_eq!((found.accuracy, decisions(&odds)), (0.5, vec![0, 1, 1, 0]));
        // Each of the two classes has precision and recall 1/2.
        assert!((found.f1_macro - 0.5).abs() < 1e-15);
        let loss = -(0.8f64 * 0.5 * 0.3 * 0.4).ln() / 4.0;
        assert!((found.log_loss - loss).abs() < 1e-14);
        let named = [("accuracy", found.accuracy), ("f1_macro", found.f1_macro), ("log_loss", found.log_loss)];
        assert_eq!(found.named(), named);
        // An example of the third class that is not found counts as 0.
        let found = ClassMetrics::new(&odds, &[0, 1, 0, 2]).unwrap().unwrap();
        assert!((found.f1_macro - (0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-15, "{}", found.f1_macro);
    }

    #[test]
    fn invalid_input_is_an_error() {
        let odds = vec![vec![0.0, 1.0], vec![0.0, f64::NAN]];
        assert_eq!(ClassMetrics::new(&odds, &[0]), Err(MetricError::LengthMismatch { scores: 2, labels: 1 }));
        assert_eq!(ClassMetrics::new(&odds, &[0, 1]), Err(MetricError::NotANumber { index: 1 }));
        let odds = vec![vec![0.0], vec![1.0]];
        assert_eq!(ClassMetrics::new(&odds, &[2]), Err(MetricError::NoSuchClass { index: 0, class: 2, classes: 2 }));
        assert_eq!(ClassMetrics::new(&[vec![], vec![]], &[]), Ok(Err(Undefined::NoExamples)));
    }
}

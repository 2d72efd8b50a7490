//! Compact scores of a job: how many positive and negative test examples have each score.
//!
//! Every ranking metric follows from them, of one fold or of several together. The examples
//! themselves are not stored.

use std::path::Path;

use super::error::RunStoreError;
use super::frame::Prediction;

/// Columns of the file.
const HEADER: &str = "psi,positives,negatives";

/// Encodes `scores.csv`, the highest score first.
pub fn scores(rows: &[Prediction]) -> Vec<u8> {
    let mut sorted: Vec<(f64, bool)> = rows.iter().map(|row| (row.psi, row.label)).collect();
    sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = format!("{HEADER}\n");
    for ties in sorted.chunk_by(|a, b| a.0.to_bits() == b.0.to_bits()) {
        let positives = ties.iter().filter(|(_, label)| *label).count();
        // The shortest text that reads back as the same number.
        text += &format!("{:?},{positives},{}\n", ties[0].0, ties.len() - positives);
    }
    text.into_bytes()
}

/// Reads `scores.csv` as predictions without examples, in the order of the file.
///
/// # Errors
/// If it cannot be read, or is a different table.
pub fn read_scores(path: &Path) -> Result<Vec<Prediction>, RunStoreError> {
    let text = std::fs::read_to_string(path).map_err(RunStoreError::io(path))?;
    let invalid = |what: &str| RunStoreError::NoTable { path: path.to_owned(), what: what.to_owned() };
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(invalid(&format!("the first line must be `{HEADER}`")));
    }
    let mut rows = Vec::new();
    for line in lines {
        let mut fields = line.split(',');
        let psi: Option<f64> = fields.next().and_then(|field| field.parse().ok());
        let mut count = || fields.next().and_then(|field| field.parse::<u32>().ok());
        let (Some(psi), Some(positives), Some(negatives)) = (psi, count(), count()) else {
            return Err(invalid(&format!("expected a score and two counts, got `{line}`")));
        };
        for (label, count) in [(true, positives), (false, negatives)] {
            let row = Prediction { example: String::new(), label, psi, probability: None };
            rows.extend(std::iter::repeat_n(row, count as usize));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Ranking;
    use crate::metric::ranking::{auc_pr, auc_roc};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Scores that are read back rank exactly as those that were written.
        #[test]
        fn rankings_survive(rows in prop::collection::vec((prop_oneof![Just(0.1 + 0.2), Just(-0.0), -5.0f64..5.0], any::<bool>()), 0..40)) {
            let row = |&(psi, label): &(f64, bool)| Prediction { example: "e".into(), label, psi, probability: None };
            let rows: Vec<Prediction> = rows.iter().map(row).collect();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), scores(&rows)).unwrap();
            let read = read_scores(file.path()).unwrap();
            let ranking = |rows: &[Prediction]| {
                let (psi, labels): (Vec<f64>, Vec<bool>) = rows.iter().map(|row| (row.psi, row.label)).unzip();
                Ranking::new(&psi, &labels).unwrap()
            };
            let (before, after) = (ranking(&rows), ranking(&read));
            prop_assert_eq!(auc_roc(&before), auc_roc(&after));
            prop_assert_eq!(auc_pr(&before), auc_pr(&after));
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn other_tables_are_errors() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for text in [
            "",
            "a,b\n",
            "psi,positives,negatives\n1.0,2\n",
            "psi,positives,negatives\nx,1,2\n",
            "psi,positives,negatives\n1,-1,2\n",
        ] {
            std::fs::write(file.path(), text).unwrap();
            assert!(matches!(read_scores(file.path()), Err(RunStoreError::NoTable { .. })), "{text}");
        }
    }
}

//! The rule of the gate: paired differences of cells.
//!
//! Data, folds and negatives are those of the baseline, so that a difference has two causes only:
//! the change under test, and the random choices of the learner. A row regressed if its mean
//! paired loss exceeds the tolerance, or if a one-sided paired t-test rejects a loss of at most
//! [`NEGLIGIBLE`], after Holm's correction over the rows that moved. Identical rows are not tested:
//! they cannot be rejected. The test is the ordinary one of
//! [`crate::metric::significance::decision`]: the correction for shared training examples concerns
//! conclusions about other examples, which the gate does not draw.

use super::finding::Finding;
use crate::determinism::IndexMap;
use crate::experiment::frame::SplitKey;
use crate::metric::Average;
use crate::metric::significance::Differences;
use crate::metric::significance::decision::{self, DecisionRule, DifferenceEstimate};
use crate::metric::summary::mean;

/// Family-wise level of the test.
pub const LEVEL: f64 = 0.01;

/// Mean loss that the test never reports: consistent changes in the last digits, as another
/// mathematical library causes them, would be significant otherwise.
pub const NEGLIGIBLE: f64 = 0.001;

const RULE: DecisionRule = DecisionRule { alpha: LEVEL, margin: NEGLIGIBLE, is_corrected: false, is_adjusted: true };

/// One fold and seed of a row, before and now.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedCell {
    /// The split; seeds that share it are averaged.
    pub split: SplitKey,
    /// Value of the baseline.
    pub before: f64,
    /// Value of the run.
    pub now: f64,
    /// Whether the predictions have equal checksums.
    pub same_predictions: bool,
}

impl PairedCell {
    /// Returns whether value or predictions changed.
    fn has_moved(&self) -> bool {
        self.before != self.now || !self.same_predictions
    }
}

/// The cells of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRow {
    /// Cells in the order of the baseline; at least one.
    pub cells: Vec<PairedCell>,
    /// Whether larger values are better.
    pub higher_is_better: bool,
    /// Largest accepted mean loss.
    pub tolerance: f64,
}

/// A row as judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Mean of the baseline.
    pub before: Average,
    /// Mean of the run over the same cells.
    pub now: Average,
    /// The finding.
    pub finding: Finding,
    /// Adjusted p-value of the test of a loss; `None` if no test is possible or needed.
    pub p: Option<f64>,
    /// Folds in which a cell changed.
    pub folds: Vec<usize>,
}

impl PairedRow {
    /// Returns the values by split, before and now, with seeds of a split averaged.
    fn by_split(&self) -> (Vec<f64>, Vec<f64>) {
        let mut splits: IndexMap<SplitKey, (Vec<f64>, Vec<f64>)> = IndexMap::default();
        for cell in &self.cells {
            let values = splits.entry(cell.split).or_default();
            values.0.push(cell.before);
            values.1.push(cell.now);
        }
        splits.values().map(|(before, now)| (mean(before), mean(now))).unzip()
    }

    /// Returns the folds in which a cell changed.
    fn moved_folds(&self) -> Vec<usize> {
        let mut folds: Vec<usize> =
            self.cells.iter().filter(|cell| cell.has_moved()).map(|cell| cell.split.fold).collect();
        folds.sort_unstable();
        folds.dedup();
        folds
    }

    /// Returns the estimated mean gain, if a test is possible.
    fn estimate(&self) -> Option<DifferenceEstimate> {
        let (before, now) = self.by_split();
        let gains = Differences::new(&now, &before).ok()?;
        let gains = if self.higher_is_better { gains } else { gains.reversed() };
        DifferenceEstimate::paired(&gains, 0.0).ok()
    }
}

/// Judges the rows of a run as one family of tests. Rows without cells are left out.
pub fn judge(rows: &[PairedRow]) -> Vec<Option<Judgement>> {
    let estimates: Vec<Option<DifferenceEstimate>> =
        rows.iter().map(|row| row.estimate().filter(|_| !row.moved_folds().is_empty())).collect();
    let raw: Vec<_> = estimates.iter().flatten().map(|estimate| estimate.p_values(RULE.margin)).collect();
    // Values are finite, so that p-values are probabilities.
    let mut adjusted = decision::adjust(&RULE, &raw).unwrap_or_default().into_iter();
    let judged = rows.iter().zip(estimates).map(|(row, estimate)| {
        let p = estimate.and_then(|_| adjusted.next()).map(|p| p.worse);
        let (before, now) = row.by_split();
        let (before, now) = (Average::of(&before)?, Average::of(&now)?);
        let folds = row.moved_folds();
        let change = now.mean - before.mean;
        let gain = if row.higher_is_better { change } else { -change };
        let finding = if folds.is_empty() {
            Finding::Identical
        } else if gain < -row.tolerance || p.is_some_and(|p| p < RULE.alpha) {
            Finding::Regressed
        } else if gain > row.tolerance {
            Finding::Improved
        } else {
            Finding::Moved
        };
        Some(Judgement { before, now, finding, p, folds })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(gains: &[f64], tolerance: f64) -> PairedRow {
        let cell = |(i, gain): (usize, &f64)| PairedCell {
            split: SplitKey { fold: i + 1, seed: None },
            before: 0.5,
            now: 0.5 + gain,
            same_predictions: *gain == 0.0,
        };
        PairedRow { cells: gains.iter().enumerate().map(cell).collect(), higher_is_better: true, tolerance }
    }

    fn finding(row: &PairedRow) -> Finding {
        judge(std::slice::from_ref(row)).remove(0).unwrap().finding
    }

    #[test]
    fn each_finding_has_its_condition() {
        assert_eq!(finding(&row(&[0.0; 5], 0.0)), Finding::Identical);
        assert_eq!(finding(&row(&[0.01, 0.0, -0.02, 0.0, 0.0], 0.005)), Finding::Moved);
        assert_eq!(finding(&row(&[-0.03, 0.0, 0.0, 0.0, 0.0], 0.005)), Finding::Regressed);
        assert_eq!(finding(&row(&[0.03, 0.0, 0.0, 0.0, 0.0], 0.005)), Finding::Improved);
        // Equal values of other predictions.
        let mut same = row(&[0.0; 5], 0.0);
        same.cells[2].same_predictions = false;
        assert_eq!(finding(&same), Finding::Moved);
        assert_eq!(judge(&[same])[0].as_ref().unwrap().folds, [3]);
        let loss = PairedRow { higher_is_better: false, ..row(&[0.03, 0.0, 0.0, 0.0, 0.0], 0.005) };
        assert_eq!(finding(&loss), Finding::Regressed);
    }

    #[test]
    fn the_test_finds_consistent_losses_within_the_tolerance() {
        let consistent = row(&[-0.0040, -0.0041, -0.0039, -0.0042, -0.0038], 0.005);
        assert_eq!(finding(&consistent), Finding::Regressed);
        let p = judge(std::slice::from_ref(&consistent))[0].as_ref().unwrap().p.unwrap();
        // Holm's correction counts rows that moved, and no identical ones.
        let with_identical = judge(&[consistent.clone(), row(&[0.0; 5], 0.005)]);
        assert_eq!(with_identical[0].as_ref().unwrap().p, Some(p));
        let with_moved = judge(&[consistent, row(&[0.001, -0.001, 0.0, 0.0, 0.0], 0.005)]);
        assert_eq!(with_moved[0].as_ref().unwrap().p, Some(2.0 * p));
        // Consistent, but negligible.
        assert_eq!(finding(&row(&[-1.0e-9, -1.1e-9, -0.9e-9, -1.0e-9, -1.0e-9], 0.005)), Finding::Moved);
        assert_eq!(finding(&row(&[-0.0009; 5], 0.005)), Finding::Moved);
        // A single fold allows no test.
        assert_eq!(judge(&[row(&[-0.004], 0.005)])[0].as_ref().unwrap().p, None);
    }

    #[test]
    fn seeds_of_a_split_are_averaged() {
        let mut seeds = row(&[-0.02, 0.02], 0.005);
        seeds.cells[1].split.fold = 1;
        let judged = judge(&[seeds]).remove(0).unwrap();
        assert_eq!((judged.now.n, judged.finding), (1, Finding::Moved));
        assert_eq!(judge(&[row(&[], 0.1)]), [None]);
    }
}

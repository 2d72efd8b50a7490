//! Two models on one dataset, fold by fold.

use super::rows::ReportRow;
use crate::metric::Column;
use crate::metric::significance::{ALPHA, Differences, NoTest, corrected_t, mean_test_share};
use crate::metric::summary::{Average, mean};
use crate::order::IndexMap;

/// How two models compare on the folds that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The first, over these folds.
    pub first: Average,
    /// The second, over these folds.
    pub second: Average,
    /// The mean of the first minus that of the second.
    pub difference: f64,
    /// The p of the corrected resampled t-test, or why there is none.
    pub p: Result<f64, NoTest>,
}

impl Paired {
    /// Compares two rows; `None` if they have no fold in common.
    pub fn new(first: &ReportRow<'_>, second: &ReportRow<'_>, metric: Column) -> Option<Paired> {
        let seconds: IndexMap<usize, f64> = second.group.by_fold(metric).into_iter().collect();
        let pairs = first.group.by_fold(metric).into_iter();
        let pairs: Vec<(usize, f64, f64)> =
            pairs.filter_map(|(fold, a)| seconds.get(&fold).map(|&b| (fold, a, b))).collect();
        let a: Vec<f64> = pairs.iter().map(|&(_, a, _)| a).collect();
        let b: Vec<f64> = pairs.iter().map(|&(_, _, b)| b).collect();
        let differences = Differences::new(&a, &b).ok()?;
        let sizes: Vec<(usize, usize)> = pairs.iter().filter_map(|&(fold, _, _)| sizes(first, fold)).collect();
        let p = mean_test_share(&sizes).and_then(|share| corrected_t(&differences, share)).map(|test| test.p);
        let difference = mean(differences.values());
        Some(Paired { first: Average::of(&a)?, second: Average::of(&b)?, difference, p })
    }

    /// Whether the difference is more than chance.
    pub fn is_significant(&self) -> bool {
        // The same difference in every fold is no chance, though the test cannot say so.
        self.p.map_or_else(|why| why == NoTest::NoSpread, |p| p < ALPHA)
    }

    /// The p as people read it, or why there is none.
    pub fn shown_p(&self) -> String {
        match self.p {
            Ok(p) if p < 0.001 => "p < 0.001".to_owned(),
            Ok(p) => format!("p = {p:.3}"),
            Err(why) => why.to_string(),
        }
    }
}

/// Training and test examples of a fold.
fn sizes(row: &ReportRow<'_>, fold: usize) -> Option<(usize, usize)> {
    let stored = row.group.done().find(|stored| stored.record.row.fold == fold)?;
    let counts = stored.record.counts?;
    Some((counts.train_positives + counts.train_negatives, counts.test_positives + counts.test_negatives))
}

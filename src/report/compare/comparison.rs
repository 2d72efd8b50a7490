//! Comparison of paired rows.

use super::pairing::{Pairing, RowPair, mismatch};
use crate::determinism::IndexMap;
use crate::experiment::frame::StoredJob;
use crate::metric::significance::bootstrap::{Interval, RESAMPLES, mean_interval};
use crate::metric::significance::effect::{WinTieLoss, standardized_mean, win_tie_loss};
use crate::metric::significance::{
    ALPHA, CorrectedT, Differences, NoTest, SampleError, Wilcoxon, Zeros, corrected_t, holm, mean_test_share, wilcoxon,
};
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Metrics that are compared by default.
pub const SHOWN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// Confidence level of intervals.
pub const LEVEL: f64 = 0.95;

/// Smallest number of folds in which an identical difference counts as significant without a
/// test.
const MIN_FOLDS_WITHOUT_SPREAD: usize = 3;

/// Seed of the bootstrap.
const SEED: u64 = 1979;

/// Comparison of two sides.
#[derive(Clone, Debug)]
pub struct RunComparison {
    /// Name of the first side.
    pub first: String,
    /// Name of the second side.
    pub second: String,
    /// Metrics in the order requested.
    pub metrics: Vec<MetricComparison>,
    /// Rows of the first side only.
    pub only_first: Vec<String>,
    /// Rows of the second side only.
    pub only_second: Vec<String>,
}

/// Comparison by one metric.
#[derive(Clone, Debug)]
pub struct MetricComparison {
    /// The metric.
    pub column: Column,
    /// Compared rows.
    pub rows: Vec<RowComparison>,
    /// Rows that could not be compared.
    pub skipped: Vec<SkippedRow>,
    /// Models that were compared on at least two datasets.
    pub over_datasets: Vec<OverDatasets>,
}

/// Comparison of one row of both sides.
#[derive(Clone, Debug)]
pub struct RowComparison {
    /// The dataset.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// Number of folds that both sides have.
    pub folds: usize,
    /// Number of folds that one side lacks, or that have no value.
    pub unpaired: usize,
    /// Average of the first side, over common folds.
    pub first: Average,
    /// Average of the second side, over common folds.
    pub second: Average,
    /// Mean difference over folds, second minus first.
    pub difference: f64,
    /// Bootstrap interval of the mean difference.
    pub interval: Result<Interval, NoTest>,
    /// Corrected t-test.
    pub test: Result<CorrectedT, NoTest>,
    /// Its p-value, corrected for the number of rows.
    pub holm: Option<f64>,
    /// Standardized mean difference.
    pub effect: Result<f64, NoTest>,
    /// Folds in which the second side wins, ties and loses.
    pub win_tie_loss: WinTieLoss,
}

impl RowComparison {
    /// Returns whether the difference is significant in the corrected t-test. An identical
    /// nonzero difference in every fold leaves the test without variance: it counts as
    /// significant in at least three folds, while in two it may be chance.
    ///
    /// # Errors
    /// If no test is possible, with the reason.
    pub fn is_significant(&self) -> Result<bool, NoTest> {
        match self.test {
            Ok(test) => Ok(test.p < ALPHA),
            Err(NoTest::AllEqual) => Ok(false),
            Err(NoTest::NoSpread) if self.folds >= MIN_FOLDS_WITHOUT_SPREAD => Ok(true),
            Err(why) => Err(why),
        }
    }
}

/// A row of both sides that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRow {
    /// The dataset.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// Reason.
    pub reason: String,
}

/// Comparison of a model over all datasets.
#[derive(Clone, Debug)]
pub struct OverDatasets {
    /// The model.
    pub model: String,
    /// Number of datasets.
    pub datasets: usize,
    /// Datasets on which the second side wins, ties and loses.
    pub win_tie_loss: WinTieLoss,
    /// Wilcoxon's signed-rank test.
    pub test: Result<Wilcoxon, NoTest>,
}

impl RunComparison {
    /// Compares paired rows.
    ///
    /// # Errors
    /// If a recorded metric is not finite.
    pub fn new(pairing: &Pairing<'_>, columns: &[Column]) -> Result<Self, SampleError> {
        let metrics: Result<Vec<MetricComparison>, SampleError> =
            columns.iter().map(|&column| metric(&pairing.pairs, column)).collect();
        Ok(RunComparison {
            first: pairing.first.clone(),
            second: pairing.second.clone(),
            metrics: metrics?,
            only_first: pairing.only_first.clone(),
            only_second: pairing.only_second.clone(),
        })
    }

    /// Returns whether any row was compared.
    pub fn is_comparable(&self) -> bool {
        self.metrics.iter().any(|metric| !metric.rows.is_empty())
    }
}

fn metric(pairs: &[RowPair<'_>], column: Column) -> Result<MetricComparison, SampleError> {
    let mut found = MetricComparison { column, rows: Vec::new(), skipped: Vec::new(), over_datasets: Vec::new() };
    for pair in pairs {
        match compare_rows(pair, column)? {
            Ok(row) => found.rows.push(row),
            Err(reason) => {
                let (dataset, model) = (pair.dataset().to_owned(), pair.model.clone());
                found.skipped.push(SkippedRow { dataset, model, reason });
            }
        }
    }
    let tested: Vec<f64> = found.rows.iter().filter_map(|row| Some(row.test.ok()?.p)).collect();
    let mut adjusted = holm(&tested)?.into_iter();
    for row in found.rows.iter_mut().filter(|row| row.test.is_ok()) {
        row.holm = adjusted.next();
    }
    found.over_datasets = over_datasets(&found.rows, column)?;
    Ok(found)
}

/// Compares a row of both sides; the inner error is the reason why it cannot be compared.
pub(crate) fn compare_rows(pair: &RowPair<'_>, column: Column) -> Result<Result<RowComparison, String>, SampleError> {
    if let Some(reason) = mismatch(pair, column) {
        return Ok(Err(reason));
    }
    type FoldValues = IndexMap<usize, (Vec<f64>, Vec<f64>)>;
    let (mut folds, mut sizes) = (FoldValues::default(), Vec::new());
    for (first, second) in pair.jobs() {
        if let (Some(of_first), Some(of_second)) = (first.metric(column), second.metric(column)) {
            let values = folds.entry(first.record.row.fold).or_default();
            values.0.push(of_first);
            values.1.push(of_second);
            sizes.extend(size(first));
        }
    }
    folds.sort_unstable_keys();
    if folds.is_empty() {
        return Ok(Err(format!("no fold has {} in both", column.name())));
    }
    let (first, second): (Vec<f64>, Vec<f64>) =
        folds.values().map(|(first, second)| (mean(first), mean(second))).unzip();
    let differences = Differences::new(&second, &first)?;
    let better = if column.higher_is_better() { differences.clone() } else { differences.reversed() };
    let (Some(of_first), Some(of_second)) = (Average::of(&first), Average::of(&second)) else {
        return Ok(Err("no folds".to_owned()));
    };
    Ok(Ok(RowComparison {
        dataset: pair.dataset().to_owned(),
        model: pair.model.clone(),
        folds: folds.len(),
        unpaired: pair.folds().saturating_sub(folds.len()),
        first: of_first,
        second: of_second,
        difference: mean(differences.values()),
        interval: mean_interval(differences.values(), LEVEL, RESAMPLES, SEED),
        test: mean_test_share(&sizes).and_then(|share| corrected_t(&differences, share)),
        holm: None,
        effect: standardized_mean(&differences),
        win_tie_loss: win_tie_loss(&better),
    }))
}

/// Returns the numbers of training and test examples of a job.
fn size(stored: &StoredJob) -> Option<(usize, usize)> {
    let counts = stored.record.counts.as_ref()?;
    Some((counts.train_positives + counts.train_negatives, counts.test_positives + counts.test_negatives))
}

fn over_datasets(rows: &[RowComparison], column: Column) -> Result<Vec<OverDatasets>, SampleError> {
    let mut models: IndexMap<&str, Vec<&RowComparison>> = IndexMap::default();
    for row in rows {
        models.entry(&row.model).or_default().push(row);
    }
    models.retain(|_, rows| rows.len() > 1);
    let over = |(model, rows): (&str, Vec<&RowComparison>)| {
        let first: Vec<f64> = rows.iter().map(|row| row.first.mean).collect();
        let second: Vec<f64> = rows.iter().map(|row| row.second.mean).collect();
        let differences = Differences::new(&second, &first)?;
        let better = if column.higher_is_better() { differences } else { differences.reversed() };
        Ok(OverDatasets {
            model: model.to_owned(),
            datasets: rows.len(),
            win_tie_loss: win_tie_loss(&better),
            test: wilcoxon(&better, Zeros::Drop, ALPHA),
        })
    };
    models.into_iter().map(over).collect()
}

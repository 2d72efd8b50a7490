//! Comparison of paired rows.

use super::pairing::{Pairing, RowPair, mismatch};
use crate::determinism::IndexMap;
use crate::experiment::frame::SplitKey;
use crate::metric::significance::decision::{self, DecisionRule, DifferenceEstimate, Finding, Interval, PValues};
use crate::metric::significance::effect::{WinTieLoss, standardized_mean, win_tie_loss};
use crate::metric::significance::{
    ALPHA, CorrectedT, Differences, NoTest, SampleError, Wilcoxon, Zeros, corrected_t, mean_test_share, wilcoxon,
};
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Metrics that are compared by default.
pub const SHOWN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// Confidence level of intervals.
pub const LEVEL: f64 = 0.95;

/// The rule by which rows are compared; see [`decision`].
const RULE: DecisionRule = DecisionRule::STANDARD;

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
    /// Number of splits that both sides have: folds, times seeds where these draw other folds.
    pub folds: usize,
    /// Number of splits that one side lacks, or that have no value.
    pub unpaired: usize,
    /// Average of the first side, over common splits.
    pub first: Average,
    /// Average of the second side, over common splits.
    pub second: Average,
    /// Mean difference over splits, second minus first.
    pub difference: f64,
    /// Corrected t-test.
    pub test: Result<CorrectedT, NoTest>,
    /// p-values adjusted for the number of rows, and what they show.
    pub decided: Option<(PValues, Finding)>,
    /// Whether each side scores no better than chance; `None` if that is unknown.
    pub at_chance: [Option<bool>; 2],
    /// Standardized mean difference.
    pub effect: Result<f64, NoTest>,
    /// Splits in which the second side wins, ties and loses.
    pub win_tie_loss: WinTieLoss,
    differences: Differences,
    test_share: Result<f64, NoTest>,
}

impl RowComparison {
    /// Returns the estimated mean difference, second minus first.
    ///
    /// # Errors
    /// If no test is possible, with the reason.
    pub fn estimate(&self, rule: &DecisionRule) -> Result<DifferenceEstimate, NoTest> {
        let share = if rule.is_corrected { self.test_share? } else { 0.0 };
        DifferenceEstimate::paired(&self.differences, share)
    }

    /// Returns the confidence interval of the mean difference.
    ///
    /// # Errors
    /// If no test is possible, with the reason.
    pub fn interval(&self) -> Result<Interval, NoTest> {
        Ok(self.estimate(&RULE)?.interval(LEVEL))
    }

    /// Returns what the comparison shows, in words.
    pub fn finding(&self) -> String {
        let words = match &self.decided {
            Some((_, finding)) => finding.words().to_owned(),
            None => match self.estimate(&RULE) {
                Err(why) => format!("not testable: {why}"),
                Ok(_) => "inconclusive".to_owned(),
            },
        };
        match self.at_chance {
            [Some(true), Some(true)] => "not testable: both at chance".to_owned(),
            [Some(true), _] => format!("{words} (the first at chance)"),
            [_, Some(true)] => format!("{words} (the second at chance)"),
            _ => words,
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
    decide(&mut found.rows, column)?;
    found.over_datasets = over_datasets(&found.rows, column)?;
    Ok(found)
}

/// Decides rows as one family of comparisons.
fn decide(rows: &mut [RowComparison], column: Column) -> Result<(), SampleError> {
    let mut tested: Vec<(&mut RowComparison, DifferenceEstimate)> =
        rows.iter_mut().filter_map(|row| row.estimate(&RULE).ok().map(|estimate| (row, estimate))).collect();
    let raw: Vec<PValues> = tested.iter().map(|(_, estimate)| estimate.p_values(RULE.margin)).collect();
    // The margin is one of areas under curves.
    let has_margin = column.chance(1, 1).is_some();
    for ((row, estimate), p) in tested.iter_mut().zip(decision::adjust(&RULE, &raw)?) {
        let found = Finding::new(&RULE, estimate, &p);
        row.decided = Some((p, Finding { is_equivalent: has_margin && found.is_equivalent, ..found }));
    }
    Ok(())
}

/// Compares a row of both sides; the inner error is the reason why it cannot be compared.
pub(crate) fn compare_rows(pair: &RowPair<'_>, column: Column) -> Result<Result<RowComparison, String>, SampleError> {
    if let Some(reason) = mismatch(pair, column) {
        return Ok(Err(reason));
    }
    type SplitValues = IndexMap<SplitKey, (Vec<f64>, Vec<f64>)>;
    let (mut splits, mut sizes) = (SplitValues::default(), Vec::new());
    for (first, second) in pair.jobs() {
        if let (Some(of_first), Some(of_second)) = (first.metric(column), second.metric(column)) {
            let values = splits.entry(first.split()).or_default();
            values.0.push(of_first);
            values.1.push(of_second);
            sizes.extend(first.record.counts.map(|counts| counts.sizes()));
        }
    }
    splits.sort_unstable_keys();
    if splits.is_empty() {
        return Ok(Err(format!("no fold has {} in both", column.name())));
    }
    let (first, second): (Vec<f64>, Vec<f64>) =
        splits.values().map(|(first, second)| (mean(first), mean(second))).unzip();
    let differences = Differences::new(&second, &first)?;
    let better = if column.higher_is_better() { differences.clone() } else { differences.reversed() };
    let (Some(of_first), Some(of_second)) = (Average::of(&first), Average::of(&second)) else {
        return Ok(Err("no folds".to_owned()));
    };
    let test_share = mean_test_share(&sizes);
    Ok(Ok(RowComparison {
        dataset: pair.dataset().to_owned(),
        model: pair.model.clone(),
        folds: splits.len(),
        unpaired: pair.splits().saturating_sub(splits.len()),
        first: of_first,
        second: of_second,
        difference: mean(differences.values()),
        test: test_share.and_then(|share| corrected_t(&differences, share)),
        decided: None,
        at_chance: [&pair.first, &pair.second].map(|group| group.is_at_chance(column)),
        effect: standardized_mean(&differences),
        win_tie_loss: win_tie_loss(&better),
        differences,
        test_share,
    }))
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

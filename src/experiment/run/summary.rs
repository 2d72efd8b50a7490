//! The summary table of a run: mean and standard deviation over folds per dataset and model.

use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::results::by_fold;
use crate::experiment::store::{JobRecord, MetricsTable, Status};
use crate::metric::Column;
use crate::metric::summary::{deviation, mean};

/// Metrics of the table.
pub const SHOWN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// The summary table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// One row per dataset and model.
    pub rows: Vec<SummaryRow>,
    /// Mandatory footnotes as pairs of dataset and text.
    pub footnotes: Vec<(String, String)>,
}

/// A row of the summary table.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// The dataset.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// The preset; empty without one.
    pub preset: String,
    /// Sweep settings; empty without a sweep.
    pub case: String,
    /// Number of folds with a result.
    pub folds: usize,
    /// Number of jobs whose model kind does not support the dataset.
    pub refused: usize,
    /// Number of failed jobs.
    pub failed: usize,
    /// One cell for each of [`SHOWN`].
    pub cells: [Option<Cell>; SHOWN.len()],
}

/// A mean over folds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The mean.
    pub mean: f64,
    /// Standard deviation over folds; `None` for a single fold.
    pub deviation: Option<f64>,
}

/// Summarizes a table: averages seeds per fold, then computes mean and deviation over folds.
pub fn summarize(table: &MetricsTable) -> Summary {
    type Key<'a> = (&'a str, &'a str, &'a str, &'a str);
    let mut groups: IndexMap<Key<'_>, Vec<&JobRecord>> = IndexMap::default();
    let mut footnotes: IndexSet<(String, String)> = IndexSet::default();
    for record in table.records() {
        let row = &record.row;
        groups.entry((&row.dataset, &row.model, &row.preset, &row.case)).or_default().push(record);
        if let Some(footnote) = record.data.as_ref().and_then(|data| data.footnote.clone()) {
            footnotes.insert((row.dataset.clone(), footnote));
        }
    }
    let rows = groups.into_iter().map(|((dataset, model, preset, case), records)| {
        let refused = records.iter().filter(|record| record.status.is_refused()).count();
        let done = || records.iter().filter(|record| record.status == Status::Done);
        SummaryRow {
            dataset: dataset.to_owned(),
            model: model.to_owned(),
            preset: preset.to_owned(),
            case: case.to_owned(),
            folds: done().map(|record| record.row.fold).collect::<IndexSet<_>>().len(),
            refused,
            failed: records.len() - done().count() - refused,
            cells: SHOWN.map(|column| cell(&records, column)),
        }
    });
    Summary { rows: rows.collect(), footnotes: footnotes.into_iter().collect() }
}

fn cell(records: &[&JobRecord], column: Column) -> Option<Cell> {
    let folds = by_fold(records.iter().copied(), column);
    let of_folds: Vec<f64> = folds.into_iter().map(|(_, value)| value).collect();
    (!of_folds.is_empty()).then(|| Cell { mean: mean(&of_folds), deviation: deviation(&of_folds) })
}

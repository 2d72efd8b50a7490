//! Creation of baselines from runs.

use thiserror::Error;

use super::baseline::{Baseline, BaselineRow, rounded};
use super::defaults::was_skipped;
use crate::experiment::Results;
use crate::experiment::frame::Group;
use crate::metric::{Average, Column};
use crate::report::rows::{ReportRow, RowProgress, rows};

/// Why a run cannot become a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotBlessed {
    /// The run has no result.
    #[error("{0}: the run has no results to bless")]
    Empty(String),
    /// The run is incomplete.
    #[error("{run}: {row}: {progress}; finish it with `lrbm run` (`--retry-failed` repeats failed jobs)")]
    Unfinished {
        /// The run directory.
        run: String,
        /// The incomplete row.
        row: String,
        /// Progress of its jobs.
        progress: RowProgress,
    },
}

/// A new baseline and its differences from the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Blessed {
    /// The new baseline.
    pub baseline: Baseline,
    /// New rows.
    pub added: Vec<BaselineRow>,
    /// Rows whose mean, standard deviation or number of folds changed: before and now.
    pub changed: Vec<(BaselineRow, BaselineRow)>,
    /// Rows that the run no longer has.
    pub removed: Vec<BaselineRow>,
    /// Number of rows kept because their data were unavailable.
    pub kept: usize,
}

/// Creates a baseline from a run, replacing an old one. Rows keep their tolerance, and rows of
/// datasets whose data were unavailable are kept; new rows get `tolerance`.
///
/// # Errors
/// If the run has no result, or is incomplete for an available dataset.
pub fn bless(
    results: &Results,
    old: Option<&Baseline>,
    metrics: &[Column],
    tolerance: f64,
) -> Result<Blessed, NotBlessed> {
    let run = results.root.display().to_string();
    let groups = results.groups();
    if !groups.iter().any(|group| group.done().next().is_some()) {
        return Err(NotBlessed::Empty(run));
    }
    // Unsupported combinations will never have a result.
    let is_unfinished = |row: &&ReportRow<'_>| {
        !was_skipped(results, &row.key().dataset) && !row.progress().is_finished() && !row.is_unsupported()
    };
    if let Some(row) = rows(results).iter().find(is_unfinished) {
        let (name, progress) = (format!("{} {}", row.key().dataset, row.key().label()), row.progress());
        return Err(NotBlessed::Unfinished { run, row: name, progress });
    }
    let known = |group: &_, metric| old.and_then(|old| old.get(dataset(group), &label(group), metric));
    let mut blessed =
        Blessed { baseline: Baseline::default(), added: Vec::new(), changed: Vec::new(), removed: Vec::new(), kept: 0 };
    let unrepeatable = results.experiment.unrepeatable();
    for group in groups.iter().filter(|group| !unrepeatable.contains(group.key.model.as_str())) {
        for &metric in metrics {
            let Some(Average { mean, deviation, n }) = group.average(metric) else { continue };
            let average = Average { mean: rounded(mean), deviation: deviation.map(rounded), n };
            let before = known(group, metric);
            let tolerance = before.map_or(tolerance, |row| row.tolerance);
            let row =
                BaselineRow { dataset: dataset(group).to_owned(), model: label(group), metric, average, tolerance };
            match before {
                None => blessed.added.push(row.clone()),
                Some(before) if before.average != row.average => blessed.changed.push((before.clone(), row.clone())),
                Some(_) => {}
            }
            blessed.baseline.insert(row);
        }
    }
    for row in old.iter().flat_map(|old| old.rows()) {
        if blessed.baseline.get(&row.dataset, &row.model, row.metric).is_some() {
            continue;
        }
        if was_skipped(results, &row.dataset) {
            blessed.kept += 1;
            blessed.baseline.insert(row.clone());
        } else {
            blessed.removed.push(row.clone());
        }
    }
    Ok(blessed)
}

fn dataset<'g>(group: &'g Group<'_>) -> &'g str {
    &group.key.dataset
}

fn label(group: &Group<'_>) -> String {
    group.key.label()
}

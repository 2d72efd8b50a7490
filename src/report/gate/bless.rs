//! Creation of baselines from runs.

use thiserror::Error;

use super::baseline::{Baseline, BaselineCell, BaselineRow, BaselineValues};
use super::defaults::was_skipped;
use super::origin::Origin;
use crate::experiment::Results;
use crate::experiment::frame::{Group, StoredJob};
use crate::experiment::store::PREDICTIONS;
use crate::metric::Column;
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
    /// The baseline is that of another experiment.
    #[error(
        "{run}: the run is of the experiment `{name}` and the baseline of `{other}`; give the baseline of `{name}` with \
         `--baseline`"
    )]
    OtherSpec {
        /// The run directory.
        run: String,
        /// Experiment of the run.
        name: String,
        /// Experiment of the baseline, or one of its rows.
        other: String,
    },
    /// A baseline of means has rows that cannot be recorded by fold.
    #[error(
        "the baseline has means only, and {dataset} is unavailable in this run: fetch its data and run again, so that its \
         folds are recorded; or remove its rows"
    )]
    MeansWithoutData {
        /// The unavailable dataset.
        dataset: String,
    },
}

/// A new baseline and its differences from the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Blessed {
    /// The new baseline.
    pub baseline: Baseline,
    /// New rows.
    pub added: Vec<BaselineRow>,
    /// Rows with a changed value or prediction: before and now.
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
/// If the run has no result or is incomplete for an available dataset, if the old baseline is that
/// of another experiment, or if it has means of unavailable data.
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
    let origin = Origin::of(results);
    if let Some(other) = old.and_then(|old| other_experiment(old, &origin, &groups)) {
        return Err(NotBlessed::OtherSpec { run, name: results.experiment.name.clone(), other });
    }
    let known = |group: &Group<'_>, metric| old.and_then(|old| old.get(&group.key.dataset, &group.key.label(), metric));
    let mut blessed = Blessed {
        baseline: Baseline::new(origin),
        added: Vec::new(),
        changed: Vec::new(),
        removed: Vec::new(),
        kept: 0,
    };
    let unrepeatable = results.experiment.unrepeatable();
    for group in groups.iter().filter(|group| !unrepeatable.contains(group.key.model.as_str())) {
        for &metric in metrics {
            let cells = cells(group, metric);
            if cells.is_empty() {
                continue;
            }
            let before = known(group, metric);
            let tolerance = before.map_or(tolerance, |row| row.tolerance);
            let row = BaselineRow { key: group.key.clone(), metric, values: BaselineValues::Cells(cells), tolerance };
            match before {
                None => blessed.added.push(row.clone()),
                Some(before) if before.values != row.values => blessed.changed.push((before.clone(), row.clone())),
                Some(_) => {}
            }
            blessed.baseline.insert(row);
        }
    }
    for row in old.iter().flat_map(|old| old.rows()) {
        let dataset = &row.key.dataset;
        if blessed.baseline.get(dataset, &row.label(), row.metric).is_some() {
            continue;
        }
        if !was_skipped(results, dataset) {
            blessed.removed.push(row.clone());
            continue;
        }
        if matches!(row.values, BaselineValues::Mean(_)) {
            return Err(NotBlessed::MeansWithoutData { dataset: dataset.clone() });
        }
        blessed.kept += 1;
        blessed.baseline.insert(row.clone());
    }
    if let Some(old) = old {
        let is_kept = |dataset: &str| results.skipped.iter().any(|name| name.trim() == dataset);
        let kept = old.origin.splits.iter().filter(|split| is_kept(&split.dataset)).cloned();
        blessed.baseline.origin.splits.extend(kept);
    }
    Ok(blessed)
}

/// Returns the experiment of a baseline, if it is another one. A baseline without a name is that
/// of another experiment if it has no row of the run.
fn other_experiment(old: &Baseline, origin: &Origin, groups: &[Group<'_>]) -> Option<String> {
    if !old.origin.experiment.is_empty() {
        return Some(old.origin.experiment.clone()).filter(|name| *name != origin.experiment);
    }
    let is_here = |row: &BaselineRow| {
        groups.iter().any(|group| group.key.dataset == row.key.dataset && group.key.label() == row.label())
    };
    let first = old.rows().next()?;
    (!old.rows().any(is_here)).then(|| format!("{} {}", first.key.dataset, first.label()))
}

/// Returns the values of a row by fold and seed.
fn cells(group: &Group<'_>, metric: Column) -> Vec<BaselineCell> {
    let cell = |stored: &StoredJob| {
        let predictions = stored.record.result.as_ref()?.files.get(PREDICTIONS).cloned().unwrap_or_default();
        let (fold, seed) = (stored.record.row.fold, stored.record.row.seed);
        Some(BaselineCell { fold, seed, value: stored.metric(metric)?, predictions })
    };
    let mut cells: Vec<BaselineCell> = group.done().filter_map(cell).collect();
    cells.sort_by_key(|cell| (cell.seed, cell.fold));
    cells
}

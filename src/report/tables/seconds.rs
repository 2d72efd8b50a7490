//! Training times and peak memory.

use super::common::notes;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::metric::summary::mean;
use crate::report::rows::ReportRow;
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle};

/// Returns the mean training time of each model on each dataset; `None` with a sweep, or without
/// results.
pub fn seconds_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let (columns, lines, has_bounds) = cost_rows(rows, seconds_of)?;
    let bounds = if has_bounds { " ≥: some jobs were stopped at the time limit, and count with it." } else { "" };
    let copies = rows.iter().any(|row| row.kind == "lrbm-explainable");
    let copies = if copies { "; an explainable tree counts without the ensemble that it copies" } else { "" };
    let external = rows.iter().any(|row| row.kind == "command");
    let external = if external { " A command counts with its whole process, from its start to its end." } else { "" };
    Some(Table {
        name: "seconds".to_owned(),
        title: "Seconds of training".to_owned(),
        caption: format!(
            "Mean seconds that a model took to learn on a fold, by the machine and the load that the run had{copies}.{external}{bounds}"
        ),
        columns,
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// Returns the mean processor time of each model on each dataset: unlike [`seconds_table`] it
/// hardly depends on the load of the machine. `None` with a sweep, without a command to compare
/// with, or if it was not measured.
pub fn processor_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    if !rows.iter().any(|row| row.kind == "command") {
        return None;
    }
    let (columns, lines, has_bounds) = cost_rows(rows, processor_seconds_of)?;
    let bounds = if has_bounds { " ≥: some jobs were stopped at the time limit, and count with it." } else { "" };
    Some(Table {
        name: "processor".to_owned(),
        title: "Processor seconds".to_owned(),
        caption: format!(
            "Mean processor seconds of a job: of our kinds to read the data, learn and score; of a command those of all its processes, without the files that were written for it.{bounds}"
        ),
        columns,
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// Returns the peak memory of each model on each dataset; `None` with a sweep, or if no job had a
/// process of its own.
pub fn memory_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let (columns, lines, has_bounds) = cost_rows(rows, memory_of)?;
    let bounds = if has_bounds { " ≥: some jobs were stopped at a limit." } else { "" };
    Some(Table {
        name: "memory".to_owned(),
        title: "Peak memory".to_owned(),
        caption: format!(
            "Largest resident memory of the processes of a job over all folds, in MiB, program and data included.{bounds}"
        ),
        columns,
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// What a model took on a dataset.
struct Cost {
    shown: String,
    /// Whether a job was stopped, so that it would have taken more.
    is_bound: bool,
}

/// Returns a row per model with the costs on each dataset, and whether some are lower bounds;
/// `None` with a sweep, or if no cost is known.
fn cost_rows(
    rows: &[ReportRow<'_>],
    cost: fn(&ReportRow<'_>) -> Option<Cost>,
) -> Option<(Vec<TableColumn>, Vec<TableRow>, bool)> {
    if rows.iter().any(|row| !row.settings.is_empty()) {
        return None;
    }
    let has_preset = rows.iter().any(|row| !row.key().preset.is_empty());
    let datasets: IndexSet<&str> = rows.iter().map(|row| row.key().dataset.as_str()).collect();
    let mut models: IndexMap<(&str, &str), IndexMap<&str, Cost>> = IndexMap::default();
    for row in rows {
        if let Some(cost) = cost(row) {
            let key = row.key();
            models.entry((&key.model, &key.preset)).or_default().insert(&key.dataset, cost);
        }
    }
    let mut columns = vec![TableColumn::text("model")];
    columns.extend(has_preset.then(|| TableColumn::text("preset")));
    columns.extend(datasets.iter().map(|dataset| TableColumn::text(dataset)));
    let line = |((model, preset), costs): (&(&str, &str), &IndexMap<&str, Cost>)| {
        let mut cells = vec![TableCell::text(*model)];
        cells.extend(has_preset.then(|| TableCell::text(*preset)));
        let shown = |dataset: &&str| match costs.get(dataset) {
            Some(cost) if cost.is_bound => format!("≥ {}", cost.shown.strip_prefix(LESS).map_or(&*cost.shown, |_| "0")),
            Some(cost) => cost.shown.clone(),
            None => "–".to_owned(),
        };
        cells.extend(datasets.iter().map(|dataset| TableCell::text(shown(dataset))));
        TableRow { cells, is_extra: false }
    };
    let has_bounds = models.values().flat_map(IndexMap::values).any(|cost| cost.is_bound);
    (!models.is_empty()).then(|| (columns, models.iter().map(line).collect(), has_bounds))
}

/// Returns the mean seconds over the finished jobs and those stopped at the time limit.
fn seconds_of(row: &ReportRow<'_>) -> Option<Cost> {
    let done = row.group.done().map(|stored| stored.record.machine.train_seconds);
    let stopped: Vec<f64> = row
        .group
        .failed()
        .filter(|stored| stored.record.status.is_overtime())
        .map(|stored| stored.record.machine.wall_seconds)
        .collect();
    let is_bound = !stopped.is_empty();
    let times: Vec<f64> = done.chain(stopped).collect();
    (!times.is_empty()).then(|| Cost { shown: shown(mean(&times)), is_bound })
}

/// Returns the mean processor seconds over the finished jobs and those stopped at the time limit.
fn processor_seconds_of(row: &ReportRow<'_>) -> Option<Cost> {
    let stopped = || row.group.failed().filter(|stored| stored.record.status.is_overtime());
    let times: Option<Vec<f64>> =
        row.group.done().chain(stopped()).map(|stored| stored.record.machine.cpu_seconds).collect();
    let times = times.filter(|times| !times.is_empty())?;
    Some(Cost { shown: shown(mean(&times)), is_bound: stopped().next().is_some() })
}

/// Returns the largest peak over the finished and the stopped jobs.
fn memory_of(row: &ReportRow<'_>) -> Option<Cost> {
    let stopped = || row.group.failed().filter(|stored| stored.record.status.is_stopped());
    let peaks = row.group.done().chain(stopped()).filter_map(|stored| stored.record.machine.peak_memory_bytes);
    let is_bound = stopped().next().is_some();
    peaks.max().map(|peak| Cost { shown: format!("{:.0}", peak as f64 / f64::from(1 << 20)), is_bound })
}

/// Begins a text for less than can be shown.
const LESS: &str = "< ";

/// Formats seconds with a precision that depends on their size.
fn shown(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.001 => format!("{LESS}0.001"),
        _ if seconds < 1.0 => format!("{seconds:.3}"),
        _ if seconds < 100.0 => format!("{seconds:.1}"),
        _ => format!("{seconds:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn short_times_have_more_decimals() {
        let all = [0.0002, 0.0123, 0.9996, 3.25, 99.94, 1234.5].map(shown);
        assert_eq!(all, ["< 0.001", "0.012", "1.000", "3.2", "99.9", "1234"]);
    }
}

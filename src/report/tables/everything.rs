//! Overview tables: one row per dataset, model, preset and case.

use super::common::{MAIN, averaging_note, notes, value};
use crate::experiment::Results;
use crate::metric::Column;
use crate::report::rows::ReportRow;
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle, mark_best};

/// Name of the table with the main metrics.
pub const RESULTS: &str = "results";

/// Returns the table of the main metrics.
pub fn results_table(results: &Results, rows: &[ReportRow<'_>]) -> Table {
    table(results, rows, RESULTS, "Results", &MAIN)
}

/// Returns the table of all metrics.
pub fn all_metrics(results: &Results, rows: &[ReportRow<'_>]) -> Table {
    table(results, rows, "all-metrics", "All metrics", &Column::ALL)
}

fn table(results: &Results, rows: &[ReportRow<'_>], name: &str, title: &str, metrics: &[Column]) -> Table {
    let has_preset = rows.iter().any(|row| !row.key().preset.is_empty());
    let has_case = rows.iter().any(|row| !row.key().case.is_empty());
    let mut columns = vec![TableColumn::text("dataset"), TableColumn::text("model")];
    columns.extend(has_preset.then(|| TableColumn::text("preset")));
    columns.extend(has_case.then(|| TableColumn::text("case")));
    let texts = columns.len();
    columns.extend(metrics.iter().map(|metric| TableColumn::value(metric.name())));
    let mut lines: Vec<TableRow> = rows.iter().map(|row| line(row, has_preset, has_case, metrics)).collect();
    // The best of each dataset is marked across presets and cases.
    let mut start = 0;
    while start < rows.len() {
        let dataset = &rows[start].key().dataset;
        let count = rows[start..].iter().take_while(|row| row.key().dataset == *dataset).count();
        for (index, &metric) in metrics.iter().enumerate() {
            let cells =
                lines[start..start + count].iter_mut().filter_map(|line| match &mut line.cells[texts + index] {
                    TableCell::Value(value) => Some(value),
                    TableCell::Text(_) => None,
                });
            mark_best(cells, metric);
        }
        start += count;
    }
    Table {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: format!("{} In brackets the number of folds; best of a dataset in bold.", averaging_note(results)),
        columns,
        rows: lines,
        notes: notes(results),
        style: TableStyle { stacked: false, counts: true },
    }
}

fn line(row: &ReportRow<'_>, has_preset: bool, has_case: bool, metrics: &[Column]) -> TableRow {
    let key = row.key();
    let mut cells = vec![TableCell::text(&key.dataset), TableCell::text(&key.model)];
    cells.extend(has_preset.then(|| TableCell::text(&key.preset)));
    cells.extend(has_case.then(|| TableCell::text(&key.case)));
    cells.extend(metrics.iter().map(|&metric| TableCell::Value(value(row, metric))));
    TableRow { cells, is_extra: false }
}

//! Multi-class metrics.

use super::common::{averaging_note, notes};
use crate::experiment::Results;
use crate::metric::ClassMetrics;
use crate::report::rows::ReportRow;
use crate::report::table::{CellValue, Table, TableCell, TableColumn, TableRow, TableStyle};

/// Returns the table of multi-class metrics; `None` if no dataset has several classes.
pub fn classes_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    let has_preset = rows.iter().any(|row| !row.key().preset.is_empty());
    let has_case = rows.iter().any(|row| !row.key().case.is_empty());
    let mut columns = vec![TableColumn::text("dataset"), TableColumn::text("model")];
    columns.extend(has_preset.then(|| TableColumn::text("preset")));
    columns.extend(has_case.then(|| TableColumn::text("case")));
    columns.extend(ClassMetrics::NAMES.iter().map(|name| TableColumn::value(name)));
    let mut lines = Vec::new();
    for row in rows {
        let value = |name: &str| {
            let ours = row.group.column_average(name);
            CellValue { ours, row: Some(row.index), ..CellValue::default() }
        };
        let values: Vec<CellValue> = ClassMetrics::NAMES.into_iter().map(value).collect();
        if values.iter().all(|value| value.ours.is_none()) {
            continue;
        }
        let key = row.key();
        let mut cells = vec![TableCell::text(&key.dataset), TableCell::text(&key.model)];
        cells.extend(has_preset.then(|| TableCell::text(&key.preset)));
        cells.extend(has_case.then(|| TableCell::text(&key.case)));
        cells.extend(values.into_iter().map(TableCell::Value));
        lines.push(TableRow { cells, is_extra: false });
    }
    (!lines.is_empty()).then(|| Table {
        name: "classes".to_owned(),
        title: "Decisions between classes".to_owned(),
        caption: format!(
            "{} The share of right decisions, the mean over classes of their F1, and the mean of -log P(own class).",
            averaging_note(results)
        ),
        columns,
        rows: lines,
        notes: notes(results),
        style: TableStyle::default(),
    })
}

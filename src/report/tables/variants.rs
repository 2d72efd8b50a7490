//! Variants of one dataset side by side: the effect of its numbers, arity, times or classes.

use super::common::{MAIN, averaging_note, notes, value};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::job::safe_name;
use crate::report::rows::ReportRow;
use crate::report::table::{CellValue, Table, TableCell, TableColumn, TableRow, TableStyle, mark_best, metric_title};

/// Returns one table for each dataset that the experiment uses under several names.
pub fn variant_tables(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Table> {
    let mut names: IndexMap<&str, IndexSet<&str>> = IndexMap::default();
    for row in rows {
        names.entry(row.dataset_id.as_str()).or_default().insert(row.key().dataset.as_str());
    }
    let several = names.into_iter().filter(|(_, names)| names.len() > 1);
    several.map(|(id, names)| table(results, rows, id, &names)).collect()
}

fn table(results: &Results, rows: &[ReportRow<'_>], id: &str, names: &IndexSet<&str>) -> Table {
    // The rows of each model, preset and case, by dataset name.
    let mut lines: IndexMap<[&str; 3], IndexMap<&str, &ReportRow<'_>>> = IndexMap::default();
    for row in rows.iter().filter(|row| row.dataset_id == id) {
        let key = row.key();
        lines.entry([&key.model, &key.preset, &key.case]).or_default().insert(&key.dataset, row);
    }
    let headings = ["model", "preset", "case"];
    let shown: Vec<usize> = (0..3).filter(|&k| k == 0 || lines.keys().any(|label| !label[k].is_empty())).collect();
    let mut columns: Vec<TableColumn> = shown.iter().map(|&k| TableColumn::text(headings[k])).collect();
    columns.push(TableColumn::text("measure"));
    columns.extend(names.iter().map(|name| TableColumn::value(name)));
    let mut table_rows = Vec::new();
    for (label, line) in &lines {
        for metric in MAIN {
            let cell = |name: &&str| line.get(name).map_or_else(CellValue::default, |row| value(row, metric));
            let mut values: Vec<CellValue> = names.iter().map(cell).collect();
            mark_best(&mut values, metric);
            let mut cells: Vec<TableCell> = shown.iter().map(|&k| TableCell::text(label[k])).collect();
            cells.push(TableCell::text(metric_title(metric)));
            cells.extend(values.into_iter().map(TableCell::Value));
            table_rows.push(TableRow { cells, is_extra: false });
        }
    }
    Table {
        name: format!("variants-{}", safe_name(id)),
        title: format!("Variants of {id} side by side"),
        caption: format!("{} {} Best of a row in bold.", results.experiment.about, averaging_note(results)),
        columns,
        rows: table_rows,
        notes: notes(results),
        style: TableStyle::default(),
    }
}

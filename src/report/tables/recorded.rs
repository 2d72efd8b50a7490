//! Figures that were recorded outside the run.

use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::metric::summary::mean;
use crate::report::recorded::{RecordedFigures, RecordedRow};
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle};

/// Returns the recorded figures that the spec names, on the datasets of the run; `None` without
/// any.
pub fn recorded_table(results: &Results) -> Option<Table> {
    let figures = RecordedFigures::find(results.experiment.compare.recorded.as_deref()?)?;
    let datasets: IndexMap<String, &str> = results
        .experiment
        .datasets
        .iter()
        .map(|dataset| (dataset.source.dataset_id(), dataset.source.name.as_str()))
        .collect();
    let line = |row: &RecordedRow| {
        let folds = row.folds.len();
        let cells = [
            (*datasets.get(&row.dataset)?).to_owned(),
            figures.program.clone(),
            folds.to_string(),
            format!("{:.3}", mean(&row.auc_roc)),
            format!("{:.3}", mean(&row.auc_pr)),
            format!("{:.1}", row.seconds.first()?),
        ];
        Some(TableRow { cells: cells.map(TableCell::Text).to_vec(), is_extra: false })
    };
    let rows: Vec<TableRow> = figures.rows.iter().filter_map(line).collect();
    let columns =
        ["dataset", "program", "folds", "recorded AUC-ROC", "recorded AUC-PR", "recorded seconds, first fold"];
    (!rows.is_empty()).then(|| Table {
        name: "recorded".to_owned(),
        title: "Recorded elsewhere, not measured in this run".to_owned(),
        caption: format!("Means over the recorded folds. {}", figures.about.trim()),
        columns: columns.map(TableColumn::text).to_vec(),
        rows,
        notes: Vec::new(),
        style: TableStyle::default(),
    })
}

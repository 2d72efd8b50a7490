//! Training times.

use super::common::notes;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::metric::summary::mean;
use crate::report::rows::ReportRow;
use crate::report::table::{Table, TableCell, TableColumn, TableRow, TableStyle};

/// Returns the mean training time of each model on each dataset; `None` with a sweep, or without
/// results.
pub fn seconds_table(results: &Results, rows: &[ReportRow<'_>]) -> Option<Table> {
    if rows.iter().any(|row| !row.settings.is_empty()) {
        return None;
    }
    let has_preset = rows.iter().any(|row| !row.key().preset.is_empty());
    let datasets: IndexSet<&str> = rows.iter().map(|row| row.key().dataset.as_str()).collect();
    let mut models: IndexMap<(&str, &str), IndexMap<&str, f64>> = IndexMap::default();
    for row in rows {
        let times: Vec<f64> = row.group.done().map(|stored| stored.record.machine.train_seconds).collect();
        if !times.is_empty() {
            let key = row.key();
            models.entry((&key.model, &key.preset)).or_default().insert(&key.dataset, mean(&times));
        }
    }
    let mut columns = vec![TableColumn::text("model")];
    columns.extend(has_preset.then(|| TableColumn::text("preset")));
    columns.extend(datasets.iter().map(|dataset| TableColumn::text(dataset)));
    let line = |((model, preset), times): (&(&str, &str), &IndexMap<&str, f64>)| {
        let mut cells = vec![TableCell::text(*model)];
        cells.extend(has_preset.then(|| TableCell::text(*preset)));
        let time = |dataset: &&str| times.get(dataset).map_or_else(|| "–".to_owned(), |&seconds| shown(seconds));
        cells.extend(datasets.iter().map(|dataset| TableCell::text(time(dataset))));
        TableRow { cells, is_extra: false }
    };
    (!models.is_empty()).then(|| Table {
        name: "seconds".to_owned(),
        title: "Seconds of training".to_owned(),
        caption: "Mean seconds that a model took to learn on a fold, by the machine and the load that the run had; an explainable tree \
                  counts without the ensemble that it copies."
            .to_owned(),
        columns,
        rows: models.iter().map(line).collect(),
        notes: notes(results),
        style: TableStyle::default(),
    })
}

/// Formats seconds with a precision that depends on their size.
fn shown(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.001 => "< 0.001".to_owned(),
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

//! Tables of sweeps: one per parameter and metric, with the values as columns.

use super::common::{MAIN, averaging_note, notes, value};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::job::safe_name;
use crate::metric::Column;
use crate::metric::summary::{Average, mean};
use crate::report::rows::ReportRow;
use crate::report::table::{CellValue, Table, TableCell, TableColumn, TableRow, TableStyle, mark_best, metric_title};

/// Heading of the column of models that the sweep does not affect.
const NOT_VARIED: &str = "not varied";

/// Returns the tables of a sweep; empty without one.
pub fn sweep_tables(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Table> {
    let (main, _) = keys(rows);
    of_keys(results, rows, &main)
}

/// Returns the tables of the second of two parameters, whose numbers are those of the first in
/// another layout; empty for other sweeps.
pub fn transposed_tables(results: &Results, rows: &[ReportRow<'_>]) -> Vec<Table> {
    let (_, transposed) = keys(rows);
    of_keys(results, rows, &transposed)
}

/// Returns the swept parameters with main tables, and those whose tables repeat them.
fn keys<'r>(rows: &'r [ReportRow<'_>]) -> (Vec<&'r str>, Vec<&'r str>) {
    let keys: IndexSet<&str> = rows.iter().flat_map(|row| row.settings.keys().map(String::as_str)).collect();
    let mut main: Vec<&str> = keys.into_iter().collect();
    let transposed = if main.len() == 2 { main.split_off(1) } else { Vec::new() };
    (main, transposed)
}

fn of_keys(results: &Results, rows: &[ReportRow<'_>], keys: &[&str]) -> Vec<Table> {
    let table = |key, metric| Sweep::new(rows, key).table(results, metric);
    keys.iter().flat_map(|key| MAIN.map(|metric| table(key, metric))).collect()
}

/// Rows of an experiment, grouped by everything but one parameter, then by its value.
struct Sweep<'s, 'r> {
    key: &'s str,
    values: IndexSet<&'s str>,
    lines: IndexMap<RowLabel<'s>, IndexMap<&'s str, &'s ReportRow<'r>>>,
}

/// Label of a table row.
#[derive(Clone, PartialEq, Eq, Hash)]
struct RowLabel<'s> {
    dataset: &'s str,
    model: &'s str,
    preset: &'s str,
    others: String,
}

impl<'s, 'r> Sweep<'s, 'r> {
    fn new(rows: &'s [ReportRow<'r>], key: &'s str) -> Self {
        let mut sweep = Sweep { key, values: IndexSet::default(), lines: IndexMap::default() };
        let mut is_all_varied = true;
        for row in rows {
            let value = row.settings.get(key).map(String::as_str);
            is_all_varied &= value.is_some();
            sweep.values.extend(value);
            let others = row.settings.iter().filter(|(name, _)| *name != key);
            let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
            let [dataset, model, preset] = [&row.key().dataset, &row.key().model, &row.key().preset];
            let label = RowLabel { dataset, model, preset, others: others.join(", ") };
            sweep.lines.entry(label).or_default().insert(value.unwrap_or(NOT_VARIED), row);
        }
        if !is_all_varied {
            sweep.values.insert(NOT_VARIED);
        }
        sweep
    }

    fn table(&self, results: &Results, metric: Column) -> Table {
        let has_preset = self.lines.keys().map(|label| label.preset).collect::<IndexSet<_>>().len() > 1;
        let has_others = self.lines.keys().any(|label| !label.others.is_empty());
        let mut columns = vec![TableColumn::text("dataset"), TableColumn::text("model")];
        columns.extend(has_preset.then(|| TableColumn::text("preset")));
        columns.extend(has_others.then(|| TableColumn::text("with")));
        columns.extend(self.values.iter().map(|value| {
            let mut column = TableColumn::value(&self.heading(value));
            column.is_extra = *value == NOT_VARIED;
            column
        }));
        let row = |label: &RowLabel<'_>, mut values: Vec<CellValue>, is_extra| {
            mark_best(&mut values, metric);
            let mut cells = vec![TableCell::text(label.dataset), TableCell::text(label.model)];
            cells.extend(has_preset.then(|| TableCell::text(label.preset)));
            cells.extend(has_others.then(|| TableCell::text(&label.others)));
            cells.extend(values.into_iter().map(TableCell::Value));
            TableRow { cells, is_extra }
        };
        let mut rows: Vec<TableRow> =
            self.lines.iter().map(|(label, line)| row(label, self.values_of(line, metric), false)).collect();
        let over = self.over_datasets(metric);
        let below = match over.is_empty() {
            true => "",
            false => " Below the line: the mean of the means of all datasets, where none is missing.",
        };
        rows.extend(over.into_iter().map(|(label, values)| row(&label, values, true)));
        let preset = self.lines.keys().map(|label| label.preset).find(|_| !has_preset).unwrap_or_default();
        let preset = if preset.is_empty() { String::new() } else { format!(", preset {preset}") };
        let what = if self.key == "case" { "cases".to_owned() } else { self.key.to_owned() };
        Table {
            name: format!("{}-{}", safe_name(&what), metric.name()),
            title: format!("{} by {what}{preset}", metric_title(metric)),
            caption: format!("{} Best of a row in bold.{below}", averaging_note(results)),
            columns,
            rows,
            notes: notes(results),
            style: TableStyle::default(),
        }
    }

    fn heading(&self, value: &str) -> String {
        if self.key == "case" || value == NOT_VARIED { value.to_owned() } else { format!("{}={value}", self.key) }
    }

    fn values_of(&self, line: &IndexMap<&str, &ReportRow<'_>>, metric: Column) -> Vec<CellValue> {
        let cell = |name: &&str| line.get(name).map_or_else(CellValue::default, |row| value(row, metric));
        self.values.iter().map(cell).collect()
    }

    /// Returns, for each model, the mean over datasets of its means, if there are several
    /// datasets.
    fn over_datasets(&self, metric: Column) -> Vec<(RowLabel<'s>, Vec<CellValue>)> {
        let datasets: IndexSet<&str> = self.lines.keys().map(|label| label.dataset).collect();
        if datasets.len() < 2 {
            return Vec::new();
        }
        let mut models: IndexMap<RowLabel<'s>, Vec<Vec<CellValue>>> = IndexMap::default();
        for (label, line) in &self.lines {
            let label = RowLabel { dataset: "all", ..label.clone() };
            models.entry(label).or_default().push(self.values_of(line, metric));
        }
        let over = |lines: &[Vec<CellValue>], index: usize| {
            let means: Option<Vec<f64>> = lines.iter().map(|line| Some(line[index].ours?.mean)).collect();
            let average = |means: Vec<f64>| Average { mean: mean(&means), deviation: None, n: means.len() };
            CellValue { ours: means.filter(|means| means.len() == datasets.len()).map(average), ..CellValue::default() }
        };
        let of_model = |(label, lines): (RowLabel<'s>, Vec<Vec<CellValue>>)| {
            (label, (0..self.values.len()).map(|index| over(&lines, index)).collect())
        };
        models.into_iter().map(of_model).collect()
    }
}

//! The paper's tables in their own layout, with ours beside the published numbers, one per
//! preset.

use super::common::{averaging_note, notes, value};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::frame::StoredJob;
use crate::experiment::job::safe_name;
use crate::metric::Column;
use crate::report::published::{PublishedTable, TableLayout};
use crate::report::rows::{self, ReportRow};
use crate::report::table::{
    CellValue, ColumnKind, Note, PublishedValue, Table, TableCell, TableColumn, TableRow, TableStyle, mark_best,
    metric_title,
};

/// Returns a published table with our numbers, once per preset and case.
pub fn paper_tables(results: &Results, rows: &[ReportRow<'_>], published: &PublishedTable) -> Vec<Table> {
    let of_setting = |(preset, case): (&str, &str)| {
        let fits = |row: &&ReportRow<'_>| {
            rows::applies_to_preset(row.kind, &row.key().preset, preset) && row.key().case == case
        };
        let rows: Vec<&ReportRow<'_>> = rows.iter().filter(fits).collect();
        PaperTable::new(published, &rows).table(results, preset, case)
    };
    rows::settings(rows).into_iter().map(of_setting).collect()
}

/// A published table in one preset: its datasets and models as far as the run has them, then those
/// that the paper does not have.
struct PaperTable<'s, 'r> {
    published: &'s PublishedTable,
    rows: &'s [&'s ReportRow<'r>],
    datasets: Vec<NamePair>,
    models: Vec<NamePair>,
}

/// A dataset or model with its name in the paper.
struct NamePair {
    /// Name in the run, or else in the paper.
    name: String,
    /// Name in the paper's table, if it is there.
    in_paper: Option<String>,
}

impl<'s, 'r> PaperTable<'s, 'r> {
    fn new(published: &'s PublishedTable, rows: &'s [&'s ReportRow<'r>]) -> Self {
        let names = |get: fn(&'s ReportRow<'r>) -> (&'s str, &'s str)| -> IndexSet<(&'s str, &'s str)> {
            rows.iter().map(|row| get(row)).collect()
        };
        let datasets = names(|row| (row.key().dataset.as_str(), row.dataset_id.as_str()));
        let models = names(|row| (row.key().model.as_str(), row.kind));
        let mut datasets = name_pairs(&published.datasets(), &datasets);
        let mut models = name_pairs(&published.kinds(), &models);
        datasets.retain(|line| rows.iter().any(|row| row.key().dataset == line.name));
        models.retain(|line| rows.iter().any(|row| row.key().model == line.name));
        PaperTable { published, rows, datasets, models }
    }

    fn table(&self, results: &Results, preset: &str, case: &str) -> Table {
        let published = self.published;
        let (columns, rows) = match published.layout {
            TableLayout::ModelsAcross => self.models_across(),
            TableLayout::DatasetsAcross => self.datasets_across(),
        };
        let number = published.name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (mut name, mut setting) = (published.name.clone(), String::new());
        for (label, part) in [("preset ", preset), ("", case)].into_iter().filter(|(_, part)| !part.is_empty()) {
            name += &format!("-{}", safe_name(part));
            setting += &format!(", {label}{part}");
        }
        let deviations = published.cells.iter().any(|cell| cell.deviation.is_some());
        let whose = if deviations { "ours, theirs, or both" } else { "ours, since the paper prints none here" };
        let mut notes = notes(results);
        notes.extend(self.reasons().into_iter().map(|text| Note { about: None, text }));
        Table {
            name,
            title: format!("Table {number} of the paper{setting}"),
            caption: format!(
                "{}. {} The difference is ours minus the paper's; \"within\" says whose standard deviation covers it ({whose}); \"at chance\": the 95% interval of ours includes the score of a constant. Best of ours in bold.",
                published.caption,
                averaging_note(results)
            ),
            columns,
            rows,
            notes,
            style: TableStyle { stacked: published.layout == TableLayout::DatasetsAcross, counts: false },
        }
    }

    fn models_across(&self) -> (Vec<TableColumn>, Vec<TableRow>) {
        let mut columns = vec!["dataset", "target", "measure"].into_iter().map(TableColumn::text).collect::<Vec<_>>();
        columns.extend(self.models.iter().map(number_column));
        let mut rows = Vec::new();
        for dataset in &self.datasets {
            let id = self.rows.iter().find(|row| row.key().dataset == dataset.name).map(|row| row.dataset_id.as_str());
            let target = rows::target(id.unwrap_or(&dataset.name)).unwrap_or_default();
            for metric in self.published.metrics() {
                let mut values: Vec<CellValue> =
                    self.models.iter().map(|model| self.value(dataset, model, metric)).collect();
                mark_best(&mut values, metric);
                let mut cells = [&dataset.name, &target, metric_title(metric)].map(TableCell::text).to_vec();
                cells.extend(values.into_iter().map(TableCell::Value));
                rows.push(TableRow { cells, is_extra: dataset.in_paper.is_none() });
            }
        }
        (columns, rows)
    }

    fn datasets_across(&self) -> (Vec<TableColumn>, Vec<TableRow>) {
        let mut columns = vec![TableColumn::text("model"), TableColumn::text("AUC")];
        columns.extend(self.datasets.iter().map(number_column));
        let metrics: Vec<Column> = self.published.metrics().into_iter().collect();
        let mut rows = Vec::new();
        for model in &self.models {
            for &metric in &metrics {
                let mut cells = vec![
                    TableCell::text(&model.name),
                    TableCell::text(metric_title(metric).trim_start_matches("AUC-")),
                ];
                cells.extend(self.datasets.iter().map(|dataset| TableCell::Value(self.value(dataset, model, metric))));
                rows.push(TableRow { cells, is_extra: model.in_paper.is_none() });
            }
        }
        for (index, &metric) in metrics.iter().enumerate() {
            for column in 2..columns.len() {
                let cells = rows.iter_mut().skip(index).step_by(metrics.len());
                let values = cells.filter_map(|row| match &mut row.cells[column] {
                    TableCell::Value(value) => Some(value),
                    TableCell::Text(_) => None,
                });
                mark_best(values, metric);
            }
        }
        (columns, rows)
    }

    fn value(&self, dataset: &NamePair, model: &NamePair, metric: Column) -> CellValue {
        let row = self.rows.iter().find(|row| row.key().dataset == dataset.name && row.key().model == model.name);
        let ours = match row {
            Some(row) => value(row, metric),
            None => CellValue { missing: "not in this run".to_owned(), ..CellValue::default() },
        };
        let published = dataset.in_paper.as_ref().zip(model.in_paper.as_ref());
        let cell = published.and_then(|(dataset, kind)| self.published.cell(dataset, kind, metric));
        CellValue { paper: cell.map(|cell| PublishedValue { mean: cell.mean, deviation: cell.deviation }), ..ours }
    }

    /// Explains each published number of the table that has no counterpart.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        for dataset in &self.datasets {
            for model in &self.models {
                let Some(row) =
                    self.rows.iter().find(|r| r.key().dataset == dataset.name && r.key().model == model.name)
                else {
                    continue;
                };
                if row.group.done().next().is_some() {
                    continue;
                }
                let first = |jobs: Vec<&'r StoredJob>| jobs.first().and_then(|stored| stored.record.status.message());
                let why = match (first(row.unsupported()), first(row.failed())) {
                    (Some(message), _) => format!("refused: {message}"),
                    (None, Some(message)) => format!("every job that was run failed, the first with \"{message}\""),
                    (None, None) => "its jobs have not been run".to_owned(),
                };
                reasons.push(format!("No counterpart for {} on {}: {why}.", model.name, dataset.name));
            }
        }
        reasons
    }
}

/// Returns the entries of the paper under their names in the run, then those of the run only.
///
/// An equal name takes precedence over the first entry with the same id or kind.
fn name_pairs(paper: &IndexSet<&str>, ours: &IndexSet<(&str, &str)>) -> Vec<NamePair> {
    let mut taken: IndexSet<&str> = IndexSet::default();
    let mut name_pairs = Vec::new();
    for &known in paper {
        let named = ours.iter().find(|(name, _)| *name == known);
        let found = named.or_else(|| ours.iter().find(|(name, id)| *id == known && !taken.contains(name)));
        taken.extend(found.map(|(name, _)| *name));
        let name = found.map_or(known, |(name, _)| *name).to_owned();
        name_pairs.push(NamePair { name, in_paper: Some(known.to_owned()) });
    }
    let extra = ours.iter().filter(|(name, _)| !taken.contains(name));
    name_pairs.extend(extra.map(|(name, _)| NamePair { name: (*name).to_owned(), in_paper: None }));
    name_pairs
}

fn number_column(line: &NamePair) -> TableColumn {
    let shape = if line.in_paper.is_some() { ColumnKind::WithPaper } else { ColumnKind::Value };
    TableColumn { name: line.name.clone(), shape, is_extra: line.in_paper.is_none() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_paper_come_first() {
        let paper = IndexSet::from_iter(["cora", "imdb", "yeast2"]);
        let ours = IndexSet::from_iter([("easy", "cora"), ("hard", "cora"), ("imdb", "imdb"), ("mine", "mine")]);
        let shown: Vec<(String, Option<String>)> =
            name_pairs(&paper, &ours).into_iter().map(|line| (line.name, line.in_paper)).collect();
        let pair = |name: &str, paper: Option<&str>| (name.to_owned(), paper.map(str::to_owned));
        assert_eq!(
            shown,
            [
                pair("easy", Some("cora")),
                pair("imdb", Some("imdb")),
                pair("yeast2", Some("yeast2")),
                pair("hard", None),
                pair("mine", None)
            ]
        );
        // An equal name takes precedence over another dataset with that id.
        let ours = IndexSet::from_iter([("easy", "cora"), ("cora", "cora")]);
        assert_eq!(name_pairs(&paper, &ours)[0].name, "cora");
    }
}

//! Published numbers of the paper's tables, and of the clauses of its Progol, from
//! `results/paper.toml`, which is compiled in.
//!
//! They are shown beside ours and never enter a result.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::determinism::IndexSet;
use crate::metric::Column;

/// The compiled-in file.
const TEXT: &str = include_str!("../../results/paper.toml");

/// A table of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedTable {
    /// Name in the file and in specs, such as `table1`.
    pub name: String,
    /// Label in the LaTeX source of the paper.
    pub label: String,
    /// Caption, in our words.
    pub caption: String,
    /// Orientation.
    pub layout: TableLayout,
    /// Cells, row by row.
    pub cells: Vec<PublishedCell>,
}

/// Orientation of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLayout {
    /// One row per dataset and metric, one column per model, as in Table 1.
    ModelsAcross,
    /// One row per model and metric, one column per dataset, as in Table 2.
    DatasetsAcross,
}

/// A published number.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCell {
    /// Dataset id.
    pub dataset: String,
    /// Kind of model.
    pub kind: String,
    /// Metric.
    pub metric: Column,
    /// Mean over folds.
    pub mean: f64,
    /// Standard deviation over folds, if the paper gives it.
    pub deviation: Option<f64>,
}

impl PublishedTable {
    /// Returns all tables, in the order of the file.
    pub fn all() -> &'static [PublishedTable] {
        static PARSED: OnceLock<Vec<PublishedTable>> = OnceLock::new();
        PARSED.get_or_init(|| read(TEXT).expect("a test parses the compiled-in file"))
    }

    /// Looks up a table by name.
    pub fn find(name: &str) -> Option<&'static PublishedTable> {
        Self::all().iter().find(|table| table.name == name)
    }

    /// Returns the published number for a dataset, a kind of model and a metric.
    pub fn cell(&self, dataset: &str, kind: &str, metric: Column) -> Option<&PublishedCell> {
        self.cells.iter().find(|cell| cell.dataset == dataset && cell.kind == kind && cell.metric == metric)
    }

    /// Returns the datasets in the order of the paper.
    pub fn datasets(&self) -> IndexSet<&str> {
        self.cells.iter().map(|cell| cell.dataset.as_str()).collect()
    }

    /// Returns the kinds of models in the order of the paper.
    pub fn kinds(&self) -> IndexSet<&str> {
        self.cells.iter().map(|cell| cell.kind.as_str()).collect()
    }

    /// Returns the metrics in the order of the paper.
    pub fn metrics(&self) -> IndexSet<Column> {
        self.cells.iter().map(|cell| cell.metric).collect()
    }
}

/// Name of the table of numbers of clauses in the file.
const CLAUSES: &str = "clauses";

/// Returns the number of clauses that a kind of model learned in the paper.
pub fn published_clauses(kind: &str, dataset: &str) -> Option<u64> {
    static PARSED: OnceLock<toml::Table> = OnceLock::new();
    let tables = PARSED.get_or_init(|| toml::from_str(TEXT).expect("a test parses the compiled-in file"));
    tables.get(CLAUSES)?.get(kind)?.get(dataset)?.as_integer()?.try_into().ok()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTable {
    label: String,
    caption: String,
    #[serde(default)]
    columns: Vec<String>,
    rows: Vec<WireRow>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireRow {
    OfModel {
        kind: String,
        metric: String,
        mean: Vec<f64>,
        sd: Vec<f64>,
    },
    OfDataset {
        dataset: String,
        metric: String,
        #[serde(flatten)]
        kinds: toml::Table,
    },
}

/// Parses a file of published values in the format of `results/paper.toml`; the error is a message.
pub fn read(text: &str) -> Result<Vec<PublishedTable>, String> {
    let tables: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut wire: BTreeMap<String, WireTable> = BTreeMap::new();
    for (name, value) in tables.into_iter().filter(|(name, _)| name != CLAUSES) {
        wire.insert(name, value.try_into().map_err(|error: toml::de::Error| error.to_string())?);
    }
    wire.into_iter().map(|(name, table)| published(name, table)).collect()
}

fn published(name: String, table: WireTable) -> Result<PublishedTable, String> {
    let layout = if table.columns.is_empty() { TableLayout::ModelsAcross } else { TableLayout::DatasetsAcross };
    let mut cells = Vec::new();
    for row in &table.rows {
        match row {
            WireRow::OfModel { kind, metric, mean, sd } => {
                if mean.len() != table.columns.len() || sd.len() != table.columns.len() {
                    return Err(format!("{name}: a row of {kind} does not have one number per column"));
                }
                for (dataset, (&mean, &sd)) in table.columns.iter().zip(mean.iter().zip(sd)) {
                    cells.push(cell(&name, dataset, kind, metric, mean, Some(sd))?);
                }
            }
            WireRow::OfDataset { dataset, metric, kinds } => {
                for (kind, value) in kinds {
                    let mean = value.as_float().ok_or_else(|| format!("{name}: {dataset}.{kind} is not a number"))?;
                    cells.push(cell(&name, dataset, kind, metric, mean, None)?);
                }
            }
        }
    }
    Ok(PublishedTable { name, label: table.label, caption: table.caption, layout, cells })
}

fn cell(
    table: &str,
    dataset: &str,
    kind: &str,
    metric: &str,
    mean: f64,
    sd: Option<f64>,
) -> Result<PublishedCell, String> {
    let metric = Column::named(metric).ok_or_else(|| format!("{table}: unknown metric {metric}"))?;
    Ok(PublishedCell { dataset: dataset.to_owned(), kind: kind.to_owned(), metric, mean, deviation: sd })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_in_file_is_parsed() {
        let [table1, table2] = PublishedTable::all() else { panic!("two tables are published") };
        assert_eq!((table1.layout, table2.layout), (TableLayout::ModelsAcross, TableLayout::DatasetsAcross));
        // Four datasets, two models, two metrics; six datasets, three models, two metrics.
        assert_eq!((table1.cells.len(), table2.cells.len()), (16, 36));
        let cora = table1.cell("cora", "rdn-boost", Column::AucPr).unwrap();
        assert_eq!((cora.mean, cora.deviation), (0.8451, None));
        let yeast = table2.cell("yeast2", "lrbm-noboost", Column::AucRoc).unwrap();
        assert_eq!((yeast.mean, yeast.deviation), (0.64, Some(0.12)));
        let order: Vec<&str> = table2.datasets().into_iter().collect();
        assert_eq!(order, ["sports", "imdb", "uwcse", "yeast2", "cora", "webkb"]);
        let order: Vec<&str> = table1.kinds().into_iter().collect();
        assert_eq!(order, ["lrbm-boost", "rdn-boost"]);
        assert!(PublishedTable::find("table3").is_none());
        assert_eq!([published_clauses("progol", "uwcse"), published_clauses("progol", "yeast2")], [Some(10), None]);
    }

    #[test]
    fn malformed_rows_are_errors() {
        let text = TEXT.replace("mean = [0.78, ", "mean = [");
        assert!(read(&text).unwrap_err().contains("does not have one number per column"));
        let text = TEXT.replace("metric = \"auc_roc\"", "metric = \"auc\"");
        assert!(read(&text).unwrap_err().contains("unknown metric auc"));
    }
}

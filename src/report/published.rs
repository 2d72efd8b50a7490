//! The numbers that the paper publishes in its tables, from `results/paper.toml`, which is part of the program.
//!
//! They are for standing beside ours: nothing here ever becomes a result.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::determinism::IndexSet;
use crate::metric::Column;

/// The file.
const TEXT: &str = include_str!("../../results/paper.toml");

/// A published table.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedTable {
    /// Its name in the file and in specs, such as `table1`.
    pub name: String,
    /// Its label in the source of the paper.
    pub label: String,
    /// What it shows.
    pub caption: String,
    /// How it is laid out.
    pub layout: TableLayout,
    /// Its cells, row by row.
    pub cells: Vec<PublishedCell>,
}

/// What the rows and columns of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLayout {
    /// A row for each dataset and metric, a column for each model, as in Table 1.
    ModelsAcross,
    /// A row for each model and metric, a column for each dataset, as in Table 2.
    DatasetsAcross,
}

/// A published number.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCell {
    /// The dataset, by its id here.
    pub dataset: String,
    /// The kind of model, by its name here.
    pub kind: String,
    /// What was measured.
    pub metric: Column,
    /// The mean over folds.
    pub mean: f64,
    /// The standard deviation between folds, where it is printed.
    pub deviation: Option<f64>,
}

impl PublishedTable {
    /// Every table, in the order of the file.
    pub fn all() -> &'static [PublishedTable] {
        static PARSED: OnceLock<Vec<PublishedTable>> = OnceLock::new();
        PARSED.get_or_init(|| read(TEXT).expect("a test reads the file that is part of the program"))
    }

    /// The table of a name.
    pub fn find(name: &str) -> Option<&'static PublishedTable> {
        Self::all().iter().find(|table| table.name == name)
    }

    /// The number in the paper for a dataset, a kind of model and a metric.
    pub fn cell(&self, dataset: &str, kind: &str, metric: Column) -> Option<&PublishedCell> {
        self.cells.iter().find(|cell| cell.dataset == dataset && cell.kind == kind && cell.metric == metric)
    }

    /// The datasets in the order of the paper.
    pub fn datasets(&self) -> IndexSet<&str> {
        self.cells.iter().map(|cell| cell.dataset.as_str()).collect()
    }

    /// The kinds of models in the order of the paper.
    pub fn kinds(&self) -> IndexSet<&str> {
        self.cells.iter().map(|cell| cell.kind.as_str()).collect()
    }

    /// The metrics in the order of the paper.
    pub fn metrics(&self) -> IndexSet<Column> {
        self.cells.iter().map(|cell| cell.metric).collect()
    }
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

/// Reads the text of `results/paper.toml`; what is wrong, in words, if something is.
fn read(text: &str) -> Result<Vec<PublishedTable>, String> {
    let tables: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut wire: BTreeMap<String, WireTable> = BTreeMap::new();
    for (name, value) in tables {
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
                    return Err(format!("{name}: a row of {kind} has not one number for each column"));
                }
                for (dataset, (&mean, &sd)) in table.columns.iter().zip(mean.iter().zip(sd)) {
                    cells.push(cell(&name, dataset, kind, metric, mean, Some(sd))?);
                }
            }
            WireRow::OfDataset { dataset, metric, kinds } => {
                for (kind, value) in kinds {
                    let mean = value.as_float().ok_or_else(|| format!("{name}: {dataset}.{kind} is no number"))?;
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
    fn the_file_is_read_whole() {
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
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused() {
        let text = TEXT.replace("mean = [0.78, ", "mean = [");
        assert!(read(&text).unwrap_err().contains("not one number for each column"));
        let text = TEXT.replace("metric = \"auc_roc\"", "metric = \"auc\"");
        assert!(read(&text).unwrap_err().contains("unknown metric auc"));
    }
}

//! Baselines as files: `dataset,model,metric,mean,sd,n,tolerance`.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::determinism::IndexMap;
use crate::files;
use crate::logic::nearest::nearest;
use crate::metric::{Average, Column};
use crate::report::csv;

/// The columns of a baseline.
pub const COLUMNS: [&str; 7] = ["dataset", "model", "metric", "mean", "sd", "n", "tolerance"];

/// Why a baseline cannot be read or written.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// There is no such file.
    #[error("{}: there is no baseline here; `--bless` makes one of this run", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("{}: cannot read the baseline: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot write the baseline: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no table.
    #[error("{}: {source}", path.display())]
    NotCsv {
        /// The file.
        path: PathBuf,
        /// Why.
        source: csv::CsvError,
    },
    /// Something in it is wrong.
    #[error("{}:{line}: {what}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column, what stands there, and what is allowed.
        what: String,
    },
}

/// One row: what a metric of a model on a dataset was.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRow {
    /// The name of the dataset in the experiment.
    pub dataset: String,
    /// The model with its preset and case, as tables print it: `LRBM-Boost (paper, trees=5)`.
    pub model: String,
    /// The metric.
    pub metric: Column,
    /// Mean, standard deviation and number of folds.
    pub average: Average,
    /// How far a mean may lie from it, whatever the standard error.
    pub tolerance: f64,
}

/// All rows of a file, each dataset, model and metric once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    rows: IndexMap<(String, String, Column), BaselineRow>,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is not there, cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BaselineError::Missing(path.to_owned())),
            Err(source) => Err(BaselineError::Unreadable { path: path.to_owned(), source }),
        }
    }

    /// Reads the text of a file; `path` names it in errors.
    ///
    /// # Errors
    /// If something in it is wrong.
    pub fn parse(text: &str, path: &Path) -> Result<Self, BaselineError> {
        let wrong = |line, what| BaselineError::Wrong { path: path.to_owned(), line, what };
        let records = csv::parse(text).map_err(|source| BaselineError::NotCsv { path: path.to_owned(), source })?;
        let mut records = records.into_iter();
        let Some(headings) = records.next() else {
            return Err(wrong(1, format!("empty; the first line must be `{}`", COLUMNS.join(","))));
        };
        if headings.fields != COLUMNS {
            let what = format!("columns `{}`; allowed are `{}`", headings.fields.join(","), COLUMNS.join(","));
            return Err(wrong(headings.line, what));
        }
        let mut baseline = Baseline::default();
        for record in records {
            let row = BaselineRow::parse(&record).map_err(|what| wrong(record.line, what))?;
            if baseline.get(&row.dataset, &row.model, row.metric).is_some() {
                let what = format!("a second row for {} {} {}", row.dataset, row.model, row.metric.name());
                return Err(wrong(record.line, format!("{what}; allowed is one: remove the other")));
            }
            baseline.insert(row);
        }
        Ok(baseline)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let text: String =
            std::iter::once(csv::line(COLUMNS)).chain(self.rows().map(|row| csv::line(row.fields()))).collect();
        files::write(path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| BaselineError::Unwritable { path: path.to_owned(), source })
    }

    /// The rows in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = &BaselineRow> {
        self.rows.values()
    }

    /// The row of a dataset, model and metric.
    pub fn get(&self, dataset: &str, model: &str, metric: Column) -> Option<&BaselineRow> {
        self.rows.get(&(dataset.to_owned(), model.to_owned(), metric))
    }

    /// Adds a row, in place of the one that is there.
    pub fn insert(&mut self, row: BaselineRow) {
        self.rows.insert((row.dataset.clone(), row.model.clone(), row.metric), row);
    }
}

impl BaselineRow {
    fn parse(record: &csv::CsvRecord) -> Result<Self, String> {
        let [dataset, model, metric, mean, sd, n, tolerance] = record.fields.as_slice() else {
            let (have, need) = (record.fields.len(), COLUMNS.len());
            return Err(format!("{have} fields where {need} belong; quote a field that has a comma in it"));
        };
        for (column, text) in [("dataset", dataset), ("model", model)] {
            if text.is_empty() {
                return Err(format!("column `{column}`: empty; allowed is a name as `lrbm run` prints it"));
            }
        }
        let known = Column::named(metric).ok_or_else(|| {
            let names: Vec<&str> = Column::ALL.into_iter().map(Column::name).collect();
            let hint = nearest(metric, names.iter().copied()).unwrap_or_default();
            format!("column `metric`: `{metric}` is none; did you mean `{hint}`? allowed are {}", names.join(", "))
        })?;
        let count = n.parse::<usize>().ok().filter(|&n| n > 0);
        let average = Average {
            mean: number("mean", mean, f64::NEG_INFINITY)?,
            deviation: if sd.is_empty() { None } else { Some(number("sd", sd, 0.0)?) },
            n: count.ok_or_else(|| format!("column `n`: `{n}` is no number of folds; allowed is 1 or more"))?,
        };
        let tolerance = number("tolerance", tolerance, 0.0)?;
        Ok(BaselineRow { dataset: dataset.clone(), model: model.clone(), metric: known, average, tolerance })
    }

    fn fields(&self) -> [String; 7] {
        let Average { mean, deviation, n } = self.average;
        [
            self.dataset.clone(),
            self.model.clone(),
            self.metric.name().to_owned(),
            rounded(mean).to_string(),
            deviation.map_or_else(String::new, |deviation| rounded(deviation).to_string()),
            n.to_string(),
            self.tolerance.to_string(),
        ]
    }
}

/// Six decimals: more than any tolerance needs, and few enough that a change of the last bits changes no file.
pub(super) fn rounded(value: f64) -> f64 {
    // Added to 0, since minus zero would be printed.
    (value * 1e6).round() / 1e6 + 0.0
}

fn number(column: &str, text: &str, least: f64) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= least);
    value.ok_or_else(|| {
        let allowed = if least == 0.0 { "a number of at least 0" } else { "a number" };
        format!("column `{column}`: `{text}` is none that counts here; allowed is {allowed}, such as 0.015")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "dataset,model,metric,mean,sd,n,tolerance\n\
        imdb,\"LRBM-Boost (paper, trees=5)\",auc_roc,0.95,0.02,5,0.01\n\
        imdb,RDN-Boost,cll,-0.3,,1,0\n";

    fn parse(text: &str) -> Result<Baseline, BaselineError> {
        Baseline::parse(text, Path::new("b.csv"))
    }

    #[test]
    fn what_is_read_is_written() {
        let baseline = parse(GOOD).unwrap();
        let row = baseline.get("imdb", "LRBM-Boost (paper, trees=5)", Column::AucRoc).unwrap();
        assert_eq!(row.average, Average { mean: 0.95, deviation: Some(0.02), n: 5 });
        assert_eq!(baseline.get("imdb", "RDN-Boost", Column::Cll).unwrap().average.deviation, None);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/b.csv");
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Missing(_))));
        baseline.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), GOOD);
        assert_eq!(Baseline::read(&path).unwrap(), baseline);
        assert_eq!(parse(&GOOD.replace('\n', "\r\n")).unwrap(), baseline);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (old, new, message) in [
            ("dataset,model", "dataset,modle", "b.csv:1: columns `dataset,modle,metric"),
            ("auc_roc", "auc-roc", "b.csv:2: column `metric`: `auc-roc` is none; did you mean `auc_roc`?"),
            ("0.95", "high", "b.csv:2: column `mean`: `high` is none"),
            ("0.95", "NaN", "b.csv:2: column `mean`: `NaN` is none"),
            ("0.02", "-1", "b.csv:2: column `sd`: `-1` is none that counts here; allowed is a number of at least 0"),
            (",5,", ",0,", "b.csv:2: column `n`: `0` is no number of folds"),
            (",1,0\n", ",1,inf\n", "b.csv:3: column `tolerance`: `inf`"),
            (",1,0\n", ",1\n", "b.csv:3: 6 fields where 7 belong"),
            ("imdb,RDN", ",RDN", "b.csv:3: column `dataset`: empty"),
            ("RDN-Boost,cll", "\"LRBM-Boost (paper, trees=5)\",auc_roc", "b.csv:3: a second row for imdb LRBM"),
            ("\"LRBM", "LRBM", "b.csv: line 2: quote inside an unquoted field"),
        ] {
            let text = GOOD.replace(old, new);
            assert_ne!(text, GOOD, "{old}");
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(parse("").unwrap_err().to_string().contains("b.csv:1: empty; the first line must be `dataset,model"));
    }
}

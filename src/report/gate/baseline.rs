//! Baseline files: `dataset,model,metric,mean,sd,n,tolerance`.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::determinism::IndexMap;
use crate::files;
use crate::files::visible::ShownPath;
use crate::logic::nearest::did_you_mean;
use crate::metric::{Average, Column};
use crate::report::csv;

/// Columns of a baseline.
pub const COLUMNS: [&str; 7] = ["dataset", "model", "metric", "mean", "sd", "n", "tolerance"];

/// Why a baseline cannot be read or written.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The file does not exist.
    #[error("{}: no baseline found; `--bless` creates one from this run", .0.shown())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("{}: cannot read the baseline: {source}", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot write the baseline: {source}", path.shown())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Invalid contents.
    #[error("{}:{line}: {what}", path.shown())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column, the value, and what is accepted.
        what: String,
    },
}

/// A baseline row: one metric of a model on a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRow {
    /// Name of the dataset in the experiment.
    pub dataset: String,
    /// Label of the model with preset and case, such as `LRBM-Boost (paper, trees=5)`.
    pub model: String,
    /// The metric.
    pub metric: Column,
    /// Mean, standard deviation and number of folds.
    pub average: Average,
    /// Accepted difference, whatever the standard error.
    pub tolerance: f64,
}

/// A baseline: one row per dataset, model and metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    rows: IndexMap<(String, String, Column), BaselineRow>,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file does not exist, cannot be read, or is invalid.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BaselineError::Missing(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let what = "the text is not UTF-8; save the file as UTF-8".to_owned();
                Err(BaselineError::Wrong { path: path.to_owned(), line: 1, what })
            }
            Err(source) => Err(BaselineError::Unreadable { path: path.to_owned(), source }),
        }
    }

    /// Parses the text of a file; `path` is used in errors.
    ///
    /// # Errors
    /// If the text is invalid.
    pub fn parse(text: &str, path: &Path) -> Result<Self, BaselineError> {
        let wrong = |line, what| BaselineError::Wrong { path: path.to_owned(), line, what };
        let records = csv::parse(text).map_err(|error| wrong(error.line, error.what().to_owned()))?;
        let mut records = records.into_iter();
        let Some(headings) = records.next() else {
            return Err(wrong(1, format!("empty; the first line must be `{}`", COLUMNS.join(","))));
        };
        if headings.fields != COLUMNS {
            let what = format!("columns `{}`; expected `{}`", headings.fields.join(","), COLUMNS.join(","));
            return Err(wrong(headings.line, what));
        }
        let mut baseline = Baseline::default();
        for record in records {
            let row = BaselineRow::parse(&record).map_err(|what| wrong(record.line, what))?;
            if baseline.get(&row.dataset, &row.model, row.metric).is_some() {
                let what = format!("duplicate row for {} {} {}", row.dataset, row.model, row.metric.name());
                return Err(wrong(record.line, format!("{what}; remove one of them")));
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

    /// Iterates over the rows in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = &BaselineRow> {
        self.rows.values()
    }

    /// Looks up a row by dataset, model and metric.
    pub fn get(&self, dataset: &str, model: &str, metric: Column) -> Option<&BaselineRow> {
        self.rows.get(&(dataset.to_owned(), model.to_owned(), metric))
    }

    /// Inserts or replaces a row.
    pub fn insert(&mut self, row: BaselineRow) {
        self.rows.insert((row.dataset.clone(), row.model.clone(), row.metric), row);
    }
}

impl BaselineRow {
    fn parse(record: &csv::CsvRecord) -> Result<Self, String> {
        let [dataset, model, metric, mean, sd, n, tolerance] = record.fields.as_slice() else {
            let (have, need) = (record.fields.len(), COLUMNS.len());
            return Err(format!("expected {need} fields, got {have}; quote fields that contain a comma"));
        };
        for (column, text) in [("dataset", dataset), ("model", model)] {
            if text.is_empty() {
                return Err(format!("column `{column}`: empty; expected a name as `lrbm run` prints it"));
            }
        }
        let known = Column::named(metric).ok_or_else(|| {
            let names: Vec<&str> = Column::ALL.into_iter().map(Column::name).collect();
            let hint = did_you_mean(metric, names.iter().copied());
            format!("column `metric`: unknown metric `{metric}`; {hint}expected one of {}", names.join(", "))
        })?;
        let count = n.trim().parse::<usize>().ok().filter(|&n| n > 0);
        let average = Average {
            mean: number("mean", mean, f64::NEG_INFINITY)?,
            deviation: if sd.is_empty() { None } else { Some(number("sd", sd, 0.0)?) },
            n: count.ok_or_else(|| format!("column `n`: must be an integer of at least 1, got `{n}`"))?,
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

/// Rounds to six decimals: more than any tolerance needs, and insensitive to changes in the last
/// bits.
pub(super) fn rounded(value: f64) -> f64 {
    // Added to 0, since −0 would be printed as such.
    (value * 1e6).round() / 1e6 + 0.0
}

fn number(column: &str, text: &str, min: f64) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= min);
    value.ok_or_else(|| {
        let allowed = if min == 0.0 { "a finite number of at least 0" } else { "a finite number" };
        format!("column `{column}`: must be {allowed}, got `{text}`")
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
    fn baselines_survive_a_round_trip() {
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
    fn errors_name_file_line_and_column() {
        for (old, new, message) in [
            ("dataset,model", "dataset,modle", "b.csv:1: columns `dataset,modle,metric"),
            ("auc_roc", "auc-roc", "b.csv:2: column `metric`: unknown metric `auc-roc`; did you mean `auc_roc`?"),
            ("0.95", "high", "b.csv:2: column `mean`: must be a finite number, got `high`"),
            ("0.95", "NaN", "b.csv:2: column `mean`: must be a finite number, got `NaN`"),
            ("0.02", "-1", "b.csv:2: column `sd`: must be a finite number of at least 0, got `-1`"),
            (",5,", ",0,", "b.csv:2: column `n`: must be an integer of at least 1, got `0`"),
            (",1,0\n", ",1,inf\n", "b.csv:3: column `tolerance`: must be a finite number of at least 0, got `inf`"),
            (",1,0\n", ",1\n", "b.csv:3: expected 7 fields, got 6"),
            ("imdb,RDN", ",RDN", "b.csv:3: column `dataset`: empty"),
            ("RDN-Boost,cll", "\"LRBM-Boost (paper, trees=5)\",auc_roc", "b.csv:3: duplicate row for imdb LRBM"),
            ("\"LRBM", "LRBM", "b.csv:2: unbalanced quotes"),
        ] {
            let text = GOOD.replace(old, new);
            assert_ne!(text, GOOD, "{old}");
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(parse("").unwrap_err().to_string().contains("b.csv:1: empty; the first line must be `dataset,model"));
    }
}

//! Baseline files: one line per row, fold and seed, below a header with their origin.
//!
//! Files of means, `dataset,model,metric,mean,sd,n,tolerance`, which earlier versions wrote, are
//! still read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::origin::Origin;
use crate::determinism::IndexMap;
use crate::experiment::frame::RowKey;
use crate::files;
use crate::files::visible::ShownPath;
use crate::logic::nearest::did_you_mean;
use crate::metric::{Average, Column};
use crate::report::csv;

/// Columns of a baseline.
pub const COLUMNS: [&str; 10] =
    ["dataset", "model", "preset", "case", "metric", "fold", "seed", "value", "predictions_sha256", "tolerance"];

/// Columns of a baseline of means; the model includes preset and case.
pub const MEAN_COLUMNS: [&str; 7] = ["dataset", "model", "metric", "mean", "sd", "n", "tolerance"];

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
    /// Dataset, model, preset and case. In a file of means the model includes preset and case, so
    /// that labels agree.
    pub key: RowKey,
    /// The metric.
    pub metric: Column,
    /// The recorded values.
    pub values: BaselineValues,
    /// Largest accepted mean loss.
    pub tolerance: f64,
}

/// The values of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum BaselineValues {
    /// One value per fold and seed.
    Cells(Vec<BaselineCell>),
    /// Mean, standard deviation and number of folds, from a file of means.
    Mean(Average),
}

/// The value of one fold and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineCell {
    /// Fold from 1.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
    /// The value.
    pub value: f64,
    /// SHA-256 of `predictions.parquet`.
    pub predictions: String,
}

impl BaselineRow {
    /// Returns the model with preset and case.
    pub fn label(&self) -> String {
        self.key.label()
    }

    /// Returns the mean over cells.
    pub fn average(&self) -> Average {
        match &self.values {
            BaselineValues::Mean(average) => *average,
            BaselineValues::Cells(cells) => {
                let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
                Average::of(&values).unwrap_or(Average { mean: f64::NAN, deviation: None, n: 0 })
            }
        }
    }
}

/// A baseline: one row per dataset, model and metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// Experiment, platform and examples; empty for a file of means.
    pub origin: Origin,
    rows: IndexMap<(String, String, Column), BaselineRow>,
}

impl Baseline {
    /// Creates a baseline without rows.
    pub fn new(origin: Origin) -> Self {
        Baseline { origin, rows: IndexMap::default() }
    }

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
        let mut baseline = Baseline::default();
        let text = text.trim_start_matches('\u{feff}');
        let mut start = 0;
        let mut header_lines = 0;
        for line in text.split_inclusive('\n').take_while(|line| line.starts_with('#')) {
            start += line.len();
            header_lines += 1;
            baseline.origin.read_line(&line[1..]).map_err(|what| wrong(header_lines, what))?;
        }
        let records =
            csv::parse(&text[start..]).map_err(|error| wrong(header_lines + error.line, error.what().to_owned()))?;
        let mut records = records.into_iter();
        let Some(headings) = records.next() else {
            return Err(wrong(header_lines + 1, format!("empty; expected a line `{}`", COLUMNS.join(","))));
        };
        let has_cells = headings.fields == COLUMNS;
        if !has_cells && headings.fields != MEAN_COLUMNS {
            let what = format!("columns `{}`; expected `{}`", headings.fields.join(","), COLUMNS.join(","));
            return Err(wrong(header_lines + headings.line, what));
        }
        for record in records {
            let line = header_lines + record.line;
            let row = if has_cells { parse_cell(&record.fields) } else { parse_mean(&record.fields) };
            let row = row.map_err(|what| wrong(line, what))?;
            baseline.add(row).map_err(|what| wrong(line, what))?;
        }
        Ok(baseline)
    }

    /// Adds a line to its row.
    fn add(&mut self, row: BaselineRow) -> Result<(), String> {
        let name = format!("{} {} {}", row.key.dataset, row.label(), row.metric.name());
        let duplicate = || Err(format!("duplicate row for {name}; remove one of them"));
        let key = (row.key.dataset.clone(), row.label(), row.metric);
        let Some(known) = self.rows.get_mut(&key) else {
            self.insert(row);
            return Ok(());
        };
        if known.tolerance != row.tolerance {
            let (a, b) = (row.tolerance, known.tolerance);
            return Err(format!("column `tolerance`: {a}, but earlier lines of {name} have {b}; give one to all"));
        }
        match (&mut known.values, row.values) {
            (BaselineValues::Cells(cells), BaselineValues::Cells(new)) if known.key == row.key => {
                if new.iter().any(|new| cells.iter().any(|cell| (cell.fold, cell.seed) == (new.fold, new.seed))) {
                    return duplicate();
                }
                cells.extend(new);
                Ok(())
            }
            _ => duplicate(),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let mut text = self.origin.lines();
        text += &csv::line(COLUMNS);
        for row in self.rows() {
            if let BaselineValues::Cells(cells) = &row.values {
                cells.iter().for_each(|cell| text += &csv::line(fields(row, cell)));
            }
        }
        files::write(path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| BaselineError::Unwritable { path: path.to_owned(), source })
    }

    /// Returns whether the file has means only.
    pub fn has_means(&self) -> bool {
        self.rows().any(|row| matches!(row.values, BaselineValues::Mean(_)))
    }

    /// Iterates over the rows in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = &BaselineRow> {
        self.rows.values()
    }

    /// Looks up a row by dataset, label of the model and metric.
    pub fn get(&self, dataset: &str, model: &str, metric: Column) -> Option<&BaselineRow> {
        self.rows.get(&(dataset.to_owned(), model.to_owned(), metric))
    }

    /// Inserts or replaces a row.
    pub fn insert(&mut self, row: BaselineRow) {
        self.rows.insert((row.key.dataset.clone(), row.label(), row.metric), row);
    }
}

fn parse_cell(fields: &[String]) -> Result<BaselineRow, String> {
    let [dataset, model, preset, case, metric, fold, seed, value, predictions, tolerance] = fields else {
        return Err(wrong_length(fields, COLUMNS.len()));
    };
    let cell = BaselineCell {
        fold: count("fold", fold)?,
        seed: seed
            .trim()
            .parse()
            .map_err(|_| format!("column `seed`: must be an integer of at least 0, got `{seed}`"))?,
        value: number("value", value, f64::NEG_INFINITY)?,
        predictions: predictions.clone(),
    };
    let values = BaselineValues::Cells(vec![cell]);
    row([dataset, model, preset, case], metric, values, tolerance)
}

fn parse_mean(fields: &[String]) -> Result<BaselineRow, String> {
    let [dataset, model, metric, mean, sd, n, tolerance] = fields else {
        return Err(wrong_length(fields, MEAN_COLUMNS.len()));
    };
    let average = Average {
        mean: number("mean", mean, f64::NEG_INFINITY)?,
        deviation: if sd.is_empty() { None } else { Some(number("sd", sd, 0.0)?) },
        n: count("n", n)?,
    };
    let none = String::new();
    row([dataset, model, &none, &none], metric, BaselineValues::Mean(average), tolerance)
}

fn row(key: [&String; 4], metric: &str, values: BaselineValues, tolerance: &str) -> Result<BaselineRow, String> {
    let [dataset, model, preset, case] = key.map(Clone::clone);
    for (column, text) in [("dataset", &dataset), ("model", &model)] {
        if text.is_empty() {
            return Err(format!("column `{column}`: empty; expected a name as `lrbm run` prints it"));
        }
    }
    let known = Column::named(metric).ok_or_else(|| {
        let names: Vec<&str> = Column::ALL.into_iter().map(Column::name).collect();
        let hint = did_you_mean(metric, names.iter().copied());
        format!("column `metric`: unknown metric `{metric}`; {hint}expected one of {}", names.join(", "))
    })?;
    let tolerance = number("tolerance", tolerance, 0.0)?;
    Ok(BaselineRow { key: RowKey { dataset, model, preset, case }, metric: known, values, tolerance })
}

fn wrong_length(fields: &[String], need: usize) -> String {
    format!("expected {need} fields, got {}; quote fields that contain a comma", fields.len())
}

fn fields(row: &BaselineRow, cell: &BaselineCell) -> [String; 10] {
    let RowKey { dataset, model, preset, case } = row.key.clone();
    [
        dataset,
        model,
        preset,
        case,
        row.metric.name().to_owned(),
        cell.fold.to_string(),
        cell.seed.to_string(),
        // Added to 0, since −0 would be printed as such.
        (cell.value + 0.0).to_string(),
        cell.predictions.clone(),
        row.tolerance.to_string(),
    ]
}

fn count(column: &str, text: &str) -> Result<usize, String> {
    let value = text.trim().parse::<usize>().ok().filter(|&n| n > 0);
    value.ok_or_else(|| format!("column `{column}`: must be an integer of at least 1, got `{text}`"))
}

fn number(column: &str, text: &str, min: f64) -> Result<f64, String> {
    let value = csv::number(text).filter(|value| *value >= min);
    value.ok_or_else(|| {
        let from = if min == 0.0 { "0" } else { "-1e9" };
        format!("column `{column}`: must be a number from {from} to 1e9, got `{text}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEANS: &str = "dataset,model,metric,mean,sd,n,tolerance\n\
        imdb,\"LRBM-Boost (paper, trees=5)\",auc_roc,0.95,0.02,5,0.01\n\
        imdb,RDN-Boost,cll,-0.3,,1,0\n";

    const CELLS: &str = "# lrbm baseline 2\n# experiment: tiny\n# platform: x\n\
        # split: seed=7 folds=2 negatives=2 data=ab version=2 examples=cd dataset=imdb\n\
        dataset,model,preset,case,metric,fold,seed,value,predictions_sha256,tolerance\n\
        imdb,LRBM-Boost,paper,trees=5,auc_roc,1,7,0.9500000000000001,ab,0.005\n\
        imdb,LRBM-Boost,paper,trees=5,auc_roc,2,7,0.25,cd,0.005\n\
        imdb,RDN-Boost,,,cll,1,7,-0.3,ef,0\n";

    fn parse(text: &str) -> Result<Baseline, BaselineError> {
        Baseline::parse(text, Path::new("b.csv"))
    }

    #[test]
    fn baselines_survive_a_round_trip() {
        let baseline = parse(CELLS).unwrap();
        let row = baseline.get("imdb", "LRBM-Boost (paper, trees=5)", Column::AucRoc).unwrap();
        assert_eq!((row.average().n, row.tolerance, row.key.preset.as_str()), (2, 0.005, "paper"));
        assert_eq!((baseline.origin.experiment.as_str(), baseline.origin.splits.len()), ("tiny", 1));
        assert!(!baseline.has_means());
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/b.csv");
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Missing(_))));
        baseline.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), CELLS);
        assert_eq!(Baseline::read(&path).unwrap(), baseline);
        assert_eq!(parse(&CELLS.replace('\n', "\r\n")).unwrap(), baseline);
    }

    #[test]
    fn files_of_means_are_read() {
        let baseline = parse(MEANS).unwrap();
        let row = baseline.get("imdb", "LRBM-Boost (paper, trees=5)", Column::AucRoc).unwrap();
        assert_eq!(row.average(), Average { mean: 0.95, deviation: Some(0.02), n: 5 });
        assert_eq!(baseline.get("imdb", "RDN-Boost", Column::Cll).unwrap().average().deviation, None);
        assert!(baseline.has_means() && baseline.origin == Origin::default());
    }

    #[test]
    fn errors_name_file_line_and_column() {
        for (good, old, new, message) in [
            (MEANS, "dataset,model", "dataset,modle", "b.csv:1: columns `dataset,modle,metric"),
            (
                MEANS,
                "auc_roc",
                "auc-roc",
                "b.csv:2: column `metric`: unknown metric `auc-roc`; did you mean `auc_roc`?",
            ),
            (MEANS, "0.95", "high", "b.csv:2: column `mean`: must be a number from -1e9 to 1e9, got `high`"),
            (MEANS, "0.95", "NaN", "b.csv:2: column `mean`: must be a number from -1e9 to 1e9, got `NaN`"),
            (MEANS, "0.02", "-1", "b.csv:2: column `sd`: must be a number from 0 to 1e9, got `-1`"),
            (MEANS, ",5,", ",0,", "b.csv:2: column `n`: must be an integer of at least 1, got `0`"),
            (MEANS, ",1,0\n", ",1,inf\n", "b.csv:3: column `tolerance`: must be a number from 0 to 1e9, got `inf`"),
            (MEANS, ",1,0\n", ",1\n", "b.csv:3: expected 7 fields, got 6"),
            (MEANS, "imdb,RDN", ",RDN", "b.csv:3: column `dataset`: empty"),
            (
                MEANS,
                "RDN-Boost,cll,-0.3,,1,0",
                "\"LRBM-Boost (paper, trees=5)\",auc_roc,1,,1,0.01",
                "b.csv:3: duplicate row",
            ),
            (MEANS, "\"LRBM", "LRBM", "b.csv:2: unbalanced quotes"),
            (CELLS, "dataset,model", "dataset,modle", "b.csv:5: columns `dataset,modle,preset"),
            (
                CELLS,
                "auc_roc,2,7",
                "auc_roc,1,7",
                "b.csv:7: duplicate row for imdb LRBM-Boost (paper, trees=5) auc_roc",
            ),
            (CELLS, "0.25,cd,0.005", "0.25,cd,0.01", "b.csv:7: column `tolerance`: 0.01, but earlier lines"),
            (CELLS, "cll,1,7", "cll,0,7", "b.csv:8: column `fold`: must be an integer of at least 1, got `0`"),
            (CELLS, "cll,1,7", "cll,1,x", "b.csv:8: column `seed`: must be an integer of at least 0, got `x`"),
            (CELLS, "-0.3", "x", "b.csv:8: column `value`: must be a number from -1e9 to 1e9, got `x`"),
            (CELLS, "-0.3", "1e308", "b.csv:8: column `value`: must be a number from -1e9 to 1e9, got `1e308`"),
            (CELLS, "seed=7 folds", "folds", "b.csv:4: `# split: folds=2"),
        ] {
            let text = good.replace(old, new);
            assert_ne!(text, good, "{old}");
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(parse("").unwrap_err().to_string().contains("b.csv:1: empty; expected a line `dataset,model"));
        assert!(parse("# only\n").unwrap_err().to_string().contains("b.csv:2: empty"));
    }
}

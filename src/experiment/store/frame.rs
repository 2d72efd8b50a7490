//! Results as data frames: one row per job, and one per test example of a job.

use std::fs::File;
use std::path::Path;

use polars::prelude::{
    Column, CsvWriter, DataFrame, NamedFrom, ParallelStrategy, ParquetReader, ParquetWriter, PolarsResult, SerReader,
    SerWriter, Series,
};

use super::error::RunStoreError;
use super::record::{ExampleCounts, JobRecord, MachineInfo, Outcome};
use crate::determinism::IndexSet;
use crate::experiment::job::Job;
use crate::experiment::panics::catch_panic;
use crate::metric::{self, ClassMetrics};

/// The prediction of a model on a test example.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The example as an atom.
    pub example: String,
    /// Whether it is positive.
    pub label: bool,
    /// Predicted log-odds.
    pub psi: f64,
    /// Predicted probability.
    pub probability: f64,
}

/// Encodes `predictions.parquet`.
///
/// # Errors
/// If the table cannot be built, which is a bug.
pub fn predictions(rows: &[Prediction]) -> PolarsResult<Vec<u8>> {
    let mut frame = DataFrame::new(
        rows.len(),
        vec![
            column("example", rows.iter().map(|row| row.example.as_str()).collect::<Vec<_>>()),
            column("label", rows.iter().map(|row| row.label).collect::<Vec<_>>()),
            column("psi", rows.iter().map(|row| row.psi).collect::<Vec<_>>()),
            column("probability", rows.iter().map(|row| row.probability).collect::<Vec<_>>()),
        ],
    )?;
    parquet(&mut frame)
}

/// Reads `predictions.parquet`.
///
/// # Errors
/// If it cannot be read, or is a different table.
pub fn read_predictions(path: &Path) -> Result<Vec<Prediction>, RunStoreError> {
    let file = File::open(path).map_err(RunStoreError::io(path))?;
    let rows = || -> PolarsResult<Vec<Prediction>> {
        // Single-threaded, so that a panic of the reader on a foreign file can be caught.
        let frame = ParquetReader::new(file).read_parallel(ParallelStrategy::None).finish()?;
        let (examples, labels) = (frame.column("example")?.str()?, frame.column("label")?.bool()?);
        let (psi, probabilities) = (frame.column("psi")?.f64()?, frame.column("probability")?.f64()?);
        let numbers = psi.iter().zip(probabilities.iter());
        // `predictions` writes no nulls; rows with a null are dropped.
        let row = |((example, label), (psi, probability)): (_, (Option<f64>, Option<f64>))| {
            let (example, label): (Option<&str>, Option<bool>) = (example, label);
            Some(Prediction { example: example?.to_owned(), label: label?, psi: psi?, probability: probability? })
        };
        Ok(examples.iter().zip(labels.iter()).zip(numbers).filter_map(row).collect())
    };
    match catch_panic(rows) {
        Ok(rows) => rows.map_err(|error| RunStoreError::NoTable { path: path.to_owned(), what: error.to_string() }),
        Err(what) => Err(RunStoreError::NoTable { path: path.to_owned(), what }),
    }
}

/// The table of all jobs of an experiment that ended.
#[derive(Clone, Debug)]
pub struct MetricsTable {
    /// Swept parameters, one column each.
    settings: Vec<Setting>,
    rows: Vec<Option<JobRecord>>,
}

#[derive(Clone, Debug)]
struct Setting {
    name: String,
    as_number: bool,
}

/// Columns that always exist, so that a sweep over them adds none.
const FIXED: [&str; 11] =
    ["job", "dataset", "model", "kind", "preset", "case", "fold", "seed", "folds", "negatives_per_positive", "status"];

impl MetricsTable {
    /// Creates a table for these jobs, without rows.
    pub fn new<'a>(jobs: impl Iterator<Item = &'a Job> + Clone) -> Self {
        let names: IndexSet<&String> = jobs.clone().flat_map(|job| job.settings.keys()).collect();
        let fixed = |name: &str| FIXED.contains(&name) || metric::Column::named(name).is_some();
        let setting = |name: &String| {
            // Decided over all jobs, so that the column type does not depend on which of them
            // ended.
            let mut values = jobs.clone().filter_map(|job| job.settings.get(name));
            Setting { name: name.clone(), as_number: values.all(|value| value.parse::<f64>().is_ok()) }
        };
        let settings = names.into_iter().filter(|name| !fixed(name)).map(setting).collect();
        MetricsTable { settings, rows: vec![None; jobs.count()] }
    }

    /// Sets the row of a job.
    pub fn set(&mut self, job: usize, record: JobRecord) {
        self.rows[job] = Some(record);
    }

    /// Removes the row of a job.
    pub fn clear(&mut self, job: usize) {
        self.rows[job] = None;
    }

    /// Returns the row of a job.
    pub fn get(&self, job: usize) -> Option<&JobRecord> {
        self.rows[job].as_ref()
    }

    /// Returns all rows in the order of the jobs.
    pub fn records(&self) -> impl Iterator<Item = &JobRecord> {
        self.rows.iter().flatten()
    }

    /// Converts the table to a data frame.
    pub(super) fn frame(&self) -> PolarsResult<DataFrame> {
        let mut columns = self.identity();
        columns.extend(self.settings.iter().map(|setting| self.setting(setting)));
        columns.extend(self.outcome());
        columns.extend(self.machine());
        DataFrame::new(self.records().count(), columns)
    }

    fn strings<'a>(&'a self, name: &str, get: impl Fn(&'a JobRecord) -> &'a str) -> Column {
        column(name, self.records().map(get).collect::<Vec<_>>())
    }

    fn integers(&self, name: &str, get: impl Fn(&JobRecord) -> u64) -> Column {
        column(name, self.records().map(get).collect::<Vec<_>>())
    }

    fn identity(&self) -> Vec<Column> {
        vec![
            self.strings("job", |r| r.id.as_str()),
            self.strings("dataset", |r| &r.row.dataset),
            self.strings("model", |r| &r.row.model),
            self.strings("kind", |r| &r.row.kind),
            self.strings("preset", |r| &r.row.preset),
            self.strings("case", |r| &r.row.case),
            self.integers("fold", |r| r.row.fold as u64),
            self.integers("seed", |r| r.row.seed),
            self.integers("folds", |r| r.key.folds as u64),
            column("negatives_per_positive", self.records().map(|r| r.key.negatives_per_positive).collect::<Vec<_>>()),
        ]
    }

    fn setting(&self, setting: &Setting) -> Column {
        let values = self.records().map(|r| r.row.settings.get(&setting.name).map(String::as_str));
        if setting.as_number {
            let numbers: Vec<Option<f64>> = values.map(|value| value?.parse().ok()).collect();
            return column(&setting.name, numbers);
        }
        column(&setting.name, values.collect::<Vec<_>>())
    }

    fn outcome(&self) -> Vec<Column> {
        let mut columns = vec![
            self.strings("status", |r| r.status.name()),
            column("message", self.records().map(|r| r.status.message()).collect::<Vec<_>>()),
        ];
        type Count = (&'static str, fn(&ExampleCounts) -> usize);
        let counts: [Count; 4] = [
            ("train_positives", |c| c.train_positives),
            ("train_negatives", |c| c.train_negatives),
            ("test_positives", |c| c.test_positives),
            ("test_negatives", |c| c.test_negatives),
        ];
        for (name, get) in counts {
            let values = self.records().map(|r| r.counts.as_ref().map(|counts| get(counts) as u64));
            columns.push(column(name, values.collect::<Vec<_>>()));
        }
        let result = |get: &dyn Fn(&Outcome) -> Option<f64>| -> Vec<Option<f64>> {
            self.records().map(|r| r.result.as_ref().and_then(get)).collect()
        };
        for metric in metric::Column::ALL {
            columns.push(column(metric.name(), result(&|outcome| outcome.metric(metric))));
        }
        // Only for multi-class data, so that other tables keep their columns.
        if self.records().any(|r| r.result.as_ref().is_some_and(|outcome| outcome.classes.is_some())) {
            for (k, name) in ClassMetrics::NAMES.into_iter().enumerate() {
                columns.push(column(name, result(&|outcome| Some(outcome.classes?.named()[k].1))));
            }
        }
        let size = |get: fn(&Outcome) -> usize| -> Vec<Option<u64>> {
            self.records().map(|r| r.result.as_ref().map(|outcome| get(outcome) as u64)).collect()
        };
        columns.push(column("model_trees", size(|outcome| outcome.trees)));
        columns.push(column("model_leaves", size(|outcome| outcome.leaves)));
        columns.push(column("fidelity_r_squared", result(&|outcome| Some(outcome.fidelity?.r_squared))));
        columns
    }

    fn machine(&self) -> Vec<Column> {
        type Seconds = (&'static str, fn(&MachineInfo) -> Option<f64>);
        let seconds: [Seconds; 4] = [
            ("wall_seconds", |m| Some(m.wall_seconds)),
            ("train_seconds", |m| Some(m.train_seconds)),
            ("score_seconds", |m| Some(m.score_seconds)),
            ("cpu_seconds", |m| m.cpu_seconds),
        ];
        let mut columns: Vec<Column> = seconds
            .into_iter()
            .map(|(name, get)| column(name, self.records().map(|r| get(&r.machine)).collect::<Vec<_>>()))
            .collect();
        let peaks: Vec<Option<u64>> = self.records().map(|r| r.machine.peak_memory_bytes).collect();
        columns.push(column("peak_memory_bytes", peaks));
        columns
    }
}

fn column<T, Phantom: ?Sized>(name: &str, values: T) -> Column
where
    Series: NamedFrom<T, Phantom>,
{
    Series::new(name.into(), values).into()
}

/// Encodes a frame as Parquet, one column after the other: the bytes do not depend on threads.
///
/// # Errors
/// If it cannot be encoded, which is a bug.
pub fn parquet(frame: &mut DataFrame) -> PolarsResult<Vec<u8>> {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).set_parallel(false).finish(frame)?;
    Ok(bytes)
}

/// Encodes a frame as CSV.
///
/// # Errors
/// If it cannot be encoded, which is a bug.
pub fn csv(frame: &mut DataFrame) -> PolarsResult<Vec<u8>> {
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).n_threads(1).finish(frame)?;
    Ok(bytes)
}

//! Data frames on disk, and the frame of predictions: a row per test example of a job.

use std::fs::File;
use std::path::Path;

use polars::prelude::{
    Column, CsvWriter, DataFrame, NamedFrom, ParallelStrategy, ParquetReader, ParquetWriter, PolarsResult, SerReader,
    SerWriter, Series,
};

use super::error::RunStoreError;
use crate::experiment::panics::catch_panic;

/// The prediction of a model on a test example.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The example as an atom.
    pub example: String,
    /// Whether it is positive.
    pub label: bool,
    /// Predicted log-odds; of an external system the score, by which examples are ranked.
    pub psi: f64,
    /// Predicted probability; `None` if an external system gave only scores.
    pub probability: Option<f64>,
}

/// Encodes `predictions.parquet`.
///
/// # Errors
/// If the table cannot be built, which is a bug.
pub fn predictions(rows: &[Prediction]) -> PolarsResult<Vec<u8>> {
    // Without nulls the bytes are those of earlier versions.
    let all: Option<Vec<f64>> = rows.iter().map(|row| row.probability).collect();
    let probabilities = match all {
        Some(all) => column("probability", all),
        None => column("probability", rows.iter().map(|row| row.probability).collect::<Vec<_>>()),
    };
    let mut frame = DataFrame::new(
        rows.len(),
        vec![
            column("example", rows.iter().map(|row| row.example.as_str()).collect::<Vec<_>>()),
            column("label", rows.iter().map(|row| row.label).collect::<Vec<_>>()),
            column("psi", rows.iter().map(|row| row.psi).collect::<Vec<_>>()),
            probabilities,
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
        // `predictions` writes nulls for probabilities only; rows with another null are dropped.
        let row = |((example, label), (psi, probability)): (_, (Option<f64>, Option<f64>))| {
            let (example, label): (Option<&str>, Option<bool>) = (example, label);
            Some(Prediction { example: example?.to_owned(), label: label?, psi: psi?, probability })
        };
        Ok(examples.iter().zip(labels.iter()).zip(numbers).filter_map(row).collect())
    };
    match catch_panic(rows) {
        Ok(rows) => rows.map_err(|error| RunStoreError::NoTable { path: path.to_owned(), what: error.to_string() }),
        Err(what) => Err(RunStoreError::NoTable { path: path.to_owned(), what }),
    }
}

/// Creates a column.
pub fn column<T, Phantom: ?Sized>(name: &str, values: T) -> Column
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

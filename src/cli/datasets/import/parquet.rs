//! Parquet files as typed columns.

use std::fs::File;
use std::path::Path;

use polars::prelude::{AnyValue, ArrowDataType, DataFrame, ParallelStrategy, ParquetReader, PolarsResult, SerReader};

use super::checks::{INFINITE, SourceError, check_text, column_names, unreadable};
use crate::data::import::{SourceColumn, Values};
use crate::experiment::panics::catch_panic;
use crate::files::visible::ShownPath;

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<SourceColumn>, SourceError> {
    let place = path.shown().to_string();
    let open = || File::open(path).map_err(|error| unreadable(path, &error));
    let damaged = |what: &dyn std::fmt::Display| {
        SourceError::new(&place, format!("not a readable Parquet file: {what}; write it again, or export CSV"))
    };
    let file = open()?;
    let schema = || -> PolarsResult<Vec<(String, ArrowDataType)>> {
        let schema = ParquetReader::new(file).schema()?;
        Ok(schema.iter().map(|(name, field)| (name.to_string(), field.dtype.clone())).collect())
    };
    // The reader may panic on a foreign file.
    let schema = catch_panic(schema).map_err(|what| damaged(&what))?.map_err(|error| damaged(&error))?;
    let names = column_names(&place, schema.iter().map(|(name, _)| name.clone()).collect())?;
    let readable: Vec<usize> = (0..schema.len()).filter(|&i| is_readable(&schema[i].1)).collect();
    let file = open()?;
    let (wanted, any) = (readable.clone(), !readable.is_empty());
    let frame = || -> PolarsResult<DataFrame> {
        let reader = ParquetReader::new(file).read_parallel(ParallelStrategy::None);
        if any { reader.with_projection(Some(wanted)).finish() } else { Ok(DataFrame::default()) }
    };
    let frame = catch_panic(frame).map_err(|what| damaged(&what))?.map_err(|error| damaged(&error))?;
    let mut columns = Vec::new();
    for (i, name) in names.into_iter().enumerate() {
        let values = match readable.iter().position(|&j| j == i) {
            Some(position) => {
                let series = frame.columns()[position].as_materialized_series().rechunk();
                let cells: Vec<AnyValue> = series.iter().collect();
                typed(&cells).map_err(|problem| SourceError::new(format!("{place}: column `{name}`"), problem))?
            }
            None => Values::Unsupported { kind: format!("{:?}", schema[i].1), rows: frame.height() },
        };
        columns.push(SourceColumn { name, values });
    }
    Ok(columns)
}

/// Returns whether values of a type can be read in this build. Dates are not among them: they need
/// a part of polars that would add to the build time.
fn is_readable(kind: &ArrowDataType) -> bool {
    use ArrowDataType as A;
    matches!(
        kind,
        A::Boolean
            | A::Int32
            | A::Int64
            | A::UInt32
            | A::UInt64
            | A::Float32
            | A::Float64
            | A::Utf8
            | A::LargeUtf8
            | A::Utf8View
    )
}

fn typed(cells: &[AnyValue]) -> Result<Values, String> {
    let first = cells.iter().find(|cell| !matches!(cell, AnyValue::Null));
    Ok(match first {
        Some(AnyValue::Boolean(_)) => Values::Boolean(
            cells.iter().map(|cell| if let AnyValue::Boolean(value) = cell { Some(*value) } else { None }).collect(),
        ),
        Some(AnyValue::Float32(_) | AnyValue::Float64(_)) => {
            // NaN is a missing value, as SQLite has it.
            let numbers: Vec<Option<f64>> =
                cells.iter().map(|cell| cell.extract::<f64>().filter(|value| !value.is_nan())).collect();
            if let Some(row) = numbers.iter().position(|number| number.is_some_and(f64::is_infinite)) {
                return Err(format!("row {}: {INFINITE}", row + 1));
            }
            Values::Real(numbers)
        }
        Some(AnyValue::String(_) | AnyValue::StringOwned(_)) => {
            let mut texts = Vec::new();
            for (row, cell) in (1..).zip(cells) {
                let text = cell.get_str();
                text.map_or(Ok(()), check_text).map_err(|problem| format!("row {row}: {problem}"))?;
                texts.push(text.map(str::to_owned));
            }
            Values::Text(texts)
        }
        Some(_) => {
            let integers: Vec<Option<i64>> = cells.iter().map(AnyValue::extract::<i64>).collect();
            let lost = integers.iter().zip(cells).position(|(value, cell)| value.is_none() && *cell != AnyValue::Null);
            if let Some(row) = lost {
                return Err(format!("row {}: an integer beyond 64 bits with sign: write the column as text", row + 1));
            }
            Values::Integer(integers)
        }
        None => Values::Text(vec![None; cells.len()]),
    })
}

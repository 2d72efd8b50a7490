//! Parquet files as typed columns.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use polars::io::parquet::read::_internal::to_deserializer;
use polars::prelude::{
    AnyValue, ArrowDataType, ArrowField, ArrowTimeUnit, DataFrame, ParallelStrategy, ParquetReader, PolarsError,
    PolarsResult, SerReader, Series,
};

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
    let schema = || -> PolarsResult<(Vec<(String, ArrowDataType)>, usize)> {
        let mut reader = ParquetReader::new(file);
        let schema = reader.schema()?;
        let columns = schema.iter().map(|(name, field)| (name.to_string(), field.dtype.clone())).collect();
        Ok((columns, reader.get_metadata()?.num_rows))
    };
    // The reader may panic on a foreign file.
    let (schema, rows) = catch_panic(schema).map_err(|what| damaged(&what))?.map_err(|error| damaged(&error))?;
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
            None => {
                let read = || physical(path, i, &schema[i].1);
                let found = catch_panic(read).map_err(|what| damaged(&what))?.map_err(|error| damaged(&error))?;
                found.unwrap_or_else(|| Values::Unsupported { kind: format!("{:?}", schema[i].1), rows })
            }
        };
        columns.push(SourceColumn { name, values });
    }
    Ok(columns)
}

/// A type that is stored as integers: as it is, or as so many units per day.
fn stored_as(kind: &ArrowDataType) -> Option<(ArrowDataType, Option<f64>)> {
    use ArrowDataType as A;
    const DAY: f64 = 86_400.0;
    match kind {
        A::Int8 | A::Int16 | A::UInt8 | A::UInt16 => Some((A::Int32, None)),
        A::Date32 => Some((A::Int32, Some(1.0))),
        A::Timestamp(unit, _) => {
            let per_second = match unit {
                ArrowTimeUnit::Second => 1.0,
                ArrowTimeUnit::Millisecond => 1e3,
                ArrowTimeUnit::Microsecond => 1e6,
                ArrowTimeUnit::Nanosecond => 1e9,
            };
            Some((A::Int64, Some(per_second * DAY)))
        }
        _ => None,
    }
}

/// Reads a column of small integers, dates or times by the integers it is stored as: the types
/// themselves need parts of polars that would add to the build time. Returns `None` for others.
fn physical(path: &Path, column: usize, kind: &ArrowDataType) -> PolarsResult<Option<Values>> {
    let Some((stored, per_day)) = stored_as(kind) else { return Ok(None) };
    let mut file = File::open(path)?;
    let mut reader = ParquetReader::new(file.try_clone()?);
    let name = reader.schema()?.get_at_index(column).map(|(name, _)| name.clone()).unwrap_or_default();
    let metadata = reader.get_metadata()?;
    let mut integers: Vec<Option<i64>> = Vec::new();
    for group in &metadata.row_groups {
        let chunks: Vec<_> = group.columns_under_root_iter(&name).into_iter().flatten().collect();
        let [chunk] = chunks.as_slice() else { return Ok(None) };
        // Times in 96 bits are of another form.
        if format!("{:?}", chunk.physical_type()) != format!("{stored:?}") {
            return Ok(None);
        }
        let range = chunk.byte_range();
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(range.start))?;
        let wanted = range.end.saturating_sub(range.start);
        if (&mut file).take(wanted).read_to_end(&mut bytes)? as u64 != wanted {
            return Err(PolarsError::ComputeError("a column ends after the file".into()));
        }
        let field = ArrowField::new(name.clone(), stored.clone(), true);
        let (arrays, _) = to_deserializer(vec![(*chunk, bytes.into())], field, None)?;
        let series = Series::try_from((name.clone(), arrays))?;
        integers.extend(series.iter().map(|cell| cell.extract::<i64>()));
    }
    Ok(Some(match per_day {
        None => Values::Integer(integers),
        Some(per_day) => Values::Date(integers.into_iter().map(|n| n.map(|n| n as f64 / per_day)).collect()),
    }))
}

/// Returns whether values of a type can be read as they are in this build.
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

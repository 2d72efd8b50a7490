//! Tables as facts and examples, by the mapping of `lrbm datasets import`.

use std::collections::BTreeMap;

use lrbm::tables::{Answers, Mapping, SourceColumn, SourceTable, Values, apply, infer, render};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::arrow;
use super::errors::{in_python, value_error};

/// A table of typed columns.
#[pyclass(frozen, module = "lrbm._core")]
pub struct Columns {
    table: SourceTable,
}

#[pymethods]
impl Columns {
    /// Reads the columns of a capsule of `__arrow_c_stream__`.
    #[staticmethod]
    #[allow(unsafe_code)]
    fn from_arrow(name: &str, capsule: &Bound<'_, PyCapsule>) -> PyResult<Columns> {
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of this name holds an Arrow stream, and is alive during the call.
        let columns = unsafe { arrow::read(stream.as_ptr().cast()) };
        let columns = columns.map_err(|problem| value_error(format!("table `{name}`: {problem}")))?;
        Self::new(name, columns)
    }

    /// Creates a table from lists by column: of bools, integers, numbers or strings with `None`.
    #[staticmethod]
    fn from_lists(name: &str, columns: &Bound<'_, PyDict>) -> PyResult<Columns> {
        let mut read = Vec::new();
        for (column, cells) in columns {
            let column: String = column.extract()?;
            let cells: Vec<Bound<'_, PyAny>> = cells.extract()?;
            let values = values(&cells)
                .map_err(|problem| PyTypeError::new_err(format!("table `{name}`, column `{column}`: {problem}")))?;
            read.push(SourceColumn { name: column, values });
        }
        Self::new(name, read)
    }

    /// Returns the number of rows.
    fn __len__(&self) -> usize {
        self.table.rows()
    }

    /// Returns the names of the columns with the kinds of their values.
    fn columns(&self) -> Vec<(String, String)> {
        let kind = |column: &SourceColumn| (column.name.clone(), column.values.kind().to_owned());
        self.table.columns.iter().map(kind).collect()
    }
}

impl Columns {
    fn new(name: &str, columns: Vec<SourceColumn>) -> PyResult<Columns> {
        let rows = columns.first().map_or(0, |column| column.values.rows());
        for (position, column) in columns.iter().enumerate() {
            let problem = if columns[..position].iter().any(|other| other.name == column.name) {
                "two columns have this name".to_owned()
            } else if column.values.rows() != rows {
                format!("it has {} rows, the first column {rows}", column.values.rows())
            } else if let Some(row) = nul_character(&column.values) {
                format!("row {row}: a NUL character, which no name may contain: remove it")
            } else {
                continue;
            };
            return Err(value_error(format!("table `{name}`, column `{}`: {problem}", column.name)));
        }
        Ok(Columns { table: SourceTable::new(name, columns) })
    }
}

/// Returns the first row, from 0, whose text cannot be a constant.
fn nul_character(values: &Values) -> Option<usize> {
    let Values::Text(texts) = values else { return None };
    texts.iter().position(|text| text.as_deref().is_some_and(|text| text.contains('\0')))
}

fn values(cells: &[Bound<'_, PyAny>]) -> Result<Values, String> {
    fn all<'py, T: for<'a> FromPyObject<'a, 'py>>(cells: &[Bound<'py, PyAny>]) -> Option<Vec<Option<T>>> {
        cells.iter().map(|cell| cell.extract::<Option<T>>().ok()).collect()
    }
    if cells.iter().all(|cell| cell.is_none()) {
        return Ok(Values::Text(vec![None; cells.len()]));
    }
    if let Some(values) = all::<bool>(cells) {
        return Ok(Values::Boolean(values));
    }
    if let Some(values) = all::<i64>(cells) {
        return Ok(Values::Integer(values));
    }
    if let Some(values) = all::<f64>(cells) {
        // As in CSV, a value that is not a finite number is missing.
        return Ok(Values::Real(values.into_iter().map(|value| value.filter(|value| value.is_finite())).collect()));
    }
    // Libraries without a missing text put a NaN there.
    let text = |cell: &Bound<'_, PyAny>| match cell.extract::<f64>() {
        Ok(value) if value.is_nan() => Some(None),
        _ => cell.extract::<Option<String>>().ok(),
    };
    let texts: Option<Vec<Option<String>>> = cells.iter().map(text).collect();
    texts.map(Values::Text).ok_or_else(|| "expected bools, integers, numbers or strings, each or None".to_owned())
}

/// Facts, positives, negatives, modes, target, time limits, notes and the mapping.
type Imported = (String, String, String, Vec<String>, String, Option<(String, Vec<String>)>, Vec<String>, String);

/// Turns tables into facts and examples, by a mapping in TOML or an inferred one.
#[pyfunction]
#[pyo3(signature = (tables, mapping, target, keys))]
pub fn import_tables(
    py: Python<'_>,
    tables: Vec<Py<Columns>>,
    mapping: Option<&str>,
    target: Option<String>,
    keys: BTreeMap<String, Option<String>>,
) -> PyResult<Imported> {
    let tables: Vec<SourceTable> = tables.iter().map(|table| table.bind(py).get().table.clone()).collect();
    let (mapping, notes) = match mapping {
        Some(text) => (Mapping::parse(text, "mapping").map_err(value_error)?, Vec::new()),
        None => {
            let proposal = py.detach(|| infer(&tables, &Answers { target, keys: keys.into_iter().collect() }));
            if !proposal.questions.is_empty() {
                let questions: Vec<String> = proposal.questions.iter().map(|q| format!("\n  - {q}")).collect();
                return Err(value_error(format!("the tables leave questions open{}", questions.concat())));
            }
            (proposal.mapping, proposal.notes)
        }
    };
    let imported = py.detach(|| apply(&mapping, &tables)).map_err(value_error)?;
    let time = mapping.time.as_ref().map(|time| (time.predicate.clone(), time.by_argument.clone()));
    Ok((
        imported.facts,
        imported.positives,
        imported.negatives,
        imported.modes,
        mapping.target.predicate.clone(),
        time,
        notes,
        in_python(&render::mapping(&mapping)),
    ))
}

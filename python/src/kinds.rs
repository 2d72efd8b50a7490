//! The kinds of models with their parameters, from the registry of the library.

use lrbm::params::{Shape, Value};
use lrbm::{Kind, Params};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Returns every kind: its name, what it is, and its parameters.
#[pyfunction]
pub fn kinds(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for kind in Kind::ALL {
        let entry = PyDict::new(py);
        entry.set_item("name", kind.name())?;
        entry.set_item("about", kind.info().about)?;
        let parameters = PyList::empty(py);
        let params = Params::new(kind);
        for parameter in params.entries() {
            let described = PyDict::new(py);
            described.set_item("name", parameter.name)?;
            described.set_item("help", parameter.help)?;
            described.set_item("accepts", parameter.shape.to_string())?;
            described.set_item("type", type_name(&parameter.shape))?;
            let default = params.get(parameter.name).map(|value| python(py, &value)).transpose()?;
            described.set_item("default", default)?;
            parameters.append(described)?;
        }
        entry.set_item("parameters", parameters)?;
        all.append(entry)?;
    }
    Ok(all)
}

/// Returns the annotation of values of a shape.
fn type_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Integer { .. } => "int",
        Shape::Real { .. } => "float",
        Shape::Bool => "bool",
        Shape::Choice(_) => "str",
        Shape::IntegerOrWord { .. } => "int | str",
        Shape::RealOrWord { .. } => "float | str",
    }
}

fn python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Bool(value) => value.into_py_any(py),
        Value::Integer(value) => value.into_py_any(py),
        Value::Number(value) => value.into_py_any(py),
        Value::Text(value) => value.into_py_any(py),
    }
}

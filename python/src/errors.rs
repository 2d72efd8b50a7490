//! Errors of the library as Python exceptions, with the same messages and positions. Options of the
//! command line are named as Python spells them.

use lrbm::{Diagnostic, Diagnostics, LearnError, LoadError, ParamError, PrepareError};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

pyo3::create_exception!(
    lrbm,
    DataError,
    PyValueError,
    "Invalid data. `diagnostics` lists every error and warning with its file, line and column."
);

/// Options of the command line, and what takes their place here. Longer ones come first.
const OPTIONS: [(&str, &str); 24] = [
    ("more rules: --top shows more", "more rules: `top` shows more"),
    ("more not tried: raise --tries", "more not tried: raise `tries`"),
    ("use --method exact", "use the method \"exact\""),
    ("select one with --fold K, or", "load one with `lrbm.datasets.load_fold`, or"),
    ("then pass it with --mapping", "then pass it as `mapping`"),
    ("select the target with --target", "select the target with `target`"),
    ("`lrbm train --help` lists all", "`get_params()` lists all"),
    ("use --allow-unknown", "use `allow_unknown=True`"),
    ("--allow-unknown", "`allow_unknown`"),
    // Data that are not in files have no directory.
    (
        "write the data/bk.txt, or pass one with --background, in a spec with `background = \"…\"`",
        "give the Database `modes`, or the classifier a `background`",
    ),
    ("the data: no background file, so", "no background, so"),
    (
        "the data: no predicate of the facts has a mode, so every example would get the same probability; write modes \
         such as `mode: p(+type, -other).` to the data/bk.txt, or pass a file of them with --background, in a spec \
         with `background = \"…\"`",
        "no predicate of the facts has a mode, so every example would get the same probability; give the Database \
         `modes` such as `p(+type, -other).`, or the classifier a `background`",
    ),
    (
        "throughout, write `useStdLogicVariables: true.` before them",
        "throughout, pass `Background(use_std_logic_variables=True, use_prolog_variables=False)`, or write \
         `useStdLogicVariables: true.` before them in a file",
    ),
    ("with --background, in a spec with `background = \"…\"`", "with `background=`"),
    (
        "set arity = \"binary\" in the spec or pass --arity binary to decompose them, or drop their modes",
        "drop their modes",
    ),
    ("omit --audit", "omit it"),
    ("--class ", "class_name "),
    ("--query", "query"),
    ("print a mapping with --infer and edit it", "pass a `mapping`"),
    ("pass --target ", "pass `target` as "),
    ("pass --key ", "pass `keys` with "),
    ("--target ", "`target` "),
    ("--key ", "`keys` with "),
    ("--set ", "parameter "),
];

/// Parameters of the learner that have srlearn's name here.
const PARAMETERS: [(&str, &str); 3] =
    [("trees", "n_estimators"), ("max_depth", "max_tree_depth"), ("train_negatives", "neg_pos_ratio")];

/// Returns the name of a parameter here.
pub fn parameter_name(name: &str) -> &str {
    PARAMETERS.iter().find(|(there, _)| *there == name).map_or(name, |(_, here)| here)
}

/// Returns the exception of a parameter that cannot be used.
pub fn param_error(error: ParamError) -> PyErr {
    value_error(match error {
        ParamError::BadValue { place: "parameters", key, value, shape } => {
            format!("`{}` must be {shape}, got {value}", parameter_name(&key))
        }
        other => other.to_string(),
    })
}

/// Returns the exception of a failed training.
pub fn learn_error(error: LearnError) -> PyErr {
    match error {
        LearnError::Threads(_) => PyRuntimeError::new_err(error.to_string()),
        LearnError::Parameter(error) => param_error(error),
        LearnError::Requires { what, other } => {
            value_error(LearnError::Requires { what: parameter_name(what), other: parameter_name(other) })
        }
        LearnError::NotForClasses { what, target } => {
            value_error(LearnError::NotForClasses { what: parameter_name(what), target })
        }
        other => value_error(other),
    }
}

/// Rewrites a message of the command line for Python.
pub fn in_python(message: &str) -> String {
    OPTIONS.iter().fold(message.to_owned(), |text, (option, here)| text.replace(option, here))
}

/// Returns an exception with the message of an error.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(in_python(&error.to_string()))
}

/// Returns the exception of data that cannot be loaded.
pub fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    let diagnostics = match error {
        LoadError::Invalid(diagnostics) => list(py, diagnostics.iter()),
        _ => list(py, [].into_iter()),
    };
    data_error(py, error.to_string(), diagnostics)
}

/// Returns the exception of data that cannot be prepared for a model.
pub fn prepare_error(py: Python<'_>, error: &PrepareError) -> PyErr {
    match error {
        PrepareError::Load(error) => load_error(py, error),
        other => value_error(other),
    }
}

/// Returns the exception of examples that do not fit a model.
pub fn misfit_error(py: Python<'_>, error: impl std::fmt::Display) -> PyErr {
    data_error(py, error.to_string(), list(py, [].into_iter()))
}

/// Returns the exception of one error with its position.
pub fn diagnostic_error(py: Python<'_>, diagnostic: &Diagnostic) -> PyErr {
    data_error(py, diagnostic.to_string(), list(py, [diagnostic].into_iter()))
}

fn data_error(py: Python<'_>, message: String, diagnostics: PyResult<Bound<'_, PyList>>) -> PyErr {
    let error = DataError::new_err(in_python(&message));
    match diagnostics.and_then(|list| error.value(py).setattr("diagnostics", list)) {
        Ok(()) => error,
        Err(failed) => failed,
    }
}

fn list<'py, 'd>(py: Python<'py>, diagnostics: impl Iterator<Item = &'d Diagnostic>) -> PyResult<Bound<'py, PyList>> {
    let found = PyList::empty(py);
    for diagnostic in diagnostics {
        let entry = PyDict::new(py);
        entry.set_item("severity", if diagnostic.severity == lrbm::Severity::Error { "error" } else { "warning" })?;
        entry.set_item("code", diagnostic.code)?;
        entry.set_item("message", in_python(&diagnostic.message))?;
        entry.set_item("help", in_python(&diagnostic.help))?;
        let location = diagnostic.location.as_deref();
        entry.set_item("file", location.map(|location| location.file.display().to_string()))?;
        entry.set_item("line", location.map(|location| location.line).filter(|&line| line > 0))?;
        entry.set_item("column", location.map(|location| location.column).filter(|&column| column > 0))?;
        found.append(entry)?;
    }
    Ok(found)
}

/// Returns warnings as texts.
pub fn texts(diagnostics: &Diagnostics) -> Vec<String> {
    diagnostics.warnings().map(|warning| in_python(&warning.to_string())).collect()
}

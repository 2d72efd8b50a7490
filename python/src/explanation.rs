//! Explanations of predictions.

use lrbm::{FlipOptions, QueryError, QueryExplanation, QueryOptions, SavedModel, run_cancellable};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::data::Data;
use super::errors::{diagnostic_error, in_python, misfit_error, prepare_error, texts, value_error};
use super::interrupt;

/// An explanation as JSON, as text and as a drawing, with warnings. Only networks have the last
/// two.
pub type Explained = (String, Option<String>, Option<String>, Vec<String>);

/// The class, the threshold, the number of changes to try, and whether constants may be unknown.
type Options = (Option<String>, f64, Option<usize>, bool);

pub fn explain(
    py: Python<'_>,
    model: &SavedModel,
    data: &Data,
    query: &str,
    (class, threshold, tries, allow_unknown): Options,
    top: usize,
) -> PyResult<Explained> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(value_error(format!("`threshold` must be from 0 to 1, such as 0.5, got {threshold}")));
    }
    data.check_target(model).map_err(|reason| misfit_error(py, reason))?;
    let budget = tries.unwrap_or(FlipOptions::default().budget);
    let options = QueryOptions { allow_unknown, class, flips: FlipOptions { threshold, budget } };
    let adapted = data.adapted(model).map_err(|error| prepare_error(py, &error))?;
    let dataset = adapted.unwrap_or_else(|| data.with_examples(data.dataset().examples.clone()));
    let explained =
        interrupt::run(py, None, |token, _| run_cancellable(token, || model.explain(query, dataset, &options)))?;
    let explained = explained.map_err(|stopped| PyRuntimeError::new_err(stopped.to_string()))?;
    let explained = explained.map_err(|error| match error {
        QueryError::Query(diagnostic) => diagnostic_error(py, &diagnostic),
        other => value_error(other),
    })?;
    let json = explained.to_json();
    Ok(match &explained {
        QueryExplanation::Network(found) => {
            (json, Some(in_python(&found.view.show(top).to_string())), Some(found.to_svg()), Vec::new())
        }
        QueryExplanation::Clauses(_, warnings) | QueryExplanation::Parts(_, warnings) => {
            (json, None, None, texts(warnings))
        }
    })
}

//! Learned models: scores, files, rules and networks.

use lrbm::{Method, Model as _, SavedModel, Scored, Stored, run_cancellable};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::data::Data;
use super::errors::{misfit_error, prepare_error, texts, value_error};
use super::explanation::{Explained, explain};
use super::interrupt;

/// A model of any kind.
#[pyclass(frozen, module = "lrbm._core")]
pub struct Model {
    pub inner: SavedModel,
}

/// Log-odds and probabilities, a row for each class, and warnings.
type Predictions = (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<String>);

fn sigmoid(row: &[f64]) -> Vec<f64> {
    // The library's sigmoid, so that probabilities equal those of the command line bit by bit.
    Scored::from(row.to_vec()).probabilities()
}

#[pymethods]
impl Model {
    /// Reads a model from the text of a model file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Model> {
        SavedModel::from_json(text).map(|inner| Model { inner }).map_err(value_error)
    }

    /// Returns the text of the model file.
    fn to_json(&self) -> PyResult<String> {
        self.inner.to_readable_json().map_err(value_error)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let from_json = slf.get_type().getattr("from_json")?.unbind();
        Ok((from_json, (slf.get().to_json()?,)))
    }

    /// Returns the model in readable notation.
    fn describe(&self) -> String {
        self.inner.describe()
    }

    /// Returns the name of the kind, or `None` for a network.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.inner.header().map(|header| header.kind.name())
    }

    /// Returns the name and the arity of the target.
    #[getter]
    fn target(&self) -> (String, usize) {
        (self.inner.target_name().to_owned(), self.inner.target_arity())
    }

    /// Returns the names of the classes, or `None` for a boolean target.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        self.inner.classes().map(<[String]>::to_vec)
    }

    /// Returns the size in words.
    #[getter]
    fn size(&self) -> String {
        self.inner.size().to_string()
    }

    /// Scores examples: one row of log-odds for a boolean target, else one for each class.
    #[pyo3(signature = (data, indices))]
    fn score(&self, py: Python<'_>, data: &Bound<'_, Data>, indices: Option<Vec<usize>>) -> PyResult<Predictions> {
        let data = data.get();
        // Data without indices were loaded for the model.
        if indices.is_some() {
            data.check_target(&self.inner).map_err(|reason| misfit_error(py, reason))?;
            data.check_classes(&self.inner).map_err(|error| misfit_error(py, error))?;
        }
        let ranks = data.ranks(indices)?;
        // In the order of loading, so that every example is scored as on the command line.
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&position| ranks[position]);
        let model = &self.inner;
        let scored = interrupt::run(py, None, |token, _| {
            run_cancellable(token, || {
                let adapted = data.adapted(model).map_err(Failed::Prepare)?;
                let dataset = adapted.as_ref().unwrap_or_else(|| data.dataset());
                let examples: Vec<_> = order.iter().map(|&at| dataset.examples[ranks[at]].clone()).collect();
                let (database, target) = (&dataset.database, dataset.target);
                match model.classes() {
                    Some(_) => model.score_classes(database, target, &examples),
                    None => model
                        .score(database, target, &examples)
                        .map(|scored| Scored { scores: vec![scored.scores], warnings: scored.warnings }),
                }
                .map_err(Failed::Score)
            })
        })?;
        let scored = scored.map_err(|stopped| PyRuntimeError::new_err(stopped.to_string()))?;
        let Scored { scores, warnings } = scored.map_err(|failed| match failed {
            Failed::Prepare(error) => prepare_error(py, &error),
            Failed::Score(error) => value_error(error),
        })?;
        let restore = |row: &Vec<f64>| {
            let mut restored = vec![0.0; row.len()];
            order.iter().zip(row).for_each(|(&at, &value)| restored[at] = value);
            restored
        };
        let rows: Vec<Vec<f64>> = scores.iter().map(restore).collect();
        let probabilities = rows.iter().map(|row| sigmoid(row)).collect();
        Ok((rows, probabilities, texts(&warnings)))
    }

    /// Converts a sum of trees to one network, by the method `exact` or `paper`. Merging adds up
    /// equivalent rules.
    fn to_network(&self, py: Python<'_>, method: &str, merge: bool) -> PyResult<Model> {
        let method = Method::find(method).map_err(value_error)?;
        let network = match &self.inner {
            SavedModel::Trees(trees) => py.detach(|| trees.to_network(method)).map_err(value_error)?,
            SavedModel::Network(network) => network.clone(),
            _ => return Err(value_error("only sums of trees convert to a network")),
        };
        let network = if merge { py.detach(|| network.merged()) } else { network };
        Ok(Model { inner: SavedModel::Network(network) })
    }

    /// Returns the rules with their weights.
    fn rules(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<f64>)>> {
        let rules = py.detach(|| self.inner.rules()).map_err(value_error)?;
        Ok(rules.into_iter().map(|rule| (rule.clause, rule.weights)).collect())
    }

    /// Returns how often each predicate is mentioned.
    fn predicate_counts(&self) -> Vec<(String, usize)> {
        self.inner.predicate_counts()
    }

    /// Draws a network, or the network of a sum of trees.
    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        match &self.inner {
            SavedModel::Network(network) => Ok(py.detach(|| network.to_svg())),
            SavedModel::Trees(trees) => {
                let network = py.detach(|| trees.to_network(Method::Exact)).map_err(value_error)?;
                Ok(network.merged().to_svg())
            }
            _ => Err(value_error("only sums of trees and networks can be drawn")),
        }
    }

    /// Returns the trees or the network in Graphviz's language.
    fn to_dot(&self) -> PyResult<String> {
        match &self.inner {
            SavedModel::Network(network) => Ok(network.to_dot()),
            SavedModel::Trees(trees) => Ok(trees.to_dot()),
            _ => Err(value_error("only sums of trees and networks can be drawn")),
        }
    }

    /// Explains the prediction for a query.
    #[pyo3(signature = (data, query, class_name, threshold, tries, allow_unknown, top))]
    #[expect(clippy::too_many_arguments, reason = "the options of an explanation, by name")]
    fn explain(
        &self,
        py: Python<'_>,
        data: &Bound<'_, Data>,
        query: &str,
        class_name: Option<String>,
        threshold: f64,
        tries: Option<usize>,
        allow_unknown: bool,
        top: usize,
    ) -> PyResult<Explained> {
        explain(py, &self.inner, data.get(), query, (class_name, threshold, tries, allow_unknown), top)
    }
}

/// Why examples have no scores.
enum Failed {
    Prepare(lrbm::PrepareError),
    Score(lrbm::ScoreError),
}

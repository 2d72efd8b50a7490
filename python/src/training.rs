//! Training, as `lrbm train` does it.

use std::path::Path;

use lrbm::params::{Unchecked, Value};
use lrbm::{
    Dataset, Example, ExampleSet, FitControl, Kind, LearnError, Learner, LrbmExplainable, Lrnn, Params, Preset,
    Progress, Resources, SavedModel, Task, Template, Trained, run_cancellable,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::data::Data;
use super::errors::{learn_error, param_error, parameter_name, texts, value_error};
use super::interrupt::{self, Report};
use super::model::Model;

/// Learns a model from examples, and returns it with the warnings of training.
///
/// `labels` replaces the labels of the selected examples, and `weights` their weights. `binary`
/// makes binary predicates of longer ones. `ensemble` is distilled by lrbm-explainable, and `rules`
/// is the template of lrnn.
#[pyfunction]
#[pyo3(signature = (data, indices, labels, weights, kind, params, preset, binary, symmetric, ensemble, rules, progress))]
#[expect(clippy::too_many_arguments, reason = "the options of training, by name")]
pub fn fit(
    py: Python<'_>,
    data: &Bound<'_, Data>,
    indices: Option<Vec<usize>>,
    labels: Option<Vec<u32>>,
    weights: Option<Vec<f64>>,
    kind: &str,
    params: Vec<(String, Bound<'_, PyAny>)>,
    preset: Option<&str>,
    binary: bool,
    symmetric: bool,
    ensemble: Option<&Bound<'_, Model>>,
    rules: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, Vec<String>)> {
    let data = data.get();
    let kind = Kind::find(kind).map_err(value_error)?;
    let params = checked(data.dataset(), kind, &params, preset)?;
    let examples = select(data, indices, labels, weights)?;
    let changed = changed(data, &examples, &params, (binary, symmetric), ensemble)?;
    let set = match &changed {
        Some(dataset) => ExampleSet::from(dataset),
        None => ExampleSet { examples: &examples, ..ExampleSet::from(data.dataset()) },
    };
    let given = match (ensemble, rules) {
        (Some(model), _) => match &model.get().inner {
            SavedModel::Trees(trees) => Given::Ensemble(Box::new(LrbmExplainable {
                // If the preset was chosen, it is that of the ensemble.
                params: params.resolved(&trees.header.parameters).typed().map_err(value_error)?,
                from: Some(trees.clone()),
            })),
            _ => return Err(value_error("only sums of trees can be distilled")),
        },
        (None, Some(text)) => Given::Template(Box::new(Lrnn {
            params: params.typed().map_err(value_error)?,
            template: Some(template(text, set)?),
        })),
        (None, None) => Given::Nothing(&params),
    };
    let learned = interrupt::run(py, progress.as_ref(), |token, report| given.fit(set, params.seed(), token, report))?;
    let Trained { model, warnings, .. } = learned.map_err(learn_error)?;
    let mut found = lrbm::Diagnostics::default();
    warnings.into_iter().for_each(|warning| found.push(warning));
    Ok((Model { inner: model }, texts(&found)))
}

fn checked(
    data: &Dataset,
    kind: Kind,
    params: &[(String, Bound<'_, PyAny>)],
    preset: Option<&str>,
) -> PyResult<Params> {
    let mut unchecked = Unchecked::new(kind).background(data.database.schema.parameters());
    if let Some(name) = preset {
        unchecked = unchecked.preset(Preset::find(name).map_err(value_error)?);
    }
    for (name, given) in params {
        unchecked = unchecked.spec(name, value(name, given)?);
    }
    unchecked.check().map_err(param_error)
}

/// Returns a parameter as the library takes it; numbers of NumPy are numbers.
fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(flag) = given.extract::<bool>() {
        return Ok(Value::Bool(flag));
    }
    if let Ok(integer) = given.extract::<i64>() {
        return Ok(Value::Integer(integer));
    }
    if let Ok(number) = given.extract::<f64>() {
        return Ok(Value::Number(number));
    }
    match given.extract::<String>() {
        Ok(text) => Ok(Value::Text(text)),
        Err(_) => Err(PyTypeError::new_err(format!(
            "`{}` must be a number, a bool or a string, got {}",
            parameter_name(name),
            given.get_type().name()?
        ))),
    }
}

/// Returns the selected examples in the order of loading, positives first.
fn select(
    data: &Data,
    indices: Option<Vec<usize>>,
    labels: Option<Vec<u32>>,
    weights: Option<Vec<f64>>,
) -> PyResult<Vec<Example>> {
    let ranks = data.ranks(indices)?;
    if let Some(weights) = &weights {
        check_weights(weights, ranks.len())?;
    }
    if let Some(labels) = labels.as_ref().filter(|labels| labels.len() != ranks.len()) {
        return Err(value_error(format!("{} labels for {} examples", labels.len(), ranks.len())));
    }
    let classes = data.dataset().database.classes_of(data.dataset().target);
    let mut examples: Vec<(usize, Example)> = Vec::with_capacity(ranks.len());
    for (position, &rank) in ranks.iter().enumerate() {
        let mut example = data.dataset().examples[rank].clone();
        if let Some(labels) = &labels {
            match classes {
                Some(names) if labels[position] as usize >= names.len() => {
                    return Err(value_error(format!("class {} of {}", labels[position], names.len())));
                }
                Some(_) => example.class = labels[position],
                None => example.positive = labels[position] != 0,
            }
        }
        if let Some(weights) = &weights {
            example.weight = weights[position];
        }
        examples.push((rank, example));
    }
    examples.sort_by_key(|(rank, example)| (!example.positive, *rank));
    Ok(examples.into_iter().map(|(_, example)| example).collect())
}

/// Largest weight of an example, as in files.
const MAX_WEIGHT: f64 = 1000.0;

fn check_weights(weights: &[f64], examples: usize) -> PyResult<()> {
    if weights.len() != examples {
        return Err(value_error(format!("`sample_weight` has {} values for {examples} examples", weights.len())));
    }
    match weights.iter().position(|weight| !(0.0..=MAX_WEIGHT).contains(weight)) {
        Some(at) => Err(value_error(format!(
            "`sample_weight` must be between 0 and {MAX_WEIGHT}, got {} for example {at}",
            weights[at]
        ))),
        None => Ok(()),
    }
}

/// Returns the data with changed evidence, if training needs others: binary predicates, or the
/// positives as evidence.
fn changed(
    data: &Data,
    examples: &[Example],
    params: &Params,
    (binary, symmetric): (bool, bool),
    ensemble: Option<&Bound<'_, Model>>,
) -> PyResult<Option<Dataset>> {
    use lrbm::{Model as _, Stored};
    let inherited = ensemble.and_then(|model| model.get().inner.signature().recursive);
    let recursive = (params.recursive() || inherited.is_some()) && data.dataset().database.classes.is_none();
    if symmetric && !recursive {
        return Err(value_error("`symmetric` requires `recursive=True`"));
    }
    if !binary && !recursive && ensemble.is_none() {
        return Ok(None);
    }
    let mut dataset = data.with_examples(examples.to_vec());
    let time = dataset.database.time_rule().cloned();
    if binary {
        dataset.make_binary(time.as_ref()).map_err(value_error)?;
    } else if let Some(model) = ensemble {
        let predicates = model.get().inner.predicates();
        dataset.make_binary_for(predicates, time.as_ref()).map_err(value_error)?;
    }
    if recursive {
        let symmetric = symmetric || inherited.is_some_and(|recursion| recursion.symmetric);
        dataset.add_positives_to_evidence(symmetric, time.as_ref()).map_err(value_error)?;
    }
    Ok(Some(dataset))
}

fn template(text: &str, set: ExampleSet<'_>) -> PyResult<Template> {
    let predicates = &set.database.predicates;
    let rules = lrbm::parse_rules(Path::new("rules"), text).map_err(value_error)?;
    let target = (predicates.name(set.target), predicates.arity(set.target));
    let template = Template::from_rules(&rules, target).map_err(value_error)?;
    let unknown = template.check_names(set.database);
    if unknown.has_errors() { Err(value_error(unknown)) } else { Ok(template) }
}

/// What learns.
enum Given<'a> {
    Nothing(&'a Params),
    Ensemble(Box<LrbmExplainable>),
    Template(Box<Lrnn>),
}

impl Given<'_> {
    fn fit(
        &self,
        set: ExampleSet<'_>,
        seed: u64,
        token: &lrbm::CancelToken,
        report: Report<'_>,
    ) -> Result<Trained<SavedModel>, LearnError> {
        let mut progress = |progress: Progress<'_>| report(progress.done, progress.of);
        let ExampleSet { database, target, examples } = set;
        let task = Task { database, target, examples, seed, resources: Resources::default() };
        let stopped = |stopped: lrbm::Stopped| match stopped {
            lrbm::Stopped::Cancelled => LearnError::Cancelled,
            lrbm::Stopped::Threads(error) => LearnError::Threads(error.to_string()),
        };
        match self {
            Given::Nothing(params) => {
                let cancel = Some(token.clone());
                params.fit_with(set, FitControl { progress: Some(&mut progress), cancel, ..FitControl::default() })
            }
            Given::Ensemble(learner) => {
                run_cancellable(token, || learner.fit(&task, &mut progress)).map_err(stopped)?.map(Trained::saved)
            }
            Given::Template(learner) => {
                run_cancellable(token, || learner.fit(&task, &mut progress)).map_err(stopped)?.map(Trained::saved)
            }
        }
    }
}

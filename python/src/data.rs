//! Loaded data: facts, modes and labeled examples.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lrbm::{
    Benchmark, DataSource, DataSources, Dataset, Domain, Example, LoadCounts, LoadOptions, Model as _, PrepareOptions,
    Purpose, SavedModel, ScoreError, SplitOptions, Store, Stored, TimeRule, TimeSource, Variant, adapt, load, prepare,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::errors::{load_error, prepare_error, texts, value_error};
use super::interrupt;
use super::model::Model;

/// A part of a dataset: the name of a text and the text, or the path of a file and `None`.
type Part = Option<(PathBuf, Option<String>)>;

/// The predicate that gives an entity its time, and predicates timed by their first argument.
type Time = Option<(String, Vec<String>)>;

/// Data as they are loaded. The examples have the order of their files: positives, then negatives.
#[pyclass(frozen, module = "lrbm._core")]
pub struct Data {
    dataset: Arc<Dataset>,
}

fn sources(pos: Part, neg: Part, facts: Part, background: Part) -> DataSources {
    let source = |part: Part| {
        part.map(|(name, text)| match text {
            Some(text) => DataSource::text(name, text),
            None => DataSource::from(name),
        })
    };
    DataSources { positives: source(pos), negatives: source(neg), facts: source(facts), background: source(background) }
}

fn time_rule(time: Time) -> Option<TimeRule> {
    time.map(|(predicate, by_argument)| TimeRule { source: TimeSource::Predicate(predicate), by_argument })
}

#[pymethods]
impl Data {
    /// Loads data with a target.
    #[staticmethod]
    #[pyo3(signature = (pos, neg, facts, background, target, needs_modes, time))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a dataset, by name")]
    fn load(
        py: Python<'_>,
        pos: Part,
        neg: Part,
        facts: Part,
        background: Part,
        target: Option<String>,
        needs_modes: bool,
        time: Time,
    ) -> PyResult<Data> {
        let sources = sources(pos, neg, facts, background);
        let options = LoadOptions { target, needs_modes, time: time_rule(time), ..LoadOptions::default() };
        let loaded = interrupt::cancellable(py, || load(&sources, &options))?;
        loaded.map(Data::from).map_err(|error| load_error(py, &error))
    }

    /// Loads data under the conditions of a model's training; a query needs no examples.
    #[staticmethod]
    #[pyo3(signature = (model, pos, neg, facts, background, query, time))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a dataset, by name")]
    fn prepare(
        py: Python<'_>,
        model: &Bound<'_, Model>,
        pos: Part,
        neg: Part,
        facts: Part,
        background: Part,
        query: bool,
        time: Time,
    ) -> PyResult<Data> {
        let model = &model.get().inner;
        let sources = sources(pos, neg, facts, background);
        let options = PrepareOptions { background: None, time: time_rule(time) };
        let purpose = if query { Purpose::Query } else { Purpose::Score };
        let loaded = interrupt::cancellable(py, || prepare(model, &sources, &options, purpose))?;
        loaded.map(Data::from).map_err(|error| prepare_error(py, &error))
    }

    /// Opens a dataset by its id, and returns the training and the test side of a fold, from 1.
    #[staticmethod]
    fn fold(py: Python<'_>, id: &str, fold: usize, seed: u64, store: Option<PathBuf>) -> PyResult<(Data, Data)> {
        let store = Store::open(store.unwrap_or_else(Store::default_directory));
        let read = || {
            let benchmark = Benchmark::open(id, &store, &Variant::default()).map_err(|error| error.to_string())?;
            let split = SplitOptions::new(seed);
            let count = benchmark.fold_count(&split).map_err(|error| error.to_string())?;
            if fold == 0 || fold > count {
                return Err(format!("fold {fold}: {id} has folds 1 to {count}"));
            }
            let sides = benchmark.fold(fold - 1, &split).map_err(|error| error.to_string())?;
            let warnings = benchmark.warnings().clone();
            let data = [sides.train, sides.test].map(|side| Dataset {
                file_order: (0..side.examples.len() as u32).collect(),
                database: Arc::unwrap_or_clone(side.database),
                target: side.target,
                examples: side.examples,
                counts: LoadCounts::default(),
                warnings: warnings.clone(),
            });
            Ok(data.map(Data::from))
        };
        let sides: Result<[Data; 2], String> = interrupt::cancellable(py, read)?;
        sides.map(Into::into).map_err(value_error)
    }

    fn __len__(&self) -> usize {
        self.dataset.examples.len()
    }

    /// Returns the name and the arity of the target.
    #[getter]
    fn target(&self) -> (String, usize) {
        let predicates = &self.dataset.database.predicates;
        (predicates.name(self.dataset.target).to_owned(), predicates.arity(self.dataset.target))
    }

    /// Returns the names of the classes, or `None` for a boolean target.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        self.dataset.database.classes_of(self.dataset.target).map(<[String]>::to_vec)
    }

    /// Returns the number of repeated examples, which are kept once.
    #[getter]
    fn duplicates(&self) -> u64 {
        self.dataset.counts.duplicate_examples
    }

    /// Returns the other predicates that the examples have.
    #[getter]
    fn other_targets(&self) -> Vec<String> {
        self.dataset.counts.other_examples.keys().cloned().collect()
    }

    /// Returns the label of each example: 0 or 1, or the index of its class.
    fn labels(&self) -> Vec<u32> {
        let classes = self.dataset.database.classes_of(self.dataset.target).is_some();
        let label = |example: &Example| if classes { example.class } else { u32::from(example.positive) };
        self.in_file_order().map(label).collect()
    }

    /// Returns the weight of each example.
    fn weights(&self) -> Vec<f64> {
        self.in_file_order().map(|example| example.weight).collect()
    }

    /// Returns the examples as atoms.
    fn atoms(&self, indices: Vec<usize>) -> PyResult<Vec<String>> {
        let atom =
            |&rank: &usize| self.dataset.database.show_atom(self.dataset.target, &self.dataset.examples[rank].args);
        Ok(self.ranks(Some(indices))?.iter().map(atom).collect())
    }

    /// Returns the warnings of loading.
    fn warnings(&self) -> Vec<String> {
        texts(&self.dataset.warnings)
    }
}

impl From<Dataset> for Data {
    fn from(dataset: Dataset) -> Self {
        Data { dataset: Arc::new(dataset) }
    }
}

impl Data {
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    fn in_file_order(&self) -> impl Iterator<Item = &Example> {
        self.dataset.file_order.iter().map(|&rank| &self.dataset.examples[rank as usize])
    }

    /// Returns the positions among the loaded examples of those with the given indices; of all
    /// without any.
    pub fn ranks(&self, indices: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        let order = &self.dataset.file_order;
        let rank = |index: usize| {
            let outside = || PyIndexError::new_err(format!("example {index}: there are {} examples", order.len()));
            order.get(index).map(|&rank| rank as usize).ok_or_else(outside)
        };
        match indices {
            None => Ok(order.iter().map(|&rank| rank as usize).collect()),
            Some(indices) => indices.into_iter().map(rank).collect(),
        }
    }

    /// Checks that the examples are of the target of a model.
    pub fn check_target(&self, model: &SavedModel) -> Result<(), String> {
        let (name, arity) = self.target();
        if (name.as_str(), arity) != (model.target_name(), model.target_arity()) {
            let (known, known_arity) = (model.target_name(), model.target_arity());
            return Err(format!(
                "the model predicts {known}/{known_arity}, and the examples are of {name}/{arity}: pass examples of {known}"
            ));
        }
        Ok(())
    }

    /// Checks that a model has the classes of the examples.
    pub fn check_classes(&self, model: &SavedModel) -> Result<(), ScoreError> {
        match (model.classes(), self.classes()) {
            (Some(names), Some(own)) => match own.into_iter().find(|class| !names.contains(class)) {
                Some(class) => Err(ScoreError::UnknownClass { model: names.join(", "), class }),
                None => Ok(()),
            },
            (None, Some(own)) => Err(ScoreError::NoClasses { classes: own.join(", ") }),
            // The second of two classes is that of the positives.
            (Some(names), None) if names.len() > 2 => Err(ScoreError::Classes { classes: names.join(", ") }),
            _ => Ok(()),
        }
    }

    /// Returns a dataset of its own with other examples, to change its evidence.
    pub fn with_examples(&self, examples: Vec<Example>) -> Dataset {
        let Dataset { database, target, counts, warnings, .. } = &*self.dataset;
        Dataset {
            database: database.clone(),
            target: *target,
            file_order: (0..examples.len() as u32).collect(),
            examples,
            counts: counts.clone(),
            warnings: warnings.clone(),
        }
    }

    /// Returns the data as a model needs them, if it needs others: with binary predicates, or with
    /// facts of the target as evidence.
    pub fn adapted(&self, model: &SavedModel) -> Result<Option<Dataset>, lrbm::PrepareError> {
        let known = &self.dataset.database.predicates;
        let predicates = model.predicates();
        let is_missing = |id| predicates.arity(id) == 2 && known.find(predicates.name(id), 2).is_none();
        let recursive = model.signature().recursive.is_some() && self.dataset.database.recursion.is_none();
        if !recursive && !predicates.iter().any(is_missing) {
            return Ok(None);
        }
        let mut data = self.with_examples(self.dataset.examples.clone());
        adapt(model, &mut data, Purpose::Score)?;
        Ok(Some(data))
    }
}

/// Returns the files of positives, negatives, facts and background in a directory.
#[pyfunction]
pub fn find_files(directory: PathBuf) -> [Option<PathBuf>; 4] {
    let DataSources { positives, negatives, facts, background } = DataSources::of_directory(&directory);
    [positives, negatives, facts, background].map(|source| source.map(|source| source.path().to_owned()))
}

/// Writes a generated domain into a directory, and returns its target.
#[pyfunction]
pub fn generate(py: Python<'_>, domain: &str, directory: PathBuf) -> PyResult<String> {
    let domain = Domain::find(domain).map_err(value_error)?;
    let written = py.detach(|| lrbm::write_directory(domain, &domain.settings(), Path::new(&directory)));
    written.map_err(value_error)?;
    Ok(domain.info().target.to_owned())
}

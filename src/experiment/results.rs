//! Reads a run directory back: the experiment, and every result that belongs to it.
//!
//! The data are not needed, so a run directory can be copied elsewhere and analyzed there. A result
//! counts if its key follows from the stored spec; a result left over from another spec is stale.

use std::path::{Path, PathBuf};

use super::job::Job;
use super::spec::{Experiment, ExperimentDataset, SpecError};
use super::store::{
    self, Damage, JobRecord, MODEL, Outcome, PREDICTIONS, Prediction, RunStore, RunStoreError, SPEC, Status,
};
use crate::determinism::{IndexMap, IndexSet};
use crate::files::json::FileError;
use crate::learn::SavedModel;
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Reason why the results of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The directory holds no run.
    #[error("{}: not a run directory: {SPEC} is missing; give the directory that `lrbm run` wrote, such as results/runs/quick", .0.display())]
    NoRun(PathBuf),
    /// The stored spec is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A file of a job cannot be read.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// The model of a job cannot be read.
    #[error(transparent)]
    Model(#[from] FileError),
}

/// The content of a run directory.
#[derive(Clone, Debug)]
pub struct Results {
    /// The run directory.
    pub root: PathBuf,
    /// The experiment, from the stored spec.
    pub experiment: Experiment,
    /// Jobs that ended, in the order of the spec.
    pub stored: Vec<StoredJob>,
    /// Number of jobs of the experiment.
    pub planned: usize,
    /// Number of results whose key does not follow from the stored spec.
    pub stale: usize,
    /// Damaged results, which do not count.
    pub damaged: Vec<DamagedJob>,
    /// Datasets without results that were skipped because their data were not available.
    pub skipped: Vec<String>,
}

/// A result that was modified after it was written.
#[derive(Clone, Debug)]
pub struct DamagedJob {
    /// Row of the result.
    pub key: RowKey,
    /// Description of the damage.
    pub damage: Damage,
}

/// A job that ended.
#[derive(Clone, Debug)]
pub struct StoredJob {
    /// Directory relative to the run directory.
    pub directory: PathBuf,
    /// Content of its `run.json`.
    pub record: JobRecord,
}

impl StoredJob {
    /// Returns the value of a metric, if it is defined.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.record.result.as_ref()?.metric(column)
    }

    /// Returns whether the job has a result.
    pub fn is_done(&self) -> bool {
        self.record.status == Status::Done
    }
}

/// Identity of a row in tables of results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// The preset; empty without one.
    pub preset: String,
    /// Sweep settings as text; empty without a sweep.
    pub case: String,
}

impl RowKey {
    /// Returns the row of a record.
    pub fn of(record: &JobRecord) -> Self {
        let row = &record.row;
        let [dataset, model, preset, case] = [&row.dataset, &row.model, &row.preset, &row.case].map(Clone::clone);
        RowKey { dataset, model, preset, case }
    }

    /// Returns the row of a job.
    pub fn of_job(job: &Job) -> Self {
        let (dataset, model) = (job.dataset.name.clone(), job.model.clone());
        RowKey { dataset, model, preset: job.preset_name().to_owned(), case: job.case() }
    }

    /// Returns the model with its preset and case, as [`Job::label`] prints it.
    pub fn label(&self) -> String {
        super::job::label(&self.model, &self.preset, &self.case)
    }
}

/// The jobs of one row: all folds and seeds of a model on a dataset.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// Identity of the row.
    pub key: RowKey,
    /// Jobs that ended, ordered by seed and fold.
    pub jobs: Vec<&'r StoredJob>,
}

impl<'r> Group<'r> {
    /// Returns the jobs with a result.
    pub fn done(&self) -> impl Iterator<Item = &'r StoredJob> + '_ {
        self.jobs.iter().copied().filter(|stored| stored.is_done())
    }

    /// Returns the kind of the model.
    pub fn kind(&self) -> &'r str {
        self.jobs.first().map_or("", |stored| stored.record.row.kind.as_str())
    }

    /// Returns the metric per fold number, averaged over seeds; folds without a value are omitted.
    pub fn by_fold(&self, column: Column) -> Vec<(usize, f64)> {
        by_fold(self.jobs.iter().map(|stored| &stored.record), column)
    }

    /// Returns any number of a result per fold number, averaged over seeds.
    pub fn by_fold_of(&self, get: impl Fn(&Outcome) -> Option<f64>) -> Vec<(usize, f64)> {
        by_fold_of(self.jobs.iter().map(|stored| &stored.record), get)
    }

    /// Returns the mean of a metric over the folds that have it; `None` if none has.
    pub fn average(&self, column: Column) -> Option<Average> {
        let values: Vec<f64> = self.by_fold(column).into_iter().map(|(_, value)| value).collect();
        Average::of(&values)
    }
}

/// Returns the metric per fold number, averaged over seeds; folds without a value are omitted.
pub fn by_fold<'r>(records: impl IntoIterator<Item = &'r JobRecord>, column: Column) -> Vec<(usize, f64)> {
    by_fold_of(records, |outcome| outcome.metric(column))
}

fn by_fold_of<'r>(
    records: impl IntoIterator<Item = &'r JobRecord>,
    get: impl Fn(&Outcome) -> Option<f64>,
) -> Vec<(usize, f64)> {
    let mut folds: IndexMap<usize, Vec<f64>> = IndexMap::default();
    for record in records {
        if let Some(value) = record.result.as_ref().and_then(&get) {
            folds.entry(record.row.fold).or_default().push(value);
        }
    }
    folds.sort_unstable_keys();
    folds.into_iter().map(|(fold, seeds)| (fold, mean(&seeds))).collect()
}

/// Groups records into rows, in the order in which the rows first appear.
pub fn group<'r>(stored: impl IntoIterator<Item = &'r StoredJob>) -> Vec<Group<'r>> {
    let mut groups: IndexMap<RowKey, Vec<&'r StoredJob>> = IndexMap::default();
    for job in stored {
        groups.entry(RowKey::of(&job.record)).or_default().push(job);
    }
    groups.into_iter().map(|(key, jobs)| Group { key, jobs }).collect()
}

impl Results {
    /// Reads a run directory.
    ///
    /// # Errors
    /// If it holds no run, or its spec is invalid. Damaged results are listed, not an error.
    pub fn read(root: &Path) -> Result<Results, ResultsError> {
        let spec = root.join(SPEC);
        if !spec.is_file() {
            return Err(ResultsError::NoRun(root.to_owned()));
        }
        let experiment = Experiment::read_frozen(&spec)?;
        let store = RunStore::new(root);
        let skipped = store.skipped();
        let mut results = Results {
            root: root.to_owned(),
            experiment,
            stored: Vec::new(),
            planned: 0,
            stale: 0,
            damaged: Vec::new(),
            skipped,
        };
        for part in &results.experiment.datasets {
            let Experiment { seeds, limits, .. } = &results.experiment;
            let folds = part.folds.or_else(|| recorded_folds(part, seeds, &store));
            let Some(folds) = folds.or_else(|| part.source.known_folds()) else { continue };
            let mut is_empty = true;
            for job in part.jobs(seeds, folds, *limits) {
                results.planned += 1;
                let read_record = store.read_record(&job);
                is_empty &= matches!(read_record, Ok(None));
                match read_record {
                    Ok(Some(record)) if belongs_to(&job, &record) => {
                        results.stored.push(StoredJob { directory: job.directory(), record });
                    }
                    Ok(Some(_)) => results.stale += 1,
                    Ok(None) => {}
                    Err(damage) => results.damaged.push(DamagedJob { key: RowKey::of_job(&job), damage }),
                }
            }
            if !is_empty {
                results.skipped.retain(|name| *name != part.source.name);
            }
        }
        Ok(results)
    }

    /// Returns the rows: each dataset with each model, in the order of the spec.
    pub fn groups(&self) -> Vec<Group<'_>> {
        group(&self.stored)
    }

    /// Returns the names of the datasets with results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.stored.iter().map(|stored| stored.record.row.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// Returns the mandatory table footnotes as pairs of dataset and text.
    pub fn footnotes(&self) -> Vec<(&str, &str)> {
        let notes: IndexSet<(&str, &str)> = self
            .stored
            .iter()
            .filter_map(|stored| {
                let footnote = stored.record.data.as_ref()?.footnote.as_deref()?;
                Some((stored.record.row.dataset.as_str(), footnote))
            })
            .collect();
        notes.into_iter().collect()
    }

    /// Reads the predictions of a job on its test examples.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn predictions(&self, stored: &StoredJob) -> Result<Vec<Prediction>, ResultsError> {
        Ok(store::read_predictions(&self.root.join(&stored.directory).join(PREDICTIONS))?)
    }

    /// Reads the model of a job.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn model(&self, stored: &StoredJob) -> Result<SavedModel, ResultsError> {
        Ok(SavedModel::load(&self.root.join(&stored.directory).join(MODEL))?)
    }

    /// Returns the stored spec as text.
    pub fn spec(&self) -> &str {
        &self.experiment.frozen
    }
}

/// Returns whether a record belongs to this job: equal keys up to the data checksum.
fn belongs_to(job: &Job, record: &JobRecord) -> bool {
    job.key(&record.key.data_checksum).id() == record.id
}

/// Returns the recorded number of folds of a dataset, where the spec does not fix it.
fn recorded_folds(part: &ExperimentDataset, seeds: &[u64], store: &RunStore) -> Option<usize> {
    // Any recorded fold carries the total number of folds.
    const MAX_FOLDS: usize = 64;
    part.jobs(seeds, MAX_FOLDS, Default::default()).iter().find_map(|job| Some(store.record(job)?.key.folds))
}

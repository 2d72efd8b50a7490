//! Reads a run directory back: the experiment, and every result that belongs to it.
//!
//! The data are not needed, so a run directory can be copied elsewhere and analyzed there. A result
//! counts if its key follows from the stored spec; a result left over from another spec is stale.

use std::path::{Path, PathBuf};

use super::external::environment::Environment;
use super::frame::{Group, JobFrame, RowKey, Schema, StoredJob};
use super::job::Job;
use super::spec::{Experiment, ExperimentDataset, SpecError};
use super::store::{
    self, Damage, JobRecord, MODEL, PREDICTIONS, Prediction, RunStore, RunStoreError, SCORES, SPEC, STEPS_TO_READ,
};
use crate::determinism::IndexSet;
use crate::files::json::FileError;
use crate::files::visible::ShownPath;
use crate::learn::SavedModel;
use crate::parallel;

/// Reason why the results of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The directory holds no run.
    #[error("{}: not a run directory: {SPEC} is missing; give the directory that `lrbm run` wrote, such as results/runs/quick", .0.shown())]
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
    /// Jobs that ended, in the order of the spec, without trials.
    pub stored: JobFrame,
    /// Trials of tuned jobs that ended, in the order of the spec. They are apart, so that they
    /// enter no table, test or gate of the outer jobs.
    pub trials: Vec<StoredJob>,
    /// Number of jobs of the experiment, without trials.
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
        let environment = Environment::read(root);
        let mut skipped = store.skipped();
        let (mut jobs, mut stored, mut stale, mut damaged) = (Vec::new(), Vec::new(), 0, Vec::new());
        let mut trials = Vec::new();
        for part in &experiment.datasets {
            let folds = part.folds.or_else(|| recorded_folds(part, &store));
            let Some(folds) = folds.or_else(|| part.source.known_folds()) else { continue };
            let mut of_part = part.jobs(&part.seeds, folds, experiment.limits);
            if let Some(environment) = &environment {
                of_part.iter_mut().for_each(|job| environment.apply(job));
            }
            let read = parallel::map(&of_part, STEPS_TO_READ, |job| read(job, &store));
            if !read.iter().all(|read| matches!(read, ReadJob::Absent)) {
                skipped.retain(|name| *name != part.source.name);
            }
            for read in read {
                match read {
                    ReadJob::Absent => {}
                    ReadJob::Stored(job) if job.record.row.trial.is_some() => trials.push(*job),
                    ReadJob::Stored(job) => stored.push(*job),
                    ReadJob::Stale => stale += 1,
                    ReadJob::Damaged(job) => damaged.push(job),
                }
            }
            of_part.retain(|job| job.trial.is_none());
            jobs.extend(of_part);
        }
        let stored = JobFrame::new(Schema::of(jobs.iter()), stored).map_err(RunStoreError::Frame)?;
        Ok(Results { root: root.to_owned(), experiment, stored, trials, planned: jobs.len(), stale, damaged, skipped })
    }

    /// Returns the rows: each dataset with each model, in the order of the spec.
    pub fn groups(&self) -> Vec<Group<'_>> {
        self.stored.groups()
    }

    /// Returns the names of the datasets with results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.stored.iter().map(|stored| stored.record.row.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// Reads the predictions of a job on its test examples; without the examples and
    /// probabilities if only compact scores are stored. `None` if neither is.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn predictions(&self, stored: &StoredJob) -> Result<Option<Vec<Prediction>>, ResultsError> {
        let directory = self.root.join(&stored.directory);
        if stored.has_file(PREDICTIONS) {
            return Ok(Some(store::read_predictions(&directory.join(PREDICTIONS))?));
        }
        if stored.has_file(SCORES) {
            return Ok(Some(store::read_scores(&directory.join(SCORES))?));
        }
        Ok(None)
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

/// What the run directory holds of a job.
enum ReadJob {
    Absent,
    Stored(Box<StoredJob>),
    /// A result of another spec.
    Stale,
    Damaged(DamagedJob),
}

fn read(job: &Job, store: &RunStore) -> ReadJob {
    match store.read_record(job) {
        Ok(None) => ReadJob::Absent,
        Ok(Some(record)) if belongs_to(job, &record) => {
            ReadJob::Stored(Box::new(StoredJob { directory: job.directory(), record }))
        }
        Ok(Some(_)) => ReadJob::Stale,
        // The outer job has chosen; a damaged trial runs again with the next run.
        Err(_) if job.trial.is_some() => ReadJob::Absent,
        Err(damage) => ReadJob::Damaged(DamagedJob { key: RowKey::of_job(job), damage }),
    }
}

/// Returns whether a record belongs to this job: equal keys up to the data checksum.
fn belongs_to(job: &Job, record: &JobRecord) -> bool {
    job.key(&record.key.data_checksum).id() == record.id
}

/// Returns the recorded number of folds of a dataset, where the spec does not fix it.
fn recorded_folds(part: &ExperimentDataset, store: &RunStore) -> Option<usize> {
    // Any recorded fold carries the total number of folds.
    const MAX_FOLDS: usize = 64;
    part.jobs(&part.seeds, MAX_FOLDS, Default::default()).iter().find_map(|job| Some(store.record(job)?.key.folds))
}

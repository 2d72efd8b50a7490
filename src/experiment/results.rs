//! What a run directory holds, read back: the experiment, and every result that is its own.
//!
//! The data are not needed, so results can be looked at wherever their directory is copied to. A result counts if it
//! was made with what the frozen spec says; one that a changed spec left behind does not.

use std::path::{Path, PathBuf};

use super::job::Job;
use super::spec::{Experiment, Part, SpecError};
use super::store::{
    self, Damage, MODEL, Outcome, PREDICTIONS, Prediction, Record, RunStore, RunStoreError, SPEC, Status,
};
use crate::determinism::{IndexMap, IndexSet};
use crate::files::json::FileError;
use crate::learn::SavedModel;
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

/// Why the results of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// There is no run.
    #[error("{}: there is no run here: it has no {SPEC}; give the directory that `lrbm run` wrote, such as results/runs/quick", .0.display())]
    NoRun(PathBuf),
    /// Its spec is not one.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A file of a job cannot be read.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// The model of a job cannot be read.
    #[error(transparent)]
    Model(#[from] FileError),
}

/// A run directory as it lies there.
#[derive(Clone, Debug)]
pub struct Results {
    /// The run directory.
    pub root: PathBuf,
    /// The experiment, from the frozen spec.
    pub experiment: Experiment,
    /// Every job that has ended, in the order of the spec.
    pub stored: Vec<Stored>,
    /// How many jobs the experiment has.
    pub planned: usize,
    /// How many results are there that were made with something else than the spec says.
    pub stale: usize,
    /// Results that are not as they were written, and do not count.
    pub damaged: Vec<Damaged>,
    /// Datasets that were left out because their data were not there, and of which there is nothing.
    pub skipped: Vec<String>,
}

/// A result that is not as it was written.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// The row it would be of.
    pub key: RowKey,
    /// What is wrong with it.
    pub damage: Damage,
}

/// A job that has ended.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its directory below the run directory.
    pub directory: PathBuf,
    /// What is known of it.
    pub record: Record,
}

impl Stored {
    /// The value of a metric, if there is one.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.record.result.as_ref()?.metric(column)
    }

    /// Whether it has a result.
    pub fn is_done(&self) -> bool {
        self.record.status == Status::Done
    }
}

/// What tells the rows of a table of results apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    /// The name of the dataset.
    pub dataset: String,
    /// The name of the model.
    pub model: String,
    /// The preset; empty without one.
    pub preset: String,
    /// What the sweep sets, as text; empty without one.
    pub case: String,
}

impl RowKey {
    /// The row of a record.
    pub fn of(record: &Record) -> Self {
        let row = &record.row;
        let [dataset, model, preset, case] = [&row.dataset, &row.model, &row.preset, &row.case].map(Clone::clone);
        RowKey { dataset, model, preset, case }
    }

    /// The row of a job.
    pub fn of_job(job: &Job) -> Self {
        let (dataset, model) = (job.dataset.name.clone(), job.model.clone());
        RowKey { dataset, model, preset: job.preset_name().to_owned(), case: job.case() }
    }

    /// The model with its preset and case, as [`Job::label`] prints it.
    pub fn label(&self) -> String {
        super::job::label(&self.model, &self.preset, &self.case)
    }
}

/// The jobs of one row: all folds and seeds of a model on a dataset.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// The row.
    pub key: RowKey,
    /// Its jobs that have ended, in the order of seeds and folds.
    pub jobs: Vec<&'r Stored>,
}

impl<'r> Group<'r> {
    /// The jobs with a result.
    pub fn done(&self) -> impl Iterator<Item = &'r Stored> + '_ {
        self.jobs.iter().copied().filter(|stored| stored.is_done())
    }

    /// The kind of the model.
    pub fn kind(&self) -> &'r str {
        self.jobs.first().map_or("", |stored| stored.record.row.kind.as_str())
    }

    /// The value of a metric for each fold that has it, seeds averaged first, by number of fold.
    pub fn by_fold(&self, column: Column) -> Vec<(usize, f64)> {
        by_fold(self.jobs.iter().map(|stored| &stored.record), column)
    }

    /// The same of any number that a result has.
    pub fn by_fold_of(&self, get: impl Fn(&Outcome) -> Option<f64>) -> Vec<(usize, f64)> {
        by_fold_of(self.jobs.iter().map(|stored| &stored.record), get)
    }

    /// The mean of a metric over the folds that have it; `None` if none has.
    pub fn average(&self, column: Column) -> Option<Average> {
        let values: Vec<f64> = self.by_fold(column).into_iter().map(|(_, value)| value).collect();
        Average::of(&values)
    }
}

/// The value of a metric for each fold that has it, seeds averaged first, by number of fold.
pub fn by_fold<'r>(records: impl IntoIterator<Item = &'r Record>, column: Column) -> Vec<(usize, f64)> {
    by_fold_of(records, |outcome| outcome.metric(column))
}

fn by_fold_of<'r>(
    records: impl IntoIterator<Item = &'r Record>,
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

/// Gathers records that stand in some order into rows, in the order in which rows first appear.
pub fn group<'r>(stored: impl IntoIterator<Item = &'r Stored>) -> Vec<Group<'r>> {
    let mut groups: IndexMap<RowKey, Vec<&'r Stored>> = IndexMap::default();
    for job in stored {
        groups.entry(RowKey::of(&job.record)).or_default().push(job);
    }
    groups.into_iter().map(|(key, jobs)| Group { key, jobs }).collect()
}

impl Results {
    /// Reads a run directory.
    ///
    /// # Errors
    /// If it holds no run, or its spec is damaged. Damaged results are none; they are listed.
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
                let held = store.held(&job);
                is_empty &= matches!(held, Ok(None));
                match held {
                    Ok(Some(record)) if is_of(&job, &record) => {
                        results.stored.push(Stored { directory: job.directory(), record });
                    }
                    Ok(Some(_)) => results.stale += 1,
                    Ok(None) => {}
                    Err(damage) => results.damaged.push(Damaged { key: RowKey::of_job(&job), damage }),
                }
            }
            if !is_empty {
                results.skipped.retain(|name| *name != part.source.name);
            }
        }
        Ok(results)
    }

    /// The rows: each dataset with each model, in the order of the spec.
    pub fn groups(&self) -> Vec<Group<'_>> {
        group(&self.stored)
    }

    /// The names of the datasets that have results, in the order of the spec.
    pub fn datasets(&self) -> Vec<&str> {
        let names: IndexSet<&str> = self.stored.iter().map(|stored| stored.record.row.dataset.as_str()).collect();
        names.into_iter().collect()
    }

    /// What every table must say of datasets, each with the name of the dataset.
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

    /// What the model of a job said of its test examples.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn predictions(&self, stored: &Stored) -> Result<Vec<Prediction>, ResultsError> {
        Ok(store::read_predictions(&self.root.join(&stored.directory).join(PREDICTIONS))?)
    }

    /// The model of a job.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn model(&self, stored: &Stored) -> Result<SavedModel, ResultsError> {
        Ok(SavedModel::load(&self.root.join(&stored.directory).join(MODEL))?)
    }

    /// The frozen spec as text.
    pub fn spec(&self) -> &str {
        &self.experiment.frozen
    }
}

/// Whether a record is of this very job: the same key, whatever the data are.
fn is_of(job: &Job, record: &Record) -> bool {
    job.key(&record.key.data_checksum).id() == record.id
}

/// The number of folds that the results of a dataset were made with, where the spec leaves it to the data.
fn recorded_folds(part: &Part, seeds: &[u64], store: &RunStore) -> Option<usize> {
    // Whichever fold was done first tells how many there are.
    const MOST: usize = 64;
    part.jobs(seeds, MOST, Default::default()).iter().find_map(|job| Some(store.record(job)?.key.folds))
}

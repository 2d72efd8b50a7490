//! The data of jobs: each dataset is read once, each fold is made once.

use std::sync::Arc;
use std::time::Instant;

use super::shared::Shared;
use crate::data::dataset::Dataset;
use crate::data::split::Fold;
use crate::data::store::Store;
use crate::experiment::Job;

/// The name of a dataset and its variant: a sweep may take several variants of one.
type SourceKey = (String, String);
/// What the split of a job depends on beside its dataset: folds, negatives as bits, seed, fold, and whether it is recursive.
type SplitKey = (Option<usize>, u64, u64, usize, bool);

fn source_key(job: &Job) -> SourceKey {
    (job.dataset.name.clone(), serde_json::to_string(&job.dataset.variant).unwrap_or_default())
}

fn split_key(job: &Job) -> SplitKey {
    (job.split.folds, job.split.negatives_per_positive.to_bits(), job.split.seed, job.fold, job.split.recursive)
}

/// Datasets and folds in use.
#[derive(Debug)]
pub struct Data<'a> {
    store: &'a Store,
    datasets: Shared<SourceKey, Dataset, String>,
    folds: Shared<(SourceKey, SplitKey), Fold, String>,
}

impl<'a> Data<'a> {
    /// Nothing read yet, for these jobs.
    pub fn new<'j>(store: &'a Store, jobs: impl Iterator<Item = &'j Job> + Clone) -> Self {
        Data {
            store,
            datasets: Shared::new(jobs.clone().map(source_key)),
            folds: Shared::new(jobs.map(|job| (source_key(job), split_key(job)))),
        }
    }

    /// The dataset of a job; `opened` hears of it if it had to be read, and how long that took.
    pub fn dataset(&self, job: &Job, opened: impl FnOnce(&Dataset, f64)) -> Result<Arc<Dataset>, String> {
        self.datasets.get(&source_key(job), || {
            let began = Instant::now();
            let dataset = job.dataset.open(self.store).map_err(|error| error.to_string())?;
            opened(&dataset, began.elapsed().as_secs_f64());
            Ok(dataset)
        })
    }

    /// The fold of a job.
    pub fn fold(&self, job: &Job, dataset: &Dataset) -> Result<Arc<Fold>, String> {
        let key = (source_key(job), split_key(job));
        self.folds.get(&key, || dataset.fold(job.fold, &job.split).map_err(|error| error.to_string()))
    }

    /// Says that a job has ended.
    pub fn release(&self, job: &Job) {
        self.folds.release(&(source_key(job), split_key(job)));
        self.datasets.release(&source_key(job));
    }
}

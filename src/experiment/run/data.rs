//! Data cache of a run: each dataset is read once, each fold is built once.

use std::sync::Arc;
use std::time::Instant;

use super::shared::Shared;
use crate::data::benchmark::Benchmark;
use crate::data::split::Fold;
use crate::data::store::Store;
use crate::experiment::job::Job;

/// Name and variant of a dataset: a sweep may use several variants of one.
type VariantKey = (String, String);
/// What a split depends on besides the dataset: folds, bits of the negative ratio and of the
/// fraction of the training examples, seed, fold, recursion, and the inner fold with their number.
type SplitKey = (Option<usize>, [u64; 2], u64, usize, bool, Option<(usize, usize)>);

fn variant_key(job: &Job) -> VariantKey {
    (job.dataset.name.clone(), serde_json::to_string(&job.dataset.variant).unwrap_or_default())
}

fn split_key(job: &Job) -> SplitKey {
    let split = &job.split;
    let ratios = [split.negatives_per_positive.to_bits(), split.train_fraction.to_bits()];
    let inner = job.trial.as_ref().map(|trial| (trial.id.inner_fold, trial.id.inner_folds));
    (split.folds, ratios, split.seed, job.fold, split.recursive, inner)
}

/// Datasets and folds in use.
#[derive(Debug)]
pub struct DataCache<'a> {
    store: &'a Store,
    datasets: Shared<VariantKey, Benchmark, String>,
    folds: Shared<(VariantKey, SplitKey), Fold, String>,
}

impl<'a> DataCache<'a> {
    /// Creates an empty cache for these jobs.
    pub fn new<'j>(store: &'a Store, jobs: impl Iterator<Item = &'j Job> + Clone) -> Self {
        DataCache {
            store,
            datasets: Shared::new(jobs.clone().map(variant_key)),
            folds: Shared::new(jobs.map(|job| (variant_key(job), split_key(job)))),
        }
    }

    /// Returns the dataset of a job; calls `opened` with the time taken if it had to be read.
    pub fn dataset(&self, job: &Job, opened: impl FnOnce(&Benchmark, f64)) -> Result<Arc<Benchmark>, String> {
        self.datasets.get(&variant_key(job), || {
            let began = Instant::now();
            let dataset = job.dataset.open(self.store).map_err(|error| error.to_string())?;
            opened(&dataset, began.elapsed().as_secs_f64());
            Ok(dataset)
        })
    }

    /// Returns the fold of a job.
    pub fn fold(&self, job: &Job, dataset: &Benchmark) -> Result<Arc<Fold>, String> {
        let key = (variant_key(job), split_key(job));
        let fold = || match job.trial.as_ref().map(|trial| trial.id) {
            Some(id) => dataset.training_part(job.fold, &job.split, id.inner_folds)?.fold(id.inner_fold - 1),
            None => dataset.fold(job.fold, &job.split),
        };
        self.folds.get(&key, || fold().map_err(|error| error.to_string()))
    }

    /// Releases the data of a job that ended.
    pub fn release(&self, job: &Job) {
        self.folds.release(&(variant_key(job), split_key(job)));
        self.datasets.release(&variant_key(job));
    }
}

//! Validated experiments: only missing data can prevent them from running.

use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::{Job, Limits, System, training_seed};
use super::super::tune::config::Tuning;
use super::slurm::SlurmSettings;
use crate::data::benchmark::Arity;
use crate::data::split::SplitOptions;
use crate::determinism::{IndexMap, IndexSet};
use crate::learn::Preset;
use crate::metric::Column;

/// A validated experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Name of the experiment and of its run directory.
    pub name: String,
    /// The question it answers.
    pub about: String,
    /// Seeds of datasets without their own.
    pub seeds: Vec<u64>,
    /// Datasets in the order of the spec, each with its rows.
    pub datasets: Vec<ExperimentDataset>,
    /// Reference values and significance tests.
    pub compare: CompareSettings,
    /// Expected means.
    pub expected: Vec<ExpectedMean>,
    /// Time and memory limits of a job.
    pub limits: Limits,
    /// Resources and options of cluster tasks.
    pub slurm: SlurmSettings,
    /// Text of the spec including `--set` options; parsing it gives the same experiment.
    pub frozen: String,
}

/// A dataset of an experiment with its models.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentDataset {
    /// The dataset.
    pub source: Arc<DatasetRef>,
    /// Seeds; every job runs once with each.
    pub seeds: Vec<u64>,
    /// Number of folds; `None` for the dataset's own number.
    pub folds: Option<usize>,
    /// Number of negatives per positive.
    pub negatives_per_positive: f64,
    /// Models with their parameters.
    pub rows: Vec<ModelConfig>,
}

/// A model in one preset and one case of the sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// Name of the model.
    pub model: String,
    /// What is trained and tested.
    pub system: System,
    /// Preset the parameters start from.
    pub preset: Option<Preset>,
    /// Sweep settings.
    pub settings: IndexMap<String, String>,
    /// Number of negatives per positive, if swept.
    pub negatives_per_positive: Option<f64>,
    /// Arity, if swept.
    pub arity: Option<Arity>,
    /// Fraction of the training examples, if swept.
    pub train_fraction: Option<f64>,
    /// The trials, if the model is tuned.
    pub tuning: Option<Arc<Tuning>>,
}

/// Reference values and significance tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareSettings {
    /// Name of a table in `results/paper.toml`.
    pub paper: Option<String>,
    /// Name of a table in `results/recorded-peers.toml`.
    pub recorded: Option<String>,
    /// Significance tests.
    pub tests: Vec<String>,
}

/// A mean that the results must reproduce.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedMean {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// Preset of the row.
    pub preset: Option<Preset>,
    /// Case of the row, as [`Job::case`] prints it; empty without a sweep.
    pub case: String,
    /// Metric.
    pub metric: Column,
    /// Mean over folds, seeds averaged first.
    pub mean: f64,
    /// Maximum deviation.
    pub tolerance: f64,
}

impl Experiment {
    /// Returns the names of the models for which equal inputs may give different scores.
    pub fn unrepeatable(&self) -> IndexSet<&str> {
        let rows = self.datasets.iter().flat_map(|part| &part.rows);
        let is_unrepeatable = |row: &&ModelConfig| row.system.external().is_some_and(|found| !found.is_repeatable());
        rows.filter(is_unrepeatable).map(|row| row.model.as_str()).collect()
    }
}

impl ExperimentDataset {
    /// Returns the split of its jobs with this seed.
    pub fn split(&self, seed: u64) -> SplitOptions {
        let negatives_per_positive = self.negatives_per_positive;
        SplitOptions { folds: self.folds, negatives_per_positive, ..SplitOptions::new(seed) }
    }

    /// Expands the jobs by seed, fold and row, so that jobs that share a fold are adjacent. The
    /// trials of a tuned job precede it.
    pub fn jobs(&self, seeds: &[u64], folds: usize, limits: Limits) -> Vec<Job> {
        let sources: Vec<Arc<DatasetRef>> = self.rows.iter().map(|row| self.source_of(row)).collect();
        let mut jobs = Vec::with_capacity(seeds.len() * folds * self.rows.len());
        for &seed in seeds {
            for fold in 0..folds {
                let training_seed = training_seed(seed, &self.source.dataset_id(), fold);
                for (row, source) in self.rows.iter().zip(&sources) {
                    let mut system = row.system.clone();
                    if let System::Learner(learner) = &mut system {
                        learner.set_seed(training_seed);
                    }
                    let own_time = system.external().and_then(|external| external.time_limit());
                    let job = Job {
                        dataset: Arc::clone(source),
                        model: row.model.clone(),
                        preset: row.preset,
                        settings: row.settings.clone(),
                        split: SplitOptions {
                            folds: Some(folds),
                            negatives_per_positive: row.negatives_per_positive.unwrap_or(self.negatives_per_positive),
                            seed,
                            train_fraction: row.train_fraction.unwrap_or(1.0),
                            recursive: system.learner().is_some_and(|learner| learner.is_recursive()),
                        },
                        system,
                        fold,
                        seed,
                        limits: Limits { time: own_time.or(limits.time), ..limits },
                        tuning: row.tuning.clone(),
                        trial: None,
                    };
                    jobs.extend(job.trials());
                    jobs.push(job);
                }
            }
        }
        jobs
    }

    fn source_of(&self, row: &ModelConfig) -> Arc<DatasetRef> {
        match row.arity {
            Some(arity) if arity != self.source.variant.arity => {
                let mut source = (*self.source).clone();
                source.variant.arity = arity;
                Arc::new(source)
            }
            _ => Arc::clone(&self.source),
        }
    }
}

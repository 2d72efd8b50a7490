//! Validated experiments: only missing data can prevent them from running.

use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::{Job, Keep, Limits, System, UNIVERSE, training_seed};
use super::super::tune::config::Tuning;
use super::slurm::SlurmSettings;
use super::universe::Multiverse;
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
    /// Keys of the sweep that change splits, in its order.
    pub split_keys: Vec<String>,
    /// Time and memory limits of a job.
    pub limits: Limits,
    /// Resources and options of cluster tasks.
    pub slurm: SlurmSettings,
    /// Choices of a multiverse and their universes.
    pub multiverse: Option<Multiverse>,
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
    /// What is stored of a job.
    pub keep: Keep,
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
    /// Arity that the model has instead of the dataset.
    pub own_arity: Option<Arity>,
    /// Fraction of the training examples, if swept.
    pub train_fraction: Option<f64>,
    /// The trials, if the model is tuned.
    pub tuning: Option<Arc<Tuning>>,
    /// Variant of the dataset, if a universe changes it.
    pub source: Option<Arc<DatasetRef>>,
    /// The only seed of its jobs, if a universe sets it.
    pub seed: Option<u64>,
    /// Number of folds, if known for a universe.
    pub folds: Option<usize>,
}

impl ModelConfig {
    /// Returns whether it is a universe of a multiverse.
    pub fn is_universe(&self) -> bool {
        self.settings.contains_key(UNIVERSE)
    }

    /// Returns its number of jobs, trials included, with the folds and seeds of its dataset.
    pub fn jobs(&self, folds: usize, seeds: usize) -> usize {
        let trials = self.tuning.as_ref().map_or(0, |tuning| tuning.jobs());
        self.outer_jobs(folds, seeds).saturating_mul(1 + trials)
    }

    /// Returns its number of jobs that are no trials.
    pub fn outer_jobs(&self, folds: usize, seeds: usize) -> usize {
        let seeds = if self.seed.is_some() { 1 } else { seeds };
        self.folds.unwrap_or(folds).saturating_mul(seeds)
    }
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

    /// Returns the models that see a dataset in an arity of their own, with the arity and the names
    /// of these datasets.
    pub fn own_arities(&self) -> IndexMap<(&str, Arity), Vec<&str>> {
        let mut found: IndexMap<(&str, Arity), IndexSet<&str>> = IndexMap::default();
        for part in &self.datasets {
            for row in &part.rows {
                if let Some(arity) = part.own_arity(row) {
                    found.entry((row.model.as_str(), arity)).or_default().insert(part.source.name.as_str());
                }
            }
        }
        found.into_iter().map(|(model, datasets)| (model, datasets.into_iter().collect())).collect()
    }
}

impl ExperimentDataset {
    /// Returns the split of its jobs with this seed.
    pub fn split(&self, seed: u64) -> SplitOptions {
        let negatives_per_positive = self.negatives_per_positive;
        SplitOptions { folds: self.folds, negatives_per_positive, ..SplitOptions::new(seed) }
    }

    /// Expands the jobs by seed, fold and row, so that jobs that share a fold are adjacent. The
    /// trials of a tuned job precede it. Universes are grouped by their data first.
    pub fn jobs(&self, seeds: &[u64], folds: usize, limits: Limits) -> Vec<Job> {
        let sources: Vec<Arc<DatasetRef>> = self.rows.iter().map(|row| self.source_of(row)).collect();
        let mut groups: IndexMap<Option<DataGroup>, Vec<usize>> = IndexMap::default();
        for (place, row) in self.rows.iter().enumerate() {
            let group = row.is_universe().then(|| DataGroup::of(row, &sources[place]));
            groups.entry(group).or_default().push(place);
        }
        let mut jobs = Vec::with_capacity(seeds.len() * folds * self.rows.len());
        for rows in groups.values() {
            let first = &self.rows[rows[0]];
            for &seed in first.seed.as_ref().map_or(seeds, std::slice::from_ref) {
                for fold in 0..first.folds.unwrap_or(folds) {
                    for &row in rows {
                        let job = self.job(&self.rows[row], &sources[row], seed, (fold, folds), limits);
                        jobs.extend(job.trials());
                        jobs.push(job);
                    }
                }
            }
        }
        jobs
    }

    /// Returns the first job of every row, with its row.
    pub fn first_jobs(&self, limits: Limits) -> impl Iterator<Item = (&ModelConfig, Job)> {
        let seed = self.seeds.first().copied().unwrap_or_default();
        self.rows.iter().map(move |row| {
            let source = self.source_of(row);
            (row, self.job(row, &source, row.seed.unwrap_or(seed), (0, 1), limits))
        })
    }

    /// Returns the job of a row with a seed on a fold of so many.
    fn job(
        &self,
        row: &ModelConfig,
        source: &Arc<DatasetRef>,
        seed: u64,
        (fold, folds): (usize, usize),
        limits: Limits,
    ) -> Job {
        let mut system = row.system.clone();
        if let System::Learner(learner) = &mut system {
            learner.set_seed(training_seed(seed, &self.source.dataset_id(), fold));
        }
        let own_time = system.external().and_then(|external| external.time_limit());
        Job {
            dataset: Arc::clone(source),
            model: row.model.clone(),
            preset: row.preset,
            settings: row.settings.clone(),
            split: SplitOptions {
                folds: Some(row.folds.unwrap_or(folds)),
                negatives_per_positive: row.negatives_per_positive.unwrap_or(self.negatives_per_positive),
                seed,
                train_fraction: row.train_fraction.unwrap_or(1.0),
                recursive: system.learner().is_some_and(|learner| learner.is_recursive()),
            },
            system,
            fold,
            seed,
            limits: Limits { time: own_time.or(limits.time), ..limits },
            keep: self.keep,
            tuning: row.tuning.clone(),
            trial: None,
        }
    }

    /// Returns the arity of a row that is its model's own, if it differs from that of the dataset
    /// and the dataset may have longer predicates.
    pub fn own_arity(&self, row: &ModelConfig) -> Option<Arity> {
        let differs = |arity: &Arity| *arity != self.source.variant.arity;
        row.own_arity.filter(differs).filter(|_| self.source.may_have_long_predicates())
    }

    fn source_of(&self, row: &ModelConfig) -> Arc<DatasetRef> {
        let source = row.source.as_ref().unwrap_or(&self.source);
        match row.arity.or(self.own_arity(row)) {
            Some(arity) if arity != source.variant.arity => {
                let mut source = (**source).clone();
                source.variant.arity = arity;
                Arc::new(source)
            }
            _ => Arc::clone(source),
        }
    }
}

/// What the data of a universe depend on besides seed and fold.
#[derive(PartialEq, Eq, Hash)]
struct DataGroup {
    /// The variant as text.
    variant: String,
    ratio: Option<u64>,
    seed: Option<u64>,
    folds: Option<usize>,
}

impl DataGroup {
    fn of(row: &ModelConfig, source: &DatasetRef) -> Self {
        DataGroup {
            variant: serde_json::to_string(&source.variant).unwrap_or_default(),
            ratio: row.negatives_per_positive.map(f64::to_bits),
            seed: row.seed,
            folds: row.folds,
        }
    }
}

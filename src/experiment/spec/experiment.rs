//! A checked experiment: nothing in it can be wrong any more, short of data that are not there.

use std::sync::Arc;

use super::super::dataset_ref::DatasetRef;
use super::super::job::{Ensemble, Job, Limits, training_seed};
use super::slurm::SlurmSettings;
use crate::data::dataset::Arity;
use crate::data::split::SplitOptions;
use crate::determinism::IndexMap;
use crate::learn::{Kind, Params, Preset};
use crate::metric::Column;

/// An experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its name, which is that of its run directory as well.
    pub name: String,
    /// The question it answers.
    pub about: String,
    /// Every job runs once with each.
    pub seeds: Vec<u64>,
    /// The datasets in the order of the spec, each with its rows.
    pub datasets: Vec<Part>,
    /// What the results are compared with.
    pub compare: Compare,
    /// What the results must come to.
    pub expected: Vec<Expected>,
    /// When to give up on a job.
    pub limits: Limits,
    /// What tasks of a Slurm cluster ask for.
    pub slurm: SlurmSettings,
    /// The spec as text, with what the command line set; it gives the same experiment again.
    pub frozen: String,
}

/// What an experiment does with one dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The data.
    pub source: Arc<DatasetRef>,
    /// Into how many folds the examples are split; `None` for as many as the dataset has.
    pub folds: Option<usize>,
    /// How many negatives stand beside each positive.
    pub negatives_per_positive: f64,
    /// The models with their parameters.
    pub rows: Vec<Row>,
}

/// A model in one preset and one case of the sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the model.
    pub model: String,
    /// Its kind.
    pub kind: Kind,
    /// The preset its parameters start from.
    pub preset: Option<Preset>,
    /// Its parameters.
    pub params: Params,
    /// The ensemble to copy.
    pub from: Option<Ensemble>,
    /// What the sweep sets.
    pub settings: IndexMap<String, String>,
    /// Another number of negatives than the dataset has otherwise.
    pub negatives_per_positive: Option<f64>,
    /// Another arity than the dataset has otherwise.
    pub arity: Option<Arity>,
}

/// What results are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compare {
    /// A table of `results/paper.toml`.
    pub paper: Option<String>,
    /// Tests of significance.
    pub tests: Vec<String>,
}

/// A mean that the results must come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The name of the dataset.
    pub dataset: String,
    /// The name of the model.
    pub model: String,
    /// The preset of the row.
    pub preset: Option<Preset>,
    /// The case of the row, as [`Job::case`] prints it; empty without a sweep.
    pub case: String,
    /// The column.
    pub metric: Column,
    /// Its mean over folds, seeds averaged first.
    pub mean: f64,
    /// How far it may lie from that.
    pub tolerance: f64,
}

impl Part {
    /// The split of its jobs, with this seed.
    pub fn split(&self, seed: u64) -> SplitOptions {
        let negatives_per_positive = self.negatives_per_positive;
        SplitOptions { folds: self.folds, negatives_per_positive, ..SplitOptions::new(seed) }
    }

    /// Every job of this dataset, by seed, fold and row, so that what shares a fold stands together.
    pub fn jobs(&self, seeds: &[u64], folds: usize, limits: Limits) -> Vec<Job> {
        let sources: Vec<Arc<DatasetRef>> = self.rows.iter().map(|row| self.source_of(row)).collect();
        let mut jobs = Vec::with_capacity(seeds.len() * folds * self.rows.len());
        for &seed in seeds {
            for fold in 0..folds {
                let training_seed = training_seed(seed, &self.source, fold);
                let seeded = |params: &Params| {
                    let mut params = params.clone();
                    params.seed = training_seed;
                    params
                };
                for (row, source) in self.rows.iter().zip(&sources) {
                    let from = row.from.as_ref();
                    jobs.push(Job {
                        dataset: Arc::clone(source),
                        model: row.model.clone(),
                        kind: row.kind,
                        preset: row.preset,
                        params: seeded(&row.params),
                        from: from.map(|from| Ensemble { params: seeded(&from.params), ..from.clone() }),
                        settings: row.settings.clone(),
                        split: SplitOptions {
                            folds: Some(folds),
                            negatives_per_positive: row.negatives_per_positive.unwrap_or(self.negatives_per_positive),
                            seed,
                            recursive: row.params.recursive || from.is_some_and(|from| from.params.recursive),
                        },
                        fold,
                        seed,
                        limits,
                    });
                }
            }
        }
        jobs
    }

    fn source_of(&self, row: &Row) -> Arc<DatasetRef> {
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

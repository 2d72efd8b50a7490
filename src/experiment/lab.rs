//! Run directories for tests: results as a run stores them, without training.

use std::collections::BTreeMap;
use std::path::Path;

use super::job::Job;
use super::results::Results;
use super::run::provenance;
use super::spec::Experiment;
use super::store::{
    FailureKind, JobRecord, JobRow, MODEL, Outcome, PREDICTIONS, Prediction, RECORD_VERSION, RunStore, SCORES, Status,
    predictions, scores,
};
use crate::determinism::IndexMap;
use crate::files::{self, digest};
use crate::metric::Column;

/// A run directory of its own, removed on drop.
pub(crate) struct Lab {
    home: tempfile::TempDir,
    pub(crate) experiment: Experiment,
}

impl Lab {
    /// Creates the run directory of a spec.
    pub(crate) fn new(spec: &str) -> Self {
        let lab = Lab {
            home: files::temporary_dir_in(&std::env::temp_dir()).unwrap(),
            experiment: Experiment::parse(spec, "lab.toml", &[]).unwrap(),
        };
        lab.store().freeze(&lab.experiment.frozen).unwrap();
        lab
    }

    pub(crate) fn root(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn store(&self) -> RunStore {
        RunStore::new(self.root())
    }

    /// Returns the jobs of datasets whose number of folds the spec gives.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let parts = self.experiment.datasets.iter().filter_map(|part| Some((part, part.folds?)));
        parts.flat_map(|(part, folds)| part.jobs(&part.seeds, folds, self.experiment.limits)).collect()
    }

    /// Returns the record of a job that failed.
    pub(crate) fn failed(&self, job: &Job, failure: FailureKind) -> JobRecord {
        let key = job.key("checksum");
        JobRecord {
            version: RECORD_VERSION,
            id: key.id(),
            status: Status::Failed { failure, message: "the reason".to_owned() },
            row: JobRow::of(job),
            key,
            training_seed: job.training_seed(),
            data: None,
            counts: None,
            tuning: None,
            result: None,
            warnings: Vec::new(),
            program: provenance::program(),
            machine: provenance::machine(1, 1),
        }
    }

    /// Returns the record of a job with these files and values of metrics.
    pub(crate) fn done(&self, job: &Job, files: &[(&str, Vec<u8>)], metrics: &[(Column, f64)]) -> JobRecord {
        let digests = files.iter().map(|(name, bytes)| ((*name).to_owned(), digest::sha256(bytes)));
        let metrics = metrics.iter().map(|&(column, value)| (column.name().to_owned(), Some(value)));
        let outcome = Outcome {
            metrics: metrics.collect::<IndexMap<_, _>>(),
            undefined: BTreeMap::new(),
            trees: 1,
            leaves: 2,
            walks: None,
            fidelity: None,
            classes: None,
            choice: None,
            files: digests.collect(),
        };
        JobRecord { status: Status::Done, result: Some(outcome), ..self.failed(job, FailureKind::Error) }
    }

    /// Publishes a record with files.
    pub(crate) fn publish(&self, job: &Job, record: &JobRecord, files: &[(&str, Vec<u8>)]) {
        let store = self.store();
        let lock = store.lock(job).unwrap();
        let mut staging = store.begin(job, &lock).unwrap();
        for (name, bytes) in files {
            staging.files().write(name, bytes).unwrap();
        }
        staging.publish(record).unwrap();
    }

    /// Publishes a result with values of metrics and a test example with this score.
    pub(crate) fn finish(&self, job: &Job, metrics: &[(Column, f64)], psi: f64) {
        let files = stored_files(job, psi);
        self.publish(job, &self.done(job, &files, metrics), &files);
    }

    pub(crate) fn fail(&self, job: &Job, failure: FailureKind) {
        self.publish(job, &self.failed(job, failure), &[]);
    }

    pub(crate) fn results(&self) -> Results {
        Results::read(self.root()).unwrap()
    }
}

/// Returns what a job stores whose only test example has this score.
pub(crate) fn stored_files(job: &Job, psi: f64) -> Vec<(&'static str, Vec<u8>)> {
    let example = format!("positive_of_fold_{}", job.fold_number());
    let rows = [Prediction { example, label: true, psi, probability: Some(0.5) }];
    let all = [
        (job.keep.models, MODEL, b"{}".to_vec()),
        (job.keep.predictions, PREDICTIONS, predictions(&rows).unwrap()),
        (job.keep.scores, SCORES, scores(&rows)),
    ];
    all.into_iter().filter(|(is_kept, ..)| *is_kept).map(|(_, name, bytes)| (name, bytes)).collect()
}

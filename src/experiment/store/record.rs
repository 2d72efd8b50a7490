//! `run.json`: everything there is to know of how a job went.
//!
//! Versions of the format:
//! 1. The first.
//! 2. The last line before the closing brace is `"checksum"`: the SHA-256 of every byte before that line's comma. Records of version 1 are
//!    read as they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::dataset::{Dataset, Variant};
use crate::data::split::{FoldCounts, PartCounts};
use crate::determinism::IndexMap;
use crate::experiment::{Job, JobId, JobKey};
use crate::files::digest;
use crate::learn::Fidelity;
use crate::metric::{ClassMetrics, Column, Metrics};

/// The version of the format that is written. A record of a later version cannot be used, so its job runs again.
pub const RECORD_VERSION: u32 = 2;

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the format.
    pub version: u32,
    /// The hash of the key.
    pub id: JobId,
    /// How it ended.
    #[serde(flatten)]
    pub status: Status,
    /// Which row of the experiment it is.
    pub row: Row,
    /// Everything that can change the result, with all parameters.
    pub key: JobKey,
    /// The seed that the learner was given; it follows from the seed, the dataset and the fold.
    pub training_seed: u64,
    /// The data; none if they could not be opened.
    pub data: Option<Data>,
    /// How many examples there were; none if the fold could not be made.
    pub counts: Option<Counts>,
    /// What came out; none if the job failed.
    pub result: Option<Outcome>,
    /// What the log warns of.
    pub warnings: Vec<String>,
    /// The program that did it.
    pub program: Program,
    /// Everything that depends on time and machine.
    pub machine: Machine,
}

impl Record {
    /// The text of `run.json`.
    pub(super) fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let body = text.strip_suffix("\n}").unwrap_or(&text);
        format!("{body}{}", seal(body))
    }

    /// Reads `run.json`; if it is not as it was written, what is wrong.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Record, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let is_sealed = || text.rfind(SEAL).and_then(|at| text.split_at_checked(at)).is_some_and(|(b, s)| seal(b) == s);
        match record.version {
            1 if !text.contains(SEAL) => Ok(record),
            1 | RECORD_VERSION if is_sealed() => Ok(record),
            1 | RECORD_VERSION => Err("its checksum does not fit".to_owned()),
            other => Err(format!("it is of format version {other}, and this program reads up to {RECORD_VERSION}")),
        }
    }
}

const SEAL: &str = ",\n  \"checksum\": \"";

/// The end of a record with this beginning.
fn seal(body: &str) -> String {
    format!("{SEAL}{}\"\n}}\n", digest::sha256(body.as_bytes()))
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// It has a result.
    Done,
    /// It has none.
    Failed {
        /// What kind of failure.
        failure: FailureKind,
        /// The message.
        message: String,
    },
}

/// Why a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The data or the parameters do not allow it.
    Error,
    /// The kind of model is not made for such data, and says so.
    Refused,
    /// A bug.
    Panic,
    /// It took longer than it may.
    TimeLimit,
    /// It used more memory than it may.
    MemoryLimit,
    /// The cluster ended its task, several times.
    Lost,
}

impl Status {
    /// `done`, `refused` or `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Failed { failure: FailureKind::Refused, .. } => "refused",
            Status::Failed { .. } => "failed",
        }
    }

    /// Whether the kind of model is not made for the data; it is not to blame for having no result.
    pub fn is_refused(&self) -> bool {
        matches!(self, Status::Failed { failure: FailureKind::Refused, .. })
    }

    /// The message of a failure.
    pub fn message(&self) -> Option<&str> {
        match self {
            Status::Done => None,
            Status::Failed { message, .. } => Some(message),
        }
    }
}

/// What tells the rows of an experiment apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The name of the dataset in the experiment.
    pub dataset: String,
    /// The name of the model.
    pub model: String,
    /// The kind of the model.
    pub kind: String,
    /// The preset; empty without one.
    pub preset: String,
    /// What the sweep sets.
    pub settings: IndexMap<String, String>,
    /// The same as text; empty without a sweep.
    pub case: String,
    /// The fold, from 1.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
}

impl Row {
    /// The row of a job.
    pub fn of(job: &Job) -> Row {
        Row {
            dataset: job.dataset.name.clone(),
            model: job.model.clone(),
            kind: job.kind.name().to_owned(),
            preset: job.preset_name().to_owned(),
            settings: job.settings.clone(),
            case: job.case(),
            fold: job.fold_number(),
            seed: job.seed,
        }
    }
}

/// The data of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The id of the dataset.
    pub id: String,
    /// Its name in full.
    pub title: String,
    /// Which of its choices were taken.
    pub variant: Variant,
    /// One checksum of all files.
    pub checksum: String,
    /// The files that were read, each with its SHA-256; none for generated data.
    pub files: BTreeMap<String, String>,
    /// What every table with it must say, if there is something.
    pub footnote: Option<String>,
}

impl Data {
    /// What a dataset says of itself.
    pub fn of(dataset: &Dataset) -> Data {
        Data {
            id: dataset.id().to_owned(),
            title: dataset.title().to_owned(),
            variant: dataset.variant().clone(),
            checksum: dataset.checksum().to_owned(),
            files: dataset.files().iter().cloned().collect(),
            footnote: dataset.footnote().map(str::to_owned),
        }
    }
}

/// How many examples a fold has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Positives to learn from.
    pub train_positives: usize,
    /// Negatives to learn from.
    pub train_negatives: usize,
    /// Positives to test with.
    pub test_positives: usize,
    /// Negatives to test with.
    pub test_negatives: usize,
    /// The negatives of the test that were drawn from the closed world, not listed.
    pub test_negatives_drawn: usize,
    /// Negatives that were asked for, in training and test, and do not exist.
    pub negatives_lacking: usize,
}

impl From<&FoldCounts> for Counts {
    fn from(counts: &FoldCounts) -> Self {
        let PartCounts { positives, drawn, lacking, .. } = counts.test;
        Counts {
            train_positives: counts.train.positives,
            train_negatives: counts.train.negatives(),
            test_positives: positives,
            test_negatives: counts.test.negatives(),
            test_negatives_drawn: drawn,
            negatives_lacking: counts.train.lacking + lacking,
        }
    }
}

/// What came out of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The value of each metric; none where it is undefined.
    pub metrics: IndexMap<String, Option<f64>>,
    /// Why metrics are undefined, by metric.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, String>,
    /// Trees of the model.
    pub trees: usize,
    /// Leaves of all its trees.
    pub leaves: usize,
    /// How well an explainable model copies its ensemble.
    pub fidelity: Option<Fidelity>,
    /// What is measured of several classes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassMetrics>,
    /// The SHA-256 of `model.json` and `predictions.parquet`.
    pub files: BTreeMap<String, String>,
}

impl Outcome {
    /// The value of a metric, if it has one.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.metrics.get(column.name()).copied().flatten()
    }

    /// Takes over what metrics there are.
    pub(crate) fn set_metrics(&mut self, metrics: &Metrics) {
        for (column, value) in metrics.iter() {
            self.metrics.insert(column.name().to_owned(), value.ok());
            if let Err(why) = value {
                self.undefined.insert(column.name().to_owned(), why.to_string());
            }
        }
    }
}

/// The program and how it was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The commit it was built from, if it was built from one.
    pub git_commit: Option<String>,
    /// Whether files differed from that commit.
    pub git_dirty: Option<bool>,
    /// The compiler.
    pub rustc: String,
    /// What it was built for.
    pub target: String,
    /// `release` or `debug`.
    pub profile: String,
    /// How metrics with several definitions in use are defined here.
    pub definitions: BTreeMap<String, String>,
}

/// What depends on time and machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor, if the system tells.
    pub cpu: Option<String>,
    /// Its cores as far as we may use them.
    pub cores: usize,
    /// The operating system.
    pub os: String,
    /// The threads of this job.
    pub threads: usize,
    /// How many jobs the run does at once.
    pub jobs_at_once: usize,
    /// When it began, in UTC.
    pub started: String,
    /// When it ended, in UTC.
    pub ended: String,
    /// Seconds from beginning to end.
    pub wall_seconds: f64,
    /// Seconds of these that were spent learning, without the ensemble that an explainable model copies.
    pub train_seconds: f64,
    /// Seconds of these that were spent learning the ensemble to copy, if it was not there yet.
    pub ensemble_seconds: f64,
    /// Seconds of these that were spent scoring the training and test examples.
    pub score_seconds: f64,
    /// Processor seconds of the job's own threads, if the system tells.
    pub cpu_seconds: Option<f64>,
    /// The most memory that the process held so far, with all jobs that ran beside this one, if the system tells.
    pub peak_memory_bytes: Option<u64>,
}

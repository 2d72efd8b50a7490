//! `run.json`: the record of a job.
//!
//! Format versions:
//! 1. The first.
//! 2. The last line before the closing brace is `"checksum"`: the SHA-256 of every byte before the
//!    comma of that line. Records of version 1 are still read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::benchmark::{Benchmark, Variant};
use crate::data::manifest::FoldScheme;
use crate::data::split::{FoldCounts, SideCounts};
use crate::determinism::IndexMap;
use crate::experiment::tune::choice::TrialChoice;
use crate::experiment::{Job, JobId, JobKey};
use crate::files::digest;
use crate::learn::{Choice, Fidelity};
use crate::metric::{ClassMetrics, Column, Metrics};

/// Format version written. A record of a later version is unusable, so its job runs again.
pub const RECORD_VERSION: u32 = 2;

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Format version.
    pub version: u32,
    /// Hash of the key.
    pub id: JobId,
    /// How it ended.
    #[serde(flatten)]
    pub status: Status,
    /// Row of the experiment.
    pub row: JobRow,
    /// Everything that can change the result, with all parameters.
    pub key: JobKey,
    /// Seed of the learner; it follows from the seed, the dataset and the fold.
    pub training_seed: u64,
    /// The dataset; `None` if it could not be opened.
    pub data: Option<DatasetRecord>,
    /// Numbers of examples; `None` if the fold could not be built.
    pub counts: Option<ExampleCounts>,
    /// The chosen trial of a tuned job; omitted for other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TrialChoice>,
    /// Result; `None` if the job failed.
    pub result: Option<Outcome>,
    /// Warnings of the log.
    pub warnings: Vec<String>,
    /// The program that ran the job.
    pub program: ProgramInfo,
    /// Time and machine: everything that is not reproducible.
    pub machine: MachineInfo,
}

impl JobRecord {
    /// Serializes the record.
    pub(super) fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let body = text.strip_suffix("\n}").unwrap_or(&text);
        format!("{body}{}", checksum_line(body))
    }

    /// Parses and verifies `run.json`; the error describes the damage.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<JobRecord, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8".to_owned())?;
        let record: JobRecord = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let is_intact = || {
            text.rfind(CHECKSUM_KEY)
                .and_then(|at| text.split_at_checked(at))
                .is_some_and(|(b, s)| checksum_line(b) == s)
        };
        match record.version {
            1 if !text.contains(CHECKSUM_KEY) => Ok(record),
            1 | RECORD_VERSION if is_intact() => Ok(record),
            1 | RECORD_VERSION => Err("checksum mismatch".to_owned()),
            other => Err(format!("unsupported format version {other}, expected at most {RECORD_VERSION}")),
        }
    }
}

const CHECKSUM_KEY: &str = ",\n  \"checksum\": \"";

/// Returns the checksum line that closes a record with this body.
fn checksum_line(body: &str) -> String {
    format!("{CHECKSUM_KEY}{}\"\n}}\n", digest::sha256(body.as_bytes()))
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// The job has a result.
    Done,
    /// The job has no result.
    Failed {
        /// Category of the failure.
        failure: FailureKind,
        /// The message.
        message: String,
    },
}

/// Category of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The data or the parameters do not allow the job.
    Error,
    /// The model kind does not support the dataset.
    Refused,
    /// A panic, which is a bug.
    Panic,
    /// The time limit was exceeded.
    TimeLimit,
    /// The memory limit was exceeded.
    MemoryLimit,
    /// The cluster ended its task on every attempt, or its own process was ended by a signal.
    Lost,
}

impl Status {
    /// Returns `done`, `refused` or `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Failed { failure: FailureKind::Refused, .. } => "refused",
            Status::Failed { .. } => "failed",
        }
    }

    /// Returns whether the model kind does not support the dataset, which is not an error.
    pub fn is_refused(&self) -> bool {
        matches!(self, Status::Failed { failure: FailureKind::Refused, .. })
    }

    /// Returns whether the job was stopped at a time limit, which is a lower bound of its time.
    pub fn is_overtime(&self) -> bool {
        matches!(self, Status::Failed { failure: FailureKind::TimeLimit, .. })
    }

    /// Returns whether the job was stopped at a limit or its process was ended.
    pub fn is_stopped(&self) -> bool {
        use FailureKind::{Lost, MemoryLimit, TimeLimit};
        matches!(self, Status::Failed { failure: TimeLimit | MemoryLimit | Lost, .. })
    }

    /// Returns whether the job ended by a panic.
    pub fn is_panic(&self) -> bool {
        matches!(self, Status::Failed { failure: FailureKind::Panic, .. })
    }

    /// Returns the category and the message of a failure.
    pub fn failure(&self) -> Option<(FailureKind, &str)> {
        match self {
            Status::Done => None,
            Status::Failed { failure, message } => Some((*failure, message)),
        }
    }

    /// Returns the message of a failure.
    pub fn message(&self) -> Option<&str> {
        match self {
            Status::Done => None,
            Status::Failed { message, .. } => Some(message),
        }
    }
}

/// Identity of a job within its experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRow {
    /// Name of the dataset in the experiment.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// Kind of the model.
    pub kind: String,
    /// The preset; empty without one.
    pub preset: String,
    /// Sweep settings.
    pub settings: IndexMap<String, String>,
    /// Sweep settings as text; empty without a sweep.
    pub case: String,
    /// Fold number from 1.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
    /// The trial, if it is one; omitted for other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialRow>,
}

/// Identity of a trial within its tuned job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRow {
    /// Number from 1.
    pub number: usize,
    /// Inner fold from 1.
    pub inner_fold: usize,
    /// Tuned values by name.
    pub settings: IndexMap<String, String>,
}

impl JobRow {
    /// Returns the row of a job.
    pub fn of(job: &Job) -> JobRow {
        JobRow {
            dataset: job.dataset.name.clone(),
            model: job.model.clone(),
            kind: job.system.kind_name().to_owned(),
            preset: job.preset_name().to_owned(),
            settings: job.settings.clone(),
            case: job.case(),
            fold: job.fold_number(),
            seed: job.seed,
            trial: job.trial.as_ref().map(|trial| TrialRow {
                number: trial.id.trial,
                inner_fold: trial.id.inner_fold,
                settings: trial.settings.clone(),
            }),
        }
    }
}

/// The dataset of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetRecord {
    /// Id of the dataset.
    pub id: String,
    /// Full name.
    pub title: String,
    /// Variant that was used.
    pub variant: Variant,
    /// Combined checksum of all files.
    pub checksum: String,
    /// SHA-256 of every file that was read; empty for generated data.
    pub files: BTreeMap<String, String>,
    /// Mandatory footnote of every table that shows the dataset.
    pub footnote: Option<String>,
    /// How examples were split into folds; earlier versions did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold_scheme: Option<FoldScheme>,
}

impl DatasetRecord {
    /// Describes a dataset.
    pub fn of(dataset: &Benchmark) -> DatasetRecord {
        DatasetRecord {
            id: dataset.id().to_owned(),
            title: dataset.title().to_owned(),
            variant: dataset.variant().clone(),
            checksum: dataset.checksum().to_owned(),
            files: dataset.files().iter().cloned().collect(),
            footnote: dataset.footnote().map(str::to_owned),
            fold_scheme: Some(dataset.fold_scheme()),
        }
    }
}

/// Numbers of examples of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleCounts {
    /// Positive training examples.
    pub train_positives: usize,
    /// Negative training examples.
    pub train_negatives: usize,
    /// Positive test examples.
    pub test_positives: usize,
    /// Negative test examples.
    pub test_negatives: usize,
    /// Negative training examples that are drawn rather than listed; earlier versions did not
    /// record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_negatives_drawn: Option<usize>,
    /// Negative test examples sampled from the closed world rather than listed.
    pub test_negatives_drawn: usize,
    /// Requested negatives, in training and test, that do not exist.
    pub negatives_lacking: usize,
}

impl ExampleCounts {
    /// Returns the numbers of training and test examples.
    pub fn sizes(&self) -> (usize, usize) {
        (self.train_positives + self.train_negatives, self.test_positives + self.test_negatives)
    }
}

impl From<&FoldCounts> for ExampleCounts {
    fn from(counts: &FoldCounts) -> Self {
        let SideCounts { positives, drawn, lacking, .. } = counts.test;
        ExampleCounts {
            train_positives: counts.train.positives,
            train_negatives: counts.train.negatives(),
            train_negatives_drawn: Some(counts.train.drawn),
            test_positives: positives,
            test_negatives: counts.test.negatives(),
            test_negatives_drawn: drawn,
            negatives_lacking: counts.train.lacking + lacking,
        }
    }
}

/// Result of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Metric values; `None` where a metric is undefined.
    pub metrics: IndexMap<String, Option<f64>>,
    /// Why metrics are undefined, by metric.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, String>,
    /// Number of trees.
    pub trees: usize,
    /// Number of parts that are summed: leaves of all trees, clauses, rules or hidden units.
    pub leaves: usize,
    /// Number of random walks of a model that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walks: Option<usize>,
    /// How closely an explainable model matches its ensemble.
    pub fidelity: Option<Fidelity>,
    /// Multi-class metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassMetrics>,
    /// The preset that training chose, if the preset is `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceRecord>,
    /// SHA-256 of the files besides the record and the log, by name.
    pub files: BTreeMap<String, String>,
}

/// The preset that training chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceRecord {
    /// The preset.
    pub preset: String,
    /// The scores of each preset on the inner folds it was trained on.
    pub inner_scores: IndexMap<String, Vec<f64>>,
}

impl From<&Choice> for ChoiceRecord {
    fn from(choice: &Choice) -> Self {
        let scores = choice.compared.iter().map(|(preset, scores)| (preset.name().to_owned(), scores.clone()));
        ChoiceRecord { preset: choice.preset.name().to_owned(), inner_scores: scores.collect() }
    }
}

impl Outcome {
    /// Returns the value of a metric, if it is defined.
    pub fn metric(&self, column: Column) -> Option<f64> {
        self.metrics.get(column.name()).copied().flatten()
    }

    /// Sets all metrics.
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
pub struct ProgramInfo {
    /// Version.
    pub version: String,
    /// Commit it was built from, if known.
    pub git_commit: Option<String>,
    /// Whether files differed from that commit.
    pub git_dirty: Option<bool>,
    /// Compiler version.
    pub rustc: String,
    /// Target triple.
    pub target: String,
    /// `release` or `debug`.
    pub profile: String,
    /// Definitions of the metrics for which several are in use.
    pub definitions: BTreeMap<String, String>,
}

/// Time and machine of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineInfo {
    /// Processor name, if known.
    pub cpu: Option<String>,
    /// Number of available cores.
    pub cores: usize,
    /// Operating system.
    pub os: String,
    /// Threads of this job.
    pub threads: usize,
    /// Maximum number of concurrent jobs of the run.
    pub jobs_at_once: usize,
    /// Start time in UTC.
    pub started: String,
    /// End time in UTC.
    pub ended: String,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// Seconds spent learning, without the ensemble that an explainable model distils. Of a model
    /// from the training of a longer ensemble: from the start of that training to its last tree.
    pub train_seconds: f64,
    /// Seconds spent learning the ensemble to distill, if it was not available.
    pub ensemble_seconds: f64,
    /// Seconds spent scoring the training and test examples.
    pub score_seconds: f64,
    /// Processor seconds of the job's own threads, if known.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory of the job's own process; `None` if it shared one, or if unknown.
    pub peak_memory_bytes: Option<u64>,
    /// Number of boosting rounds of the training that the model was taken from, if the job of a
    /// longer ensemble did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_of: Option<u32>,
}

impl MachineInfo {
    /// Returns the seconds that the job itself spent learning.
    pub fn learning_seconds(&self) -> f64 {
        if self.prefix_of.is_some() { 0.0 } else { self.train_seconds + self.ensemble_seconds }
    }
}

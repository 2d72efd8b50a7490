//! The identity of a job: everything that can change a byte of its result, and nothing else.
//!
//! Omitted on purpose: the names of models, cases, presets and the experiment (they locate a
//! result), limits of time and memory, numbers of threads, and the order, whitespace and comments
//! of the spec. Parameters that a kind does not have are not part of the key either.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::dataset_ref::DatasetKey;
use super::external::config::ExternalKey;
use crate::files::digest;
use crate::learn::params::Value;

/// Version of data preparation and metrics: generated domains, binary arity, folds, negatives, time
/// limits. Raise it when a code change alters them; changes of converted files alter their
/// checksum.
pub const DATA_VERSION: u32 = 2;

/// Version of the default source of negatives of directories, apart from that of published and
/// generated data.
pub const NEGATIVES_VERSION: u32 = 1;

/// Everything that can change the result of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobKey {
    /// The learner and its parameters.
    pub learner: LearnerKey,
    /// The ensemble that an explainable model is distilled from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LearnerKey>,
    /// The external system and what its result depends on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalKey>,
    /// The dataset and its variant.
    pub dataset: DatasetKey,
    /// The checksum of its files.
    pub data_checksum: String,
    /// Number of folds.
    pub folds: usize,
    /// Number of negatives for each positive.
    pub negatives_per_positive: f64,
    /// Fraction of the training examples that is kept; omitted if all are.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub train_fraction: f64,
    /// The fold, from 1.
    pub fold: usize,
    /// Seed of the split and of training.
    pub seed: u64,
    /// The inner fold of a trial; omitted for other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<InnerKey>,
    /// How the model is tuned; omitted if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningKey>,
    /// Versions of the algorithms behind the result, by name.
    pub algorithm: BTreeMap<String, u32>,
}

fn whole() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_whole(fraction: &f64) -> bool {
    *fraction == 1.0
}

/// An inner fold of the training part of a fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InnerKey {
    /// The inner fold, from 1.
    pub fold: usize,
    /// Number of inner folds.
    pub folds: usize,
}

/// How a model is tuned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningKey {
    /// The metric that is maximized.
    pub metric: String,
    /// Number of inner folds.
    pub folds: usize,
    /// Number of trials.
    pub trials: usize,
    /// Hash of the parameters of all trials, in order.
    pub parameters: String,
}

/// A learner and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerKey {
    /// The kind.
    pub kind: String,
    /// The parameters of the kind, with their final values.
    pub parameters: BTreeMap<String, Value>,
}

impl JobKey {
    /// Returns the hash of the key.
    pub fn id(&self) -> JobId {
        // Fields are serialized in declaration order and maps are sorted, so equal keys give equal
        // bytes.
        let text = serde_json::to_string(self).unwrap_or_default();
        JobId(digest::sha256(format!("lrbm job 1\n{text}").as_bytes()))
    }
}

/// The identifier of a job and its result: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(String);

impl JobId {
    /// Returns all digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first digits, for messages.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

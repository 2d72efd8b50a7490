//! What makes two jobs the same: everything that can change a byte of the result, and nothing else.
//!
//! Left out on purpose: the names of models, cases and presets and the name of the experiment (they say where a result is kept, not
//! what it is), limits of time and memory, numbers of threads, and the text of the spec with its order, blanks and
//! comments. A parameter that a kind does not use is no part of the key either.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::dataset_ref::DatasetKey;
use crate::files::digest;
use crate::learn::Kind;
use crate::learn::params::Value;

/// The version of how examples are made ready and judged: generated domains, binary arity, folds, negatives, time limits and
/// metrics. Raise it when a change of the code changes them; changes of converted files show in their checksum.
pub const DATA_VERSION: u32 = 1;

/// The version of a learner. Raise it when a change of the code changes the models or scores of that kind.
pub const fn algorithm_version(kind: Kind) -> u32 {
    match kind {
        Kind::LrbmBoost | Kind::LrbmNoBoost | Kind::LrbmExplainable => 2,
        Kind::MlnBoost | Kind::Progol | Kind::RrbmC | Kind::RrbmE | Kind::Lrnn => 2,
        Kind::RdnBoost | Kind::Rpt => 1,
    }
}

/// Everything that can change the result of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobKey {
    /// The learner and its parameters.
    pub learner: LearnerKey,
    /// The ensemble that an explainable model copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LearnerKey>,
    /// The dataset and its variant.
    pub dataset: DatasetKey,
    /// The checksum of its files.
    pub data_checksum: String,
    /// Into how many folds the examples are split.
    pub folds: usize,
    /// How many negatives stand beside each positive.
    pub negatives_per_positive: f64,
    /// The fold, from 1.
    pub fold: usize,
    /// Where the random draws of the split and of the training start.
    pub seed: u64,
    /// The versions of all code that the result comes from, by name.
    pub algorithm: BTreeMap<String, u32>,
}

/// A learner and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerKey {
    /// The kind.
    pub kind: String,
    /// The parameters that the kind uses, each with the value it came to.
    pub parameters: BTreeMap<String, Value>,
}

impl JobKey {
    /// The hash of the key.
    pub fn id(&self) -> JobId {
        // Fields are written in the order of the struct and maps are sorted, so equal keys are equal bytes.
        let text = serde_json::to_string(self).unwrap_or_default();
        JobId(digest::sha256(format!("lrbm job 1\n{text}").as_bytes()))
    }
}

/// The name of a job's result: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(String);

impl JobId {
    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first digits, for messages.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

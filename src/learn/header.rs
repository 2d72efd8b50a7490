//! How a model was learned, for the record: what models that are not trees keep beside their weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::checks;
use super::params::{Params, Value};
use super::weights::Weights;
use super::{Kind, LearnError, Task};
use crate::kb::TimeRule;
use crate::kb::wire::WireTime;

/// How a model was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What learned it.
    pub kind: Kind,
    /// The parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Where the random draws started.
    pub seed: u64,
    /// How many positive and negative examples there were.
    pub trained_on: (u64, u64),
    /// The time limits; examples should be scored under the same.
    pub time: Option<TimeRule>,
}

impl Record {
    /// The record of what is about to be learned.
    ///
    /// # Errors
    /// If there is no positive or no negative example that counts.
    pub(super) fn new(kind: Kind, task: &Task<'_>, params: &Params) -> Result<Self, LearnError> {
        let trained_on = checks::count_weighted(kind, task, &Weights::new(task.examples, 1.0))?;
        Ok(Record { kind, parameters: params.to_values(kind), seed: task.seed, trained_on, time: None })
    }
}

/// The log-odds of the training examples, each of which counts as much as its weight says.
pub(super) fn log_odds(task: &Task<'_>) -> f64 {
    Weights::new(task.examples, 1.0).log_odds(task.examples)
}

/// The record as it stands in files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRecord {
    kind: String,
    parameters: BTreeMap<String, Value>,
    seed: u64,
    positives: u64,
    negatives: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<WireTime>,
}

impl From<&Record> for WireRecord {
    fn from(record: &Record) -> Self {
        WireRecord {
            kind: record.kind.name().to_owned(),
            parameters: record.parameters.clone(),
            seed: record.seed,
            positives: record.trained_on.0,
            negatives: record.trained_on.1,
            time: record.time.as_ref().map(WireTime::from),
        }
    }
}

impl WireRecord {
    /// The record, if it is of one of these kinds.
    pub(super) fn read(self, kinds: &[Kind]) -> Result<Record, String> {
        let kind = Kind::find(&self.kind).map_err(|error| error.to_string())?;
        if !kinds.contains(&kind) {
            return Err(format!("{kind} has another format"));
        }
        Ok(Record {
            kind,
            parameters: self.parameters,
            seed: self.seed,
            trained_on: (self.positives, self.negatives),
            time: self.time.map(TimeRule::from),
        })
    }
}

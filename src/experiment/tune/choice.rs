//! The choice among trials, as recorded with the outer job.

use serde::{Deserialize, Serialize};

use crate::determinism::IndexMap;

/// The chosen trial of an outer job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialChoice {
    /// Number of the chosen trial, from 1.
    pub trial: usize,
    /// Its values of the tuned parameters.
    pub settings: IndexMap<String, String>,
    /// Metric that was maximized.
    pub metric: String,
    /// Mean of the metric over the inner folds.
    pub score: f64,
    /// All trials, in order.
    pub trials: Vec<TrialScore>,
    /// Seconds spent learning in all trials, which depend on the machine.
    pub trial_seconds: f64,
}

/// The score of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialScore {
    /// Its values of the tuned parameters.
    pub settings: IndexMap<String, String>,
    /// Mean of the metric over the inner folds; `None` if the trial failed.
    pub score: Option<f64>,
}

impl TrialChoice {
    /// Returns whether another choice is based on the same results, apart from the seconds.
    pub fn agrees_with(&self, other: &TrialChoice) -> bool {
        (self.trial, &self.trials) == (other.trial, &other.trials)
    }
}

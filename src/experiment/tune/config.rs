//! The trials of a tuned model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::determinism::IndexMap;
use crate::learn::Params;
use crate::learn::params::Value;
use crate::metric::Column;

/// How a model is tuned in one row of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// Number of inner folds.
    pub folds: usize,
    /// Metric to maximize.
    pub metric: Column,
    /// The trials, in order.
    pub trials: Vec<TrialConfig>,
}

/// A setting of the tuned parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialConfig {
    /// Tuned values by name, as text; a tuned preset has the name `preset`.
    pub settings: IndexMap<String, String>,
    /// What the trial changes in the model.
    pub system: TrialSystem,
}

/// The parameters of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialSystem {
    /// Parameters of a learner, and of the ensemble that it distils.
    Learner {
        /// Parameters of the learner.
        params: Params,
        /// Parameters of its ensemble.
        from: Option<Params>,
    },
    /// Parameters of a command.
    External(BTreeMap<String, Value>),
}

/// A trial on one inner fold.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its numbers.
    pub id: TrialId,
    /// Tuned values by name, as text.
    pub settings: IndexMap<String, String>,
}

/// The numbers of a trial and its inner fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialId {
    /// Number of the trial from 1.
    pub trial: usize,
    /// Inner fold from 1.
    pub inner_fold: usize,
    /// Number of inner folds.
    pub inner_folds: usize,
}

impl Tuning {
    /// Returns the trials of all inner folds, in order.
    pub fn ids(&self) -> impl Iterator<Item = TrialId> + '_ {
        let inner_folds = self.folds;
        let of_trial = move |trial| (1..=inner_folds).map(move |inner_fold| TrialId { trial, inner_fold, inner_folds });
        (1..=self.trials.len()).flat_map(of_trial)
    }

    /// Returns the number of jobs of its trials.
    pub fn jobs(&self) -> usize {
        self.trials.len().saturating_mul(self.folds)
    }
}

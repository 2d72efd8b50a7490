//! The choice among trials: a pure function of their results.

use super::choice::{TrialChoice, TrialScore};
use super::config::{TrialId, Tuning};
use crate::experiment::store::{FailureKind, JobRecord};
use crate::metric::summary::mean;

/// Reason why no trial can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A trial has not ended.
    #[error("trial {} of {} has no result for inner fold {}; run the same command again", .0.trial, .1, .0.inner_fold)]
    Missing(TrialId, usize),
    /// All trials failed.
    #[error("all {trials} trials failed; trial 1: {message}")]
    AllFailed {
        /// Number of trials.
        trials: usize,
        /// Message of the first.
        message: String,
        /// Category of its failure.
        kind: FailureKind,
    },
    /// The metric is undefined for every trial.
    #[error("the metric {0} is undefined on all inner folds; choose another metric in [tune], or fewer inner folds")]
    Undefined(&'static str),
}

/// The metric of a trial on each inner fold, or how it failed.
type TrialValues = Result<Vec<Option<f64>>, (String, FailureKind)>;

/// Chooses the trial with the best mean over the inner folds; of equal ones the earliest.
///
/// A trial with a failed job is not chosen. An inner fold in which the metric is undefined for some
/// trial is ignored for all of them.
///
/// # Errors
/// If a trial has not ended, or none has a score.
pub fn choose<'r>(
    tuning: &Tuning,
    record: impl Fn(TrialId) -> Option<&'r JobRecord>,
) -> Result<TrialChoice, ChoiceError> {
    let mut trials: Vec<TrialValues> = vec![Ok(Vec::new()); tuning.trials.len()];
    let mut trial_seconds = 0.0;
    for id in tuning.ids() {
        let record = record(id).ok_or(ChoiceError::Missing(id, tuning.trials.len()))?;
        trial_seconds += record.machine.train_seconds + record.machine.ensemble_seconds;
        let trial = &mut trials[id.trial - 1];
        match (record.status.failure(), trial.as_mut()) {
            (None, Ok(values)) => {
                values.push(record.result.as_ref().and_then(|outcome| outcome.metric(tuning.metric)));
            }
            (Some((kind, message)), Ok(_)) => *trial = Err((message.to_owned(), kind)),
            (_, Err(_)) => {}
        }
    }
    if let (true, Some(Err((message, kind)))) = (trials.iter().all(Result::is_err), trials.first()) {
        let message = message.lines().next().unwrap_or_default().to_owned();
        return Err(ChoiceError::AllFailed { trials: trials.len(), message, kind: *kind });
    }
    let is_defined = |fold: usize| trials.iter().flatten().all(|values| values[fold].is_some());
    let defined: Vec<usize> = (0..tuning.folds).filter(|&fold| is_defined(fold)).collect();
    if defined.is_empty() {
        return Err(ChoiceError::Undefined(tuning.metric.name()));
    }
    let score = |values: &Vec<Option<f64>>| mean(&defined.iter().filter_map(|&fold| values[fold]).collect::<Vec<_>>());
    let sign = if tuning.metric.higher_is_better() { 1.0 } else { -1.0 };
    let (mut best, mut scores): (Option<(usize, f64)>, Vec<TrialScore>) = (None, Vec::new());
    for (number, (config, values)) in tuning.trials.iter().zip(&trials).enumerate() {
        let score = values.as_ref().ok().map(score);
        if let Some(score) = score
            && best.is_none_or(|(_, known)| sign * score > sign * known)
        {
            best = Some((number, score));
        }
        scores.push(TrialScore { settings: config.settings.clone(), score });
    }
    let (number, score) = best.ok_or(ChoiceError::Undefined(tuning.metric.name()))?;
    Ok(TrialChoice {
        trial: number + 1,
        settings: tuning.trials[number].settings.clone(),
        metric: tuning.metric.name().to_owned(),
        score,
        trials: scores,
        trial_seconds,
    })
}

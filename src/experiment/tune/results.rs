//! The trials of a tuned job in the run directory.

use super::choice::TrialChoice;
use super::choose::{ChoiceError, choose};
use super::config::TrialId;
use crate::determinism::HashMap;
use crate::experiment::job::Job;
use crate::experiment::store::{JobRecord, RunStore, Status};

/// Chooses among the stored results of the trials of a tuned job; `None` if it is not tuned.
///
/// # Errors
/// If a trial has no result in the store, or none can be chosen.
pub fn stored_choice(job: &Job, data_checksum: &str, store: &RunStore) -> Option<Result<TrialChoice, ChoiceError>> {
    let tuning = job.tuning.as_ref()?;
    let mut records: HashMap<TrialId, JobRecord> = HashMap::default();
    for trial in job.trials() {
        let id = trial.key(data_checksum).id();
        let record = store.record(&trial).filter(|record| record.id == id);
        records.extend(trial.trial.map(|trial| trial.id).zip(record));
    }
    Some(choose(tuning, |id| records.get(&id)))
}

/// Returns whether the result of a tuned job no longer follows from the stored results of its
/// trials. Without some of them, it stays valid.
pub fn is_outdated(job: &Job, record: &JobRecord, store: &RunStore) -> bool {
    // A job that was ended from outside may not have chosen yet.
    let is_undecided = record.tuning.is_none() && is_ended_from_outside(&record.status);
    match stored_choice(job, &record.key.data_checksum, store) {
        None | Some(Err(ChoiceError::Missing(..))) => false,
        Some(Ok(choice)) => !is_undecided && !record.tuning.as_ref().is_some_and(|known| known.agrees_with(&choice)),
        Some(Err(_)) => record.tuning.is_some(),
    }
}

fn is_ended_from_outside(status: &Status) -> bool {
    status.is_stopped() || status.is_panic()
}

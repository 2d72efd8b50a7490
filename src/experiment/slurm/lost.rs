//! A job whose task ended without its result as often as it may: it has failed, for a reason that only the cluster knows.

use super::parse::Ending;
use crate::experiment::run::{Planned, provenance};
use crate::experiment::store::{FailureKind, RECORD_VERSION, Record, Row, RunStore, RunStoreError, Status};

/// Why a task is gone.
#[derive(Clone, Debug)]
pub struct Why {
    /// What the cluster says; `None` if it has forgotten.
    pub ending: Option<Ending>,
    /// The last line that the task printed.
    pub last_line: Option<String>,
}

impl Why {
    /// In words.
    pub fn words(&self) -> String {
        let mut words = match &self.ending {
            Some(ending) => ending.words(),
            None => "its task was cancelled before it began, or the cluster has forgotten it".to_owned(),
        };
        if let Some(line) = &self.last_line {
            words += &format!("; it last printed: {line}");
        }
        words
    }

    fn kind(&self) -> FailureKind {
        match self.ending.as_ref().map(|ending| ending.state.as_str()) {
            Some("TIMEOUT") => FailureKind::TimeLimit,
            Some("OUT_OF_MEMORY") => FailureKind::MemoryLimit,
            _ => FailureKind::Lost,
        }
    }
}

/// Records that a job is lost; `None` if another process is at work on it, or has ended it.
///
/// # Errors
/// If the run directory cannot be written.
pub fn record(
    planned: &Planned,
    task: &str,
    attempts: u64,
    why: &Why,
    store: &RunStore,
) -> Result<Option<Record>, RunStoreError> {
    let Some(lock) = store.try_lock(&planned.job)? else { return Ok(None) };
    if store.record(&planned.job).is_some_and(|record| record.id == planned.id) {
        return Ok(None);
    }
    let times = if attempts == 1 { "once".to_owned() } else { format!("{attempts} times") };
    let message = format!("submitted {times} without a result: {}", why.words());
    let mut workshop = store.begin(&planned.job, &lock)?;
    workshop.log(&format!("job {}: {}", planned.id, planned.job));
    workshop.log(&format!("failed: {message}"));
    workshop.log(&format!("the last task was {task}"));
    let mut machine = provenance::machine(0, 0);
    machine.ended.clone_from(&machine.started);
    let record = Record {
        version: RECORD_VERSION,
        id: planned.id.clone(),
        status: Status::Failed { failure: why.kind(), message },
        row: Row::of(&planned.job),
        key: planned.key.clone(),
        training_seed: planned.job.training_seed(),
        data: None,
        counts: None,
        result: None,
        warnings: Vec::new(),
        program: provenance::program(),
        machine,
    };
    workshop.put(&record)?;
    Ok(Some(record))
}

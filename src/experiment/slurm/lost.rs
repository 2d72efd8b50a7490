//! Records jobs as failed whose tasks ended without a result on every attempt.

use super::parse::TaskEnd;
use crate::experiment::outstanding::recorded;
use crate::experiment::planned::PlannedJob;
use crate::experiment::run::provenance;
use crate::experiment::store::{FailureKind, JobRecord, JobRow, RECORD_VERSION, RunStore, RunStoreError, Status};

/// Reason why a task was lost.
#[derive(Clone, Debug)]
pub struct LossReason {
    /// Final state reported by the cluster; `None` if it is no longer known.
    pub end: Option<TaskEnd>,
    /// Last line that the task printed.
    pub last_line: Option<String>,
}

impl LossReason {
    /// Describes the reason.
    pub fn description(&self) -> String {
        let mut description = match &self.end {
            Some(end) => end.description(),
            None => "the task was cancelled before it started, or the cluster no longer knows it".to_owned(),
        };
        if let Some(line) = &self.last_line {
            description += &format!("; its last output line is: {line}");
        }
        description
    }

    fn kind(&self) -> FailureKind {
        match self.end.as_ref().map(|end| end.state.as_str()) {
            Some("TIMEOUT") => FailureKind::TimeLimit,
            Some("OUT_OF_MEMORY") => FailureKind::MemoryLimit,
            _ => FailureKind::Lost,
        }
    }
}

/// Records that a job is lost; `None` if another process is running it or has finished it.
///
/// # Errors
/// If the run directory cannot be written.
pub fn record(
    planned: &PlannedJob,
    task: &str,
    attempts: u64,
    why: &LossReason,
    store: &RunStore,
) -> Result<Option<JobRecord>, RunStoreError> {
    let Some(lock) = store.try_lock(&planned.job)? else { return Ok(None) };
    if recorded(planned, store).is_some() {
        return Ok(None);
    }
    let times = if attempts == 1 { "once".to_owned() } else { format!("{attempts} times") };
    let message = format!("submitted {times} without a result: {}", why.description());
    let mut staging = store.begin(&planned.job, &lock)?;
    staging.files().log(&format!("job {}: {}", planned.id, planned.job));
    staging.files().log(&format!("failed: {message}"));
    staging.files().log(&format!("the last task was {task}"));
    let mut machine = provenance::machine(0, 0);
    machine.ended.clone_from(&machine.started);
    let record = JobRecord {
        version: RECORD_VERSION,
        id: planned.id.clone(),
        status: Status::Failed { failure: why.kind(), message },
        row: JobRow::of(&planned.job),
        key: planned.key.clone(),
        training_seed: planned.job.training_seed(),
        data: None,
        counts: None,
        tuning: None,
        result: None,
        warnings: Vec::new(),
        program: provenance::program(),
        machine,
    };
    staging.publish(&record)?;
    Ok(Some(record))
}

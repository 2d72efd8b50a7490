//! Which jobs of a plan are outstanding: a pure function of the plan and the run directory.
//!
//! `plan`, `run`, `run-job` and every executor decide by it.

use super::plan::{JobState, Previous, Reason};
use super::planned::PlannedJob;
use super::store::{JobRecord, RECORD, RunStore, STEPS_TO_READ};
use crate::parallel;

/// What a run directory holds of a job.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// Position of the job in the plan.
    pub job: usize,
    /// Its state.
    pub state: JobState,
    /// Its record, if it ended with the id of the plan.
    pub record: Option<JobRecord>,
}

impl Inspected {
    /// Returns whether the job has to run; `fresh` repeats every job, `retry_failed` failed ones.
    pub fn is_outstanding(&self, fresh: bool, retry_failed: bool) -> bool {
        match self.state {
            JobState::Outstanding(_) => true,
            // With the same program and data, an unsupported dataset stays unsupported.
            JobState::Done | JobState::Refused(_) => fresh,
            JobState::Failed(_) => fresh || retry_failed,
            JobState::NoData => false,
        }
    }
}

/// Reads what a run directory holds of jobs of a plan, given by position, and verifies it.
pub fn inspect(plan: &[PlannedJob], jobs: &[usize], store: &RunStore) -> Vec<Inspected> {
    parallel::map(jobs, STEPS_TO_READ, |&job| {
        let (state, record) = inspect_one(&plan[job], store);
        Inspected { job, state, record }
    })
}

fn inspect_one(planned: &PlannedJob, store: &RunStore) -> (JobState, Option<JobRecord>) {
    let previous = match store.read_record(&planned.job) {
        Ok(Some(record)) if record.id == planned.id => return (JobState::ended(&record.status), Some(record)),
        Ok(record) => record.map(|record| Previous::Ended { key: Box::new(record.key), status: record.status }),
        Err(damage) => Some(Previous::Damaged(damage.to_string())),
    };
    let state = match JobState::of(&planned.key, previous.as_ref()) {
        JobState::Outstanding(reason) => JobState::Outstanding(reason),
        _ => {
            let file = planned.job.directory().join(RECORD);
            JobState::Outstanding(Reason::Damaged(format!("{}: the id does not match the key", file.display())))
        }
    };
    (state, None)
}

/// Returns the record of a job if it has the job's id.
pub fn recorded(planned: &PlannedJob, store: &RunStore) -> Option<JobRecord> {
    store.record(&planned.job).filter(|record| record.id == planned.id)
}

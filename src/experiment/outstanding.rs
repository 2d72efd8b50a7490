//! Which jobs of a plan are outstanding: a pure function of the plan and the run directory.
//!
//! `plan`, `run`, `run-job` and every executor decide by it.

use super::plan::{Change, JobState, Previous, Reason};
use super::planned::PlannedJob;
use super::store::{JobRecord, RECORD, RunStore, STEPS_TO_READ};
use super::tune::results::is_outdated;
use crate::files::visible::ShownPath;
use crate::parallel;

/// Returns the states of jobs of a plan, given by position.
pub fn states(plan: &[PlannedJob], jobs: &[usize], store: &RunStore) -> Vec<JobState> {
    parallel::map(jobs, STEPS_TO_READ, |&job| inspect_one(&plan[job], store).0)
}

/// Returns the states of jobs of a plan, and the verified records of those that ended with the id
/// of the plan.
pub fn inspect(plan: &[PlannedJob], jobs: &[usize], store: &RunStore) -> Vec<(JobState, Option<JobRecord>)> {
    parallel::map(jobs, STEPS_TO_READ, |&job| inspect_one(&plan[job], store))
}

fn inspect_one(planned: &PlannedJob, store: &RunStore) -> (JobState, Option<JobRecord>) {
    let previous = match store.read_record(&planned.job) {
        Ok(Some(record)) if record.id == planned.id => {
            if is_outdated(&planned.job, &record, store) {
                return (JobState::Outstanding(Reason::Changed(vec![Change::Trials])), None);
            }
            return (JobState::ended(&record.status), Some(record));
        }
        Ok(record) => record.map(|record| Previous::Ended { key: Box::new(record.key), status: record.status }),
        Err(damage) => Some(Previous::Damaged(damage.to_string())),
    };
    let state = match JobState::of(&planned.key, previous.as_ref()) {
        JobState::Outstanding(reason) => JobState::Outstanding(reason),
        _ => {
            let file = planned.job.directory().join(RECORD);
            JobState::Outstanding(Reason::Damaged(format!("{}: the id does not match the key", file.shown())))
        }
    };
    (state, None)
}

/// Returns the record of a job if it has the job's id and, if it is tuned, follows from its trials.
pub fn recorded(planned: &PlannedJob, store: &RunStore) -> Option<JobRecord> {
    let is_current = |record: &JobRecord| record.id == planned.id && !is_outdated(&planned.job, record, store);
    store.record(&planned.job).filter(is_current)
}

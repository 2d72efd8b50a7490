//! Which jobs of a plan are outstanding: a pure function of the plan, the store and the options.

use super::options::Options;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{JobRecord, MetricsTable, RunStore, Status};

/// Returns the record of a job if it has the job's id.
pub(crate) fn recorded(planned: &PlannedJob, store: &RunStore) -> Option<JobRecord> {
    store.record(&planned.job).filter(|record| record.id == planned.id)
}

/// Reads the records of jobs of a plan, given by position, whose ids match.
pub(super) fn read_table(plan: &[PlannedJob], jobs: impl Iterator<Item = usize>, store: &RunStore) -> MetricsTable {
    let mut table = MetricsTable::new(plan.iter().map(|planned| &planned.job));
    for job in jobs {
        if let Some(record) = recorded(&plan[job], store) {
            table.set(job, record);
        }
    }
    table
}

/// Returns the selected jobs to run. Jobs of one dataset and fold stay adjacent, so that their data
/// are not kept longer than needed.
pub(super) fn outstanding(selected: &[usize], table: &MetricsTable, options: &Options) -> Vec<usize> {
    let is_outstanding = |&job: &usize| match table.get(job).map(|record| &record.status) {
        None => true,
        Some(Status::Done) => options.fresh,
        // With the same program and data, an unsupported dataset stays unsupported.
        Some(status) => options.fresh || options.retry_failed && !status.is_refused(),
    };
    selected.iter().copied().filter(is_outstanding).collect()
}

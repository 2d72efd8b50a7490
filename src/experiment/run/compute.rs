//! Running a job on threads of the calling process.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::execute::{Attempt, Execution, JobOutput, JobProgress, RunContext};
use super::failure::{self, Failure, LimitMonitor};
use super::threads::JobThreads;
use crate::experiment::job::Limits;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{Outcome, RunStoreError, StagingFiles};

/// How a job ended, wherever it ran.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobEnd {
    /// What is known about the job.
    pub attempt: Attempt,
    /// Its result.
    pub result: Result<Outcome, Failure>,
    /// Processor seconds of its threads, if known.
    pub cpu_seconds: Option<f64>,
    /// Peak memory of its process, if it had one of its own.
    pub peak_memory_bytes: Option<u64>,
}

/// Runs a job and writes its files, except for the record.
///
/// # Errors
/// If the files cannot be written, which is not a failure of the job.
pub fn compute(
    context: &RunContext<'_>,
    planned: &PlannedJob,
    limits: Limits,
    threads: &JobThreads,
    staging: &mut StagingFiles,
    notify: &mut (dyn FnMut(JobProgress) + Send),
) -> Result<JobEnd, RunStoreError> {
    let before = threads.cpu_seconds();
    let mut attempt = Attempt::default();
    let execution = Execution {
        context,
        job: &planned.job,
        id: &planned.id,
        data_checksum: &planned.key.data_checksum,
        ensemble_id: planned.ensemble.as_ref(),
        staging,
        notify,
    };
    let monitor = Arc::new(LimitMonitor::begin(limits));
    threads.set_limits(Some(&monitor));
    let result = threads.pool.install(|| failure::guard(&threads.panic_location, || execution.run(&mut attempt)));
    threads.set_limits(None);
    let result = match result.and_then(|output| monitor.exceeded_memory().map_or(Ok(output), Err)) {
        Ok(JobOutput { outcome, files }) => {
            for (name, bytes) in files {
                staging.write(&name, &bytes)?;
            }
            Ok(outcome)
        }
        Err(failure) => Err(failure),
    };
    let cpu_seconds = threads.cpu_seconds().zip(before).map(|(after, before)| after - before);
    Ok(JobEnd { attempt, result, cpu_seconds, peak_memory_bytes: None })
}

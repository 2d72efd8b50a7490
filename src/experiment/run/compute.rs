//! Running a job on threads of the calling process.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::execute::{Attempt, Execution, JobOutput, JobProgress, RunContext};
use super::failure::{self, Failure, LimitMonitor};
use super::threads::JobThreads;
use crate::experiment::job::{Job, Limits, case_text};
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{FailureKind, Outcome, RunStoreError, StagingFiles};
use crate::experiment::tune::choose::ChoiceError;
use crate::experiment::tune::results::stored_choice;

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
    let data_checksum = planned.key.data_checksum.as_str();
    let chosen = match chosen(context, planned, staging, &mut attempt) {
        Ok(chosen) => chosen,
        Err(failure) => {
            return Ok(JobEnd { attempt, result: Err(failure), cpu_seconds: None, peak_memory_bytes: None });
        }
    };
    let ensemble = chosen.as_ref().and_then(Job::ensemble).map(|first| first.key(data_checksum).id());
    let execution = Execution {
        context,
        job: chosen.as_ref().unwrap_or(&planned.job),
        id: &planned.id,
        data_checksum,
        ensemble_id: ensemble.as_ref().or(planned.ensemble.as_ref()),
        prefix: planned.prefix.as_ref(),
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

/// Returns a tuned job with the parameters of its best trial; `None` for other jobs.
fn chosen(
    context: &RunContext<'_>,
    planned: &PlannedJob,
    staging: &mut StagingFiles,
    attempt: &mut Attempt,
) -> Result<Option<Job>, Failure> {
    let PlannedJob { job, key, .. } = planned;
    let (Some(tuning), Some(choice)) = (&job.tuning, stored_choice(job, &key.data_checksum, context.store)) else {
        return Ok(None);
    };
    let choice = choice.map_err(|error| {
        let kind = match &error {
            ChoiceError::AllFailed { kind: FailureKind::Refused, .. } => FailureKind::Refused,
            _ => FailureKind::Error,
        };
        Failure { kind, message: error.to_string() }
    })?;
    staging.log(&format!(
        "chose trial {} of {}: {} ({} {:.6} on the inner folds)",
        choice.trial,
        choice.trials.len(),
        case_text(&choice.settings),
        choice.metric,
        choice.score
    ));
    let chosen = job.with_trial(&tuning.trials[choice.trial - 1].system);
    attempt.tuning = Some(choice);
    Ok(Some(chosen))
}

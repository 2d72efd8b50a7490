//! Submission to a cluster that may reject tasks, or accept them without confirming.

use std::time::{Duration, Instant};

use super::super::batch::{Batch, TaskJobs};
use super::super::parse::QueuedTask;
use super::super::submit_failure::SubmitFailure;
use super::{Task, Watcher};
use crate::experiment::error::SlurmError;
use crate::experiment::run::{Event, RunRecorder};

/// Initial and maximum delay before a rejected submission is retried.
const RETRY_DELAY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));
/// Maximum number of rejections while no task of ours is queued: after and before the first
/// success.
const MAX_REJECTIONS: (u32, u32) = (20, 5);

impl Watcher<'_> {
    /// Submits what is left, as far as the cluster accepts it.
    pub(super) fn submit(&mut self, recorder: &mut RunRecorder<'_>) -> Result<(), SlurmError> {
        while !self.unsubmitted.is_empty() && Instant::now() >= self.next_submission {
            // Nothing is resubmitted until it is certain that the cluster does not have it.
            if let Err(error) = self.query_unconfirmed(recorder) {
                self.delay(recorder, error, SubmitFailure::Unknown)?;
                continue;
            }
            let tasks = self.needed(&self.unsubmitted[0]);
            if tasks.is_empty() {
                self.unsubmitted.remove(0);
                continue;
            }
            let batch = match self.rejected.take().filter(|batch| batch.tasks == tasks) {
                Some(batch) => batch,
                None => self.batches.write(self.work.plan, tasks)?,
            };
            let tasks = batch.tasks.len();
            match self.cluster.submit(self.settings, &batch.name, tasks, &batch.directory, &batch.script()) {
                Ok(array) => {
                    self.unsubmitted.remove(0);
                    self.accept(recorder, batch, array)?;
                }
                Err(error) => {
                    let submit_failure = SubmitFailure::of(&error);
                    if submit_failure == SubmitFailure::Unknown {
                        self.unconfirmed.push(batch);
                        // If the query fails, it is repeated before the next submission.
                        if self.query_unconfirmed(recorder).is_ok_and(|found| found) {
                            continue;
                        }
                    } else {
                        self.rejected = Some(batch);
                    }
                    self.delay(recorder, error, submit_failure)?;
                }
            }
        }
        Ok(())
    }

    /// Records that the cluster accepted a batch.
    fn accept(&mut self, recorder: &mut RunRecorder<'_>, batch: Batch, array: u64) -> Result<(), SlurmError> {
        batch.submitted(array)?;
        (self.has_accepted, self.rejections) = (true, 0);
        let Batch { directory, name, tasks } = batch;
        let jobs = tasks.iter().map(|task| task.jobs.len()).sum();
        recorder.notify(Event::Submitted { array, tasks: tasks.len(), jobs });
        let task = |(i, assignment)| Task {
            directory: directory.clone(),
            name: name.clone(),
            array,
            number: i + 1,
            assignment,
            is_running: false,
            gone: None,
        };
        self.tasks.extend(tasks.into_iter().enumerate().map(task));
        Ok(())
    }

    /// Queries unconfirmed batches; returns whether the cluster has one.
    pub(super) fn query_unconfirmed(&mut self, recorder: &mut RunRecorder<'_>) -> Result<bool, SlurmError> {
        if self.unconfirmed.is_empty() {
            return Ok(false);
        }
        let names: Vec<&str> = self.unconfirmed.iter().map(|batch| batch.name.as_str()).collect();
        let queued = self.cluster.queue(&names)?;
        let found = self.adopt(recorder, &queued)?;
        // A batch that is not queued may have run already.
        self.next_scan = Instant::now();
        self.scan(recorder);
        Ok(found)
    }

    /// Adopts queued tasks of unconfirmed batches.
    pub(super) fn adopt(&mut self, recorder: &mut RunRecorder<'_>, queued: &[QueuedTask]) -> Result<bool, SlurmError> {
        let mut found = false;
        for batch in std::mem::take(&mut self.unconfirmed) {
            match queued.iter().find(|queued_task| queued_task.name == batch.name) {
                Some(queued_task) => {
                    self.accept(recorder, batch, queued_task.array)?;
                    found = true;
                }
                None => self.unconfirmed.push(batch),
            }
        }
        Ok(found)
    }

    /// Returns the jobs that have no result and are not on the cluster.
    fn needed(&self, tasks: &[TaskJobs]) -> Vec<TaskJobs> {
        let jobs_on_cluster = self.jobs_on_cluster();
        let is_needed = |job: &usize| self.waiting.contains(job) && !jobs_on_cluster.contains(job);
        let needed =
            |task: &TaskJobs| TaskJobs { jobs: task.jobs.iter().copied().filter(is_needed).collect(), ..*task };
        tasks.iter().map(needed).filter(|task| !task.jobs.is_empty()).collect()
    }

    /// Delays the next submission, or fails if a retry is pointless.
    fn delay(
        &mut self,
        recorder: &mut RunRecorder<'_>,
        error: SlurmError,
        submit_failure: SubmitFailure,
    ) -> Result<(), SlurmError> {
        // Many clusters limit the number of queued tasks: when some have ended, others are
        // accepted.
        let mut pause = RETRY_DELAY.1;
        if self.tasks.is_empty() {
            self.rejections += 1;
            let max = if self.has_accepted { MAX_REJECTIONS.0 } else { MAX_REJECTIONS.1 };
            if submit_failure == SubmitFailure::Permanent || self.rejections >= max {
                return Err(error);
            }
            pause = (RETRY_DELAY.0 * 2u32.saturating_pow(self.rejections - 1)).min(RETRY_DELAY.1);
        }
        self.next_submission = Instant::now() + pause;
        self.report_error(recorder, &error);
        Ok(())
    }
}

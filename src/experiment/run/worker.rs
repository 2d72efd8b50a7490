//! Workers: take jobs from the queue, run them, and publish their results.

use std::sync::mpsc::Sender;
use std::time::Instant;

use super::compute::{JobEnd, compute};
use super::event::{Event, JobPlace};
use super::execute::{JobProgress, RunContext};
use super::executor::{JobSeconds, Workload, end_event};
use super::failure::Failure;
use super::isolation::Isolation;
use super::options::Options;
use super::queue::{Claim, Queue, ReleaseReason};
use super::threads::ThreadPools;
use super::{machine, provenance};
use crate::data::store::Store;
use crate::experiment::error::RunError;
use crate::experiment::job::Limits;
use crate::experiment::outstanding::recorded;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{FailureKind, JobLock, JobRecord, JobRow, MachineInfo, Outcome, RECORD_VERSION, Status};

/// Message of a worker.
pub enum Message {
    /// An event to forward.
    Event(Event),
    /// A job ended.
    Ended {
        /// Position of the job.
        job: usize,
        /// Record of the job.
        record: Box<JobRecord>,
        /// Time it took, if it ran here.
        seconds: Option<JobSeconds>,
    },
    /// The run cannot continue.
    Aborted(RunError),
}

/// What happened to a claimed job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disposition {
    Done,
    Failed,
    Elsewhere,
    Aborted,
}

impl Disposition {
    /// A trial that fails is not chosen, which is not a failure of the run.
    fn of(JobRecord { status, row, .. }: &JobRecord) -> Self {
        let is_done = *status == Status::Done || status.is_refused() || row.trial.is_some();
        if is_done { Disposition::Done } else { Disposition::Failed }
    }
}

/// State shared by all workers of a run.
pub struct WorkerContext<'a> {
    plan: &'a [PlannedJob],
    context: RunContext<'a>,
    isolation: Option<&'a Isolation>,
    options: &'a Options,
    workers: usize,
}

impl<'a> WorkerContext<'a> {
    /// Prepares the jobs of a workload.
    pub fn new(work: &'a Workload<'a>, data: &'a Store, isolation: Option<&'a Isolation>, workers: usize) -> Self {
        let &Workload { plan, jobs, store, options } = work;
        WorkerContext { plan, context: RunContext::new(plan, jobs, data, store), isolation, options, workers }
    }

    /// Runs jobs until none is left. With `wait`, blocks on jobs that other processes have locked.
    pub fn run_jobs(&self, queue: &Queue, jobs: &[usize], wait: bool, send: &Sender<Message>) {
        let mut pools = ThreadPools::default();
        while let Some(claim) = queue.take() {
            let job = jobs[claim.job];
            let disposition = self.process(job, &claim, &mut pools, wait, send).unwrap_or_else(|error| {
                drop(send.send(Message::Aborted(error)));
                Disposition::Aborted
            });
            if disposition != Disposition::Elsewhere {
                self.release(job);
            }
            if disposition == Disposition::Aborted || (disposition == Disposition::Failed && self.options.fail_fast) {
                queue.stop();
            }
            queue.release(
                &claim,
                if disposition == Disposition::Elsewhere { ReleaseReason::Elsewhere } else { ReleaseReason::Ended },
            );
        }
    }

    fn release(&self, job: usize) {
        let PlannedJob { job, ensemble, id, .. } = &self.plan[job];
        self.context.data.release(job);
        self.context.prefixes.release(id);
        if let Some(id) = ensemble {
            self.context.ensembles.release(id);
        }
    }

    fn process(
        &self,
        job: usize,
        claim: &Claim,
        pools: &mut ThreadPools,
        wait: bool,
        send: &Sender<Message>,
    ) -> Result<Disposition, RunError> {
        let began = Instant::now();
        let planned = &self.plan[job];
        let (name, place) = (planned.job.to_string(), JobPlace::of(&planned.job));
        let store = self.context.store;
        // The receiver is gone only if the run is over.
        let notify = |event| drop(send.send(Message::Event(event)));
        let lock = if wait { Some(store.lock(&planned.job)?) } else { store.try_lock(&planned.job)? };
        let Some(lock) = lock else {
            notify(Event::Elsewhere { job, name, place });
            return Ok(Disposition::Elsewhere);
        };
        let adopt = |record: JobRecord| {
            let disposition = Disposition::of(&record);
            let (name, place, done) = (name.clone(), place.clone(), disposition == Disposition::Done);
            notify(Event::Adopted { job, name, place, done });
            drop(send.send(Message::Ended { job, record: Box::new(record), seconds: None }));
            Ok(disposition)
        };
        if let Some(record) = self.published_meanwhile(planned, wait) {
            return adopt(record);
        }
        notify(Event::Start { job, name: name.clone(), place: place.clone(), threads: claim.threads });
        let executed = self.execute(job, (claim.threads, pools), &lock, send);
        drop(lock);
        let (record, learning) = match executed {
            Ok(executed) => executed,
            // On file systems with node-local locks, another process may have finished the job at
            // the same time and removed our staging directory as a leftover.
            Err(error) => return self.published_meanwhile(planned, wait).map_or(Err(error), adopt),
        };
        notify(end_event(job, &planned.job, &record));
        let seconds = Some(JobSeconds { total: began.elapsed().as_secs_f64(), learning });
        let disposition = Disposition::of(&record);
        drop(send.send(Message::Ended { job, record: Box::new(record), seconds }));
        Ok(disposition)
    }

    /// Returns the record that another process published since the run began.
    fn published_meanwhile(&self, planned: &PlannedJob, wait: bool) -> Option<JobRecord> {
        // With `fresh`, an earlier result must be replaced; a job we waited for had none.
        if self.options.fresh && !wait {
            return None;
        }
        let retry = self.options.retry_failed && !wait;
        let is_final = |record: &JobRecord| record.status == Status::Done || record.status.is_refused() || !retry;
        recorded(planned, self.context.store).filter(is_final)
    }

    /// Runs a job, in this process or in one of its own, and publishes its directory.
    fn execute(
        &self,
        job: usize,
        threads: (usize, &mut ThreadPools),
        lock: &JobLock,
        send: &Sender<Message>,
    ) -> Result<(JobRecord, f64), RunError> {
        let planned = &self.plan[job];
        let (threads, pools) = threads;
        let mut staging = self.context.store.begin(&planned.job, lock)?;
        let began = Instant::now();
        let machine = provenance::machine(threads, self.workers);
        let program = provenance::program();
        let files = staging.files();
        files.log(&format!("job {} starts: {}", planned.id, planned.job));
        files.log(&format!("lrbm {} on {threads} threads, {}", program.version, machine.started));
        let dataset = &planned.job.dataset.name;
        let place = JobPlace::of(&planned.job);
        let mut notify = |progress| {
            let event = match progress {
                JobProgress::Opened { seconds, warnings } => {
                    Event::Opened { dataset: dataset.clone(), seconds, warnings }
                }
                JobProgress::Step { done, of } if planned.job.grows_trees() => {
                    Event::Tree { job, place: place.clone(), trees: done, of }
                }
                JobProgress::Step { done, of } => Event::Step { job, place: place.clone(), steps: done, of },
            };
            drop(send.send(Message::Event(event)));
        };
        let end = match self.isolation.filter(|_| planned.job.is_isolated()) {
            Some(isolation) => isolation.run(planned, threads, files, self.context.store.root(), &mut notify)?,
            None => {
                // Memory is that of the whole process, which also runs other jobs.
                let limits = Limits { memory_bytes: None, ..planned.job.limits };
                compute(&self.context, planned, limits, pools.of(threads)?, files, &mut notify)?
            }
        };
        let JobEnd { attempt, result, cpu_seconds, peak_memory_bytes } = end;
        match &result {
            Ok(outcome) => {
                let shown = outcome.metrics.iter().filter_map(|(name, value)| Some(format!("{name} {:.6}", (*value)?)));
                files.log(&format!("done: {}", shown.collect::<Vec<_>>().join(", ")));
            }
            Err(failure) => {
                let how = if failure.kind == FailureKind::Refused { "refused" } else { "failed" };
                files.log(&format!("{how}: {}", failure.message));
            }
        }
        let machine = MachineInfo {
            ended: machine::now(),
            wall_seconds: began.elapsed().as_secs_f64(),
            train_seconds: attempt.train_seconds,
            ensemble_seconds: attempt.ensemble_seconds,
            score_seconds: attempt.score_seconds,
            cpu_seconds,
            peak_memory_bytes,
            prefix_of: attempt.prefix_of,
            ..machine
        };
        let learning = machine.learning_seconds();
        let (status, result) = ended(result);
        let record = JobRecord {
            version: RECORD_VERSION,
            id: planned.id.clone(),
            status,
            row: JobRow::of(&planned.job),
            key: planned.key.clone(),
            training_seed: planned.job.training_seed(),
            data: attempt.data,
            counts: attempt.counts,
            tuning: attempt.tuning,
            result,
            warnings: attempt.warnings,
            program,
            machine,
        };
        staging.publish(&record)?;
        Ok((record, learning))
    }
}

fn ended(result: Result<Outcome, Failure>) -> (Status, Option<Outcome>) {
    match result {
        Ok(outcome) => (Status::Done, Some(outcome)),
        Err(Failure { kind, message }) => (Status::Failed { failure: kind, message }, None),
    }
}

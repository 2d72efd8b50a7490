//! Workers: take jobs from the queue, run them, and publish their results.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use hashbrown::hash_map::Entry;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::data::DataCache;
use super::event::Event;
use super::execute::{Attempt, Execution, JobOutput, JobProgress, RunContext};
use super::executor::{JobSeconds, end_event};
use super::failure::{self, Failure, LimitMonitor};
use super::fault::Fault;
use super::options::Options;
use super::queue::{Claim, Queue, ReleaseReason};
use super::shared::Shared;
use super::{machine, provenance};
use crate::cancel::{self, Check};
use crate::data::store::Store;
use crate::determinism::HashMap;
use crate::experiment::error::RunError;
use crate::experiment::outstanding::recorded;
use crate::experiment::panics::{PanicLocation, record_panics};
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{
    FailureKind, JobLock, JobRecord, JobRow, MachineInfo, Outcome, RECORD_VERSION, RunStore, RunStoreError, Status,
};

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
    fn of(status: &Status) -> Self {
        if *status == Status::Done || status.is_refused() { Disposition::Done } else { Disposition::Failed }
    }
}

/// State shared by all workers of a run.
pub struct WorkerContext<'a> {
    plan: &'a [PlannedJob],
    context: RunContext<'a>,
    options: &'a Options,
    workers: usize,
}

impl<'a> WorkerContext<'a> {
    /// Prepares these jobs of a plan.
    pub fn new(
        plan: &'a [PlannedJob],
        to_run: &[usize],
        data: &'a Store,
        store: &'a RunStore,
        options: &'a Options,
        workers: usize,
    ) -> Self {
        let jobs = to_run.iter().map(|&job| &plan[job].job);
        let context = RunContext {
            store,
            data: DataCache::new(data, jobs),
            ensembles: Shared::new(to_run.iter().filter_map(|&job| plan[job].ensemble.clone())),
            by_id: plan.iter().map(|planned| (planned.id.clone(), &planned.job)).collect(),
            fault: Fault::from_environment(),
        };
        WorkerContext { plan, context, options, workers }
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
        let PlannedJob { job, ensemble, .. } = &self.plan[job];
        self.context.data.release(job);
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
        let name = planned.job.to_string();
        let store = self.context.store;
        // The receiver is gone only if the run is over.
        let notify = |event| drop(send.send(Message::Event(event)));
        let lock = if wait { Some(store.lock(&planned.job)?) } else { store.try_lock(&planned.job)? };
        let Some(lock) = lock else {
            notify(Event::Elsewhere { job, name });
            return Ok(Disposition::Elsewhere);
        };
        let adopt = |record: JobRecord| {
            let disposition = Disposition::of(&record.status);
            notify(Event::Adopted { job, name: name.clone(), done: disposition == Disposition::Done });
            drop(send.send(Message::Ended { job, record: Box::new(record), seconds: None }));
            Ok(disposition)
        };
        if let Some(record) = self.published_meanwhile(planned, wait) {
            return adopt(record);
        }
        let job_threads = pools.of(claim.threads)?;
        notify(Event::Start { job, name: name.clone(), threads: claim.threads });
        let executed = self.execute(job, job_threads, &lock, send);
        drop(lock);
        let (record, learning) = match executed {
            Ok(executed) => executed,
            // On file systems with node-local locks, another process may have finished the job at
            // the same time and removed our staging directory as a leftover.
            Err(error) => return self.published_meanwhile(planned, wait).map_or(Err(error.into()), adopt),
        };
        notify(end_event(job, name, &record));
        let seconds = Some(JobSeconds { total: began.elapsed().as_secs_f64(), learning });
        let disposition = Disposition::of(&record.status);
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

    /// Runs a job and publishes its directory.
    fn execute(
        &self,
        job: usize,
        job_threads: &JobThreads,
        lock: &JobLock,
        send: &Sender<Message>,
    ) -> Result<(JobRecord, f64), RunStoreError> {
        let planned = &self.plan[job];
        let mut staging = self.context.store.begin(&planned.job, lock)?;
        let began = Instant::now();
        let machine = provenance::machine(job_threads.pool.current_num_threads(), self.workers);
        let program = provenance::program();
        staging.log(&format!("job {} starts: {}", planned.id, planned.job));
        staging.log(&format!("lrbm {} on {} threads, {}", program.version, machine.threads, machine.started));
        let before = job_threads.cpu_seconds();
        let mut attempt = Attempt::default();
        let dataset = &planned.job.dataset.name;
        let mut notify = |progress| {
            let event = match progress {
                JobProgress::Opened { seconds, warnings } => {
                    Event::Opened { dataset: dataset.clone(), seconds, warnings }
                }
                JobProgress::Step { done, of } if planned.job.kind.grows_trees() => {
                    Event::Tree { job, trees: done, of }
                }
                JobProgress::Step { done, of } => Event::Step { job, steps: done, of },
            };
            drop(send.send(Message::Event(event)));
        };
        let execution = Execution {
            context: &self.context,
            job: &planned.job,
            id: &planned.id,
            data_checksum: &planned.key.data_checksum,
            ensemble_id: planned.ensemble.as_ref(),
            staging: &mut staging,
            notify: &mut notify,
        };
        job_threads.set_limits(Some(LimitMonitor::begin(planned.job.limits)));
        let result =
            job_threads.pool.install(|| failure::guard(&job_threads.panic_location, || execution.run(&mut attempt)));
        job_threads.set_limits(None);
        let result = match result {
            Ok(JobOutput { outcome, files }) => {
                for (name, bytes) in files {
                    staging.write(name, &bytes)?;
                }
                Ok(outcome)
            }
            Err(failure) => Err(failure),
        };
        match &result {
            Ok(outcome) => {
                let shown = outcome.metrics.iter().filter_map(|(name, value)| Some(format!("{name} {:.6}", (*value)?)));
                staging.log(&format!("done: {}", shown.collect::<Vec<_>>().join(", ")));
            }
            Err(failure) => {
                let how = if failure.kind == FailureKind::Refused { "refused" } else { "failed" };
                staging.log(&format!("{how}: {}", failure.message));
            }
        }
        let machine = MachineInfo {
            ended: machine::now(),
            wall_seconds: began.elapsed().as_secs_f64(),
            train_seconds: attempt.train_seconds,
            ensemble_seconds: attempt.ensemble_seconds,
            score_seconds: attempt.score_seconds,
            cpu_seconds: job_threads.cpu_seconds().zip(before).map(|(after, before)| after - before),
            peak_memory_bytes: machine::peak_memory_bytes(),
            ..machine
        };
        let learning = attempt.train_seconds + attempt.ensemble_seconds;
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

/// The threads of a job, reused by the next job with as many threads.
struct JobThreads {
    pool: ThreadPool,
    panic_location: PanicLocation,
}

impl JobThreads {
    fn new(threads: usize) -> Result<Self, RunError> {
        let panic_location = PanicLocation::default();
        let recorded = panic_location.clone();
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.start_handler(move |_| record_panics(&recorded)).build();
        Ok(JobThreads { pool: pool.map_err(RunError::Threads)?, panic_location })
    }

    /// Sets the limit check that the pool's threads poll.
    fn set_limits(&self, monitor: Option<LimitMonitor>) {
        let check = monitor.map(|monitor| -> Check { Arc::new(move || monitor.check()) });
        self.pool.broadcast(|_| cancel::set(check.clone()));
    }

    /// Returns the processor seconds that the pool's threads have used.
    fn cpu_seconds(&self) -> Option<f64> {
        self.pool.broadcast(|_| machine::thread_cpu_seconds()).into_iter().sum()
    }
}

/// The thread pools of a worker, by size.
#[derive(Default)]
struct ThreadPools(HashMap<usize, JobThreads>);

impl ThreadPools {
    fn of(&mut self, threads: usize) -> Result<&JobThreads, RunError> {
        match self.0.entry(threads) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(JobThreads::new(threads)?)),
        }
    }
}

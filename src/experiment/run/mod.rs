//! Running an experiment: what is left of the plan, by several workers, into a run directory.
//!
//! Workers take jobs from a queue, each with threads of its own; they send what happens to the thread that called, which
//! keeps the table of results and tells whoever listens. Nothing that a result is made of depends on how many workers or threads
//! there are, or on which jobs were done before.

mod data;
mod event;
mod execute;
mod failure;
mod fault;
pub mod machine;
mod metrics;
pub mod provenance;
mod queue;
mod shared;
mod summary;
mod worker;

pub use event::{Event, Tally};
pub use summary::{Cell, Summary, SummaryRow, summarize};

use std::sync::mpsc;
use std::time::Instant;

use crate::data::fetch::Store;
use crate::experiment::store::{MetricsTable, Record, RunStore, RunStoreError, Status};
use crate::experiment::{Job, JobId, JobKey};
use crate::order::HashMap;
use metrics::MetricsWriter;
use queue::{Queue, Ticket};
use worker::{Message, Work};

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The run directory cannot be written.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// There are no threads to be had.
    #[error("no threads could be started: {0}; give a smaller number with --threads")]
    Threads(rayon::ThreadPoolBuildError),
}

/// A job of the plan with everything that decides whether it is done.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The job.
    pub job: Job,
    /// What can change its result.
    pub key: JobKey,
    /// The hash of that.
    pub id: JobId,
    /// The same of the ensemble that it copies, if it does.
    pub ensemble: Option<JobId>,
}

impl Planned {
    /// A job, given the checksum of its data.
    pub fn new(job: Job, data_checksum: &str) -> Self {
        let key = job.key(data_checksum);
        let ensemble = job.ensemble().map(|first| first.key(data_checksum).id());
        Planned { id: key.id(), job, key, ensemble }
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many jobs at once, at most; at least 1.
    pub jobs: usize,
    /// How many threads all of them have together; at least 1.
    pub threads: usize,
    /// Whether jobs run that are done already.
    pub fresh: bool,
    /// Whether jobs run that failed before.
    pub retry_failed: bool,
    /// Whether no job begins after one has failed.
    pub fail_fast: bool,
    /// When the run began, for the share of time that is spent outside learning.
    pub began: Instant,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Numbers of jobs and seconds.
    pub tally: Tally,
    /// Every job of the plan that has ended, also those that were not asked for.
    pub table: MetricsTable,
}

/// Runs the jobs of a plan that are asked for and not done.
///
/// `plan` is the whole experiment and `asked` the positions of the jobs that are asked for. A job that fails is recorded, and
/// the others go on.
///
/// # Errors
/// If the run directory cannot be written. What is done stays.
pub fn run(
    plan: &[Planned],
    asked: &[usize],
    data: &Store,
    store: &RunStore,
    options: &Options,
    listen: &mut dyn FnMut(Event),
) -> Result<Finished, RunError> {
    let mut table = table_of(plan, store);
    let mut tally = Tally { jobs: asked.len(), ..Tally::default() };
    let to_run = outstanding(asked, &table, options);
    let is_failed = |&&job: &&usize| table.get(job).is_some_and(|record| record.status != Status::Done);
    let tries_failed = options.fresh || options.retry_failed;
    let failed_before = if tries_failed { 0 } else { asked.iter().filter(is_failed).count() };
    let threads = options.threads.max(1);
    let workers = options.jobs.clamp(1, threads).min(to_run.len().max(1));
    listen(Event::Begin {
        run: store.root().to_owned(),
        jobs: asked.len(),
        done: asked.len() - to_run.len() - failed_before,
        failed_before,
        to_run: to_run.len(),
        jobs_at_once: workers,
        threads,
    });
    let mut writer = MetricsWriter::new(plan, store);
    writer.write_now(&mut table)?;
    let alone_seconds = options.began.elapsed().as_secs_f64();
    let work = Work::new(plan, &to_run, data, store, options, workers);
    let mut left = to_run;
    // First what nobody holds, then what others held: by then they have ended it, or were killed.
    for wait in [false, true] {
        if left.is_empty() {
            break;
        }
        if wait {
            listen(Event::Waiting { jobs: left.len() });
        }
        let queue = Queue::new(tickets(plan, &left), workers, threads);
        let phase = Phase { work: &work, queue: &queue, jobs: &left, wait };
        phase.run(workers, &mut table, &mut writer, &mut tally, listen)?;
        tally.not_run += queue.not_begun();
        left = queue.elsewhere().into_iter().map(|place| left[place]).collect();
        if tally.not_run > 0 {
            tally.not_run += left.len();
            break;
        }
    }
    let after = Instant::now();
    writer.write_last(&mut table)?;
    store.tidy(plan.iter().map(|planned| &planned.job));
    let ended = |status: fn(&Status) -> bool| {
        asked.iter().filter_map(|&job| table.get(job)).filter(|record| status(&record.status)).count()
    };
    tally.done = ended(|status| *status == Status::Done);
    tally.failed = ended(|status| *status != Status::Done);
    tally.wall_seconds = options.began.elapsed().as_secs_f64();
    let working = tally.job_seconds + alone_seconds + after.elapsed().as_secs_f64();
    tally.share_outside_learning = (tally.ran > 0).then(|| 1.0 - tally.train_seconds / working);
    if tally.ran > 0 {
        store.write_tally(&tally)?;
    }
    listen(Event::End(tally.clone()));
    Ok(Finished { tally, table })
}

/// What the directory holds of a plan: every job whose result, or failure, is of the same id.
pub fn table_of(plan: &[Planned], store: &RunStore) -> MetricsTable {
    let mut table = MetricsTable::new(plan.iter().map(|planned| &planned.job));
    for (place, planned) in plan.iter().enumerate() {
        if let Some(record) = recorded(planned, store) {
            table.set(place, record);
        }
    }
    table
}

fn recorded(planned: &Planned, store: &RunStore) -> Option<Record> {
    store.record(&planned.job).filter(|record| record.id == planned.id)
}

/// The jobs to run, those of a dataset and fold side by side, so that their data are kept no longer than needed.
fn outstanding(asked: &[usize], table: &MetricsTable, options: &Options) -> Vec<usize> {
    let is_left = |&job: &usize| match table.get(job).map(|record| &record.status) {
        None => true,
        Some(Status::Done) => options.fresh,
        Some(Status::Failed { .. }) => options.fresh || options.retry_failed,
    };
    asked.iter().copied().filter(is_left).collect()
}

fn tickets(plan: &[Planned], jobs: &[usize]) -> Vec<Ticket> {
    let places: HashMap<&JobId, usize> = jobs.iter().enumerate().map(|(place, &job)| (&plan[job].id, place)).collect();
    let ticket = |&job: &usize| Ticket {
        after: plan[job].ensemble.as_ref().and_then(|id| places.get(id)).copied(),
        // Memory can be measured for the whole process only, so who is limited runs alone.
        alone: plan[job].job.limits.memory_bytes.is_some(),
    };
    jobs.iter().map(ticket).collect()
}

/// One pass of all workers over jobs.
struct Phase<'a> {
    work: &'a Work<'a>,
    queue: &'a Queue,
    jobs: &'a [usize],
    wait: bool,
}

impl Phase<'_> {
    fn run(
        &self,
        workers: usize,
        table: &mut MetricsTable,
        writer: &mut MetricsWriter<'_>,
        tally: &mut Tally,
        listen: &mut dyn FnMut(Event),
    ) -> Result<(), RunError> {
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let send = send.clone();
                scope.spawn(move || self.work.labour(self.queue, self.jobs, self.wait, &send));
            }
            drop(send);
            let mut result = Ok(());
            while let Some(message) = writer.next(&receive) {
                match message {
                    Some(Message::Event(event)) => {
                        writer.note_others(&event);
                        listen(event);
                    }
                    Some(Message::Ended { job, record, seconds }) => {
                        if let Some(seconds) = seconds {
                            tally.ran += 1;
                            tally.job_seconds += seconds.all;
                            tally.train_seconds += seconds.learning;
                        }
                        table.set(job, *record);
                        writer.changed();
                    }
                    Some(Message::Broken(error)) => {
                        self.queue.stop();
                        result = Err(error);
                    }
                    None => {}
                }
                if result.is_ok()
                    && let Err(error) = writer.write_if_due(table)
                {
                    self.queue.stop();
                    result = Err(error.into());
                }
            }
            result
        })
    }
}

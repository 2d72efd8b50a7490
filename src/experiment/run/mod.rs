//! Running an experiment: what is left of the plan, by an [`Executor`], into a run directory.
//!
//! What is left follows from the plan and the directories of jobs; how it is done, by workers of this process
//! ([`Local`]) or by tasks of a cluster ([`crate::experiment::slurm`]), changes no byte of a result. Whoever does it keeps a [`Book`]: the
//! table of results, and who is told of what happens.

mod data;
mod event;
mod execute;
mod executor;
pub(super) mod failure;
mod fault;
mod local;
pub mod machine;
mod metrics;
mod named;
pub mod provenance;
mod queue;
mod shared;
mod summary;
mod worker;

pub use event::{Event, Tally};
pub use executor::{Book, Executor, Order};
pub use local::Local;
pub use named::run_named;
pub use summary::{Cell, Summary, SummaryRow, summarize};

use std::time::Instant;

use crate::experiment::slurm::SlurmError;
use crate::experiment::store::{MetricsTable, Record, RunStore, RunStoreError, Status};
use crate::experiment::{Job, JobId, JobKey};
use metrics::MetricsWriter;

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The run directory cannot be written.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// There are no threads to be had.
    #[error("no threads could be started: {0}; give a smaller number with --threads")]
    Threads(rayon::ThreadPoolBuildError),
    /// The cluster does not do what is asked of it.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
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

/// Which jobs to run, and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
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

/// Runs the jobs of a plan that are asked for and not done, wherever the executor does.
///
/// `plan` is the whole experiment and `asked` the positions of the jobs that are asked for. A job that fails is recorded, and
/// the others go on.
///
/// # Errors
/// If the run directory cannot be written. What is done stays.
pub fn run(
    plan: &[Planned],
    asked: &[usize],
    executor: &mut dyn Executor,
    store: &RunStore,
    options: &Options,
    listen: &mut dyn FnMut(Event),
) -> Result<Finished, RunError> {
    let table = table_of(plan, 0..plan.len(), store);
    let to_run = outstanding(asked, &table, options);
    let (mut all, mut again) = (Tally::default(), Tally::default());
    all.count(asked, &table);
    again.count(&to_run, &table);
    let (jobs_at_once, threads) = executor.at_once(to_run.len()).unzip();
    listen(Event::Begin {
        run: store.root().to_owned(),
        jobs: asked.len(),
        done: all.done - again.done,
        refused_before: all.refused - again.refused,
        failed_before: all.failed - again.failed,
        to_run: to_run.len(),
        executor: executor.name(),
        jobs_at_once,
        threads,
    });
    tell_damaged(plan, &to_run, &table, store, listen);
    let tally = Tally { jobs: asked.len(), ..Tally::default() };
    let mut book = Book { table, tally, writer: Some(MetricsWriter::new(plan, store)), listen };
    book.write_now()?;
    let alone_seconds = options.began.elapsed().as_secs_f64();
    executor.execute(&Order { plan, jobs: &to_run, store, options }, &mut book)?;
    let after = Instant::now();
    book.write_last()?;
    let Book { table, mut tally, .. } = book;
    if tally.left == 0 {
        store.tidy(plan.iter().map(|planned| &planned.job));
    }
    tally.count(asked, &table);
    tally.wall_seconds = options.began.elapsed().as_secs_f64();
    let working = tally.job_seconds + alone_seconds + after.elapsed().as_secs_f64();
    tally.share_outside_learning = (tally.ran > 0).then(|| 1.0 - tally.train_seconds / working);
    if tally.ran > 0 {
        store.write_tally(&tally)?;
    }
    listen(Event::End(tally.clone()));
    Ok(Finished { tally, table })
}

/// What the directory holds of jobs of a plan: every one whose result, or failure, is of the same id.
fn table_of(plan: &[Planned], jobs: impl Iterator<Item = usize>, store: &RunStore) -> MetricsTable {
    let mut table = MetricsTable::new(plan.iter().map(|planned| &planned.job));
    for place in jobs {
        if let Some(record) = recorded(&plan[place], store) {
            table.set(place, record);
        }
    }
    table
}

/// Tells which results are not as they were written. Whoever looks only for what can be used would not see them.
fn tell_damaged(
    plan: &[Planned],
    to_run: &[usize],
    table: &MetricsTable,
    store: &RunStore,
    listen: &mut dyn FnMut(Event),
) {
    for &job in to_run.iter().filter(|&&job| table.get(job).is_none()) {
        if let Err(damage) = store.held(&plan[job].job) {
            listen(Event::Damaged { job, name: plan[job].job.to_string(), what: damage.to_string() });
        }
    }
}

/// What is recorded of a job with its very id.
pub(super) fn recorded(planned: &Planned, store: &RunStore) -> Option<Record> {
    store.record(&planned.job).filter(|record| record.id == planned.id)
}

/// The jobs to run, those of a dataset and fold side by side, so that their data are kept no longer than needed.
fn outstanding(asked: &[usize], table: &MetricsTable, options: &Options) -> Vec<usize> {
    let is_left = |&job: &usize| match table.get(job).map(|record| &record.status) {
        None => true,
        Some(Status::Done) => options.fresh,
        // With the same program and the same data, what was refused would be refused again.
        Some(status) => options.fresh || options.retry_failed && !status.is_refused(),
    };
    asked.iter().copied().filter(is_left).collect()
}

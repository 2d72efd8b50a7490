//! Some jobs of a run by their names, as a task of a cluster does them: what is done already is left alone, and the
//! tables of all jobs are left to whoever gave the task.

use std::time::Instant;

use super::{
    Book, Event, Executor, Finished, Options, Order, Planned, RunError, Tally, outstanding, table_of, tell_damaged,
};
use crate::experiment::store::RunStore;

/// Runs these jobs of a plan, as far as they are neither done nor failed.
///
/// # Errors
/// If the run directory cannot be written. What is done stays.
pub fn run_named(
    plan: &[Planned],
    named: &[usize],
    executor: &mut dyn Executor,
    store: &RunStore,
    listen: &mut dyn FnMut(Event),
) -> Result<Finished, RunError> {
    let options = Options { fresh: false, retry_failed: false, fail_fast: false, began: Instant::now() };
    let table = table_of(plan, named.iter().copied(), store);
    let to_run = outstanding(named, &table, &options);
    let mut before = Tally::default();
    before.count(named, &table);
    let (jobs_at_once, threads) = executor.at_once(to_run.len()).unzip();
    listen(Event::Begin {
        run: store.root().to_owned(),
        jobs: named.len(),
        done: before.done,
        refused_before: before.refused,
        failed_before: before.failed,
        to_run: to_run.len(),
        executor: executor.name(),
        jobs_at_once,
        threads,
    });
    tell_damaged(plan, &to_run, &table, store, listen);
    let mut book = Book::unwritten(table, Tally { jobs: named.len(), ..Tally::default() }, listen);
    executor.execute(&Order { plan, jobs: &to_run, store, options: &options }, &mut book)?;
    let Book { table, mut tally, listen, .. } = book;
    tally.count(named, &table);
    tally.wall_seconds = options.began.elapsed().as_secs_f64();
    listen(Event::End(tally.clone()));
    Ok(Finished { tally, table })
}

//! Runs selected jobs of a plan with an executor.

use std::time::Instant;

use super::event::{Event, Tally};
use super::executor::{Executor, RunRecorder, Workload};
use super::metrics::MetricsWriter;
use super::options::Options;
use super::outstanding::{outstanding, read_table};
use crate::experiment::error::RunError;
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{MetricsTable, RunStore};

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Job counts and timing.
    pub tally: Tally,
    /// Every job of the plan that ended, selected or not; of a cluster task only the selected ones.
    pub table: MetricsTable,
}

/// Runs the selected jobs of a plan that are outstanding.
///
/// `plan` is the entire experiment and `selected` the positions of the jobs to run. A job that
/// fails is recorded, and the others continue.
///
/// # Errors
/// If the run directory cannot be written or the executor fails. Finished jobs are kept.
pub fn run(
    plan: &[PlannedJob],
    selected: &[usize],
    executor: &mut dyn Executor,
    store: &RunStore,
    options: &Options,
    listen: &mut dyn FnMut(Event),
) -> Result<Finished, RunError> {
    let table = match options.write_tables {
        true => read_table(plan, 0..plan.len(), store),
        false => read_table(plan, selected.iter().copied(), store),
    };
    let to_run = outstanding(selected, &table, options);
    let (mut all, mut again) = (Tally::default(), Tally::default());
    all.count(selected, &table);
    again.count(&to_run, &table);
    let (jobs_at_once, threads) = executor.at_once(to_run.len()).unzip();
    listen(Event::Begin {
        run: store.root().to_owned(),
        jobs: selected.len(),
        done: all.done - again.done,
        refused_before: all.refused - again.refused,
        failed_before: all.failed - again.failed,
        to_run: to_run.len(),
        executor: executor.name(),
        jobs_at_once,
        threads,
    });
    report_damage(plan, &to_run, &table, store, listen);
    let tally = Tally { jobs: selected.len(), ..Tally::default() };
    let writer = options.write_tables.then(|| MetricsWriter::new(plan, store));
    let mut recorder = RunRecorder { table, tally, writer, listen };
    recorder.write_now()?;
    let setup_seconds = options.began.elapsed().as_secs_f64();
    executor.execute(&Workload { plan, jobs: &to_run, store, options }, &mut recorder)?;
    let after = Instant::now();
    recorder.write_last()?;
    let RunRecorder { table, mut tally, .. } = recorder;
    if options.write_tables && tally.left == 0 {
        store.remove_leftovers(plan.iter().map(|planned| &planned.job));
    }
    tally.count(selected, &table);
    tally.wall_seconds = options.began.elapsed().as_secs_f64();
    if options.write_tables && tally.ran > 0 {
        let working = tally.job_seconds + setup_seconds + after.elapsed().as_secs_f64();
        tally.share_outside_learning = Some(1.0 - tally.train_seconds / working);
        store.write_tally(&tally)?;
    }
    listen(Event::End(tally.clone()));
    Ok(Finished { tally, table })
}

/// Reports damaged results; reading the table only skips them.
fn report_damage(
    plan: &[PlannedJob],
    to_run: &[usize],
    table: &MetricsTable,
    store: &RunStore,
    listen: &mut dyn FnMut(Event),
) {
    for &job in to_run.iter().filter(|&&job| table.get(job).is_none()) {
        if let Err(damage) = store.read_record(&plan[job].job) {
            listen(Event::Damaged { job, name: plan[job].job.to_string(), what: damage.to_string() });
        }
    }
}

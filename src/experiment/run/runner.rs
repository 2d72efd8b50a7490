//! Runs selected jobs of a plan with an executor.

use std::time::Instant;

use super::event::{Event, JobPlace, Tally};
use super::executor::{Executor, RunRecorder, Workload};
use super::metrics::MetricsWriter;
use super::options::Options;
use super::table::RecordTable;
use crate::experiment::error::RunError;
use crate::experiment::frame::JobFrame;
use crate::experiment::outstanding::inspect;
use crate::experiment::plan::{JobState, Reason};
use crate::experiment::planned::PlannedJob;
use crate::experiment::store::{RunStore, RunStoreError};
use crate::experiment::tune::graph::TrialGraph;

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Job counts and timing.
    pub tally: Tally,
    /// Every job of the plan that ended, selected or not; of a cluster task only the selected ones.
    pub jobs: JobFrame,
}

/// Runs the selected jobs of a plan that are outstanding.
///
/// `plan` is the entire experiment and `selected` the positions of the jobs to run, in order; the
/// trials of selected jobs are selected with them. A job that fails is recorded, and the others
/// continue.
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
    let graph = TrialGraph::of(plan);
    let selected = &graph.with_trials(selected)[..];
    let (mut table, mut damaged) = (RecordTable::new(plan), Vec::new());
    let mut is_outstanding = vec![false; plan.len()];
    let all: Vec<usize> = (0..plan.len()).collect();
    let jobs: &[usize] = if options.write_tables { &all } else { selected };
    for (&job, (state, record)) in jobs.iter().zip(inspect(plan, jobs, store)) {
        is_outstanding[job] = state.is_outstanding(options.fresh, options.retry_failed);
        if let JobState::Outstanding(Reason::Damaged(what)) = state {
            damaged.push((job, what));
        }
        if let Some(record) = record {
            table.set(job, record);
        }
    }
    // A trial that runs again may change the choice. Trials precede their outer job in the plan.
    let changing: Vec<usize> =
        selected.iter().filter(|&&job| is_outstanding[job]).filter_map(|&job| graph.outer(job)).collect();
    changing.into_iter().for_each(|job| is_outstanding[job] = true);
    // Jobs of one dataset and fold stay adjacent, so that their data are released early.
    let to_run: Vec<usize> = selected.iter().copied().filter(|&job| is_outstanding[job]).collect();
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
    for (job, what) in damaged.into_iter().filter(|(job, _)| to_run.binary_search(job).is_ok()) {
        let (name, place) = (plan[job].job.to_string(), JobPlace::of(&plan[job].job));
        listen(Event::Damaged { job, name, place, what });
    }
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
    let jobs = table.into_jobs().map_err(RunStoreError::Frame)?;
    tally.wall_seconds = options.began.elapsed().as_secs_f64();
    if options.write_tables && tally.ran > 0 {
        let completed = tally.job_seconds - tally.stopped_seconds;
        let working = completed + setup_seconds + after.elapsed().as_secs_f64();
        tally.share_outside_learning = (completed > 0.0).then(|| 1.0 - tally.train_seconds / working);
        store.write_tally(&tally)?;
    }
    listen(Event::End(tally.clone()));
    Ok(Finished { tally, jobs })
}

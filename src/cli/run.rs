//! `lrbm run`

mod display;
mod interrupt;
mod summary;

use std::cell::RefCell;
use std::time::Instant;

pub use self::display::Display;
use self::interrupt::Interrupt;
use super::plan::{self, Chosen};
use super::{CommandError, Output};
use crate::experiment::run::{Executor, Finished, Local, Options, machine, run as run_jobs, summarize};
use crate::experiment::slurm::{self, Cluster, ClusterStatus, InterruptAction, Slurm, SlurmError};
use crate::experiment::spec::SlurmSettings;
use crate::experiment::store::{MODEL, RunStore, RunStoreError};
use crate::experiment::{PlannedJob, RemoteRun, RunError, filter};

/// What to run, where to, and how.
#[derive(clap::Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", filter::HELP))]
pub struct Run {
    #[command(flatten)]
    what: plan::What,
    /// Who runs the jobs: this process, or tasks of a Slurm cluster.
    #[arg(long, value_enum, default_value_t = Where::Local, value_name = "WHERE")]
    executor: Where,
    /// What the tasks ask for: partition, account, time, memory, cpus, prologue, options, task_time or attempts.
    #[arg(long, value_name = "KEY=VALUE")]
    slurm_option: Vec<String>,
    /// How many jobs run at once, at most; as many as there are threads unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How many threads all jobs have together; as many as the machine has unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Run every job anew, also those that are done.
    #[arg(long)]
    fresh: bool,
    /// Run jobs again that failed before.
    #[arg(long)]
    retry_failed: bool,
    /// Begin no more jobs after one has failed.
    #[arg(long)]
    fail_fast: bool,
    /// List the jobs with their state and the reason, and run none.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object a line to stdout for everything that happens, instead of progress and table.
    #[arg(long)]
    json_events: bool,
}

/// Who runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    /// This process.
    Local,
    /// Tasks of a Slurm cluster.
    Slurm,
}

const AFTER_HELP: &str = "\
A run can be stopped at any time, with Ctrl-C or otherwise: the same command goes on where it was. Two processes may work on
one directory; each does what the other does not. What is done is not done again unless something changed that it
depends on: parameters, data or algorithm; `lrbm plan` says what and why.

The directory holds spec.toml, metrics.csv and metrics.parquet (a row for each job; only columns that end in _seconds or _bytes
depend on the machine), and for each job jobs/DATASET/MODEL/CASE/foldK-seedS with run.json, model.json,
predictions.parquet and log.txt.

A time limit in the spec is looked at after every tree. A memory limit is compared, after every tree, with what the process has
grown by since the job began; jobs with one run alone.

With --executor slurm the jobs are grouped into tasks of some minutes, which are submitted as arrays; this process watches them, submits
again what is lost, and writes the tables. It can be stopped and started again: the cluster goes on, and the same command finds
what is queued. The run directory, the data and this program must be visible on the nodes under the same paths.

Exit codes: 0 all jobs have a result or were refused by a kind of model that is not made for the data, 2 bad spec or data, 3 some jobs failed, 4 no job is asked for.";

pub fn run(args: &Run, output: &mut Output) -> Result<(), CommandError> {
    let began = Instant::now();
    if args.executor == Where::Local && !args.slurm_option.is_empty() {
        return Err(CommandError::input("--slurm-option is for --executor slurm"));
    }
    let chosen = args.what.choose()?;
    if args.dry_run {
        return plan::print(&chosen, output);
    }
    if let Some(missing) = plan::missing(&chosen.plan) {
        return Err(CommandError::Input(format!("nothing was run: {missing}")));
    }
    if let Some(note) = chosen.left_out().filter(|_| !output.quiet) {
        super::say(note);
    }
    // A cluster that would not take the tasks says so before anything is written.
    let cluster = match args.executor {
        Where::Local => None,
        Where::Slurm => Some(cluster(args, &chosen)?),
    };
    let planned = planned(&chosen);
    let asked: Vec<usize> = (0..planned.jobs.len()).filter(|&job| planned.is_asked[job]).collect();
    let store = RunStore::new(&chosen.out);
    let _presence = store.prepare().map_err(refused)?;
    store.freeze(&chosen.experiment.frozen).map_err(refused)?;
    plan::keep_left_out(&chosen, &store).map_err(refused)?;
    let options = Options {
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        fail_fast: args.fail_fast,
        write_tables: true,
        began,
    };
    let display = RefCell::new(Display::new(output.quiet, args.json_events));
    let mut listen = |event| display.borrow_mut().show(&event);
    let mut run_by = |executor: &mut dyn Executor| {
        run_jobs(&planned.jobs, &asked, executor, &store, &options, &mut listen).map_err(run_error)
    };
    let finished = match cluster {
        None => {
            let threads = args.threads.map_or_else(machine::cores, usize::from);
            run_by(&mut Local { data: &chosen.data, jobs: args.jobs.map_or(threads, usize::from), threads })?
        }
        Some((cluster, settings)) => {
            let frozen = RemoteRun::of(&chosen.plan, &chosen.data).map_err(CommandError::input)?;
            frozen.write(store.root()).map_err(CommandError::input)?;
            let interrupt = Interrupt::listen().map_err(CommandError::internal)?;
            let left: RefCell<Option<ClusterStatus>> = RefCell::default();
            let mut interrupted = |status: &ClusterStatus| {
                let answer = interrupt.answer(status, |ask| display.borrow().paused(ask));
                if answer == Some(InterruptAction::Detach) {
                    *left.borrow_mut() = Some(status.clone());
                }
                answer
            };
            let experiment = &chosen.experiment.name;
            let program = slurm::this_program().map_err(CommandError::internal)?;
            let interrupted = &mut interrupted;
            let finished = run_by(&mut Slurm { cluster, settings, experiment, program, interrupted })?;
            if let Some(status) = left.take() {
                super::say(interrupt::left(&status));
            }
            finished
        }
    };
    if !args.json_events {
        report(output, &finished, &planned.jobs, &store)?;
    }
    ended(&finished)
}

/// The cluster, if it would take the tasks, and what they ask for.
fn cluster(args: &Run, chosen: &Chosen) -> Result<(Cluster, SlurmSettings), CommandError> {
    if args.jobs.is_some() || args.threads.is_some() {
        let message = "--jobs and --threads are for this machine: `--slurm-option cpus=N` gives each task N processors";
        return Err(CommandError::input(message));
    }
    let settings = chosen.experiment.slurm.clone().with_options(&args.slurm_option).map_err(CommandError::input)?;
    let cluster = Cluster::prepare(&settings, &chosen.out).map_err(CommandError::input)?;
    Ok((cluster, settings))
}

/// Why a run cannot go on, and whose it is to mend.
pub fn run_error(error: RunError) -> CommandError {
    match error {
        RunError::Store(error) => refused(error),
        RunError::Threads(_) | RunError::Slurm(SlurmError::Io { .. }) => CommandError::internal(error),
        RunError::Slurm(_) => CommandError::input(error),
    }
}

/// The jobs of a plan whose data are here, and whether they are asked for.
struct Here {
    jobs: Vec<PlannedJob>,
    is_asked: Vec<bool>,
}

fn planned(chosen: &Chosen) -> Here {
    let mut here = Here { jobs: Vec::new(), is_asked: Vec::new() };
    for (place, entry) in chosen.plan.jobs.iter().enumerate() {
        if let Some(checksum) = &entry.data_checksum {
            here.jobs.push(PlannedJob::new(entry.job.clone(), checksum));
            here.is_asked.push(chosen.asked.binary_search(&place).is_ok());
        }
    }
    here
}

/// A directory that cannot be written is the user's to mend.
fn refused(error: RunStoreError) -> CommandError {
    match error {
        RunStoreError::Frame(_) => CommandError::Internal(error.to_string()),
        _ => CommandError::input(error),
    }
}

fn report(
    output: &mut Output,
    finished: &Finished,
    planned: &[PlannedJob],
    store: &RunStore,
) -> Result<(), CommandError> {
    summary::table(&mut output.out, &summarize(&finished.table))?;
    // A model that can be looked at: the first, which is as good as any.
    let done = |job: &usize| finished.table.get(*job).is_some_and(|record| record.result.is_some());
    let model = (0..planned.len()).find(done).map(|job| store.directory(&planned[job].job).join(MODEL));
    summary::tally(&mut output.out, &finished.tally, store.root(), model.as_deref())?;
    Ok(())
}

/// The exit code tells whether every job has a result.
pub fn ended(finished: &Finished) -> Result<(), CommandError> {
    let tally = &finished.tally;
    let without = tally.failed + tally.not_run + tally.left;
    if without == 0 {
        return Ok(());
    }
    Err(CommandError::JobsFailed(format!("{without} of {} jobs have no result", tally.jobs)))
}

//! `lrbm run`: runs the outstanding jobs of an experiment.

mod display;
mod interrupt;
mod stop;
mod summary;

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

pub use self::display::Display;
use self::interrupt::Interrupt;
use self::stop::StopMessage;
use super::plan::{self, Selection, Versions};
use super::{CommandError, Output, report};
use crate::experiment::frame::StoredJob;
use crate::experiment::job::UNIVERSE;
use crate::experiment::run::{Executor, Finished, Isolation, Local, Options, machine, run as run_jobs};
use crate::experiment::slurm::{self, Cluster, ClusterStatus, InterruptAction, Slurm, SlurmError};
use crate::experiment::spec::SlurmSettings;
use crate::experiment::store::{MODEL, RunStore, RunStoreError};
use crate::experiment::{Experiment, PlannedJob, RemoteError, RemoteRun, RunError, filter};
use crate::files::visible::ShownPath;

/// Arguments of `lrbm run`.
#[derive(clap::Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", filter::HELP))]
pub struct Run {
    #[command(flatten)]
    spec_args: plan::SpecArgs,
    /// Run the jobs in this process or as tasks of a Slurm cluster.
    #[arg(long, value_enum, default_value_t = ExecutorKind::Local, value_name = "WHERE")]
    executor: ExecutorKind,
    /// Set partition, account, time, memory, cpus, prologue, options, task_time or attempts of the
    /// tasks.
    #[arg(long, value_name = "KEY=VALUE")]
    slurm_option: Vec<String>,
    /// Maximum number of concurrent jobs [default: the number of threads].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Total number of threads of all jobs [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Run every job from scratch, including those that are done.
    #[arg(long)]
    fresh: bool,
    /// Retry jobs that failed before.
    #[arg(long)]
    retry_failed: bool,
    /// Start no more jobs after one has failed.
    #[arg(long)]
    fail_fast: bool,
    /// List the jobs with their state and reason without running them.
    #[arg(long)]
    dry_run: bool,
    /// Do not write tables, figures and page when all jobs are done.
    #[arg(long)]
    no_report: bool,
    /// Print events to stdout as one JSON object per line, instead of progress and table.
    #[arg(long)]
    json_events: bool,
}

/// Where jobs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ExecutorKind {
    /// This process.
    Local,
    /// Tasks of a Slurm cluster.
    Slurm,
}

const AFTER_HELP: &str = "\
A run can be stopped at any time, with Ctrl-C or otherwise; the same command resumes it. Several processes may work on one \
directory and share its jobs. A finished job runs again only if its parameters, data or algorithm version changed; \
`lrbm plan` lists what changed.

The run directory holds spec.toml, metrics.csv and metrics.parquet (one row per job; only columns that end in _seconds or \
_bytes depend on the machine), and for each job jobs/DATASET/MODEL/CASE/foldK-seedS with run.json, model.json, \
predictions.parquet and log.txt. When all jobs have ended, the report is written beside them: report.html, tables and figures, \
as by `lrbm report`; not with --json-events or --no-report, nor again if no job had to run.

Time and memory limits of the spec are checked while a job reads, learns and scores. With `memory_limit` or `isolate = true` \
every job runs in a process of its own, which reads its data itself: the limit then bounds the peak resident memory of that \
process, whatever else runs, and peak_memory_bytes is recorded; otherwise that column is empty. The process of a job ends with \
this one. A model of kind `command` always has one, whose group holds all processes that the command starts; their memory is \
summed. Outside Linux the memory of a process is not known: memory limits are not enforced there, and each job says so.

With --executor slurm, jobs are grouped into tasks of a few minutes and submitted as job arrays. This process watches them, \
resubmits lost jobs, and writes the tables. It can be stopped: the tasks keep running, and the same command finds them again. \
The run directory, the data and this program must have the same paths on the nodes.

Exit codes: 0 all jobs have a result or are unsupported for their dataset, 2 invalid spec or data, 3 some jobs failed, \
4 no job matches, 130 and 143 stopped by Ctrl-C or SIGTERM.";

pub fn run(args: &Run, output: &mut Output) -> Result<(), CommandError> {
    let began = Instant::now();
    if args.executor == ExecutorKind::Local && !args.slurm_option.is_empty() {
        return Err(CommandError::input("--slurm-option requires --executor slurm"));
    }
    if args.dry_run {
        return plan::print(&args.spec_args.select(Versions::Recorded)?, output);
    }
    let selection = args.spec_args.select(Versions::Asked)?;
    if let Some(missing) = plan::missing(&selection.plan) {
        return Err(CommandError::Input(format!("nothing was run: {missing}")));
    }
    if let Some(note) = selection.skipped().filter(|_| !output.quiet) {
        super::say(note);
    }
    // A cluster that rejects the tasks is detected before anything is written.
    let cluster = match args.executor {
        ExecutorKind::Local => None,
        ExecutorKind::Slurm => Some(cluster(args, &selection)?),
    };
    // A cluster run asks what becomes of its tasks instead.
    let stop = match cluster {
        None => StopMessage::listen().map_err(CommandError::internal)?,
        Some(_) => StopMessage::default(),
    };
    let (planned, selected) = selection.plan.planned(&selection.selected);
    let store = RunStore::new(&selection.out);
    let _presence = store.prepare().map_err(store_error)?;
    let published = selection.experiment.multiverse.as_ref().and_then(|multiverse| multiverse.published.as_ref());
    if let Some(path) = published {
        let failed =
            |error| CommandError::input(format!("{}: cannot read the published values: {error}", path.shown()));
        let text = std::fs::read_to_string(path).map_err(failed)?;
        store.write_published(&text).map_err(store_error)?;
    }
    store.freeze(&selection.experiment.frozen).map_err(store_error)?;
    plan::store_skipped(&selection, &store).map_err(store_error)?;
    plan::store_environment(&selection, &store)?;
    let options = Options {
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        fail_fast: args.fail_fast,
        write_tables: true,
        began,
    };
    let display = RefCell::new(Display::new(output.quiet, args.json_events));
    let mut listen = |event| {
        stop.count(&event);
        display.borrow_mut().show(&event);
    };
    let mut run_by = |executor: &mut dyn Executor| {
        run_jobs(&planned, &selected, executor, &store, &options, &mut listen).map_err(run_error)
    };
    let finished = match cluster {
        None => {
            let threads = args.threads.map_or_else(machine::cores, usize::from);
            let jobs = args.jobs.map_or(threads, usize::from);
            let isolation =
                isolation(&selection.experiment, &planned, || RemoteRun::of(&selection.plan, &selection.data))?;
            run_by(&mut Local { data: &selection.data, jobs, threads, isolation })?
        }
        Some((cluster, settings)) => {
            let frozen = RemoteRun::of(&selection.plan, &selection.data).map_err(CommandError::input)?;
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
            let experiment = &selection.experiment.name;
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
        let is_reported = !args.no_report && is_ended(&finished);
        print_summary(output, &finished, &store, is_reported)?;
        if is_reported {
            let jobs = finished.jobs.iter().map(|stored| Path::new(&stored.directory));
            let is_new = finished.tally.ran > 0 || !report::is_current(store.root(), jobs);
            report::of_finished(store.root(), is_new, output)?;
        }
    }
    require_results(&finished)
}

/// Returns how isolated jobs are started, if the experiment has any.
pub fn isolation(
    experiment: &Experiment,
    plan: &[PlannedJob],
    remote: impl FnOnce() -> Result<RemoteRun, RemoteError>,
) -> Result<Option<Isolation>, CommandError> {
    if !plan.iter().any(|planned| planned.job.is_isolated()) {
        return Ok(None);
    }
    let program = slurm::this_program().map_err(CommandError::internal)?;
    let remote = remote().map_err(CommandError::input)?;
    Ok(Some(Isolation { program, spec: experiment.frozen.clone(), remote }))
}

/// Returns the cluster, if it accepts the tasks, and their settings.
fn cluster(args: &Run, selection: &Selection) -> Result<(Cluster, SlurmSettings), CommandError> {
    if args.jobs.is_some() || args.threads.is_some() {
        let message =
            "--jobs and --threads require --executor local; set the processors of a task with `--slurm-option cpus=N`";
        return Err(CommandError::input(message));
    }
    let settings = selection.experiment.slurm.clone().with_options(&args.slurm_option).map_err(CommandError::input)?;
    let cluster = Cluster::prepare(&settings, &selection.out).map_err(CommandError::input)?;
    Ok((cluster, settings))
}

/// Classifies errors of a run as input or internal errors.
pub fn run_error(error: RunError) -> CommandError {
    match error {
        RunError::Store(error) => store_error(error),
        RunError::Threads(_) | RunError::Isolation(_) | RunError::Slurm(SlurmError::Io { .. }) => {
            CommandError::internal(error)
        }
        RunError::Slurm(_) => CommandError::input(error),
    }
}

/// Classifies errors of the run directory: one that cannot be written is an input error.
fn store_error(error: RunStoreError) -> CommandError {
    match error {
        RunStoreError::Frame(_) => CommandError::Internal(error.to_string()),
        _ => CommandError::input(error),
    }
}

/// Returns whether all jobs have ended, some of them with a result.
fn is_ended(finished: &Finished) -> bool {
    let tally = &finished.tally;
    tally.not_run == 0 && tally.left == 0 && tally.done > 0
}

fn print_summary(
    output: &mut Output,
    finished: &Finished,
    store: &RunStore,
    is_reported: bool,
) -> Result<(), CommandError> {
    // Universes are too many for a table of rows; the report summarizes them.
    if !finished.jobs.iter().any(|stored| stored.record.row.settings.contains_key(UNIVERSE)) {
        summary::table(&mut output.out, &finished.jobs)?;
    }
    // The first available model, as an example for `lrbm explain`.
    let has_model = |stored: &&StoredJob| {
        let files = stored.record.result.as_ref().map(|result| &result.files);
        stored.record.key.external.is_none() && files.is_some_and(|files| files.contains_key(MODEL))
    };
    let done = finished.jobs.iter().find(has_model);
    let model = done.map(|stored| store.root().join(&stored.directory).join(MODEL));
    summary::tally(&mut output.out, &finished.tally, store.root(), model.as_deref(), is_reported)?;
    Ok(())
}

/// Fails unless every job has a result or is unsupported for its dataset.
pub fn require_results(finished: &Finished) -> Result<(), CommandError> {
    let tally = &finished.tally;
    let without = tally.failed + tally.not_run + tally.left;
    if without == 0 {
        return Ok(());
    }
    Err(CommandError::JobsFailed(format!("{without} of {} jobs have no result", tally.jobs)))
}

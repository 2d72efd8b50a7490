//! `lrbm run-job`: runs single jobs of a run, as a cluster task does.

use std::path::{Path, PathBuf};

use super::run::{Display, isolation, require_results, run_error};
use super::{CommandError, Output, with_cause};
use crate::data::store::Store;
use crate::experiment::external::environment::Environment;
use crate::experiment::run::{Local, Options, machine, run as run_jobs, run_assigned};
use crate::experiment::store::{RunStore, SPEC};
use crate::experiment::{Experiment, Plan, PlannedJob, RemoteRun, ResultsError, remote};
use crate::files::visible::ShownPath;

/// Arguments of `lrbm run-job`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RunJob {
    /// Run directory written by `lrbm run` or `lrbm plan --format commands`.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Job ids or unique prefixes of them.
    #[arg(value_name = "JOB_ID", required_unless_present = "list")]
    ids: Vec<String>,
    /// Read job ids from this file, one per line.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Total number of threads of all jobs [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Directory of fetched data [default: that of the run, LRBM_DATA, or datasets/cache].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print events to stdout as one JSON object per line.
    #[arg(long)]
    json_events: bool,
}

const AFTER_HELP: &str = "\
Cluster tasks call this command; `lrbm plan SPEC --format commands` prints such commands for any scheduler. Jobs that are done \
or failed are skipped, so it is safe to call it repeatedly and concurrently. It does not write the tables of the run: \
`lrbm run SPEC` does once all tasks have ended, and `lrbm report` works with partial results.

Exit codes: 0 all given jobs have a result or are unsupported for their dataset, 2 invalid run directory or id, \
3 some jobs failed.";

pub fn run(args: &RunJob, output: &mut Output) -> Result<(), CommandError> {
    let root = absolute(&args.run)?;
    if !remote::is_run(&root) {
        return Err(CommandError::input(ResultsError::NoRun(args.run.clone())));
    }
    let mut ids = args.ids.clone();
    if let Some(list) = &args.list {
        ids.extend(remote::read_list(list).map_err(CommandError::input)?);
    }
    let data = args.data.as_deref().map(absolute).transpose()?;
    let PlannedRun { experiment, plan, data, remote } = planned(&root, data)?;
    let selected = remote::find(&plan, &ids, &root).map_err(CommandError::input)?;
    let store = RunStore::new(&root);
    let _presence = store.join().map_err(CommandError::input)?;
    let threads = args.threads.map_or_else(machine::cores, usize::from);
    let isolation = isolation(&experiment, &plan, || Ok(remote))?;
    let mut local = Local { data: &data, jobs: threads, threads, isolation };
    let mut display = Display::new(output.quiet, args.json_events);
    let mut listen = |event| display.show(&event);
    let finished = run_jobs(&plan, &selected, &mut local, &store, &Options::for_task(), &mut listen);
    require_results(&finished.map_err(run_error)?)
}

/// A run directory that was planned before.
struct PlannedRun {
    experiment: Experiment,
    plan: Vec<PlannedJob>,
    /// Store of the data.
    data: Store,
    /// What the process of an isolated job needs.
    remote: RemoteRun,
}

fn planned(root: &Path, data: Option<PathBuf>) -> Result<PlannedRun, CommandError> {
    let spec = root.join(SPEC);
    if let Some(mut remote) = RemoteRun::read(root).map_err(CommandError::input)? {
        let there = &remote.directory;
        // Relative data directories of the spec refer to that directory.
        std::env::set_current_dir(there).map_err(|error| {
            CommandError::Input(format!("{}: cannot change to the directory of the run's spec: {error}", there.shown()))
        })?;
        let experiment = Experiment::read(&spec, &[]).map_err(CommandError::input)?;
        remote.data = data.unwrap_or(remote.data);
        let (plan, data) = (remote.jobs(&experiment), Store::open(remote.data.clone()));
        return Ok(PlannedRun { experiment, plan, data, remote });
    }
    let experiment = Experiment::read(&spec, &[]).map_err(CommandError::input)?;
    let data = Store::open(data.unwrap_or_else(Store::default_directory));
    let mut plan = Plan::new(&experiment, &data).map_err(with_cause)?;
    if let Some(environment) = Environment::read(root) {
        plan.jobs.iter_mut().for_each(|entry| environment.apply(&mut entry.job));
    }
    let remote = RemoteRun::of(&plan, &data).map_err(CommandError::input)?;
    Ok(PlannedRun { plan: plan.planned(&[]).0, experiment, data, remote })
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path).map_err(|error| CommandError::Input(format!("{}: {error}", path.shown())))
}

/// Runs the job that a supervising process assigns on stdin.
pub fn assigned() -> Result<(), CommandError> {
    run_assigned().map_err(|error| CommandError::Input(format!("cannot run an assigned job: {error}")))
}

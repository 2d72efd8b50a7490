//! `lrbm run-job`

use std::path::{Path, PathBuf};

use super::run::{Display, ended, run_error};
use super::{CommandError, Output, with_cause};
use crate::data::store::Store;
use crate::experiment::run::{Local, Options, machine, run as run_jobs};
use crate::experiment::store::{RunStore, SPEC};
use crate::experiment::{Experiment, Plan, PlannedJob, RemoteRun, ResultsError, remote};

/// Which jobs of which run.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RunJob {
    /// The run directory, with the spec that `lrbm run` or `lrbm plan --format commands` has left in it.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Ids of jobs, or their first digits.
    #[arg(value_name = "JOB_ID", required_unless_present = "list")]
    ids: Vec<String>,
    /// A file with an id on each line.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// How many threads the jobs have together; as many as the machine has unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The directory of fetched data; without it that of the run, LRBM_DATA, or datasets/cache.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print one JSON object a line to stdout for everything that happens.
    #[arg(long)]
    json_events: bool,
}

const AFTER_HELP: &str = "\
This is what a task of a cluster calls; `lrbm plan SPEC --format commands` prints such commands for any scheduler. Jobs that are done
or have failed are left alone, so it is safe to call it twice, also at the same time. The tables of the run are not written:
`lrbm run SPEC` does so once all tasks have ended, and `lrbm report` works with what is there.

Exit codes: 0 all named jobs have a result or were refused, 2 bad run directory or id, 3 some jobs failed.";

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
    let (plan, data) = planned(&root, data)?;
    let selected = remote::find(&plan, &ids, &root).map_err(CommandError::input)?;
    let store = RunStore::new(&root);
    let _presence = store.join().map_err(CommandError::input)?;
    let threads = args.threads.map_or_else(machine::cores, usize::from);
    let mut local = Local { data: &data, jobs: threads, threads };
    let mut display = Display::new(output.quiet, args.json_events);
    let mut listen = |event| display.show(&event);
    let finished = run_jobs(&plan, &selected, &mut local, &store, &Options::for_task(), &mut listen);
    ended(&finished.map_err(run_error)?)
}

/// The jobs of a run, and where their data are.
fn planned(root: &Path, data: Option<PathBuf>) -> Result<(Vec<PlannedJob>, Store), CommandError> {
    let spec = root.join(SPEC);
    if let Some(frozen) = RemoteRun::read(root).map_err(CommandError::input)? {
        let there = &frozen.directory;
        // Directories of data in the spec are meant from there.
        std::env::set_current_dir(there)
            .map_err(|error| CommandError::Input(format!("{}, where the run was planned: {error}", there.display())))?;
        let experiment = Experiment::read(&spec, &[]).map_err(CommandError::input)?;
        return Ok((frozen.jobs(&experiment), Store::open(data.unwrap_or(frozen.data))));
    }
    let experiment = Experiment::read(&spec, &[]).map_err(CommandError::input)?;
    let data = Store::open(data.unwrap_or_else(Store::default_directory));
    let plan = Plan::new(&experiment, &data).map_err(with_cause)?;
    let here = |entry: crate::experiment::PlanEntry| Some(PlannedJob::new(entry.job, &entry.data_checksum?));
    Ok((plan.jobs.into_iter().filter_map(here).collect(), data))
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path).map_err(|error| CommandError::Input(format!("{}: {error}", path.display())))
}

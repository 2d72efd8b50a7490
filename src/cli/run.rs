//! `lrbm run`

mod display;
mod summary;

use std::time::Instant;

use self::display::Display;
use super::plan::{self, Chosen};
use super::{CommandError, Output};
use crate::experiment::only;
use crate::experiment::run::{Finished, Options, Planned, RunError, machine, run as run_jobs, summarize};
use crate::experiment::store::{MODEL, RunStore, RunStoreError};

/// What to run, where to, and how.
#[derive(clap::Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", only::HELP))]
pub struct Run {
    #[command(flatten)]
    what: plan::What,
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

const AFTER_HELP: &str = "\
A run can be stopped at any time, with Ctrl-C or otherwise: the same command goes on where it was. Two processes may work on
one directory; each does what the other does not. What is done is not done again unless something changed that it
depends on: parameters, data or algorithm; `lrbm plan` says what and why.

The directory holds spec.toml, metrics.csv and metrics.parquet (a row for each job; only columns that end in _seconds or _bytes
depend on the machine), and for each job jobs/DATASET/MODEL/CASE/foldK-seedS with run.json, model.json,
predictions.parquet and log.txt.

A time limit in the spec is looked at after every tree. A memory limit is compared, after every tree, with what the process has
grown by since the job began; jobs with one run alone.

Exit codes: 0 all jobs have a result, 2 bad spec or data, 3 some jobs failed, 4 no job is asked for.";

pub fn run(args: &Run, output: &mut Output) -> Result<(), CommandError> {
    let began = Instant::now();
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
    let planned = planned(&chosen);
    let asked: Vec<usize> = (0..planned.jobs.len()).filter(|&job| planned.is_asked[job]).collect();
    let store = RunStore::new(&chosen.out);
    let _presence = store.prepare().map_err(refused)?;
    store.freeze(&chosen.experiment.frozen).map_err(refused)?;
    let threads = args.threads.map_or_else(machine::cores, usize::from);
    let options = Options {
        jobs: args.jobs.map_or(threads, usize::from),
        threads,
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        fail_fast: args.fail_fast,
        began,
    };
    let mut display = Display::new(output.quiet, args.json_events);
    let mut listen = |event| display.show(&event);
    let finished = run_jobs(&planned.jobs, &asked, &chosen.data, &store, &options, &mut listen);
    let finished = finished.map_err(|error| match error {
        RunError::Store(error) => refused(error),
        RunError::Threads(_) => CommandError::Internal(error.to_string()),
    })?;
    if !args.json_events {
        report(output, &finished, &planned.jobs, &store)?;
    }
    ended(&finished)
}

/// The jobs of a plan whose data are here, and whether they are asked for.
struct Here {
    jobs: Vec<Planned>,
    is_asked: Vec<bool>,
}

fn planned(chosen: &Chosen) -> Here {
    let mut here = Here { jobs: Vec::new(), is_asked: Vec::new() };
    for (place, listed) in chosen.plan.jobs.iter().enumerate() {
        if let Some(checksum) = &listed.data_checksum {
            here.jobs.push(Planned::new(listed.job.clone(), checksum));
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

fn report(output: &mut Output, finished: &Finished, planned: &[Planned], store: &RunStore) -> Result<(), CommandError> {
    summary::table(&mut output.out, &summarize(&finished.table))?;
    // A model that can be looked at: the first, which is as good as any.
    let done = |job: &usize| finished.table.get(*job).is_some_and(|record| record.result.is_some());
    let model = (0..planned.len()).find(done).map(|job| store.directory(&planned[job].job).join(MODEL));
    summary::tally(&mut output.out, &finished.tally, store.root(), model.as_deref())?;
    Ok(())
}

fn ended(finished: &Finished) -> Result<(), CommandError> {
    let tally = &finished.tally;
    if tally.failed == 0 && tally.not_run == 0 {
        return Ok(());
    }
    Err(CommandError::JobsFailed(format!("{} of {} jobs have no result", tally.failed + tally.not_run, tally.jobs)))
}

//! `lrbm plan`, and what it has in common with `lrbm run`: which jobs of which spec.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::table::{TextTable, thousands};
use super::{CommandError, Output, with_cause};
use crate::data::store::Store;
use crate::determinism::IndexSet;
use crate::experiment::plan::PlanEntry;
use crate::experiment::store::{RunStore, RunStoreError};
use crate::experiment::{
    Experiment, JobFilter, JobState, Plan, PlannedJob, Previous, RemoteError, RemoteRun, filter, remote, slurm, spec,
    tasks,
};

/// A spec, which of its jobs, and where their results are.
#[derive(clap::Args)]
pub struct What {
    /// The spec of the experiment, a TOML file.
    spec: PathBuf,
    /// The run directory; results/runs/NAME unless given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these jobs, such as `dataset=imdb,fold=1` or `model~boost`.
    #[arg(long, value_name = "EXPR")]
    only: Vec<String>,
    /// A key at the top of the spec, a parameter of every model that has it, MODEL.KEY, or dataset.NAME.KEY.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Leave out datasets that were not fetched.
    #[arg(long)]
    available: bool,
    /// The directory of fetched data; without it LRBM_DATA, or datasets/cache.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// A spec that was read, with the jobs that were asked for.
pub struct Chosen {
    /// The experiment.
    pub experiment: Experiment,
    /// Every job of it whose data are here or which may be asked for.
    pub plan: Plan,
    /// The places in the plan of the jobs that were asked for; at least one.
    pub asked: Vec<usize>,
    /// The run directory.
    pub out: PathBuf,
    /// Where the data are.
    pub data: Store,
    /// Datasets that were left out because they are not here.
    pub left_out: Vec<String>,
}

impl What {
    /// Reads the spec and chooses.
    ///
    /// # Errors
    /// If the spec or an expression is wrong, data are damaged, or nothing is left.
    pub fn choose(&self) -> Result<Chosen, CommandError> {
        let experiment = Experiment::read(&self.spec, &self.set).map_err(CommandError::input)?;
        let only = JobFilter::parse(&self.only, &experiment).map_err(CommandError::input)?;
        let data = Store::open(self.data.clone().unwrap_or_else(Store::default_directory));
        let mut plan = Plan::new(&experiment, &data).map_err(with_cause)?;
        let mut left_out = Vec::new();
        if self.available {
            let fetch = plan.fetch_command();
            left_out.extend(plan.missing.iter().map(|missing| missing.name.clone()));
            plan = plan.available();
            if let (Some(fetch), true) = (fetch, plan.jobs.is_empty()) {
                let message = format!("none of the datasets of {} is here; `{fetch}` fetches them", experiment.name);
                return Err(CommandError::NothingMatched(message));
            }
        }
        let asked: Vec<usize> = (0..plan.jobs.len()).filter(|&place| only.matches(&plan.jobs[place].job)).collect();
        if asked.is_empty() {
            let hint = only.hint(plan.jobs.iter().map(|entry| &entry.job));
            let hint = hint.map_or_else(String::new, |hint| format!(": {hint}"));
            let message = format!("no job of {} matches --only {}{hint}", experiment.name, self.only.join(" --only "));
            return Err(CommandError::NothingMatched(message));
        }
        // What is not asked for need not be here.
        plan.missing.retain(|missing| asked.iter().any(|&place| plan.jobs[place].job.dataset.name == missing.name));
        let out = self.out.clone().unwrap_or_else(|| Path::new("results/runs").join(&experiment.name));
        Ok(Chosen { experiment, plan, asked, out, data, left_out })
    }
}

impl Chosen {
    /// Says which datasets were left out; `None` if none was.
    pub fn left_out(&self) -> Option<String> {
        (!self.left_out.is_empty()).then(|| format!("left out, since not fetched: {}", self.left_out.join(", ")))
    }
}

/// Keeps in the run directory which datasets are left out: those of now, and those of before that are still not here.
///
/// # Errors
/// If it cannot be written.
pub fn keep_left_out(chosen: &Chosen, store: &RunStore) -> Result<(), RunStoreError> {
    let is_absent = |name: &String| {
        let is_of = |entry: &&PlanEntry| entry.job.dataset.name == *name;
        chosen.plan.jobs.iter().find(is_of).is_some_and(|entry| entry.data_checksum.is_none())
    };
    let mut names: IndexSet<String> = store.skipped().into_iter().filter(is_absent).collect();
    names.extend(chosen.left_out.iter().cloned());
    store.write_skipped(&names.into_iter().collect::<Vec<String>>())
}

/// Names the datasets that are not here, and the command that fetches them; `None` if all are.
pub fn missing(plan: &Plan) -> Option<String> {
    let command = plan.fetch_command()?;
    let names: Vec<&str> = plan.missing.iter().map(|missing| missing.name.as_str()).collect();
    let jobs: usize = plan.missing.iter().map(|missing| missing.jobs).sum();
    let verb = if names.len() == 1 { "dataset is" } else { "datasets are" };
    Some(format!(
        "{} {verb} not here, which {} need: {}\n`{command}` fetches what is missing; --available leaves it out",
        names.len(),
        count(jobs, "job"),
        names.join(", "),
    ))
}

fn count(n: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// Which spec, and what to print of it.
#[derive(clap::Args)]
#[command(after_help = filter::HELP)]
pub struct PlanArgs {
    #[command(flatten)]
    what: Option<What>,
    /// What to print: a table of all jobs, or a command for each task, for other schedulers.
    #[arg(long, value_enum, default_value_t = Format::TextTable)]
    format: Format,
    /// Print the JSON Schema of specs, for editors, and nothing else.
    #[arg(long, exclusive = true)]
    schema: bool,
}

/// How a plan is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table of all jobs.
    TextTable,
    /// A command for each task with jobs to do, such as for GNU parallel or HyperQueue.
    Commands,
}

pub fn run(args: &PlanArgs, output: &mut Output) -> Result<(), CommandError> {
    match &args.what {
        Some(what) => match args.format {
            Format::TextTable => print(&what.choose()?, output),
            Format::Commands => commands(&what.choose()?, output),
        },
        None => Ok(write!(output.out, "{}", spec::schema::text())?),
    }
}

/// Prints a command for each task, and leaves in the run directory what the commands need.
fn commands(chosen: &Chosen, output: &mut Output) -> Result<(), CommandError> {
    let Chosen { experiment, plan, asked, out, data, .. } = chosen;
    if let Some(missing) = missing(plan) {
        return Err(CommandError::Input(missing));
    }
    let store = RunStore::new(out);
    let mut planned = Vec::with_capacity(plan.jobs.len());
    let mut to_do = Vec::new();
    for (place, entry) in plan.jobs.iter().enumerate() {
        let Some(checksum) = &entry.data_checksum else { continue };
        let outstanding =
            || matches!(entry.state(Previous::read(&store, &entry.job).as_ref()), JobState::Outstanding(_));
        if asked.binary_search(&place).is_ok() && outstanding() {
            to_do.push(planned.len());
        }
        planned.push(PlannedJob::new(entry.job.clone(), checksum));
    }
    let program = slurm::this_program().map_err(CommandError::internal)?;
    let root = std::path::absolute(out).map_err(CommandError::internal)?;
    if !to_do.is_empty() {
        store.freeze(&experiment.frozen).map_err(CommandError::input)?;
        keep_left_out(chosen, &store).map_err(CommandError::input)?;
        RemoteRun::of(plan, data).and_then(|frozen| frozen.write(&root)).map_err(CommandError::input)?;
    }
    let text = |path: &Path| match path.to_str() {
        Some(text) => Ok(slurm::quote(text)),
        None => Err(CommandError::input(RemoteError::NotText(path.to_owned()))),
    };
    let (program, root, digits) = (text(&program)?, text(&root)?, remote::digits(&planned));
    let tasks = tasks::group(&planned, &to_do, experiment.slurm.task_time);
    for task in &tasks {
        let ids = task.iter().map(|&job| planned[job].id.as_str().get(..digits).unwrap_or_default());
        writeln!(output.out, "{program} run-job {root} {}", ids.collect::<Vec<_>>().join(" "))?;
    }
    output.out.flush()?;
    if !output.quiet {
        super::say(format_args!("{} with {}", count(tasks.len(), "task"), count(to_do.len(), "job")));
    }
    Ok(())
}

/// Prints every job that was asked for with its state and the reason.
pub fn print(chosen: &Chosen, output: &mut Output) -> Result<(), CommandError> {
    let Chosen { experiment, plan, asked, out, .. } = chosen;
    let store = RunStore::new(out);
    let mut table = TextTable::new(&["dataset", "model", ">fold", ">seed", "state", "reason"]);
    let mut states: Vec<JobState> = Vec::with_capacity(asked.len());
    for entry in asked.iter().map(|&place| &plan.jobs[place]) {
        let job = &entry.job;
        let state = entry.state(Previous::read(&store, job).as_ref());
        table.row([
            job.dataset.name.clone(),
            job.label(),
            job.fold_number().to_string(),
            job.seed.to_string(),
            state.name().to_owned(),
            state.reason(),
        ]);
        states.push(state);
    }
    writeln!(output.out, "{}: {}", experiment.name, experiment.about)?;
    table.print(&mut output.out)?;
    let mut parts = Vec::new();
    for name in ["done", "to do", "failed", "refused", "no data"] {
        let n = states.iter().filter(|state| state.name() == name).count();
        if n > 0 {
            parts.push(format!("{} {name}", thousands(n)));
        }
    }
    writeln!(output.out, "{} in {}: {}", count(asked.len(), "job"), out.display(), parts.join(", "))?;
    output.out.flush()?;
    for note in [missing(plan), chosen.left_out()].into_iter().flatten().filter(|_| !output.quiet) {
        super::say(note);
    }
    Ok(())
}

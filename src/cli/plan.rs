//! `lrbm plan`, and the selection of jobs that it shares with `lrbm run`.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::output::RUNS;
use super::{CommandError, Output, with_cause};
use crate::cli::output::shown;
use crate::data::store::Store;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::external::environment::{self, Environment};
use crate::experiment::external::error::ExternalError;
use crate::experiment::outstanding::states;
use crate::experiment::plan::PlanEntry;
use crate::experiment::store::{RunStore, RunStoreError};
use crate::experiment::tune::Trial;
use crate::experiment::{
    Experiment, JobFilter, JobState, Plan, RemoteError, RemoteRun, filter, remote, slurm, spec, tasks,
};
use crate::files::visible::ShownPath;
use crate::logic::quantity::{counted_as, plural, thousands};
use crate::report::table::Grid;

/// Arguments that select jobs of a spec.
#[derive(clap::Args)]
pub struct SpecArgs {
    /// Spec of the experiment, a TOML file.
    spec: PathBuf,
    /// Run directory [default: results/runs/NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Select jobs, such as `dataset=imdb,fold=1` or `model~boost`.
    #[arg(long, value_name = "EXPR")]
    only: Vec<String>,
    /// Set a top-level key, a parameter of every model that has it, MODEL.KEY, or dataset.NAME.KEY.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Skip datasets that are not fetched.
    #[arg(long)]
    available: bool,
    /// Directory of fetched data [default: LRBM_DATA, or datasets/cache].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// A spec with its selected jobs.
pub struct Selection {
    /// The experiment.
    pub experiment: Experiment,
    /// Jobs of the experiment; with `--available` only those whose data are available.
    pub plan: Plan,
    /// Positions of the selected jobs in the plan; at least one.
    pub selected: Vec<usize>,
    /// The run directory.
    pub out: PathBuf,
    /// Dataset store.
    pub data: Store,
    /// Datasets that are skipped because they are not fetched.
    pub skipped: Vec<String>,
}

/// Whether the commands of a spec are asked for their versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// Nothing is started: versions are those of the last run.
    Recorded,
    /// The commands of selected jobs are asked.
    Asked,
}

impl SpecArgs {
    /// Reads the spec and selects jobs.
    ///
    /// # Errors
    /// If the spec or an expression is invalid, data are damaged, or no job is selected.
    pub fn select(&self, versions: Versions) -> Result<Selection, CommandError> {
        let experiment = Experiment::read(&self.spec, &self.set).map_err(CommandError::input)?;
        let only = JobFilter::parse(&self.only, &experiment).map_err(CommandError::input)?;
        let data = Store::open(self.data.clone().unwrap_or_else(Store::default_directory));
        let mut plan = Plan::new(&experiment, &data).map_err(with_cause)?;
        let mut skipped = Vec::new();
        if self.available {
            let fetch = plan.fetch_command();
            skipped.extend(plan.missing.iter().map(|missing| missing.name.clone()));
            plan = plan.available();
            if let (Some(fetch), true) = (fetch, plan.jobs.is_empty()) {
                let message = format!("no dataset of {} is fetched; run `{fetch}`", experiment.name);
                return Err(CommandError::NothingMatched(message));
            }
        }
        let selected: Vec<usize> =
            (0..plan.jobs.len()).filter(|&position| only.matches(&plan.jobs[position].job)).collect();
        if selected.is_empty() {
            let hint = only.hint(plan.jobs.iter().map(|entry| &entry.job));
            let hint = hint.map_or_else(String::new, |hint| format!(": {hint}"));
            let message = format!("no job of {} matches --only {}{hint}", experiment.name, self.only.join(" --only "));
            return Err(CommandError::NothingMatched(message));
        }
        // Unselected datasets may be missing.
        plan.missing
            .retain(|missing| selected.iter().any(|&position| plan.jobs[position].job.dataset.name == missing.name));
        let out = self.out.clone().unwrap_or_else(|| Path::new(RUNS).join(&experiment.name));
        let spec_dir = self.spec.parent().unwrap_or(Path::new("."));
        environment::measure(plan.jobs.iter_mut().map(|entry| &mut entry.job), spec_dir)
            .map_err(CommandError::input)?;
        if let Some(recorded) = Environment::read(&out) {
            plan.jobs.iter_mut().for_each(|entry| recorded.complete(&mut entry.job));
        }
        if versions == Versions::Asked {
            let is_selected = |position: &usize| selected.binary_search(position).is_ok();
            let jobs = plan.jobs.iter_mut().enumerate().filter(|(position, _)| is_selected(position));
            environment::ask_versions(jobs.map(|(_, entry)| &mut entry.job));
            // The other jobs of these models have the same version.
            if let Some(asked) = Environment::of(selected.iter().map(|&position| &plan.jobs[position].job)) {
                plan.jobs.iter_mut().for_each(|entry| asked.apply_version(&mut entry.job));
            }
        }
        Ok(Selection { experiment, plan, selected, out, data, skipped })
    }
}

impl Selection {
    /// Returns a note about skipped datasets; `None` if there are none.
    pub fn skipped(&self) -> Option<String> {
        (!self.skipped.is_empty())
            .then(|| format!("skipped datasets that are not fetched: {}", self.skipped.join(", ")))
    }
}

/// Stores which datasets are skipped: those of this call, and earlier ones that are still missing.
///
/// # Errors
/// If it cannot be written.
pub fn store_skipped(selection: &Selection, store: &RunStore) -> Result<(), RunStoreError> {
    let is_absent = |name: &String| {
        let is_of = |entry: &&PlanEntry| entry.job.dataset.name == *name;
        selection.plan.jobs.iter().find(is_of).is_some_and(|entry| entry.data_checksum.is_none())
    };
    let mut names: IndexSet<String> = store.skipped().into_iter().filter(is_absent).collect();
    names.extend(selection.skipped.iter().cloned());
    store.write_skipped(&names.into_iter().collect::<Vec<String>>())
}

/// Stores what the external systems of a plan depend on.
///
/// # Errors
/// If it cannot be written.
pub fn store_environment(selection: &Selection, store: &RunStore) -> Result<(), CommandError> {
    match Environment::of(selection.plan.jobs.iter().map(|entry| &entry.job)) {
        Some(environment) => environment.write(store.root()).map_err(CommandError::input),
        None => Ok(()),
    }
}

/// Returns a message about missing datasets with the command that fetches them; `None` if all
/// exist.
pub fn missing(plan: &Plan) -> Option<String> {
    let command = plan.fetch_command()?;
    let names: Vec<&str> = plan.missing.iter().map(|missing| missing.name.as_str()).collect();
    let jobs: usize = plan.missing.iter().map(|missing| missing.jobs).sum();
    Some(format!(
        "{} not fetched but needed by {}: {}\nrun `{command}` to fetch, or skip with --available",
        counted_as(names.len(), "dataset is", "datasets are"),
        count(jobs, "job"),
        names.join(", "),
    ))
}

fn count(n: usize, noun: &str) -> String {
    format!("{} {}", thousands(n), plural(n, noun))
}

/// Arguments of `lrbm plan`.
#[derive(clap::Args)]
#[command(after_help = filter::HELP)]
pub struct PlanArgs {
    #[command(flatten)]
    spec_args: Option<SpecArgs>,
    /// Print a table of all jobs, or a command for each task, for other schedulers.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Print the JSON Schema of specs, for editors.
    #[arg(long, exclusive = true)]
    schema: bool,
}

/// Output format of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table of all jobs.
    Table,
    /// A command for each task with outstanding jobs, such as for GNU parallel or HyperQueue.
    Commands,
}

pub fn run(args: &PlanArgs, output: &mut Output) -> Result<(), CommandError> {
    match &args.spec_args {
        Some(spec_args) => match args.format {
            Format::Table => print(&spec_args.select(Versions::Recorded)?, output),
            Format::Commands => commands(&spec_args.select(Versions::Recorded)?, output),
        },
        None => Ok(write!(output.out, "{}", spec::schema::text())?),
    }
}

/// Prints a command for each task, and writes the files that the commands need to the run
/// directory.
fn commands(selection: &Selection, output: &mut Output) -> Result<(), CommandError> {
    let Selection { experiment, plan, selected, out, data, .. } = selection;
    if let Some(missing) = missing(plan) {
        return Err(CommandError::Input(missing));
    }
    if let Some(model) = environment::unknown_version(selected.iter().map(|&job| &plan.jobs[job].job)) {
        return Err(CommandError::input(ExternalError::UnknownVersion { model: model.to_owned() }));
    }
    let store = RunStore::new(out);
    let (planned, selected) = plan.planned(selected);
    let states = states(&planned, &selected, &store);
    let to_do = selected.into_iter().zip(&states).filter(|(_, state)| state.is_outstanding(false, false));
    let to_do: Vec<usize> = to_do.map(|(job, _)| job).collect();
    let program = slurm::this_program().map_err(CommandError::internal)?;
    let root = std::path::absolute(out).map_err(CommandError::internal)?;
    if !to_do.is_empty() {
        store.freeze(&experiment.frozen).map_err(CommandError::input)?;
        store_skipped(selection, &store).map_err(CommandError::input)?;
        store_environment(selection, &store)?;
        RemoteRun::of(plan, data).and_then(|frozen| frozen.write(&root)).map_err(CommandError::input)?;
    }
    let text = |path: &Path| match path.to_str() {
        Some(text) => Ok(slurm::quote(text)),
        None => Err(CommandError::input(RemoteError::NotText(path.to_owned()))),
    };
    let (program, root, digits) = (text(&program)?, text(&root)?, remote::digits(&planned));
    // Trials first: a tuned job runs those of its trials that have no result itself.
    let (trials, outer): (Vec<usize>, Vec<usize>) =
        to_do.iter().copied().partition(|&job| planned[job].job.trial.is_some());
    let task_time = experiment.slurm.task_time;
    let mut tasks = tasks::group(&planned, &trials, task_time);
    tasks.extend(tasks::group(&planned, &outer, task_time));
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

/// Prints every selected job with its state and reason.
pub fn print(selection: &Selection, output: &mut Output) -> Result<(), CommandError> {
    let Selection { experiment, plan, selected, out, .. } = selection;
    let store = RunStore::new(out);
    let mut table = Grid::new(&["dataset", "model", ">fold", ">seed", "state", "reason"]);
    let mut counts: IndexMap<&str, usize> = IndexMap::default();
    let (planned, available) = plan.planned(selected);
    let mut states = states(&planned, &available, &store).into_iter();
    for PlanEntry { job, data_checksum } in selected.iter().map(|&position| &plan.jobs[position]) {
        let state = data_checksum.as_ref().and_then(|_| states.next()).unwrap_or(JobState::NoData);
        table.row([
            job.dataset.name.clone(),
            match &job.trial {
                Some(Trial { id, .. }) => format!("{} trial {} inner fold {}", job.label(), id.trial, id.inner_fold),
                None => job.label(),
            },
            job.fold_number().to_string(),
            job.seed.to_string(),
            state.name().to_owned(),
            state.reason(),
        ]);
        *counts.entry(state.name()).or_default() += 1;
    }
    writeln!(output.out, "{}: {}", experiment.name, experiment.about)?;
    write!(output.out, "{}", shown(&table))?;
    let mut parts = Vec::new();
    for name in ["done", "to do", "failed", "refused", "no data"] {
        parts.extend(counts.get(name).map(|&n| format!("{} {name}", thousands(n))));
    }
    writeln!(output.out, "{} in {}: {}", count(selected.len(), "job"), out.shown(), parts.join(", "))?;
    output.out.flush()?;
    for note in [missing(plan), selection.skipped()].into_iter().flatten().filter(|_| !output.quiet) {
        super::say(note);
    }
    Ok(())
}

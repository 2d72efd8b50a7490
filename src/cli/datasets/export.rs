//! `lrbm datasets export SPEC --out DIR`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::error::{CommandError, with_cause};
use super::super::output::Output;
use crate::data::benchmark::Benchmark;
use crate::data::split::SplitOptions;
use crate::data::store::Store;
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::external::contract::{self, JobFile, SplitName};
use crate::experiment::job::{Job, UNIVERSE, case_folder, safe_name};
use crate::experiment::{Experiment, Plan};
use crate::files;
use crate::files::visible::ShownPath;
use crate::logic::quantity::counted;

/// Folder of the labels.
const LABELS: &str = "labels";

/// Arguments of `lrbm datasets export`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Export {
    /// Spec of the experiment, a TOML file
    spec: PathBuf,
    /// Directory to write, which must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Set a top-level key or dataset.NAME.KEY of the spec, such as `datasets=imdb`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Directory of fetched data [default: LRBM_DATA, or datasets/cache]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Writes every split of an experiment in the layout that commands of a spec get (docs/src/external.md): \
DIR/DATASET/foldK-seedS with train/, test/ and job.json, and the labels of the test examples in \
DIR/labels/DATASET/foldK-seedS.csv. With a sweep that changes the split there is a folder of each \
case between the two, and for a model with its own arity a folder `arity=binary`. Scores that are made \
from them enter an experiment with `kind = \"scores\"`.";

/// The split of a job, as text that tells splits apart.
fn split_key(job: &Job) -> String {
    let split = SplitOptions { recursive: false, ..job.split };
    format!("{:?} {:?}", job.dataset, split)
}

pub fn run(args: &Export, output: &mut Output) -> Result<(), CommandError> {
    let experiment = Experiment::read(&args.spec, &args.set).map_err(CommandError::input)?;
    let data = Store::open(args.data.clone().unwrap_or_else(Store::default_directory));
    let plan = Plan::new(&experiment, &data).map_err(with_cause)?;
    if let Some(missing) = super::super::plan::missing(&plan) {
        return Err(CommandError::Input(missing));
    }
    if args.out.symlink_metadata().is_ok() {
        let message = format!("{} already exists; choose another directory with --out", args.out.shown());
        return Err(CommandError::Input(message));
    }
    let unwritable = |error: io::Error| CommandError::Input(format!("{}: {error}", args.out.shown()));
    let parent = args.out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Everything or nothing.
    let staging = files::temporary_dir_in(parent).map_err(unwritable)?;
    let splits = splits(&experiment, &plan);
    let mut open: Option<(String, Benchmark)> = None;
    for (directory, job) in &splits {
        let key = format!("{:?}", job.dataset);
        if open.as_ref().is_none_or(|(other, _)| *other != key) {
            open = Some((key, job.dataset.open(&data).map_err(with_cause)?));
        }
        let Some((_, benchmark)) = &open else { continue };
        let split = SplitOptions { recursive: false, ..job.split };
        let fold = benchmark.fold(job.fold, &split).map_err(with_cause)?;
        if fold.test.database.classes_of(fold.test.target).is_some() {
            let message = format!("{}: targets of several classes cannot be exported", job.dataset.name);
            return Err(CommandError::Input(message));
        }
        let name = SplitName { dataset: job.dataset.name.clone(), fold: job.fold_number(), seed: job.seed };
        let target = staging.path().join(directory);
        let labels = staging.path().join(LABELS).join(directory).with_extension("csv");
        let write = || {
            files::create_dir_all(&target)?;
            contract::write(&target, &fold, &JobFile::of_split(name, &fold))?;
            files::create_dir_all(labels.parent().unwrap_or(staging.path()))?;
            contract::write_labels(&labels, &fold.test)
        };
        write().map_err(unwritable)?;
    }
    files::publish(staging.path(), &args.out).map_err(unwritable)?;
    writeln!(
        output.out,
        "{}: {} of {}; labels of the test examples are in {}",
        args.out.shown(),
        counted(splits.len(), "split"),
        experiment.name,
        args.out.join(LABELS).shown()
    )?;
    Ok(())
}

/// Returns the distinct splits of a plan, each with its directory and a job. Cases of a sweep have
/// directories of their own even if they split alike, since scores are looked up by their case.
fn splits<'p>(experiment: &Experiment, plan: &'p Plan) -> Vec<(PathBuf, &'p Job)> {
    let settings = |job: &Job, names: &dyn Fn(&str) -> bool| -> IndexMap<String, String> {
        let named = job.settings.iter().filter(|(key, _)| names(key));
        named.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let changes_split = |key: &str| experiment.split_keys.iter().any(|known| known == key);
    let mut by_key: IndexMap<(String, String, usize), &Job> = IndexMap::default();
    for entry in &plan.jobs {
        let case = case_folder(&settings(&entry.job, &changes_split));
        by_key.entry((split_key(&entry.job), case, entry.job.fold)).or_insert(&entry.job);
    }
    let place = |job: &Job| (job.dataset.name.clone(), job.fold, job.seed);
    let mut places = IndexSet::default();
    let is_varied = !by_key.values().all(|job| places.insert(place(job)));
    let names_folder = |key: &str| changes_split(key) || (is_varied && key == UNIVERSE);
    let own_arities = experiment.own_arities();
    let own_arity = |job: &Job| {
        let mut of_model = own_arities.iter().filter(|((model, _), _)| *model == job.model);
        let (&(_, arity), _) = of_model.find(|(_, datasets)| datasets.contains(&job.dataset.name.as_str()))?;
        Some(format!("arity={}", arity.name()))
    };
    let directory = |job: &Job| {
        let case = case_folder(&settings(job, &names_folder));
        let mut path = PathBuf::from(safe_name(&job.dataset.name));
        path.extend((!case.is_empty()).then_some(case));
        path.extend(own_arity(job));
        path.join(format!("fold{}-seed{}", job.fold_number(), job.seed))
    };
    by_key.into_values().map(|job| (directory(job), job)).collect()
}

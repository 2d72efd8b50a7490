//! Helpers: small specs and shipped specs.

use std::fs;
use std::path::{Path, PathBuf};

use lrbm::internal::data::store::Store;
use lrbm::internal::experiment::{Experiment, Job, Plan};
use lrbm::internal::learn::params::Value;
use lrbm::internal::learn::{Kind, Params};

/// A path in the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Parses a valid spec.
pub fn experiment(text: &str) -> Experiment {
    experiment_with(text, &[])
}

pub fn experiment_with(text: &str, settings: &[&str]) -> Experiment {
    parse(text, settings).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the error message of an invalid spec.
pub fn refusal(text: &str, settings: &[&str]) -> String {
    parse(text, settings).map(|_| ()).expect_err("the spec was taken")
}

fn parse(text: &str, settings: &[&str]) -> Result<Experiment, String> {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    Experiment::parse(text, "spec.toml", &settings).map_err(|error| error.to_string())
}

/// Returns the jobs of an experiment without fetched data.
pub fn jobs(experiment: &Experiment) -> Vec<Job> {
    let plan = Plan::new(experiment, &Store::open("no such directory")).unwrap();
    plan.jobs.into_iter().map(|listed| listed.job).collect()
}

/// Returns the value of a parameter of a job; `"none"` if its kind does not have it.
pub fn value(params: &Params, name: &str) -> Value {
    params.get(name).unwrap_or("none".into())
}

/// Returns the kind of a job of a learner.
pub fn kind(job: &Job) -> Kind {
    job.system.learner().unwrap().kind
}

/// Returns the text of a shipped spec.
pub fn shipped(name: &str) -> String {
    fs::read_to_string(repository("experiments").join(name)).unwrap()
}

/// Returns the names of all shipped specs.
pub fn all_shipped() -> Vec<String> {
    let entries = fs::read_dir(repository("experiments")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    names
}

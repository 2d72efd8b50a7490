//! The state of a job follows from the plan and its record.

use std::collections::BTreeMap;

use lrbm::internal::data::store::Store;
use lrbm::internal::experiment::store::{FailureKind, Status};
use lrbm::internal::experiment::{JobKey, JobState, Plan, PlanEntry, Previous};
use lrbm::internal::learn::params::Value;

use crate::common::program::command;
use crate::lab::{experiment, repository, shipped};

fn first() -> PlanEntry {
    let plan = Plan::new(&experiment(&shipped("quick.toml")), &Store::open("no such directory")).unwrap();
    plan.jobs[1].clone()
}

fn state(change: impl FnOnce(&mut JobKey), failure: Option<&str>) -> (&'static str, String) {
    let entry = first();
    let mut key = entry.key().unwrap();
    change(&mut key);
    let status = |message: &str| Status::Failed { failure: FailureKind::Error, message: message.to_owned() };
    let status = failure.map_or(Status::Done, status);
    let state = entry.state(Some(&Previous::Ended { key: Box::new(key), status }));
    (state.name(), state.reason())
}

#[test]
fn every_state_has_a_reason() {
    let to_do = |reason: &str| ("to do", reason.to_owned());
    assert_eq!(first().state(None), JobState::Outstanding(lrbm::internal::experiment::plan::Reason::NoResult));
    assert_eq!(first().state(None).reason(), "no result yet");
    assert_eq!(state(|_| {}, None), ("done", String::new()));
    assert_eq!(state(|_| {}, Some("it broke\nbadly")), ("failed", "failed before: it broke".to_owned()));
    let message = "lrnn does not support time limits".to_owned();
    let status = Status::Failed { failure: FailureKind::Refused, message: message.clone() };
    let refused = first().state(Some(&Previous::Ended { key: Box::new(first().key().unwrap()), status }));
    assert_eq!((refused.name(), refused.reason()), ("refused", message));
    let trees = |key: &mut JobKey| {
        key.learner.parameters.insert("trees".to_owned(), Value::Integer(3));
        key.from.as_mut().unwrap().parameters.insert("leaf_fit".to_owned(), "closed-form".into());
    };
    assert_eq!(
        state(trees, None),
        to_do("parameters changed: trees 3 → 20, from.leaf_fit \"closed-form\" → \"coordinate-descent\"")
    );
    assert_eq!(
        state(|key| key.negatives_per_positive = 1.5, None),
        to_do("parameters changed: negatives_per_positive 1.5 → 2")
    );
    assert_eq!(
        state(|key| key.dataset.variant.drop_shared = true, None),
        to_do("parameters changed: drop_shared true → false")
    );
    assert_eq!(state(|key| key.data_checksum.clear(), None), to_do("data checksum changed"));
    assert_eq!(state(|key| key.algorithm = BTreeMap::new(), None), to_do("algorithm version changed"));
    // A failure with another key does not count.
    assert_eq!(state(|key| key.data_checksum.clear(), Some("it broke")), to_do("data checksum changed"));
    let both = |key: &mut JobKey| {
        key.data_checksum.clear();
        key.seed = 1;
    };
    assert_eq!(state(both, None), to_do("parameters changed: seed 1 → 20200120; data checksum changed"));
}

#[test]
fn keys_differ_if_and_only_if_ids_differ() {
    let entry = first();
    let key = entry.key().unwrap();
    let changes: [fn(&mut JobKey); 9] = [
        |key| key.learner.kind = "x".to_owned(),
        |key| key.learner.parameters.clear(),
        |key| key.from = None,
        |key| key.dataset.id = "x".to_owned(),
        |key| key.dataset.variant.evidence = Some("x".to_owned()),
        |key| key.folds = 9,
        |key| key.fold = 9,
        |key| key.seed = 9,
        |key| key.algorithm.clear(),
    ];
    for change in changes {
        let mut other = key.clone();
        change(&mut other);
        assert_ne!(other.id(), key.id());
        let state = entry.state(Some(&Previous::Ended { key: Box::new(other), status: Status::Done }));
        assert!(matches!(state, JobState::Outstanding(_)), "{state:?}");
    }
}

#[test]
fn missing_datasets_are_named_with_the_fetch_command() {
    let plan = Plan::new(&experiment(&shipped("regression.toml")), &Store::open("no such directory")).unwrap();
    assert_eq!(plan.jobs.len(), 700);
    assert_eq!(plan.fetch_command().unwrap(), "lrbm datasets fetch imdb uwcse sports webkb");
    assert!(plan.jobs.iter().filter(|entry| entry.state(None) == JobState::NoData).count() == 400);
    let here = plan.available();
    assert_eq!(here.jobs.len(), 300);
    assert!(here.jobs.iter().all(|entry| entry.data_checksum.is_some()));
}

#[test]
fn planned_checksums_match_the_data() {
    let here = Store::open(std::env::var_os("LRBM_DATA").unwrap_or_else(|| repository("datasets/cache").into()));
    for entry in Plan::new(&experiment(&shipped("regression.toml")), &here).unwrap().available().jobs {
        if entry.job.fold == 0 && entry.job.model == "LRBM-Boost" {
            let dataset = entry.job.dataset.open(&here).unwrap();
            assert_eq!(Some(dataset.checksum()), entry.data_checksum.as_deref(), "{}", entry.job);
            assert_eq!(dataset.id(), entry.job.dataset.dataset_id());
            assert_eq!(Some(dataset.fold_count(&entry.job.split).unwrap()), entry.job.split.folds);
        }
    }
}

fn plan_command(arguments: &[&str]) -> (i32, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let mut command = command(directory.path());
    command.arg("plan").args(arguments).env("LRBM_DATA", directory.path());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_plan_command_lists_jobs_and_sets_exit_codes() {
    let path = |name: &str| repository("experiments").join(name).display().to_string();
    let (code, stdout, stderr) = plan_command(&[&path("quick.toml")]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout.lines().count(), 1 + 1 + 45 + 1);
    assert!(stdout.ends_with("45 jobs in results/runs/quick: 45 to do\n"), "{stdout}");
    assert!(stdout.contains("no result yet"));
    let (code, stdout, stderr) = plan_command(&[&path("table1.toml"), "--only", "fold=1"]);
    assert_eq!(code, 0);
    assert!(stdout.ends_with("160 jobs in results/runs/table1: 160 no data\n"), "{stdout}");
    assert!(stderr.contains("run `lrbm datasets fetch uwcse imdb cora webkb` to fetch"), "{stderr}");
    let (code, _, stderr) = plan_command(&[&path("quick.toml"), "--only", "dataset=movie"]);
    assert_eq!(code, 4);
    assert_eq!(
        stderr,
        "error: no job of quick matches --only dataset=movie: dataset is `movies`, `university`, `citations`\n"
    );
    let (code, _, stderr) = plan_command(&[&path("table1.toml"), "--available"]);
    assert_eq!(code, 4);
    assert!(stderr.contains("no dataset of table1 is fetched; run `lrbm datasets fetch"), "{stderr}");
    let (code, stdout, stderr) = plan_command(&[&path("regression.toml"), "--available", "--out", "elsewhere"]);
    assert_eq!(code, 0);
    assert!(stdout.ends_with("300 jobs in elsewhere: 300 to do\n"), "{stdout}");
    assert_eq!(stderr, "skipped datasets that are not fetched: imdb, uwcse, sports, webkb\n");
    let (code, _, stderr) = plan_command(&[&path("quick.toml"), "--set", "tres=3"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean `trees`?"), "{stderr}");
    let (code, stdout, _) = plan_command(&["--schema"]);
    assert_eq!((code, stdout), (0, lrbm::internal::experiment::spec::schema::text()));
}

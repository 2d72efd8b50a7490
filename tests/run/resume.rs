//! Resuming: finished jobs are kept, changed jobs run again.

use std::fs;

use super::lab::{JOBS, Lab, SPEC, names, stderr, stdout};
use crate::common::program::command;

#[test]
fn a_second_call_has_nothing_to_do() {
    let lab = Lab::new();
    let first = lab.run(&[]);
    assert!(first.status.success(), "{}", stderr(&first));
    let text = stdout(&first);
    assert!(text.contains("movies") && text.contains("Explainable") && text.contains(" ± "), "{text}");
    assert!(text.contains(&format!("{JOBS} jobs run in ")), "{text}");
    assert!(text.contains("next: lrbm report out\n  or: lrbm explain --model out/jobs/"), "{text}");
    let before = lab.results();
    let second = lab.run(&[]);
    assert!(second.status.success());
    assert!(stdout(&second).contains(&format!("nothing to do: {JOBS} jobs done before")), "{}", stdout(&second));
    assert_eq!(stderr(&second), "");
    assert_eq!(lab.results(), before);
    assert!(lab.events("start", &["--fresh"]).len() == JOBS);
    assert_eq!(lab.results(), before);
}

#[test]
fn only_deleted_jobs_run_again() {
    let lab = Lab::new();
    assert!(lab.run(&[]).status.success());
    let before = lab.results();
    let jobs = lab.jobs();
    // An ensemble that others distill, and a job that lacks only its model.
    let ensemble = jobs.iter().find(|path| path.to_string_lossy().contains("movies/Boost")).unwrap();
    let other = jobs.iter().find(|path| path.to_string_lossy().contains("university/NoBoost")).unwrap();
    fs::remove_dir_all(ensemble).unwrap();
    fs::remove_file(other.join("model.json")).unwrap();
    let again = names(&lab.events("start", &[]));
    assert_eq!(again.len(), 2, "{again:?}");
    assert!(again[0].starts_with("movies Boost") && again[1].starts_with("university NoBoost"), "{again:?}");
    assert_eq!(lab.results(), before);
}

#[test]
fn a_changed_parameter_reruns_dependent_jobs_only() {
    let lab = Lab::new();
    assert!(lab.run(&[]).status.success());
    // Whitespace, comments and the description change nothing.
    lab.write_spec(&SPEC.replace("Small enough", "# Quite small").replace("folds = 2", "folds   = 2 # two"));
    assert!(lab.events("start", &[]).is_empty());
    // The depth of the distilled model affects that model only.
    lab.write_spec(&SPEC.replace("distil_depth = 3", "distil_depth = 2"));
    let again = names(&lab.events("start", &[]));
    assert_eq!(again.len(), 4);
    assert!(again.iter().all(|name| name.contains(" Explainable ")), "{again:?}");
    // The ensemble also affects the models distilled from it.
    lab.write_spec(&SPEC.replace("trees = 3", "trees = 2"));
    let again = names(&lab.events("start", &[]));
    assert_eq!(again.len(), 8);
    assert!(again.iter().all(|name| !name.contains(" NoBoost ")), "{again:?}");
    assert_eq!(lab.metrics().height(), JOBS);
}

#[test]
fn only_selects_jobs() {
    let lab = Lab::new();
    let some = names(&lab.events("start", &["--only", "dataset=movies,model=Explainable"]));
    assert_eq!(some.len(), 2, "{some:?}");
    assert_eq!(lab.metrics().height(), 2);
    // Distilled from an ensemble that had to be trained for it, with the same result.
    let alone = lab.results();
    assert!(lab.run(&[]).status.success());
    let all = lab.results();
    for (path, bytes) in alone.iter().filter(|(path, _)| path.starts_with("jobs/")) {
        assert_eq!(&all[path], bytes, "{path}");
    }
    assert_eq!(lab.metrics().height(), JOBS);
    assert_eq!(lab.run(&["--only", "dataset=imdb"]).status.code(), Some(4));
}

#[test]
fn a_dry_run_writes_nothing() {
    let lab = Lab::new();
    let plan = lab.run(&["--dry-run"]);
    assert!(plan.status.success(), "{}", stderr(&plan));
    assert!(stdout(&plan).contains("no result yet"), "{}", stdout(&plan));
    assert!(!lab.out().exists());
}

#[test]
fn the_default_directory_is_named_after_the_experiment() {
    let lab = Lab::new();
    let output =
        command(lab.home()).args(["run", "tiny.toml", "--only", "fold=1", "-q", "--no-report"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    for file in ["spec.toml", "metrics.csv", "metrics.parquet", "jobs/movies/Boost"] {
        assert!(lab.home().join("results/runs/tiny").join(file).exists(), "{file}");
    }
}

#[test]
fn every_record_has_provenance() {
    let lab = Lab::new();
    assert!(lab.run(&["--only", "dataset=movies,fold=1"]).status.success());
    for job in lab.jobs() {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(job.join("run.json")).unwrap()).unwrap();
        assert_eq!(record["status"], "done");
        assert_eq!(record["id"].as_str().unwrap().len(), 64);
        assert!(record["key"]["learner"]["parameters"]["max_leaves"] != serde_json::Value::Null);
        assert!(record["counts"]["test_positives"].as_u64().unwrap() > 0);
        assert!(record["program"]["rustc"].as_str().unwrap().starts_with("rustc "));
        assert!(record["machine"]["wall_seconds"].as_f64().unwrap() > 0.0);
        assert!(record["result"]["metrics"]["auc_roc"].as_f64().unwrap() > 0.5);
        let log = fs::read_to_string(job.join("log.txt")).unwrap();
        assert!(log.contains("starts: movies") && log.contains("done: auc_roc"), "{log}");
    }
}

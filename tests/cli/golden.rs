//! Files written by an earlier version of the program load, score the same and can be resumed.
//!
//! `tests/golden` has models of all kinds, with classes, time limits and recursion, their scores,
//! and a run with its baseline. All were written on generated domains by the version before the
//! formats `lrbm model`, `lrbm walks` and `lrbm template` were renamed. Never regenerate them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use lrbm::internal::learn::{Kind, Model, SavedModel, Stored};

use crate::common::program::command;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn lrbm(args: &[&str], paths: &[&Path]) -> Output {
    command(Path::new(".")).args(args).args(paths).output().unwrap()
}

fn assert_success(output: &Output, what: &str) {
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the model files of a domain.
fn models(domain: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(golden().join(domain)).unwrap().map(|entry| entry.unwrap().path());
    let mut models: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    models.sort();
    assert!(!models.is_empty(), "{domain}");
    models
}

/// Replaces former format names by the current ones.
fn with_current_format(text: &str) -> String {
    let names = [("lrbm model", "lrbm-trees"), ("lrbm walks", "lrbm-rrbm"), ("lrbm template", "lrbm-lrnn")];
    names.iter().fold(text.to_owned(), |text, (old, new)| {
        text.replacen(&format!("\"format\": \"{old}\""), &format!("\"format\": \"{new}\""), 1)
    })
}

#[test]
fn models_of_the_previous_version_score_the_same() {
    let home = tempfile::tempdir().unwrap();
    for domain in ["movies", "classes", "citations", "recursive"] {
        for model in models(domain) {
            let out = home.path().join("scores.csv");
            let data = golden().join(domain).join("data");
            let args =
                ["predict", "--quiet", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap(), "--model"];
            assert_success(&lrbm(&args, &[&model]), &model.display().to_string());
            let expected = fs::read_to_string(model.with_extension("csv")).unwrap();
            assert_eq!(fs::read_to_string(&out).unwrap(), expected, "{}", model.display());
        }
    }
}

#[test]
fn models_of_the_previous_version_are_written_unchanged_except_for_the_format_name() {
    let mut kinds = Vec::new();
    for domain in ["movies", "classes", "citations", "recursive"] {
        for path in models(domain) {
            let text = fs::read_to_string(&path).unwrap();
            let model = SavedModel::load(&path).unwrap();
            assert_eq!(model.to_json(), with_current_format(&text), "{}", path.display());
            kinds.extend(model.header().map(|header| header.kind));
            let signature = model.signature();
            assert_eq!(signature.classes.is_some(), domain == "classes", "{}", path.display());
            assert_eq!(signature.time.is_some(), matches!(domain, "citations" | "recursive"), "{}", path.display());
            assert_eq!(signature.recursive.is_some(), domain == "recursive", "{}", path.display());
        }
    }
    // Progol's models are networks, which have no header.
    assert!(Kind::ALL.into_iter().all(|kind| kind == Kind::Progol || kinds.contains(&kind)));
}

/// Copies a directory recursively.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Returns the bytes of all files below a directory.
fn contents(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => contents(&path, found),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
}

#[test]
fn a_run_of_the_previous_version_is_resumed_reported_and_compared() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    copy(&golden().join("run"), &run);
    let jobs = || {
        let mut found = BTreeMap::new();
        contents(&run.join("jobs"), &mut found);
        found
    };
    let before = jobs();
    // Data are numbered in another order since then, so that all jobs run again, and only once.
    let spec = golden().join("spec.toml");
    let resume = || assert_success(&lrbm(&["run", "--quiet", spec.to_str().unwrap(), "--out"], &[&run]), "run");
    resume();
    let after = jobs();
    assert!(before.keys().all(|file| after.contains_key(file)));
    assert_ne!(after, before);
    resume();
    assert_eq!(jobs(), after, "no job runs again");
    assert_success(&lrbm(&["report", "--quiet"], &[&run]), "report");
    assert!(run.join("report.html").is_file());
    let baseline = golden().join("baseline.csv");
    assert_success(&lrbm(&["check", "--baseline", baseline.to_str().unwrap()], &[&run]), "check");
    assert_success(&lrbm(&["compare"], &[&run, &run]), "compare");
    let model = golden().join("run/jobs/movies/LRBM-Boost/default/fold1-seed1/model.json");
    assert_success(&lrbm(&["explain", "--model"], &[&model]), "explain");
}

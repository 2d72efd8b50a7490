//! Multiverses: many small jobs, resumed and rerun alone with the same bytes.

use std::fs;

use super::lab::{Lab, names, stderr, stdout};
use crate::common::program::command;

/// 12 universes of one model on a domain, 6 of another, two folds: 36 jobs.
const SPEC: &str = r#"
name = "many"
seed = 7
folds = 2
datasets = ["movies"]
keep = ["metrics", "scores"]

[dataset.movies]
noise = 0.2

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"

[multiverse]
sample = 12
samples = { Explainable = 6 }
published = "paper.toml"

[[multiverse.choice]]
name = "rounds"
stated = "The paper does not state it."
alternatives = [{ name = "one", trees = 1 }, { name = "three", trees = 3 }]

[[multiverse.choice]]
name = "leaves"
stated = "The paper does not state it."
alternatives = [{ name = "2", max_leaves = 2 }, { name = "4", max_leaves = 4 }]

[[multiverse.choice]]
name = "words"
stated = "The paper does not state it."
alternatives = [{ name = "no" }, { name = "yes", modes = "constants" }]

[[multiverse.choice]]
name = "ratio"
stated = "The paper does not state it."
alternatives = [{ name = "2" }, { name = "1", negatives_per_positive = 1 }]

[[multiverse.choice]]
name = "seed"
stated = "The paper does not state it."
alternatives = [{ name = "a", seed = 7 }, { name = "b", seed = 8 }]

[[multiverse.choice]]
name = "pooling"
stated = "The paper does not state it."
alternatives = [{ name = "folds", pooling = "folds" }, { name = "pooled", pooling = "pooled" }]
"#;

const PAPER: &str = r#"
[mine]
label = "mine"
caption = "A table"
columns = ["movies"]
rows = [
    { kind = "Boost", metric = "auc_roc", mean = [0.76], sd = [0.3] },
    { kind = "lrbm-explainable", metric = "auc_pr", mean = [0.99], sd = [0.001] },
]
"#;

const JOBS: usize = 36;

fn lab() -> Lab {
    let lab = Lab::with(SPEC);
    fs::write(lab.home().join("paper.toml"), PAPER).unwrap();
    lab
}

#[test]
fn a_stopped_multiverse_resumes_with_the_same_bytes() {
    let whole = lab();
    let output = whole.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    // No table of hundreds of rows, and no model to explain.
    assert!(!stdout(&output).contains("AUC-ROC") && !stdout(&output).contains("lrbm explain"), "{}", stdout(&output));
    let expected = whole.results();
    assert_eq!(whole.jobs().len(), JOBS);
    assert_eq!(expected.keys().filter(|path| path.ends_with("scores.csv")).count(), JOBS);
    assert!(!expected.keys().any(|path| path.ends_with("model.json") || path.ends_with("predictions.parquet")));
    // Killed while it runs, then resumed.
    let parts = lab();
    let mut child = parts.spawn(&["--threads", "1"]);
    while !parts.out().join("jobs").is_dir() || parts.jobs().len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left = names(&parts.events("start", &[]));
    assert!(!left.is_empty() && left.len() < JOBS, "{}", left.len());
    let found = parts.results();
    for (path, bytes) in &expected {
        // The stored spec holds the path of the published values.
        assert!(path == "spec.toml" || found[path] == *bytes, "{path}");
    }
    assert!(parts.metrics().equals_missing(&whole.metrics()));
    // A lost file makes its job run again.
    fs::remove_file(parts.jobs()[5].join("scores.csv")).unwrap();
    assert_eq!(parts.events("start", &[]).len(), 1);
}

#[test]
fn a_universe_alone_gives_the_same_number() {
    let whole = lab();
    assert!(whole.run(&[]).status.success());
    let all = whole.results();
    let job = all.keys().find(|path| path.contains("/Explainable/") && path.ends_with("scores.csv")).unwrap();
    let universe = job.split("universe=").nth(1).unwrap().split('/').next().unwrap();
    let alone = lab();
    let only = format!("universe={universe},model=Explainable");
    assert_eq!(alone.events("start", &["--only", &only]).len(), 2);
    let found = alone.results();
    let jobs: Vec<_> = found.iter().filter(|(path, _)| path.starts_with("jobs/")).collect();
    assert_eq!(jobs.len(), 2);
    for (path, bytes) in jobs {
        assert_eq!(&all[path], bytes, "{path}");
    }
}

#[test]
fn the_report_places_own_published_values() {
    let lab = lab();
    assert!(lab.run(&[]).status.success());
    // The run is complete without the file.
    fs::remove_file(lab.home().join("paper.toml")).unwrap();
    let output = command(lab.home()).args(["report", "out", "--copy-to", "committed"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(lab.home().join("committed/cells.csv")).unwrap();
    let cell = |model: &str, metric: &str| {
        text.lines().find(|line| line.contains(model) && line.contains(metric)).unwrap().to_owned()
    };
    let inside = cell("Boost", "AUC-ROC");
    assert!(inside.starts_with("mine,movies,Boost,AUC-ROC,0.76 ± 0.3,inside,"), "{inside}");
    assert!(inside.contains(",100%,") && inside.ends_with(",12"), "{inside}");
    // Cells without a published value are in the table of all ranges.
    assert!(!text.contains("Boost,AUC-PR") && text.lines().count() == 3, "{text}");
    let ranges = fs::read_to_string(lab.home().join("committed/ranges.csv")).unwrap();
    assert!(ranges.contains("movies,Boost,AUC-PR,") && ranges.lines().count() == 5, "{ranges}");
    let outside = cell("Explainable", "AUC-PR");
    assert!(outside.contains(",above all,100,0%,") && outside.ends_with(",6"), "{outside}");
    let left_out = fs::read_to_string(lab.home().join("committed/left-out.csv")).unwrap();
    assert!(left_out.contains("movies,words,yes,the dataset has no mode option `constants`"), "{left_out}");
    let readme = fs::read_to_string(lab.home().join("committed/README.md")).unwrap();
    assert!(readme.contains("1 of 2 published cells lie inside the multiverse."), "{readme}");
    assert!(readme.contains("no universe is a better estimate"), "{readme}");
    assert!(readme.contains("\n- Above all universes: movies 1 of 2.\n"), "{readme}");
    // Findings are short; only the limits of the method need more.
    let findings: Vec<&str> = readme.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(findings.len() >= 4 && findings.len() <= 10, "{readme}");
    assert!(findings.iter().all(|line| line.contains("no universe") || line.len() < 200), "{findings:#?}");
    assert!(lab.home().join("committed/universes-movies.svg").is_file());
    assert!(lab.out().join("figures/universes-movies-Explainable-auc_pr.svg").is_file());
    let page = fs::read_to_string(lab.out().join("report.html")).unwrap();
    assert!(page.contains("Specification curve of movies"));
}

#[test]
fn without_published_values_none_are_mentioned() {
    let lab = Lab::with(&SPEC.replace("published = \"paper.toml\"\n", ""));
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = command(lab.home()).args(["report", "out", "--copy-to", "committed"]).output().unwrap();
    assert!(report.status.success(), "{}", stderr(&report));
    let readme = fs::read_to_string(lab.home().join("committed/README.md")).unwrap();
    assert!(readme.contains("\n- The choice that moves AUC-ROC of Boost most on movies: "), "{readme}");
    assert!(readme.contains("\n- No universe is a better estimate than another: "), "{readme}");
    assert!(!readme.to_lowercase().contains("published"), "{readme}");
    // Short jobs do not take "0 s".
    assert!(!readme.contains("took 0 s"), "{readme}");
}

/// Compares the pooled area and the area per fold with those of stored predictions.
#[test]
fn compact_scores_lose_nothing_that_metrics_need() {
    let compact = lab();
    assert!(compact.run(&[]).status.success());
    let full = lab();
    full.write_spec(
        &SPEC.replace("[\"metrics\", \"scores\"]", "[\"metrics\", \"scores\", \"predictions\", \"models\"]"),
    );
    assert!(full.run(&[]).status.success());
    let (a, b) = (compact.results(), full.results());
    for (path, bytes) in a.iter().filter(|(path, _)| path.ends_with("scores.csv")) {
        assert_eq!(&b[path], bytes, "{path}");
    }
    let report = |lab: &Lab| {
        assert!(command(lab.home()).args(["report", "out", "--quiet"]).output().unwrap().status.success());
        fs::read_to_string(lab.out().join("tables/cells.csv")).unwrap()
    };
    assert_eq!(report(&compact), report(&full));
    // What is kept is no part of the identity of a job, but a missing file makes it run again.
    compact.write_spec(&SPEC.replace("[\"metrics\", \"scores\"]", "[\"metrics\"]"));
    assert_eq!(compact.events("start", &[]).len(), 0);
    compact.write_spec(&SPEC.replace("[\"metrics\", \"scores\"]", "[\"metrics\", \"models\"]"));
    assert_eq!(compact.events("start", &[]).len(), JOBS);
}

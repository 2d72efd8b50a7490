//! Output files and exit codes of `lrbm report`.

use std::fs;
use std::path::Path;

use super::lab::{JOBS, Lab};
use crate::common::program::{command, files};

#[test]
fn reports_have_a_page_tables_and_figures() {
    let lab = Lab::run();
    let printed = lab.lrbm_ok(&["report", "out", "--copy-to", "kept"]);
    for part in ["Results\n", "movies", "AUC-ROC", "report: out/report.html", "tables in out/tables"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let tables = files(&lab.path("out/tables"));
    for stem in ["results", "all-metrics", "seconds"] {
        for ending in ["md", "tex", "csv", "parquet"] {
            assert!(tables.contains(&format!("{stem}.{ending}")), "{tables:?}");
        }
    }
    let figures = files(&lab.path("out/figures"));
    assert!(figures.iter().any(|name| name.ends_with(".svg")) && figures.iter().any(|name| name.ends_with(".png")));
    let kept = files(&lab.path("kept"));
    let ending = |name: &String| Path::new(name).extension().unwrap().to_str().unwrap().to_owned();
    assert!(kept.iter().all(|name| ["csv", "md", "tex", "svg"].contains(&ending(name).as_str())), "{kept:?}");
    assert!(kept.contains(&"README.md".to_owned()) && kept.contains(&"notes.csv".to_owned()), "{kept:?}");
}

#[test]
fn a_finished_run_ends_with_its_report() {
    let lab = Lab::with(super::lab::SPEC);
    let run = || {
        let output = command(&lab.path("")).args(["run", "tiny.toml", "--out", "out"]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run();
    let answer = printed.lines().find(|line| line.contains("has the highest AUC-ROC on average over 2 datasets"));
    let answer = answer.unwrap_or_else(|| panic!("{printed}"));
    assert!(printed.ends_with("report: out/report.html\n") && !printed.contains("lrbm report"), "{printed}");
    assert!(lab.page().contains("<p class=\"answer\">"), "{answer}");
    assert!(lab.path("out/tables/results.md").exists() && lab.path("out/figures").exists());
    // Nothing ran, so the report is the same.
    fs::write(lab.path("out/report.html"), "kept").unwrap();
    assert!(run().ends_with("report: out/report.html\n"));
    assert_eq!(lab.page(), "kept");
    // A result that is newer than the page, as after `--no-report`.
    let record = fs::File::open(lab.path("out/jobs/movies/Boost/default/fold1-seed7/run.json")).unwrap();
    record.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 32)).unwrap();
    run();
    assert!(lab.page().contains("<p class=\"answer\">"));
}

#[test]
fn reports_are_deterministic() {
    let lab = Lab::run();
    lab.lrbm_ok(&["report", "out", "--out", "one"]);
    lab.lrbm_ok(&["report", "out", "--out", "two"]);
    let names = files(&lab.path("one"));
    assert_eq!(names, files(&lab.path("two")));
    for name in names {
        let read = |directory: &str| fs::read(lab.path(directory).join(&name)).unwrap();
        assert!(read("one") == read("two"), "{name}");
    }
}

#[test]
fn unfinished_and_stale_runs_are_reported() {
    let lab = Lab::with(super::lab::SPEC);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out", "--only", "fold=1"]);
    lab.lrbm_ok(&["report", "out"]);
    let half = JOBS / 2;
    assert!(lab.page().contains(&format!("Unfinished: {half} of {JOBS} jobs have not been run.")));
    let table = fs::read_to_string(lab.path("out/tables/results.md")).unwrap();
    assert!(table.contains("(1 of 2 not run)"), "{table}");
    // The distilled trees were made from an ensemble of three trees.
    let spec = fs::read_to_string(lab.path("out/spec.toml")).unwrap();
    fs::write(lab.path("out/spec.toml"), spec.replace("trees = 3", "trees = 2")).unwrap();
    let message = lab.lrbm_fails(&["report", "out"], 4);
    assert!(message.contains("none of the 8 jobs has a result yet; 4 results belong to another spec"), "{message}");
}

#[test]
fn failed_jobs_are_shown() {
    let lab = Lab::with(super::lab::SPEC);
    // Data that vanish before the job runs fail only that job.
    let mut run = command(&lab.path(""));
    run.args(["run", "tiny.toml", "--out", "out", "--only", "dataset=movies", "--no-report"]);
    let output = run.env("LRBM_TEST_FAULT", "panic:movies Boost fold 1 seed 7").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    lab.lrbm_ok(&["report", "out"]);
    let page = lab.page();
    assert!(
        page.contains("Failed jobs") && page.contains("jobs failed; their cells say so."),
        "no failure on the page"
    );
}

#[test]
fn usage_errors_have_exit_codes() {
    let lab = Lab::with(super::lab::SPEC);
    assert!(lab.lrbm_fails(&["report", "nowhere"], 2).contains("nowhere: not a run directory"));
    lab.lrbm_fails(&["report"], 2);
    lab.lrbm_fails(&["report", "out", "--check"], 2);
    lab.lrbm_fails(&["report", "out", "--splice", "README.md"], 2);
    fs::create_dir(lab.path("out")).unwrap();
    fs::copy(lab.path("tiny.toml"), lab.path("out/spec.toml")).unwrap();
    let message = lab.lrbm_fails(&["report", "out"], 4);
    assert!(message.contains("jobs has a result yet"), "{message}");
    // An unwritable directory is a usage error.
    let lab = Lab::run();
    fs::write(lab.path("file"), "").unwrap();
    assert!(lab.lrbm_fails(&["report", "out", "--out", "file"], 2).contains("cannot write the report"));
}

#[test]
fn requested_significance_tests_are_reported() {
    const THREE: &str = r#"
name = "tiny"
seed = 7
folds = 3
datasets = ["movies", "university"]

[dataset.movies]
noise = 0.2

[dataset.university]
noise = 0.2

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 3

[[model]]
name = "Single"
kind = "lrbm-noboost"
max_depth = 2

[[model]]
name = "RDN"
kind = "rdn-boost"
trees = 2

[compare]
tests = ["friedman-nemenyi", "corrected-t", "wilcoxon-over-datasets"]
"#;
    let lab = Lab::with(THREE);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    lab.lrbm_ok(&["report", "out"]);
    let table = fs::read_to_string(lab.path("out/tables/tests.csv")).unwrap();
    let count = |start: &str| table.lines().filter(|line| line.starts_with(start)).count();
    // Two metrics, two other models, two datasets.
    assert_eq!((count("friedman-nemenyi,"), count("corrected-t,"), count("wilcoxon-over-datasets,")), (2, 8, 4));
    assert!(table.lines().nth(1).unwrap().starts_with("friedman-nemenyi,auc_roc,"), "{table}");
    // Two datasets are too few: at best they agree in one of six orders, and 1/6 exceeds 0.05.
    for part in [
        "corrected-t,auc_roc,movies,Boost → Single,",
        "corrected-t,auc_pr,university,Boost → RDN,",
        "Wilcoxon's signed-rank test cannot tell",
        "Friedman's test cannot ",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let page = lab.page();
    assert!(page.contains("Tests of significance") && page.contains("friedman-nemenyi"), "no tests on the page");
    // No tests requested.
    fs::write(lab.path("tiny.toml"), THREE.split("[compare]").next().unwrap()).unwrap();
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    lab.lrbm_ok(&["report", "out", "--out", "other"]);
    assert!(!files(&lab.path("other/tables")).contains(&"tests.csv".to_owned()));
}

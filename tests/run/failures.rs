//! A failed job is recorded, and the others continue.

use std::fs;

use super::lab::{JOBS, Lab, SPEC, events, names, stderr, stdout};
use crate::common::program::command;

#[test]
fn a_failed_job_is_recorded_and_the_others_continue() {
    for (fault, message) in [
        ("error:movies Boost fold 2", "injected fault"),
        ("panic:movies Boost fold 2", "this is a bug in lrbm: panic at src/"),
    ] {
        let lab = Lab::new();
        let output = lab.command(&[]).env("LRBM_TEST_FAULT", fault).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stdout(&output).contains("1 job failed"), "{}", stdout(&output));
        assert!(!stderr(&output).contains("RUST_BACKTRACE"), "{}", stderr(&output));
        assert_eq!(lab.metrics().height(), JOBS);
        let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
        let failed: Vec<&str> = csv.lines().filter(|line| line.contains(",failed,")).collect();
        assert_eq!(failed.len(), 1);
        assert!(failed[0].contains(message), "{}", failed[0]);
        let directory = lab.out().join("jobs/movies/Boost/default/fold2-seed7");
        assert!(fs::read_to_string(directory.join("log.txt")).unwrap().contains(message));
        assert!(!directory.join("model.json").exists());

        // It is not retried without a request, and still counts as failed.
        let output = lab.run(&[]);
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(events(&lab.command(&["--json-events"]).output().unwrap(), "start").len(), 0);
        assert!(stdout(&output).contains("--retry-failed"), "{}", stdout(&output));

        let again = names(&lab.events("start", &["--retry-failed"]));
        assert_eq!(again, ["movies Boost fold 2 seed 7"]);
        let reference = Lab::new();
        assert!(reference.run(&[]).status.success());
        assert_eq!(lab.results(), reference.results());
    }
}

#[test]
fn unsupported_datasets_are_reported_and_not_failures() {
    let spec = "name = \"tiny\"\nseed = 7\nfolds = 2\npresets = [\"paper\"]\ndatasets = [\"citations\", \"university\"]\n\
                [[model]]\nname = \"R\"\nkind = \"rdn-boost\"\ntrees = 2\n\
                [[model]]\nname = \"L\"\nkind = \"lrnn\"\nepochs = 2\n\
                [[model]]\nname = \"W\"\nkind = \"rrbm-e\"\nepochs = 2\n";
    let lab = Lab::with(spec);
    let output = lab.run(&["--fail-fast"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("4 jobs refused: the model kind does not support the dataset"),
        "{}",
        stdout(&output)
    );
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let refused: Vec<&str> = csv.lines().filter(|line| line.contains(",refused,")).collect();
    assert_eq!((refused.len(), csv.contains(",failed,")), (4, false));
    assert!(refused.iter().any(|line| line.contains("lrnn does not support time limits")), "{csv}");
    // Presets are about trees: other kinds run once, without a preset.
    assert!(lab.out().join("jobs/university/L/default").is_dir() && lab.out().join("jobs/university/R/paper").is_dir());
    // Nothing is outstanding, and the exit code is 0.
    let again = lab.run(&[]);
    assert!(again.status.success() && stdout(&again).contains("nothing to do"), "{}", stdout(&again));
    let report = command(lab.home()).arg("report").arg(lab.out()).output().unwrap();
    assert!(report.status.success(), "{}", stderr(&report));
    let table = fs::read_to_string(lab.out().join("tables/results.md")).unwrap();
    assert!(table.contains("2 of 2 refused"), "{table}");
    assert!(table.contains("L does not support citations (2 jobs): lrnn does not support time limits"), "{table}");
    assert!(
        table.contains("W does not support university (2 jobs): rrbm-e supports unary and binary predicates only"),
        "{table}"
    );
    assert!(!table.contains("failed"), "{table}");
    // The page lists these jobs, and the structure of models without trees.
    let page = fs::read_to_string(lab.out().join("report.html")).unwrap();
    assert_eq!(page.matches("<span class=\"lack\">refused</span>").count(), 4);
    assert!(!page.contains("<span class=\"lack\">failed</span>"));
    assert!(page.contains(" hidden units over ") && page.contains(" for latent predicates"));
    assert!(!page.contains("0 trees") && !page.contains("A drawing of its first tree is left out"));
    let bars = fs::read_to_string(lab.out().join("figures/bars-auc-roc.svg")).unwrap();
    assert_eq!(bars.matches("\nrefused\n").count(), 2, "{bars}");

    // --retry-failed skips unsupported jobs: the same program and data give the same answer.
    let output = lab.run(&["--retry-failed"]);
    assert!(stdout(&output).contains("nothing to do: 8 jobs done before, 4 refused"), "{}", stdout(&output));
    let begin = events(&lab.command(&["--json-events", "--retry-failed"]).output().unwrap(), "begin");
    let counts = ["done", "refused_before", "failed_before", "to_run"].map(|key| begin[0][key].as_u64().unwrap());
    assert_eq!(counts, [8, 4, 0, 0]);

    // There is nothing to bless and nothing to compare.
    let baseline = lab.out().join("baseline.csv");
    let check = |more: &[&str]| {
        command(lab.home()).arg("check").arg(lab.out()).arg("--baseline").arg(&baseline).args(more).output().unwrap()
    };
    assert!(check(&["--bless"]).status.success());
    let output = stdout(&check(&[]));
    assert!(
        output.contains("unsupported for the dataset, so not in the baseline: citations L, university W"),
        "{output}"
    );
    assert!(!output.contains("--bless"), "{output}");
    let text = fs::read(&baseline).unwrap();
    let over = check(&["--markdown", baseline.to_str().unwrap()]);
    assert_eq!((over.status.code(), fs::read(&baseline).unwrap()), (Some(2), text), "{}", stderr(&over));
    let spec = lab.out().join("spec.toml");
    assert_eq!(check(&["--junit", spec.to_str().unwrap()]).status.code(), Some(2));

    // Only kinds that grow trees report trees.
    let log = |job: &str| fs::read_to_string(lab.out().join(format!("jobs/{job}/fold1-seed7/log.txt"))).unwrap();
    assert!(log("university/R/paper").contains("tree 2 of 2, "));
    assert!(log("university/L/default").contains("step 2 of 2, ") && !log("university/L/default").contains("tree "));
    let fresh = lab.command(&["--json-events", "--fresh"]).output().unwrap();
    // Two trees in two folds of two datasets, two steps in two folds of one dataset for each of two
    // models.
    assert_eq!((events(&fresh, "tree").len(), events(&fresh, "step").len()), (8, 8));
}

#[test]
fn fail_fast_starts_no_more_jobs() {
    let lab = Lab::new();
    let args = ["--fail-fast", "--jobs", "1", "--threads", "1"];
    let output = lab.command(&args).env("LRBM_TEST_FAULT", "error:movies Boost fold 1").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("not run, because one failed"), "{}", stdout(&output));
    assert!(lab.metrics().height() < JOBS);
    let output = lab.run(&["--retry-failed"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lab.metrics().height(), JOBS);
}

#[test]
fn exceeded_time_limits_are_recorded() {
    let lab = Lab::with(&SPEC.replace("folds = 2", "folds = 2\ntime_limit = \"3 s\""));
    let output = lab.command(&["-q"]).env("LRBM_TEST_FAULT", "oversleep:university NoBoost").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let stopped = csv.lines().filter(|line| line.contains("exceeded the time limit of 3 s")).count();
    assert_eq!(stopped, 2, "{csv}");
}

/// Without polling inside the learner, counting for the first tree would take minutes.
#[test]
fn a_time_limit_interrupts_a_slow_learner() {
    let lab = Lab::with(
        r#"
name = "slow"
seed = 1
folds = 2
time_limit = "1 s"
datasets = ["movies"]

[dataset.movies]
scale = 20

[[model]]
name = "MLN"
kind = "mln-boost"
node_size = 3
trees = 1
max_leaves = 100
largest_part = 6
count_budget = 1000000
"#,
    );
    let output = lab.run(&["-q"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    assert_eq!(csv.lines().filter(|line| line.contains("exceeded the time limit of 1 s")).count(), 2, "{csv}");
}

#[test]
fn truncated_counts_are_recorded_in_training_and_scoring() {
    let lab = Lab::with(
        r#"
name = "cut"
seed = 1
folds = 2
datasets = ["movies"]

[[model]]
name = "MLN"
kind = "mln-boost"
count_budget = 3
"#,
    );
    let output = lab.run(&["-q"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record = fs::read_to_string(lab.out().join("jobs/movies/MLN/default/fold1-seed1/run.json")).unwrap();
    for which in ["training examples", "examples to score"] {
        assert!(record.contains(which), "{which}: {record}");
    }
}

#[test]
fn exceeded_memory_limits_are_recorded() {
    let lab = Lab::with(&SPEC.replace("folds = 2", "folds = 2\nmemory_limit = \"1 B\""));
    let output = lab.run(&["-q"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    // Later jobs may reuse memory; the first one has to allocate it.
    assert!(csv.contains("exceeded the memory limit of 1 bytes"), "{csv}");
    assert_eq!(lab.metrics().height(), JOBS);
}

#[test]
fn an_unwritable_directory_is_detected_first() {
    let lab = Lab::new();
    // Works for the superuser as well, who may write anywhere.
    fs::write(lab.out(), "a file").unwrap();
    let output = lab.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("nothing was run") && text.contains("--out"), "{text}");
    assert!(!text.contains("1/12"), "{text}");
}

#[test]
fn missing_datasets_are_reported_first() {
    let spec = SPEC.replace("\"university\"", "\"imdb\", \"cora\"").replace("folds = 2\n", "");
    let lab = Lab::with(&spec);
    let output = lab.command(&[]).env("LRBM_DATA", lab.home().join("no-data")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("lrbm datasets fetch imdb cora"), "{text}");
    assert!(!lab.out().exists());
    let output = lab.command(&["--available"]).env("LRBM_DATA", lab.home().join("no-data")).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    // Five folds by default.
    assert_eq!(lab.metrics().height(), 15);
}

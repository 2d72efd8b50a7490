//! Nested tuning: trials are jobs, the choice sees training data only, and nothing depends on
//! threads or on where a run was stopped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use polars::prelude::DataFrame;
use serde_json::Value;

use super::lab::{Lab, names, stderr, stdout};
use crate::common::program;
use lrbm::internal::determinism::Stream;
use lrbm::internal::experiment::Results;
use lrbm::internal::metric::Column;

/// A tuned ensemble, a model distilled from it, and one without tuned parameters: per fold 4 trials
/// on 2 inner folds of both tuned models, and 3 outer jobs.
pub const TUNED: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["movies"]

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 3

[[model]]
name = "Walks"
kind = "rrbm-c"

[tune]
folds = 2
trees = [1, 4]
presets = ["paper", "lookahead"]
"#;
pub const TUNED_JOBS: usize = 2 * (2 * (4 * 2 + 1) + 1);

fn records(lab: &Lab) -> BTreeMap<String, Value> {
    let name = |path: &Path| path.strip_prefix(lab.out().join("jobs")).unwrap().display().to_string();
    let read = |path: &Path| serde_json::from_slice(&fs::read(path.join("run.json")).unwrap()).unwrap();
    lab.jobs().iter().map(|path| (name(path), read(path))).collect()
}

/// Returns the choice of every outer job, without seconds.
fn choices(lab: &Lab) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (name, record) in records(lab) {
        if let Some(choice) = record.get("tuning") {
            let mut choice = choice.clone();
            choice.as_object_mut().unwrap().remove("trial_seconds");
            found.insert(name, choice);
        }
    }
    found
}

fn column(frame: &DataFrame, name: &str) -> Vec<String> {
    let column = frame.column(name).unwrap();
    (0..frame.height()).map(|i| column.get(i).unwrap().str_value().into_owned()).collect()
}

#[test]
fn trials_are_rows_of_the_frame_and_of_no_table() {
    let lab = Lab::with(TUNED);
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains(&format!("{TUNED_JOBS} jobs run in ")), "{}", stdout(&output));
    let frame = lab.metrics();
    assert_eq!(frame.height(), TUNED_JOBS);
    let [trial, chosen, tuned] = ["trial", "chosen", "tuned"].map(|name| column(&frame, name));
    assert_eq!(trial.iter().filter(|trial| *trial == "null").count(), 6);
    // One of four trials is chosen by each of four tuned jobs, on two inner folds.
    assert_eq!(chosen.iter().filter(|chosen| *chosen == "true").count(), 8);
    assert_eq!(chosen.iter().filter(|chosen| *chosen == "false").count(), 24);
    assert!(tuned.contains(&"preset=lookahead, trees=4".to_owned()), "{tuned:?}");
    let results = Results::read(&lab.out()).unwrap();
    assert_eq!((results.stored.len(), results.planned, results.trials.len()), (6, 6, TUNED_JOBS - 6));
    assert!(results.stored.iter().all(|stored| stored.record.row.trial.is_none()));
    assert_eq!(results.groups().len(), 3);
    for stored in results.stored.iter().filter(|stored| stored.record.row.model != "Walks") {
        let choice = stored.record.tuning.as_ref().unwrap();
        // The choice is that of a simple loop over the records of the trials.
        let mut best = (0, f64::MIN);
        for number in 1..=4 {
            let of_trial = |job: &&lrbm::internal::experiment::frame::StoredJob| {
                let (row, own) = (&job.record.row, &stored.record.row);
                row.trial.as_ref().is_some_and(|trial| trial.number == number)
                    && (&row.model, row.fold, row.seed) == (&own.model, own.fold, own.seed)
            };
            let scores: Vec<f64> =
                results.trials.iter().filter(of_trial).map(|job| job.metric(Column::AucRoc).unwrap()).collect();
            assert_eq!(scores.len(), 2);
            let mean = (scores[0] + scores[1]) / 2.0;
            best = if mean > best.1 { (number, mean) } else { best };
        }
        assert_eq!((choice.trial, choice.score), best);
        assert!(stored.record.result.is_some());
    }
    // The page has a section, the gate and the comparison see outer rows only.
    let lrbm = |args: &[&str]| program::command(lab.home()).args(args).output().unwrap();
    assert!(lrbm(&["report", "out"]).status.success());
    let page = fs::read_to_string(lab.out().join("report.html")).unwrap();
    assert!(page.contains("optimism") && page.contains("Chosen settings by outer fold"));
    let table = fs::read_to_string(lab.out().join("tables/results.csv")).unwrap();
    assert!(!table.contains("trial"), "{table}");
    let blessed = lrbm(&["check", "out", "--baseline", "base.csv", "--bless"]);
    assert!(blessed.status.success(), "{}", stderr(&blessed));
    let baseline = fs::read_to_string(lab.home().join("base.csv")).unwrap();
    // Three models, two folds, three metrics.
    assert_eq!(baseline.lines().filter(|line| line.starts_with("movies,")).count(), 18, "{baseline}");
    assert!(lrbm(&["check", "out", "--baseline", "base.csv", "--strict"]).status.success());
    assert!(lrbm(&["compare", "out", "--models", "Boost,Walks"]).status.success());
    let again = lab.run(&[]);
    assert!(stdout(&again).contains(&format!("nothing to do: {TUNED_JOBS} jobs done before")), "{}", stdout(&again));
}

#[test]
fn an_experiment_without_tuning_has_no_columns_or_tables_of_it() {
    let lab = Lab::new();
    assert!(lab.run(&[]).status.success());
    let header = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let header = header.lines().next().unwrap();
    assert!(!header.contains("trial") && !header.contains("chosen") && !header.contains("tuned"), "{header}");
    assert!(program::command(lab.home()).args(["report", "out"]).output().unwrap().status.success());
    assert!(!lab.out().join("tables/tuning.csv").exists());
    assert!(!fs::read_to_string(lab.out().join("report.html")).unwrap().contains("optimism"));
}

#[test]
fn threads_change_no_choice_and_no_byte() {
    let results: Vec<_> = [["1", "1"], ["2", "2"], ["1", "2"], ["8", "8"]]
        .into_iter()
        .map(|[jobs, threads]| {
            let lab = Lab::with(TUNED);
            assert!(lab.run(&["--jobs", jobs, "--threads", threads]).status.success());
            (choices(&lab), lab.results())
        })
        .collect();
    assert_eq!(results[0].0.len(), 4);
    for other in &results[1..] {
        assert_eq!(other.0, results[0].0);
        assert!(other.1 == results[0].1);
    }
}

#[test]
fn a_killed_and_resumed_run_gives_the_same_bytes() {
    const KILLS: usize = 20;
    let reference = Lab::with(TUNED);
    let began = Instant::now();
    assert!(reference.run(&["--threads", "1"]).status.success());
    let duration = began.elapsed();
    let (expected, table, chosen) = (reference.results(), reference.metrics(), choices(&reference));
    let mut stream = Stream::new(20_200_120, &["kill tuned"]);
    let (mut kills, mut inside, mut runs) = (0, 0, 0);
    while kills < KILLS || runs < 2 {
        let lab = Lab::with(TUNED);
        loop {
            let mut child = lab.spawn(&["--threads", ["1", "2"][runs % 2]]);
            std::thread::sleep(Duration::from_secs_f64(duration.as_secs_f64() * 0.5 * stream.unit()));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            inside += usize::from(lab.out().join("jobs").is_dir() && (1..TUNED_JOBS).contains(&lab.jobs().len()));
            assert!(kills < 50 * KILLS, "no run ends");
        }
        runs += 1;
        assert!(lab.metrics().equals_missing(&table));
        assert!(lab.results() == expected);
        assert_eq!(choices(&lab), chosen);
    }
    assert!(inside >= KILLS / 4, "only {inside} of {kills} kills happened between jobs");
}

/// Three folds with facts of their own, from three seeds of a generated domain; the labels of the
/// test side of one fold may be swapped.
fn given_folds(home: &Path, garbage: Option<usize>) {
    let part = |n: usize| {
        let name = format!("part{n}");
        let args = ["datasets", "generate", "movies", "--out", &name, "--seed", &n.to_string()].map(str::to_owned);
        let output = program::command(home).args(args).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        // Constants of a part are its own.
        ["pos", "neg", "facts", "bk"].map(|kind| {
            let text = fs::read_to_string(home.join(&name).join(format!("train_{kind}.txt"))).unwrap();
            if kind == "bk" { text } else { own_constants(&text, n) }
        })
    };
    let parts: Vec<[String; 4]> = (0..3).map(part).collect();
    for fold in 0..3 {
        for side in ["train", "test"] {
            let path = home.join(format!("data/fold{}/{side}", fold + 1));
            fs::create_dir_all(&path).unwrap();
            let here = (0..3).filter(|&n| (n == fold) == (side == "test"));
            let mut texts: [String; 3] = Default::default();
            here.for_each(|n| texts.iter_mut().zip(&parts[n]).for_each(|(text, part)| text.push_str(part)));
            if side == "test" && garbage == Some(fold) {
                texts.swap(0, 1);
            }
            for (name, text) in ["pos", "neg", "facts"].into_iter().zip(texts) {
                fs::write(path.join(format!("{name}.txt")), text).unwrap();
            }
        }
    }
    fs::write(home.join("data/bk.txt"), &parts[0][3]).unwrap();
}

/// Appends a suffix to every constant: `acted(p1, m2).` becomes `acted(p1_3, m2_3).`
fn own_constants(text: &str, part: usize) -> String {
    text.replace(',', &format!("_{part},")).replace(')', &format!("_{part})"))
}

#[test]
fn labels_of_the_outer_test_do_not_change_the_choice() {
    let spec = "name = \"tiny\"\nseed = 7\ndatasets = [\"mine\"]\n[dataset.mine]\npath = \"data\"\n\
                [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\n\
                [tune]\nmethod = \"random\"\ntrials = 5\nfolds = 2\npresets = [\"paper\", \"lookahead\"]\n\
                trees = { min = 1, max = 8 }\nmax_leaves = [2, 4]\n";
    let run = |garbage: Option<usize>| {
        let lab = Lab::with(spec);
        given_folds(lab.home(), garbage);
        let output = lab.run(&["--only", "fold=1"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let outer = records(&lab).into_iter().find(|(_, record)| record.get("tuning").is_some()).unwrap().1;
        (choices(&lab), outer["result"]["metrics"]["auc_roc"].clone())
    };
    let (plain, garbage) = (run(None), run(Some(0)));
    assert_eq!(plain.0, garbage.0);
    // The outer score did change: the labels of the test are other ones.
    assert_ne!(plain.1, garbage.1);
}

/// Without a signal, the outer score is that of chance, although the inner score of the chosen
/// trial is the best of several. 20 shuffles of 3 folds with about 60 positives and 120 negatives
/// have a standard error of 0.006.
#[test]
fn shuffled_labels_give_the_score_of_chance() {
    const SHUFFLES: usize = 20;
    let names: Vec<String> = (0..SHUFFLES).map(|n| format!("s{n}")).collect();
    let tables: String = names.iter().map(|name| format!("[dataset.{name}]\npath = \"{name}\"\n")).collect();
    let spec = format!(
        "name = \"tiny\"\nseed = 7\nfolds = 3\ndatasets = {names:?}\n{tables}\
         [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\nnode_size = 1\n\
         [tune]\nfolds = 2\ntrees = [1, 5]\nmax_leaves = [2, 8]\npath_length = [0, 3]\n"
    );
    let lab = Lab::with(&spec);
    let generate = ["datasets", "generate", "university", "--out", "domain", "--seed", "3"];
    assert!(program::command(lab.home()).args(generate).output().unwrap().status.success());
    let read = |name: &str| fs::read_to_string(lab.home().join("domain").join(name)).unwrap();
    let (positives, negatives) = (read("train_pos.txt"), read("train_neg.txt"));
    let mut examples: Vec<&str> = positives.lines().chain(negatives.lines()).collect();
    let count = positives.lines().count();
    assert!(count > 100 && negatives.lines().count() > 100, "{count}");
    for (n, name) in names.iter().enumerate() {
        Stream::new(n as u64, &["shuffle"]).shuffle(&mut examples);
        let directory = lab.home().join(name);
        fs::create_dir(&directory).unwrap();
        for (file, text) in [("facts.txt", read("train_facts.txt")), ("bk.txt", read("train_bk.txt"))] {
            fs::write(directory.join(file), text).unwrap();
        }
        fs::write(directory.join("pos.txt"), examples[..count].join("\n")).unwrap();
        fs::write(directory.join("neg.txt"), examples[count..].join("\n")).unwrap();
    }
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = Results::read(&lab.out()).unwrap();
    let outer: Vec<f64> = results.stored.iter().map(|stored| stored.metric(Column::AucRoc).unwrap()).collect();
    let inner: Vec<f64> = results.stored.iter().map(|s| s.record.tuning.as_ref().unwrap().score).collect();
    assert_eq!(outer.len(), 3 * SHUFFLES);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (outer, inner) = (mean(&outer), mean(&inner));
    assert!((outer - 0.5).abs() < 0.02, "{outer} (inner {inner})");
    // Selection is visible: the best of eight trials looks better than chance.
    assert!(inner > outer + 0.01, "inner {inner}, outer {outer}");
}

#[cfg(target_os = "linux")]
mod commands {
    use super::*;

    /// A command that fails, or scores the queries in their order or in reverse.
    fn spec(ways: &str) -> String {
        let script = "case $(tr -d '\\n ' < job.json) in \
                      *'\"way\":\"fail\"'*) echo broken; exit 1;; \
                      *'\"way\":\"up\"'*) sign='';; *) sign=-;; esac; \
                      echo example,score > scores.csv; n=0; \
                      while read -r query; do n=$((n+1)); echo \"${query%.},$sign$n\" >> scores.csv; done < test/queries.txt";
        format!(
            "name = \"tiny\"\nseed = 7\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"M\"\n\
             kind = \"command\"\nrun = [\"sh\", \"-c\", '''{}''']\nparams = {{ way = \"up\" }}\n\
             [model.tune]\nfolds = 2\nway = {ways}\n",
            script.replace('{', "{{").replace('}', "}}")
        )
    }

    #[test]
    fn a_failed_trial_is_not_chosen_and_the_run_goes_on() {
        let lab = Lab::with(&spec("[\"fail\", \"up\", \"down\"]"));
        let output = lab.run(&[]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stdout(&output).contains("4 jobs of trials failed and were not chosen"), "{}", stdout(&output));
        for choice in choices(&lab).values() {
            assert!(choice["trial"].as_u64().unwrap() > 1, "{choice}");
            assert_eq!(choice["trials"][0]["score"], Value::Null);
            let [up, down] = [1, 2].map(|i| choice["trials"][i]["score"].as_f64().unwrap());
            assert!((up + down - 1.0).abs() < 1e-9);
            assert_eq!(choice["trial"], if up >= down { 2 } else { 3 });
        }
        assert_eq!(choices(&lab).len(), 2);
    }

    #[test]
    fn if_all_trials_fail_the_outer_job_fails_with_the_reason() {
        let lab = Lab::with(&spec("[\"fail\"]"));
        let output = lab.run(&[]);
        assert_eq!(output.status.code(), Some(3));
        let outer: Vec<Value> =
            records(&lab).into_values().filter(|record| record["row"].get("trial").is_none()).collect();
        assert_eq!(outer.len(), 2);
        for record in outer {
            let message = record["message"].as_str().unwrap();
            assert!(
                message.starts_with("all 1 trials failed; trial 1: the command ended with exit code 1"),
                "{message}"
            );
        }
        // With a command that works the trials run again, and then the outer jobs.
        let fixed = spec("[\"fail\"]").replace("echo broken; exit 1;;", "sign='';;");
        lab.write_spec(&fixed);
        assert!(lab.run(&[]).status.success());
        assert_eq!(choices(&lab).len(), 2);
    }
}

#[test]
fn changed_results_of_trials_make_the_outer_job_outstanding() {
    let lab = Lab::with(TUNED);
    assert!(lab.run(&["--only", "model=Boost,fold=1"]).status.success());
    assert_eq!(lab.jobs().len(), 9);
    let before = choices(&lab);
    // A deleted trial runs again; the outer job is adopted, since the choice is the same.
    let trial = lab.jobs().into_iter().find(|path| path.to_string_lossy().contains("trial2-inner1")).unwrap();
    fs::remove_dir_all(&trial).unwrap();
    let started = names(&lab.events("start", &["--only", "model=Boost,fold=1"]));
    assert_eq!(started, ["movies Boost fold 1 seed 7 trial 2 inner fold 1"]);
    assert_eq!(choices(&lab), before);
    // Another search space is another job.
    lab.write_spec(&TUNED.replace("trees = [1, 4]", "trees = [1, 3]"));
    let plan = program::command(lab.home())
        .args(["plan", "tiny.toml", "--out", "out", "--only", "model=Boost,fold=1,trial="])
        .output()
        .unwrap();
    assert!(stdout(&plan).contains("parameters of trials"), "{}", stdout(&plan));
    let started = names(&lab.events("start", &["--only", "model=Boost,fold=1,trial="]));
    // Two of four trials have other parameters, on two inner folds, and the outer job.
    assert_eq!(started.len(), 5, "{started:?}");
    assert!(started.contains(&"movies Boost fold 1 seed 7".to_owned()), "{started:?}");
}

#[test]
fn printed_commands_run_trials_first_and_give_the_same_bytes() {
    let reference = Lab::with(TUNED);
    assert!(reference.run(&[]).status.success());
    let lab = Lab::with(TUNED);
    let output = program::command(lab.home())
        .args(["plan", "tiny.toml", "--out", "out", "--format", "commands"])
        .output()
        .unwrap();
    let lines: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
    assert!(lines.len() >= 2, "{lines:?}");
    // Even in reverse order: a tuned job runs the trials it lacks.
    for line in lines.iter().rev() {
        let output = std::process::Command::new("sh").arg("-c").arg(line).current_dir("/").output().unwrap();
        assert!(output.status.success(), "{line}\n{}", stderr(&output));
    }
    assert!(lab.run(&[]).status.success());
    assert!(lab.results() == reference.results());
    assert_eq!(choices(&lab), choices(&reference));
}

#[test]
fn isolated_jobs_choose_the_same() {
    let reference = Lab::with(TUNED);
    assert!(reference.run(&["--only", "model=Boost"]).status.success());
    let lab = Lab::with(&TUNED.replace("folds = 2\ndatasets", "isolate = true\nfolds = 2\ndatasets"));
    assert!(lab.run(&["--only", "model=Boost"]).status.success());
    assert_eq!(choices(&lab), choices(&reference));
}

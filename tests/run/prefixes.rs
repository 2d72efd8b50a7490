//! Sweeps over the number of trees: one training serves several jobs, with the bytes of separate
//! ones.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lab::{Lab, names, stderr};
use lrbm::internal::determinism::Stream;

/// Three kinds of ensembles and a model distilled from one of them, in four lengths: 16 jobs.
const SPEC: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["university"]

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "Copy"
kind = "lrbm-explainable"
from = "Boost"

[[model]]
name = "RDN"
kind = "rdn-boost"
early_stopping = 2

[[model]]
name = "MLN"
kind = "mln-boost"
node_size = 1
path_length = 0

[sweep]
trees = [2, 1, 6, 3]
"#;
const JOBS: usize = 32;

/// Returns the records of all jobs by directory, without times and machine.
fn records(lab: &Lab) -> Vec<(String, Value)> {
    let record = |path: &std::path::PathBuf| {
        let mut record: Value = serde_json::from_str(&fs::read_to_string(path.join("run.json")).unwrap()).unwrap();
        for key in ["machine", "program", "checksum"] {
            record.as_object_mut().unwrap().remove(key);
        }
        (path.strip_prefix(lab.out()).unwrap().display().to_string(), record)
    };
    lab.jobs().iter().map(record).collect()
}

/// Returns the number of rounds of the shared training of each job, if there was one.
fn shared(lab: &Lab) -> Vec<(String, Option<u64>)> {
    let of = |path: &std::path::PathBuf| {
        let record: Value = serde_json::from_str(&fs::read_to_string(path.join("run.json")).unwrap()).unwrap();
        (path.display().to_string(), record["machine"]["prefix_of"].as_u64())
    };
    lab.jobs().iter().map(of).collect()
}

/// Runs every job in a process of its own, which shares no training.
fn separate() -> Lab {
    let lab = Lab::with(&SPEC.replace("seed = 7", "seed = 7\nisolate = true"));
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(shared(&lab).iter().all(|(_, of)| of.is_none()));
    lab
}

#[test]
fn jobs_that_share_a_training_have_the_bytes_of_separate_jobs() {
    let separate = separate();
    for threads in ["1", "2", "8"] {
        let together = Lab::with(SPEC);
        let output = together.run(&["--threads", threads]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(together.jobs().len(), JOBS);
        assert_eq!(together.results().keys().collect::<Vec<_>>(), separate.results().keys().collect::<Vec<_>>());
        for (path, bytes) in separate.results() {
            assert!(path == "spec.toml" || together.results()[&path] == bytes, "{path} with {threads} threads");
        }
        assert_eq!(records(&together), records(&separate), "{threads} threads");
        // The longest ensemble of each kind and fold trains. One tree alone is no prefix, except
        // for MLN-Boost.
        for (path, of) in shared(&together) {
            let is_prefix = !path.contains("/Copy/")
                && !path.contains("trees=6")
                && (path.contains("/MLN/") || !path.contains("trees=1"));
            assert_eq!(of, is_prefix.then_some(6), "{path}");
        }
    }
}

#[test]
fn a_killed_sweep_resumes_with_the_same_bytes() {
    let reference = Lab::with(SPEC);
    let began = Instant::now();
    assert!(reference.run(&["--threads", "2"]).status.success());
    let duration = began.elapsed();
    let (expected, records_expected) = (reference.results(), records(&reference));
    let mut stream = Stream::new(20_200_120, &["kill a sweep"]);
    let (mut kills, mut inside) = (0, 0);
    while inside < 6 {
        let lab = Lab::with(SPEC);
        loop {
            let mut child = lab.spawn(&["--threads", "2"]);
            std::thread::sleep(Duration::from_secs_f64(duration.as_secs_f64() * 0.7 * stream.unit()));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            inside += usize::from(lab.out().join("jobs").is_dir() && (1..JOBS).contains(&lab.jobs().len()));
            assert!(kills < 500, "no run ends");
        }
        assert_eq!(lab.results(), expected);
        assert_eq!(records(&lab), records_expected);
    }
}

#[test]
fn whichever_jobs_are_left_the_bytes_are_the_same() {
    let reference = Lab::with(SPEC);
    assert!(reference.run(&[]).status.success());
    let (expected, records_expected) = (reference.results(), records(&reference));
    // Only the short ones are done, then only the longest.
    for first in ["trees=1|2|3", "trees=6"] {
        let lab = Lab::with(SPEC);
        assert!(lab.run(&["--only", first]).status.success());
        let left = names(&lab.events("start", &[]));
        assert_eq!(left.len(), if first == "trees=6" { 24 } else { 8 });
        assert_eq!(lab.results(), expected);
        assert_eq!(records(&lab), records_expected);
    }
}

#[test]
fn a_longest_training_that_fails_takes_no_other_with_it() {
    let lab = Lab::with(SPEC);
    let output = lab.command(&[]).env("LRBM_TEST_FAULT", "panic:Boost (trees=6)").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    // The next longest trains for the others; the distilled model trains its own ensemble.
    for (path, of) in shared(&lab).iter().filter(|(path, _)| path.contains("/Boost/")) {
        assert_eq!(*of, path.contains("trees=2").then_some(3), "{path}");
    }
    let again = names(&lab.events("start", &["--retry-failed"]));
    assert!(again.iter().all(|name| name.contains("Boost (trees=6)")), "{again:?}");
    let reference = Lab::with(SPEC);
    assert!(reference.run(&[]).status.success());
    assert_eq!(records(&lab), records(&reference));
}

//! The same spec gives the same bytes for any number of threads and jobs, with or without caching.

use std::collections::BTreeMap;

use super::lab::{Lab, stderr};

/// The paper's own model kinds, with count tests and chains.
const SPEC: &str = r#"
name = "own-kinds"
about = "The paper's own kinds of models on two generated domains."
seed = 7
folds = 2
presets = ["paper", "extended"]
datasets = ["movies", "university"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 3

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 3

[[model]]
name = "NoBoost"
kind = "lrbm-noboost"
max_depth = 4

[[model]]
name = "RDN"
kind = "rdn-boost"
trees = 2
"#;

/// The systems they are compared with, with truncated counts.
const COMPARED: &str = r#"
name = "compared-kinds"
about = "The other kinds of models on a generated domain."
seed = 7
folds = 2
datasets = ["movies"]

[[model]]
name = "MLN"
kind = "mln-boost"
trees = 2

[[model]]
name = "Clauses"
kind = "mln-boost"
form = "clauses"
trees = 2
count_budget = 20

[[model]]
name = "RPT"
kind = "rpt"

[[model]]
name = "Progol"
kind = "progol"
max_seeds = 3

[[model]]
name = "RRBM-C"
kind = "rrbm-c"
epochs = 3

[[model]]
name = "RRBM-E"
kind = "rrbm-e"
epochs = 3

[[model]]
name = "LRNN"
kind = "lrnn"
max_seeds = 3
epochs = 3
"#;

#[test]
fn threads_and_coverage_memory_change_no_byte() {
    let mut compared = 0;
    for (spec, models) in [(SPEC, 32), (COMPARED, 14)] {
        let mut first = None;
        for (fault, threads) in [None, Some("forget:fold")].into_iter().flat_map(|fault| THREADS.map(|n| (fault, n))) {
            let found = results(spec, fault, threads);
            assert_eq!(found.keys().filter(|path| path.ends_with("model.json")).count(), models);
            let expected = first.get_or_insert_with(|| found.clone());
            assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
            for (path, bytes) in &found {
                assert!(expected[path] == *bytes, "{path} differs with {threads} threads, fault {fault:?}");
            }
            compared += found.len();
        }
    }
    println!(
        "figure: files of runs with 1, 2, 3 and 8 threads, with and without memory for coverage, compared: {compared}"
    );
}

const THREADS: [&str; 4] = ["1", "2", "3", "8"];

fn results(spec: &str, fault: Option<&str>, threads: &str) -> BTreeMap<String, Vec<u8>> {
    let lab = Lab::in_memory(spec);
    // All threads work on one job, so that their interaction is covered.
    let mut command = lab.command(&["--jobs", "1", "--threads", threads, "-q"]);
    let output = command.envs(fault.map(|fault| ("LRBM_TEST_FAULT", fault))).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    lab.results()
}

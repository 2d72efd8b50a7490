//! The same spec gives the same bytes: for any number of threads and jobs at once, and if nothing can be remembered.

use super::lab::{Lab, stderr};

/// Every kind of model, with tests on numbers of groundings, chains and a sweep.
const SPEC: &str = r#"
name = "every-kind"
about = "Every kind of model on two generated domains."
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

#[test]
fn threads_and_a_memory_of_nothing_change_no_byte() {
    let mut first = None;
    let mut compared = 0;
    for fault in [None, Some("forget:fold")] {
        for threads in ["1", "2", "3", "8"] {
            let lab = Lab::in_memory(SPEC);
            // All threads work on one job, so that what they do together is seen.
            let mut command = lab.command(&["--jobs", "1", "--threads", threads, "-q"]);
            let output = command.envs(fault.map(|fault| ("LRBM_TEST_FAULT", fault))).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            let found = lab.results();
            assert_eq!(found.keys().filter(|path| path.ends_with("model.json")).count(), 32);
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

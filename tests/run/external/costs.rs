//! Seconds and memory of external systems in reports.

use std::fs;

use super::{lrbm, spec_of};
use crate::lab::{Lab, stderr};

#[test]
fn a_job_at_the_time_limit_is_a_lower_bound() {
    let quick = "\n[[model]]\nname = \"Boost\"\nkind = \"rdn-boost\"\ntrees = 2\n";
    let lab = Lab::with(&(spec_of("isolate = true", "exec sleep 60") + "time_limit = 1\n" + quick));
    let output = lab.run(&["-q"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let output = lrbm(&lab, &["report", "out", "--out", "report"]);
    assert!(output.status.success(), "{}", stderr(&output));
    // A lower bound is a result, so nothing is missing.
    let copied = lrbm(&lab, &["report", "out", "--copy-to", "copy"]);
    assert!(copied.status.success(), "{}", stderr(&copied));
    let versions = fs::read_to_string(lab.home().join("copy/versions.csv")).unwrap();
    assert!(!versions.contains("missing jobs"), "{versions}");
    let table = |name: &str| fs::read_to_string(lab.home().join("report/tables").join(name)).unwrap();
    let seconds = table("seconds.md");
    assert!(seconds.contains("| M     | ≥ 1.") && seconds.contains("stopped at the time limit"), "{seconds}");
    assert_eq!(seconds.matches("| ≥").count(), 1, "{seconds}");
    let processor = table("processor.md");
    assert!(processor.contains("| M     | ≥ 0"), "{processor}");
    let boost = processor.lines().find(|line| line.starts_with("| Boost")).unwrap();
    let used: f64 = boost.split('|').nth(2).unwrap().trim().parse().unwrap();
    assert!(used > 0.0 && used < 60.0, "{processor}");
    // A learner in a process of its own has more than a mebibyte.
    let memory = table("memory.md");
    let boost = memory.lines().find(|line| line.starts_with("| Boost")).unwrap();
    let peak: u32 = boost.split('|').nth(2).unwrap().trim().parse().unwrap();
    assert!(peak > 1, "{memory}");
}

//! The examples of docs/src/external.md run.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{record, succeeds};
use crate::lab::Lab;

/// Returns the code block of the page that begins with `# NAME`.
fn example(name: &str) -> String {
    let page = fs::read_to_string(format!("{}/docs/src/external.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let begin = page.find(&format!("# {name}\n")).unwrap();
    page[begin..].split("\n```").next().unwrap().to_owned() + "\n"
}

/// Runs an example and returns its metrics.
fn run(program: &str, name: &str) -> Value {
    let spec = format!(
        "name = \"tiny\"\nseed = 7\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"M\"\nkind = \"command\"\n\
         run = [\"{program}\", \"{{spec_dir}}/{name}\"]\nfiles = [\"{name}\"]\nparams = {{ weight = 1.0 }}\n"
    );
    let lab = Lab::with(&spec);
    let code = example(name);
    assert!(code.lines().count() <= 12, "{name} has more than ten lines and its name");
    fs::write(lab.home().join(name), code).unwrap();
    succeeds(&lab, &["-q"]);
    record(&lab, "movies/M/default/fold1-seed7")["result"]["metrics"].clone()
}

#[test]
fn the_examples_of_the_page_run() {
    let counted = run("sh", "count.sh");
    assert!(counted["auc_roc"].is_f64() && counted["cll"].is_null(), "{counted}");
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: the example in Python needs python3");
        return;
    }
    let prior = run("python3", "prior.py");
    assert!(prior["auc_roc"].is_f64() && prior["cll"].is_f64(), "{prior}");
}

//! External systems: commands as small shell scripts, and scores made elsewhere.
#![cfg(target_os = "linux")]

mod arity;
mod costs;
mod examples;
mod export;
mod failures;
mod identity;
mod labels;
mod processes;
mod reports;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use super::lab::{Lab, stderr, stdout};
use crate::common::program;

/// A script that scores queries by their position, and notes each start in `started`.
pub const SCRIPT: &str = r#"
home=${0%/*}
if [ "$1" = --version ]; then cat "$home/version"; echo version >> "$home/started"; exit; fi
echo "$(cat job.json | tr -d '\n')" >> "$home/started"
echo "example,score" > scores.csv
n=0
while read -r query; do n=$((n+1)); echo "${query%.},$n" >> scores.csv; done < test/queries.txt
echo '{"queries": '$n'}' > info.json
echo "a model" > model.txt
"#;

/// Two commands and a learner on two folds: 6 jobs.
pub const SPEC: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["movies"]

[[model]]
name = "One"
kind = "command"
run = ["sh", "{spec_dir}/one.sh"]
version = ["sh", "{spec_dir}/one.sh", "--version"]
files = ["one.sh"]
params = { rounds = 3, name = "x" }

[[model]]
name = "Two"
kind = "command"
run = ["sh", "{spec_dir}/two.sh"]
files = ["two.sh"]

[[model]]
name = "Boost"
kind = "rdn-boost"
trees = 2
"#;

/// A lab with the two scripts.
pub fn lab() -> Lab {
    lab_with(SPEC)
}

pub fn lab_with(spec: &str) -> Lab {
    let lab = Lab::with(spec);
    for (name, text) in [("one.sh", SCRIPT), ("two.sh", SCRIPT), ("version", "1.0\n")] {
        fs::write(lab.home().join(name), text).unwrap();
    }
    lab
}

/// A spec with one command, a script given inline.
pub fn spec_of(head: &str, script: &str) -> String {
    format!(
        "name = \"tiny\"\nseed = 7\nfolds = 2\ndatasets = [\"movies\"]\n{head}\n[[model]]\nname = \"M\"\n\
         kind = \"command\"\nrun = [\"sh\", \"-c\", '''{}''']\n",
        script.replace('{', "{{").replace('}', "}}")
    )
}

/// Returns what was started since the last call.
pub fn started(lab: &Lab) -> Vec<String> {
    let path = lab.home().join("started");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(path);
    text.lines().map(str::to_owned).collect()
}

/// Returns the record of a job.
pub fn record(lab: &Lab, directory: &str) -> Value {
    serde_json::from_slice(&fs::read(lab.out().join("jobs").join(directory).join("run.json")).unwrap()).unwrap()
}

/// Runs and expects success.
#[track_caller]
pub fn succeeds(lab: &Lab, args: &[&str]) -> String {
    let output = lab.run(args);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

/// Another command of the program in the lab.
pub fn lrbm(lab: &Lab, args: &[&str]) -> Output {
    program::command(lab.home()).args(args).output().unwrap()
}

/// Returns the processes with a text in their command line.
pub fn processes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) && entry.file_name().to_string_lossy().parse::<u32>().is_ok() {
            found.push(line);
        }
    }
    found
}

/// Returns all files below a directory with their text.
pub fn texts(directory: &Path) -> Vec<(PathBuf, String)> {
    let read = |name: String| (directory.join(&name), fs::read(directory.join(&name)).unwrap());
    let text = |(path, bytes): (PathBuf, Vec<u8>)| (path, String::from_utf8_lossy(&bytes).into_owned());
    program::files(directory).into_iter().map(read).map(text).collect()
}

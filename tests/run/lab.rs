//! Helpers: a small experiment in its own directory, and its results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use polars::prelude::{DataFrame, ParquetReader, SerReader};
use serde_json::Value;

use crate::common::program;

/// Two generated domains, three models of which one distils another, two folds: 12 jobs.
pub const SPEC: &str = r#"
name = "tiny"
about = "Small enough to be run a hundred times."
seed = 7
folds = 2
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
max_depth = 3
"#;

pub const JOBS: usize = 12;

pub struct Lab {
    home: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Self {
        Lab::with(SPEC)
    }

    pub fn with(spec: &str) -> Self {
        let lab = Lab { home: tempfile::tempdir().unwrap() };
        lab.write_spec(spec);
        lab
    }

    /// Creates an in-memory directory if the system has one, for tests of hundreds of runs that
    /// sync.
    pub fn in_memory(spec: &str) -> Self {
        let memory = Path::new("/dev/shm");
        let home = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let lab = Lab { home: home.or_else(|_| tempfile::tempdir()).unwrap() };
        lab.write_spec(spec);
        lab
    }

    /// Creates a directory whose name has special characters for shells and Slurm.
    pub fn in_odd_place(spec: &str) -> Self {
        let home = tempfile::Builder::new().prefix("o'd\"d $(exit 9) ;%a ä").tempdir().unwrap();
        let lab = Lab { home };
        lab.write_spec(spec);
        lab
    }

    pub fn write_spec(&self, spec: &str) {
        fs::write(self.home.path().join("tiny.toml"), spec).unwrap();
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn out(&self) -> PathBuf {
        self.home.path().join("out")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = program::command(self.home.path());
        command.args(program::without_report(&["run", "tiny.toml", "--out", "out"])).args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs and returns the events of one kind.
    pub fn events(&self, kind: &str, args: &[&str]) -> Vec<Value> {
        let output = self.command(args).arg("--json-events").output().unwrap();
        events(&output, kind)
    }

    /// Returns every file that must not depend on time or machine, by path.
    pub fn results(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.out(), &self.out(), &mut found);
        found
    }

    /// Returns the metrics table without machine-dependent columns.
    pub fn metrics(&self) -> DataFrame {
        let file = fs::File::open(self.out().join("metrics.parquet")).unwrap();
        let frame = ParquetReader::new(file).finish().unwrap();
        let names: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
        let kept: Vec<String> =
            names.into_iter().filter(|name| !name.ends_with("_seconds") && !name.ends_with("_bytes")).collect();
        frame.select(kept).unwrap()
    }

    /// Returns the job directories.
    pub fn jobs(&self) -> Vec<PathBuf> {
        let mut found = BTreeMap::new();
        collect_named(&self.out().join("jobs"), "run.json", &mut found);
        found.into_keys().map(|path| path.parent().unwrap().to_owned()).collect()
    }
}

pub fn events(output: &Output, kind: &str) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|event| event["event"] == kind).collect()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the job names of events, sorted.
pub fn names(events: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = events.iter().map(|event| event["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Copies a directory recursively.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn collect(root: &Path, directory: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        let shown = path.strip_prefix(root).unwrap().display().to_string();
        match name.as_str() {
            "run.json" | "log.txt" | "tally.json" | "metrics.parquet" => {}
            // Data location and submitted batches are not results.
            "cluster" if directory == root => {}
            "metrics.csv" => {
                drop(found.insert(shown, without_machine(&fs::read_to_string(&path).unwrap()).into_bytes()))
            }
            _ if path.is_dir() => collect(root, &path, found),
            _ => drop(found.insert(shown, fs::read(&path).unwrap())),
        }
    }
}

fn collect_named(directory: &Path, wanted: &str, found: &mut BTreeMap<PathBuf, ()>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect_named(&path, wanted, found);
        } else if entry.file_name() == wanted {
            found.insert(path, ());
        }
    }
}

/// Removes machine-dependent columns; no value in the tests contains a comma.
fn without_machine(csv: &str) -> String {
    let mut lines = csv.lines();
    let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
    let keep = |name: &str| !name.ends_with("_seconds") && !name.ends_with("_bytes");
    let kept: Vec<bool> = headings.iter().map(|name| keep(name)).collect();
    let line = |line: &str| {
        let cells = line.split(',').zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell);
        cells.collect::<Vec<_>>().join(",")
    };
    csv.lines().map(line).collect::<Vec<_>>().join("\n")
}

//! Helpers: small runs on a generated domain in their own directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{Said, command, without_report};

/// One generated domain with label noise, two models, three folds; and a dataset that is missing.
pub const SPEC: &str = r#"
name = "tiny"
about = "Small enough to be run often."
seed = 7
folds = 3
datasets = ["movies", "imdb"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 3

[[model]]
name = "NoBoost"
kind = "lrbm-noboost"
max_depth = 3

[dataset.movies]
noise = 0.1

[dataset.imdb]
folds = 5
"#;

pub struct Lab {
    home: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Self {
        Lab { home: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub fn lrbm(&self, args: &[&str]) -> Said {
        self.lrbm_with(args, None)
    }

    pub fn lrbm_with(&self, args: &[&str], fault: Option<&str>) -> Said {
        let mut command = command(self.home.path());
        command.args(without_report(args)).env("LRBM_DATA", self.path("no-data"));
        if let Some(fault) = fault {
            command.env("LRBM_TEST_FAULT", fault);
        }
        Said::of(command.output().unwrap())
    }

    /// Writes a generated domain with given folds and two listed negatives per positive, so that a
    /// seed changes random choices of the learner only.
    pub fn given_folds(&self, name: &str, folds: usize) {
        self.lrbm(&["datasets", "generate", "movies", "--noise", "0.1", "--out", "all"]).expect(0, &[]);
        let lines = |part: &str| -> Vec<String> {
            self.read(&format!("all/train_{part}.txt")).lines().map(str::to_owned).collect()
        };
        let (positives, negatives) = (lines("pos"), lines("neg"));
        for fold in 0..folds {
            for side in ["train", "test"] {
                let take = |all: &[String]| -> String {
                    let chosen = all.iter().enumerate().filter(|(i, _)| (i % folds == fold) == (side == "test"));
                    chosen.map(|(_, line)| format!("{line}\n")).collect()
                };
                let write = |part: &str, text: &str| {
                    self.write(&format!("{name}/fold{}/{side}/{side}_{part}.txt", fold + 1), text);
                };
                let count = positives.len() / folds * folds;
                write("pos", &take(&positives[..count]));
                write("neg", &take(&negatives[..2 * count]));
                write("facts", &(lines("facts").join("\n") + "\n"));
                write("bk", &self.read("all/train_bk.txt"));
            }
        }
    }

    /// Runs a spec into a directory.
    pub fn run(&self, spec: &str, out: &str) {
        self.run_with(spec, out, None);
    }

    /// Runs a spec with a deliberately degraded learner.
    pub fn run_damaged(&self, spec: &str, out: &str) {
        self.run_with(spec, out, Some("damage:movies"));
    }

    fn run_with(&self, spec: &str, out: &str, fault: Option<&str>) {
        self.write("tiny.toml", spec);
        let output = self.lrbm_with(&["run", "tiny.toml", "--available", "-q", "--fresh", "--out", out], fault);
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
}

/// Returns the cells of a Markdown table line without whitespace.
pub fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// Name of the baseline of the spec.
pub const BASELINE: &str = "results/baselines/tiny.csv";

/// Returns whether a file exists.
pub fn is_there(path: &Path) -> bool {
    path.exists()
}

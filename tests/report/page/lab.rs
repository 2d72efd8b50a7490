//! A small experiment with hostile names, run and reported in a temporary directory.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::program::{command, without_report};

/// Markup that must never reach a page unescaped.
pub const HOSTILE: &str = "<script>window.broken=1</script>";

/// A generated domain and a directory of files, two models, two folds: 8 jobs.
pub const SPEC: &str = r#"
name = "tiny"
about = "Does <b>anything</b> & \"everything\" break the page?"
seed = 7
folds = 2
datasets = ["movies", "<script>window.broken=1</script>"]

[dataset.movies]
noise = 0.2

[dataset."<script>window.broken=1</script>"]
id = "hostile"

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 3

[[model]]
name = "<img src=x onerror=alert(1)>"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 3
"#;

pub const JOBS: usize = 8;

pub struct Lab {
    home: tempfile::TempDir,
}

impl Lab {
    /// Creates a directory with a spec, not run.
    pub fn with(spec: &str) -> Self {
        let lab = Lab { home: tempfile::tempdir().unwrap() };
        fs::write(lab.path("tiny.toml"), spec).unwrap();
        lab.write_hostile_data();
        lab
    }

    /// Creates a directory with the hostile spec, run.
    pub fn run() -> Self {
        let lab = Lab::with(SPEC);
        lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
        lab
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn lrbm(&self, args: &[&str]) -> Output {
        command(self.home.path()).args(without_report(args)).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its stdout.
    pub fn lrbm_ok(&self, args: &[&str]) -> String {
        let output = self.lrbm(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail with an exit code, and returns its stderr.
    pub fn lrbm_fails(&self, args: &[&str], code: i32) -> String {
        let output = self.lrbm(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        stderr
    }

    pub fn page(&self) -> String {
        fs::read_to_string(self.path("out/report.html")).unwrap()
    }

    /// Writes data with a hostile constant, which occurs in the learned rules.
    fn write_hostile_data(&self) {
        let (mut pos, mut neg, mut facts) = (String::new(), String::new(), String::new());
        for person in 0..24 {
            let list = if person % 2 == 0 { &mut pos } else { &mut neg };
            // Label noise.
            let liked = if (person % 2 == 0) != (person % 7 == 3) { HOSTILE } else { "tea" };
            writeln!(list, "happy(p{person}).").unwrap();
            writeln!(facts, "likes(p{person}, \"{liked}\").").unwrap();
        }
        let modes = "mode: likes(+person, #thing).\nmode: happy(+person).\n";
        fs::create_dir(self.path("hostile")).unwrap();
        for (name, text) in [("pos", pos.as_str()), ("neg", &neg), ("facts", &facts), ("bk", modes)] {
            fs::write(self.path("hostile").join(format!("{name}.txt")), text).unwrap();
        }
    }
}

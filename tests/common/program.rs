//! The program, run as users run it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the program with a working directory, without environment variables that change what it
/// does.
pub fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lrbm"));
    command.current_dir(home).stdin(Stdio::null());
    for variable in ["LRBM_TEST_FAULT", "LRBM_DATA", "LRBM_MIRROR", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

/// Leaves out the report of a run, which takes longer than the jobs of a test; the tests of reports
/// write it themselves.
pub fn without_report<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut args = args.to_vec();
    if args.first() == Some(&"run") {
        args.push("--no-report");
    }
    args
}

/// Runs the program; returns the exit code, stdout and stderr.
pub fn lrbm(home: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let said = Said::of(command(home).args(without_report(args)).output().unwrap());
    (Some(said.code), said.stdout, said.stderr)
}

/// Runs the program with options whose values are paths.
pub fn lrbm_on(args: &[&str], paths: &[(&str, &Path)]) -> Output {
    let mut command = command(Path::new("."));
    command.args(args);
    for (option, path) in paths {
        command.arg(option).arg(path);
    }
    command.output().unwrap()
}

/// Returns output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must succeed; returns its stdout.
#[track_caller]
pub fn succeeds(home: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = lrbm(home, args);
    assert_eq!(code, Some(0), "{args:?}: {stderr}");
    stdout
}

/// Runs a command that must end with exit code 2 and print no result; returns its stderr.
#[track_caller]
pub fn rejected(home: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = lrbm(home, args);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}: {stderr}");
    stderr
}

/// Output of the program.
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    pub fn of(output: Output) -> Self {
        Said {
            // A process that a signal ended has no code.
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks the exit code and that all these texts occur.
    pub fn expect(self, code: i32, texts: &[&str]) -> Self {
        let all = format!("exit code {}\n{}{}", self.code, self.stdout, self.stderr);
        assert_eq!(self.code, code, "{all}");
        for text in texts {
            assert!(all.contains(text), "`{text}` is not in\n{all}");
        }
        self
    }
}

/// Returns all files below a directory, by relative path, sorted.
pub fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() && !entry.is_symlink() {
                open.push(entry);
            } else {
                found.push(entry.strip_prefix(directory).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

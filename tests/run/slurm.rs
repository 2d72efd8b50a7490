//! A sweep on a real single-node Slurm: tasks are cancelled, the node fails, the watcher is stopped
//! and restarted, and every byte equals that of a local run.
//!
//! Needs Debian's slurm-wlm and munge, root, and `../shared/slurm/up.sh`, which starts them;
//! without them the test prints that it was skipped.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::lab::{Lab, SPEC, events, stderr, stdout};

/// Two domains, three folds, two seeds; a sweep of three models, three distilled from them, and one
/// more: 84 jobs.
const SWEEP: &str = r#"
name = "sweep"
seeds = [1, 2]
folds = 3
datasets = ["movies", "university"]

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 3

[[model]]
name = "NoBoost"
kind = "lrbm-noboost"
max_depth = 3

[sweep]
trees = [2, 3, 4]

[slurm]
task_time = "0.1 s"
"#;
const SWEEP_JOBS: usize = 84;

/// A private Slurm, stopped on drop.
pub struct Slurm {
    home: tempfile::TempDir,
    scripts: PathBuf,
}

impl Slurm {
    /// Returns `None` and prints the reason if it is not available.
    pub fn start() -> Option<Slurm> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/slurm");
        let skip = |why: &str| eprintln!("skipped: {why}");
        if !scripts.join("up.sh").is_file() {
            skip("../shared/slurm/up.sh is missing");
            return None;
        }
        if !has("slurmctld") || !has("slurmd") || !has("munge") {
            skip("slurm-wlm and munge are not installed");
            return None;
        }
        if stdout(&Command::new("id").arg("-u").output().unwrap()).trim() != "0" {
            skip("only root can start a Slurm");
            return None;
        }
        let slurm = Slurm { home: tempfile::tempdir().unwrap(), scripts };
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [one, two] = ports.map(|port| port.local_addr().unwrap().port().to_string());
        // Its daemons keep running, so their output must not be waited for.
        let log = fs::File::create(slurm.home.path().join("up.txt")).unwrap();
        let mut up = Command::new(slurm.scripts.join("up.sh"));
        up.arg(slurm.home.path()).env("SLURMCTLD_PORT", one).env("SLURMD_PORT", two).stdin(Stdio::null());
        let status = up.stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        assert!(status.success(), "{}", fs::read_to_string(slurm.home.path().join("up.txt")).unwrap());
        Some(slurm)
    }

    fn conf(&self) -> PathBuf {
        self.home.path().join("slurm.conf")
    }

    fn call(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program).args(args).env("SLURM_CONF", self.conf()).output().unwrap();
        stdout(&output)
    }

    /// `lrbm run --executor slurm` in a lab.
    pub fn driver(&self, lab: &Lab, args: &[&str]) -> Command {
        let mut command = lab.command(&["--executor", "slurm"]);
        command.args(args).env("SLURM_CONF", self.conf());
        command
    }

    /// Kills the node during a job of the lab: its daemon, the step daemons, and the tasks.
    fn kill_node(&self, lab: &Lab) {
        let tasks = loop {
            let tasks = tasks_of(lab);
            tasks.iter().for_each(|&(task, _)| signal("-STOP", task));
            if tasks.iter().any(|&(task, _)| is_in_a_job(task)) {
                break tasks;
            }
            tasks.iter().for_each(|&(task, _)| signal("-CONT", task));
            std::thread::sleep(Duration::from_millis(50));
        };
        let pid = fs::read_to_string(self.home.path().join("slurmd.pid")).unwrap();
        signal("-9", pid.trim().parse().unwrap());
        for (task, parent) in tasks {
            signal("-9", parent);
            signal("-9", task);
        }
    }

    fn start_node(&self) {
        let log = self.home.path().join("log/slurmd.log");
        let mut slurmd = Command::new("slurmd");
        slurmd.arg("-f").arg(self.conf()).arg("-L").arg(log).stdin(Stdio::null());
        assert!(slurmd.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let arrays = self.call("squeue", &["-h", "-o", "%F"]);
        for array in arrays.lines() {
            self.call("scancel", &[array]);
        }
        let _ = Command::new(self.scripts.join("down.sh")).arg(self.home.path()).status();
    }
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]).any(|directory| directory.join(program).is_file())
}

/// Waits until a condition holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(300), "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn done(lab: &Lab) -> usize {
    if lab.out().join("jobs").is_dir() { lab.jobs().len() } else { 0 }
}

/// Returns the task processes of a lab, each with its parent, which belongs to our Slurm.
fn tasks_of(lab: &Lab) -> Vec<(u32, u32)> {
    let home = lab.home().to_str().unwrap();
    let mut tasks = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        if let (true, true, Some(parent)) = (line.contains("\0run-job\0"), line.contains(home), parent) {
            let of_parent = fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default();
            assert!(of_parent.starts_with("slurmstepd"), "{of_parent}");
            tasks.push((pid, parent));
        }
    }
    tasks
}

/// Returns whether a task is running a job: it writes the log of one without a directory.
fn is_in_a_job(task: u32) -> bool {
    let open = fs::read_dir(format!("/proc/{task}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|path| path.to_string_lossy().contains("/.tmp-fold"))
}

/// Sends a signal to a process started by this test, which may have ended since.
fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
}

fn spawn(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn cluster_runs_equal_local_runs_byte_for_byte() {
    let Some(slurm) = Slurm::start() else { return };
    rejects_invalid_settings_before_writing(&slurm);
    survives_cancellation_and_node_failure(&slurm);
    records_lost_jobs(&slurm);
    detaches_and_cancels(&slurm);
}

fn rejects_invalid_settings_before_writing(slurm: &Slurm) {
    let lab = Lab::new();
    let output = slurm.driver(&lab, &["--slurm-option", "partition=no such; touch x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("rejects these tasks: invalid partition specified: no such; touch x"), "{text}");
    assert!(!lab.out().exists() && !lab.home().join("x").exists());
}

fn survives_cancellation_and_node_failure(slurm: &Slurm) {
    let local = Lab::with(SWEEP);
    assert!(local.run(&["-q"]).status.success());
    let expected = local.results();
    assert_eq!(expected.keys().filter(|path| path.ends_with("model.json")).count(), SWEEP_JOBS);

    let lab = Lab::in_odd_place(SWEEP);
    let driver = |args: &[&str]| {
        let mut command = slurm.driver(&lab, args);
        // Long enough to interfere with it.
        command.env("LRBM_TEST_FAULT", "sleep:fold 1");
        spawn(command)
    };
    // The first watcher is stopped: the tasks keep running, and it prints how to cancel them.
    let first = driver(&[]);
    until("some jobs are done", || done(&lab) >= 3);
    signal("-INT", first.id());
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("run the same command to watch again, or `scancel "), "{}", stderr(&output));
    // The second one finds the queued tasks, and submits nothing.
    let second = driver(&["--json-events"]);
    let before = done(&lab);
    until("more jobs are done", || done(&lab) >= before + 3);
    let queued = || slurm.call("squeue", &["-h", "-r", "-o", "%F_%K %T"]);
    let tasks = queued();
    let of = |state: &str| -> Vec<&str> { tasks.lines().filter_map(|line| line.strip_suffix(state)).collect() };
    let (waiting, running) = (of(" PENDING"), of(" RUNNING"));
    assert!(waiting.len() > 10, "{tasks}");
    // The last tasks in the queue, and those running, which may end before they are cancelled.
    let cancelled = [&waiting[waiting.len() - 4..], &running].concat();
    slurm.call("scancel", &cancelled);
    let before = done(&lab);
    until("more jobs are done", || done(&lab) >= before + 3);
    slurm.kill_node(&lab);
    until("the node is given up", || slurm.call("sinfo", &["-h", "-o", "%T"]).contains("down"));
    slurm.start_node();
    let output = second.wait_with_output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(events(&output, "attached").len(), 1);
    let lost: Vec<String> = events(&output, "lost").iter().map(|event| event["why"].to_string()).collect();
    assert!(lost.iter().filter(|why| why.contains("cancelled")).count() >= 4, "{lost:?}");
    assert!(lost.iter().any(|why| why.contains("the node failed (NODE_FAIL)")), "{lost:?}");
    assert!(!events(&output, "submitted").is_empty());
    assert_eq!(events(&output, "end")[0]["done"], SWEEP_JOBS);
    // The last task may still be completing.
    until("no process holds a lock", || !lab.out().join(".locks").exists());
    let found = lab.results();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, bytes) in &expected {
        assert!(found[path] == *bytes, "{path} differs");
    }
    assert!(lab.metrics().equals_missing(&local.metrics()));
    // Nothing is outstanding, and nothing is submitted.
    let output = slurm.driver(&lab, &[]).output().unwrap();
    assert!(stdout(&output).contains(&format!("nothing to do: {SWEEP_JOBS} jobs done before")), "{}", stdout(&output));
}

/// Tasks that never reach their jobs: recorded with the final state, retried on request, then run.
fn records_lost_jobs(slurm: &Slurm) {
    let (local, lab) = (Lab::new(), Lab::new());
    assert!(local.run(&["-q"]).status.success());
    let args = ["--slurm-option", "prologue=echo 'not today' && exit 7", "--slurm-option", "attempts=2"];
    let output = slurm.driver(&lab, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let lost = csv.lines().filter(|line| line.contains("submitted 2 times without a result")).collect::<Vec<_>>();
    assert_eq!(lost.len(), 12, "{csv}");
    assert!(lost[0].contains("exit code 7:0") && lost[0].contains("its last output line is: not today"), "{}", lost[0]);
    let output = slurm.driver(&lab, &["--retry-failed"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lab.results(), local.results());
    // `--fresh` runs all jobs again.
    let output = slurm.driver(&lab, &["--fresh", "--json-events"]).output().unwrap();
    assert_eq!(events(&output, "done").len(), 12, "{}", stderr(&output));
    assert_eq!(lab.results(), local.results());
}

/// Tasks that stay pending can be left, cancelled, and replaced by a local run.
fn detaches_and_cancels(slurm: &Slurm) {
    let lab = Lab::with(SPEC);
    let begin = |args: &[&str]| spawn(slurm.driver(&lab, args));
    let first = begin(&["--slurm-option", "options=--begin=now+1hour"]);
    let queued = || slurm.call("squeue", &["-h", "-o", "%F"]);
    until("tasks are queued", || !queued().is_empty());
    // A second watcher is rejected.
    let output: Output = slurm.driver(&lab, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("another process submits tasks of"), "{}", stderr(&output));
    signal("-INT", first.id());
    let output = first.wait_with_output().unwrap();
    let text = stderr(&output);
    let scancel = text.rsplit('`').nth(1).unwrap();
    let arrays: Vec<&str> = scancel.strip_prefix("scancel ").unwrap().split(' ').collect();
    assert_eq!(queued().trim(), arrays[0], "{text}");
    slurm.call("scancel", &arrays);
    until("nothing is queued", || queued().is_empty());
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
}

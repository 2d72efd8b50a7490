//! Isolated jobs: limits and peaks are those of the job, and their processes end with the driver.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lab::{JOBS, Lab, SPEC, stderr, stdout};

/// One small job next to one that needs tens of megabytes more.
const TWO: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["movies"]
LIMITS

[dataset.movies]
scale = SCALE

[[model]]
name = "A"
kind = "rdn-boost"
trees = 2

[[model]]
name = "B"
kind = "rdn-boost"
trees = 2
"#;

fn two(limits: &str, scale: u32) -> String {
    TWO.replace("LIMITS", limits).replace("SCALE", &scale.to_string())
}

/// Returns the records of a run by job directory.
fn records(lab: &Lab) -> Vec<(String, Value)> {
    let read = |job: &Path| serde_json::from_slice(&fs::read(job.join("run.json")).unwrap()).unwrap();
    let name = |job: &Path| job.strip_prefix(lab.out()).unwrap().display().to_string();
    lab.jobs().iter().map(|job| (name(job), read(job))).collect()
}

fn statuses(lab: &Lab) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records(lab).into_iter().map(|(name, r)| (name, text(&r["status"]), text(&r["message"]))).collect()
}

fn peaks(lab: &Lab) -> Vec<Option<u64>> {
    records(lab).iter().map(|(_, record)| record["machine"]["peak_memory_bytes"].as_u64()).collect()
}

#[test]
fn isolation_changes_no_result_and_records_the_peak() {
    let shared = Lab::new();
    assert!(shared.run(&[]).status.success());
    assert_eq!(peaks(&shared), vec![None; JOBS], "the peak of a shared process is not that of a job");
    let alone = Lab::with(&SPEC.replace("seed = 7", "seed = 7\nisolate = true"));
    let output = alone.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(peaks(&alone).iter().all(|peak| peak.is_some_and(|peak| peak > 1 << 20)), "{:?}", peaks(&alone));
    let results = |lab: &Lab| {
        let mut results = lab.results();
        results.remove("spec.toml");
        results
    };
    assert_eq!(results(&alone), results(&shared));
    // Another run finds everything done: isolation is not part of the identity of a job.
    shared.write_spec(&SPEC.replace("seed = 7", "seed = 7\nisolate = true"));
    assert!(shared.events("start", &[]).is_empty());
    assert_eq!(alone.events("start", &["--fresh"]).len(), JOBS);
    assert_eq!(results(&alone), results(&shared));
}

/// The outcome of a memory limit depends neither on what else runs nor on what ran before.
#[test]
fn memory_limits_do_not_depend_on_other_jobs() {
    let measured = Lab::with(&two("isolate = true", 30));
    assert!(measured.run(&["--threads", "2"]).status.success());
    let peak = peaks(&measured).into_iter().flatten().max().unwrap();
    for (limit, status) in [(peak / 2, "failed"), (2 * peak, "done")] {
        let spec = two(&format!("memory_limit = \"{limit} B\""), 30);
        let outcomes = [["1", "1"], ["1", "2"], ["2", "2"], ["4", "4"]].map(|[jobs, threads]| {
            let lab = Lab::with(&spec);
            lab.run(&["-q", "--jobs", jobs, "--threads", threads]);
            statuses(&lab)
        });
        assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{outcomes:?}");
        assert_eq!(outcomes[0].len(), 4);
        for (name, found, message) in &outcomes[0] {
            assert_eq!(found, status, "{name}: {message}");
            if status == "failed" {
                assert_eq!(*message, format!("exceeded the memory limit of {limit} bytes"));
            }
        }
    }
}

/// A job that does not poll for cancellation is ended from outside.
#[test]
fn a_job_that_ignores_its_time_limit_is_killed() {
    let lab = Lab::with(&two("isolate = true\ntime_limit = 1", 1));
    let began = Instant::now();
    let output = lab.command(&["-q"]).env("LRBM_TEST_FAULT", "oversleep:A fold 1").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(began.elapsed() < Duration::from_secs(60));
    let failed: Vec<_> = statuses(&lab).into_iter().filter(|(_, status, _)| status == "failed").collect();
    assert_eq!(failed[0].0, "jobs/movies/A/default/fold1-seed7", "{failed:?}");
    assert_eq!(failed[0].2, "exceeded the time limit of 1 s");
    // Stopped jobs are neither learning nor overhead.
    let tally: Value = serde_json::from_slice(&fs::read(lab.out().join("tally.json")).unwrap()).unwrap();
    assert!(tally["stopped_seconds"].as_f64().unwrap() >= 1.0, "{tally}");
    assert!(stdout(&output).contains("without jobs stopped at a limit"), "{}", stdout(&output));
}

/// Returns the processes that run assigned jobs of a program started below a directory.
fn assigned(home: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let directory = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if command.windows(12).any(|part| part == b"run-assigned") && directory == home.canonicalize().unwrap() {
            found.push(id);
        }
    }
    found
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(process: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

#[test]
fn processes_of_jobs_end_with_the_driver() {
    for how in ["-INT", "-TERM", "-KILL"] {
        let lab = Lab::with(&two("isolate = true", 1));
        let mut command = lab.command(&["-q", "--threads", "2"]);
        command.env("LRBM_TEST_FAULT", "oversleep:A").stdout(Stdio::null()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap();
        wait_for("no process of a job", || !assigned(lab.home()).is_empty());
        signal(driver.id(), how);
        assert!(!driver.wait().unwrap().success());
        wait_for(&format!("a process of a job survives {how}"), || assigned(lab.home()).is_empty());
        // The same command completes the run.
        let output = lab.run(&["-q"]);
        assert!(output.status.success(), "{how}: {}", stderr(&output));
        assert_eq!(lab.metrics().height(), 4);
        assert!(!lab.results().keys().any(|path| path.contains(".tmp-")), "{how}: leftovers");
    }
}

#[test]
fn a_killed_process_of_a_job_is_recorded_and_retried() {
    let lab = Lab::with(&two("isolate = true", 1));
    let mut command = lab.command(&["-q", "--jobs", "1"]);
    command.env("LRBM_TEST_FAULT", "oversleep:A fold 1").stdout(Stdio::null()).stderr(Stdio::null());
    let mut driver = command.spawn().unwrap();
    let sleeping = lab.out().join("jobs/movies/A/default");
    // Killed while it sleeps: the first job of the plan.
    wait_for("no process of a job", || sleeping.is_dir() && !assigned(lab.home()).is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    signal(assigned(lab.home())[0], "-KILL");
    assert_eq!(driver.wait().unwrap().code(), Some(3));
    let lost: Vec<_> = statuses(&lab).into_iter().filter(|(_, status, _)| status == "failed").collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].2.contains("ended without a result (signal: 9 (SIGKILL))"), "{lost:?}");
    let output = lab.run(&["-q", "--retry-failed"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

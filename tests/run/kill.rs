//! A run killed at any moment resumes, with the bytes of an uninterrupted run.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::lab::{JOBS, Lab};
use lrbm::internal::determinism::Stream;

const KILLS: usize = 60;

#[test]
fn killed_and_resumed_runs_give_the_same_bytes() {
    let reference = Lab::new();
    let began = Instant::now();
    assert!(reference.run(&["--threads", "1"]).status.success());
    let duration = began.elapsed();
    let (expected, table) = (reference.results(), reference.metrics());
    assert_eq!(table.height(), JOBS);
    let models = expected.keys().filter(|path| path.ends_with("model.json")).count();
    let predictions = expected.keys().filter(|path| path.ends_with("predictions.parquet")).count();
    assert_eq!((models, predictions), (JOBS, JOBS));

    let mut stream = Stream::new(20_200_120, &["kill test"]);
    let (mut kills, mut runs, mut inside) = (0, 0, 0);
    while kills < KILLS || runs < 3 {
        let threads = ["1", "2", "4"][runs % 3];
        let lab = Lab::new();
        loop {
            let mut child = lab.spawn(&["--threads", threads]);
            // From before the first job to after the last.
            std::thread::sleep(Duration::from_secs_f64(duration.as_secs_f64() * 0.5 * stream.unit()));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{status} with {threads} threads");
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            inside += usize::from(lab.out().join("jobs").is_dir() && lab.jobs().len() < JOBS);
            assert!(kills < 50 * KILLS, "no run ends");
        }
        runs += 1;
        assert!(lab.metrics().equals_missing(&table), "{threads} threads");
        let found = lab.results();
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (path, bytes) in &expected {
            assert!(found[path] == *bytes, "{path} differs with {threads} threads");
        }
    }
    // Kills before the first or after the last job test nothing.
    assert!(inside >= KILLS / 3, "only {inside} of {kills} kills happened between jobs");
}

#[test]
fn threads_and_concurrent_jobs_change_no_byte() {
    let results: Vec<_> = [["1", "1"], ["1", "2"], ["2", "2"], ["1", "4"], ["3", "4"]]
        .into_iter()
        .map(|[jobs, threads]| {
            let lab = Lab::new();
            assert!(lab.run(&["--jobs", jobs, "--threads", threads]).status.success());
            lab.results()
        })
        .collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
#[cfg(unix)]
fn a_stopped_run_says_how_to_continue() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let lab = Lab::with(&super::lab::SPEC.replace("trees = 3", "trees = 300"));
        let mut command = lab.command(&["--threads", "1"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut stderr, mut said) = (BufReader::new(child.stderr.take().unwrap()), String::new());
        while !said.contains("jobs to run") {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        stderr.read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(code), "{said}");
        let jobs = format!("of {JOBS} jobs ended, and their results are kept; run the same command to continue");
        assert!(said.contains(&jobs), "{said}");
    }
}

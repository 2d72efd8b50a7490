//! A run killed at any moment resumes, with the bytes of an uninterrupted run.

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

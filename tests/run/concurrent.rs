//! Several processes on one run directory.

use std::thread;

use super::lab::{JOBS, Lab, events, names, stderr};

#[test]
fn two_processes_share_the_jobs_and_see_all_results() {
    let reference = Lab::new();
    assert!(reference.run(&[]).status.success());
    let lab = Lab::new();
    // Both are delayed at the same job, so that one finds it locked by the other.
    let run = || {
        let mut command = lab.command(&["--jobs", "1", "--threads", "1", "--json-events"]);
        command.env("LRBM_TEST_FAULT", "sleep:Boost fold 1").output().unwrap()
    };
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(run);
        let two = scope.spawn(run);
        (one.join().unwrap(), two.join().unwrap())
    });
    for output in [&one, &two] {
        assert!(output.status.success(), "{}", stderr(output));
        let end = &events(output, "end")[0];
        assert_eq!(end["done"], JOBS);
    }
    let mut done = names(&events(&one, "done"));
    done.extend(names(&events(&two, "done")));
    done.sort();
    let before = done.len();
    done.dedup();
    assert_eq!((done.len(), before), (JOBS, JOBS), "a job ran twice or never");
    assert!(!events(&one, "done").is_empty() && !events(&two, "done").is_empty(), "one process ran everything");
    assert_eq!(lab.results(), reference.results());
    assert!(lab.metrics().equals_missing(&reference.metrics()));
}

#[test]
fn jobs_of_a_killed_process_are_taken_over() {
    let lab = Lab::new();
    let mut held = lab.command(&["--jobs", "1", "--threads", "1", "-q"]);
    let mut held = held.env("LRBM_TEST_FAULT", "sleep:movies").spawn().unwrap();
    thread::sleep(std::time::Duration::from_millis(200));
    thread::scope(|scope| {
        let other = scope.spawn(|| lab.run(&["--jobs", "1", "--threads", "1"]));
        thread::sleep(std::time::Duration::from_millis(100));
        held.kill().unwrap();
        held.wait().unwrap();
        let output = other.join().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    });
    assert_eq!(lab.metrics().height(), JOBS);
}

/// Runs two processes concurrently, each with its arguments.
fn both(lab: &Lab, one: &[&str], two: &[&str]) {
    let run = |args: &[&str]| lab.command(args).args(["--jobs", "1", "--threads", "1"]).output().unwrap();
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| run(one));
        let two = scope.spawn(|| run(two));
        (one.join().unwrap(), two.join().unwrap())
    });
    for output in [one, two] {
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

#[test]
fn concurrent_runs_with_other_parameters_are_safe() {
    let (lab, reference) = (Lab::new(), Lab::new());
    for _ in 0..3 {
        both(&lab, &["--fresh"], &["--fresh", "--set", "negatives_per_positive=3"]);
    }
    // They replace each other's results; the last call completes them.
    assert!(lab.run(&[]).status.success());
    assert!(reference.run(&[]).status.success());
    assert_eq!(lab.results(), reference.results());
}

#[test]
fn disjoint_selections_end_with_all_rows() {
    let lab = Lab::new();
    both(&lab, &["--only", "fold=1"], &["--only", "fold!=1"]);
    assert_eq!(lab.metrics().height(), JOBS);
}

#[test]
fn a_modified_model_is_trained_again() {
    let lab = Lab::new();
    assert!(lab.run(&[]).status.success());
    let before = lab.results();
    std::fs::write(lab.jobs()[0].join("model.json"), "").unwrap();
    std::fs::remove_file(lab.jobs()[1].join("predictions.parquet")).unwrap();
    assert_eq!(lab.events("done", &[]).len(), 2);
    assert_eq!(lab.results(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_stderr_does_not_stop_a_run() {
    let lab = Lab::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert!(lab.command(&[]).stderr(full).status().unwrap().success());
    assert_eq!(lab.metrics().height(), JOBS);
}

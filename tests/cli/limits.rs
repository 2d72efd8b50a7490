//! Memory stays within its budget, measured as the peak memory of the process.
//!
//! Limits of jobs are tested in `tests/run/failures.rs`; ten million facts in
//! `results/bench/scaling.md`.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::program::{command, succeeds};

/// Trains with this much memory for coverage; returns the peak memory in bytes and the model.
fn train(home: &Path, memory: &str) -> (u64, Vec<u8>) {
    let model = home.join(format!("{memory}.json"));
    let mut command = command(home);
    // Many deep trees have many answers to keep.
    command.args(["train", "-q", "--target", "workedunder", "--memory", memory]);
    command.args(["--set", "max_leaves=16", "--set", "trees=30"]);
    command.arg("--data").arg(home.join("data")).arg("--out").arg(&model);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    let status = loop {
        // The last observed value; the process allocates little after writing its output.
        let text = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(peak, |kib| kib << 10);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(status.success());
    (peak, fs::read(model).unwrap())
}

#[test]
fn peak_memory_follows_the_budget_and_the_model_is_unchanged() {
    let home = tempfile::tempdir().unwrap();
    succeeds(home.path(), &["datasets", "generate", "movies", "--scale", "20", "--noise", "0.1", "--out", "data"]);
    let (small, model) = train(home.path(), "1MiB");
    let (large, other) = train(home.path(), "1GiB");
    println!(
        "figure: peak memory of training on 25,000 facts with a coverage cache of 1 MiB and of 1 GiB: {} and {} MiB",
        small >> 20,
        large >> 20
    );
    assert!(model == other, "the budget changed the model");
    // Unbounded, it takes more than ten MiB; bounded by one MiB, at most that plus allocator
    // overhead.
    assert!(small + (6 << 20) < large, "{small} and {large} bytes: the budget has no effect");
}

//! Memory stays within its budget: the peak of the process is measured, not what the program believes.
//!
//! Limits of jobs, which end in a recorded reason, are in `tests/run/failures.rs`; ten million facts in `results/bench/scaling.md`.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Learns with this much to remember coverage with; the peak of the process in bytes, and the model.
fn learned(home: &Path, memory: &str) -> (u64, Vec<u8>) {
    let model = home.join(format!("{memory}.json"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_lrbm"));
    command.args(["train", "-q", "--target", "workedunder", "--memory", memory]);
    command.arg("--data").arg(home.join("data")).arg("--out").arg(&model);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    let status = loop {
        // The last value that is seen; what a process asks for in its last moments is to write a small file.
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
fn the_peak_follows_the_budget_and_the_model_does_not() {
    let home = tempfile::tempdir().unwrap();
    let mut generate = Command::new(env!("CARGO_BIN_EXE_lrbm"));
    generate
        .args(["datasets", "generate", "movies", "--scale", "40", "--noise", "0.1", "--out"])
        .arg(home.path().join("data"));
    assert!(generate.stdout(Stdio::null()).status().unwrap().success());
    let (small, model) = learned(home.path(), "1MiB");
    let (large, same) = learned(home.path(), "1GiB");
    println!(
        "figure: peak of learning from 50,000 facts with 1 MiB and with 1 GiB to remember coverage with: {} and {} MiB",
        small >> 20,
        large >> 20
    );
    assert!(model == same, "the budget changed the model");
    // Without a bound it takes more than ten MiB; with one of one, at most that and the slack of the allocator.
    assert!(small + (6 << 20) < large, "{small} and {large} bytes: the budget bounds nothing");
}

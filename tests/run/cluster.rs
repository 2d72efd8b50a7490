//! Cluster tasks without a cluster: `lrbm run-job` and commands for other schedulers.

use std::fs;
use std::process::{Command, Output, Stdio};

use super::lab::{JOBS, Lab, SPEC, events, names, stderr, stdout};
use crate::common::program;

fn lrbm(lab: &Lab, args: &[&str]) -> Command {
    let mut command = program::command(lab.home());
    command.args(args);
    command
}

fn output(lab: &Lab, args: &[&str]) -> Output {
    lrbm(lab, args).output().unwrap()
}

fn commands(lab: &Lab, args: &[&str]) -> Vec<String> {
    let mut all = vec!["plan", "tiny.toml", "--out", "out", "--format", "commands"];
    all.extend(args);
    let output = output(lab, &all);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).lines().map(str::to_owned).collect()
}

fn shell(line: &str) -> Output {
    // From another directory, as a scheduler does.
    Command::new("sh").arg("-c").arg(line).current_dir("/").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn printed_commands_reproduce_a_run() {
    let reference = Lab::new();
    assert!(reference.run(&[]).status.success());
    let spec = format!("{SPEC}\n[slurm]\ntask_time = \"0.2 s\"\n");
    let lab = Lab::in_odd_place(&spec);
    let commands_there = commands(&lab, &[]);
    assert!(commands_there.len() > 1, "{commands_there:?}");
    let ids: Vec<&str> = commands_there.iter().flat_map(|line| line.rsplit_once("' ").unwrap().1.split(' ')).collect();
    assert_eq!(ids.len(), JOBS);
    for line in &commands_there {
        let output = shell(line);
        assert!(output.status.success(), "{line}\n{}", stderr(&output));
    }
    assert!(!lab.out().join("metrics.csv").exists(), "tasks do not write the tables");
    assert!(commands(&lab, &[]).is_empty());
    assert!(!lab.out().join(".locks").exists());
    // The run finds everything done, and writes the tables.
    let output = lab.run(&[]);
    assert!(stdout(&output).contains(&format!("nothing to do: {JOBS} jobs done before")), "{}", stdout(&output));
    let (mut expected, mut found) = (reference.results(), lab.results());
    for results in [&mut expected, &mut found] {
        results.remove("spec.toml").unwrap();
    }
    assert_eq!(found, expected);
}

#[test]
fn run_job_is_idempotent_and_safe_to_run_concurrently() {
    let lab = Lab::new();
    let line = &commands(&lab, &["--only", "dataset=movies,fold=1"])[0];
    let ids: Vec<&str> = line.rsplit_once("/out ").unwrap().1.split(' ').collect();
    assert_eq!(ids.len(), 3);
    let mut args = vec!["run-job", "out", "--threads", "1", "--json-events"];
    args.extend(&ids);
    let both = [(); 2].map(|()| lrbm(&lab, &args).stdout(Stdio::piped()).spawn().unwrap());
    let mut done = Vec::new();
    for child in both {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(events(&output, "end")[0]["done"], 3);
        done.extend(names(&events(&output, "done")));
    }
    assert_eq!(done.len(), 3, "{done:?}");
    let again = output(&lab, &args);
    assert!(again.status.success() && events(&again, "start").is_empty());
    // A list file, and id prefixes.
    let list = format!("{}\n{} movies something\n\n", &ids[0][..8], ids[1]);
    fs::write(lab.home().join("list"), list).unwrap();
    let listed = output(&lab, &["run-job", "out", "--list", "list", "--json-events"]);
    assert_eq!(events(&listed, "end")[0]["jobs"], 2, "{}", stderr(&listed));
}

#[test]
fn run_job_works_on_local_runs() {
    let lab = Lab::new();
    assert!(lab.run(&["--only", "dataset=movies,fold=1"]).status.success());
    let record: serde_json::Value = serde_json::from_slice(&fs::read(lab.jobs()[0].join("run.json")).unwrap()).unwrap();
    fs::remove_dir_all(&lab.jobs()[0]).unwrap();
    assert!(!lab.out().join("cluster").exists());
    let output = output(&lab, &["run-job", "out", record["id"].as_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lab.jobs().len(), 3);
}

#[test]
fn invalid_arguments_are_reported() {
    let lab = Lab::new();
    let refused = |args: &[&str], part: &str| {
        let output = output(&lab, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{args:?}: {}", stderr(&output));
    };
    refused(&["run-job", "out", "abc"], "not a run directory");
    refused(&["run-job", "out"], "JOB_ID");
    commands(&lab, &[]);
    refused(&["run-job", "out", "xyz"], "no job of ");
    refused(&["run-job", "out", ""], "no job of ");
    refused(&["run-job", "out", "--list", "none"], "none: ");
    // A prefix of one hexadecimal digit matches several of twelve ids, or none.
    let mut messages: Vec<String> = Vec::new();
    for digit in "0123456789abcdef".chars() {
        let output = output(&lab, &["run-job", "out", &digit.to_string()]);
        messages.push(stderr(&output));
    }
    assert!(messages.iter().any(|text| text.contains("is the prefix of several ids")), "{messages:?}");
    fs::write(lab.out().join("cluster/frozen.json"), "{\"version\": 1").unwrap();
    refused(&["run-job", "out", "abc"], "cluster/frozen.json: ");
    refused(&["run", "tiny.toml", "--slurm-option", "cpus=2"], "--slurm-option requires --executor slurm");
    refused(&["run", "tiny.toml", "--executor", "slurm", "--threads", "2"], "--slurm-option cpus=N");
    refused(&["run", "tiny.toml", "--executor", "slurm", "--slurm-option", "cpu=2"], "did you mean `cpus`?");
}

#[test]
fn a_missing_slurm_is_detected_before_writing() {
    let lab = Lab::new();
    let output = lab.command(&["--executor", "slurm"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot run `sbatch`"), "{}", stderr(&output));
    assert!(!lab.out().exists());
}

#[test]
fn failures_of_a_task_are_recorded_and_not_repeated() {
    let lab = Lab::new();
    let line = &commands(&lab, &["--only", "dataset=movies"])[0];
    let run = |fault: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).env("LRBM_TEST_FAULT", fault).stdin(Stdio::null()).output().unwrap()
    };
    let first = run("error:NoBoost fold 2");
    assert_eq!(first.status.code(), Some(3), "{}", stderr(&first));
    assert_eq!(run("none:").status.code(), Some(3));
    assert_eq!(lab.jobs().len(), JOBS / 2);
    assert!(lab.run(&["--retry-failed", "-q"]).status.success());
}

#[test]
fn data_changed_after_planning_are_detected() {
    let lab = Lab::with(&SPEC.replace("\"movies\", \"university\"", "\"data\""));
    let generate = |seed: &str| {
        let made = lrbm(&lab, &["datasets", "generate", "movies", "--out", "data", "--seed", seed]).output().unwrap();
        assert!(made.status.success(), "{}", stderr(&made));
    };
    generate("1");
    let line = commands(&lab, &["--only", "model=NoBoost,fold=1"]).remove(0);
    fs::remove_dir_all(lab.home().join("data")).unwrap();
    generate("2");
    let output = shell(&line);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("changed since the run was planned"), "{}", stderr(&output));
    // With other data it is another job.
    assert!(lab.run(&["-q"]).status.success());
}

//! Commands end with the driver, an interrupted run resumes, and tasks of a cluster run them.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{SCRIPT, lab, lab_with, lrbm, processes, record, spec_of, succeeds};
use crate::lab::{Lab, events, stderr, stdout};
use crate::slurm::Slurm;

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_run_resumes_in_the_middle_of_a_command() {
    for (how, number) in [("-INT", 1), ("-TERM", 2), ("-KILL", 3)] {
        let mark = format!("7{number}{}.25", std::process::id());
        let body = SCRIPT.split_once("echo \"example,score\"").unwrap().1;
        let script = format!("if [ -n \"$SLOW\" ]; then sleep {mark} & sleep {mark}; fi\necho \"example,score\"{body}");
        let lab = Lab::with(&spec_of("", &script));
        succeeds(&lab, &["-q", "--only", "fold=1"]);
        let temporary = tempfile::tempdir().unwrap();
        let mut command = lab.command(&["-q"]);
        command.env("SLOW", "1").env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap();
        wait_for("the command does not start", || processes(&format!("sleep {mark}")).len() >= 2);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
        assert!(Command::new("kill").args([how, &driver.id().to_string()]).status().unwrap().success());
        assert!(!driver.wait().unwrap().success());
        wait_for(&format!("the command survives {how}"), || processes(&mark).is_empty());
        wait_for("the directory is left", || fs::read_dir(temporary.path()).unwrap().count() == 0);
        // The same command completes the run.
        let output = lab.command(&["--json-events"]).output().unwrap();
        assert!(output.status.success(), "{how}: {}", stderr(&output));
        assert_eq!(events(&output, "start").len(), 1, "{how}");
        assert_eq!(lab.metrics().height(), 2);
        assert!(!lab.results().keys().any(|path| path.contains(".tmp-")), "{how}: leftovers");
    }
}

#[test]
fn a_job_keeps_the_files_of_its_command() {
    let lab = lab();
    succeeds(&lab, &["-q"]);
    let directory = lab.out().join("jobs/movies/One/default/fold1-seed7");
    assert_eq!(fs::read_to_string(directory.join("model.txt")).unwrap(), "a model\n");
    let record = record(&lab, "movies/One/default/fold1-seed7");
    let files: Vec<&String> = record["result"]["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, ["info.json", "model.txt", "predictions.parquet"]);
    assert_eq!(record["key"]["external"]["version_output"], "1.0");
    // A changed file is damage, as for other kinds.
    fs::write(directory.join("info.json"), "{}").unwrap();
    let starts = lab.events("start", &[]);
    assert_eq!(starts.len(), 1, "{starts:?}");
}

#[test]
fn printed_commands_run_external_jobs_elsewhere() {
    let lab = lab();
    succeeds(&lab, &["-q", "--only", "fold=1"]);
    let output = lrbm(&lab, &["plan", "tiny.toml", "--out", "out", "--format", "commands"]);
    let commands = stdout(&output);
    assert!(!commands.is_empty(), "{}", stderr(&output));
    for line in commands.lines() {
        let output = Command::new("sh").arg("-c").arg(line).current_dir("/").stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", stderr(&output));
    }
    assert!(lab.events("start", &[]).is_empty());
    assert_eq!(lab.metrics().height(), 6);
}

#[test]
fn tasks_of_a_cluster_run_external_jobs() {
    let Some(slurm) = Slurm::start() else { return };
    let local = lab();
    succeeds(&local, &["-q"]);
    let lab = lab_with(&format!("{}\n[slurm]\ntask_time = \"1 s\"\n", super::SPEC));
    let output = slurm.driver(&lab, &["--json-events"]).output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(!events(&output, "submitted").is_empty());
    assert!(lab.metrics().equals_missing(&local.metrics()));
    // The version was asked for once, by the process that submitted the tasks.
    let calls = super::started(&lab);
    assert_eq!(calls.iter().filter(|call| *call == "version").count(), 1, "{calls:?}");
    assert_eq!(calls.len(), 5);
}

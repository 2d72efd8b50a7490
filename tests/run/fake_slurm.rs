//! The watcher against scripted Slurm commands, which reproduce rare failures of a real cluster.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::lab::{Lab, events, stderr};
use super::tuning::{TUNED, TUNED_JOBS};

/// Records the name of each array and delegates to `on_sbatch`; `accept` queues and runs an array,
/// slowly enough to be observed.
const SBATCH: &str = r#"#!/bin/sh
[ -z "$SBATCH_CLUSTERS$SLURM_CLUSTERS" ] || { echo "sbatch: error: another cluster" >&2; exit 1; }
for arg; do
  case $arg in
    --test-only) exit 0 ;;
    --array=1-*) tasks=${arg#--array=1-} ;;
    --job-name=*) name=${arg#--job-name=} ;;
  esac
  script=$arg
done
echo "$name" >> "$FAKE/calls"
calls=$(wc -l < "$FAKE/calls")
array=$((16 + calls))
queue() {
  for i in $(seq "$tasks"); do echo "$array|$i|RUNNING|None|$name" > "$FAKE/queue/${array}_$i"; done
}
accept() {
  queue
  (
    sleep 2
    for i in $(seq "$tasks"); do
      SLURM_ARRAY_TASK_ID=$i sh "$script"
      rm "$FAKE/queue/${array}_$i"
    done
  ) > "$FAKE/out" 2>&1 < /dev/null &
}
fail() {
  echo "sbatch: error: Batch job submission failed: $1" >&2
  exit 1
}
. "$FAKE/on_sbatch"
echo "$array"
"#;

/// Lists the queued tasks of the given names.
const SQUEUE: &str = r#"#!/bin/sh
for arg; do names=$arg; done
if [ -e "$FAKE/deaf" ]; then
  rm "$FAKE/deaf"
  echo "slurm_load_jobs error: Socket timed out on send/recv operation" >&2
  exit 1
fi
for name in $(echo "$names" | tr , ' '); do
  cat "$FAKE"/queue/* 2> /dev/null | grep "|$name\$"
done
exit 0
"#;

const SCONTROL: &str = r#"#!/bin/sh
case "$*" in "show config") echo "MaxArraySize = 1001" ;; *) exit 1 ;; esac
"#;

struct Fake {
    home: tempfile::TempDir,
}

impl Fake {
    /// `on_sbatch` is the shell code of `sbatch`.
    fn new(on_sbatch: &str) -> Self {
        let fake = Fake { home: tempfile::tempdir().unwrap() };
        fs::create_dir(fake.at("queue")).unwrap();
        fs::create_dir(fake.at("bin")).unwrap();
        fs::write(fake.at("on_sbatch"), on_sbatch).unwrap();
        for (name, text) in
            [("sbatch", SBATCH), ("squeue", SQUEUE), ("scontrol", SCONTROL), ("scancel", "#!/bin/sh\nexit 0\n")]
        {
            let path = fake.at("bin").join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fake
    }

    fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn driver(&self, lab: &Lab, args: &[&str]) -> Command {
        let mut command = lab.command(&["--executor", "slurm", "--json-events"]);
        let path = std::env::var("PATH").unwrap();
        command.args(args).env("PATH", format!("{}:{path}", self.at("bin").display())).env("FAKE", self.home.path());
        // Must not reach the Slurm commands.
        command.env("SBATCH_CLUSTERS", "other").env("SLURM_CLUSTERS", "other");
        command
    }

    /// Returns the names of submitted arrays, in order.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.at("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

const LOST_ANSWER: &str = "fail 'Socket timed out on send/recv operation'";

fn batches(lab: &Lab) -> usize {
    let entries = fs::read_dir(lab.out().join("cluster")).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("batch-")).count()
}

#[test]
fn an_array_with_a_lost_response_is_found() {
    let (reference, lab) = (Lab::new(), Lab::new());
    assert!(reference.run(&["-q"]).status.success());
    // At first the queue cannot be queried either.
    let fake = Fake::new(&format!("accept\ntouch \"$FAKE/deaf\"\n{LOST_ANSWER}"));
    let output = fake.driver(&lab, &[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fake.calls().len(), 1);
    let submitted = events(&output, "submitted");
    assert_eq!((submitted.len(), &submitted[0]["array"]), (1, &17.into()));
    assert!(events(&output, "lost").is_empty());
    assert!(lab.out().join("cluster/batch-0001/submitted.json").is_file());
    assert_eq!(lab.results(), reference.results());
}

#[test]
fn tuned_jobs_are_submitted_when_their_trials_have_ended() {
    let (reference, lab) = (Lab::with(TUNED), Lab::with(TUNED));
    assert!(reference.run(&["-q"]).status.success());
    let fake = Fake::new("accept");
    let output = fake.driver(&lab, &[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let submitted: Vec<u64> =
        events(&output, "submitted").iter().map(|event| event["jobs"].as_u64().unwrap()).collect();
    assert!(submitted.len() > 1, "{submitted:?}");
    assert_eq!(submitted.iter().sum::<u64>(), TUNED_JOBS as u64);
    assert_eq!(lab.results(), reference.results());
}

#[test]
fn an_unreceived_array_is_resubmitted_under_another_name() {
    let lab = Lab::new();
    let fake = Fake::new(&format!("[ \"$calls\" != 1 ] || {LOST_ANSWER}\naccept"));
    let output = fake.driver(&lab, &["--only", "dataset=movies"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let calls = fake.calls();
    assert!(calls.len() == 2 && calls[0].ends_with("-0001") && calls[1].ends_with("-0002"), "{calls:?}");
    assert_eq!(events(&output, "submitted")[0]["array"], 18);
}

#[test]
fn a_permanent_rejection_ends_the_run() {
    let lab = Lab::new();
    let fake = Fake::new("fail 'Invalid account or account/partition combination specified'");
    let output = fake.driver(&lab, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Invalid account"), "{}", stderr(&output));
    assert_eq!(fake.calls().len(), 1);
}

#[test]
fn a_temporary_rejection_is_retried() {
    let lab = Lab::new();
    let fake = Fake::new("fail 'Job violates accounting/QOS policy'");
    let output = fake.driver(&lab, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Job violates accounting/QOS policy"), "{}", stderr(&output));
    // The same batch each time, since it was certainly rejected.
    let calls = fake.calls();
    assert!(calls.len() == 5 && calls.iter().all(|name| *name == calls[0]), "{calls:?}");
    assert_eq!(batches(&lab), 1);
    // Another process starts another batch.
    fs::write(fake.at("on_sbatch"), "accept").unwrap();
    let output = fake.driver(&lab, &["--only", "dataset=movies"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(fake.calls()[5].ends_with("-0002"), "{:?}", fake.calls());
}

#[test]
fn lost_tasks_are_resubmitted_until_attempts_run_out() {
    let lab = Lab::new();
    let fake = Fake::new("");
    let args = ["--only", "dataset=movies,model=NoBoost", "--slurm-option", "attempts=2"];
    let output = fake.driver(&lab, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let calls = fake.calls();
    assert!(calls.len() == 2 && calls[0] != calls[1], "{calls:?}");
    let failed = events(&output, "failed");
    assert_eq!(failed.len(), 2);
    assert!(failed[0]["message"].as_str().unwrap().contains("submitted 2 times without a result"), "{failed:?}");
}

/// Another process is running a job whose last task is lost: it is waited for, and nothing more is
/// submitted.
#[test]
fn a_job_of_another_process_is_waited_for() {
    let lab = Lab::new();
    let fake = Fake::new("");
    let only = ["--only", "dataset=movies,model=NoBoost,fold=1"];
    let mut other =
        lab.command(&only).env("LRBM_TEST_FAULT", "oversleep:fold 1").stdout(Stdio::null()).spawn().unwrap();
    let locks = || fs::read_dir(lab.out().join(".locks")).into_iter().flatten().flatten();
    until("the other process is at the job", || locks().any(|entry| entry.file_name().len() == 64));
    signal("-STOP", &other);
    let events_file = lab.home().join("events.jsonl");
    let mut driver = fake.driver(&lab, &[only[0], only[1], "--slurm-option", "attempts=1"]);
    let mut driver = driver.stdout(fs::File::create(&events_file).unwrap()).spawn().unwrap();
    until("the task is lost", || fs::read_to_string(&events_file).unwrap().contains("\"lost\""));
    std::thread::sleep(Duration::from_secs(2));
    signal("-CONT", &other);
    assert!(other.wait().unwrap().success());
    assert!(driver.wait().unwrap().success());
    assert_eq!(fake.calls().len(), 1);
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn signal(name: &str, child: &Child) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

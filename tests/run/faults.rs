//! Runs stopped at every disk operation, on a full or read-only disk, with damaged files, with a
//! clock running backwards, or moved: the same command resumes, and the final bytes are those of an
//! uninterrupted run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::lab::{Lab, copy, stderr, stdout};
use crate::common::program::command;
use lrbm::internal::determinism::Stream;

/// One domain, an ensemble and a distilled model, two folds; tests of all disk operations use one
/// fold.
const SPEC: &str = r#"
name = "tiny"
about = "Small enough to be run a thousand times."
seed = 7
folds = 2
datasets = ["movies"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 2

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 2
"#;

const JOBS: usize = 4;
/// One job at a time on one thread, so that the N-th disk operation is the same in every run.
const ALONE: [&str; 4] = ["--jobs", "1", "--threads", "1"];
const ONE_FOLD: [&str; 6] = ["--jobs", "1", "--threads", "1", "--only", "fold=1"];

fn run_with_fault(lab: &Lab, fault: &str, args: &[&str]) -> Output {
    lab.command(args).env("LRBM_TEST_FAULT", fault).output().unwrap()
}

/// Returns the files of an uninterrupted run.
fn uninterrupted_run(args: &[&str]) -> (Lab, BTreeMap<String, Vec<u8>>) {
    let lab = Lab::with(SPEC);
    let output = lab.run(args);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = lab.results();
    (lab, results)
}

/// Calls a function with n = 1, 2, … on two threads until it reports that n is past the end;
/// returns the last n before it.
fn for_all(strike: impl Fn(usize) -> bool + Sync) -> usize {
    const MOST: usize = 2000;
    let (next, end) = (AtomicUsize::new(1), AtomicUsize::new(MOST));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::SeqCst);
                    if n >= end.load(Ordering::SeqCst) {
                        break;
                    }
                    if !strike(n) {
                        end.fetch_min(n, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let end = end.into_inner();
    assert!(end < MOST, "no run ends");
    end - 1
}

/// Prints the number of disk operations, for collected figures.
fn tell(what: &str, figure: usize) {
    println!("figure: {what}: {figure}");
}

fn resumed(lab: &Lab, expected: &BTreeMap<String, Vec<u8>>, when: &str) {
    let output = lab.run(&ONE_FOLD);
    assert!(output.status.success(), "{when}: {}", stderr(&output));
    let found = lab.results();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{when}");
    for (path, bytes) in expected {
        assert!(found[path] == *bytes, "{when}: {path} differs");
    }
}

#[cfg(unix)]
#[test]
fn a_run_stopped_at_any_disk_operation_resumes() {
    use std::os::unix::process::ExitStatusExt;
    let (reference, expected) = uninterrupted_run(&ONE_FOLD);
    for fresh in [false, true] {
        let mut args = ONE_FOLD.to_vec();
        args.extend(fresh.then_some("--fresh"));
        let points = for_all(|n| {
            let lab = Lab::in_memory(SPEC);
            if fresh {
                // Existing results are replaced, and must not be lost.
                copy(&reference.out(), &lab.out());
            }
            let output = run_with_fault(&lab, &format!("stop:{n}"), &args);
            if output.status.success() {
                return false;
            }
            assert_eq!(output.status.signal(), Some(6), "operation {n}: {}", stderr(&output));
            resumed(&lab, &expected, &format!("stopped at place {n}, fresh {fresh}"));
            true
        });
        assert!(points > 50, "only {points} operations");
        tell(
            if fresh { "places of a repeated run, stopped at each" } else { "places of a run, stopped at each" },
            points,
        );
    }
}

/// Reports are regenerated: an interrupted one leaves the results alone and is completed by the
/// next, with the same bytes.
#[cfg(unix)]
#[test]
fn a_report_that_is_stopped_or_runs_out_of_disk_is_completed_by_the_next() {
    // One model: drawing figures takes most of the time.
    let spec =
        "name = \"tiny\"\nseed = 7\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"R\"\nkind = \"rpt\"\n";
    let reference = Lab::with(spec);
    assert!(reference.run(&ONE_FOLD).status.success());
    let results = reference.results();
    let files = |lab: &Lab| {
        let mut files = lab.results();
        // The page has links to the data directory of the machine and the time of the jobs.
        files.retain(|path, _| !path.ends_with(".html"));
        files
    };
    let report = |lab: &Lab, fault: Option<&str>| {
        let mut call = command(lab.home());
        call.envs(fault.map(|fault| ("LRBM_TEST_FAULT", fault)));
        call.args(["report", "out"]).output().unwrap()
    };
    let untouched = Lab::in_memory(spec);
    copy(&reference.out(), &untouched.out());
    assert!(report(&untouched, None).status.success());
    let expected = files(&untouched);
    assert!(expected.len() > results.len() + 10, "{:?}", expected.keys());
    // Not every place is tried: drawing takes most of the time.
    let faults = ["stop:1", "stop:9", "stop:40", "full:1", "full:20"];
    for fault in faults {
        let lab = Lab::in_memory(spec);
        copy(&reference.out(), &lab.out());
        let output = report(&lab, Some(fault));
        let text = stderr(&output);
        assert!(!output.status.success(), "{fault}: no effect");
        let found = lab.results();
        assert!(results.iter().all(|(path, bytes)| found.get(path) == Some(bytes)), "{fault}: a result changed");
        if fault.starts_with("full") {
            assert_eq!(output.status.code(), Some(2), "{fault}: {text}");
            assert!(text.contains("no space left") && text.contains("free disk space"), "{fault}: {text}");
        }
        assert!(report(&lab, None).status.success(), "{fault}");
        let mut found = files(&lab);
        // A temporary file of a killed process stays until the next run.
        found.retain(|path, _| !path.contains(".tmp-"));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{fault}");
        assert!(found == expected, "{fault}: a file of the report differs");
    }
    tell("reports stopped or with a full disk, completed by the next", faults.len());
}

#[test]
fn a_run_on_a_full_disk_resumes() {
    let (_, expected) = uninterrupted_run(&ONE_FOLD);
    let mut places = 0;
    for kind in ["full", "once"] {
        let points = for_all(|n| {
            let lab = Lab::in_memory(SPEC);
            let output = run_with_fault(&lab, &format!("{kind}:{n}"), &ONE_FOLD);
            let text = stderr(&output);
            match output.status.code() {
                Some(2) => {
                    assert!(text.contains("no space left") && text.contains("free disk space"), "{kind}:{n}: {text}")
                }
                // A failed log write does not fail the run.
                Some(0) => {}
                other => panic!("{kind}:{n}: ended with {other:?}: {text}"),
            }
            resumed(&lab, &expected, &format!("{kind}:{n}"));
            // With a disk that stays full, a run succeeds only if it had no such operation left.
            if kind == "full" { output.status.code() == Some(2) } else { n < places }
        });
        places = points;
        assert!(points > 20, "only {points} operations");
        tell(&format!("places with a disk that is full ({kind})"), points);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_is_reported() {
    use std::process::Command;
    let (_, expected) = uninterrupted_run(&ALONE);
    let lab = Lab::with(SPEC);
    fs::create_dir(lab.out()).unwrap();
    // Space for the probe and little more.
    let mount =
        |options: &str| Command::new("mount").args(["-t", "tmpfs", "-o", options, "lrbm-test"]).arg(lab.out()).output();
    if !mount("size=4200k").is_ok_and(|output| output.status.success()) {
        println!("skipped: a small disk can be mounted by the superuser only");
        return;
    }
    let unmounted = Unmount(lab.out());
    // The remaining space is used up by another file.
    fs::write(lab.out().join("filler"), vec![0; 4100 << 10]).unwrap();
    let output = lab.run(&ALONE);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing was run"), "{}", stderr(&output));
    assert!(fs::remove_file(lab.out().join("filler")).is_ok());
    // The disk fills up during the run.
    let output = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_with_fault(&lab, "sleep:Boost fold 1", &ALONE));
        while lab.out().join("jobs/movies").read_dir().is_err() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let fill = fs::write(lab.out().join("filler"), vec![0; 8 << 20]);
        assert_eq!(fill.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        run.join().unwrap()
    });
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("free disk space"), "{}", stderr(&output));
    fs::remove_file(lab.out().join("filler")).unwrap();
    let output = lab.run(&ALONE);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lab.results(), expected);
    drop(unmounted);
}

/// Unmounts a disk on drop.
#[cfg(target_os = "linux")]
struct Unmount(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_is_detected_and_still_readable() {
    use std::process::Command;
    let (lab, expected) = uninterrupted_run(&ALONE);
    let on = |args: &[&str]| Command::new("mount").args(args).arg(lab.out()).output().is_ok_and(|o| o.status.success());
    let out = lab.out();
    let bound = Command::new("mount").arg("--bind").args([&out, &out]).output().is_ok_and(|o| o.status.success());
    if !bound {
        println!("skipped: a disk can be made read-only by the superuser only");
        return;
    }
    let unmounted = Unmount(lab.out());
    assert!(on(&["-o", "remount,bind,ro"]));
    let output = lab.run(&["--fresh"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing was run"), "{}", stderr(&output));
    let report = |args: &[&str]| command(lab.home()).args(["report", "out"]).args(args).output().unwrap();
    assert_eq!(report(&[]).status.code(), Some(2));
    assert!(report(&["--out", "elsewhere"]).status.success());
    drop(unmounted);
    assert_eq!(lab.results(), expected);
}

/// Returns every job file that results are read from.
fn job_files(lab: &Lab) -> Vec<std::path::PathBuf> {
    let names = ["run.json", "model.json", "predictions.parquet"];
    lab.jobs().iter().flat_map(|job| names.map(|name| job.join(name))).collect()
}

fn in_job(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap().display().to_string()
}

#[test]
fn damaged_files_are_detected_reported_and_rewritten() {
    let (lab, expected) = uninterrupted_run(&ALONE);
    let files = job_files(&lab);
    assert_eq!(files.len(), 3 * JOBS);
    let mut stream = Stream::new(20_200_120, &["damage"]);
    let mut damages = 0;
    for (place, path) in files.iter().enumerate() {
        let good = fs::read(path).unwrap();
        let mut bad = good.clone();
        match place % 3 {
            0 => bad.truncate(stream.below(good.len() as u64) as usize),
            1 => bad.clear(),
            _ => bad[stream.below(good.len() as u64) as usize] ^= 1 << stream.below(8),
        }
        if place == 0 {
            // One digit of a metric: still a valid record apart from its checksum.
            let text = String::from_utf8(good.clone()).unwrap();
            let at = text.find("\"auc_roc\": ").unwrap() + 11;
            bad = good.clone();
            bad[at] = if bad[at] == b'0' { b'1' } else { b'0' };
        }
        fs::write(path, &bad).unwrap();
        let file = in_job(path, &lab.out());

        // Readers ignore it and report it; the job does not count as not run.
        let output = command(lab.home()).args(["report", "out", "--out", "report"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(
            stderr(&output).contains(&file) && stderr(&output).contains("the result is ignored"),
            "{}",
            stderr(&output)
        );
        let table = fs::read_to_string(lab.home().join("report/tables/results.md")).unwrap();
        assert!(table.contains("1 of 2 damaged") && !table.contains("not run"), "{table}");
        let plan = lab.run(&["--dry-run"]);
        assert!(stdout(&plan).contains(&format!("the result is damaged: {file}")), "{}", stdout(&plan));

        let output = lab.command(&ALONE).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let warning = format!("warning: {file}: ");
        assert!(stderr(&output).contains(&warning), "{file}: {}", stderr(&output));
        assert!(stdout(&output).contains("1 job run in "), "{}", stdout(&output));
        assert_eq!(lab.results(), expected, "{file}");
        damages += 1;
    }
    tell("job files damaged, found and made again", damages);
}

#[test]
fn every_flipped_bit_of_a_record_is_detected() {
    let (lab, _) = uninterrupted_run(&ONE_FOLD);
    let results = || lrbm::internal::experiment::Results::read(&lab.out()).unwrap();
    assert_eq!((results().stored.len(), results().damaged.len()), (2, 0));
    let path = lab.jobs()[0].join("run.json");
    let good = fs::read(&path).unwrap();
    let mut stream = Stream::new(20_200_120, &["flips"]);
    for _ in 0..400 {
        let mut bad = good.clone();
        bad[stream.below(good.len() as u64) as usize] ^= 1 << stream.below(8);
        fs::write(&path, &bad).unwrap();
        let results = results();
        assert_eq!((results.stored.len(), results.damaged.len()), (1, 1));
    }
    tell("bits of a record flipped and found", 400);
}

#[test]
fn a_clock_running_backwards_changes_no_result() {
    let (_, expected) = uninterrupted_run(&ALONE);
    let lab = Lab::with(SPEC);
    // Every clock reading is a day before the previous one; the run resumes years before its start.
    for (day, args) in [("86400", &ONE_FOLD[..]), ("100000000", &ALONE[..])] {
        let output = run_with_fault(&lab, &format!("clock:{day}"), args);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert_eq!(lab.results(), expected);
    for job in lab.jobs() {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(job.join("run.json")).unwrap()).unwrap();
        assert!(
            record["machine"]["started"].as_str() > record["machine"]["ended"].as_str(),
            "the clock was not touched"
        );
        assert!(record["machine"]["wall_seconds"].as_f64().unwrap() >= 0.0);
    }
    assert!(stdout(&lab.run(&ALONE)).contains("nothing to do"));
}

#[test]
fn a_run_directory_may_be_moved() {
    let (_, expected) = uninterrupted_run(&ALONE);
    let lab = Lab::with(SPEC);
    assert!(lab.run(&ONE_FOLD).status.success());
    let other = lab.home().join("other place");
    fs::rename(lab.out(), &other).unwrap();
    let run =
        |out: &Path| command(lab.home()).args(["run", "tiny.toml", "--no-report", "--out"]).arg(out).output().unwrap();
    let output = run(&other);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 jobs run in "), "{}", stdout(&output));
    fs::rename(&other, lab.out()).unwrap();
    assert_eq!(lab.results(), expected);
    assert!(stdout(&run(&lab.out())).contains("nothing to do"));
}

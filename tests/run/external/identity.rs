//! What an external job depends on: exactly its jobs run again.

use std::fs;

use super::{SCRIPT, SPEC, lab, lab_with, lrbm, record, started, succeeds};
use crate::lab::{Lab, copy, names, stderr, stdout};

/// Returns the names of the jobs that a run starts.
fn runs(lab: &Lab) -> Vec<String> {
    names(&lab.events("start", &[]))
}

const ONE: [&str; 2] = ["movies One fold 1 seed 7", "movies One fold 2 seed 7"];
const TWO: [&str; 2] = ["movies Two fold 1 seed 7", "movies Two fold 2 seed 7"];

#[test]
fn exactly_the_jobs_of_a_changed_system_run_again() {
    let lab = lab();
    assert_eq!(runs(&lab).len(), 6);
    let calls = started(&lab);
    assert_eq!(calls.iter().filter(|call| *call == "version").count(), 1, "{calls:?}");
    assert_eq!(calls.len(), 5);
    let first = calls.iter().find(|call| call.contains("\"One\"")).unwrap();
    assert!(first.contains("\"params\": {    \"name\": \"x\",    \"rounds\": 3  }"), "{first}");
    // Nothing changed; only the version is asked for.
    assert!(runs(&lab).is_empty());
    assert_eq!(started(&lab), ["version"]);
    // One byte of a file.
    fs::write(lab.home().join("two.sh"), format!("{SCRIPT}#")).unwrap();
    let plan = stdout(&lrbm(&lab, &["plan", "tiny.toml", "--out", "out"]));
    assert_eq!(plan.matches("external system changed: two.sh").count(), 2, "{plan}");
    assert_eq!(runs(&lab), TWO);
    // The output of the version command.
    fs::write(lab.home().join("version"), "1.1").unwrap();
    assert_eq!(runs(&lab), ONE);
    // A parameter.
    lab.write_spec(&SPEC.replace("rounds = 3", "rounds = 4"));
    assert_eq!(runs(&lab), ONE);
    assert_eq!(names(&lab.events("start", &["--set", "One.rounds=5"])), ONE);
    assert_eq!(names(&lab.events("start", &["--set", "rounds=4"])), ONE);
    // The arguments.
    lab.write_spec(&SPEC.replace("rounds = 3", "rounds = 4").replace("/two.sh\"]", "/two.sh\", \"x\"]"));
    assert_eq!(runs(&lab), TWO);
    // Limits, repeatability, order and comments change nothing.
    let again = "rounds = 4, name = \"x\" }\nrepeatable = false\ntime_limit = 100 # long";
    lab.write_spec(&SPEC.replace("rounds = 3, name = \"x\" }", again).replace("/two.sh\"]", "/two.sh\", \"x\"]"));
    assert!(runs(&lab).is_empty());
}

#[test]
fn plan_report_and_check_start_nothing() {
    let lab = lab();
    let plan = ["plan", "tiny.toml", "--out", "out"];
    let output = lrbm(&lab, &[&plan[..], &["--format", "commands"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the version of model `One` is not known"), "{}", stderr(&output));
    assert!(stdout(&lrbm(&lab, &plan)).contains("6 to do"));
    assert!(lab.run(&["--dry-run"]).status.success());
    assert!(started(&lab).is_empty());
    succeeds(&lab, &["-q"]);
    started(&lab);
    fs::write(lab.home().join("version"), "2").unwrap();
    // The recorded version still matches.
    let text = stdout(&lrbm(&lab, &plan));
    assert!(text.contains("6 jobs in out: 6 done"), "{text}");
    assert!(lrbm(&lab, &[&plan[..], &["--format", "commands"]].concat()).stdout.is_empty());
    for args in [&["report", "out", "--out", "report"][..], &["check", "out", "--bless", "--baseline", "b.csv"]] {
        let output = lrbm(&lab, args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    }
    assert!(started(&lab).is_empty());
}

/// A version that was asked for some jobs of a model is that of all its jobs.
#[test]
fn selected_jobs_record_the_version_of_the_model() {
    let lab = lab();
    succeeds(&lab, &["-q", "--only", "fold=2"]);
    let planned = |text: &str| {
        let plan = stdout(&lrbm(&lab, &["plan", "tiny.toml", "--out", "out"]));
        assert!(plan.contains(text), "{plan}");
    };
    planned("6 jobs in out: 3 done, 3 to do");
    fs::write(lab.home().join("version"), "2").unwrap();
    succeeds(&lab, &["-q", "--only", "fold=1"]);
    // The results of the second fold are those of another version.
    planned("external system changed: version 1.0 → 2");
    planned("6 jobs in out: 5 done, 1 to do");
    let report = stdout(&lrbm(&lab, &["report", "out", "--out", "report"]));
    assert!(report.contains("1 results were made with another spec"), "{report}");
}

/// A version command that fails, or scores that are gone, do not cost the results that exist.
#[test]
fn results_survive_a_failing_version_and_missing_scores() {
    let version = "version = [\"sh\", \"{spec_dir}/one.sh\", \"--version\"]";
    let lab = lab_with(&SPEC.replace(version, "version = [\"sh\", \"{spec_dir}/version.sh\"]"));
    let set_version = |script: &str| fs::write(lab.home().join("version.sh"), script).unwrap();
    set_version("echo 1.0");
    succeeds(&lab, &["-q", "--only", "fold=1"]);
    let metrics = |lab: &Lab| fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let first: Vec<String> = metrics(&lab).lines().map(str::to_owned).collect();
    set_version("exit 1");
    let output = lab.run(&["-q"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let now = metrics(&lab);
    let of_one = |line: &&String| line.starts_with("movies,One,");
    assert!(first.iter().filter(of_one).all(|line| now.contains(line.as_str())), "{now}");
    let failed = record(&lab, "movies/One/default/fold2-seed7");
    assert!(failed["message"].as_str().unwrap().contains("the version command failed"), "{failed}");
    set_version("echo 1.0");
    succeeds(&lab, &["-q", "--retry-failed"]);

    let scores = Lab::with(
        "name = \"tiny\"\nseed = 7\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"S\"\nkind = \"scores\"\n\
         path = \"fold{fold}.csv\"\n",
    );
    let output = lrbm(&scores, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for fold in [1, 2] {
        let queries =
            fs::read_to_string(scores.home().join(format!("splits/movies/fold{fold}-seed7/test/queries.txt")));
        let rows: Vec<String> = queries
            .unwrap()
            .lines()
            .enumerate()
            .map(|(n, query)| format!("{},{n}\n", query.trim_end_matches('.')))
            .collect();
        fs::write(scores.home().join(format!("fold{fold}.csv")), format!("example,score\n{}", rows.concat())).unwrap();
    }
    succeeds(&scores, &["-q"]);
    let before = metrics(&scores);
    fs::remove_file(scores.home().join("fold2.csv")).unwrap();
    succeeds(&scores, &["-q"]);
    assert_eq!(metrics(&scores), before);
}

/// Absolute paths are not part of a key.
#[test]
fn a_moved_spec_keeps_its_results() {
    let (lab, other) = (lab(), Lab::new());
    succeeds(&lab, &["-q"]);
    for name in ["tiny.toml", "one.sh", "two.sh", "version"] {
        fs::copy(lab.home().join(name), other.home().join(name)).unwrap();
    }
    copy(&lab.out(), &other.out());
    assert!(runs(&other).is_empty());
}

#[test]
fn a_sweep_varies_a_parameter_of_a_command() {
    let lab = lab();
    lab.write_spec(&format!("{SPEC}\n[sweep]\nrounds = [1, 2]\n"));
    assert_eq!(runs(&lab).len(), 8, "the other models run once");
    let calls = started(&lab);
    for rounds in [1, 2] {
        let with = format!("\"rounds\": {rounds}");
        assert_eq!(calls.iter().filter(|call| call.contains(&with)).count(), 2, "{calls:?}");
    }
    assert!(lab.out().join("jobs/movies/One/rounds=2/fold1-seed7/info.json").is_file());
    let refused = |spec: &str, message: &str| {
        lab.write_spec(spec);
        let output = lab.run(&[]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    };
    refused(&format!("{SPEC}\n[sweep]\nround = [1, 2]\n"), "sweep.round: unknown key");
    refused(&SPEC.replace("{spec_dir}/two.sh", "{dir}/two.sh"), "unknown placeholder `{dir}`; expected `{spec_dir}`");
    refused(
        &SPEC.replace("{spec_dir}/two.sh", "{spec_dir/two.sh"),
        "the brace of `{spec_dir/two.sh` is not closed; expected `{spec_dir}`",
    );
    refused(&SPEC.replace("run = [\"sh\", \"{spec_dir}/two.sh\"]", ""), "model[1].run: missing");
    refused(&format!("{SPEC}run = [\"sh\"]\n"), "`rdn-boost` does not have this key, only `command` does");
    refused(
        &SPEC.replace("files = [\"two.sh\"]", "trees = 3"),
        "parameters of a command belong into `params = { trees = … }`",
    );
    refused(&SPEC.replace("files = [\"two.sh\"]", "files = [\"no.sh\"]"), "model `Two`: ");
    refused(&SPEC.replace("files = [\"two.sh\"]", "features = \"walks\""), "`random-walks` and `clauses`");
}

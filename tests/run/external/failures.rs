//! Every failure is a row with its reason.

use std::fs;

use super::{SCRIPT, record, spec_of, succeeds};
use crate::lab::{Lab, stderr, stdout};

/// Returns the status and message of the only job of a script.
fn ends_with(head: &str, script: &str) -> (i32, String, String) {
    let lab = Lab::with(&spec_of(head, script));
    let output = lab.run(&["-q", "--only", "fold=1"]);
    let record = record(&lab, "movies/M/default/fold1-seed7");
    let csv = fs::read_to_string(lab.out().join("metrics.csv")).unwrap();
    let status = record["status"].as_str().unwrap();
    let shown = if record["failure"] == "refused" { "refused" } else { status };
    assert!(csv.contains(&format!(",{shown},")), "{csv}");
    let message = record["message"].as_str().unwrap_or_default().to_owned();
    (output.status.code().unwrap(), shown.to_owned(), message)
}

/// Writes valid scores, then changes them.
fn scored(change: &str) -> String {
    let body = SCRIPT.split_once("echo \"example,score\"").unwrap().1.split_once("echo '{").unwrap().0;
    format!("echo \"example,score\"{body}\n{change}")
}

#[test]
fn invalid_scores_and_exit_codes_fail_the_job() {
    let cases: Vec<(String, &str)> = vec![
        ("echo oops; echo why >&2; exit 3".to_owned(), "the command ended with exit code 3; the end of its output:"),
        ("kill -9 $$".to_owned(), "the command was ended by signal 9; it printed nothing"),
        ("true".to_owned(), "the command wrote no scores.csv: "),
        (scored("sed -i '$d' scores.csv"), "scores.csv lacks 1 of "),
        (scored("sed -n '2p' scores.csv > x; cat x >> scores.csv"), " has a second score"),
        (scored("echo 'workedunder(no,body),1' >> scores.csv"), "workedunder(no,body) is not in test/queries.txt"),
        (scored("sed -i '2s/,[0-9]*$/,high/' scores.csv"), "is `high`; expected a number"),
        (scored("sed -i '2s/,[0-9]*$/,nan/' scores.csv"), "is `nan`; expected a number"),
        (scored("sed -i '1s/score/probability/' scores.csv"), "expected a number from 0 to 1"),
        (scored("sed -i '1d' scores.csv"), "expected `example,score` or `example,probability`"),
        (scored("echo 3 > info.json"), "info.json must be a JSON object"),
        ("ln -s /dev/zero scores.csv".to_owned(), "not a regular file"),
        ("mkfifo scores.csv".to_owned(), "not a regular file"),
        ("head -c 9000000 /dev/zero > scores.csv".to_owned(), "more than "),
        (
            "echo before; setsid sleep 5 & sleep 0.2; exit 4".to_owned(),
            "exit code 4; the end of its output:\n  | before",
        ),
    ];
    for (script, message) in cases {
        let (code, status, found) = ends_with("", &script);
        assert_eq!((code, status.as_str()), (3, "failed"), "{script}: {found}");
        assert!(found.contains(message), "{script}: {found}");
    }
    let (_, _, message) = ends_with("", "echo one; printf 'a\\033[2Jb\\n' >&2; exit 3");
    assert!(message.ends_with("\n  | one\n  | a\\u{1b}[2Jb"), "{message}");
}

#[test]
fn exit_code_77_is_unsupported() {
    let (code, status, message) = ends_with("", "echo 'needs two arguments'; exit 77");
    assert_eq!((code, status.as_str()), (0, "refused"));
    assert_eq!(message, "the command is not made for this dataset (exit code 77): needs two arguments");
}

#[test]
fn a_missing_program_and_a_failing_version_fail_the_job() {
    let lab = Lab::with(&spec_of("", "true").replace("\"sh\", \"-c\"", "\"no such program\""));
    assert_eq!(lab.run(&["-q"]).status.code(), Some(3));
    let message = record(&lab, "movies/M/default/fold1-seed7")["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("cannot start `no such program`: "), "{message}");

    let spec = spec_of("", &scored("")) + "version = [\"sh\", \"-c\", \"echo no >&2; exit 1\"]\n";
    let lab = Lab::with(&spec);
    assert_eq!(lab.run(&["-q"]).status.code(), Some(3));
    let message = record(&lab, "movies/M/default/fold1-seed7")["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("the version command failed: exit status: 1; the end of its output:\n  | no"),
        "{message}"
    );
    // Failed jobs stay failed until the version is known, which changes their key.
    assert!(lab.events("start", &[]).is_empty());
    lab.write_spec(&spec.replace("echo no >&2; exit 1", "echo 2"));
    succeeds(&lab, &["-q"]);
}

#[test]
fn limits_end_the_whole_process_group() {
    let mark = format!("9{}.25", std::process::id());
    let slow = format!("sleep {mark} & sleep {mark}");
    let (code, status, message) = ends_with("time_limit = 1", &slow);
    assert_eq!((code, status.as_str(), message.as_str()), (3, "failed", "exceeded the time limit of 1 s"));
    assert_eq!(super::processes(&mark), Vec::<String>::new());

    // The limit of a model replaces that of the experiment.
    let lab = Lab::with(&(spec_of("time_limit = \"1 h\"", &slow) + "time_limit = 1\n"));
    assert_eq!(lab.run(&["-q", "--only", "fold=1"]).status.code(), Some(3));

    let hungry = format!("(x=$(head -c 90000000 /dev/zero | tr '\\0' a); sleep {mark}) & sleep {mark}");
    let (code, status, message) = ends_with("memory_limit = \"60 MB\"", &hungry);
    assert_eq!((code, status.as_str()), (3, "failed"));
    assert_eq!(message, "exceeded the memory limit of 60000000 bytes");
    assert_eq!(super::processes(&mark), Vec::<String>::new());
}

/// A process that a command leaves behind ends with it, although it holds the output open.
#[test]
fn nothing_outlives_a_command() {
    let mark = format!("8{}.25", std::process::id());
    let (code, status, message) = ends_with("", &format!("{}\nsleep {mark} &", scored("")));
    assert_eq!((code, status.as_str(), message.as_str()), (0, "done", ""));
    assert_eq!(super::processes(&mark), Vec::<String>::new());
}

#[test]
fn memory_and_time_of_the_command_are_recorded() {
    // The loop takes processor time in a process of its own; the sleep takes none.
    let busy = "sh -c 'n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done'";
    let script = scored(&format!("x=$(head -c 50000000 /dev/zero | tr '\\0' a); {busy}; sleep 0.3"));
    let lab = Lab::with(&spec_of("", &script));
    succeeds(&lab, &["-q", "--only", "fold=1"]);
    let machine = record(&lab, "movies/M/default/fold1-seed7")["machine"].clone();
    assert!(machine["peak_memory_bytes"].as_u64().unwrap() > 40_000_000, "{machine}");
    assert!(machine["train_seconds"].as_f64().unwrap() >= 0.3, "{machine}");
    let used = machine["cpu_seconds"].as_f64().unwrap();
    assert!(used > 0.02 && used < machine["train_seconds"].as_f64().unwrap(), "{machine}");
}

#[test]
fn several_classes_are_unsupported() {
    let data = "tests/golden/classes/data";
    let path = format!("{}/{data}", env!("CARGO_MANIFEST_DIR"));
    let spec = spec_of("[dataset.classes]\nclasses = true\n", "true")
        .replace("\"movies\"", "\"classes\"")
        .replace("classes = true", &format!("classes = true\nid = \"{path}\""));
    let lab = Lab::with(&spec);
    let output = lab.run(&["-q"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let message = record(&lab, "classes/M/default/fold1-seed7")["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "command supports two classes only; the target has several");
}

/// What was printed before the time limit is in the log.
#[test]
fn the_output_before_a_limit_is_logged() {
    let lab = Lab::with(&spec_of("time_limit = 1", "echo one epoch; sleep 60"));
    assert_eq!(lab.run(&["-q", "--only", "fold=1"]).status.code(), Some(3));
    let log = fs::read_to_string(lab.out().join("jobs/movies/M/default/fold1-seed7/log.txt")).unwrap();
    assert!(log.contains("| one epoch"), "{log}");
}

//! `lrbm check --record` and `lrbm report --history`.

use super::lab::{Lab, SPEC, is_there};

const HISTORY: &str = "results/history.csv";

/// Returns the history with the rows of its first commit under other names, and scores shifted by
/// an amount per commit.
fn replayed(text: &str, shifts: &[f64]) -> String {
    let mut lines = text.lines();
    let mut all = format!("{}\n", lines.next().unwrap());
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for (number, shift) in shifts.iter().enumerate() {
        for row in &rows {
            let mut row: Vec<String> = row.iter().map(ToString::to_string).collect();
            row[0] = format!("commit{number}");
            row[10] = (row[10].parse::<f64>().unwrap() + shift).to_string();
            all += &(row.join(",") + "\n");
        }
    }
    all
}

#[test]
fn runs_are_appended_and_reported() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    lab.lrbm(&["report", "--history", HISTORY]).expect(2, &["no history found", "--record FILE` creates one"]);
    // A run is recorded whatever the verdict; here there is no baseline yet.
    lab.lrbm(&["check", "run", "--record", HISTORY]).expect(6, &["recorded 6 rows in results/history.csv"]);
    let text = lab.read(HISTORY);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], "commit,date,platform,data,dataset,model,preset,case,fold,seed,auc_roc,auc_pr,cll,seconds");
    assert!(lines[1].contains(",movies,Boost,,,1,7,0."), "{}", lines[1]);
    lab.lrbm(&["check", "run", "--bless", "--record", HISTORY]).expect(0, &["recorded 6 rows"]);
    assert!(lab.read(HISTORY).starts_with(&text), "nothing is rewritten");

    lab.write(HISTORY, &replayed(&text, &[0.0, 0.0, -0.05, -0.05]));
    let output = lab.lrbm(&["report", "--history", HISTORY]);
    output.expect(0, &["4 commits, 2 change points, 3 figures", "report: results/history/history.html"]);
    let page = lab.read("results/history/history.html");
    assert_eq!(page.matches("<div class=\"drawing\"><svg").count(), 3);
    assert!(page.contains("<p>4 commits, commit0 to commit3; 2 change points.</p>"), "{page}");
    assert!(page.contains("<figcaption>Processor seconds of a job over commits."), "{page}");
    assert!(page.contains("commit2") && page.contains("regressed") && page.contains("−0.0500"), "{page}");
    let text = lab.read("results/history/history.md");
    assert!(text.contains("| commit2 | movies") && !text.contains("| commit1 | movies"), "{text}");
    for name in ["auc-roc", "auc-pr", "seconds"] {
        assert!(lab.read(&format!("results/history/{name}.svg")).contains("commit0"), "{name}");
    }
    lab.lrbm(&["report", "--history", HISTORY, "--out", "elsewhere"]).expect(0, &["elsewhere/history.html"]);
    // The page may be written beside files of the project.
    lab.write("README.md", "my project");
    lab.lrbm(&["report", "--history", HISTORY, "--out", "."]).expect(0, &["history.html"]);
    assert_eq!(lab.read("README.md"), "my project");
}

#[test]
fn other_negatives_are_other_data() {
    let lab = Lab::new();
    let other = SPEC.replace("folds = 3", "folds = 3\nnegatives_per_positive = 1");
    for (spec, commit) in [(SPEC, "first"), (SPEC, "second"), (&other, "third")] {
        lab.run(spec, commit);
        lab.lrbm(&["check", commit, "--record", HISTORY, "--commit", commit]).expect(6, &["recorded 6 rows"]);
    }
    assert!(lab.read(HISTORY).contains("-r3-n2-"), "{}", lab.read(HISTORY));
    lab.lrbm(&["report", "--history", HISTORY]).expect(0, &["3 commits"]);
    let page = lab.read("results/history/history.md");
    assert!(page.contains("| third  | movies  |") && page.contains("| other data |"), "{page}");
    for words in ["| regressed", "| improved"] {
        assert!(!page.contains(words), "{words}: {page}");
    }
    lab.lrbm(&["check", "first", "--commit", "x"]).expect(2, &["--record"]);
    lab.lrbm(&["check", "first", "--record", HISTORY, "--commit", " "]).expect(2, &["must be a name"]);
}

#[test]
fn an_incomplete_last_line_is_dropped_with_a_note() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    let record = ["check", "run", "--record", HISTORY];
    lab.lrbm(&record).expect(6, &[]);
    let whole = lab.read(HISTORY);
    lab.write(HISTORY, &whole[..whole.len() - 5]);
    let note = "results/history.csv:7: the last line is incomplete and was dropped";
    lab.lrbm(&["report", "--history", HISTORY]).expect(0, &["1 commit,", note]);
    lab.lrbm(&record).expect(6, &[note]);
    assert_eq!(lab.read(HISTORY).lines().count(), 1 + 5 + 6);
    lab.lrbm(&["report", "--history", HISTORY]).expect(0, &["1 commit, 0 change points"]);
}

#[test]
fn a_killed_process_leaves_the_old_or_the_new_history() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    let record = ["check", "run", "-q", "--record", HISTORY];
    lab.lrbm(&record).expect(6, &[]);
    let before = lab.read(HISTORY);
    let mut killed = 0;
    for at in 1.. {
        lab.write(HISTORY, &before);
        let code = lab.lrbm_with(&record, Some(&format!("stop:{at}"))).code;
        let after = lab.read(HISTORY);
        assert!(after == before || after.lines().count() == 13 && after.starts_with(&before), "{at}: {after}");
        if code == 6 {
            break;
        }
        killed += 1;
        assert!(at < 100);
    }
    assert!(killed >= 3, "{killed}");
}

#[test]
fn invalid_histories_are_reported() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    lab.write(HISTORY, "commit,score\na,1\n");
    let message = "results/history.csv:1: columns `commit,score`; expected `commit,date,platform";
    lab.lrbm(&["report", "--history", HISTORY]).expect(2, &[message]);
    lab.lrbm(&["check", "run", "--record", HISTORY]).expect(2, &[message]);
    assert_eq!(lab.read(HISTORY), "commit,score\na,1\n");
    // A file of the user without a line end is not what a killed process left.
    lab.write(HISTORY, "my notes");
    lab.lrbm(&["check", "run", "--record", HISTORY]).expect(2, &["results/history.csv:1: not a history"]);
    assert_eq!(lab.read(HISTORY), "my notes");
    lab.write(HISTORY, "");
    lab.lrbm(&["report", "--history", HISTORY]).expect(4, &["the history has no rows yet"]);
    // The spec of the run is not a history.
    lab.lrbm(&["check", "run", "--record", "run/spec.toml"]).expect(2, &["--record", "cannot be overwritten"]);
    for options in [["--record", "q", "--markdown", "./q"], ["--junit", "q", "--markdown", "q"]] {
        let message = ["--markdown", "names the same file"];
        lab.lrbm(&[&["check", "run"], &options[..]].concat()).expect(2, &message);
        assert!(!is_there(&lab.path("q")));
    }
    lab.lrbm(&["report", "run", "--history", HISTORY]).expect(2, &["cannot be used with"]);
    assert!(!is_there(&lab.path("results/history")));
}

/// Processes that record at the same time take turns, so that no row is lost.
#[test]
fn concurrent_processes_lose_no_rows() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    let commits: Vec<String> = (0..6).map(|number| format!("commit{number}")).collect();
    std::thread::scope(|scope| {
        for commit in &commits {
            let lab = &lab;
            scope.spawn(move || {
                lab.lrbm(&["check", "run", "--record", HISTORY, "--commit", commit]).expect(6, &["recorded 6 rows"]);
            });
        }
    });
    let text = lab.read(HISTORY);
    for commit in &commits {
        assert_eq!(text.lines().filter(|line| line.starts_with(&format!("{commit},"))).count(), 6, "{commit}: {text}");
    }
    assert_eq!(text.lines().count(), 1 + 6 * 6);
}

//! No label of a test example is in the directory of a command, its parents, or its environment.

use std::fs;
use std::process::Command;

use super::{lrbm, spec_of, texts};
use crate::lab::{Lab, stderr};

/// Copies all that a command can see without leaving: its directory, the files beside each parent
/// up to a root (what the system's temporary directory holds is not ours), and the environment.
/// Then it scores by position.
const SPY: &str = r#"
set -e
mkdir "$SPY" "$SPY/parents"
cp -r . "$SPY/directory"
env > "$SPY/environment"
here=$(pwd)
while [ "$here" != "$ROOT" ]; do
  here=$(dirname "$here")
  echo "$here" >> "$SPY/parents/list"
  for file in "$here"/* "$here"/.[!.]*; do
    if [ -f "$file" ]; then cat "$file" >> "$SPY/parents/files" 2> /dev/null || true; fi
  done
done
echo "example,score" > scores.csv
n=0
while read -r query; do n=$((n+1)); echo "${query%.},$n" >> scores.csv; done < test/queries.txt
"#;

/// The facts of this dataset list the target, as those of careless users do.
fn write_data(lab: &Lab) {
    let data = lab.home().join("data");
    fs::create_dir(&data).unwrap();
    let mut files = [String::new(), String::new(), String::new()];
    for i in 0..20 {
        let (positive, negative) =
            (format!("likes(\"P {i}\",q{i}).\n"), format!("likes(\"P {i}\",q{}).\n", (i + 7) % 20));
        files[0] += &positive;
        files[1] += &negative;
        files[2] += &format!("{positive}knows(\"P {i}\",q{}).\nage(q{i},{i}).\n", i / 2);
    }
    let modes = "mode: likes(+person,+thing).\nmode: knows(+person,-thing).\nmode: age(+thing,#year).\n";
    for (name, text) in ["pos", "neg", "facts", "bk"].iter().zip(files.iter().map(String::as_str).chain([modes])) {
        fs::write(data.join(format!("train_{name}.txt")), text).unwrap();
    }
}

#[test]
fn a_command_sees_no_test_label() {
    for (dataset, features) in [("movies", "random-walks"), ("movies", "clauses"), ("data", "random-walks")] {
        let head = if dataset == "data" { "[dataset.data]\nfold_scheme = \"random\"\n" } else { "" };
        let spec = spec_of(head, SPY) + &format!("features = \"{features}\"\n");
        let spec = spec.replace("\"movies\"", &format!("\"{dataset}\""));
        let lab = Lab::with(&spec);
        write_data(&lab);
        let export = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
        assert!(export.status.success(), "{}", stderr(&export));
        let root = tempfile::tempdir().unwrap();
        let temporary = root.path().canonicalize().unwrap().join("temporary");
        fs::create_dir(&temporary).unwrap();
        let spied = lab.home().join("spied");
        let mut command = lab.command(&["-q", "--only", "fold=1"]);
        let output = command
            .env("SPY", &spied)
            .env("LRBM_DATA", lab.home().join("labels"))
            .env("TMPDIR", &temporary)
            .env("ROOT", temporary.parent().unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));

        let labels = fs::read_to_string(lab.home().join(format!("splits/labels/{dataset}/fold1-seed7.csv"))).unwrap();
        let rows: Vec<(String, bool)> = labels
            .lines()
            .skip(1)
            .map(|line| line.rsplit_once(',').unwrap())
            .map(|(atom, label)| (atom.trim_matches('"').replace("\"\"", "\""), label == "1"))
            .collect();
        assert!(rows.iter().any(|row| row.1) && rows.iter().any(|row| !row.1));
        for (path, text) in texts(&spied) {
            let name = path.strip_prefix(&spied).unwrap().to_str().unwrap().to_owned();
            let text = text.replace("\"\"", "\"");
            match name.as_str() {
                // These list all examples of both labels alike, sorted.
                "directory/test/queries.txt" => {
                    let queries: Vec<&str> = text.lines().map(|line| line.trim_end_matches('.')).collect();
                    let mut sorted: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
                    sorted.sort_unstable();
                    assert_eq!(queries, sorted);
                }
                "directory/features/test.csv" => {
                    assert!(text.starts_with("example,") && !text.lines().next().unwrap().contains("label"), "{text}");
                }
                _ => {
                    for (atom, _) in &rows {
                        assert!(!text.contains(atom.as_str()), "{dataset}: {name} mentions {atom}");
                    }
                }
            }
            let paths = ["out", "splits", "labels"].map(|name| lab.home().join(name).display().to_string());
            if name == "environment" || name == "directory/job.json" {
                assert!(paths.iter().all(|path| !text.contains(path.as_str())), "{name}: {text}");
                for word in ["positive", "negative", "label"] {
                    assert!(!text.to_lowercase().contains(word), "{name}: {text}");
                }
            }
        }
        let parents = fs::read_to_string(spied.join("parents/list")).unwrap();
        assert_eq!(parents.lines().nth(1), temporary.to_str());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "the directory is removed");
        let environment = fs::read_to_string(spied.join("environment")).unwrap();
        assert!(environment.lines().any(|line| line.starts_with("LRBM_JOB=/") && line.ends_with("/job.json")));
        if features == "random-walks" {
            let table = fs::read_to_string(spied.join("directory/features/train.csv")).unwrap();
            assert!(table.starts_with("example,label,\""), "{table}");
            assert!(table.lines().skip(1).any(|line| line.contains("\",1,")) && table.contains("\",0,"), "{table}");
        } else {
            let clauses = fs::read_to_string(spied.join("directory/features/clauses.txt")).unwrap();
            assert!(clauses.starts_with("workedunder(A, B) :- ") && clauses.ends_with(".\n"), "{clauses}");
        }
    }
}

/// Waits for the job of the other fold, searches from its own parent and from the temporary
/// directory, and waits until the other has searched. A superuser sets its rights aside, which
/// would find everything.
const SEARCH: &str = r#"
set -e
fold=$(sed -n 's/.*"fold": \([0-9]*\),.*/\1/p' job.json)
meet() {
  touch "$SPY/$1-$fold"
  n=0
  until [ -e "$SPY/$1-1" ] && [ -e "$SPY/$1-2" ]; do n=$((n+1)); [ $n -lt 1200 ] || exit 9; sleep 0.05; done
}
search() {
  if [ "$(id -u)" = 0 ]; then set -- setpriv --inh-caps=-all --bounding-set=-all find "$1"; else set -- find "$1"; fi
  "$@" -type f -exec cat {} + 2> /dev/null || true
}
meet begun
search . > "$SPY/own-$fold"
search .. > "$SPY/parent-$fold"
search "$TMPDIR" > "$SPY/temporary-$fold"
meet searched
echo "example,score" > scores.csv
n=0
while read -r query; do n=$((n+1)); echo "${query%.},$n" >> scores.csv; done < test/queries.txt
"#;

/// The training examples of a fold are the test examples of another.
#[test]
fn jobs_at_the_same_time_do_not_find_each_other() {
    let is_superuser = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let dropped = Command::new("setpriv").args(["--inh-caps=-all", "--bounding-set=-all", "true"]).status();
    if is_superuser && !dropped.is_ok_and(|status| status.success()) {
        eprintln!("skipped: a superuser finds every file, and setpriv cannot take the rights away");
        return;
    }
    let lab = Lab::with(&spec_of("", SEARCH));
    let export = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(export.status.success(), "{}", stderr(&export));
    let temporary = tempfile::tempdir().unwrap();
    let spied = lab.home().join("spied");
    fs::create_dir(&spied).unwrap();
    let mut command = lab.command(&["-q", "--jobs", "2", "--threads", "2"]);
    let output = command.env("SPY", &spied).env("TMPDIR", temporary.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |name: String| fs::read_to_string(spied.join(name)).unwrap();
    for (fold, other) in [(1, 2), (2, 1)] {
        let labels = fs::read_to_string(lab.home().join(format!("splits/labels/movies/fold{fold}-seed7.csv"))).unwrap();
        let positives = labels.lines().filter_map(|line| line.strip_suffix(",1")).map(|atom| atom.trim_matches('"'));
        let positives: Vec<&str> = positives.collect();
        // What is to be hidden was there while it was searched for.
        let others = read(format!("own-{other}"));
        assert!(!positives.is_empty() && positives.iter().all(|atom| others.contains(&format!("{atom}.\n"))));
        for searched in ["parent", "temporary"] {
            assert_eq!(read(format!("{searched}-{fold}")), "", "fold {fold}, {searched}");
        }
    }
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "the directories are removed");
}

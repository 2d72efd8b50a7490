//! No label of a test example is in the directory of a command, its parents, or its environment.

use std::fs;

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
        assert_eq!(parents.lines().next(), temporary.to_str());
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

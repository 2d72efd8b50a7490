//! Ids of datasets with `--fold`: the examples of `lrbm run`.

use std::fs;
use std::path::Path;

use crate::common::program::{lrbm, rejected, succeeds};

/// Two presets of an ensemble and of a recursive model.
const SPEC: &str = r#"
name = "ids"
seed = 7
datasets = ["movies", "citations"]
presets = ["paper", "lookahead"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 3

[[model]]
name = "Recursive"
kind = "rdn-boost"
trees = 2
recursive = true
"#;

fn run(home: &Path) {
    fs::write(home.join("ids.toml"), SPEC).unwrap();
    succeeds(home, &["run", "ids.toml", "--quiet", "--only", "fold=2"]);
}

#[test]
fn train_and_predict_use_the_examples_of_run() {
    let home = tempfile::tempdir().unwrap();
    run(home.path());
    let metrics = fs::read_to_string(home.path().join("results/runs/ids/metrics.csv")).unwrap();
    let header: Vec<&str> = metrics.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
    let mut compared = 0;
    for row in metrics.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let (dataset, preset) = (cells[column("dataset")], cells[column("preset")]);
        let (kind, recursive) = (cells[column("kind")], cells[column("model")] == "Recursive");
        let fold = ["--data", dataset, "--fold", "2", "--seed", "7"];
        let trees = if recursive { "trees=2" } else { "trees=3" };
        let train = ["train", "-q", "--kind", kind, "--preset", preset, "--set", trees, "--out", "model.json"];
        let more: &[&str] = if recursive { &["--set", "recursive=true"] } else { &[] };
        succeeds(home.path(), &[&train[..], &fold, more].concat());
        let job = format!("results/runs/ids/jobs/{dataset}/{}/{preset}/fold2-seed7", cells[column("model")]);
        let read = |path: &str| fs::read_to_string(home.path().join(path)).unwrap();
        assert!(read("model.json") == read(&format!("{job}/model.json")), "{job}: another model");
        let said = succeeds(home.path(), &[&["predict", "--model", "model.json"][..], &fold].concat());
        for (name, column_name) in [("AUC-ROC", "auc_roc"), ("AUC-PR", "auc_pr")] {
            let expected: f64 = cells[column(column_name)].parse().unwrap();
            assert!(said.contains(&format!("{name} {expected:.6}")), "{job}: {said} and {expected}");
        }
        compared += 1;
    }
    assert_eq!(compared, 8);
}

#[test]
fn other_commands_know_ids() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["train", "-q", "--data", "movies", "--set", "trees=2", "--out", "m.json"]);
    let (code, out, err) = lrbm(home, &["convert", "--model", "m.json", "--data", "movies", "--simplify"]);
    // Without --split, convert reads training and explain test examples.
    assert!(code == Some(0) && out.contains("on 600 examples"), "{out}{err}");
    assert!(
        err.contains("movies, fold 1 of 5, seed 20200120: 200 positive and 400 negative training examples"),
        "{err}"
    );
    let (code, _, err) = lrbm(home, &["explain", "--model", "m.json", "--data", "movies", "--importance"]);
    assert!(code == Some(0) && err.contains("50 positive and 100 negative test examples"), "{err}");
    for (args, message) in [
        (&["--data", "movies", "--fold", "6"][..], "--fold 6: movies has folds 1 to 5"),
        (&["--data", "movie", "--fold", "1"], "unknown dataset `movie`; did you mean `movies`?"),
        (&["--data", "university"], "the model predicts workedunder, and the target of university is advisedby"),
        (&["--data", "movies", "--background", "bk.txt"], "--background and --set time_… apply to directories"),
    ] {
        let err = rejected(home, &[&["predict", "--model", "m.json"][..], args].concat());
        assert!(err.contains(message), "{err}");
    }
    let err = rejected(home, &["train", "--data", "movies", "--target", "actor", "--out", "n.json"]);
    assert!(err.contains("--target actor: the target of movies is workedunder"), "{err}");
}

#[test]
fn directory_wins_over_the_dataset_of_its_name() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["datasets", "generate", "movies", "--out", "movies"]);
    let (code, _, err) = lrbm(home, &["train", "--data", "movies", "--target", "workedunder", "--out", "m.json"]);
    assert!(code == Some(0) && err.contains("movies: the directory is read, not the dataset movies"), "{err}");
}

#[test]
fn target_is_that_of_the_examples_if_they_have_one_predicate() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["datasets", "generate", "movies", "--out", "films"]);
    succeeds(home, &["train", "--data", "films", "--target", "workedunder", "--out", "named.json"]);
    succeeds(home, &["train", "--data", "films", "--out", "found.json"]);
    let read = |name: &str| std::fs::read(home.join(name)).unwrap();
    assert_eq!(read("named.json"), read("found.json"));
    let positives = home.join("films/train_pos.txt");
    let text = std::fs::read_to_string(&positives).unwrap();
    std::fs::write(&positives, text + "knows(person1, person2).\n").unwrap();
    let err = rejected(home, &["train", "--data", "films", "--out", "other.json"]);
    assert!(
        err.contains("the examples have several predicates, workedunder/2, knows/2: select one with --target"),
        "{err}"
    );
}

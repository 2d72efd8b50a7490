//! User errors are rejected or reported, and no file is lost.

use std::fs;
use std::path::Path;

use crate::common::program::{lrbm, rejected, succeeds};

/// Runs a command that must succeed; returns stdout and stderr.
fn run(home: &Path, args: &[&str]) -> (String, String) {
    let (code, stdout, stderr) = lrbm(home, args);
    assert_eq!(code, Some(0), "{args:?}: {stderr}");
    (stdout, stderr)
}

const KINDS: [(&str, &str); 4] =
    [("mln-boost", "trees=2"), ("rrbm-c", "epochs=2"), ("rrbm-e", "epochs=2"), ("lrnn", "epochs=2")];

/// Creates a dataset of twenty people who each know a person with a pet and like such pets.
fn people() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("d");
    fs::create_dir(&data).unwrap();
    let (mut facts, mut pos, mut neg) = (String::new(), String::new(), String::new());
    for i in 0..20 {
        let (pet, other) = if i % 2 == 0 { ("dog", "cat") } else { ("cat", "dog") };
        facts += &format!("knows(p{i}, q{i}). knows(p{i}, r{i}). has(q{i}, {pet}).\n");
        pos += &format!("likes(p{i}, {pet}).\n");
        neg += &format!("likes(p{i}, {other}).\n");
    }
    let modes = "mode: knows(+person, -person).\nmode: has(+person, -pet).\nmode: has(+person, +pet).\nmode: likes(+person, +pet).\n";
    for (name, text) in [("facts", facts.as_str()), ("pos", &pos), ("neg", &neg), ("bk", modes)] {
        fs::write(data.join(format!("{name}.txt")), text).unwrap();
    }
    home
}

fn train(home: &Path, kind: &str, set: &str) -> String {
    let out = format!("{kind}.json");
    run(home, &["train", "--data", "d", "--target", "likes", "--kind", kind, "--set", set, "--out", &out, "-q"]).0
}

#[test]
fn datasets_list_works_without_data() {
    let home = tempfile::tempdir().unwrap();
    let listed = run(home.path(), &["datasets", "list"]).0;
    assert_eq!((listed.matches("  no  ").count(), listed.matches(" always ").count()), (10, 8), "{listed}");
    // A damaged dataset does not hide the others.
    fs::create_dir_all(home.path().join("datasets/cache/imdb")).unwrap();
    fs::write(home.path().join("datasets/cache/imdb/SHA256SUMS"), "nonsense\n").unwrap();
    let listed = run(home.path(), &["datasets", "list"]).0;
    assert_eq!((listed.matches("  no  ").count(), listed.matches("  damaged  ").count()), (9, 1), "{listed}");
}

#[test]
fn tiny_laplace_values_are_rejected() {
    let home = people();
    let args = ["train", "--data", "d", "--target", "likes", "--kind", "rpt", "--out", "m.json", "-q"];
    let stderr = rejected(home.path(), &[&args[..], &["--set", "laplace=1e-320"]].concat());
    assert!(stderr.contains("laplace") && stderr.contains("a number from 0.000001 to 1000"), "{stderr}");
    assert!(!home.path().join("m.json").exists());
    // The minimum gives a valid model.
    run(home.path(), &[&args[..], &["--set", "laplace=0.000001", "--set", "min_leaf=1"]].concat());
    run(home.path(), &["predict", "--model", "m.json", "--data", "d", "-q"]);
    run(home.path(), &["explain", "--model", "m.json"]);
}

#[test]
fn leaf_values_beyond_the_limit_are_rejected_by_all_commands() {
    let home = people();
    train(home.path(), "rpt", "laplace=1");
    let path = home.path().join("rpt.json");
    let mut model: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let node = |node: &serde_json::Value| node.get("leaf").is_some();
    let leaf = model["trees"][0].as_array().unwrap().iter().position(node).unwrap();
    model["trees"][0][leaf]["leaf"]["value"] = 1e9.into();
    fs::write(&path, model.to_string()).unwrap();
    for args in [&["predict", "--data", "d"][..], &["explain"]] {
        let stderr = rejected(home.path(), &[args, &["--model", "rpt.json"]].concat());
        assert!(stderr.contains("1e9 to the log-odds; expected at most 1e6 in magnitude"), "{stderr}");
    }
}

#[test]
fn no_command_overwrites_its_inputs() {
    let home = people();
    train(home.path(), "rpt", "laplace=1");
    train(home.path(), "lrbm-boost", "trees=2");
    let rules = "likes(A, B) :- knows(A, C), has(C, B).\n";
    fs::write(home.path().join("rules.txt"), rules).unwrap();
    let learn = ["train", "--data", "d", "--target", "likes", "--out"];
    let weights =
        ["train", "--kind", "lrbm-weights", "--rules", "rules.txt", "--data", "d", "--target", "likes", "--out"];
    let copy = ["train", "--kind", "lrbm-explainable", "--from", "lrbm-boost.json", "--data", "d", "--target", "likes"];
    let query = ["explain", "--model", "rpt.json", "--data", "d", "--query", "likes(p0, dog)", "--html"];
    let weigh = ["explain", "--model", "rpt.json", "--data", "d", "--importance"];
    let convert = ["convert", "--model", "rpt.json", "--data", "d"];
    let cases: [(&[&str], &[&str]); 17] = [
        (&learn, &["d/pos.txt"]),
        (&learn, &["d/../d/facts.txt"]),
        (&learn, &["m.json", "--dot", "d/bk.txt"]),
        (&weights, &["rules.txt"]),
        (&weights, &["d/neg.txt"]),
        (&copy, &["--out", "lrbm-boost.json"]),
        (&["predict", "--model", "rpt.json", "--data", "d", "--out"], &["rpt.json"]),
        (&["predict", "--model", "rpt.json", "--data", "d", "--out"], &["d/facts.txt"]),
        (&query, &["rpt.json"]),
        (&query, &["d/neg.txt"]),
        (&weigh, &["--csv", "d/pos.txt"]),
        (&weigh, &["--svg", "rpt.json"]),
        (&convert, &["--out", "rpt.json"]),
        (&convert, &["--dot", "d/pos.txt"]),
        (&convert, &["--svg", "d/neg.txt"]),
        (&["convert", "--rules", "rules.txt"], &["--out", "rules.txt"]),
        (&["convert", "--rules", "rules.txt"], &["--svg", "rules.txt"]),
    ];
    let names = ["d/pos.txt", "d/neg.txt", "d/facts.txt", "d/bk.txt", "rules.txt", "rpt.json", "lrbm-boost.json"];
    let all = || names.map(|name| fs::read(home.path().join(name)).unwrap());
    let before = all();
    for (command, more) in cases {
        let stderr = rejected(home.path(), &[command, more, &["-q"]].concat());
        assert!(stderr.contains("so it cannot be overwritten: choose another name"), "{command:?} {more:?}: {stderr}");
        assert_eq!(all(), before, "{command:?} {more:?}");
    }
    // Existing files that are not inputs are overwritten.
    run(home.path(), &[&learn[..], &["rpt.json", "--set", "trees=2", "-q"]].concat());
}

#[test]
fn model_sizes_are_reported_in_units_of_the_kind() {
    let home = people();
    for (kind, set, words) in [
        ("lrbm-boost", "trees=2", "2 trees, "),
        ("rpt", "laplace=1", "1 tree, "),
        ("mln-boost", "trees=2", " of 2 steps, "),
        ("progol", "max_seeds=50", " rule"),
        ("rrbm-c", "epochs=2", "20 hidden units over "),
        ("lrnn", "epochs=2", " for latent predicates, "),
    ] {
        let stderr = train(home.path(), kind, set);
        assert!(stderr.contains(words) && !stderr.contains("parts"), "{kind}: {stderr}");
        let singular = [" 1 trees", " 1 leaves", " 1 rules", " 1 clauses", " 1 walks", " 1 steps"];
        assert!(!singular.iter().any(|wrong| stderr.contains(wrong)), "{stderr}");
    }
}

#[test]
fn models_without_rules_answer_queries_and_reject_rule_options() {
    let home = people();
    for (kind, set) in KINDS {
        train(home.path(), kind, set);
        let model = format!("{kind}.json");
        let query = ["explain", "--model", &model, "--data", "d", "--query", "likes(p0, dog)"];
        let scores = ["predict", "--model", &model, "--data", "d", "--out", "scores.csv", "-q"];
        run(home.path(), &scores);
        let scores = fs::read_to_string(home.path().join("scores.csv")).unwrap();
        let line = scores.lines().find(|line| line.contains("likes(p0,dog)")).unwrap();
        let probability: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        // Slightly below and slightly above the probability.
        for (threshold, decision) in [(probability - 1e-9, true), (probability + 1e-9, false)] {
            let threshold = threshold.to_string();
            let stdout = run(home.path(), &[&query[..], &["--threshold", &threshold]].concat()).0;
            let answer = format!("likes(p0,dog): {decision}, probability of true {probability:.6}\n");
            assert!(stdout.starts_with(&answer), "{kind}: {stdout}");
            assert!(stdout.contains("in the data it is a positive example"), "{kind}: {stdout}");
            let json = run(home.path(), &[&query[..], &["--json", "--threshold", &threshold]].concat()).0;
            let stderr: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!((&stderr["decision"], &stderr["label"]), (&decision.into(), &true.into()), "{kind}");
            assert!((stderr["probability"].as_f64().unwrap() - probability).abs() < 1e-12, "{kind}");
        }
        for more in [&["--class", "7"][..], &["--tries", "0"], &["--html", "page.html"]] {
            let stderr = rejected(home.path(), &[&query[..], more].concat());
            let expected = format!("{} supports trees and networks only: omit it", more[0]);
            assert!(stderr.contains(&expected) && !stderr.contains("--query"), "{kind}: {stderr}");
        }
        let stderr = rejected(home.path(), &["explain", "--model", &model, "--data", "d", "--importance"]);
        assert!(
            stderr.contains("--importance supports trees and networks only") && stderr.contains("use --query"),
            "{kind}: {stderr}"
        );
        let stderr = rejected(home.path(), &["explain", "--model", &model, "--trees"]);
        assert!(stderr.contains("and no trees: omit it"), "{kind}: {stderr}");
        let stderr = rejected(home.path(), &["convert", "--model", &model]);
        assert!(stderr.contains("give trees, or rules of progol or of your own"), "{kind}: {stderr}");
    }
    train(home.path(), "progol", "max_seeds=50");
    run(home.path(), &["convert", "--model", "progol.json"]);
    // Options of a query are rejected without one.
    for more in [["--top", "3"], ["--tries", "3"], ["--threshold", "0.7"]] {
        let stderr = rejected(home.path(), &[&["explain", "--model", "progol.json"][..], &more].concat());
        assert!(stderr.contains("--query"), "{stderr}");
    }
}

#[test]
fn examples_of_another_arity_cause_a_warning() {
    let home = people();
    let neg = home.path().join("d/neg.txt");
    let more = fs::read_to_string(&neg).unwrap() + "likes(p3).\nlikes(p5).\nowns(p3).\n";
    fs::write(&neg, more).unwrap();
    let args = ["train", "--data", "d", "--target", "likes", "--set", "trees=2", "--out", "m.json"];
    let stderr = run(home.path(), &args).1;
    let message = "0 positive and 2 negative examples of likes/1 are ignored, since the target is likes/2";
    assert!(stderr.contains(message) && !stderr.contains("owns"), "{stderr}");
    let stderr = run(home.path(), &["predict", "--model", "m.json", "--data", "d"]).1;
    assert!(stderr.contains(message), "{stderr}");
    assert!(run(home.path(), &[&args[..], &["-q"]].concat()).1.is_empty());
}

#[test]
fn facts_hidden_by_a_template_cause_a_warning() {
    let home = people();
    let template = "likes(A, B) :- knows(A, C), has(C, B).\nhas(A, B) :- knows(A, C), knows(C, B).\n";
    fs::write(home.path().join("t.txt"), template).unwrap();
    let args = ["train", "--kind", "lrnn", "--rules", "t.txt", "--data", "d", "--target", "likes", "--out", "m.json"];
    let stderr = run(home.path(), &[&args[..], &["--set", "epochs=1"]].concat()).1;
    assert!(stderr.contains("has/2 heads a rule, so it is latent: its 20 facts are ignored"), "{stderr}");
    // A cycle below the target is reported for the predicate in the cycle.
    fs::write(home.path().join("t.txt"), "likes(A, B) :- a(A, B).\na(A, B) :- b(A, B).\nb(A, B) :- a(A, B).\n")
        .unwrap();
    let stderr = rejected(home.path(), &args);
    assert!(stderr.contains("a/2 depends on itself, through b/2"), "{stderr}");
}

#[test]
fn quiet_hides_warnings_even_with_errors() {
    let home = people();
    // One warning and one error.
    fs::write(home.path().join("d/bk.txt"), "bridger: knows/2.\nmode: knows(+person, -person).\nmode: has(person).\n")
        .unwrap();
    let args = ["train", "--data", "d", "--target", "likes", "--out", "m.json"];
    let stderr = rejected(home.path(), &args);
    assert!(stderr.contains("warning") && stderr.contains("error"), "{stderr}");
    let stderr = rejected(home.path(), &[&args[..], &["-q"]].concat());
    assert!(!stderr.contains("warning") && stderr.contains("error") && stderr.contains("1 error found"), "{stderr}");
}

#[test]
fn help_lists_the_kinds_of_each_parameter() {
    let home = tempfile::tempdir().unwrap();
    let help = run(home.path(), &["train", "--help"]).0;
    let group = |name: &str| -> String {
        let before = &help[..help.find(&format!("\n    {name} ")).unwrap_or_else(|| panic!("{name}: {help}"))];
        before
            .lines()
            .rfind(|line| line.starts_with("  ") && !line.starts_with("   ") && line.ends_with(':'))
            .unwrap()
            .to_owned()
    };
    assert_eq!(group("laplace"), "  rpt:");
    assert_eq!(group("walk_length"), "  rrbm-c, rrbm-e:");
    assert_eq!(group("trees"), "  lrbm-boost, lrbm-explainable, rdn-boost, mln-boost:");
    assert_eq!(group("seed"), "  all kinds:");
}

/// Writes a directory whose background file has this name.
fn directory_with_background(home: &Path, name: &str, modes: &str) {
    let positives: String = (0..6).map(|i| format!("smokes(p{i}).\n")).collect();
    let negatives: String = (6..12).map(|i| format!("smokes(p{i}).\n")).collect();
    let facts: String = (0..6).map(|i| format!("stress(p{i}).\n")).collect();
    let files = [("pos.txt", positives), ("neg.txt", negatives), ("facts.txt", facts), (name, modes.to_owned())];
    fs::create_dir_all(home.join("d")).unwrap();
    for (file, text) in files {
        fs::write(home.join("d").join(file), text).unwrap();
    }
}

const SMOKES: &str = "mode: smokes(+person). mode: stress(+person).";

#[test]
fn data_without_usable_modes_are_refused() {
    let train = ["train", "--data", "d", "--target", "smokes", "--out", "m.json"];
    for (name, modes, message) in [
        (
            "mine_bk.txt",
            SMOKES,
            "mine_bk.txt: this background file is not read, because of its name; rename it to d_bk.txt",
        ),
        ("notes.txt", SMOKES, "d: no predicate of the facts has a mode"),
        ("bk.txt", "mode: smokes(+person). mode: strss(+person).", "d: no predicate of the facts has a mode"),
    ] {
        let home = tempfile::tempdir().unwrap();
        directory_with_background(home.path(), name, modes);
        let err = rejected(home.path(), &train);
        assert!(err.contains(message), "{err}");
        assert!(err.contains("with --background, in a spec with `background = \"…\"`"), "{err}");
        fs::write(
            home.path().join("s.toml"),
            "name = \"s\"\ndatasets = [\"d\"]\nfolds = 2\n[[model]]\nname = \"B\"\nkind = \"lrbm-boost\"\n",
        )
        .unwrap();
        let (code, _, err) = lrbm(home.path(), &["run", "s.toml", "--quiet"]);
        assert!(code == Some(2) && err.contains(message), "{code:?} {err}");
        assert!(!home.path().join("m.json").exists());
        succeeds(home.path(), &[&train[..], &["--allow-constant"]].concat());
        fs::write(home.path().join("modes.pl"), SMOKES).unwrap();
        succeeds(home.path(), &[&train[..], &["--background", "modes.pl"]].concat());
    }
}

#[test]
fn regression_and_files_instead_of_directories_are_named() {
    let home = tempfile::tempdir().unwrap();
    directory_with_background(home.path(), "bk.txt", SMOKES);
    fs::write(home.path().join("table.csv"), "id,name\n").unwrap();
    for (data, message) in [
        ("table.csv", "table.csv: a table, not a directory: `lrbm datasets import` converts tables"),
        ("d/pos.txt", "d/pos.txt: a file, not a directory"),
        ("none", "none: no such directory"),
    ] {
        let err = rejected(home.path(), &["train", "--data", data, "--target", "smokes", "--out", "m.json"]);
        assert!(err.contains(message), "{err}");
    }
    fs::write(home.path().join("d/pos.txt"), "regressionExample(medv(id1), 13.3).").unwrap();
    let err = rejected(home.path(), &["train", "--data", "d", "--target", "medv", "--out", "m.json"]);
    assert!(err.contains("regression targets are not supported"), "{err}");
    let prices: String = (0..12).map(|i| format!("medv(p{i}, {}.5).\n", i + 10)).collect();
    fs::write(home.path().join("d/pos.txt"), prices).unwrap();
    fs::write(home.path().join("d/neg.txt"), "").unwrap();
    let modes = "mode: medv(+person, #price!1). mode: stress(+person).";
    fs::write(home.path().join("d/bk.txt"), modes).unwrap();
    let (_, _, err) = lrbm(home.path(), &["datasets", "lint", "d"]);
    assert!(err.contains("12 numbers as classes: this looks like regression"), "{err}");
}

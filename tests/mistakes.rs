//! What users do by mistake, or could not know: it is refused or told, and nothing is lost.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use std::process::Output;

fn lrbm(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lrbm").unwrap();
    command.current_dir(home).env("LRBM_DATA", home.join("no-data")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command prints and says that does what it should.
fn done(home: &Path, args: &[&str]) -> (String, String) {
    let output = lrbm(home, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// What a command says that is used wrongly.
fn refused(home: &Path, args: &[&str]) -> String {
    let output = lrbm(home, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

const KINDS: [(&str, &str); 4] =
    [("mln-boost", "trees=2"), ("rrbm-c", "epochs=2"), ("rrbm-e", "epochs=2"), ("lrnn", "epochs=2")];

/// Twenty people who each know somebody with a pet, and like such pets.
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
    done(home, &["train", "--data", "d", "--target", "likes", "--kind", kind, "--set", set, "--out", &out, "-q"]).0
}

#[test]
fn datasets_list_works_without_data() {
    let home = tempfile::tempdir().unwrap();
    let listed = done(home.path(), &["datasets", "list"]).0;
    assert_eq!((listed.matches("  no  ").count(), listed.matches(" always ").count()), (8, 4), "{listed}");
    // One that cannot be read does not hide the others.
    fs::create_dir_all(home.path().join("no-data/imdb")).unwrap();
    fs::write(home.path().join("no-data/imdb/SHA256SUMS"), "nonsense\n").unwrap();
    let listed = done(home.path(), &["datasets", "list"]).0;
    assert_eq!((listed.matches("  no  ").count(), listed.matches("  damaged  ").count()), (7, 1), "{listed}");
}

#[test]
fn tiny_laplace_values_are_rejected() {
    let home = people();
    let args = ["train", "--data", "d", "--target", "likes", "--kind", "rpt", "--out", "m.json", "-q"];
    let said = refused(home.path(), &[&args[..], &["--set", "laplace=1e-320"]].concat());
    assert!(said.contains("laplace") && said.contains("a number from 0.000001 to 1000"), "{said}");
    assert!(!home.path().join("m.json").exists());
    // The least that is allowed gives a model that can be read.
    done(home.path(), &[&args[..], &["--set", "laplace=0.000001", "--set", "min_leaf=1"]].concat());
    done(home.path(), &["predict", "--model", "m.json", "--data", "d", "-q"]);
    done(home.path(), &["explain", "--model", "m.json"]);
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
        let said = refused(home.path(), &[args, &["--model", "rpt.json"]].concat());
        assert!(said.contains("1e9, and 1e6 is the most that a rule can be worth"), "{said}");
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
    let ask = ["explain", "--model", "rpt.json", "--data", "d", "--query", "likes(p0, dog)", "--html"];
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
        (&ask, &["rpt.json"]),
        (&ask, &["d/neg.txt"]),
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
        let said = refused(home.path(), &[command, more, &["-q"]].concat());
        assert!(said.contains("so it cannot be overwritten: choose another name"), "{command:?} {more:?}: {said}");
        assert_eq!(all(), before, "{command:?} {more:?}");
    }
    // What is there and not read is written over as before.
    done(home.path(), &[&learn[..], &["rpt.json", "--set", "trees=2", "-q"]].concat());
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
        let said = train(home.path(), kind, set);
        assert!(said.contains(words) && !said.contains("parts"), "{kind}: {said}");
        let singular = [" 1 trees", " 1 leaves", " 1 rules", " 1 clauses", " 1 walks", " 1 steps"];
        assert!(!singular.iter().any(|wrong| said.contains(wrong)), "{said}");
    }
}

#[test]
fn models_without_rules_answer_queries_and_reject_rule_options() {
    let home = people();
    for (kind, set) in KINDS {
        train(home.path(), kind, set);
        let model = format!("{kind}.json");
        let ask = ["explain", "--model", &model, "--data", "d", "--query", "likes(p0, dog)"];
        let scores = ["predict", "--model", &model, "--data", "d", "--out", "scores.csv", "-q"];
        done(home.path(), &scores);
        let scores = fs::read_to_string(home.path().join("scores.csv")).unwrap();
        let line = scores.lines().find(|line| line.contains("likes(p0,dog)")).unwrap();
        let probability: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        // Just below and just above what it says.
        for (threshold, decision) in [(probability - 1e-9, true), (probability + 1e-9, false)] {
            let threshold = threshold.to_string();
            let told = done(home.path(), &[&ask[..], &["--threshold", &threshold]].concat()).0;
            let answer = format!("likes(p0,dog): {decision}, probability of true {probability:.6}\n");
            assert!(told.starts_with(&answer), "{kind}: {told}");
            assert!(told.contains("in the data it is a positive example"), "{kind}: {told}");
            let json = done(home.path(), &[&ask[..], &["--json", "--threshold", &threshold]].concat()).0;
            let said: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!((&said["decision"], &said["label"]), (&decision.into(), &true.into()), "{kind}");
            assert!((said["probability"].as_f64().unwrap() - probability).abs() < 1e-12, "{kind}");
        }
        for more in [&["--class", "7"][..], &["--tries", "0"], &["--html", "page.html"]] {
            let said = refused(home.path(), &[&ask[..], more].concat());
            let way_out = format!(
                "{} is about rules that hold or do not, and this is another kind of model: leave it out",
                more[0]
            );
            assert!(said.contains(&way_out) && !said.contains("--query"), "{kind}: {said}");
        }
        let said = refused(home.path(), &["explain", "--model", &model, "--data", "d", "--importance"]);
        assert!(said.contains("--importance is about rules") && said.contains("ask with --query"), "{kind}: {said}");
        let said = refused(home.path(), &["explain", "--model", &model, "--trees"]);
        assert!(said.contains("and no trees: leave it out"), "{kind}: {said}");
        let said = refused(home.path(), &["convert", "--model", &model]);
        assert!(said.contains("give trees, or rules of progol or of your own"), "{kind}: {said}");
    }
    train(home.path(), "progol", "max_seeds=50");
    done(home.path(), &["convert", "--model", "progol.json"]);
    // What is of a query does nothing without one.
    for more in [["--top", "3"], ["--tries", "3"], ["--threshold", "0.7"]] {
        let said = refused(home.path(), &[&["explain", "--model", "progol.json"][..], &more].concat());
        assert!(said.contains("--query"), "{said}");
    }
}

#[test]
fn examples_of_another_arity_cause_a_warning() {
    let home = people();
    let neg = home.path().join("d/neg.txt");
    let more = fs::read_to_string(&neg).unwrap() + "likes(p3).\nlikes(p5).\nowns(p3).\n";
    fs::write(&neg, more).unwrap();
    let args = ["train", "--data", "d", "--target", "likes", "--set", "trees=2", "--out", "m.json"];
    let said = done(home.path(), &args).1;
    let message = "0 positive and 2 negative examples of likes/1 are ignored, since the target is likes/2";
    assert!(said.contains(message) && !said.contains("owns"), "{said}");
    let said = done(home.path(), &["predict", "--model", "m.json", "--data", "d"]).1;
    assert!(said.contains(message), "{said}");
    assert!(done(home.path(), &[&args[..], &["-q"]].concat()).1.is_empty());
}

#[test]
fn facts_hidden_by_a_template_cause_a_warning() {
    let home = people();
    let template = "likes(A, B) :- knows(A, C), has(C, B).\nhas(A, B) :- knows(A, C), knows(C, B).\n";
    fs::write(home.path().join("t.txt"), template).unwrap();
    let args = ["train", "--kind", "lrnn", "--rules", "t.txt", "--data", "d", "--target", "likes", "--out", "m.json"];
    let said = done(home.path(), &[&args[..], &["--set", "epochs=1"]].concat()).1;
    assert!(said.contains("has/2 heads a rule, so it is latent: its 20 facts are ignored"), "{said}");
    // A circle below the target is not the target's.
    fs::write(home.path().join("t.txt"), "likes(A, B) :- a(A, B).\na(A, B) :- b(A, B).\nb(A, B) :- a(A, B).\n")
        .unwrap();
    let said = refused(home.path(), &args);
    assert!(said.contains("a/2 depends on itself, through b/2"), "{said}");
}

#[test]
fn quiet_hides_warnings_even_with_errors() {
    let home = people();
    // A warning, and an error.
    fs::write(home.path().join("d/bk.txt"), "bridger: knows/2.\nmode: knows(+person, -person).\nmode: has(person).\n")
        .unwrap();
    let args = ["train", "--data", "d", "--target", "likes", "--out", "m.json"];
    let said = refused(home.path(), &args);
    assert!(said.contains("warning") && said.contains("error"), "{said}");
    let said = refused(home.path(), &[&args[..], &["-q"]].concat());
    assert!(!said.contains("warning") && said.contains("error") && said.contains("1 error found"), "{said}");
}

#[test]
fn help_lists_the_kinds_of_each_parameter() {
    let home = tempfile::tempdir().unwrap();
    let help = done(home.path(), &["train", "--help"]).0;
    let group = |name: &str| -> String {
        let before = &help[..help.find(&format!("\n    {name} ")).unwrap_or_else(|| panic!("{name}: {help}"))];
        before.lines().rfind(|line| line.starts_with("  of ")).unwrap().to_owned()
    };
    assert_eq!(group("laplace"), "  of rpt:");
    assert_eq!(group("walk_length"), "  of rrbm-c, rrbm-e:");
    assert_eq!(group("trees"), "  of lrbm-boost, lrbm-explainable, rdn-boost, mln-boost:");
    assert_eq!(group("seed"), "  of all kinds:");
}

//! `lrbm convert` as users run it, and the files it writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{lrbm, rejected, succeeds};

fn done(args: &[&str]) -> String {
    succeeds(Path::new("."), args)
}

#[track_caller]
fn fails(args: &[&str], words: &[&str]) {
    let stderr = rejected(Path::new("."), args);
    for word in words {
        assert!(stderr.contains(word), "{args:?}: `{word}` is not in: {stderr}");
    }
}

/// A directory with data, in which models are trained on demand.
struct Lab {
    home: tempfile::TempDir,
    data: String,
}

impl Lab {
    fn new(domain: &str, noise: &str) -> Lab {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data").display().to_string();
        done(&["datasets", "generate", domain, "--out", &data, "--noise", noise]);
        Lab { home, data }
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.home.path().join(name), content).unwrap();
        self.path(name)
    }

    fn train(&self, kind: &str, target: &str, more: &[&str]) -> String {
        let out = self.path(&format!("{kind}.json"));
        let args = ["train", "-q", "--kind", kind, "--target", target, "--data", &self.data, "--out", &out];
        done(&[&args[..], more].concat());
        out
    }

    /// Returns ψ of each example from `predict --out`.
    fn scores(&self, model: &str) -> Vec<f64> {
        let out = self.path("scores.csv");
        done(&["predict", "-q", "--model", model, "--data", &self.data, "--out", &out]);
        let table = fs::read_to_string(out).unwrap();
        table.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap().parse().unwrap()).collect()
    }
}

fn json(path: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(Path::new(path)).unwrap()).unwrap()
}

#[test]
fn exact_conversion_preserves_scores_of_every_kind() {
    let lab = Lab::new("university", "0.1");
    for kind in ["lrbm-boost", "lrbm-noboost", "lrbm-explainable", "rdn-boost"] {
        let model = lab.train(kind, "advisedby", &[]);
        let out = lab.path("network.json");
        let output = done(&["convert", "-q", "--model", &model, "--data", &lab.data, "--out", &out]);
        assert!(output.contains(&format!("network for advisedby/2, {kind}, exact conversion")), "{output}");
        assert!(output.contains("AUC-ROC ") && output.contains("edges between predicates and rules"), "{output}");
        let (before, after) = (lab.scores(&model), lab.scores(&out));
        let sigmoid = |psi: &f64| 1.0 / (1.0 + (-psi).exp());
        assert!(before.iter().zip(&after).all(|(a, b)| (sigmoid(a) - sigmoid(b)).abs() < 1e-12), "{kind}");
        let explained = done(&["explain", "--model", &out]);
        assert!(explained.starts_with("% lifted RBM for advisedby/2, classes false, true\n"), "{explained}");
        // Merging alone keeps the scores as well.
        let merged = lab.path("merged.json");
        done(&["convert", "-q", "--model", &out, "--simplify", "--out", &merged]);
        let after = lab.scores(&merged);
        assert!(before.iter().zip(&after).all(|(a, b)| (sigmoid(a) - sigmoid(b)).abs() < 1e-12), "{kind}");
        assert!(json(&merged)["hidden"].as_array().unwrap().len() <= json(&out)["hidden"].as_array().unwrap().len());
    }
}

#[test]
fn paper_conversion_keeps_every_path_and_reports_its_deviation() {
    let lab = Lab::new("university", "0.1");
    let model = lab.train("lrbm-boost", "advisedby", &["--set", "trees=3", "--set", "step=1"]);
    let out = lab.path("network.json");
    let output = done(&["convert", "-q", "--model", &model, "--method", "paper", "--data", &lab.data, "--out", &out]);
    assert!(output.contains("against the model on") && output.contains("P differs by"), "{output}");
    let leaves: usize = json(&model)["trees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tree| tree.as_array().unwrap().iter().filter(|node| node.get("leaf").is_some()).count())
        .sum();
    let network = json(&out);
    let hidden = network["hidden"].as_array().unwrap();
    assert_eq!(hidden.len(), leaves);
    let first = json(&model)["trees"][0].as_array().unwrap().iter().find_map(|node| node.get("leaf").cloned()).unwrap();
    let theta = &first["theta"];
    // Each leaf's θ becomes one node.
    let same = |node: &serde_json::Value| {
        node["u"] == serde_json::json!([theta["u0"], theta["u1"]]) && node["c"] == theta["c"]
    };
    assert!(hidden.iter().any(same), "{theta}");
    // A distilled tree has its values in d alone.
    let copy = lab.train("lrbm-explainable", "advisedby", &[]);
    let (code, _, stderr) = lrbm(Path::new("."), &["convert", "--model", &copy, "--method", "paper"]);
    assert!(code == Some(0) && stderr.contains("warning[constant-network]"), "{stderr}");
    fails(
        &["convert", "--model", &lab.train("rdn-boost", "advisedby", &[]), "--method", "paper"],
        &["rdn-boost: the leaves of tree 1", "use --method exact"],
    );
}

#[test]
fn pruned_networks_respect_their_limits() {
    let lab = Lab::new("university", "0.1");
    let model = lab.train("lrbm-boost", "advisedby", &[]);
    let convert = |name: &str, more: &[&str]| -> (PathBuf, String) {
        let out = lab.path(name);
        let args = ["convert", "-q", "--model", &model, "--data", &lab.data, "--out", &out];
        let output = done(&[&args[..], more].concat());
        (PathBuf::from(out), output)
    };
    let size = |path: &Path| json(path.to_str().unwrap())["hidden"].as_array().unwrap().len();
    // Literals true for all examples change no score on them.
    let (simple, _) = convert("simple.json", &["--simplify"]);
    let gaps = lab.scores(&model).into_iter().zip(lab.scores(simple.to_str().unwrap())).map(|(a, b)| (a - b).abs());
    assert!(gaps.fold(0.0, f64::max) < 1e-9);
    let (three, output) = convert("three.json", &["--max-hidden", "3"]);
    assert_eq!(size(&three), 3);
    assert!(output.contains("weights fitted in"), "{output}");
    let (pruned, _) = convert("pruned.json", &["--max-auc-loss", "0.02"]);
    assert!(size(&pruned) <= size(&simple));
    let (refitted, _) = convert("refitted.json", &["--refit"]);
    let (again, _) = convert("again.json", &["--refit"]);
    assert_eq!(fs::read(refitted).unwrap(), fs::read(again).unwrap());
}

#[test]
fn networks_can_be_drawn() {
    let lab = Lab::new("movies", "0");
    let model = lab.train("lrbm-boost", "workedunder", &["--set", "trees=2"]);
    let (dot, svg) = (lab.path("n.dot"), lab.path("n.svg"));
    done(&["convert", "-q", "--model", &model, "--dot", &dot, "--svg", &svg]);
    assert!(fs::read_to_string(dot).unwrap().starts_with("digraph network {"));
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("<title>"), "{svg}");
}

const RULES: &str = "% who works under whom
-2 workedunder(_, _).
4 workedunder(A, B) :- actedin(A, M), directedby(M, B).
workedunder(A, _) :- \\+ directedby(M, A).
";

#[test]
fn rules_from_a_file_become_a_network_with_fitted_weights() {
    let lab = Lab::new("movies", "0.05");
    let rules = lab.file("rules.txt", RULES);
    let out = lab.path("hand.json");
    let output = done(&["convert", "-q", "--rules", &rules, "--data", &lab.data, "--out", &out]);
    assert!(output.contains("2 rules with 3 literals") && output.contains("AUC-ROC 0.9"), "{output}");
    let explained = done(&["explain", "--model", &out]);
    assert!(explained.contains("4.0000 workedunder(A, B) :- actedin(A, C), directedby(C, B)."), "{explained}");
    assert!(explained.contains("1.0000 workedunder(A, _) :- \\+ directedby(C, A)."), "{explained}");
    let learned = lab.path("learned.json");
    let train = ["train", "-q", "--kind", "lrbm-weights", "--rules", &rules, "--target", "workedunder"];
    let output = done(&[&train[..], &["--data", &lab.data, "--out", &learned]].concat());
    assert!(output.contains("weights fitted in"), "{output}");
    let likelihood = |model: &str| -> f64 {
        let output = done(&["predict", "-q", "--all-metrics", "--model", model, "--data", &lab.data]);
        output.lines().find_map(|line| line.trim().strip_prefix("cll")).unwrap().trim().parse().unwrap()
    };
    assert!(likelihood(&learned) > likelihood(&out), "{} {}", likelihood(&learned), likelihood(&out));
    // Weights in the file are ignored: only the rules matter.
    let bare = lab.file("bare.txt", &RULES.replace("4 worked", "worked"));
    let other = lab.path("other.json");
    done(&[&train[..4], &["--rules", &bare], &train[6..], &["--data", &lab.data, "--out", &other]].concat());
    assert_eq!(json(&learned)["hidden"], json(&other)["hidden"]);
}

#[test]
fn invalid_rules_are_rejected_with_help() {
    let lab = Lab::new("movies", "0");
    for (rules, words) in [
        ("workedunder(A, B) :- actedin(A, M).", &["error[unbound-head-variable]", "`B`", "write `_` in its place"][..]),
        (
            "workedunder(A, B) :- actdin(A, M), directedby(M, B).",
            &["error[unknown-predicate]", "did you mean `actedin`?"],
        ),
        ("workedunder(A, B) :- actedin(A, M), directedby(M, B)", &["rules.txt:1:", "full stop"]),
        ("workedunder(A, B) :- actedin(A, M), directedby(M, B), !.", &["rules.txt:1:55"]),
        ("", &["error[no-rules]"]),
    ] {
        let file = lab.file("rules.txt", rules);
        fails(&["convert", "--rules", &file, "--data", &lab.data], words);
        let out = lab.path("m.json");
        let train = ["train", "--kind", "lrbm-weights", "--rules", &file, "--data", &lab.data, "--out", &out];
        fails(&[&train[..], &["--target", "workedunder"]].concat(), words);
        assert!(!Path::new(&out).exists());
    }
}

#[test]
fn incompatible_options_are_rejected() {
    let lab = Lab::new("movies", "0");
    let rules = lab.file("rules.txt", RULES);
    let model = lab.train("lrbm-boost", "workedunder", &["--set", "trees=1"]);
    let network = lab.path("network.json");
    done(&["convert", "-q", "--model", &model, "--out", &network]);
    fails(&["convert"], &["--model"]);
    fails(&["convert", "--model", &model, "--rules", &rules], &["cannot be used with"]);
    fails(&["convert", "--model", &model, "--method", "papr"], &["did you mean `paper`?"]);
    fails(&["convert", "--model", &network, "--method", "paper"], &["is already a network"]);
    fails(&["convert", "--rules", &rules, "--method", "exact"], &["omit it"]);
    fails(&["convert", "--model", &model, "--refit"], &["--refit needs --data DIR"]);
    fails(&["convert", "--model", &model, "--max-hidden", "3"], &["--max-hidden needs --data DIR"]);
    let with_data = ["convert", "--model", &model, "--data", &lab.data];
    fails(&[&with_data[..], &["--max-auc-loss", "2"]].concat(), &["from 0 to 1"]);
    fails(&[&with_data[..], &["--set", "max_step=1"]].concat(), &["did you mean `max_steps`?"]);
    fails(&[&with_data[..], &["--out", &network, "--dot", &network]].concat(), &["name the same file"]);
    let out = lab.path("m.json");
    let train = ["train", "--data", &lab.data, "--target", "workedunder", "--out", &out];
    fails(&[&train[..], &["--rules", &rules]].concat(), &["--rules requires --kind lrbm-weights"]);
    fails(&[&train[..], &["--kind", "lrbm-weights"]].concat(), &["needs --rules FILE"]);
    fails(
        &[&train[..], &["--kind", "lrbm-explainable", "--from", &network]].concat(),
        &["expected trees, got a network"],
    );
    // A leaf too large for exact conversion.
    let mut large = json(&model);
    let leaf = large["trees"][0].as_array_mut().unwrap().iter_mut().find_map(|node| node.get_mut("leaf")).unwrap();
    leaf["value"] = serde_json::json!(1e17);
    let large = lab.file("large.json", &large.to_string());
    for method in ["exact", "paper"] {
        fails(
            &["convert", "--model", &large, "--method", method],
            &["large.json: not a model: tree 0: a leaf adds", "e17 to the log-odds; expected at most 1e6"],
        );
    }
    fails(&["explain", "--model", &large], &["tree 0: a leaf adds"]);
    // A file of a later version.
    let text = fs::read_to_string(&network).unwrap().replace("\"version\": 1", "\"version\": 9");
    let newer = lab.file("newer.json", &text);
    for command in ["predict", "explain", "convert"] {
        let args: &[&str] = if command == "predict" { &["--data", &lab.data] } else { &[] };
        fails(&[&[command, "--model", &newer], args].concat(), &["format version 9", "use a newer lrbm"]);
    }
    // Multi-class networks can be drawn and explained, but binary examples do not fit them.
    let classes = lab.file(
        "classes.txt",
        "workedunder(A, B) = x :- actedin(A, M), directedby(M, B). 0 workedunder(_, _) = y. \
        0 workedunder(_, _) = z.",
    );
    done(&["convert", "--rules", &classes, "--out", &network]);
    assert!(done(&["explain", "--model", &network]).contains("workedunder(A, B) = x :- "));
    fails(
        &["predict", "--model", &network, "--data", &lab.data],
        &["the classes x, y, z", "use a model of a binary target"],
    );
}

//! `lrbm train` and `lrbm predict` as users run them.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::program::{lrbm_on as lrbm, text};

fn generate(domain: &str, out: &Path) {
    let output = lrbm(&["datasets", "generate", domain], &[("--out", out)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn train(data: &Path, out: &Path, more: &[&str]) -> Output {
    lrbm(&[&["train", "--target", "workedunder"], more].concat(), &[("--data", data), ("--out", out)])
}

#[test]
fn models_are_trained_saved_and_applied() {
    let home = tempfile::tempdir().unwrap();
    let (data, model, scores) = (home.path().join("data"), home.path().join("m.json"), home.path().join("s.csv"));
    generate("movies", &data);
    let trained = train(&data, &model, &[]);
    assert!(trained.status.success(), "{}", text(&trained.stderr));
    assert!(text(&trained.stdout).contains("lrbm-boost for workedunder/2, 20 trees"), "{}", text(&trained.stdout));

    let predicted = lrbm(&["predict", "--quiet"], &[("--model", &model), ("--data", &data), ("--out", &scores)]);
    // The planted rule is learned, so the training examples are separated.
    assert_eq!(text(&predicted.stdout), "AUC-ROC 1.000000\nAUC-PR 1.000000\n");
    assert!(predicted.stderr.is_empty());

    let table = fs::read_to_string(&scores).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "example,label,psi,probability");
    let positives = fs::read_to_string(data.join("train_pos.txt")).unwrap();
    let negatives = fs::read_to_string(data.join("train_neg.txt")).unwrap();
    let examples: Vec<String> =
        positives.lines().chain(negatives.lines()).map(|line| line.trim_end_matches('.').to_owned()).collect();
    assert_eq!(lines.len(), 1 + examples.len());
    for (i, (line, example)) in lines[1..].iter().zip(&examples).enumerate() {
        let (name, rest) = line.split_once("\",").unwrap();
        assert_eq!(name, format!("\"{example}"));
        let cells: Vec<f64> = rest.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells[0] == 1.0, i < positives.lines().count());
        assert!((cells[2] - 1.0 / (1.0 + (-cells[1]).exp())).abs() < 1e-12);
    }

    let all = text(&lrbm(&["predict", "--all-metrics"], &[("--model", &model), ("--data", &data)]).stdout);
    for column in ["auc_roc_jar", "average_precision", "cll", "brier", "ece", "f1_half", "f1_train"] {
        assert!(all.contains(column), "{all}");
    }
}

#[test]
fn memory_limit_and_audit_do_not_change_a_model() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    generate("university", &data);
    let model = |name: &str, more: &[&str]| {
        let out = home.path().join(name);
        let args = [&["train", "--target", "advisedby", "--set", "trees=4"], more].concat();
        let output = lrbm(&args, &[("--data", &data), ("--out", &out)]);
        assert!(output.status.success(), "{more:?}: {}", text(&output.stderr));
        (fs::read(&out).unwrap(), text(&output.stdout))
    };
    let (plain, printed) = model("plain.json", &[]);
    assert!(!printed.contains("audit"), "{printed}");
    for memory in ["0", "10kB", "1MiB", "2GiB"] {
        assert_eq!(model("other.json", &["--memory", memory]).0, plain, "{memory}");
    }
    let (audited, printed) = model("audited.json", &["--audit=50"]);
    assert_eq!(audited, plain);
    let last = printed.lines().last().unwrap();
    assert!(last.starts_with("audit: ") && last.ends_with("for 50 conjunctions recomputed, no difference"), "{last}");
}

#[test]
fn invalid_sizes_are_rejected() {
    let home = tempfile::tempdir().unwrap();
    let output = train(home.path(), &home.path().join("m.json"), &["--memory", "plenty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("expected a number of bytes of at least 0, or a number with a unit"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn every_kind_can_be_trained_and_explained() {
    let home = tempfile::tempdir().unwrap();
    let (data, ensemble) = (home.path().join("data"), home.path().join("ensemble.json"));
    generate("movies", &data);
    for kind in ["lrbm-boost", "lrbm-noboost", "lrbm-explainable", "rdn-boost"] {
        let (model, dot) = (home.path().join(format!("{kind}.json")), home.path().join("trees.dot"));
        let args = ["train", "--target", "workedunder", "--kind", kind, "--set", "trees=3"];
        let args = if kind == "lrbm-noboost" { &args[..5] } else { &args[..] };
        let output = lrbm(args, &[("--data", &data), ("--out", &model), ("--dot", &dot)]);
        assert!(output.status.success(), "{kind}: {}", text(&output.stderr));
        assert!(fs::read_to_string(&dot).unwrap().starts_with("digraph"), "{kind}");
        let predicted = lrbm(&["predict"], &[("--model", &model), ("--data", &data)]);
        assert!(text(&predicted.stdout).starts_with("AUC-ROC "), "{kind}: {}", text(&predicted.stderr));
    }
    assert!(train(&data, &ensemble, &[]).status.success());
    let explained = home.path().join("explained.json");
    let args = ["train", "--target", "workedunder", "--kind", "lrbm-explainable"];
    let output = lrbm(&args, &[("--data", &data), ("--out", &explained), ("--from", &ensemble)]);
    assert!(text(&output.stdout).contains("fidelity to the ensemble"), "{}", text(&output.stderr));
}

#[test]
fn invalid_values_name_key_value_and_range() {
    let home = tempfile::tempdir().unwrap();
    let (data, model) = (home.path().join("data"), home.path().join("m.json"));
    generate("movies", &data);
    for (setting, words) in [
        ("trees=0", &["trees", "0"][..]),
        ("max_leaves=1", &["max_leaves", "1"]),
        ("node_size=5", &["node_size", "5"]),
        ("learning_rate=0", &["learning_rate", "0"]),
        ("learning_rate=2", &["learning_rate", "2"]),
        ("prior=high", &["prior", "high", "log-odds"]),
        ("leaf_fit=best", &["leaf_fit", "best", "closed-form"]),
        ("tress=5", &["tress", "trees"]),
        ("trees", &["trees"]),
    ] {
        let output = train(&data, &model, &["--set", setting]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{setting}: {stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{setting}: {stderr}");
        assert!(!model.exists());
    }
    for (flags, word) in [(&["--kind", "lrbm"][..], "lrbm-boost"), (&["--preset", "best"], "lookahead")] {
        let output = train(&data, &model, flags);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
}

#[test]
fn invalid_input_is_rejected_before_anything_is_written() {
    let home = tempfile::tempdir().unwrap();
    let (data, model) = (home.path().join("data"), home.path().join("m.json"));
    generate("movies", &data);
    let rejected = |output: Output, words: &str| {
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    };
    rejected(train(&data, &home.path().join("no/where/m.json"), &[]), "there is no directory");
    rejected(train(&data, home.path(), &[]), "it is a directory");
    rejected(train(&data, Path::new("/dev/null"), &[]), "not a regular file");
    let same = lrbm(&["train", "--target", "workedunder"], &[("--data", &data), ("--out", &model), ("--dot", &model)]);
    rejected(same, "name the same file");
    rejected(train(&home.path().join("nowhere"), &model, &[]), "no such directory");
    let missing = home.path().join("missing.json");
    rejected(lrbm(&["predict"], &[("--model", &missing), ("--data", &data)]), "missing.json");
    fs::write(&model, "{\"format\": 1}").unwrap();
    rejected(lrbm(&["predict"], &[("--model", &model), ("--data", &data)]), "m.json");
    fs::remove_file(&model).unwrap();

    fs::write(data.join("train_neg.txt"), "").unwrap();
    rejected(train(&data, &model, &[]), "0 negative");
    assert!(!model.exists());
}

/// Models learned on decomposed predicates score the same files with the same decomposition.
#[test]
fn higher_arity_predicates_decompose_for_training_and_prediction() {
    let home = tempfile::tempdir().unwrap();
    let (data, model, scores) = (home.path().join("data"), home.path().join("m.json"), home.path().join("s.csv"));
    generate("university", &data);
    let train = |kind: &str, more: &[&str]| {
        let args = [&["train", "--target", "advisedby", "--kind", kind], more].concat();
        lrbm(&args, &[("--data", &data), ("--out", &model)])
    };
    let rejected = train("rrbm-e", &[]);
    assert_eq!(rejected.status.code(), Some(2));
    assert!(text(&rejected.stderr).contains("or pass --arity binary"), "{}", text(&rejected.stderr));
    let wrong = text(&train("rrbm-e", &["--arity", "three"]).stderr);
    assert!(wrong.contains("[possible values: original, binary]"), "{wrong}");
    let printed = "ta(course, person, quarter) becomes\n  ta_1_2(course, person), of arguments 1 and 2\n";
    for kind in ["rrbm-e", "lrbm-boost", "progol", "mln-boost", "lrnn"] {
        let trained = train(kind, &["--arity", "binary"]);
        assert!(trained.status.success(), "{}", text(&trained.stderr));
        assert!(text(&trained.stderr).contains(printed), "{}", text(&trained.stderr));
        let predicted = lrbm(&["predict", "--quiet"], &[("--model", &model), ("--data", &data), ("--out", &scores)]);
        assert!(predicted.status.success(), "{}", text(&predicted.stderr));
        let files = [("--model", model.as_path()), ("--data", data.as_path())];
        let table = fs::read_to_string(&scores).unwrap();
        let (first, rest) = table.lines().nth(1).unwrap().split_once("\",").unwrap();
        let probability: f64 = rest.rsplit(',').next().unwrap().parse().unwrap();
        let explained = text(&lrbm(&["explain", "--query", first.trim_matches('"')], &files).stdout);
        assert!(explained.contains(&format!("{probability:.6}")), "{kind}: {probability} in {explained}");
        let quiet = train(kind, &["--arity", "binary", "--quiet"]);
        assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
    }
}

#[test]
fn distillation_uses_the_predicates_of_the_ensemble() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    fs::create_dir(&data).unwrap();
    let lines = |line: &dyn Fn(usize) -> String| (0..20).map(line).collect::<String>();
    let files = [
        ("pos", lines(&|i| format!("t(a{i}, b{i}).\n"))),
        ("neg", lines(&|i| format!("t(a{i}, b{}).\n", (i + 1) % 20))),
        ("facts", lines(&|i| format!("met(a{i}, b{i}, d{}).\n", i % 3))),
        ("bk", "mode: t(+x, +y). mode: met(+x, +y, -day).\n".to_owned()),
    ];
    files.iter().for_each(|(name, text)| fs::write(data.join(format!("{name}.txt")), text).unwrap());
    let path = |name: &str| home.path().join(name);
    let train = |out: &str, more: &[&str], files: &[(&str, &Path)]| {
        let args = [&["train", "--quiet", "--target", "t"], more].concat();
        lrbm(&args, &[&[("--data", data.as_path()), ("--out", &path(out))], files].concat())
    };
    assert!(train("e.json", &["--arity", "binary"], &[]).status.success());
    assert!(fs::read_to_string(path("e.json")).unwrap().contains("met_1_2"));
    for arity in [&[] as &[&str], &["--arity", "binary"]] {
        let copied =
            train("c.json", &[&["--kind", "lrbm-explainable"], arity].concat(), &[("--from", &path("e.json"))]);
        assert!(copied.status.success(), "{}", text(&copied.stderr));
        assert!(fs::read_to_string(path("c.json")).unwrap().contains("met_1_2"), "{arity:?}");
    }
    fs::write(path("rules.txt"), "t(A, B) :- met(A, B, C).\n").unwrap();
    let weights = train("w.json", &["--kind", "lrbm-weights", "--arity", "binary"], &[("--rules", &path("rules.txt"))]);
    assert_eq!(weights.status.code(), Some(2));
    assert!(text(&weights.stderr).contains("does not support --arity binary"), "{}", text(&weights.stderr));
}

#[test]
fn single_class_data_have_no_auc() {
    let home = tempfile::tempdir().unwrap();
    let (data, model) = (home.path().join("data"), home.path().join("m.json"));
    generate("movies", &data);
    assert!(train(&data, &model, &["--set", "trees=1"]).status.success());
    fs::write(data.join("train_neg.txt"), "").unwrap();
    let output = lrbm(&["predict", "-q"], &[("--model", &model), ("--data", &data)]);
    assert_eq!(text(&output.stdout), "AUC-ROC undefined (one class)\nAUC-PR undefined (one class)\n");
    assert!(output.status.success());
}

#[test]
fn background_file_sets_defaults_that_flags_override() {
    let home = tempfile::tempdir().unwrap();
    let (data, model) = (home.path().join("data"), home.path().join("m.json"));
    generate("movies", &data);
    let background = data.join("train_bk.txt");
    let modes = fs::read_to_string(&background).unwrap();
    fs::write(&background, format!("{modes}setParam: numOfClauses = 1.\nsetParam: nodeSize = 1.\n")).unwrap();
    let parameter = |key: &str| {
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&model).unwrap()).unwrap();
        json["parameters"][key].clone()
    };
    assert!(train(&data, &model, &[]).status.success());
    assert_eq!((parameter("max_leaves"), parameter("node_size")), (2.into(), 1.into()));
    assert!(train(&data, &model, &["--set", "max_leaves=3"]).status.success());
    assert_eq!((parameter("max_leaves"), parameter("node_size")), (3.into(), 1.into()));
    fs::write(&background, format!("{modes}setParam: nodeSize = 9.\n")).unwrap();
    let output = train(&data, &model, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nodeSize"), "{}", text(&output.stderr));
}

#[test]
fn time_limits_can_be_enabled_for_a_directory() {
    let home = tempfile::tempdir().unwrap();
    let (data, model) = (home.path().join("data"), home.path().join("m.json"));
    generate("citations", &data);
    let args = ["train", "--target", "cites", "--set", "time_predicate=year"];
    let output = lrbm(&args, &[("--data", &data), ("--out", &model)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let scored = |args: &[&str]| text(&lrbm(args, &[("--model", &model), ("--data", &data)]).stdout);
    // The model file stores the limits.
    let predicted = scored(&["predict", "-q", "--all-metrics"]);
    assert_eq!(predicted, scored(&["predict", "-q", "--all-metrics", "--set", "time_predicate=year"]));
    let area: f64 = predicted.lines().next().unwrap().trim_start_matches("AUC-ROC ").parse().unwrap();
    assert!(area > 0.99, "{predicted}");
    let output = lrbm(&["predict", "--set", "trees=3"], &[("--model", &model), ("--data", &data)]);
    assert_eq!(output.status.code(), Some(2));
}

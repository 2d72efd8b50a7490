//! `rrbm-c`, `rrbm-e` and `lrnn` on the command line.

use crate::common::program::lrbm;

#[test]
fn walks_and_templates_on_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let lrbm = |args: &[&str]| lrbm(home.path(), args);
    assert_eq!(lrbm(&["datasets", "generate", "movies", "--out", "m"]).0, Some(0));
    let train = |kind: &str, more: &[&str]| {
        let args = ["train", "-q", "--data", "m", "--target", "workedunder", "--out", "model.json", "--kind", kind];
        lrbm(&[&args[..], more].concat())
    };
    std::fs::write(
        home.path().join("rules.txt"),
        "workedunder(A, B) :- soft(A, M), directedby(M, B). soft(A, M) :- actedin(A, M).",
    )
    .unwrap();
    let positive = std::fs::read_to_string(home.path().join("m/train_pos.txt")).unwrap();
    let query = positive.lines().find(|line| line.starts_with("workedunder")).unwrap().trim_end_matches('.');
    for (kind, more, model, parts) in [
        ("rrbm-c", &["--set", "walk_length=2"][..], "% rrbm-c for workedunder/2", "actedin(A, C), directedby(C, B)"),
        (
            "lrnn",
            &["--rules", "rules.txt"][..],
            "soft(A, B) :- actedin(A, B).",
            "workedunder(A, B) :- soft(A, C), directedby(C, B).",
        ),
    ] {
        let (code, out, err) = train(kind, more);
        assert_eq!(code, Some(0), "{err}");
        assert!(out.contains(&format!("model.json: {kind} for workedunder/2")), "{out}");
        let (code, out, err) = lrbm(&["predict", "--model", "model.json", "--data", "m"]);
        assert!(code == Some(0) && out.contains("AUC-ROC 1.000000"), "{out}{err}");
        let (code, out, _) = lrbm(&["explain", "--model", "model.json"]);
        assert!(code == Some(0) && out.contains(model), "{out}");
        let (code, out, err) = lrbm(&["explain", "--model", "model.json", "--data", "m", "--query", query]);
        assert!(code == Some(0) && out.contains(parts), "{out}{err}");
        let probability = out.split("probability of true ").nth(1).and_then(|rest| rest.lines().next());
        assert!(probability.unwrap().parse::<f64>().unwrap() > 0.5, "{out}");
        for (args, message) in [
            (&["--trees"][..], "and no trees: omit it"),
            (&["--data", "m", "--importance"], "--importance supports trees and networks only"),
            (&["--data", "m", "--query", query, "--html", "page.html"], "--html supports trees and networks only"),
        ] {
            let (code, _, err) = lrbm(&[&["explain", "--model", "model.json"][..], args].concat());
            assert!(code == Some(2) && err.contains(message), "{err}");
        }
        let (code, _, err) = lrbm(&["convert", "--model", "model.json", "--out", "n.json"]);
        assert!(code == Some(2) && err.contains("give trees, or rules of progol or of your own"), "{err}");
    }
    for (kind, more, message) in [
        ("rrbm-c", &["--rules", "rules.txt"][..], "--rules requires --kind lrbm-weights or lrnn, got rrbm-c"),
        ("rrbm-c", &["--preset", "paper"], "rrbm-c has no presets"),
        ("rrbm-c", &["--dot", "x.dot"], "--dot draws trees, and rrbm-c has none"),
        ("rrbm-e", &["--set", "count_scale=log"], "rrbm-e has no parameter `count_scale`"),
        ("lrnn", &["--set", "family=min"], "`family` must be \"max\" or \"avg\", got \"min\""),
        ("lrnn", &["--rules", "none.txt"], "none.txt: cannot be read"),
    ] {
        let (code, _, err) = train(kind, more);
        assert!(code == Some(2) && err.contains(message), "{kind} {more:?}: {err}");
    }
    std::fs::write(home.path().join("rules.txt"), "workedunder(A, B) :- acted(A, M), directedby(M, B).").unwrap();
    let (code, _, err) = train("lrnn", &["--rules", "rules.txt"]);
    assert!(code == Some(2) && err.contains("rules mention acted/2, which does not occur in the data"), "{err}");
}

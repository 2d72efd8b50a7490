//! Numbers and recursion in networks: conversion, handwritten rules, explanation and drawing.

use super::cli::{lrbm, write};

/// Things are heavy above 4.
const DATA: [(&str, &str); 4] = [
    ("bk", "mode: heavy(+x). mode: mass(+x,#kg)."),
    ("facts", "mass(a,1.5). mass(b,2.25). mass(c,7). mass(d,80.5). mass(e,9.75). mass(f,3)."),
    ("pos", "heavy(c). heavy(d). heavy(e)."),
    ("neg", "heavy(a). heavy(b). heavy(f)."),
];

#[test]
fn thresholds_of_a_network_equal_those_of_its_trees() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "data", DATA);
    let done = |line: &str| {
        let (code, out, err) = lrbm(home.path(), line);
        assert_eq!(code, Some(0), "{line}: {err}");
        out
    };
    done("train --data data --target heavy --out m.json --set cuts=5 -q");
    let out = done("convert --model m.json --data data --simplify --out n.json --svg n.svg --dot n.dot");
    assert!(out.contains("P differs by 0.0e0 at most") || out.contains("e-1"), "{out}");
    let scores = |model: &str| done(&format!("predict --model {model} --data data"));
    assert_eq!(scores("m.json"), scores("n.json"));
    // Printed rules can be parsed again and give the same scores.
    let text = done("explain --model n.json");
    assert!(text.contains("<= 3") || text.contains("> 3"), "{text}");
    std::fs::write(home.path().join("rules.txt"), &text).unwrap();
    done("convert --rules rules.txt --data data --out again.json");
    assert_eq!(scores("again.json"), scores("n.json"));
    let drawn = std::fs::read_to_string(home.path().join("n.svg")).unwrap();
    assert!(drawn.contains("mass(A, B), B &lt;= 3") || drawn.contains("mass(A, B), B &gt; 3"), "{drawn}");
    // The explanation with a counterfactual: 7 is the smallest heavy mass.
    let why = done("explain --model m.json --data data --query heavy(a)");
    assert!(why.contains("heavy(a): false") && why.contains("B = 1.5") && why.contains("since mass(a, 1.5)"), "{why}");
    assert!(why.contains("with mass(a, 7)") || why.contains("without mass(a, 1.5)"), "{why}");
    done("explain --model m.json --data data --query heavy(a) --html why.html --json");
    let measured = done("explain --model n.json --data data --importance");
    assert!(measured.contains("mass/2"), "{measured}");
}

#[test]
fn handwritten_rules_may_compare_numbers() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "data", DATA);
    std::fs::write(home.path().join("rules.txt"), "heavy(A) :- mass(A, X), X >= 7.\nheavy(A) :- mass(A, X), X < 2.")
        .unwrap();
    let (code, _, err) =
        lrbm(home.path(), "train --kind lrbm-weights --rules rules.txt --data data --target heavy --out n.json");
    assert_eq!(code, Some(0), "{err}");
    let (_, out, _) = lrbm(home.path(), "predict --model n.json --data data");
    assert_eq!(out, "AUC-ROC 1.000000\nAUC-PR 1.000000\n");
    for (rule, words) in [
        ("heavy(A) :- mass(A, X), Y <= 3.", "error[unbound-comparison]"),
        ("heavy(A) :- mass(A, X), X = 3.", "expected `<=`, `<`, `>=` or `>`"),
    ] {
        std::fs::write(home.path().join("bad.txt"), rule).unwrap();
        let (code, _, err) = lrbm(home.path(), "convert --rules bad.txt --out bad.json");
        assert!(code == Some(2) && err.contains(words), "{err}");
    }
}

#[test]
fn a_recursive_network_uses_the_same_evidence_as_its_trees() {
    let home = tempfile::tempdir().unwrap();
    let modes = ("bk", "mode: knows(+p,+p). mode: knows(+p,-p). mode: knows(-p,+p). mode: q(+p).");
    let (mut pos, mut neg) = (String::new(), String::new());
    for a in 0..9 {
        for b in (0..9).filter(|&b| b != a) {
            *(if a % 3 == b % 3 { &mut pos } else { &mut neg }) += &format!("knows(p{a},p{b}). ");
        }
    }
    write(home.path(), "data", [modes, ("facts", "q(p1)."), ("pos", &pos), ("neg", &neg)]);
    let done = |line: &str| {
        let (code, out, err) = lrbm(home.path(), line);
        assert_eq!(code, Some(0), "{line}: {err}");
        out
    };
    done("train --data data --target knows --out m.json --set recursive=true --symmetric -q");
    let out = done("convert --model m.json --data data --simplify --out n.json");
    assert!(out.contains("AUC-ROC 1.000000") && !out.contains("e-0"), "{out}");
    assert!(std::fs::read_to_string(home.path().join("n.json")).unwrap().contains("\"symmetric\": true"));
    // A new person knows one member of the circle.
    write(
        home.path(),
        "new",
        [
            modes,
            ("facts", &format!("{pos} knows(p0,x). knows(x,p0).")),
            ("pos", "knows(p3,x)."),
            ("neg", "knows(p1,x)."),
        ],
    );
    let scores = |model: &str| done(&format!("predict --model {model} --data new"));
    assert_eq!(scores("m.json"), scores("n.json"));
    assert_eq!(scores("n.json"), "AUC-ROC 1.000000\nAUC-PR 1.000000\n");
    // An example is not evidence for itself: its own label among the facts is neither shown nor
    // proposed.
    for model in ["m.json", "n.json"] {
        let why = done(&format!("explain --model {model} --data data --query knows(p3,p0)"));
        assert!(!why.contains("knows(p3, p0),") && !why.contains("with knows(p0, p3)"), "{why}");
    }
}

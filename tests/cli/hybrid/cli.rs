//! `lrbm train` and `lrbm predict` with weights, numbers and recursion.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::common::program;

pub fn write(home: &Path, directory: &str, files: [(&str, &str); 4]) {
    std::fs::create_dir_all(home.join(directory)).unwrap();
    for (name, text) in files {
        std::fs::write(home.join(directory).join(format!("{name}.txt")), text).unwrap();
    }
}

/// Returns the exit code, stdout and stderr.
pub fn lrbm(home: &Path, line: &str) -> (Option<i32>, String, String) {
    program::lrbm(home, &line.split_whitespace().collect::<Vec<_>>())
}

const NUMBERS: [(&str, &str); 4] = [
    ("bk", "mode: heavy(+x). mode: mass(+x,#kg)."),
    ("facts", "mass(a,1.5). mass(b,2.25). mass(c,7). mass(d,80.5). mass(e,9.75)."),
    ("pos", "heavy(c). weight: 3 heavy(d). heavy(e)."),
    ("neg", "heavy(a). 0.5 heavy(b)."),
];

#[test]
fn thresholds_print_readably_and_are_audited() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "data", NUMBERS);
    // Masses that do not occur in the training data.
    let facts = ("facts", "mass(f,3). mass(g,2.5). mass(h,2.1). mass(i,0.5).");
    write(home.path(), "other", [NUMBERS[0], facts, ("pos", "heavy(f). heavy(g)."), ("neg", "heavy(h). heavy(i).")]);
    let train = "train --data data --target heavy --out m.json --set cuts=4 --set positive_weight=2 --audit";
    let (code, out, err) = lrbm(home.path(), train);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("no difference"), "{out}");
    assert_eq!(err, "");
    let (_, text, _) = lrbm(home.path(), "explain --model m.json --trees");
    assert!(text.contains(":- mass(A, B), B <= 2.25, !."), "{text}");
    let (code, out, err) = lrbm(home.path(), "predict --model m.json --data other");
    assert_eq!((code, out.as_str()), (Some(0), "AUC-ROC 1.000000\nAUC-PR 1.000000\n"), "{err}");
}

#[test]
fn known_positives_are_evidence_for_others() {
    let home = tempfile::tempdir().unwrap();
    let modes = ("bk", "mode: knows(+p,+p). mode: knows(+p,-p). mode: knows(-p,+p). mode: q(+p).");
    // Members of a circle know each other. The inverse fact would reveal the label directly.
    let (mut pos, mut neg) = (String::new(), String::new());
    for a in 0..12 {
        for b in (0..12).filter(|&b| b != a) {
            *(if a % 3 == b % 3 { &mut pos } else { &mut neg }) += &format!("knows(p{a},p{b}). ");
        }
    }
    write(home.path(), "data", [modes, ("facts", "q(p1)."), ("pos", &pos), ("neg", &neg)]);
    let (code, _, err) =
        lrbm(home.path(), "train --data data --target knows --out m.json --set recursive=true --symmetric --audit");
    assert_eq!(code, Some(0), "{err}");
    // A circle of new people with some known facts, among which are no test labels.
    let test = [
        modes,
        ("facts", "q(p1). knows(x,y). knows(y,x). knows(y,z). knows(z,y). knows(u,v)."),
        ("pos", "knows(x,z). knows(z,x)."),
        ("neg", "knows(x,u). knows(v,z). knows(u,y)."),
    ];
    write(home.path(), "test", test);
    let (code, out, err) = lrbm(home.path(), "predict --model m.json --data test");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "AUC-ROC 1.000000\nAUC-PR 1.000000\n", ""));
    write(home.path(), "empty", [modes, ("facts", "q(p1)."), test[2], test[3]]);
    let (code, _, err) = lrbm(home.path(), "predict --model m.json --data empty");
    assert_eq!(code, Some(0));
    assert!(err.contains("warning[nothing-known]") && err.contains("there are no facts of knows/2"), "{err}");
    let (code, _, err) = lrbm(home.path(), "train --data data --target knows --out m.json --symmetric");
    assert_eq!(code, Some(2));
    assert!(err.contains("--symmetric requires --set recursive=true"), "{err}");
}

#[test]
fn count_tests_with_thresholds_cover_in_training_what_they_cover_later() {
    let (mut facts, mut positives, mut negatives) = (String::new(), String::new(), String::new());
    for i in 0..40 {
        let mut small = 0;
        for j in 0..4 {
            let amount = (i * 37 + j * 53 + i * j * 11) % 100 + 1;
            small += usize::from(amount <= 50);
            write!(facts, "o(c{i}, p{i}x{j}, {amount}). ").unwrap();
        }
        write!(if small >= 2 { &mut positives } else { &mut negatives }, "t(c{i}). ").unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    let modes = "mode: t(+c). mode: o(+c, -p, #n).";
    write(home.path(), "data", [("bk", modes), ("facts", &facts), ("pos", &positives), ("neg", &negatives)]);
    let train = "train --data data --target t --out m.json --audit --set counts=true --set cuts=1 --set trees=1 --set max_leaves=2";
    let (code, out, err) = lrbm(home.path(), train);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("no difference"), "{out}");
    let (_, printed, _) = lrbm(home.path(), "explain --model m.json --trees");
    assert!(printed.contains("at_least(2, (o(A, D, E), E <= 50))"), "{printed}");
    let model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(home.path().join("m.json")).unwrap()).unwrap();
    let mut in_training = Vec::new();
    leaves(&model, &mut in_training);
    in_training.sort_unstable();
    lrbm(home.path(), "predict --model m.json --data data --out s.csv");
    let mut of_score: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in std::fs::read_to_string(home.path().join("s.csv")).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.rsplitn(4, ',').collect();
        let count = of_score.entry(fields[1].to_owned()).or_default();
        if fields[2] == "1" { count.0 += 1 } else { count.1 += 1 }
    }
    let mut later: Vec<(u64, u64)> = of_score.into_values().collect();
    later.sort_unstable();
    assert_eq!(in_training, later);
}

/// Collects the numbers of positives and negatives of all leaves.
fn leaves(value: &serde_json::Value, found: &mut Vec<(u64, u64)>) {
    match value {
        serde_json::Value::Object(fields) => {
            let number = |name: &str| fields.get(name).and_then(serde_json::Value::as_u64);
            if let (Some(positives), Some(negatives), true) =
                (number("positives"), number("negatives"), fields.contains_key("value"))
            {
                found.push((positives, negatives));
            }
            fields.values().for_each(|value| leaves(value, found));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|value| leaves(value, found)),
        _ => {}
    }
}

//! `lrbm train` and `lrbm predict` with weights, numbers and recursion.

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

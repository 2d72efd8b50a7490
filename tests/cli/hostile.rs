//! Hostile input ends with exit code 2 and a short message, and nothing is written.
//!
//! Archives and mirrors are tested in `tests/data/fetch`, names on pages in `tests/report/page`, in
//! job scripts in `tests/run`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::common::program::command;

struct Workspace {
    home: TempDir,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Workspace { home: tempfile::tempdir().unwrap() };
        for (name, text) in
            [("pos", "t(a). t(b)."), ("neg", "t(c)."), ("facts", "p(a, 1). p(c, 2)."), ("bk", "mode: p(+x, #n).")]
        {
            workspace.write(&format!("data/train_{name}.txt"), text.as_bytes());
        }
        workspace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }

    fn lrbm(&self, args: &[&str]) -> Output {
        command(self.home.path()).args(args).output().unwrap()
    }

    /// Expects exit code 2, a short message that contains `words`, and no new files.
    fn rejects(&self, args: &[&str], words: &[&str]) -> String {
        let before = files(self.home.path());
        let output = self.lrbm(args);
        let text = String::from_utf8(output.stderr).unwrap();
        let shown: String = text.chars().take(2000).collect();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {shown}");
        for word in words {
            assert!(text.contains(word), "{args:?}: no `{word}` in: {shown}");
        }
        assert!(text.len() < 20_000, "{args:?}: {} bytes of message", text.len());
        assert_eq!(files(self.home.path()), before, "{args:?} left files behind");
        text
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

const SPEC: &str =
    "name = \"x\"\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\n";

#[test]
fn specs_with_too_many_jobs_are_rejected() {
    let workspace = Workspace::new();
    let list = |n: usize| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    // A hundred million jobs, which must be counted without creating them.
    let sweep =
        format!("[sweep]\ntrees = [{0}]\nmax_leaves = [{0}]\nmax_depth = [{0}]\nnode_size = [1, 2, 3]\n", list(500));
    workspace.write("rows.toml", format!("{SPEC}{sweep}").as_bytes());
    let seeds = format!("seeds = [{}]\n{SPEC}", list(50_001));
    workspace.write("seeds.toml", seeds.as_bytes());
    for spec in ["rows.toml", "seeds.toml"] {
        for command in ["run", "plan"] {
            workspace.rejects(&[command, spec], &["jobs, at most 100000 are allowed", "fewer seeds, folds or values"]);
        }
    }
    workspace.write("folds.toml", SPEC.replace("folds = 2", "folds = 4000000000").as_bytes());
    workspace.rejects(&["run", "folds.toml"], &["folds", "1000"]);
}

#[test]
fn non_finite_and_out_of_range_numbers_are_rejected() {
    let workspace = Workspace::new();
    for value in ["nan", "inf", "-inf", "1e308", "-1", "0", "5e-324", "99999999999999999999"] {
        let spec = SPEC.replace("folds = 2", &format!("folds = 2\nnegatives_per_positive = {value}"));
        workspace.write("spec.toml", spec.as_bytes());
        if value != "5e-324" {
            workspace.rejects(&["run", "spec.toml"], &["negatives_per_positive"]);
        }
        workspace.write("spec.toml", format!("{SPEC}learning_rate = {value}\n").as_bytes());
        // The smallest subnormal has no effect but is valid.
        if value != "5e-324" {
            workspace.rejects(&["run", "spec.toml"], &["learning_rate"]);
        }
    }
    for value in ["NaN", "inf", "-inf", "1e999"] {
        let train = ["train", "--data", "data", "--target", "t", "--out", "m.json", "--set"];
        workspace.rejects(&[&train[..], &[&format!("learning_rate={value}")]].concat(), &["learning_rate"]);
    }
    for fact in ["p(a, 1e999).", "p(a, -1e999).", "1e400 p(a, 1)."] {
        workspace.write("data/train_facts.txt", fact.as_bytes());
        workspace.rejects(&["datasets", "lint", "data"], &["train_facts.txt:1:"]);
    }
    // Subnormals are read as numbers, and `nan` and `inf` as names.
    workspace.write("data/train_facts.txt", b"p(a, 5e-324). p(b, -0.0). p(c, nan). p(c, inf).");
    assert!(workspace.lrbm(&["datasets", "lint", "data"]).status.success());
}

#[test]
fn weights_out_of_range_are_rejected() {
    let workspace = Workspace::new();
    workspace.write("rules.txt", b"2.5 t(A) :- p(A, 1).\n-1 t(_).\n");
    assert!(workspace.lrbm(&["convert", "-q", "--rules", "rules.txt", "--out", "net.json"]).status.success());
    let good = fs::read_to_string(workspace.path("net.json")).unwrap();
    let train = ["train", "-q", "--data", "data", "--target", "t", "--out", "model.json", "--set", "trees=1"];
    let trained = workspace.lrbm(&train);
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    let model = fs::read_to_string(workspace.path("model.json")).unwrap();
    for number in ["1.7e308", "-1.7e308", "1e101", "1e309"] {
        for (text, key) in
            [(&good, "\"c\": "), (&good, "\"weight\": "), (&model, "\"prior\": "), (&model, "\"value\": ")]
        {
            let at = text.rfind(key).unwrap() + key.len();
            let end = at + text[at..].find([',', '\n', '}']).unwrap();
            workspace.write("bad.json", format!("{}{number}{}", &text[..at], &text[end..]).as_bytes());
            let predict = ["predict", "--model", "bad.json", "--data", "data", "--out", "scores.csv"];
            let message = workspace.rejects(&predict, &["bad.json"]);
            assert!(message.contains("-1e100 to 1e100") || message.contains("number out of range"), "{message}");
        }
    }
    workspace.write("rules.txt", b"1e300 t(A) :- p(A, 1).\n");
    workspace.rejects(&["convert", "--rules", "rules.txt", "--out", "other.json"], &["rules.txt:1"]);
}

#[test]
fn lines_of_a_million_characters_are_handled() {
    let workspace = Workspace::new();
    let long = "a".repeat(1_000_000);
    workspace.write("data/train_facts.txt", format!("p({long}, 1).").as_bytes());
    assert!(workspace.lrbm(&["datasets", "lint", "data"]).status.success());
    let errors = [format!("p({long} 1)."), format!("p({long}"), format!("\"{long}"), format!("p(a, 1). {long}!")];
    for text in errors {
        workspace.write("data/train_facts.txt", text.as_bytes());
        workspace.rejects(&["datasets", "lint", "data"], &["train_facts.txt:1:"]);
    }
    workspace.write("data/train_facts.txt", b"p(a, 1).");
    workspace.write("spec.toml", format!("name = \"{long}\"\n{}", SPEC.replace("name = \"x\"\n", "")).as_bytes());
    workspace.rejects(&["run", "spec.toml"], &["spec.toml:1"]);
    workspace.write("rules.txt", format!("t(A) :- p(A, {long}) p.").as_bytes());
    workspace.rejects(&["convert", "--rules", "rules.txt", "--out", "net.json"], &["rules.txt:1:"]);
    workspace.write("model.json", format!("{{\"format\": \"{long}\"}}").as_bytes());
    workspace.rejects(&["predict", "--model", "model.json", "--data", "data", "--out", "s.csv"], &["model.json"]);
}

#[test]
fn deeply_nested_terms_are_rejected() {
    let workspace = Workspace::new();
    for depth in [1000, 1_000_000] {
        let nested = format!("{}a{}", "f(".repeat(depth), ")".repeat(depth));
        workspace.write("data/train_facts.txt", format!("p({nested}, 1).").as_bytes());
        workspace.rejects(&["datasets", "lint", "data"], &["train_facts.txt:1:"]);
        workspace.write("model.json", "[".repeat(depth).as_bytes());
        workspace.rejects(&["explain", "--model", "model.json"], &["model.json"]);
        workspace.write("spec.toml", format!("name = {}", "[".repeat(depth)).as_bytes());
        workspace.rejects(&["plan", "spec.toml"], &["spec.toml"]);
        workspace.write("rules.txt", format!("t(A) :- p(A, {nested}).").as_bytes());
        workspace.rejects(&["convert", "--rules", "rules.txt", "--out", "net.json"], &["rules.txt:1:"]);
    }
}

/// A small file that expands to a large one is streamed.
#[test]
fn decompression_uses_bounded_memory() {
    let workspace = Workspace::new();
    let gzip_of = |byte: u8| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let block = vec![byte; 1 << 20];
        (0..300).for_each(|_| gzip.write_all(&block).unwrap());
        gzip.finish().unwrap()
    };
    fs::remove_file(workspace.path("data/train_facts.txt")).unwrap();
    workspace.write("data/train_facts.txt.gz", &gzip_of(b'a'));
    workspace.rejects(&["datasets", "lint", "data"], &["the sentence exceeds"]);
    workspace.write("data/train_facts.txt.gz", &gzip_of(b'\n'));
    assert!(workspace.lrbm(&["datasets", "lint", "data"]).status.success());
}

/// A million errors take no longer than a million facts, since locations are computed on display
/// only.
#[test]
fn a_million_errors_take_linear_time() {
    let workspace = Workspace::new();
    workspace.write("data/train_facts.txt", "a).\n".repeat(1_000_000).as_bytes());
    workspace.write("spec.toml", format!("name = \"x\"\n{}", "?\n".repeat(10_000)).as_bytes());
    workspace.rejects(&["run", "spec.toml"], &["more\n", "errors found"]);
    let message = workspace.rejects(&["datasets", "lint", "data"], &["and 999980 more errors"]);
    assert!(message.contains("1000000 errors found"), "{message}");
}

#[test]
fn ineffective_options_are_rejected() {
    let workspace = Workspace::new();
    workspace.write("spec.toml", SPEC.as_bytes());
    workspace.rejects(&["run", "spec.toml", "--slurm-option", "cpus=2"], &["--slurm-option requires --executor slurm"]);
    workspace.rejects(
        &["run", "spec.toml", "--dry-run", "--slurm-option", "cpus=2"],
        &["--slurm-option requires --executor slurm"],
    );
    workspace.rejects(&["check", "run", "--tolerance", "0.1"], &["--bless"]);
    let train = ["train", "--data", "data", "--target", "t", "--out", "m.json", "--audit=0"];
    workspace.rejects(&train, &["--audit", "1.."]);
}

#[test]
fn unchecked_rule_names_cause_a_warning() {
    let workspace = Workspace::new();
    workspace.write("rules.txt", b"t(A) :- p(A, 1), misspelt(A).\n");
    let output = workspace.lrbm(&["convert", "--rules", "rules.txt"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && text.contains("warning[names-not-checked]") && text.contains("misspelt/1"),
        "{text}"
    );
    workspace.rejects(&["convert", "--rules", "rules.txt", "--data", "data"], &["unknown-predicate", "misspelt/1"]);
}

//! `lrbm datasets lint` on files with one error each, compared with recorded messages.
//!
//! A file `KIND-NAME.txt` in `tests/broken` or `tests/warned` replaces the file of that kind in a
//! small valid dataset; the expected stderr is recorded next to it. `SNAPSHOTS=overwrite cargo test
//! --test cli lint` records it again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::command;
use crate::common::snapshot;

const VALID: [(&str, &str); 4] = [
    ("pos", "smokes(bob).\nsmokes(cid).\n"),
    ("neg", "smokes(ann).\n"),
    ("facts", "friends(ann, bob).\nfriends(bob, cid).\n"),
    ("bk", "mode: friends(+person, -person).\nmode: smokes(+person).\n"),
];

fn cases(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
    let mut cases: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    cases.sort();
    cases
}

/// Lints the dataset with one file replaced; returns the exit code, and stderr without the
/// directory.
fn lint(case: &Path) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let name = case.file_name().unwrap().to_str().unwrap();
    let kind = name.split_once('-').unwrap().0;
    for (part, text) in VALID {
        let target = directory.path().join(format!("{part}.txt"));
        if part == kind { fs::copy(case, target).map(|_| ()) } else { fs::write(target, text) }.unwrap();
    }
    let output = command(Path::new(".")).args(["datasets", "lint"]).arg(directory.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let prefix = directory.path().display().to_string();
    (output.status.code(), stderr.replace(&format!("{prefix}/"), "").replace(&prefix, "DIRECTORY"))
}

fn check(directory: &str, expected_code: i32) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    let mut differences = Vec::new();
    for case in cases(directory) {
        let (code, stderr) = lint(&case);
        assert_eq!(code, Some(expected_code), "{}:\n{stderr}", case.display());
        differences.extend(snapshot::compare(&case.with_extension("stderr"), &stderr).err());
        all.push((case, stderr));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    all
}

#[test]
fn broken_files_are_rejected_with_a_caret() {
    let all = check("broken", 2);
    assert!(all.len() >= 25);
    for (case, stderr) in all {
        let kind = case.file_name().unwrap().to_str().unwrap().split_once('-').unwrap().0.to_owned();
        assert!(stderr.starts_with(&format!("{kind}.txt:")), "{}: {stderr}", case.display());
        assert!(stderr.contains("error["), "{}: {stderr}", case.display());
        assert!(stderr.contains("help: "), "{}: {stderr}", case.display());
        assert!(stderr.contains(" | ") && stderr.contains('^'), "{}", case.display());
    }
}

#[test]
fn questionable_files_are_accepted_with_a_warning() {
    for (case, stderr) in check("warned", 0) {
        assert!(stderr.contains("warning["), "{}: {stderr}", case.display());
        assert!(!stderr.contains("error["), "{}: {stderr}", case.display());
    }
}

#[test]
fn quiet_silences_warnings_but_not_errors() {
    let directory = tempfile::tempdir().unwrap();
    for (part, text) in VALID {
        fs::write(directory.path().join(format!("{part}.txt")), text.replace("ann", "Ann")).unwrap();
    }
    let lint = |quiet: &[&str]| {
        command(Path::new(".")).args(["datasets", "lint"]).arg(directory.path()).args(quiet).output().unwrap()
    };
    // `Ann` is a constant with a warning in facts and examples, `_` an error.
    fs::write(directory.path().join("neg.txt"), "smokes(_).").unwrap();
    assert_eq!(lint(&["--quiet"]).status.code(), Some(2));
    assert!(String::from_utf8(lint(&["--quiet"]).stderr).unwrap().contains("error[not-ground]"));
    fs::write(directory.path().join("neg.txt"), "smokes(ann).").unwrap();
    assert_eq!(lint(&["--quiet"]).status.code(), Some(0));
    assert!(lint(&["--quiet"]).stderr.is_empty());
    assert!(!lint(&[]).stderr.is_empty());
}

#[test]
fn a_target_without_examples_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for (part, text) in VALID {
        fs::write(directory.path().join(format!("{part}.txt")), text).unwrap();
    }
    let mut lint = command(Path::new("."));
    let output = lint.args(["datasets", "lint", "--target", "Smokes"]).arg(directory.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("no example of the target `Smokes`; found examples of smokes"), "{stderr}");
    assert!(stderr.contains("did you mean `smokes`?"), "{stderr}");
}

#[test]
fn compressed_files_and_alternative_names_are_read() {
    use std::io::Write;
    let directory = tempfile::tempdir().unwrap();
    let gz = |name: &str, text: &str| {
        let file = fs::File::create(directory.path().join(name)).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    };
    gz("train_facts.txt.gz", VALID[2].1);
    gz("train_pos.gz", VALID[0].1);
    fs::write(directory.path().join("train_neg.pl"), VALID[1].1).unwrap();
    fs::create_dir(directory.path().join("modes")).unwrap();
    fs::write(directory.path().join("modes/all.txt"), VALID[3].1).unwrap();
    fs::write(directory.path().join("train_bk.txt"), "import: \"modes/all\".\nimport: \"modes/all.txt\".").unwrap();
    let output = command(Path::new(".")).args(["datasets", "lint"]).arg(directory.path()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{stdout}");
    assert!(stdout.contains("2 positives, 1 negatives") && stdout.contains("friends/2"), "{stdout}");
    // A truncated archive is an error rather than a part of the facts.
    let bytes = fs::read(directory.path().join("train_facts.txt.gz")).unwrap();
    fs::write(directory.path().join("train_facts.txt.gz"), &bytes[..bytes.len() - 9]).unwrap();
    let output = command(Path::new(".")).args(["datasets", "lint"]).arg(directory.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_recorded_peer_folds_pass() {
    let folds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/peers/folds");
    if !folds.is_dir() {
        eprintln!("skipped: {} does not exist", folds.display());
        return;
    }
    let unpacked = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for archive in fs::read_dir(folds).unwrap().map(|entry| entry.unwrap().path()) {
        let tar = std::process::Command::new("tar").arg("xJf").arg(&archive).current_dir(unpacked.path()).status();
        assert!(tar.unwrap().success(), "{}", archive.display());
    }
    for dataset in fs::read_dir(unpacked.path()).unwrap().map(|entry| entry.unwrap().path()) {
        for fold in 1..=5 {
            for part in ["train", "test"] {
                let directory = dataset.join(format!("fold{fold}")).join(part);
                let lint = command(Path::new(".")).args(["datasets", "lint", "-q"]).arg(&directory).output();
                let output = lint.unwrap();
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{}: {stderr}", directory.display());
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 80);
}

//! `lrbm datasets fetch | verify | info | list` as users run them, on the real files if a mirror is
//! available.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{lrbm_on as lrbm, text};

fn mirror() -> Option<PathBuf> {
    let mirror = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/datasets/mirror");
    if !mirror.is_dir() {
        eprintln!("skipped: {} does not exist", mirror.display());
        return None;
    }
    Some(mirror)
}

#[test]
fn fetched_data_verify_and_changed_files_are_named() {
    let Some(mirror) = mirror() else { return };
    let home = tempfile::tempdir().unwrap();
    let fetched = lrbm(&["datasets", "fetch", "--all"], &[("--mirror", &mirror), ("--data", home.path())]);
    assert!(fetched.status.success(), "{}", text(&fetched.stderr));
    // The one file that only a user can supply is named, without failing.
    assert!(text(&fetched.stderr).contains("2010.yeast2.gz"), "{}", text(&fetched.stderr));
    let verified = lrbm(&["datasets", "verify"], &[("--data", home.path())]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    assert_eq!(text(&verified.stdout).matches("all as recorded").count(), 10);

    // One byte in a published, an unpacked and a converted file.
    for file in
        ["uwcse/raw/background.txt", "imdb/SHA256SUMS", "sports/base/all/all_facts.txt", "webkb/raw/background.txt"]
    {
        let path = home.path().join(file);
        let Ok(good) = fs::read(&path) else { panic!("{file} does not exist") };
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        fs::write(&path, &bad).unwrap();
        let verified = lrbm(&["datasets", "verify"], &[("--data", home.path())]);
        let stderr = text(&verified.stderr);
        assert_eq!(verified.status.code(), Some(2), "{file}: {stderr}");
        let named = if file.ends_with("SHA256SUMS") { "imdb/" } else { file };
        assert!(stderr.contains(named), "{file}: {stderr}");
        fs::write(&path, &good).unwrap();
    }
    assert!(lrbm(&["datasets", "verify"], &[("--data", home.path())]).status.success());

    for (id, counts) in [
        ("uwcse", &["positives: 113 ", "facts: 2,560 "][..]),
        ("imdb", &["positives: 382 ", "facts: 696 "]),
        ("sports", &["positives: 300 ", "facts: 7,824 "]),
        ("webkb", &["positives: 121 ", "facts: 1,944 "]),
        ("mutagenesis", &["memberships: 4,893 ", "positives: 2,467 "]),
        ("yeast2", &["positives: 11,291 ", "Substitute: ", "1950-2007"]),
        ("cora", &["reflexive positives: 471 ", "positives: 3,017 "]),
        ("aan", &["positives: 82,937 "]),
    ] {
        let info = lrbm(&["datasets", "info", id], &[("--data", home.path())]);
        let stdout = text(&info.stdout);
        assert!(info.status.success(), "{id}: {}", text(&info.stderr));
        assert!(counts.iter().all(|count| stdout.contains(count)), "{id}: {stdout}");
        assert!(!stdout.contains("NOT as expected"), "{id}: {stdout}");
    }
    let listed = text(&lrbm(&["datasets", "list"], &[("--data", home.path())]).stdout);
    assert_eq!(listed.matches(" fetched ").count(), 10, "{listed}");

    // The page about the datasets agrees with the output of `info`.
    let page = std::process::Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/datasets_page"))
        .arg("--check")
        .arg(home.path())
        .env("LRBM", env!("CARGO_BIN_EXE_lrbm"))
        .output()
        .unwrap();
    assert!(
        page.status.success(),
        "docs/src/datasets.md is outdated, run scripts/datasets_page:\n{}",
        text(&page.stdout)
    );
}

#[test]
fn missing_data_name_the_fetch_command() {
    let home = tempfile::tempdir().unwrap();
    let info = lrbm(&["datasets", "info", "uwcse"], &[("--data", home.path())]);
    assert_eq!(info.status.code(), Some(2));
    assert!(text(&info.stderr).contains("lrbm datasets fetch uwcse"), "{}", text(&info.stderr));
    let verified = lrbm(&["datasets", "verify"], &[("--data", home.path())]);
    assert_eq!(verified.status.code(), Some(2));
    assert!(text(&verified.stderr).contains("lrbm datasets fetch --all"), "{}", text(&verified.stderr));
}

#[test]
fn usage_errors_suggest_a_fix() {
    let home = tempfile::tempdir().unwrap();
    for (args, words) in [
        (&["datasets", "info", "uwsce"][..], "uwcse"),
        (&["datasets", "info", "movies", "--noise", "1.5"], "`noise` must be"),
        (&["datasets", "info", "movies", "--scale", "0"], "`scale` must be"),
        (&["datasets", "fetch", "imbd"], "imdb"),
        (&["datasets", "fetch", "imdb", "--mirror", "ftp://host/x"], "http"),
        (&["datasets", "fetch", "imdb", "--mirror", "/no/such/place"], "no such directory"),
        (&["datasets", "fetch"], "--all"),
        (&["datasets", "lint", "/no/such/place"], "no such directory"),
    ] {
        let output = lrbm(args, &[]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
    // Existing files are not overwritten.
    let written = lrbm(&["datasets", "generate", "movies"], &[("--out", home.path())]);
    assert!(written.status.success());
    let again = lrbm(&["datasets", "generate", "university"], &[("--out", home.path())]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("is not overwritten"), "{}", text(&again.stderr));
}

#[test]
fn output_is_deterministic() {
    for id in ["movies", "movies-classes", "university", "citations", "documents", "interests", "binding", "relations"]
    {
        let once = lrbm(&["datasets", "info", id], &[]);
        assert!(once.status.success() && once.stderr.is_empty(), "{id}: {}", text(&once.stderr));
        assert_eq!(once.stdout, lrbm(&["datasets", "info", id], &[]).stdout);
        assert!(text(&once.stdout).contains("(generated)"));
    }
}

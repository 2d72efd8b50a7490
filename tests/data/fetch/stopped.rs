//! A fetch interrupted at any write to the disk is completed by the next one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use lrbm::internal::data::fetch::{FetchOptions, Mirror, fetch};
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::Store;

use super::lab::{line, manifest, mirror_of, thousand, zipped};

/// Marks the process to be interrupted, with its mirror and data directory.
const CHILD: &str = "LRBM_TEST_FETCH";

fn archive() -> Vec<u8> {
    zipped(&[("a/b.txt", b"bee"), ("c.txt", thousand())])
}

fn toy() -> Manifest {
    manifest(&[line("all.zip", &archive(), ", unpack = \"zip\"")])
}

fn fetched(mirror: &Path, data: &Path) {
    let options = FetchOptions { mirror: Mirror::Directory(mirror.to_owned()), attempts: 1, ..FetchOptions::default() };
    fetch(&Store::open(data), &toy(), &options, &mut |_| {}).unwrap();
}

/// Collects every file except the lock of the dataset, by path.
fn files(root: &Path, directory: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            files(root, &path, found);
        } else if !name.ends_with(".lock") {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn all(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    files(root, root, &mut found);
    found
}

/// Runs a fetch in the child process; does nothing otherwise.
#[test]
fn interrupted_child_process() {
    if let Ok(directories) = std::env::var(CHILD) {
        let (mirror, data) = directories.split_once('\n').unwrap();
        fetched(Path::new(mirror), Path::new(data));
    }
}

/// Fetches in a child process with a fault, then again without; returns whether the first
/// succeeded.
fn struck(fault: &str, mirror: &Path, expected: &BTreeMap<String, Vec<u8>>) -> bool {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "fetch::stopped::interrupted_child_process"]).env("LRBM_TEST_FAULT", fault);
    let directories = format!("{}\n{}", mirror.display(), data.path().display());
    let output = command.env(CHILD, directories).output().unwrap();
    fetched(mirror, data.path());
    assert_eq!(all(data.path()), *expected, "{fault}");
    output.status.success()
}

#[cfg(unix)]
#[test]
fn a_fetch_interrupted_anywhere_is_completed_by_the_next() {
    let mirror = mirror_of("all.zip", &archive());
    let uninterrupted = tempfile::tempdir().unwrap();
    fetched(mirror.path(), uninterrupted.path());
    let expected = all(uninterrupted.path());
    assert!(expected.len() > 3, "{:?}", expected.keys());
    let mut step = 1;
    while !struck(&format!("stop:{step}"), mirror.path(), &expected) {
        step += 1;
        assert!(step < 500, "no fetch completes");
    }
    assert!(step > 15, "only {step} steps");
    println!("figure: places of a fetch, stopped at each: {}", step - 1);
    // A disk that is full from a write on, or at one write only. Every failed write is reported.
    let mut failed = 0;
    for n in 1..step {
        failed += usize::from(!struck(&format!("full:{n}"), mirror.path(), &expected));
        struck(&format!("once:{n}"), mirror.path(), &expected);
    }
    assert!(failed > 5, "only {failed} of {step} fetches noticed the full disk");
    println!("figure: places of a fetch with a disk that is full: {failed}");
}

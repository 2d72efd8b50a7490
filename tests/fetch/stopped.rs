//! A fetch that is stopped at any place where the disk changes is finished by the next one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use lrbm::data::fetch::{FetchOptions, Mirror, fetch};
use lrbm::data::manifest::Manifest;
use lrbm::data::store::Store;

use crate::lab::{line, manifest, mirror_of, thousand, zipped};

/// Says to a process that it is the one to be stopped, and where to fetch from and to.
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

/// Every file but the lock of the dataset, by path.
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

/// Does nothing, unless it is the process that is to be stopped.
#[test]
fn child_of_the_other_test() {
    if let Ok(places) = std::env::var(CHILD) {
        let (mirror, data) = places.split_once('\n').unwrap();
        fetched(Path::new(mirror), Path::new(data));
    }
}

#[cfg(unix)]
#[test]
fn a_fetch_that_is_stopped_anywhere_is_finished_by_the_next() {
    let mirror = mirror_of("all.zip", &archive());
    let whole = tempfile::tempdir().unwrap();
    fetched(mirror.path(), whole.path());
    let expected = all(whole.path());
    assert!(expected.len() > 3, "{:?}", expected.keys());
    let mut place = 1;
    loop {
        let room = tempfile::tempdir().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "stopped::child_of_the_other_test"]).env("LRBM_TEST_FAULT", format!("stop:{place}"));
        let places = format!("{}\n{}", mirror.path().display(), room.path().display());
        let output = command.env(CHILD, places).output().unwrap();
        fetched(mirror.path(), room.path());
        assert_eq!(all(room.path()), expected, "stopped at place {place}");
        if output.status.success() {
            break;
        }
        place += 1;
        assert!(place < 500, "no fetch ever ends: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(place > 15, "only {place} places");
    println!("figure: places of a fetch, stopped at each: {}", place - 1);
}

//! Symbolic links below a run directory are not followed for writing.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::lab::{Lab, stderr};
use crate::common::program::lrbm;

/// Returns the entries of a directory.
fn entries(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// A directory elsewhere with a file that must survive.
fn elsewhere(lab: &Lab) -> std::path::PathBuf {
    let directory = lab.home().join("elsewhere");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("precious"), "data").unwrap();
    directory
}

fn is_untouched(directory: &Path) -> bool {
    entries(directory) == ["precious"] && fs::read(directory.join("precious")).unwrap() == b"data"
}

#[test]
fn linked_directories_are_not_written() {
    for link in ["jobs", ".locks", "jobs/movies", "jobs/movies/Boost/default", "jobs/movies/Boost/default/fold1-seed7"]
    {
        let lab = Lab::new();
        let there = elsewhere(&lab);
        let link = lab.out().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&there, &link).unwrap();
        let output = lab.run(&["-q"]);
        assert_eq!(output.status.code(), Some(2), "{}: {}", link.display(), stderr(&output));
        assert!(stderr(&output).contains("is a symbolic link, which is not followed"), "{}", stderr(&output));
        assert!(is_untouched(&there), "{}: {:?}", link.display(), entries(&there));
    }
}

#[test]
fn linked_files_are_replaced_not_written_through() {
    let lab = Lab::new();
    let there = elsewhere(&lab);
    fs::create_dir_all(lab.out()).unwrap();
    for name in ["spec.toml", "metrics.csv", "metrics.parquet", "tally.json"] {
        symlink(there.join("precious"), lab.out().join(name)).unwrap();
    }
    let output = lab.run(&["-q"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(is_untouched(&there), "{:?}", entries(&there));
    assert!(!lab.out().join("metrics.csv").is_symlink());
    // Locks are opened in place.
    fs::create_dir_all(lab.out().join(".locks")).unwrap();
    symlink(there.join("new"), lab.out().join(".locks/present")).unwrap();
    let output = lab.run(&["-q", "--fresh"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("is a symbolic link"), "{}", stderr(&output));
    assert!(is_untouched(&there), "{:?}", entries(&there));
}

#[test]
fn linked_directories_of_a_report_are_not_written() {
    let lab = Lab::new();
    let there = elsewhere(&lab);
    assert!(lab.run(&["-q"]).status.success());
    symlink(&there, lab.out().join("tables")).unwrap();
    let (code, _, said) = lrbm(lab.home(), &["report", "out"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is a symbolic link"), "{said}");
    assert!(is_untouched(&there), "{:?}", entries(&there));
    // The run directory itself may be a link.
    fs::remove_file(lab.out().join("tables")).unwrap();
    fs::rename(lab.out(), lab.home().join("moved")).unwrap();
    symlink(lab.home().join("moved"), lab.out()).unwrap();
    assert!(lab.run(&["-q", "--fresh"]).status.success());
    assert_eq!(lrbm(lab.home(), &["report", "out"]).0, Some(0));
}

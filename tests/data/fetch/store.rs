//! The record of checksums, and detection of every change.

use std::fs;

use lrbm::internal::data::fetch::{FetchError, FetchEvent, Mirror, fetch};
use lrbm::internal::data::store::{ProblemKind, Store, StoreError};
use lrbm::internal::files::digest;
use tempfile::TempDir;

use super::lab::{COMMIT, Lab, flip, line, manifest, mirror_of, thousand, zipped};

/// Creates a lab with a fetched archive and file, and two converted variants.
fn full_lab() -> (TempDir, Lab) {
    let archive = zipped(&[("a/b.txt", b"bee"), ("c.txt", thousand())]);
    let mirror = mirror_of("all.zip", &archive);
    fs::write(mirror.path().join(format!("owner/repository/{COMMIT}/some/data/f.txt")), thousand()).unwrap();
    let files = [line("all.zip", &archive, ", unpack = \"zip\""), line("f.txt", thousand(), "")];
    let lab = Lab::new(Mirror::Directory(mirror.path().to_owned()), &files);
    lab.fetch().unwrap();
    for variant in ["base", "more"] {
        lab.store.write_converted("toy", &format!("{variant}/fold1/pos.txt"), b"p(a).\n").unwrap();
        lab.store.write_converted_with("toy", &format!("{variant}/facts.txt"), |out| writeln!(out, "q(b).")).unwrap();
        assert!(!lab.store.is_sealed("toy", variant));
        lab.store.seal("toy", variant).unwrap();
        assert!(lab.store.is_sealed("toy", variant));
    }
    (mirror, lab)
}

#[test]
fn every_changed_byte_is_detected() {
    let (_mirror, lab) = full_lab();
    let verified = lab.store.verify(&lab.manifest).unwrap();
    assert!(verified.is_sound());
    assert_eq!(verified.files, 8, "two raw, two unpacked, four converted");
    for file in lab.files() {
        let path = lab.store.root().join(&file);
        let length = fs::read(&path).unwrap().len();
        for at in [0, length / 2, length - 1] {
            flip(&path, at);
            let problems = lab.problems();
            let name = file.strip_prefix("toy/").unwrap();
            if name == "SHA256SUMS" {
                assert!(!problems.is_empty(), "byte {at} of {file}");
            } else {
                let found: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
                assert_eq!(found, [name], "byte {at}");
            }
            flip(&path, at);
        }
    }
    // The record itself, at varying positions within its lines.
    let record = lab.store.dataset("toy").join("SHA256SUMS");
    for at in (0..fs::read(&record).unwrap().len()).step_by(7) {
        flip(&record, at);
        assert!(!lab.problems().is_empty(), "byte {at}");
        flip(&record, at);
    }
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn a_changed_record_cannot_hide_a_changed_published_file() {
    let (_mirror, lab) = full_lab();
    let (file, record) = (lab.store.raw("toy", "f.txt"), lab.store.dataset("toy").join("SHA256SUMS"));
    let before = digest::sha256_of_file(&file).unwrap();
    flip(&file, 3);
    let after = digest::sha256_of_file(&file).unwrap();
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace(&format!("{before}  raw/f.txt"), &format!("{after}  raw/f.txt"))).unwrap();
    assert!(matches!(&lab.problems()[..], [(path, ProblemKind::NotAsPublished { .. })] if path == "raw/f.txt"));
}

#[test]
fn missing_and_unknown_files_are_reported() {
    let (_mirror, lab) = full_lab();
    fs::remove_file(lab.store.raw("toy", "f.txt")).unwrap();
    fs::remove_file(lab.store.converted("toy", "base/facts.txt")).unwrap();
    fs::write(lab.store.dataset("toy").join("extra.txt"), "").unwrap();
    fs::write(lab.store.raw("toy", "g.txt.part"), "").unwrap();
    let problems = lab.problems();
    assert_eq!(
        problems,
        [
            ("base/facts.txt".to_owned(), ProblemKind::Missing),
            ("extra.txt".to_owned(), ProblemKind::Unknown),
            ("raw/f.txt".to_owned(), ProblemKind::Missing),
            ("raw/g.txt.part".to_owned(), ProblemKind::Unfinished),
        ]
    );
    fs::remove_file(lab.store.dataset("toy").join("SHA256SUMS")).unwrap();
    assert!(
        lab.problems().iter().any(|(path, kind)| path == "SHA256SUMS" && matches!(kind, ProblemKind::BadRecord(_)))
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_not_a_regular_file() {
    let (_mirror, lab) = full_lab();
    let path = lab.store.raw("toy", "f.txt");
    let elsewhere = lab.directory.path().join("f.txt");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(lab.problems().contains(&("raw/f.txt".to_owned(), ProblemKind::NotAFile)));
    lab.fetch().unwrap();
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
    assert_eq!(fs::read(&elsewhere).unwrap(), thousand(), "the target of the link is unchanged");
}

#[test]
fn all_datasets_and_strays_are_verified() {
    let (_mirror, lab) = full_lab();
    let manifests = [lab.manifest.clone()];
    assert!(lab.store.verify_all(&manifests).unwrap().iter().all(|found| found.is_sound()));
    fs::write(lab.store.root().join("stray.txt"), "").unwrap();
    fs::create_dir(lab.store.root().join("other")).unwrap();
    fs::write(lab.store.root().join("other/file"), "").unwrap();
    let found = lab.store.verify_all(&manifests).unwrap();
    let names: Vec<String> =
        found.iter().flat_map(|v| v.problems.iter().map(move |p| format!("{} {}", v.id, p.path))).collect();
    assert_eq!(names, ["other SHA256SUMS", " stray.txt"]);

    let nothing = Store::open(lab.directory.path().join("nothing"));
    let found = nothing.verify_all(&manifests).unwrap();
    assert!(!found[0].fetched && found[0].problems.is_empty());
    let error = nothing.record("toy").unwrap_err().to_string();
    assert!(error.ends_with("run `lrbm datasets fetch toy`"), "{error}");
}

#[test]
fn converted_files_stay_in_their_variant() {
    let (_mirror, lab) = full_lab();
    for path in
        ["raw/f.txt", "unpacked/a", "../x", "base/../../x", "/x", "base", "base/x.part", "Base/x", "base/.tmp-x"]
    {
        let error = lab.store.write_converted("toy", path, b"").unwrap_err();
        assert!(matches!(error, StoreError::BadName { .. }), "{path}: {error}");
    }
    assert!(matches!(lab.store.write_converted("../toy", "base/x", b""), Err(StoreError::BadName { .. })));
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn sealing_a_variant_keeps_the_records_of_other_files() {
    let (_mirror, lab) = full_lab();
    flip(&lab.store.raw("toy", "f.txt"), 0);
    flip(&lab.store.unpacked("toy", "all/c.txt"), 0);
    flip(&lab.store.converted("toy", "more/facts.txt"), 0);
    lab.store.write_converted("toy", "base/facts.txt", b"q(c).\n").unwrap();
    lab.store.seal("toy", "base").unwrap();
    let problems = lab.problems();
    let names: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["more/facts.txt", "raw/f.txt", "unpacked/all/c.txt"]);
}

#[test]
fn fetching_again_keeps_valid_variants_and_drops_invalid_ones() {
    let (_mirror, lab) = full_lab();
    lab.fetch().unwrap();
    assert!(lab.store.is_sealed("toy", "base") && lab.store.is_sealed("toy", "more"));

    flip(&lab.store.converted("toy", "more/facts.txt"), 0);
    lab.fetch().unwrap();
    assert!(lab.store.is_sealed("toy", "base") && !lab.store.is_sealed("toy", "more"));
    assert!(!lab.files().iter().any(|file| file.starts_with("toy/more/")), "a variant is complete or absent");
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    lab.store.discard("toy", "base").unwrap();
    assert!(!lab.store.is_sealed("toy", "base"));
    assert!(lab.store.discard("toy", "raw").is_err());
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn variants_are_removed_when_their_input_changes() {
    let (mirror, mut lab) = full_lab();
    // A new manifest without the archive, and with other bytes for the file.
    fs::write(mirror.path().join(format!("owner/repository/{COMMIT}/some/data/f.txt")), "new").unwrap();
    lab.manifest = manifest(&[line("f.txt", b"new", "")]);
    let mut outdated = 0;
    let mut count = |event: FetchEvent<'_>| {
        if let FetchEvent::Outdated { files } = event {
            outdated += files;
        }
    };
    fetch(&lab.store, &lab.manifest, &lab.options, &mut count).unwrap();
    assert_eq!(outdated, 4);
    assert_eq!(lab.files(), ["toy/SHA256SUMS", "toy/raw/f.txt"]);
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn two_processes_do_not_fetch_the_same_dataset() {
    let (_mirror, lab) = full_lab();
    let lock = lab.store.lock("toy").unwrap();
    assert!(matches!(lab.fetch(), Err(FetchError::Store(StoreError::Busy { .. }))));
    drop(lock);
    lab.fetch().unwrap();
}

#[test]
fn checksums_depend_only_on_their_directory() {
    let (_mirror, lab) = full_lab();
    let before = lab.store.record("toy").unwrap();
    lab.store.write_converted("toy", "base/facts.txt", b"q(c).\n").unwrap();
    let after = lab.store.seal("toy", "base").unwrap();
    assert_eq!(before.checksum("raw"), after.checksum("raw"));
    assert_eq!(before.checksum("more"), after.checksum("more"));
    assert_ne!(before.checksum("base"), after.checksum("base"));
}

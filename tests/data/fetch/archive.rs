//! Valid and invalid archives, and files supplied by the user.

use std::fs;
use std::io::Write;

use lrbm::internal::data::fetch::{ArchiveError, FetchError, FetchEvent, FetchFault, Mirror, fetch};
use lrbm::internal::data::store::ProblemKind;
use lrbm::internal::files::digest;
use tempfile::TempDir;

use super::lab::{Lab, flip, line, mirror_of, thousand, zipped};
use super::server::{Server, complete, status};

/// Creates a lab whose only file is this archive.
fn lab_of_archive(archive: &[u8]) -> (TempDir, Lab) {
    let mirror = mirror_of("all.zip", archive);
    let lab = Lab::new(Mirror::Directory(mirror.path().to_owned()), &[line("all.zip", archive, ", unpack = \"zip\"")]);
    (mirror, lab)
}

#[test]
fn an_archive_is_unpacked_and_recorded() {
    let (_mirror, lab) = lab_of_archive(&zipped(&[("a/", b""), ("a/b.txt", b"bee"), ("c.txt", thousand())]));
    lab.fetch().unwrap();
    let expected = ["toy/SHA256SUMS", "toy/raw/all.zip", "toy/unpacked/all/a/b.txt", "toy/unpacked/all/c.txt"];
    assert_eq!(lab.files(), expected);
    assert_eq!(fs::read(lab.store.unpacked("toy", "all/a/b.txt")).unwrap(), b"bee");
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    // Fetching again repairs changed, removed and added files among the unpacked ones.
    flip(&lab.store.unpacked("toy", "all/c.txt"), 7);
    fs::remove_file(lab.store.unpacked("toy", "all/a/b.txt")).unwrap();
    fs::write(lab.store.unpacked("toy", "all/new.txt"), "new").unwrap();
    let problems = lab.problems();
    let names: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["unpacked/all/a/b.txt", "unpacked/all/c.txt", "unpacked/all/new.txt"]);
    assert!(matches!(problems[0].1, ProblemKind::Missing));
    assert!(matches!(problems[1].1, ProblemKind::Changed { .. }));
    assert!(matches!(problems[2].1, ProblemKind::Unknown));
    lab.fetch().unwrap();
    assert_eq!(lab.files(), expected);
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn an_archive_cannot_write_outside_its_directory() {
    for (name, reason) in [
        ("../evil.txt", "the path leaves its directory through `..`"),
        ("a/../../evil.txt", "the path leaves its directory through `..`"),
        ("/evil.txt", "the path is absolute"),
        ("..\\evil.txt", "the path contains a control character, `\\` or `:`"),
        ("c:evil.txt", "the path contains a control character, `\\` or `:`"),
        ("link@", "it is a link or a device"),
    ] {
        let (_mirror, lab) = lab_of_archive(&zipped(&[("good.txt", b"good"), (name, b"/etc/passwd")]));
        let error = lab.fetch().unwrap_err();
        assert!(matches!(&error, FetchError::Archive { fault: ArchiveError::BadEntry { .. }, .. }), "{error}");
        let text = error.to_string();
        assert!(text.starts_with("dataset `toy`: all.zip: unsafe archive entry `"), "{text}");
        assert!(text.ends_with(reason), "{text}");
        assert_eq!(lab.files(), ["toy/raw/all.zip"], "nothing is unpacked, not even valid entries");
        assert_eq!(fs::read_dir(lab.directory.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_decompression_bomb_is_rejected() {
    let (_mirror, lab) = lab_of_archive(&zipped(&[("zeros", &vec![0; 20 << 20])]));
    let error = lab.fetch().unwrap_err();
    assert!(matches!(&error, FetchError::Archive { fault: ArchiveError::TooLarge { .. }, .. }), "{error}");
    assert_eq!(lab.files(), ["toy/raw/all.zip"]);
}

/// Entries that would write the same file twice, or a file below a file.
#[test]
fn colliding_entries_are_rejected() {
    let mut duplicate = zipped(&[("one.txt", b"first"), ("two.txt", b"second")]);
    for at in 0..duplicate.len() - 7 {
        if &duplicate[at..at + 7] == b"two.txt" {
            duplicate[at..at + 7].copy_from_slice(b"one.txt");
        }
    }
    let below = zipped(&[("one.txt", b"a file"), ("one.txt/two.txt", b"below it")]);
    for archive in [duplicate, below] {
        let (_mirror, lab) = lab_of_archive(&archive);
        let error = lab.fetch().unwrap_err();
        assert!(matches!(&error, FetchError::Archive { .. }), "{error}");
        assert_eq!(lab.files(), ["toy/raw/all.zip"], "nothing is unpacked");
    }
}

/// The total counts, not the size of each entry or the sizes that the archive claims.
#[test]
fn a_bomb_of_many_small_entries_is_rejected() {
    let zeros = vec![0; 1 << 20];
    let names: Vec<String> = (0..40).map(|i| format!("{i}.txt")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), zeros.as_slice())).collect();
    let (_mirror, lab) = lab_of_archive(&zipped(&entries));
    let error = lab.fetch().unwrap_err();
    assert!(matches!(&error, FetchError::Archive { fault: ArchiveError::TooLarge { .. }, .. }), "{error}");
    assert_eq!(lab.files(), ["toy/raw/all.zip"]);
}

#[test]
fn an_invalid_archive_is_rejected() {
    let (_mirror, lab) = lab_of_archive(thousand());
    let error = lab.fetch().unwrap_err();
    assert!(matches!(&error, FetchError::Archive { fault: ArchiveError::Damaged { .. }, .. }), "{error}");
}

/// Returns `hello world\n` compressed with gzip.
fn hello() -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"hello world\n").unwrap();
    gzip.finish().unwrap()
}

/// Returns the manifest entry of a user-supplied file, identified by its git blob id.
fn supplied_line() -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hello.gz");
    fs::write(&path, hello()).unwrap();
    let blob = digest::git_blob_of_file(&path).unwrap();
    format!("{{ path = \"hello.gz\", git_blob = \"{blob}\", unpack = \"gzip\", supplied_by_user = \"ask\" }}")
}

#[test]
fn a_user_supplied_file_may_be_absent() {
    let server = Server::start(|request, out| match request.path.ends_with("f.txt") {
        true => complete(out, thousand()),
        false => status(out, "404 Not Found"),
    });
    let lab = Lab::new(server.mirror(), &[line("f.txt", thousand(), ""), supplied_line()]);
    let mut notes = Vec::new();
    let mut note = |event: FetchEvent<'_>| {
        if let FetchEvent::NotSupplied { file, note } = event {
            notes.push(format!("{file}: {note}"));
        }
    };
    let fetched = fetch(&lab.store, &lab.manifest, &lab.options, &mut note).unwrap();
    assert_eq!(fetched.not_supplied, ["hello.gz"]);
    assert_eq!(notes, ["hello.gz: ask"]);
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    // Once supplied, it is unknown at first and accepted by the next fetch.
    fs::write(lab.store.raw("toy", "hello.gz"), hello()).unwrap();
    assert!(matches!(&lab.problems()[..], [(path, ProblemKind::Unknown)] if path == "raw/hello.gz"));
    assert_eq!(lab.fetch().unwrap().not_supplied, [""; 0]);
    assert_eq!(fs::read(lab.store.unpacked("toy", "hello")).unwrap(), b"hello world\n");
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    // A different file is rejected and left unchanged.
    fs::write(lab.store.raw("toy", "hello.gz"), "mine").unwrap();
    let error = lab.fetch().unwrap_err();
    let FetchError::File { fault, .. } = &error else { panic!("{error}") };
    assert!(matches!(**fault, FetchFault::WrongSupply { .. }), "{error}");
    assert_eq!(fs::read(lab.store.raw("toy", "hello.gz")).unwrap(), b"mine");
}

#[test]
fn a_user_supplied_file_is_fetched_from_a_mirror() {
    let mirror = mirror_of("hello.gz", &hello());
    let lab = Lab::new(Mirror::Directory(mirror.path().to_owned()), &[supplied_line()]);
    let fetched = lab.fetch().unwrap();
    assert_eq!((fetched.arrived, fetched.not_supplied.len()), (1, 0));
    assert_eq!(lab.files(), ["toy/SHA256SUMS", "toy/raw/hello.gz", "toy/unpacked/hello"]);
}

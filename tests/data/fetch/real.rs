//! The real files, if a copy exists.

use std::fs;
use std::path::{Path, PathBuf};

use lrbm::internal::data::fetch::{FetchOptions, Mirror, fetch};
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::Store;

use super::server::{Server, complete, status};

/// Returns the mirror beside the repository, if it exists.
fn real_mirror() -> Option<PathBuf> {
    let mirror = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/datasets/mirror");
    if !mirror.is_dir() {
        eprintln!("skipped: {} does not exist, so the real files cannot be fetched", mirror.display());
        return None;
    }
    Some(mirror)
}

#[test]
fn every_built_in_manifest_is_fetched_from_a_mirror() {
    let Some(mirror) = real_mirror() else { return };
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path());
    let options = FetchOptions { mirror: Mirror::Directory(mirror), ..FetchOptions::default() };
    for manifest in Manifest::built_in() {
        let fetched = fetch(&store, manifest, &options, &mut |_| {}).unwrap();
        let missing: &[&str] = if manifest.id == "yeast2" { &["2010.yeast2.gz"] } else { &[] };
        assert_eq!(fetched.not_supplied, missing, "{}", manifest.id);
    }
    for found in store.verify_all(Manifest::built_in()).unwrap() {
        assert!(found.is_sound(), "{}: {:?}", found.id, found.problems);
    }
    for (id, path) in [
        ("imdb", "imdb_workedunder/imdb/Fold1/train/train_pos.txt"),
        ("sports", "NELL/NELL/pos.txt"),
        (
            "yeast2",
            "icwsm_gene_paper_author_firstAuthorCitations.1950_2007.ghirl/war_data/\
             icwsm_gene_paper_author_firstAuthorCitations.1950_2007.ghirl",
        ),
    ] {
        assert!(store.unpacked(id, path).is_file(), "{id}");
    }
}

#[test]
fn a_built_in_manifest_is_fetched_over_http() {
    let Some(mirror) = real_mirror() else { return };
    let server = Server::start(move |request, out| match fs::read(mirror.join(&request.path[8..])) {
        Ok(content) => complete(out, &content),
        Err(_) => status(out, "404 Not Found"),
    });
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path());
    let options = FetchOptions { mirror: server.mirror(), ..FetchOptions::default() };
    let manifest = Manifest::find("imdb").unwrap();
    fetch(&store, manifest, &options, &mut |_| {}).unwrap();
    assert!(store.verify(manifest).unwrap().is_sound());
    assert_eq!(server.requests().len(), manifest.files().count());
}

//! Synthetic manifests and files, and a data directory to fetch them into.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use lrbm::internal::data::fetch::{FetchError, FetchFault, FetchOptions, Fetched, Mirror, fetch};
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::{ProblemKind, Store};
use lrbm::internal::files::digest;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::server::Server;

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Creates a manifest with these file entries.
pub fn manifest(files: &[String]) -> Manifest {
    let text = format!(
        r#"
id = "toy"
title = "Toy"
about = "made up"
citation = "none"
licence = "none"
adaptor = "boostsrl-single"
modes = ["mode: p(+a)."]
target = {{ predicate = "p", arguments = ["a"] }}
evidence = [{{ name = "base", about = "all", default = true }}]
folds = {{ scheme = "random", count = 5, about = "at random" }}
negatives = {{ scheme = "closed-world" }}
expected = {{ positives = 1, about = "lines" }}

[[source]]
owner = "owner"
repository = "repository"
commit = "{COMMIT}"
directory = "some/data"
files = [{}]
"#,
        files.join(",\n")
    );
    Manifest::parse(&text, "toy.toml").unwrap()
}

/// Returns the manifest entry of a file with this content.
pub fn line(path: &str, content: &[u8], more: &str) -> String {
    let sum = digest::sha256(content);
    format!("{{ path = \"{path}\", bytes = {}, sha256 = \"{sum}\"{more} }}", content.len())
}

/// Returns 1,000 bytes without repeated stretches.
pub fn thousand() -> &'static [u8] {
    let numbers: String = (0..250).map(|n| format!("{n:03},")).collect();
    numbers.into_bytes().leak()
}

/// A data directory with a manifest and options to fetch into it.
pub struct Lab {
    pub directory: TempDir,
    pub store: Store,
    pub manifest: Manifest,
    pub options: FetchOptions,
}

impl Lab {
    pub fn new(mirror: Mirror, files: &[String]) -> Lab {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("data"));
        let options = FetchOptions { mirror, attempts: 1, ..FetchOptions::default() };
        Lab { directory, store, manifest: manifest(files), options }
    }

    /// Creates a lab with one file, `f.txt`, of [`thousand`].
    pub fn of_one(server: &Server) -> Lab {
        Lab::new(server.mirror(), &[line("f.txt", thousand(), "")])
    }

    pub fn fetch(&self) -> Result<Fetched, FetchError> {
        fetch(&self.store, &self.manifest, &self.options, &mut |_| {})
    }

    /// Returns the fault of a fetch that must fail, and checks that the error names the file and
    /// its source.
    pub fn fault(&self) -> FetchFault {
        let error = self.fetch().unwrap_err();
        let text = error.to_string();
        let FetchError::File { dataset, file, from, fault } = error else { panic!("{text}") };
        assert!(text.starts_with(&format!("dataset `{dataset}`: {file} from {from}: ")), "{text}");
        assert_eq!((dataset.as_str(), file.as_str()), ("toy", "f.txt"));
        assert!(from.ends_with(&format!("owner/repository/{COMMIT}/some/data/f.txt")), "{from}");
        *fault
    }

    pub fn problems(&self) -> Vec<(String, ProblemKind)> {
        let found = self.store.verify(&self.manifest).unwrap();
        found.problems.into_iter().map(|problem| (problem.path, problem.kind)).collect()
    }

    /// Returns every file below the data directory except locks.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(self.store.root(), self.store.root(), &mut files);
        files.retain(|file| !file.ends_with(".lock"));
        files.sort();
        files
    }
}

pub fn collect(root: &Path, directory: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, files);
        } else {
            files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

pub fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Creates a zip archive; a name that ends in `@` is a link.
pub fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, content) in entries {
        match name.strip_suffix('@') {
            Some(link) => zip.add_symlink(link, std::str::from_utf8(content).unwrap(), options).unwrap(),
            None => {
                zip.start_file(*name, options).unwrap();
                zip.write_all(content).unwrap();
            }
        }
    }
    zip.finish().unwrap().into_inner()
}

/// Creates a mirror directory with one file.
pub fn mirror_of(path: &str, content: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let full = directory.path().join(format!("owner/repository/{COMMIT}/some/data")).join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, content).unwrap();
    directory
}

//! Targets for directories and archives.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use lrbm::internal::data::fetch::archive;
use lrbm::internal::data::load::{LoadOptions, load};
use lrbm::internal::data::manifest::Unpack;
use lrbm::internal::data::store::Store;
use lrbm::internal::experiment::PlannedJob;
use lrbm::internal::experiment::run::{Local, Options, run};
use lrbm::internal::experiment::store::RunStore;
use lrbm::internal::experiment::{Experiment, Plan, Results};
use lrbm::internal::files::digest;
use lrbm::internal::report::Report;
use tempfile::TempDir;

/// Creates a temporary directory, in memory if possible.
fn temporary_directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

const FILE_MARK: &[u8] = b"=== ";

/// Splits an input into files, each preceded by a line `=== NAME`.
fn split_files(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(FILE_MARK) {
            files.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new()));
        } else if let Some((_, bytes)) = files.last_mut() {
            bytes.extend_from_slice(line);
        }
    }
    files
}

pub fn directories_seeds() -> Vec<Vec<u8>> {
    let good = b"=== pos\nadvisedby(a, b).\nadvisedby(c, b).\n=== neg\nadvisedby(b, a).\nadvisedby(b, c).\n\
        === facts\npublication(t1, a). publication(t1, b).\npublication(t2, c). publication(t2, b).\nyear(t1, 1999).\nage(a, 3.5).\n\
        === bk\nusePrologVariables: true.\nmode: advisedby(+Person, +Person).\nmode: publication(-Title, +Person).\n\
        mode: publication(+Title, -Person).\nmode: year(+Title, #Year).\nmode: age(+Person, #Age).\n";
    let shuffled = b"=== facts\np(a, 1). p(b, 2). p(c, 3).\n=== pos\nt(a). t(b).\n=== neg\nt(c).\n=== bk\nmode: t(+x).\nmode: p(+x, #n).\n";
    vec![good.to_vec(), shuffled.to_vec()]
}

pub fn directories(input: &[u8]) -> bool {
    let directory = temporary_directory();
    for (name, bytes) in split_files(input) {
        if let Some(part) = ["pos", "neg", "facts", "bk"].into_iter().find(|part| *part == name) {
            fs::write(directory.path().join(format!("train_{part}.txt")), bytes).unwrap();
        }
    }
    match load(directory.path(), &LoadOptions::default()) {
        Ok(loaded) => {
            assert!(
                loaded
                    .examples
                    .iter()
                    .all(|example| { !loaded.database.show_atom(loaded.target, &example.args).is_empty() })
            );
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

const SPEC: &str =
    "name = \"x\"\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\ntrees = 1\n";

/// Returns a finished run of one model, created once.
fn finished() -> &'static (TempDir, PathBuf) {
    static RUN: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    RUN.get_or_init(|| {
        let directory = temporary_directory();
        let experiment = Experiment::parse(SPEC, "spec.toml", &[]).unwrap();
        let data = Store::open(directory.path().join("no data"));
        let plan = Plan::new(&experiment, &data).unwrap();
        let planned: Vec<PlannedJob> =
            plan.jobs.into_iter().map(|entry| PlannedJob::new(entry.job, &entry.data_checksum.unwrap())).collect();
        let store = RunStore::new(directory.path().join("run"));
        let presence = store.prepare().unwrap();
        store.freeze(&experiment.frozen).unwrap();
        let options =
            Options { fresh: false, retry_failed: false, fail_fast: false, write_tables: true, began: Instant::now() };
        let mut local = Local { data: &data, jobs: 1, threads: 1, isolation: None };
        run(&planned, &[0, 1], &mut local, &store, &options, &mut |_| {}).unwrap();
        drop(presence);
        (directory, PathBuf::from("jobs/movies/Boost/default/fold1-seed20200120"))
    })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &target) } else { assert!(fs::copy(&path, &target).is_ok()) }
    }
}

/// Copies the run and replaces some of its files.
fn run_with(files: &[(String, Vec<u8>)]) -> TempDir {
    let (home, job) = finished();
    let directory = temporary_directory();
    let root = directory.path().join("run");
    copy(&home.path().join("run"), &root);
    for (name, bytes) in files {
        let path = match name.as_str() {
            "spec.toml" | "skipped.json" => root.join(name),
            "run.json" | "model.json" | "predictions.parquet" => root.join(job).join(name),
            _ => continue,
        };
        fs::write(path, bytes).unwrap();
    }
    directory
}

fn run_file(name: &str) -> Vec<u8> {
    let (home, job) = finished();
    let root = home.path().join("run");
    let path = if name == "spec.toml" { root.join(name) } else { root.join(job).join(name) };
    [FILE_MARK, name.as_bytes(), b"\n", &fs::read(path).unwrap()].concat()
}

pub fn runs_seeds() -> Vec<Vec<u8>> {
    let skipped = b"=== skipped.json\n[\"imdb\"]\n".to_vec();
    vec![run_file("spec.toml"), run_file("run.json"), run_file("model.json"), run_file("predictions.parquet"), skipped]
}

/// A run directory with modified files: content that does not match its checksum is never used.
pub fn runs(input: &[u8]) -> bool {
    let files = split_files(input);
    let directory = run_with(&files);
    let root = directory.path().join("run");
    let Ok(results) = Results::read(&root) else { return false };
    let (home, job) = finished();
    for stored in &results.stored {
        let good = home.path().join("run").join(&stored.directory);
        for name in ["run.json", "model.json", "predictions.parquet"] {
            let [found, good] = [&root.join(&stored.directory), &good].map(|place| fs::read(place.join(name)).unwrap());
            assert!(found == good, "{name} was modified but used, in {}", job.display());
        }
        assert!(results.model(stored).is_ok() && results.predictions(stored).is_ok());
    }
    !results.stored.is_empty()
}

pub fn reports_seeds() -> Vec<Vec<u8>> {
    vec![run_file("run.json"), [run_file("spec.toml"), run_file("run.json")].concat()]
}

/// A modified record with a matching checksum: reporting either succeeds or fails with an error.
pub fn reports(input: &[u8]) -> bool {
    let mut files = split_files(input);
    for (_, bytes) in files.iter_mut().filter(|(name, _)| name == "run.json") {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let body = text.rfind(",\n  \"checksum\"").map_or(text.as_str(), |at| &text[..at]);
        *bytes = format!("{body},\n  \"checksum\": \"{}\"\n}}\n", digest::sha256(body.as_bytes())).into_bytes();
    }
    let directory = run_with(&files);
    let Ok(results) = Results::read(&directory.path().join("run")) else { return false };
    let Ok(report) = Report::new(&results) else { return false };
    let out = directory.path().join("report");
    if let Err(error) = report.write(&out) {
        assert!(!error.to_string().is_empty());
        return false;
    }
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.trim_end().ends_with("</html>"));
    true
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn archives_seeds() -> Vec<Vec<u8>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&b"hello world\n".repeat(50)).unwrap();
    vec![
        zipped(&[("a/b.txt", b"bee"), ("c.txt", &[b'c'; 1000]), ("d/e/f", b"")]),
        zipped(&[("only.txt", &[7; 5000])]),
        gzip.finish().unwrap(),
    ]
}

/// Unpacking writes nothing outside the target, and a rejected archive leaves nothing behind.
pub fn archives(input: &[u8]) -> bool {
    let mut accepted = false;
    for kind in [Unpack::Zip, Unpack::Gzip] {
        let directory = temporary_directory();
        let (archive, inner) = (directory.path().join("archive"), directory.path().join("inner"));
        fs::write(&archive, input).unwrap();
        fs::create_dir(&inner).unwrap();
        let unpacked = archive::unpack(kind, &archive, &inner.join("target"));
        let names = |path: &Path| -> Vec<String> {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            entries.collect()
        };
        let mut entries = names(directory.path());
        entries.sort();
        assert_eq!(entries, ["archive", "inner"], "a file was written outside the target");
        match unpacked {
            Ok(()) => {
                assert_eq!(names(&inner), ["target"]);
                accepted = true;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(names(&inner).is_empty(), "a rejected archive left files: {error}");
            }
        }
    }
    accepted
}

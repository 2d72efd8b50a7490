//! Directories and archives.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use lrbm::data::fetch::archive;
use lrbm::data::load::{LoadOptions, load};
use lrbm::data::manifest::Unpack;
use lrbm::data::store::Store;
use lrbm::experiment::PlannedJob;
use lrbm::experiment::run::{Local, Options, run};
use lrbm::experiment::store::RunStore;
use lrbm::experiment::{Experiment, Plan, Results};
use lrbm::files::digest;
use lrbm::report::Report;
use tempfile::TempDir;

/// A directory in memory if there is one: these targets are about what is in files, not about the disk.
fn room() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

const MARK: &[u8] = b"=== ";

/// Files in one input, each behind a line `=== NAME`.
fn several(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(MARK) {
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
    let room = room();
    for (name, bytes) in several(input) {
        if let Some(part) = ["pos", "neg", "facts", "bk"].into_iter().find(|part| *part == name) {
            fs::write(room.path().join(format!("train_{part}.txt")), bytes).unwrap();
        }
    }
    match load(room.path(), &LoadOptions::default()) {
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

/// A finished run of one model, made once.
fn finished() -> &'static (TempDir, PathBuf) {
    static RUN: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    RUN.get_or_init(|| {
        let room = room();
        let experiment = Experiment::parse(SPEC, "spec.toml", &[]).unwrap();
        let data = Store::open(room.path().join("no data"));
        let plan = Plan::new(&experiment, &data).unwrap();
        let planned: Vec<PlannedJob> =
            plan.jobs.into_iter().map(|entry| PlannedJob::new(entry.job, &entry.data_checksum.unwrap())).collect();
        let store = RunStore::new(room.path().join("run"));
        let presence = store.prepare().unwrap();
        store.freeze(&experiment.frozen).unwrap();
        let options =
            Options { fresh: false, retry_failed: false, fail_fast: false, write_tables: true, began: Instant::now() };
        let mut local = Local { data: &data, jobs: 1, threads: 1 };
        run(&planned, &[0, 1], &mut local, &store, &options, &mut |_| {}).unwrap();
        drop(presence);
        (room, PathBuf::from("jobs/movies/Boost/default/fold1-seed20200120"))
    })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &target) } else { assert!(fs::copy(&path, &target).is_ok()) }
    }
}

/// The run with some of its files replaced.
fn changed(files: &[(String, Vec<u8>)]) -> TempDir {
    let (home, job) = finished();
    let room = room();
    let root = room.path().join("run");
    copy(&home.path().join("run"), &root);
    for (name, bytes) in files {
        let path = match name.as_str() {
            "spec.toml" | "skipped.json" => root.join(name),
            "run.json" | "model.json" | "predictions.parquet" => root.join(job).join(name),
            _ => continue,
        };
        fs::write(path, bytes).unwrap();
    }
    room
}

fn part(name: &str) -> Vec<u8> {
    let (home, job) = finished();
    let root = home.path().join("run");
    let path = if name == "spec.toml" { root.join(name) } else { root.join(job).join(name) };
    [MARK, name.as_bytes(), b"\n", &fs::read(path).unwrap()].concat()
}

pub fn runs_seeds() -> Vec<Vec<u8>> {
    let skipped = b"=== skipped.json\n[\"imdb\"]\n".to_vec();
    vec![part("spec.toml"), part("run.json"), part("model.json"), part("predictions.parquet"), skipped]
}

/// A run directory with changed files: what does not fit its checksum is never used.
pub fn runs(input: &[u8]) -> bool {
    let files = several(input);
    let room = changed(&files);
    let root = room.path().join("run");
    let Ok(results) = Results::read(&root) else { return false };
    let (home, job) = finished();
    for stored in &results.stored {
        let good = home.path().join("run").join(&stored.directory);
        for name in ["run.json", "model.json", "predictions.parquet"] {
            let [found, good] = [&root.join(&stored.directory), &good].map(|place| fs::read(place.join(name)).unwrap());
            assert!(found == good, "{name} was changed and is used, in {}", job.display());
        }
        assert!(results.model(stored).is_ok() && results.predictions(stored).is_ok());
    }
    !results.stored.is_empty()
}

pub fn reports_seeds() -> Vec<Vec<u8>> {
    vec![part("run.json"), [part("spec.toml"), part("run.json")].concat()]
}

/// A record that somebody changed on purpose, with a checksum that fits: whatever it says, a report can be made of it, or not.
pub fn reports(input: &[u8]) -> bool {
    let mut files = several(input);
    for (_, bytes) in files.iter_mut().filter(|(name, _)| name == "run.json") {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let body = text.rfind(",\n  \"checksum\"").map_or(text.as_str(), |at| &text[..at]);
        *bytes = format!("{body},\n  \"checksum\": \"{}\"\n}}\n", digest::sha256(body.as_bytes())).into_bytes();
    }
    let room = changed(&files);
    let Ok(results) = Results::read(&room.path().join("run")) else { return false };
    let Ok(report) = Report::new(&results) else { return false };
    let out = room.path().join("report");
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

/// Unpacked or refused, nothing is written beside the place of the archive, and nothing is left of a refused one.
pub fn archives(input: &[u8]) -> bool {
    let mut taken = false;
    for kind in [Unpack::Zip, Unpack::Gzip] {
        let room = room();
        let (archive, inner) = (room.path().join("archive"), room.path().join("inner"));
        fs::write(&archive, input).unwrap();
        fs::create_dir(&inner).unwrap();
        let unpacked = archive::unpack(kind, &archive, &inner.join("target"));
        let names = |path: &Path| -> Vec<String> {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            entries.collect()
        };
        let mut beside = names(room.path());
        beside.sort();
        assert_eq!(beside, ["archive", "inner"], "something was written elsewhere");
        match unpacked {
            Ok(()) => {
                assert_eq!(names(&inner), ["target"]);
                taken = true;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(names(&inner).is_empty(), "something was left: {error}");
            }
        }
    }
    taken
}

//! Tests of run directories, without training.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::data::split::{FoldCounts, SideCounts};
use crate::experiment::Keep;
use crate::experiment::job::Job;
use crate::experiment::lab::{Lab, stored_files};
use crate::files::TEMPORARY_PREFIX;
use crate::learn::{Choice, Preset, SavedModel};
use crate::metric::{Column, Metrics, Output, Undefined};

const TINY: &str = "name = \"x\"\nseed = 1\nfolds = 2\ndatasets = [\"movies\"]\n\
    [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\ntrees = 3\n";

fn kept(keep: Keep, job: &Job) -> Job {
    Job { keep, ..job.clone() }
}

/// Returns what `read_record` says is damaged.
fn damage(lab: &Lab, job: &Job) -> (String, String) {
    let Damage { file, what } = lab.store().read_record(job).unwrap_err();
    (file.file_name().unwrap().to_string_lossy().into_owned(), what)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_published_result_is_read_back() {
    let lab = Lab::new(TINY);
    let (store, jobs) = (lab.store(), lab.jobs());
    assert_eq!((jobs.len(), store.root()), (2, lab.root()));
    assert_eq!(store.read_record(&jobs[0]), Ok(None));
    let files = stored_files(&jobs[0], 1.5);
    let record = lab.done(&jobs[0], &files, &[(Column::AucRoc, 0.75)]);
    lab.publish(&jobs[0], &record, &files);
    assert_eq!(store.record(&jobs[0]), Some(record));
    assert_eq!(store.record(&jobs[1]), None);
    let directory = store.directory(&jobs[0]);
    assert_eq!(directory, lab.root().join("jobs/movies/A/default/fold1-seed1"));
    assert_eq!(names(&directory), [LOG, MODEL, PREDICTIONS, RECORD]);
    assert_eq!(read_predictions(&directory.join(PREDICTIONS)).unwrap()[0].psi, 1.5);
    // Neither staging directory nor lock remains; a second result replaces the first.
    lab.finish(&jobs[0], &[(Column::AucRoc, 0.5)], -1.5);
    assert_eq!(store.record(&jobs[0]).unwrap().result.unwrap().metric(Column::AucRoc), Some(0.5));
    assert_eq!(names(directory.parent().unwrap()), ["fold1-seed1"]);
    assert_eq!(names(&lab.root().join(lock::LOCKS)), [""; 0]);
}

#[test]
fn damage_is_found_in_each_file() {
    let lab = Lab::new(TINY);
    let job = &lab.jobs()[0];
    let directory = lab.store().directory(job);
    for name in [MODEL, PREDICTIONS] {
        lab.finish(job, &[], 1.0);
        fs::write(directory.join(name), "x").unwrap();
        assert_eq!(damage(&lab, job), (name.to_owned(), "checksum mismatch".to_owned()));
        fs::remove_file(directory.join(name)).unwrap();
        assert_eq!(damage(&lab, job).0, name);
        assert_eq!(lab.store().record(job), None);
    }
    // A file that the record does not list has no checksum.
    for name in [MODEL, PREDICTIONS] {
        let files: Vec<_> = stored_files(job, 1.0).into_iter().filter(|(other, _)| *other != name).collect();
        lab.publish(job, &lab.done(job, &files, &[]), &stored_files(job, 1.0));
        assert_eq!(damage(&lab, job), (name.to_owned(), "checksum mismatch".to_owned()));
    }
    lab.finish(job, &[], 1.0);
    // Other files are required if the job keeps others.
    assert!(lab.store().record(&kept(Keep { models: true, predictions: true, scores: false }, job)).is_some());
    assert_eq!(damage(&lab, &kept(Keep { models: true, predictions: true, scores: true }, job)).0, SCORES);
    let compact = kept(Keep { models: false, predictions: false, scores: true }, job);
    lab.finish(&compact, &[], 1.0);
    assert_eq!(names(&directory), [RECORD, SCORES], "no log");
    assert!(lab.store().record(&compact).is_some());
    assert_eq!(damage(&lab, job).0, MODEL);
    fs::remove_file(directory.join(RECORD)).unwrap();
    assert_eq!(lab.store().read_record(job), Ok(None), "incomplete");
    fs::create_dir(directory.join(RECORD)).unwrap();
    assert_eq!(damage(&lab, job).0, RECORD);
}

#[test]
fn records_of_failures_need_no_files() {
    let lab = Lab::new(TINY);
    let job = &lab.jobs()[0];
    lab.fail(job, FailureKind::Lost);
    assert_eq!(lab.store().record(job).unwrap().status.failure(), Some((FailureKind::Lost, "the reason")));
}

#[test]
fn records_are_verified() {
    let lab = Lab::new(TINY);
    let record = lab.failed(&lab.jobs()[0], FailureKind::Error);
    let text = record.to_text();
    assert_eq!(JobRecord::from_bytes(text.as_bytes()), Ok(record.clone()));
    let error = |text: &str| JobRecord::from_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error(&text.replace("the reason", "another reason")), "checksum mismatch");
    let checksum = text.rfind(",\n  \"checksum\"").unwrap();
    let without = format!("{}\n}}\n", &text[..checksum]);
    assert_eq!(error(&without), "checksum mismatch");
    // Version 1 had none; one that has it must be intact.
    let first = without.replace("\"version\": 2", "\"version\": 1");
    assert_eq!(JobRecord::from_bytes(first.as_bytes()), Ok(JobRecord { version: 1, ..record.clone() }));
    let first = JobRecord { version: 1, ..record.clone() }.to_text();
    assert!(JobRecord::from_bytes(first.as_bytes()).is_ok());
    assert_eq!(error(&first.replace("the reason", "another reason")), "checksum mismatch");
    let later = JobRecord { version: 3, ..record }.to_text();
    assert_eq!(error(&later), "unsupported format version 3, expected at most 2");
    assert_eq!(JobRecord::from_bytes(b"\xff").unwrap_err(), "invalid UTF-8");
    assert!(error("{}").contains("missing field"));
}

#[test]
fn each_status_answers_for_itself() {
    use FailureKind::{Error, Lost, MemoryLimit, Panic, Refused, TimeLimit};
    assert_eq!((Status::Done.name(), Status::Done.failure(), Status::Done.message()), ("done", None, None));
    for failure in [Error, Refused, Panic, TimeLimit, MemoryLimit, Lost] {
        let status = Status::Failed { failure, message: "why".to_owned() };
        assert_eq!(status.name(), if failure == Refused { "refused" } else { "failed" });
        assert_eq!((status.failure(), status.message()), (Some((failure, "why")), Some("why")));
        assert_eq!(status.is_refused(), failure == Refused);
        assert_eq!(status.is_panic(), failure == Panic);
        assert_eq!(status.is_overtime(), failure == TimeLimit);
        assert_eq!(status.is_stopped(), [TimeLimit, MemoryLimit, Lost].contains(&failure), "{failure:?}");
    }
    assert!(!Status::Done.is_refused() && !Status::Done.is_panic());
    assert!(!Status::Done.is_overtime() && !Status::Done.is_stopped());
}

#[test]
fn outcomes_hold_every_metric_or_why_it_is_undefined() {
    let lab = Lab::new(TINY);
    let mut outcome = lab.done(&lab.jobs()[0], &[], &[]).result.unwrap();
    let metrics = Metrics::new(Output::LogOdds(&[0.5, -0.5]), &[true, true], Err(Undefined::NoTrainingScores)).unwrap();
    outcome.set_metrics(&metrics);
    assert_eq!(outcome.metrics.len(), Column::ALL.len());
    for (column, value) in metrics.iter() {
        assert_eq!(outcome.metric(column), value.ok());
        assert_eq!(outcome.undefined.get(column.name()), value.err().map(|why| why.to_string()).as_ref());
    }
    assert!(outcome.metric(Column::Brier).is_some() && outcome.metric(Column::AucRoc).is_none());
}

#[test]
fn counts_are_summed_by_side() {
    let counts = ExampleCounts {
        train_positives: 1,
        train_negatives: 2,
        test_positives: 4,
        test_negatives: 8,
        train_negatives_drawn: None,
        test_negatives_drawn: 0,
        negatives_lacking: 0,
    };
    assert_eq!(counts.sizes(), (3, 12));
}

#[test]
fn a_model_of_a_longer_training_took_no_time_of_its_own() {
    let lab = Lab::new(TINY);
    let machine = lab.failed(&lab.jobs()[0], FailureKind::Error).machine;
    let machine = MachineInfo { train_seconds: 2.0, ensemble_seconds: 3.0, ..machine };
    assert_eq!(machine.learning_seconds(), 5.0);
    assert_eq!(MachineInfo { prefix_of: Some(20), ..machine }.learning_seconds(), 0.0);
}

#[test]
fn jobs_are_locked_one_by_one() {
    let lab = Lab::new(TINY);
    let (store, jobs) = (lab.store(), lab.jobs());
    let first = store.try_lock(&jobs[0]).unwrap();
    assert!(first.is_some() && store.try_lock(&jobs[0]).unwrap().is_none());
    assert!(store.try_lock(&jobs[1]).unwrap().is_some(), "another job");
    let (metrics, cluster) = (store.lock_metrics().unwrap(), store.try_lock_cluster().unwrap());
    assert!(cluster.is_some() && store.try_lock_cluster().unwrap().is_none());
    // Locked jobs are neither discarded nor cleaned up.
    lab.finish(&jobs[1], &[], 1.0);
    let second = store.lock(&jobs[1]).unwrap();
    let leftover = store.directory(&jobs[1]).with_file_name(format!("{TEMPORARY_PREFIX}fold2-seed1"));
    fs::create_dir_all(leftover.join("x")).unwrap();
    store.discard(&jobs[1]).unwrap();
    store.remove_leftovers(&jobs);
    assert!(store.record(&jobs[1]).is_some() && leftover.exists());
    drop((first, second, metrics, cluster));
    store.discard(&jobs[1]).unwrap();
    store.remove_leftovers(&jobs);
    assert!(!store.directory(&jobs[1]).exists() && !leftover.exists());
    store.discard(&jobs[1]).unwrap();
    // A directory without a record has no result to discard.
    fs::create_dir_all(store.directory(&jobs[0])).unwrap();
    store.discard(&jobs[0]).unwrap();
    assert!(store.directory(&jobs[0]).exists());
    assert!(store.try_lock_cluster().unwrap().is_some());
}

#[test]
fn a_result_that_is_not_published_leaves_no_trace() {
    let lab = Lab::new(TINY);
    let (store, job) = (lab.store(), &lab.jobs()[0]);
    let parent = store.directory(job).parent().unwrap().to_owned();
    let lock = store.lock(job).unwrap();
    let mut staging = store.begin(job, &lock).unwrap();
    staging.files().log("the first line");
    let directory = staging.files().directory().to_owned();
    assert_eq!(directory.parent().unwrap().parent().unwrap(), parent);
    // The process of an isolated job appends to the log, at its own time.
    let elapsed = Duration::from_secs(100);
    let mut other = StagingFiles::open(&directory, elapsed, Keep::default()).unwrap();
    assert!(other.elapsed() >= elapsed && other.elapsed() < elapsed * 2);
    assert!(staging.files().elapsed() < elapsed);
    other.log("the second line");
    let log = fs::read_to_string(directory.join(LOG)).unwrap();
    let lines: Vec<(f64, &str)> = log.lines().map(|line| (line[..9].trim().parse().unwrap(), &line[10..])).collect();
    assert_eq!([lines[0].1, lines[1].1], ["the first line", "the second line"]);
    assert!(lines[0].0 < 100.0 && lines[1].0 >= 100.0, "{log}");
    // A killed process leaves its staging directory; the next one starts over.
    fs::write(parent.join(format!("{TEMPORARY_PREFIX}fold1-seed1/left")), "x").unwrap();
    drop(staging);
    assert!(!directory.exists());
    let staging = store.begin(job, &lock).unwrap();
    assert_eq!(names(&parent.join(format!("{TEMPORARY_PREFIX}fold1-seed1"))).len(), 1);
    drop(staging);
    let compact = Keep { models: false, predictions: false, scores: true };
    let directory = tempfile::tempdir().unwrap();
    StagingFiles::open(directory.path(), elapsed, compact).unwrap().log("no log");
    assert_eq!(names(directory.path()), [""; 0]);
}

#[test]
fn preparing_a_run_removes_only_temporary_files() {
    let lab = Lab::new(TINY);
    let store = RunStore::new(lab.root().join("new"));
    drop(store.prepare().unwrap());
    assert_eq!((names(store.root()), names(&store.root().join("jobs"))), (vec!["jobs".to_owned()], vec![]));
    for directory in [store.root().to_owned(), store.root().join("jobs")] {
        fs::write(directory.join(format!("{TEMPORARY_PREFIX}1")), "x").unwrap();
        fs::write(directory.join("mine"), "x").unwrap();
    }
    let presence = store.join().unwrap();
    drop(store.prepare().unwrap());
    assert_eq!(names(&store.root().join("jobs")).len(), 2, "another process is working");
    drop(presence);
    drop(store.prepare().unwrap());
    assert_eq!(
        (names(store.root()), names(&store.root().join("jobs"))),
        (vec!["jobs".into(), "mine".into()], vec!["mine".into()])
    );
    let file = RunStore::new(store.root().join("mine"));
    assert!(matches!(file.prepare(), Err(RunStoreError::Unwritable { .. })));
    assert!(matches!(file.join(), Err(RunStoreError::Io { .. })));
}

#[cfg(unix)]
#[test]
fn results_are_not_written_through_links() {
    let (lab, elsewhere) = (Lab::new(TINY), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(elsewhere.path(), lab.root().join("jobs")).unwrap();
    let (store, job) = (lab.store(), &lab.jobs()[0]);
    let lock = store.lock(job).unwrap();
    assert!(store.begin(job, &lock).is_err() && store.discard(job).is_err());
    drop(lock);
    assert!(matches!(store.prepare(), Err(RunStoreError::Unwritable { .. })));
    let leftover = elsewhere.path().join(format!("movies/A/default/{TEMPORARY_PREFIX}fold1-seed1"));
    fs::create_dir_all(&leftover).unwrap();
    store.remove_leftovers([job]);
    assert!(leftover.exists());
    let linked = RunStore::new(elsewhere.path().join("run"));
    fs::create_dir(linked.root()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), linked.root().join(lock::LOCKS)).unwrap();
    assert!(linked.join().is_err() && linked.prepare().is_err());
}

#[test]
fn tables_and_lists_are_files_of_the_run() {
    let lab = Lab::new(TINY);
    let store = lab.store();
    let read = |name: &str| fs::read_to_string(lab.root().join(name));
    let time = |name: &str| fs::metadata(lab.root().join(name)).unwrap().modified().unwrap();
    assert_eq!(read(super::SPEC).unwrap(), lab.experiment.frozen);
    let before = time(super::SPEC);
    store.freeze(&lab.experiment.frozen).unwrap();
    assert_eq!(time(super::SPEC), before, "not written again");
    store.freeze("other").unwrap();
    assert_eq!(read(super::SPEC).unwrap(), "other");
    store.write_published("values").unwrap();
    assert_eq!(read(PUBLISHED).unwrap(), "values");
    assert_eq!(store.skipped(), [""; 0]);
    store.write_skipped(&[]).unwrap();
    store.write_skipped(&["imdb".to_owned(), "b".to_owned()]).unwrap();
    assert_eq!(store.skipped(), ["imdb", "b"]);
    store.write_skipped(&[]).unwrap();
    assert!(read(SKIPPED).is_err());
    fs::create_dir(lab.root().join(SKIPPED)).unwrap();
    assert!(store.write_skipped(&[]).is_err());
    store.write_tally(&[1, 2]).unwrap();
    assert_eq!(read(TALLY).unwrap(), "[\n  1,\n  2\n]\n");
    let mut frame = polars::prelude::DataFrame::new(2, vec![column("a", vec![1.5, 2.5])]).unwrap();
    store.write_metrics(&mut frame).unwrap();
    assert_eq!(read(METRICS_CSV).unwrap(), "a\n1.5\n2.5\n");
    assert!(fs::read(lab.root().join(METRICS_PARQUET)).unwrap().starts_with(b"PAR1"));
}

#[test]
fn tables_of_predictions_survive_and_others_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(PREDICTIONS);
    let row = |label, psi, probability| Prediction { example: format!("e({psi})"), label, psi, probability };
    for rows in [
        vec![],
        vec![row(true, 0.5, Some(0.25)), row(false, -1.0, Some(0.75))],
        vec![row(true, 0.5, None), row(false, -1.0, Some(0.75))],
    ] {
        fs::write(&path, predictions(&rows).unwrap()).unwrap();
        assert_eq!(read_predictions(&path).unwrap(), rows);
    }
    fs::write(&path, "no table").unwrap();
    assert!(matches!(read_predictions(&path), Err(RunStoreError::NoTable { .. })));
    fs::remove_file(&path).unwrap();
    assert!(matches!(read_predictions(&path), Err(RunStoreError::Io { .. })));
}

#[test]
fn saved_models_are_loaded_by_id_and_checksum() {
    let lab = Lab::new(TINY);
    let (store, job) = (lab.store(), &lab.jobs()[0]);
    lab.finish(job, &[], 1.0);
    let record = store.record(job).unwrap();
    assert!(store.model(job, &record.id).is_none(), "intact, but no model");
    let model = include_str!("../../../tests/golden/movies/lrbm-boost.json");
    let mut files = stored_files(job, 1.0);
    files[0].1 = model.as_bytes().to_vec();
    lab.publish(job, &lab.done(job, &files, &[]), &files);
    let read = SavedModel::from_json(model).unwrap().trees().unwrap().to_json();
    assert!(store.model(job, &record.id).unwrap().trees().unwrap().to_json() == read);
    let other = lab.done(&lab.jobs()[1], &[], &[]);
    assert!(store.model(job, &other.id).is_none(), "of another job");
    // A job that keeps no model does not verify the file, but its model is verified when loaded.
    let compact = kept(Keep { models: false, predictions: true, scores: false }, job);
    lab.publish(&compact, &lab.done(&compact, &files[1..], &[]), &files);
    assert!(store.record(&compact).is_some() && store.model(&compact, &record.id).is_none());
}

#[test]
fn counts_and_choices_are_recorded_as_they_are() {
    let side =
        |positives, listed, drawn, lacking| SideCounts { positives, listed, drawn, lacking, ..SideCounts::default() };
    let counts = FoldCounts { train: side(1, 2, 4, 8), test: side(16, 32, 64, 128), ..FoldCounts::default() };
    let expected = ExampleCounts {
        train_positives: 1,
        train_negatives: 6,
        train_negatives_drawn: Some(4),
        test_positives: 16,
        test_negatives: 96,
        test_negatives_drawn: 64,
        negatives_lacking: 136,
    };
    assert_eq!(ExampleCounts::from(&counts), expected);
    let compared = vec![(Preset::Paper, vec![0.25, 0.75]), (Preset::Lookahead, vec![])];
    let record = ChoiceRecord::from(&Choice { preset: Preset::Lookahead, compared });
    let scores: Vec<(&str, &[f64])> =
        record.inner_scores.iter().map(|(name, scores)| (name.as_str(), &scores[..])).collect();
    assert_eq!((record.preset.as_str(), scores), ("lookahead", vec![("paper", &[0.25, 0.75][..]), ("lookahead", &[])]));
}

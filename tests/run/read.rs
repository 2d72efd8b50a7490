//! Reading a run directory without its data.

use std::fs;

use lrbm::internal::experiment::{Results, ResultsError};
use lrbm::internal::learn::Stored as _;
use lrbm::internal::metric::{Column, Ranking, ranking};

use super::lab::{JOBS, Lab, SPEC};
use crate::common::program::command;

#[test]
fn written_results_are_read_back() {
    let lab = Lab::new();
    assert!(matches!(Results::read(&lab.out()), Err(ResultsError::NoRun(_))));
    assert!(lab.run(&[]).status.success());
    let results = Results::read(&lab.out()).unwrap();
    assert_eq!((results.planned, results.stored.len(), results.stale), (JOBS, JOBS, 0));
    let rows: Vec<String> =
        results.groups().iter().map(|row| format!("{} {}", row.key.dataset, row.key.label())).collect();
    let expected =
        ["Boost", "Explainable", "NoBoost"].map(|model| ["movies", "university"].map(|data| format!("{data} {model}")));
    let [boost, explainable, noboost] = &expected;
    assert_eq!(
        rows,
        [&boost[0], &explainable[0], &noboost[0], &boost[1], &explainable[1], &noboost[1]].map(String::clone)
    );
    for group in results.groups() {
        let folds = group.by_split(Column::AucRoc);
        assert_eq!(folds.iter().map(|(fold, _)| *fold).collect::<Vec<_>>(), [1, 2]);
        // The recorded area equals that of the recorded predictions.
        for (stored, (_, value)) in group.jobs.iter().zip(folds) {
            let predictions = results.predictions(stored).unwrap().unwrap();
            let scores: Vec<f64> = predictions.iter().map(|row| row.psi).collect();
            let labels: Vec<bool> = predictions.iter().map(|row| row.label).collect();
            assert_eq!(ranking::auc_roc(&Ranking::new(&scores, &labels).unwrap()), Ok(value));
            assert!(results.model(stored).unwrap().size().trees > 0);
        }
    }
}

#[test]
fn results_of_an_earlier_spec_are_stale() {
    let lab = Lab::new();
    assert!(lab.run(&[]).status.success());
    lab.write_spec(&SPEC.replace("trees = 3", "trees = 2"));
    // The distilled models of the first ensemble are stale; the jobs of the other seed are missing.
    assert!(lab.run(&["--only", "model=Boost"]).status.success());
    let results = Results::read(&lab.out()).unwrap();
    assert_eq!((results.planned, results.stored.len(), results.stale), (JOBS, 8, 4));
    let spec = fs::read_to_string(lab.out().join("spec.toml")).unwrap();
    fs::write(lab.out().join("spec.toml"), spec.replace("seed = 7", "seeds = [7, 8]")).unwrap();
    let results = Results::read(&lab.out()).unwrap();
    assert_eq!((results.planned, results.stored.len(), results.stale), (2 * JOBS, 8, 4));
}

#[test]
fn fold_counts_are_read_from_records() {
    let lab = Lab::with(&SPEC.replace("folds = 2\n", ""));
    assert!(lab.run(&["--only", "fold=2,model=NoBoost"]).status.success());
    let results = Results::read(&lab.out()).unwrap();
    assert_eq!(results.stored.len(), 2);
    assert_eq!(results.planned % results.stored.len(), 0);
}

#[test]
fn results_are_readable_without_the_data() {
    let lab = Lab::with(&SPEC.replace("[\"movies\", \"university\"]", "[\"mine\"]"));
    let made = command(lab.home()).args(["datasets", "generate", "movies", "--out", "mine"]).output().unwrap();
    assert!(made.status.success());
    assert!(lab.run(&[]).status.success());
    // This process has another working directory, from which the data are missing.
    for _ in 0..2 {
        let results = Results::read(&lab.out()).unwrap();
        assert_eq!((results.planned, results.stored.len()), (JOBS / 2, JOBS / 2));
        let _ = fs::remove_dir_all(lab.home().join("mine"));
    }
}

#[test]
fn reports_do_without_predictions_that_are_not_kept() {
    for keep in ["\"metrics\"", "\"metrics\", \"models\""] {
        let lab = Lab::with(&format!("keep = [{keep}]\n{SPEC}"));
        assert!(lab.run(&[]).status.success());
        let results = Results::read(&lab.out()).unwrap();
        assert!(results.stored.iter().all(|stored| results.predictions(stored).unwrap().is_none()));
        let output = command(lab.home()).args(["report", "--quiet"]).arg(lab.out()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(lab.out().join("report.html").is_file());
    }
}

//! Splits that are exported, scored outside, and read back give the metrics of the command.

use std::fs;
use std::process::Command;

use super::{SCRIPT, SPEC, lab_with, lrbm, record, succeeds};
use crate::lab::{Lab, names, stderr, stdout};

/// The command, and the scores of the same splits.
fn both() -> String {
    let models =
        "[[model]]\nname = \"Elsewhere\"\nkind = \"scores\"\npath = \"scores/{dataset}/fold{fold}-seed{seed}.csv\"\n";
    SPEC.replace("datasets = [\"movies\"]", "datasets = [\"movies\", \"university\"]")
        .replace("[[model]]\nname = \"Boost\"", &format!("{models}\n[[model]]\nname = \"Boost\""))
}

fn score(lab: &Lab) {
    for dataset in ["movies", "university"] {
        fs::create_dir_all(lab.home().join("scores").join(dataset)).unwrap();
        for fold in [1, 2] {
            let split = lab.home().join(format!("splits/{dataset}/fold{fold}-seed7"));
            assert!(Command::new("sh").arg(lab.home().join("two.sh")).current_dir(&split).status().unwrap().success());
            let to = lab.home().join(format!("scores/{dataset}/fold{fold}-seed7.csv"));
            fs::copy(split.join("scores.csv"), to).unwrap();
        }
    }
}

#[test]
fn exported_splits_scored_outside_give_the_same_metrics() {
    let lab = lab_with(&both());
    let export = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(export.status.success(), "{}", stderr(&export));
    assert!(stdout(&export).starts_with("splits: 4 splits of tiny; "), "{}", stdout(&export));
    let again = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("splits already exists"), "{}", stderr(&again));
    for (path, text) in super::texts(&lab.home().join("splits/movies")) {
        assert!(!path.to_string_lossy().contains("label") && !text.contains("label"), "{}", path.display());
    }
    // Without scores the jobs fail, each with the name of its file.
    let output = lab.run(&["-q", "--only", "model=Elsewhere"]);
    assert_eq!(output.status.code(), Some(3));
    let message = record(&lab, "movies/Elsewhere/default/fold2-seed7")["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("scores/movies/fold2-seed7.csv: cannot read the scores: "), "{message}");
    score(&lab);
    succeeds(&lab, &["-q"]);
    for dataset in ["movies", "university"] {
        for fold in [1, 2] {
            let result = |model: &str| {
                record(&lab, &format!("{dataset}/{model}/default/fold{fold}-seed7"))["result"]["metrics"].clone()
            };
            assert!(result("Two")["auc_roc"].is_f64());
            assert_eq!(result("Two"), result("Elsewhere"));
        }
    }
    let predictions = |model: &str| {
        fs::read(lab.out().join(format!("jobs/movies/{model}/default/fold1-seed7/predictions.parquet"))).unwrap()
    };
    assert_eq!(predictions("Two"), predictions("Elsewhere"));
    // A changed file of scores reruns its job alone.
    assert!(lab.events("start", &[]).is_empty());
    let path = lab.home().join("scores/movies/fold1-seed7.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("score\n", "score \n", 1)).unwrap();
    assert_eq!(names(&lab.events("start", &[])), ["movies Elsewhere fold 1 seed 7"]);
    assert!(SCRIPT.contains("scores.csv"));
}

#[test]
fn splits_of_a_sweep_are_kept_apart() {
    let lab = lab_with(&format!("{SPEC}\n[sweep]\nnegatives_per_positive = [1, 2]\n"));
    let export = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(export.status.success(), "{}", stderr(&export));
    let count = |ratio: u32| {
        let split = lab.home().join(format!("splits/movies/negatives_per_positive={ratio}/fold1-seed7"));
        let labels = lab.home().join(format!("splits/labels/movies/negatives_per_positive={ratio}/fold1-seed7.csv"));
        let queries = fs::read_to_string(split.join("test/queries.txt")).unwrap().lines().count();
        assert_eq!(fs::read_to_string(labels).unwrap().lines().count(), queries + 1);
        queries
    };
    assert!(count(2) > count(1));
    assert!(!lab.out().exists());
}

/// `{case}` names the folder of an export, whatever else the sweep varies.
#[test]
fn scores_of_a_sweep_are_found_by_their_case() {
    let scores = "[[model]]\nname = \"Elsewhere\"\nkind = \"scores\"\npath = \"scores/{dataset}/{case}/fold{fold}-seed{seed}.csv\"\n";
    let sweep = "[sweep]\ntrees = [1, 2]\nnegatives_per_positive = [1, 2]\n[[sweep.case]]\nname = \"all\"\n\
                 train_fraction = 1.0\n[[sweep.case]]\nname = \"half\"\ntrain_fraction = 0.5\n\
                 [[sweep.case]]\nname = \"same\"\ntrain_fraction = 0.5\n";
    let spec = SPEC.replace("[[model]]\nname = \"Boost\"", &format!("{scores}\n[[model]]\nname = \"Boost\""));
    let spec = spec.replace("trees = 2\n", "") + sweep;
    let lab = lab_with(&spec);
    let export = lrbm(&lab, &["datasets", "export", "tiny.toml", "--out", "splits"]);
    assert!(export.status.success(), "{}", stderr(&export));
    assert!(stdout(&export).starts_with("splits: 12 splits of tiny; "), "{}", stdout(&export));
    for case in ["1,all", "1,half", "1,same", "2,all", "2,half", "2,same"] {
        let case = format!("movies/negatives_per_positive={case}");
        fs::create_dir_all(lab.home().join("scores").join(&case)).unwrap();
        for fold in [1, 2] {
            let split = lab.home().join(format!("splits/{case}/fold{fold}-seed7"));
            assert!(Command::new("sh").arg(lab.home().join("two.sh")).current_dir(&split).status().unwrap().success());
            fs::copy(split.join("scores.csv"), lab.home().join(format!("scores/{case}/fold{fold}-seed7.csv"))).unwrap();
        }
    }
    succeeds(&lab, &["-q"]);
    let frame = |model: &str, case: &str| {
        record(&lab, &format!("movies/{model}/negatives_per_positive={case}/fold2-seed7"))["result"]["metrics"].clone()
    };
    for case in ["1,all", "1,half", "1,same", "2,all", "2,half", "2,same"] {
        assert!(frame("Two", case)["auc_roc"].is_f64());
        assert_eq!(frame("Two", case), frame("Elsewhere", case), "{case}");
    }
    // The scores of one case are another file than those of another.
    fs::remove_file(lab.home().join("scores/movies/negatives_per_positive=2,half/fold1-seed7.csv")).unwrap();
    let output = lab.run(&["-q", "--fresh", "--only", "model=Elsewhere"]);
    assert_eq!(output.status.code(), Some(3));
    let message = |case: &str| {
        record(&lab, &format!("movies/Elsewhere/negatives_per_positive={case}/fold1-seed7"))["message"].clone()
    };
    assert!(
        message("2,half").as_str().unwrap().starts_with("scores/movies/negatives_per_positive=2,half/fold1-seed7.csv:")
    );
    assert!(message("2,all").is_null() && message("1,half").is_null());
}

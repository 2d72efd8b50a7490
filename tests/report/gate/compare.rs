//! Comparison of two runs, or of two models of a run.

use lrbm::internal::files::digest::sha256;
use std::path::Path;

use lrbm::internal::experiment::Results;
use lrbm::internal::metric::Column;

use super::lab::{Lab, SPEC};

/// Returns the fold values of a model on `movies`.
fn folds(run: &Path, model: &str) -> Vec<f64> {
    let results = Results::read(run).unwrap();
    let group = results.groups().into_iter().find(|group| group.key.model == model).unwrap();
    group.by_split(Column::AucRoc).into_iter().map(|(_, value)| value).collect()
}

#[test]
fn runs_are_paired_fold_by_fold() {
    let lab = Lab::new();
    lab.run(SPEC, "a");
    lab.run(&SPEC.replace("trees = 3", "trees = 12").replace("NoBoost", "Other"), "b");
    let output = lab.lrbm(&["compare", "a", "b", "--csv", "out/c.csv"]);
    let output = output.expect(
        0,
        &["A: a", "B: b", "## auc_roc", "## auc_pr", "Only in A: movies NoBoost", "Only in B: movies Other"],
    );
    assert!(output.stdout.contains("| movies  | Boost |     3 |"), "{}", output.stdout);
    let csv = lab.read("out/c.csv");
    let row: Vec<&str> =
        csv.lines().find(|line| line.starts_with("auc_roc,movies,Boost,3,")).unwrap().split(',').collect();
    let number = |place: usize| row[place].parse::<f64>().unwrap();
    let (a, b) = (folds(&lab.path("a"), "Boost"), folds(&lab.path("b"), "Boost"));
    assert_ne!(a, b);
    let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
    let mean = differences.iter().sum::<f64>() / 3.0;
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    assert!((number(8) - mean).abs() < 1e-12 && (number(6) - number(4) - mean).abs() < 1e-12, "{row:?}");
    assert!(number(9) <= mean && mean <= number(10), "{row:?}");
    // Three folds of nearly the same size: n_test/n_train is close to one half.
    let t = mean / ((1.0 / 3.0 + 0.5) * squares / 2.0).sqrt();
    assert!((number(12) / t - 1.0).abs() < 0.02, "{row:?}, not {t}");
    // One row: nothing to adjust for Holm's method.
    assert_eq!(row[13], row[14]);
    let better = differences.iter().filter(|difference| **difference > 0.0).count();
    assert_eq!(row[17], better.to_string());
}

#[test]
fn comparisons_are_printed_as_json() {
    let lab = Lab::new();
    lab.run(SPEC, "results/runs/a");
    lab.run(&SPEC.replace("trees = 3", "trees = 12"), "b");
    // A run below results/runs is found by its name.
    let json = lab.lrbm(&["compare", "a", "b", "--json", "--csv", "c.csv"]).expect(0, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (metric, csv) = (&json["metrics"][0], lab.read("c.csv"));
    let row = metric["rows"].as_array().unwrap().iter().find(|row| row["model"] == "Boost").unwrap();
    let line = csv.lines().find(|line| line.starts_with("auc_roc,movies,Boost,3,")).unwrap();
    let cells: Vec<&str> = line.split(',').collect();
    let number = |place: usize| cells[place].parse::<f64>().unwrap();
    assert_eq!(metric["metric"], "auc_roc");
    assert_eq!((row["folds"].as_u64(), row["difference"].as_f64()), (Some(3), Some(number(8))));
    assert_eq!((row["first"]["mean"].as_f64(), row["second"]["mean"].as_f64()), (Some(number(4)), Some(number(6))));
    assert_eq!((row["interval"][0].as_f64(), row["p_holm"].as_f64()), (Some(number(9)), Some(number(14))));
}

#[test]
fn rows_without_counterpart_are_named() {
    let lab = Lab::new();
    let sweep = |key: &str| format!("{SPEC}\n[sweep]\n{key} = [2, 3]\n");
    lab.run(&sweep("max_leaves"), "a");
    lab.run(&sweep("max_candidates"), "b");
    let said = lab
        .lrbm(&["compare", "a", "b"])
        .expect(6, &["A: `Boost (max_leaves=2)`", "B: `Boost (max_candidates=2)`", "--models"]);
    assert_eq!(said.stdout, "");
    lab.lrbm(&["compare", "a", "b", "--models", "Boost (max_leaves=2),Boost (max_candidates=2)"])
        .expect(0, &["## auc_roc"]);
}

#[test]
fn seeds_that_draw_other_folds_repeat_the_cross_validation() {
    let lab = Lab::new();
    let seeds = SPEC.replace("seed = 7", "seeds = [7, 8]");
    lab.run(&seeds, "a");
    lab.run(&seeds.replace("trees = 3", "trees = 12"), "b");
    let output = lab.lrbm(&["compare", "a", "b", "--metric", "auc_roc"]).expect(0, &["## auc_roc"]);
    assert!(output.stdout.contains("| movies  | Boost   |     6 |"), "{}", output.stdout);
    lab.lrbm(&["report", "a", "-q"]).expect(0, &[]);
    let table = lab.read("a/tables/results.md");
    assert!(table.contains("(6)") && table.contains("over the folds of 2 seeds"), "{table}");
}

#[test]
fn datasets_with_seeds_of_their_own_are_complete() {
    let lab = Lab::new();
    for (own, runs) in [("seeds = [1, 2]", 6), ("seeds = [7]", 3)] {
        let spec = SPEC.replace("seed = 7", "seeds = [7, 8, 9]").replace("noise = 0.1", &format!("noise = 0.1\n{own}"));
        lab.run(&spec, own);
        let output = lab.lrbm(&["compare", own, own, "--metric", "auc_roc"]).expect(0, &["## auc_roc"]);
        assert!(output.stdout.contains(&format!("| movies  | Boost   |     {runs} |")), "{}", output.stdout);
        lab.lrbm(&["report", own, "-q"]).expect(0, &[]);
        let table = lab.read(&format!("{own}/tables/results.md"));
        assert!(table.contains(&format!("({runs})")), "{table}");
        // Movies alone have been run.
        assert_eq!(table.contains("deviation over folds."), own == "seeds = [7]", "{table}");
        let movies = Results::read(&lab.path(own)).unwrap().stored.iter().filter(|job| job.is_done()).count();
        assert_eq!(movies, 2 * runs);
    }
}

#[test]
fn seeds_of_a_directory_without_folds_repeat_the_cross_validation() {
    let lab = Lab::new();
    lab.lrbm(&["datasets", "generate", "movies", "--out", "own"]).expect(0, &[]);
    let spec = SPEC
        .replace("seed = 7", "seeds = [7, 8]")
        .replace("\"movies\"", "\"own\"")
        .replace("[dataset.movies]\nnoise = 0.1\n", "");
    lab.run(&spec, "a");
    let output = lab.lrbm(&["compare", "a", "a", "--metric", "auc_roc"]).expect(0, &["## auc_roc"]);
    assert!(output.stdout.contains("|     6 |"), "{}", output.stdout);
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let lab = Lab::new();
    lab.run(SPEC, "a");
    lab.lrbm(&["compare", "a", "a", "--metric", "brier"]).expect(0, &["## brier", "0/3/0", "no difference at all"]);
}

#[test]
fn models_of_a_run_are_compared() {
    let lab = Lab::new();
    let spec = SPEC
        .replace("\"imdb\"", "\"university\"")
        .replace("dataset.imdb]\nfolds = 5", "dataset.university]\nnoise = 0.1");
    lab.run(&spec, "a");
    let output = lab.lrbm(&["compare", "a", "--models", "Boost,NoBoost"]);
    output.expect(
        0,
        &[
            "A: Boost of a",
            "B: NoBoost of a",
            "| Boost → NoBoost |",
            "Boost → NoBoost over 2 datasets: B is better on ",
            "Wilcoxon's signed-rank test cannot tell: 2 datasets can reach p = 0.5000 at best, not 0.05",
        ],
    );
    let output = lab.lrbm(&["compare", "a", "--models", "Bost,NoBoost"]);
    output.expect(2, &["a: no model `Bost` with a result; available: `Boost`, `NoBoost`; did you mean `Boost`?"]);
    lab.lrbm(&["compare", "a", "--models", "Boost"]).expect(2, &["expected two comma-separated names"]);
    lab.lrbm(&["compare", "a"]).expect(2, &["give a second run", "`Boost`, `NoBoost`"]);
    lab.lrbm(&["compare", "a", "nowhere"]).expect(2, &["nowhere: not a run directory"]);
}

#[test]
fn presets_are_separate_rows() {
    let lab = Lab::new();
    lab.run(&SPEC.replace("seed = 7", "seed = 7\npresets = [\"paper\", \"lookahead\"]"), "a");
    let compare = |models: &str| lab.lrbm(&["compare", "a", "--models", models, "--metric", "auc_roc"]);
    compare("Boost (paper),Boost (lookahead)").expect(0, &["| Boost (paper) → Boost (lookahead) |"]);
    compare("Boost,NoBoost")
        .expect(0, &["| Boost (paper) → NoBoost (paper)         |", "| Boost (lookahead) → NoBoost (lookahead) |"]);
    let message = "`NoBoost` has several rows in a; choose one of `NoBoost (paper)`, `NoBoost (lookahead)`";
    compare("Boost (paper),NoBoost").expect(2, &[message]);
}

#[test]
fn a_model_without_presets_is_paired_with_each_preset() {
    let lab = Lab::new();
    let tests = "\n[compare]\ntests = [\"corrected-t\", \"friedman-nemenyi\"]\n";
    let progol = "\n[[model]]\nname = \"Clauses\"\nkind = \"progol\"\n";
    let spec = SPEC.replace("seed = 7", "seed = 7\npresets = [\"paper\", \"lookahead\"]");
    lab.run(&format!("{spec}{progol}{tests}"), "a");
    let compare = |models: &str| lab.lrbm(&["compare", "a", "--models", models, "--metric", "auc_roc"]);
    let both = ["| Boost (paper) → Clauses     |", "| Boost (lookahead) → Clauses |"];
    let output = compare("Boost,Clauses").expect(0, &both);
    assert!(!output.stdout.contains("Only in"), "{}", output.stdout);
    compare("Clauses,Boost").expect(0, &["| Clauses → Boost (paper)     |", "| Clauses → Boost (lookahead) |"]);
    compare("Clauses,Boost (paper)").expect(0, &["| Clauses → Boost (paper) |"]);
    lab.lrbm(&["report", "a", "-q"]).expect(0, &[]);
    let table = lab.read("a/tables/tests.md");
    for row in ["Boost (paper) → Clauses", "Boost (lookahead) → Clauses", "| all (paper) ", "| all (lookahead) "] {
        assert!(table.contains(row), "{row}: {table}");
    }
}

/// Separator between the body of a record and its checksum.
const SEAL: &str = ",\n  \"checksum\": \"";

#[test]
fn rows_with_different_settings_are_not_paired() {
    let lab = Lab::new();
    lab.run(SPEC, "a");
    for (old, new, reason) in [
        ("noise = 0.1", "noise = 0.2", "movies Boost: different data: checksums "),
        ("folds = 3", "folds = 4", "movies Boost: different numbers of folds: 3 and 4"),
        ("folds = 3", "folds = 3\nnegatives_per_positive = 1", "different negatives per positive: 2 and 1"),
        ("seed = 7", "seed = 8", "movies NoBoost: "),
    ] {
        lab.run(&SPEC.replace(old, new), "b");
        lab.lrbm(&["compare", "a", "b"]).expect(6, &["Not compared:", reason, "not comparable: nothing of a and b"]);
    }
    // Another definition of one metric does not affect the others.
    lab.run(SPEC, "b");
    for fold in 1..=3 {
        let path = format!("b/jobs/movies/Boost/default/fold{fold}-seed7/run.json");
        let text = lab.read(&path);
        let (body, _) = text.split_once(SEAL).unwrap();
        let body = body.replace("Davis and Goadrich 2006", "another");
        lab.write(&path, &format!("{body}{SEAL}{}\"\n}}\n", sha256(body.as_bytes())));
    }
    let output = lab.lrbm(&["compare", "a", "b"]);
    output.expect(0, &["movies Boost: different definitions of auc_pr: Davis and Goadrich 2006 and another"]);
}

#[test]
fn unpaired_folds_are_omitted() {
    let lab = Lab::new();
    lab.run(SPEC, "a");
    lab.lrbm(&["run", "tiny.toml", "--available", "-q", "--out", "b", "--only", "fold=1", "--only", "fold=3"])
        .expect(0, &[]);
    lab.lrbm(&["compare", "a", "b"]).expect(0, &["2 of 3"]);
}

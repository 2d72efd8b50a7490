//! Tests of the gate on stored results, without training.

use std::path::Path;

use super::*;
use crate::experiment::Job;
use crate::experiment::lab::Lab;
use crate::experiment::store::FailureKind;
use crate::metric::Column;
use crate::report::table::Layout;

const SPEC: &str = "name = \"tiny\"\nseed = 1\nfolds = 3\ndatasets = [\"movies\", \"university\"]\n\
    [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\ntrees = 3\n\
    [[model]]\nname = \"B\"\nkind = \"lrbm-noboost\"\n";

const OPTIONS: GateOptions = GateOptions { k: 2.0, is_strict: false };

/// Stores results of all jobs with the area that `area` returns.
fn run(spec: &str, area: impl Fn(&Job) -> f64) -> Lab {
    let lab = Lab::new(spec);
    for job in lab.jobs() {
        let value = area(&job);
        lab.finish(&job, &[(Column::AucRoc, value), (Column::Brier, 0.25)], value);
    }
    lab
}

/// The area of a fold: different ones, so that rows have a standard error.
fn area(job: &Job) -> f64 {
    [0.75, 0.875, 0.5][job.fold]
}

fn blessed(lab: &Lab) -> Baseline {
    bless(&lab.results(), None, &[Column::AucRoc], 0.01).unwrap().baseline
}

fn findings(report: &GateReport) -> Vec<&'static str> {
    report.rows.iter().map(|row| row.finding.words()).collect()
}

/// Returns why no row of the only dataset and model is comparable.
fn reason(lab: &Lab, baseline: &Baseline) -> String {
    let report = check(&lab.results(), baseline, &OPTIONS);
    match &report.rows[0].finding {
        Finding::NotComparable(reason) => reason.clone(),
        other => panic!("{other:?}"),
    }
}

fn parsed(text: &str) -> Baseline {
    Baseline::parse(text, Path::new("b.csv")).unwrap()
}

#[test]
fn a_run_is_identical_to_its_own_baseline() {
    let lab = run(SPEC, area);
    let first = bless(&lab.results(), None, &[Column::AucRoc, Column::Brier, Column::Cll], 0.01).unwrap();
    // The run has no value of the third metric.
    assert_eq!((first.added.len(), first.changed.len(), first.removed.len(), first.kept), (8, 0, 0, 0));
    assert_eq!(first.added, first.baseline.rows().cloned().collect::<Vec<_>>());
    let row = first.baseline.get("movies", "A", Column::AucRoc).unwrap();
    let BaselineValues::Cells(cells) = &row.values else { panic!("{row:?}") };
    let values: Vec<(usize, u64, f64)> = cells.iter().map(|cell| (cell.fold, cell.seed, cell.value)).collect();
    assert_eq!(values, [(1, 1, 0.75), (2, 1, 0.875), (3, 1, 0.5)]);
    assert!(cells.iter().all(|cell| cell.predictions.len() == 64) && row.tolerance == 0.01);
    let origin = &first.baseline.origin;
    let split = origin.split("university", 1).unwrap();
    assert_eq!((origin.experiment.as_str(), origin.splits.len(), split.folds, split.seed), ("tiny", 2, 3, 1));
    assert!(origin.platform == platform(&lab.results()) && !origin.platform.is_empty());
    assert_eq!((split.data.len(), split.examples.len(), split.negatives), (16, 16, 2.0));
    let report = check(&lab.results(), &first.baseline, &OPTIONS);
    assert_eq!((findings(&report), report.verdict()), (vec!["identical"; 8], GateVerdict::Pass));
    assert!(report.pooled.is_empty() && report.extra.is_empty() && report.platforms.is_none() && !report.has_means);
    let again = bless(&lab.results(), Some(&first.baseline), &[Column::AucRoc, Column::Brier], 0.5).unwrap();
    assert_eq!(again.baseline, first.baseline);
    assert!(again.added.is_empty() && again.changed.is_empty() && again.removed.is_empty());
}

#[test]
fn losses_gains_and_pools_are_found() {
    let before = blessed(&run(SPEC, area));
    let change = |job: &Job| match (job.dataset.name.as_str(), job.model.as_str()) {
        ("movies", "A") => -0.0625,
        // Below what the test of significance allows.
        ("university", "A") => -0.0005,
        ("movies", _) => 0.0625,
        _ => 0.0,
    };
    let lab = run(SPEC, |job| area(job) + change(job));
    let report = check(&lab.results(), &before, &OPTIONS);
    assert_eq!(findings(&report), ["regressed", "improved", "moved", "identical"]);
    assert_eq!(report.verdict(), GateVerdict::Regression);
    let row = &report.rows[0];
    assert_eq!((row.dataset.as_str(), row.model.as_str(), &row.folds[..]), ("movies", "A", &[1, 2, 3][..]));
    assert!((row.reference.mean - 2.125 / 3.0).abs() < 1e-12 && row.reference.margin == 0.01);
    assert!((row.change().unwrap() + 0.0625).abs() < 1e-12 && row.p.is_some());
    let pooled: Vec<(&str, &str)> =
        report.pooled.iter().map(|pool| (pool.row.dataset.as_str(), pool.row.model.as_str())).collect();
    assert_eq!(pooled, [("2 datasets", "A"), ("2 datasets", "2 models")]);
    assert_eq!(report.pooled[0].datasets, ["movies", "university"]);
    let text = summary(&report, Layout::Markdown);
    for part in ["| movies", "regressed: folds 1, 2, 3", "−0.0625", "improved", "moved: folds 1, 2, 3", "2 datasets"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("identical |") && !text.contains("last bits") && !text.contains("means only"), "{text}");
    assert!(
        text.contains("tiny: failed; 4 rows of the baseline: 1 identical, 1 moved, 1 regressed, 1 improved\n"),
        "{text}"
    );
    assert!(text.contains("1 of 2 rows pooled over datasets or models regressed"), "{text}");
    let blessed = bless(&lab.results(), Some(&before), &[Column::AucRoc], 0.5).unwrap();
    assert_eq!((blessed.added.len(), blessed.changed.len(), blessed.removed.len()), (0, 3, 0));
    assert!(blessed.baseline.rows().all(|row| row.tolerance == 0.01), "rows keep their tolerance");
    let text = changes(&blessed, &report);
    assert!(text.starts_with("4 rows: 0 new, 3 changed, 0 removed\n\n### movies\n\n"), "{text}");
    for part in
        ["\n### university\n", "\n### Pooled\n", "| regressed: folds 1, 2, 3", "| 2 datasets | A ", "0.7083", "0.6458"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("2 models"), "a pool that only moved\n{text}");
}

#[test]
fn rows_that_one_side_lacks_are_listed() {
    let one = SPEC.replace(", \"university\"", "").replace("[[model]]\nname = \"B\"\nkind = \"lrbm-noboost\"\n", "");
    let (small, large) = (run(&one, area), run(SPEC, area));
    let (few, all) = (blessed(&small), blessed(&large));
    let report = check(&large.results(), &few, &OPTIONS);
    assert_eq!((findings(&report), report.verdict()), (vec!["identical"], GateVerdict::Pass));
    assert_eq!(report.extra, ["movies B", "university A", "university B"]);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("not in the baseline (`--bless` adds it): movies B, university A, university B\n"), "{text}");
    let report = check(&small.results(), &all, &OPTIONS);
    assert_eq!(findings(&report), ["identical", "not comparable", "not comparable", "not comparable"]);
    assert_eq!((report.verdict(), report.extra.len()), (GateVerdict::NotComparable, 0));
    assert_eq!(report.rows[1].finding, Finding::NotComparable("not in the run".to_owned()));
    assert!(
        summary(&report, Layout::Markdown)
            .contains("tiny: not comparable; 4 rows of the baseline: 1 identical, 3 not comparable\n")
    );
    let blessed = bless(&small.results(), Some(&all), &[Column::AucRoc], 0.5).unwrap();
    assert_eq!((blessed.added.len(), blessed.removed.len(), blessed.baseline.rows().count()), (0, 3, 1));
    assert!(
        changes(&blessed, &report).contains("| B     | auc_roc | 0.7083 |   - | removed |"),
        "{}",
        changes(&blessed, &report)
    );
    let blessed = bless(&large.results(), Some(&few), &[Column::AucRoc], 0.5).unwrap();
    assert_eq!((blessed.added.len(), blessed.baseline.get("movies", "B", Column::AucRoc).unwrap().tolerance), (3, 0.5));
    assert!(
        changes(&blessed, &report).contains("| B     | auc_roc |   - | 0.7083 |    new |"),
        "{}",
        changes(&blessed, &report)
    );
    // Nothing was compared.
    let none = check(&large.results(), &Baseline::default(), &OPTIONS);
    assert_eq!(none.verdict(), GateVerdict::NotComparable);
    let text = summary(&none, Layout::Markdown);
    assert_eq!(text, "tiny: not comparable; no baseline: `lrbm check RUN --bless` writes it\n");
}

#[test]
fn data_that_were_unavailable_are_kept_and_not_checked() {
    let all = blessed(&run(SPEC, area));
    let lab = Lab::new(SPEC);
    for job in lab.jobs().iter().filter(|job| job.dataset.name == "movies") {
        lab.finish(job, &[(Column::AucRoc, area(job))], area(job));
    }
    let error = bless(&lab.results(), None, &[Column::AucRoc], 0.01).unwrap_err();
    assert!(error.to_string().contains("university A: 0 of 3 jobs have a result"), "{error}");
    assert_eq!(check(&lab.results(), &all, &OPTIONS).verdict(), GateVerdict::NotComparable);
    lab.store().write_skipped(&["university".to_owned()]).unwrap();
    let report = check(&lab.results(), &all, &OPTIONS);
    assert_eq!(findings(&report), ["identical", "identical", "not checked", "not checked"]);
    assert_eq!(report.verdict(), GateVerdict::Pass);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("not checked, since their data are unavailable: university\n"), "{text}");
    let kept = bless(&lab.results(), Some(&all), &[Column::AucRoc], 0.01).unwrap();
    assert_eq!((kept.kept, kept.removed.len(), &kept.baseline), (2, 0, &all));
    assert!(changes(&kept, &report).starts_with("4 rows: 0 new, 0 changed, 0 removed, 2 kept, since"));
    let means = parsed(
        "dataset,model,metric,mean,sd,n,tolerance\nmovies,A,auc_roc,0.7,0,3,0.1\nuniversity,A,auc_roc,0.5,,3,0\n",
    );
    let error = bless(&lab.results(), Some(&means), &[Column::AucRoc], 0.01).unwrap_err();
    assert_eq!(error, NotBlessed::MeansWithoutData { dataset: "university".to_owned() });
}

#[test]
fn unsupported_rows_are_neither_missing_nor_compared() {
    let lab = Lab::new(SPEC);
    for job in lab.jobs() {
        match (job.dataset.name.as_str(), job.model.as_str()) {
            ("university", "B") => lab.fail(&job, FailureKind::Refused),
            _ => lab.finish(&job, &[(Column::AucRoc, area(&job))], area(&job)),
        }
    }
    let blessed = bless(&lab.results(), None, &[Column::AucRoc], 0.01).unwrap();
    assert_eq!(blessed.baseline.rows().count(), 3);
    let report = check(&lab.results(), &blessed.baseline, &OPTIONS);
    assert_eq!((report.unsupported.clone(), report.extra.len()), (vec!["university B".to_owned()], 0));
    assert_eq!(report.verdict(), GateVerdict::Pass);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("unsupported for the dataset, so not in the baseline: university B\n"), "{text}");
    let all = self::blessed(&run(SPEC, area));
    let refused = check(&lab.results(), &all, &OPTIONS);
    assert_eq!(refused.rows[3].finding, Finding::NotComparable("refused".to_owned()));
}

#[test]
fn runs_without_a_result_or_of_another_experiment_are_not_blessed() {
    let lab = Lab::new(SPEC);
    let bless = |lab: &Lab, old: &Baseline| super::bless(&lab.results(), Some(old), &[Column::AucRoc], 0.01);
    let root = lab.root().display().to_string();
    assert_eq!(bless(&lab, &Baseline::default()), Err(NotBlessed::Empty(root)));
    lab.jobs().iter().for_each(|job| lab.fail(job, FailureKind::Error));
    assert!(matches!(bless(&lab, &Baseline::default()), Err(NotBlessed::Empty(_))));
    let lab = run(SPEC, area);
    let mut other = blessed(&lab);
    other.origin.experiment = "other".to_owned();
    let error = bless(&lab, &other).unwrap_err();
    assert!(
        matches!(&error, NotBlessed::OtherSpec { name, other, .. } if name == "tiny" && other == "other"),
        "{error}"
    );
    // Without a name, by its rows.
    let mean = |dataset: &str, model: &str| format!("{dataset},{model},auc_roc,0.7,0,3,0.1\n");
    let file = |rows: &str| parsed(&format!("dataset,model,metric,mean,sd,n,tolerance\n{rows}"));
    let foreign = file(&(mean("movies", "C") + &mean("imdb", "A")));
    let error = bless(&lab, &foreign).unwrap_err();
    assert!(matches!(&error, NotBlessed::OtherSpec { other, .. } if other == "movies C"), "{error}");
    assert_eq!(bless(&lab, &file(&(mean("movies", "C") + &mean("movies", "A")))).unwrap().removed.len(), 1);
    assert_eq!(bless(&lab, &file("")).unwrap().added.len(), 4);
}

#[test]
fn cells_without_a_partner_are_not_comparable() {
    let one = SPEC.replace(", \"university\"", "").replace("[[model]]\nname = \"B\"\nkind = \"lrbm-noboost\"\n", "");
    let lab = run(&one, area);
    let baseline = blessed(&lab);
    let text = |baseline: &Baseline| {
        let file = tempfile::NamedTempFile::new().unwrap();
        baseline.write(file.path()).unwrap();
        std::fs::read_to_string(file.path()).unwrap()
    };
    let csv = text(&baseline);
    let line = |fold: usize| csv.lines().find(|line| line.starts_with(&format!("movies,A,,,auc_roc,{fold},"))).unwrap();
    assert_eq!(reason(&lab, &parsed(&csv.replace(&format!("{}\n", line(2)), ""))), "the baseline lacks fold 2");
    let fourth = format!("{csv}{}\n", line(3).replace("auc_roc,3,", "auc_roc,4,"));
    assert_eq!(reason(&lab, &parsed(&fourth)), "fold 4 seed 1 has no result");
    // Seeds: another one of the same examples is paired; one of other or unknown examples is not.
    let other_seed = csv.replace(",1,0.", ",5,0.").replace("seed=1 ", "seed=5 ");
    let report = check(&lab.results(), &parsed(&other_seed), &OPTIONS);
    assert_eq!(findings(&report), ["identical"], "{:?}", report.rows);
    let unknown = csv.replace(",1,0.", ",5,0.");
    assert_eq!(reason(&lab, &parsed(&unknown)), "seed 1, the baseline has 5 and does not name its examples");
    let differs = |from: &str, to: &str| reason(&lab, &parsed(&csv.replace(from, to)));
    assert_eq!(differs("folds=3", "folds=4"), "other folds: number 3, the baseline has 4");
    let both = other_seed.replace("folds=3", "folds=4");
    assert_eq!(reason(&lab, &parsed(&both)), "other folds: number 3, the baseline has 4 (seeds 1 and 5)");
    let two = format!("{csv}{}\n", line(3).replace("auc_roc,3,1,", "auc_roc,3,5,"));
    assert_eq!(reason(&lab, &parsed(&two)), "seeds 1, the baseline has 1, 5");
    // A metric that is not defined in every fold.
    let undefined = Lab::new(&one);
    for job in undefined.jobs() {
        let metrics = [(Column::AucRoc, area(&job))];
        undefined.finish(&job, &metrics[..usize::from(job.fold != 1)], area(&job));
    }
    assert_eq!(reason(&undefined, &baseline), "auc_roc of fold 2 seed 1 is undefined");
    // A fold without a value is not missing from the baseline.
    let without = parsed(&csv.replace(&format!("{}\n", line(2)), ""));
    assert_eq!(findings(&check(&undefined.results(), &without, &OPTIONS)), ["identical"]);
    let never = run(&one, area);
    never.jobs().iter().for_each(|job| never.finish(job, &[(Column::Brier, 0.5)], 0.5));
    assert_eq!(reason(&never, &baseline), "auc_roc is undefined in every fold");
    lab.fail(&lab.jobs()[2], FailureKind::Error);
    assert_eq!(reason(&lab, &baseline), "2 of 3 jobs have a result, 1 failed");
}

#[test]
fn equal_values_of_other_predictions_moved() {
    let (lab, baseline) = (run(SPEC, area), blessed(&run(SPEC, area)));
    let jobs = lab.jobs();
    let is_changed = |job: &&Job| (job.dataset.name.as_str(), job.model.as_str(), job.fold) == ("movies", "A", 1);
    let job = jobs.iter().find(is_changed).unwrap();
    lab.finish(job, &[(Column::AucRoc, area(job))], 0.125);
    let report = check(&lab.results(), &baseline, &OPTIONS);
    assert_eq!(findings(&report), ["moved", "identical", "identical", "identical"]);
    assert_eq!(report.rows[0].folds, [2]);
    let strict = check(&lab.results(), &baseline, &GateOptions { is_strict: true, ..OPTIONS });
    assert_eq!(strict.verdict(), GateVerdict::NotIdentical);
    assert!(summary(&strict, Layout::Markdown).contains("tiny: failed (strict); "));
    assert!(junit(&strict).contains("failures=\"1\"") && junit(&report).contains("failures=\"0\""));
    let platforms = |baseline: &Baseline| {
        let mut other = baseline.clone();
        other.origin.platform = "other".to_owned();
        other
    };
    let report = check(&lab.results(), &platforms(&baseline), &OPTIONS);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("the baseline is of other, this run of ") && text.contains("last bits"), "{text}");
    // Identical rows show that the platforms do not matter.
    let same = run(SPEC, area);
    assert!(!summary(&check(&same.results(), &platforms(&baseline), &OPTIONS), Layout::Markdown).contains("last bits"));
    // Version 1 of the file names no platform.
    let mut unknown = baseline;
    unknown.origin.platform.clear();
    assert!(check(&lab.results(), &unknown, &OPTIONS).platforms.is_none());
}

#[test]
fn means_are_compared_within_standard_errors() {
    let lab = run(SPEC, area);
    // The mean of the run is 0.7083; two standard errors of the second row are 0.1.
    let text = "dataset,model,metric,mean,sd,n,tolerance\nmovies,A,auc_roc,0.8,0,3,0.05\n\
        movies,B,auc_roc,0.8,0.08660254037844387,3,0.05\nuniversity,A,auc_roc,0.6,,3,0.2\nuniversity,B,auc_roc,0.7,0,5,1\n";
    let report = check(&lab.results(), &parsed(text), &OPTIONS);
    assert_eq!(findings(&report), ["regressed", "as before", "as before", "not comparable"]);
    let margins: Vec<f64> = report.rows.iter().map(|row| row.reference.margin).collect();
    assert!(margins[0] == 0.05 && (margins[1] - 0.1).abs() < 1e-12 && margins[2] == 0.2, "{margins:?}");
    assert_eq!(report.rows[3].finding, Finding::NotComparable("3 folds where the baseline has 5".to_owned()));
    assert!(report.has_means && report.pooled.is_empty());
    assert!(summary(&report, Layout::Markdown).contains("the baseline has means only; `--bless` records folds"));
    let page = markdown(&report);
    assert!(page.starts_with("## Gate: tiny\n\n|") && page.contains("<details><summary>All rows</summary>"), "{page}");
    assert!(page.contains("| university | A     | auc_roc | baseline "), "{page}");
    let blessed = bless(&lab.results(), Some(&parsed(text)), &[Column::AucRoc], 0.5).unwrap();
    assert_eq!((blessed.changed.len(), blessed.removed.len()), (4, 0));
}

#[test]
fn expected_means_are_compared_in_both_directions() {
    let expected = "[expected]\ntolerance = 0.01\nrows = [\n\
        { dataset = \"movies\", model = \"A\", metric = \"auc_roc\", mean = 0.7083 },\n\
        { dataset = \"movies\", model = \"B\", metric = \"auc_roc\", mean = 0.6 },\n\
        { dataset = \"university\", model = \"A\", metric = \"auc_roc\", mean = 0.8 },\n]\n";
    let lab = run(&format!("{SPEC}{expected}"), area);
    let report = check(&lab.results(), &blessed(&lab), &OPTIONS);
    let findings: Vec<&str> = report.expected.iter().map(|row| row.finding.words()).collect();
    assert_eq!(findings, ["as before", "differs from [expected]", "differs from [expected]"]);
    assert_eq!(report.verdict(), GateVerdict::Unexpected);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("tiny: failed (differs from [expected]); 4 rows of the baseline: 4 identical\n"), "{text}");
    assert!(text.contains("1 of 3 rows that the spec expects hold\n") && text.contains("| spec "), "{text}");
    assert!(markdown(&report).matches("| spec ").count() == 5, "{}", markdown(&report));
    let json = json(&report);
    assert_eq!(
        (&json["verdict"], &json["expected"][1]["finding"]),
        (&"differs-from-expected".into(), &"differs-from-expected".into())
    );
    // Without results nothing is known about them.
    let lab = Lab::new(&format!("{SPEC}{expected}"));
    lab.store().write_skipped(&["movies".to_owned(), "university".to_owned()]).unwrap();
    let report = check(&lab.results(), &Baseline::default(), &OPTIONS);
    let text = summary(&report, Layout::Markdown);
    assert!(text.contains("0 of 3 rows that the spec expects hold, 3 not checked\n"), "{text}");
    assert!(text.contains("data are unavailable: movies, university\n"), "{text}");
}

#[test]
fn the_json_of_the_gate_has_every_field() {
    let lab = run(SPEC, |job| area(job) - if job.model == "A" { 0.0625 } else { 0.0 });
    let report = check(&lab.results(), &blessed(&run(SPEC, area)), &OPTIONS);
    let json = json(&report);
    assert_eq!(
        (&json["experiment"], &json["verdict"], &json["strict"]),
        (&"tiny".into(), &"regressed".into(), &false.into())
    );
    let row = &json["rows"][0];
    assert_eq!(
        (&row["dataset"], &row["metric"], &row["finding"]),
        (&"movies".into(), &"auc_roc".into(), &"regressed".into())
    );
    assert_eq!(
        (&row["folds"], &row["allowed"], &row["reason"]),
        (&serde_json::json!([1, 2, 3]), &0.01.into(), &().into())
    );
    assert!((row["change"].as_f64().unwrap() + 0.0625).abs() < 1e-12, "{row}");
    assert_eq!(json["pooled"][0]["datasets"], serde_json::json!(["movies", "university"]));
    assert_eq!(json["pooled"][0]["models"], serde_json::json!(["A"]));
    assert!(json["pooled"][0].get("folds").is_none() && json["pooled"][0].get("reason").is_none());
    let words = |finding: Finding| {
        let mut report = report.clone();
        report.rows.iter_mut().for_each(|row| row.finding = finding.clone());
        self::json(&report)["rows"][0]["finding"].as_str().unwrap().to_owned()
    };
    use Finding::{Identical, Improved, Moved, NotChecked, NotComparable, NotRepeatable, Same};
    let all = [Identical, Improved, Moved, NotChecked, NotComparable("no".into()), NotRepeatable, Same].map(words);
    assert_eq!(all, ["identical", "improved", "moved", "not-checked", "not-comparable", "not-repeatable", "as-before"]);
    let verdict = |finding: Finding, is_strict| {
        let mut report = GateReport { pooled: Vec::new(), is_strict, ..report.clone() };
        report.rows.iter_mut().for_each(|row| row.finding = finding.clone());
        self::json(&report)["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(Same, false), "passed");
    assert_eq!(verdict(Same, true), "not-identical");
    assert_eq!(verdict(NotComparable("no".into()), false), "not-comparable");
}

#[test]
fn models_that_are_not_repeatable_are_not_compared() {
    let command = "[[model]]\nname = \"C\"\nkind = \"command\"\nrun = [\"./c\"]\nrepeatable = false\n";
    let lab = run(&format!("{SPEC}{command}"), area);
    let blessed = bless(&lab.results(), None, &[Column::AucRoc], 0.01).unwrap();
    assert_eq!(blessed.baseline.rows().count(), 4, "not recorded either");
    let report = check(&lab.results(), &blessed.baseline, &OPTIONS);
    assert_eq!(
        (report.extra.len(), &report.unrepeatable[..]),
        (0, &["movies C".to_owned(), "university C".to_owned()][..])
    );
    assert!(summary(&report, Layout::Markdown).contains("not repeatable, so not compared: movies C, university C\n"));
    // A baseline that was written before the model was declared as such.
    let mut old = blessed.baseline.clone();
    let mut row = old.get("movies", "A", Column::AucRoc).unwrap().clone();
    row.key.model = "C".to_owned();
    old.insert(row);
    let report = check(&lab.results(), &old, &OPTIONS);
    assert_eq!((report.rows[4].finding.clone(), report.verdict()), (Finding::NotRepeatable, GateVerdict::Pass));
}

#[test]
fn seeds_of_the_run_and_the_baseline_are_paired() {
    let seeds = |seeds: &str| SPEC.replace("seed = 1\n", &format!("seeds = [{seeds}]\n"));
    let value = |job: &Job| area(job) + if job.seed == 2 { 0.0625 } else { 0.0 };
    let two = run(&seeds("1, 2"), value);
    let report = |lab: &Lab, baseline: &Baseline| check(&lab.results(), baseline, &OPTIONS);
    let both = blessed(&two);
    assert_eq!(both.origin.splits.len(), 4);
    assert_eq!(findings(&report(&two, &both)), ["identical"; 4]);
    let BaselineValues::Cells(cells) = &both.rows().next().unwrap().values else { panic!() };
    let order: Vec<(u64, usize)> = cells.iter().map(|cell| (cell.seed, cell.fold)).collect();
    assert_eq!(order, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
    // The run may have more seeds than the baseline, and the other seeds are not new cells.
    let first = blessed(&run(&seeds("1"), value));
    assert_eq!(findings(&report(&two, &first)), ["identical"; 4]);
    let second = run(&seeds("2"), value);
    assert_eq!(findings(&report(&second, &both)), ["not comparable"; 4]);
    assert_eq!(reason(&second, &both), "seeds 2, the baseline has 1, 2");
    // The same examples: these folds have the same positives.
    let report = report(&second, &first);
    assert_eq!(findings(&report), ["improved"; 4]);
    assert!((report.rows[0].change().unwrap() - 0.0625).abs() < 1e-12);
}

#[test]
fn presets_and_cases_belong_to_the_key_of_a_row() {
    let expected = |preset: &str| {
        format!(
            "[expected]\ntolerance = 0.01\nrows = [{{ dataset = \"movies\", model = \"A\", preset = \"{preset}\", \
             metric = \"auc_roc\", mean = 0.7083 }}]\n"
        )
    };
    let spec = SPEC.replace("seed = 1\n", "seed = 1\npresets = [\"paper\", \"lookahead\"]\n");
    let shift = |job: &Job| area(job) + if job.preset_name() == "lookahead" { 0.0625 } else { 0.0 };
    for (preset, finding) in [("paper", "as before"), ("lookahead", "differs from [expected]")] {
        let lab = run(&format!("{spec}{}", expected(preset)), shift);
        let report = check(&lab.results(), &blessed(&lab), &OPTIONS);
        assert_eq!(report.expected[0].finding.words(), finding);
        assert!(findings(&report).iter().all(|finding| *finding == "identical"), "{:?}", report.rows);
        assert_eq!(report.expected[0].model, format!("A ({preset})"));
    }
}

#[test]
fn findings_name_folds_and_p_values() {
    let row = |finding, p, folds: &[usize]| CheckedRow {
        dataset: "d".to_owned(),
        model: "m".to_owned(),
        metric: Column::AucRoc,
        reference: Reference { mean: 0.5, margin: 0.01 },
        now: None,
        finding,
        p,
        folds: folds.to_vec(),
    };
    let words = |finding, p, folds: &[usize]| print::finding(&row(finding, p, folds));
    assert_eq!(words(Finding::Improved, None, &[]), "improved");
    assert_eq!(words(Finding::Regressed, Some(0.005), &[1, 3]), "regressed: folds 1, 3, p = 0.0050");
    assert_eq!(words(Finding::Moved, Some(paired::LEVEL), &[2]), "moved: folds 2");
    assert_eq!(words(Finding::Regressed, Some(0.0001), &[]), "regressed: p = 0.0001");
    assert_eq!(words(Finding::Regressed, Some(0.000_099), &[]), "regressed: p < 0.0001");
    assert_eq!(words(Finding::Same, Some(0.005), &[1]), "as before");
    assert_eq!(words(Finding::NotChecked, None, &[]), "not checked: no data");
    assert_eq!(words(Finding::NotComparable("why".to_owned()), None, &[]), "not comparable: why");
}

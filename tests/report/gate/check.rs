//! The regression gate passes unchanged results, and nothing else.

use super::lab::{BASELINE, Lab, SPEC, cells, is_there};

#[test]
fn the_gate_passes_the_learner_and_fails_a_degraded_one() {
    let lab = Lab::new();
    lab.run(SPEC, "good");
    lab.lrbm(&["check", "good"]).expect(6, &[BASELINE, "`--bless` creates one"]);
    assert!(!is_there(&lab.path(BASELINE)));
    lab.lrbm(&["check", "good", "--bless"]).expect(0, &["6 rows: 6 new, 0 changed, 0 removed", BASELINE]);
    let blessed = lab.read(BASELINE);
    let lines: Vec<&str> = blessed.lines().collect();
    assert_eq!(lines[0], "dataset,model,metric,mean,sd,n,tolerance");
    assert_eq!(lines.len(), 7);
    for (line, start) in
        lines[1..].iter().zip(["movies,Boost,auc_roc,0.", "movies,Boost,auc_pr,0.", "movies,Boost,cll,-0."])
    {
        assert!(line.starts_with(start) && line.ends_with(",3,0.01"), "{line}");
    }
    lab.lrbm(&["check", "good"]).expect(0, &["tiny: passed; 6 rows of the baseline: 6 as before"]);

    // The same run gives the same digits, so that blessing it again changes nothing.
    lab.run(SPEC, "again");
    lab.lrbm(&["check", "again", "--bless"]).expect(0, &["6 rows: 0 new, 0 changed, 0 removed"]);
    assert_eq!(lab.read(BASELINE), blessed);

    lab.run_damaged(SPEC, "damaged");
    let files = ["check", "damaged", "--junit", "gate.xml", "--markdown", "gate.md"];
    let output = lab.lrbm(&files).expect(5, &["tiny: failed", "regression: damaged"]);
    let row = output.stdout.lines().find(|line| line.contains("| Boost ") && line.contains("auc_roc")).unwrap();
    let row = cells(row);
    let number = |text: &str| text.replace('−', "-").trim_start_matches('±').parse::<f64>().unwrap();
    assert_eq!((row[0], row[3], row[8]), ("movies", "baseline", "worse"));
    let (was, is, change, allowed) = (number(row[4]), number(row[5]), number(row[6]), number(row[7]));
    assert!((is - was - change).abs() < 2e-4 && change < -allowed && allowed >= 0.01, "{row:?}");
    let xml = lab.read("gate.xml");
    assert!(xml.contains("tests=\"6\"") && !xml.contains("failures=\"0\""), "{xml}");
    assert!(
        xml.contains("<testcase classname=\"movies\" name=\"Boost auc_roc (baseline)\"><failure message="),
        "{xml}"
    );
    let page = lab.read("gate.md");
    assert!(page.starts_with("## Gate: tiny\n") && page.contains("<details>"), "{page}");

    // The other way round it is an unexpected improvement: reported, not a failure.
    lab.lrbm(&["check", "damaged", "--bless"]).expect(0, &["changed, 0 removed"]);
    lab.lrbm(&["check", "good"]).expect(0, &["tiny: passed", "6 better", "| better", "| +0."]);
    // A very large k passes everything.
    lab.write(BASELINE, &blessed);
    lab.lrbm(&["check", "damaged", "--k", "1000"]).expect(0, &["6 as before"]);
}

#[test]
fn incomparable_rows_are_reported() {
    let lab = Lab::new();
    lab.run(SPEC, "run");
    lab.lrbm(&["check", "run", "--bless", "--metric", "auc_roc", "--metric", "brier", "--tolerance", "0.5"])
        .expect(0, &[]);
    let blessed = lab.read(BASELINE);
    assert!(blessed.contains("movies,NoBoost,brier,0.") && blessed.contains(",3,0.5\n"), "{blessed}");

    // Skipped datasets are not checked; blessing keeps their rows and the metrics of the file.
    let with_imdb = format!("{blessed}imdb,Boost,auc_roc,0.9,0.01,3,0.01\n");
    lab.write(BASELINE, &with_imdb);
    lab.lrbm(&["check", "run"]).expect(0, &["4 as before, 1 not checked", "data are unavailable: imdb"]);
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &["5 rows: 0 new, 0 changed, 0 removed, 1 kept"]);
    assert_eq!(lab.read(BASELINE), with_imdb);

    // A row that is missing from the run.
    lab.write(BASELINE, &format!("{blessed}movies,Boost (paper),auc_roc,0.9,0.01,3,0.01\n"));
    lab.lrbm(&["check", "run"]).expect(6, &["| Boost (paper)", "not comparable: not in the run"]);
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &["1 removed", "| removed |"]);
    assert_eq!(lab.read(BASELINE), blessed);
    // A row that is missing from the baseline.
    let without: String =
        blessed.lines().filter(|line| !line.contains("NoBoost")).map(|line| format!("{line}\n")).collect();
    lab.write(BASELINE, &without);
    lab.lrbm(&["check", "run"]).expect(0, &["not in the baseline (`--bless` adds it): movies NoBoost"]);
    // Another number of folds.
    lab.write(BASELINE, &blessed.replace(",3,0.5", ",5,0.5"));
    lab.lrbm(&["check", "run"]).expect(6, &["3 folds where the baseline has 5"]);
    // Nothing to compare.
    lab.write(BASELINE, "dataset,model,metric,mean,sd,n,tolerance\n");
    lab.lrbm(&["check", "run"]).expect(6, &["not comparable"]);

    // Lower is better for some metrics.
    let worse = blessed.lines().map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [dataset, model, "brier", _, sd, n, _] => format!("{dataset},{model},brier,0.001,{sd},{n},0.01\n"),
        _ => format!("{line}\n"),
    });
    lab.write(BASELINE, &worse.collect::<String>());
    lab.lrbm(&["check", "run"]).expect(5, &["| brier", "| worse"]);
}

#[test]
fn invalid_baselines_are_reported() {
    let lab = Lab::new();
    lab.lrbm(&["check", "nowhere"]).expect(2, &["nowhere: not a run directory"]);
    lab.run(SPEC, "run");
    lab.write("b.csv", "dataset,model,metric,mean,sd,n,tolerance\nmovies,Boost,auc_rok,0.9,0.1,3,0.01\n");
    let arguments = ["check", "run", "--baseline", "b.csv"];
    lab.lrbm(&arguments).expect(2, &["b.csv:2: column `metric`: unknown metric `auc_rok`; did you mean `auc_roc`?"]);
    // A damaged file is not overwritten.
    lab.lrbm(&["check", "run", "--baseline", "b.csv", "--bless"]).expect(2, &["b.csv:2:"]);
    lab.lrbm(&["check", "run", "--k", "-1"]).expect(2, &["must be a number of at least 0"]);
    lab.write("file", "");
    lab.lrbm(&["check", "run", "--bless", "--baseline", "file/b.csv"]).expect(2, &["file/b.csv"]);
}

#[test]
fn an_unfinished_run_is_not_blessed() {
    let lab = Lab::new();
    lab.write("tiny.toml", SPEC);
    lab.lrbm(&["run", "tiny.toml", "--available", "-q", "--out", "run", "--only", "fold=1"]).expect(0, &[]);
    lab.lrbm(&["run", "tiny.toml", "--available", "-q", "--out", "run", "--only", "fold=2,model=Boost"]).expect(0, &[]);
    let output = lab.lrbm(&["check", "run", "--bless"]);
    output.expect(6, &["movies Boost: 2 of 3 jobs have a result"]);
    assert!(!is_there(&lab.path(BASELINE)));
}

#[test]
fn expected_means_are_checked_in_both_directions() {
    let expecting = |mean: f64| {
        let row = format!("{{ dataset = \"movies\", model = \"Boost\", metric = \"auc_roc\", mean = {mean} }}");
        let absent = "{ dataset = \"imdb\", model = \"Boost\", metric = \"auc_pr\", mean = 0.5 }";
        format!("{SPEC}\n[expected]\ntolerance = 0.02\nrows = [{row}, {absent}]\n")
    };
    let lab = Lab::new();
    lab.run(SPEC, "run");
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &[]);
    let line = lab.read(BASELINE).lines().nth(1).unwrap().to_owned();
    let mean: f64 = line.split(',').nth(3).unwrap().parse().unwrap();
    for (expected, code, message) in [
        (mean + 0.01, 0, "1 of 2 rows that the spec expects hold, 1 not checked"),
        (mean - 0.1, 5, "| better"),
        (mean + 0.1, 5, "| worse"),
    ] {
        lab.run(&expecting(expected), "run");
        lab.lrbm(&["check", "run"]).expect(code, &[message]);
    }
    // It is also checked without a baseline, and blessing does not hide it.
    lab.lrbm(&["check", "run", "--baseline", "none.csv"]).expect(5, &["| spec", "| worse"]);
    lab.lrbm(&["check", "run", "--bless"]).expect(0, &["does not reproduce the [expected] means"]);
    lab.lrbm(&["check", "run"]).expect(5, &[]);
}

#[test]
fn missing_results_are_reported() {
    let spec = SPEC.replace("\"imdb\"", "\"university\", \"imdb\"").replace("seed = 7", "seeds = [7, 8]");
    let lab = Lab::new();
    lab.run(&spec, "run");
    lab.lrbm(&["check", "run", "--bless", "--metric", "auc_roc"]).expect(0, &["4 rows: 4 new"]);
    let blessed = format!("{}imdb,Boost,auc_roc,0.9,0.01,5,0.01\n", lab.read(BASELINE));
    lab.write(BASELINE, &blessed);
    assert_eq!(lab.read("run/skipped.json"), "[\n  \"imdb\"\n]\n");
    lab.lrbm(&["check", "run"]).expect(0, &["4 as before, 1 not checked"]);
    let refused = |reason: &str| {
        lab.lrbm(&["check", "run"]).expect(6, &[&format!("not comparable: {reason}")]);
        lab.lrbm(&["check", "run", "--bless"]).expect(6, &[reason]);
        assert_eq!(lab.read(BASELINE), blessed);
    };
    // Data that were available according to the run.
    std::fs::remove_file(lab.path("run/skipped.json")).unwrap();
    refused("0 of 10 jobs have a result");
    // A run with nothing outstanding reports them again, whatever is selected.
    let again = ["run", "tiny.toml", "--available", "-q", "--out", "run"];
    lab.lrbm(&again).expect(0, &[]);
    lab.lrbm(&["run", "tiny.toml", "-q", "--out", "run", "--only", "dataset=movies"]).expect(0, &[]);
    lab.lrbm(&["check", "run"]).expect(0, &["4 as before, 1 not checked"]);
    // A missing seed leaves the number of folds unchanged.
    std::fs::remove_dir_all(lab.path("run/jobs/movies/Boost/default/fold2-seed8")).unwrap();
    refused("5 of 6 jobs have a result");
    lab.lrbm(&again).expect(0, &[]);
    // An interrupted run does not change the baseline.
    std::fs::remove_dir_all(lab.path("run/jobs/university")).unwrap();
    refused("0 of 6 jobs have a result");
}

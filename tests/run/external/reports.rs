//! Tables, notes and the gate with external systems.

use std::fs;

use super::{SPEC, lab, lrbm, record, spec_of, succeeds};
use crate::lab::{Lab, stderr, stdout};

#[test]
fn tables_say_what_external_systems_lack() {
    let lab = lab();
    lab.write_spec(&SPEC.replace("name = \"x\" }", "name = \"x\" }\nrepeatable = false"));
    succeeds(&lab, &["-q"]);
    let output = lrbm(&lab, &["report", "out", "--out", "report"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let table = fs::read_to_string(lab.home().join("report/tables/all-metrics.md")).unwrap();
    for part in [
        "One \\[1]",
        "\\[1] One: not repeatable: the same job may give other scores when it runs again. It gives scores",
        "Two \\[2]",
        "\\[2] Two: gives scores without probabilities: metrics that need",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(!table.contains("Boost \\["), "{table}");
    let undefined = record(&lab, "movies/Two/default/fold1-seed7")["result"]["undefined"].clone();
    assert_eq!(undefined.as_object().unwrap().len(), 5, "{undefined}");
}

#[test]
fn probabilities_have_all_metrics_but_those_of_training() {
    let script = "echo example,probability > scores.csv; sed 's/\\.$/,0.25/' test/queries.txt >> scores.csv";
    let lab = Lab::with(&spec_of("", script));
    succeeds(&lab, &["-q"]);
    let result = record(&lab, "movies/M/default/fold1-seed7")["result"].clone();
    assert!(result["metrics"]["cll"].is_f64() && result["metrics"]["brier"].is_f64(), "{result}");
    assert_eq!(result["undefined"].as_object().unwrap().keys().collect::<Vec<_>>(), ["f1_train"]);
    let output = lrbm(&lab, &["report", "out", "--out", "report"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn the_gate_skips_what_is_not_repeatable() {
    let lab = lab();
    lab.write_spec(&SPEC.replace("name = \"x\" }", "name = \"x\" }\nrepeatable = false"));
    succeeds(&lab, &["-q"]);
    let check = ["check", "out", "--baseline", "b.csv"];
    assert!(lrbm(&lab, &[&check[..], &["--bless"]].concat()).status.success());
    let baseline = fs::read_to_string(lab.home().join("b.csv")).unwrap();
    assert!(baseline.contains("Two") && baseline.contains("Boost") && !baseline.contains("One"), "{baseline}");
    let output = lrbm(&lab, &check);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("not repeatable, so not compared: movies One"), "{}", stdout(&output));
    // A row of an earlier baseline is not compared either.
    fs::write(lab.home().join("b.csv"), baseline.replace("Two", "One")).unwrap();
    let output = lrbm(&lab, &check);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("2 not repeatable"), "{}", stdout(&output));
}

//! The paper's tables: each published number has a counterpart or a note that explains why not.

use std::fs;

use lrbm::internal::experiment::Results;
use lrbm::internal::metric::significance::decision::Decision;
use lrbm::internal::report::claims::{JudgedClaim, judge};
use lrbm::internal::report::published::{PublishedCell, PublishedTable};
use lrbm::internal::report::rows::{self, ReportRow, rows};
use lrbm::internal::report::table::TableCell;
use lrbm::internal::report::tables::{main_tables, paper_tables};

use super::lab::Lab;

/// A generated domain in place of one of the paper's datasets, one other domain, and two of the
/// paper's three models.
const SPEC: &str = r#"
name = "tiny"
seed = 7
folds = 2
datasets = ["imdb", "university"]
presets = ["paper", "lookahead"]

[dataset.imdb]
id = "movies"

[[model]]
name = "Ensemble"
kind = "lrbm-boost"
trees = 2

[[model]]
name = "Single"
kind = "lrbm-noboost"
max_depth = 2

[[model]]
name = "RDN-Boost"
kind = "rdn-boost"
trees = 2

[compare]
paper = "table2"
"#;

#[test]
fn each_published_number_has_a_counterpart_or_a_reason() {
    let lab = Lab::with(SPEC);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    let results = Results::read(&lab.path("out")).unwrap();
    let rows = rows(&results);
    let table2 = PublishedTable::find("table2").unwrap();
    let tables = main_tables(&results, &rows);
    assert_eq!(
        tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["table2-paper", "table2-lookahead"]
    );
    for (table, preset) in tables.iter().zip(["paper", "lookahead"]) {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        // Datasets and models that were not run have no column, row or note.
        assert_eq!(columns, ["model", "AUC", "imdb", "university"]);
        let values = || {
            table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match cell {
                TableCell::Value(value) => Some(value),
                TableCell::Text(_) => None,
            })
        };
        let published: Vec<f64> = values().filter_map(|value| value.paper).map(|paper| paper.mean).collect();
        let is_here = |cell: &&PublishedCell| cell.dataset == "imdb" && cell.kind != "lrbm-explainable";
        let expected: Vec<f64> = table2.cells.iter().filter(is_here).map(|cell| cell.mean).collect();
        assert_eq!(published, expected, "the paper's numbers of what was run, in its order");
        // Two models and two metrics on one dataset have both; models and datasets that the paper
        // lacks are set apart.
        assert_eq!(values().filter(|value| value.difference().is_some()).count(), 4);
        let extra = |name: &str| table.columns.iter().find(|column| column.name == name).unwrap().is_extra;
        assert!(extra("university") && !extra("imdb"));
        assert_eq!(table.rows.iter().filter(|row| row.is_extra).count(), 2);
        let notes: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(notes.is_empty(), "{notes:?}");
        // Our numbers are those of the jobs.
        let row = rows
            .iter()
            .find(|row| row.key().dataset == "imdb" && row.kind == "lrbm-boost" && row.key().preset == preset);
        let TableCell::Value(first) = &table.rows[0].cells[2] else { panic!("expected a number") };
        assert_eq!(first.ours, row.unwrap().average(lrbm::internal::metric::Column::AucRoc));
    }
    let table1 = &paper_tables(&results, &rows, PublishedTable::find("table1").unwrap())[0];
    let columns: Vec<&str> = table1.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["dataset", "target", "measure", "Ensemble", "RDN-Boost", "Single"]);
    assert_eq!(table1.rows.len(), 2 * 2);
}

/// Claims about models without presets are evaluated in each preset of the others, and tables
/// include them.
#[test]
fn claims_about_models_without_presets_are_judged_in_each_preset() {
    let spec = SPEC
        .replace("\"imdb\", \"university\"", "\"sports\", \"webkb\"")
        .replace(
            "[dataset.imdb]\nid = \"movies\"",
            "[dataset.sports]\nid = \"movies\"\n\n[dataset.webkb]\nid = \"university\"",
        )
        .replace("folds = 2", "folds = 2\narity = \"binary\"")
        .replace("name = \"Single\"\nkind = \"lrbm-noboost\"\nmax_depth = 2", "name = \"Walks\"\nkind = \"rrbm-c\"");
    let lab = Lab::with(&spec);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    let results = Results::read(&lab.path("out")).unwrap();
    let rows = rows(&results);
    let judged = judge(&rows);
    let about =
        |judged: &&JudgedClaim| judged.claim.statement.starts_with("LRBM-Boost scores higher than RRBM-C on Sports");
    let judged: Vec<&JudgedClaim> = judged.iter().filter(about).collect();
    let presets: Vec<&str> = judged.iter().map(|judged| judged.preset.as_str()).collect();
    assert_eq!(presets, ["paper", "lookahead"]);
    for judged in &judged {
        // Generated data under the name of a dataset have numbers, but cannot test a claim.
        assert_eq!(judged.verdict, Decision::NotTestable, "{}", judged.reason);
        assert!(judged.reason.contains("sports: stand-in data (movies)"), "{}", judged.reason);
        assert!(judged.has_numbers() && judged.alternatives.iter().all(|(_, v)| *v == Decision::NotTestable));
        assert_eq!(judged.evidence.len(), 4);
        for one in &judged.evidence {
            let ((first, second), compared) = (one.rows.unwrap(), one.compared.as_ref().unwrap());
            let (first, second) = (&rows[first], &rows[second]);
            assert_eq!((first.kind, second.kind), ("lrbm-boost", "rrbm-c"));
            assert_eq!((first.key().preset.as_str(), second.key().preset.as_str()), (judged.preset.as_str(), ""));
            let mean = |row: &ReportRow<'_>| row.average(one.metric).unwrap().mean;
            let difference = mean(first) - mean(second);
            assert!((compared.difference - difference).abs() < 1e-12);
        }
    }
    lab.lrbm_ok(&["report", "out"]);
    let read = |name: &str| fs::read_to_string(lab.path(&format!("out/tables/{name}"))).unwrap();
    let verdicts = read("verdicts.csv");
    let header = "number,question,claim,preset,verdict,why,ordinary t,without Holm,margin 0.01,margin 0.05,published numbers alone";
    assert_eq!(verdicts.lines().next(), Some(header));
    assert!(
        verdicts.contains(",not testable,") && verdicts.contains("\"no numbers are published, only bar charts\""),
        "{verdicts}"
    );
    assert!(read("comparisons.csv").contains("not testable: sports: stand-in data (movies)"));
    let sizes = read("sizes.md");
    assert!(
        sizes.contains("| hidden units |") && sizes.contains("| walks |") && sizes.contains("| leaves "),
        "{sizes}"
    );
    let settings: Vec<(&str, &str)> = rows::settings(&rows).into_iter().collect();
    assert_eq!(settings, [("paper", ""), ("lookahead", "")]);
    let tables = paper_tables(&results, &rows, PublishedTable::find("table2").unwrap());
    assert_eq!(tables.len(), 2);
    let is_of_walks = |cell: &TableCell| matches!(cell, TableCell::Text(text) if text == "Walks");
    assert!(tables.iter().all(|table| table.rows.iter().any(|row| row.cells.first().is_some_and(is_of_walks))));
}

#[test]
fn missing_evidence_is_named() {
    let lab = Lab::with(SPEC);
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out"]);
    lab.lrbm_ok(&["report", "out"]);
    let page = lab.page();
    assert!(page.contains(", cora and webkb are not in this run"), "what is missing is named");
    // Claims and questions without numbers are absent.
    assert!(page.contains("id=\"Q3\"") && !page.contains("id=\"Q1\"") && !page.contains("lrnn"), "{page}");
    // The section of claims has the verdicts, the table follows later.
    assert!(page.find("id=\"claims\"").unwrap() < page.find("id=\"table-verdicts\"").unwrap());
    // A sweep varies what the claims assume.
    let swept = SPEC.replace("[compare]", "[sweep]\ntrees = [1, 2]\n\n[compare]").replace("trees = 2\n\n[[", "\n[[");
    let lab = Lab::with(&swept.replace("trees = 2\n\n[sweep]", "[sweep]"));
    lab.lrbm_ok(&["run", "tiny.toml", "--out", "out", "--only", "fold=1"]);
    lab.lrbm_ok(&["report", "out"]);
    assert!(!lab.page().contains("The paper's claims"));
    let table = fs::read_to_string(lab.path("out/tables/trees-auc_roc.md")).unwrap();
    assert!(table.contains("trees=1") && table.contains("trees=2") && table.contains("not varied"), "{table}");
}

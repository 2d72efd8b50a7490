//! The committed JSON Schema equals the one generated from the format tables.

use std::fs;

use lrbm::internal::experiment::spec::format::{CASE, COMPARE, DATASET, EXPECTED, MODEL, ROW, SLURM, SWEEP, TOP};
use lrbm::internal::experiment::spec::schema;
use lrbm::internal::learn::{Kind, parameter, parameters};

use crate::common::snapshot::compare;
use crate::lab::{all_shipped, repository, shipped};

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = repository("experiments/spec.schema.json");
    compare(&path, &schema::text()).unwrap_or_else(|difference| panic!("{difference}"));
    let parsed: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(parsed["required"], serde_json::json!(["name", "datasets", "model"]));
}

#[test]
fn specs_reference_the_schema() {
    for name in all_shipped() {
        assert!(shipped(&name).starts_with("#:schema ./spec.schema.json\n"), "{name}");
    }
}

#[test]
fn the_book_documents_every_key_and_the_readme_lists_every_spec() {
    let page = fs::read_to_string(repository("docs/src/experiments.md")).unwrap();
    for section in [&TOP, &MODEL, &DATASET, &SWEEP, &CASE, &COMPARE, &EXPECTED, &ROW, &SLURM] {
        for field in section.fields {
            assert!(page.contains(&format!("`{}`", field.name)), "{} is not explained", field.name);
        }
    }
    let list = fs::read_to_string(repository("experiments/README.md")).unwrap();
    for name in all_shipped() {
        assert!(list.contains(&format!("`{}`", name.trim_end_matches(".toml"))), "{name} is not listed");
    }
}

/// A parameter named like a dataset key could not be set per dataset.
#[test]
fn parameter_names_differ_from_dataset_keys() {
    for field in DATASET.fields {
        assert!(parameter(field.name).is_none(), "{}", field.name);
    }
}

/// Returns the words in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_page_about_boostsrl_uses_names_that_exist() {
    let page = fs::read_to_string(repository("docs/src/boostsrl.md")).unwrap();
    let (_, after) = page.split_once("| BoostSRL | srlearn | here | remarks |\n").unwrap();
    let rows = after.lines().skip(1).take_while(|line| line.starts_with('|'));
    let mut known = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let here = quoted(cells[3]);
        assert!(!here.is_empty(), "{row}");
        for name in here {
            let is_key = TOP.field(name).is_some() || DATASET.field(name).is_some();
            assert!(is_key || parameter(name).is_some() || Kind::find(name).is_ok(), "{row}: `{name}` does not exist");
            known.extend(quoted(cells[1]).into_iter().map(|theirs| (name, theirs)));
        }
    }
    assert!(known.len() > 12);
    // The help of a parameter refers to a name of the page.
    let mut referring = 0;
    for entry in parameters().iter().map(|parameter| parameter.entry) {
        if let Some((_, theirs)) = entry.help.split_once("BoostSRL's ") {
            let theirs = theirs.split(' ').next().unwrap();
            assert!(known.contains(&(entry.name, theirs)), "{}: {theirs} is not on the page", entry.name);
            referring += 1;
        }
    }
    assert!(referring >= 8, "{referring}");
}

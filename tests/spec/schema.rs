//! The committed JSON Schema equals the one generated from the format tables.

use std::fs;

use lrbm::internal::experiment::spec::format::{CASE, COMPARE, DATASET, EXPECTED, MODEL, ROW, SLURM, SWEEP, TOP};
use lrbm::internal::experiment::spec::schema;
use lrbm::internal::learn::parameter;

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
fn the_readme_documents_every_key() {
    let page = fs::read_to_string(repository("experiments/README.md")).unwrap();
    for section in [&TOP, &MODEL, &DATASET, &SWEEP, &CASE, &COMPARE, &EXPECTED, &ROW, &SLURM] {
        for field in section.fields {
            assert!(page.contains(&format!("`{}`", field.name)), "{} is not explained", field.name);
        }
    }
    for name in all_shipped() {
        assert!(page.contains(&format!("`{}`", name.trim_end_matches(".toml"))), "{name} is not listed");
    }
}

/// A parameter named like a dataset key could not be set per dataset.
#[test]
fn parameter_names_differ_from_dataset_keys() {
    for field in DATASET.fields {
        assert!(parameter(field.name).is_none(), "{}", field.name);
    }
}

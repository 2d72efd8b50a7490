//! Imported tables: every text survives as a name, and the facts are those of a slow evaluation.

use lrbm::internal::data::import::mapping::{ArgumentMapping, Mapping, PredicateMapping, TargetMapping};
use lrbm::internal::data::import::write::write;
use lrbm::internal::data::import::{SourceColumn, SourceTable, Values, apply};
use lrbm::internal::data::load::Dataset;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Option<String>> {
    let name = prop_oneof![
        "[a-zA-Z0-9_ .\\\\\"'()%/,;:-]{0,6}",
        "\\PC{0,4}",
        "[\n\r\t\u{85}\u{2028}a]{1,3}",
        Just("5".to_owned()),
        Just("1e5".to_owned()),
        Just("-inf".to_owned()),
    ];
    prop_oneof![1 => Just(None), 6 => name.prop_map(Some)]
}

fn pair(table: &str) -> Vec<ArgumentMapping> {
    let column = |name: &str| ArgumentMapping::entity(&format!("{table} {name}"), "thing");
    vec![column("a"), column("b")]
}

fn table(name: &str, rows: &[(Option<String>, Option<String>)]) -> SourceTable {
    let column = |name: &str, values| SourceColumn { name: name.to_owned(), values: Values::Text(values) };
    let first = column(&format!("{name} a"), rows.iter().map(|row| row.0.clone()).collect());
    let second = column(&format!("{name} b"), rows.iter().map(|row| row.1.clone()).collect());
    SourceTable::new(name, vec![first, second])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn texts_survive_as_names(rows in proptest::collection::vec((text(), text()), 1..12)) {
        let tables = [table("facts", &rows), table("examples", &[(Some("x".into()), Some("y".into()))])];
        let target = TargetMapping {
            predicate: "target".into(),
            table: "examples".into(),
            args: pair("examples"),
            label: None,
            positive: None,
            class: None,
            negatives: None,
        };
        let related = PredicateMapping {
            name: "related".into(),
            table: "facts".into(),
            args: pair("facts"),
            when: None,
            modes: Vec::new(),
        };
        let mapping = Mapping { target, time: None, keys: Default::default(), predicates: vec![related] };
        let imported = apply(&mapping, &tables).unwrap();
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("data");
        write(&directory, &imported, &mapping, &tables, &[]).unwrap();
        let dataset = Dataset::read(&directory, "target").unwrap();

        let complete: Vec<(&str, &str)> =
            rows.iter().filter_map(|(a, b)| Some((a.as_deref()?, b.as_deref()?))).collect();
        prop_assert_eq!(dataset.counts.facts_read, complete.len() as u64);
        // Distinct pairs of texts are distinct facts.
        let distinct: std::collections::BTreeSet<_> = complete.iter().collect();
        prop_assert_eq!(dataset.database.facts.len(), distinct.len());
        for (a, b) in complete {
            for text in [a, b] {
                let mut name = String::new();
                lrbm::internal::logic::term::write_name(&mut name, text).unwrap();
                prop_assert!(dataset.database.symbols.find(&name).is_some(), "{:?} is stored as another name", text);
            }
        }
    }
}

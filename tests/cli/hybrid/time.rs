//! Time limits, and data loaded without them.

use lrbm::internal::data::benchmark::{Benchmark, TimeUse, Variant};
use lrbm::internal::data::manifest::FoldScheme;
use lrbm::internal::data::split::SplitOptions;
use lrbm::internal::data::store::Store;

fn citations(time: TimeUse, folds: FoldScheme) -> Benchmark {
    let variant = Variant { time, folds: Some(folds), ..Variant::default() };
    Benchmark::open("citations", &Store::open("no such directory"), &variant).unwrap()
}

#[test]
fn ignoring_time_changes_only_visibility() {
    for folds in [FoldScheme::Random, FoldScheme::ByTime] {
        let (limited, peeking) = (citations(TimeUse::Limit, folds), citations(TimeUse::Ignore, folds));
        assert!(limited.time().is_some() && peeking.time().is_none());
        for recursive in [false, true] {
            let split = SplitOptions { recursive, ..SplitOptions::new(3) };
            let (one, other) = (limited.fold(1, &split).unwrap(), peeking.fold(1, &split).unwrap());
            assert_eq!(one.counts, other.counts);
            for (limited, peeking) in [(&one.train, &other.train), (&one.test, &other.test)] {
                assert_eq!(limited.examples, peeking.examples);
                assert_eq!(limited.database.facts, peeking.database.facts);
                assert!(limited.database.times.is_some() && peeking.database.times.is_none());
                // Without limits, some example sees more.
                let sees_all = |side: &lrbm::internal::data::split::FoldSide| {
                    let written = side.database.predicates.iter().find(|&id| id != side.target).unwrap();
                    side.examples.iter().all(|example| {
                        let view = side.database.view(side.target, &example.args);
                        side.database
                            .facts
                            .relation(written)
                            .iter()
                            .all(|row| side.database.view_includes(&view, written, &row.to_vec()))
                    })
                };
                assert!(sees_all(peeking) && !sees_all(limited));
            }
        }
    }
}

#[test]
fn ignoring_time_requires_times() {
    let variant = Variant { time: TimeUse::Ignore, ..Variant::default() };
    let error = Benchmark::open("movies", &Store::open("no such directory"), &variant).unwrap_err();
    assert_eq!(
        error.to_string(),
        "dataset `movies` does not support `time = \"ignore\"`; it has no times, so omit the key"
    );
}

#[test]
fn default_time_limits_are_omitted_from_records() {
    let record = |variant: &Variant| serde_json::to_string(variant).unwrap();
    let usual = Variant::default();
    assert!(!record(&usual).contains("time"));
    let peeking = Variant { time: TimeUse::Ignore, ..Variant::default() };
    assert!(record(&peeking).contains("\"time\":\"ignore\""));
    for variant in [usual, peeking] {
        assert_eq!(serde_json::from_str::<Variant>(&record(&variant)).unwrap(), variant);
    }
}

//! The counts that the published files must yield.

use lrbm::internal::data::adapt::{Conversion, prepare};
use lrbm::internal::data::benchmark::{Benchmark, BenchmarkError, Reflexive, Variant};
use lrbm::internal::data::manifest::{FoldScheme, Manifest, NegativeScheme};
use lrbm::internal::data::report::DatasetReport;
use lrbm::internal::data::split::SplitOptions;
use lrbm::internal::data::store::Store;

use super::lab::{SEED, open, real};

fn report(store: &Store, id: &str, variant: &Variant) -> DatasetReport {
    DatasetReport::new(&open(store, id, variant), store, &SplitOptions::new(SEED)).unwrap()
}

#[test]
fn every_count_of_every_manifest_is_found() {
    let Some(store) = real() else { return };
    for manifest in Manifest::built_in() {
        for evidence in &manifest.evidence {
            let variant = Variant { evidence: Some(evidence.name.clone()), ..Variant::default() };
            let report = report(store, &manifest.id, &variant);
            let published = report.published.as_ref().unwrap();
            assert!(report.is_as_expected(), "{}: {:#?}", manifest.id, published.expected);
            assert_eq!(published.notes, [""; 0]);
            assert!(report.markdown().contains(&manifest.licence));
            serde_json::to_string(&report).unwrap();
        }
    }
}

/// Repeats the counts of the manifests, so that an error there does not hide one in an adaptor.
#[test]
fn published_counts_are_reproduced() {
    let Some(store) = real() else { return };
    for (id, wanted) in [
        ("uwcse", &[("positives", 113), ("facts", 2560)][..]),
        ("imdb", &[("positives", 382), ("facts", 696)]),
        ("sports", &[("positives", 300), ("facts", 7824)]),
        ("webkb", &[("positives", 121), ("facts", 1944)]),
        ("mutagenesis", &[("positives", 2467), ("memberships", 4893)]),
        ("yeast2", &[("positives", 11291), ("facts", 339_483)]),
        ("aan", &[("positives", 82937)]),
        ("icml", &[("positives", 46), ("facts", 1395)]),
        ("roofworld20", &[("positives", 13), ("facts", 511)]),
        ("cora", &[("positives", 3017), ("reflexive_positives", 471), ("facts", 7060)]),
    ] {
        let manifest = Manifest::find(id).unwrap();
        prepare(store, manifest, &mut |_| {}).unwrap();
        let found = Conversion::read(store, id, &manifest.evidence(None).unwrap().name).unwrap().counts;
        for (name, count) in wanted {
            assert_eq!(found.get(*name), Some(count), "{id}: {name}");
        }
    }
}

#[test]
fn cora_has_shared_positives_and_drawn_negatives() {
    let Some(store) = real() else { return };
    for evidence in ["matches", "base"] {
        let variant = Variant { evidence: Some(evidence.into()), ..Variant::default() };
        let counts = open(store, "cora", &variant).counts(&SplitOptions::new(SEED)).unwrap();
        let shared: Vec<usize> = counts.iter().map(|fold| fold.shared_positives).collect();
        assert_eq!(shared, [30, 43, 70, 84, 15]);
        let drawn: Vec<u32> = counts.iter().map(|f| (100.0 * f.test.drawn_share()).round() as u32).collect();
        assert_eq!(drawn, [7, 65, 0, 29, 55]);
        assert_eq!(counts.iter().map(|fold| fold.test.reflexive_positives).sum::<usize>(), 471);
        assert_eq!(counts.iter().map(|fold| fold.test.positives).sum::<usize>(), 3017);
        assert!(counts.iter().all(|fold| fold.test.lacking == 0 && fold.train.lacking == 0));
    }
    let strict = Variant { drop_shared: true, reflexive: Reflexive::Drop, ..Variant::default() };
    let counts = open(store, "cora", &strict).counts(&SplitOptions::new(SEED)).unwrap();
    assert!(counts.iter().all(|fold| fold.dropped_shared == fold.shared_positives));
    assert!(counts.iter().all(|fold| fold.train.reflexive_positives + fold.test.reflexive_positives == 0));
    assert_eq!(counts.iter().map(|fold| fold.test.positives).sum::<usize>(), 3017 - 471);
    let easy = Variant { negatives: Some(NegativeScheme::ClosedWorld), ..Variant::default() };
    let counts = open(store, "cora", &easy).counts(&SplitOptions::new(SEED)).unwrap();
    assert!(counts.iter().all(|fold| fold.test.listed == 0 && fold.test.drawn == 2 * fold.test.positives));
}

#[test]
fn folds_are_those_of_the_manifests() {
    let Some(store) = real() else { return };
    let universities = Variant { folds: Some(FoldScheme::Given), ..Variant::default() };
    let webkb = open(store, "webkb", &universities);
    let counts = webkb.counts(&SplitOptions::new(SEED)).unwrap();
    assert_eq!(counts.iter().map(|fold| fold.test.positives).collect::<Vec<_>>(), [14, 73, 8, 26]);
    let by_ten = SplitOptions { folds: Some(10), ..SplitOptions::new(SEED) };
    assert!(matches!(webkb.fold_count(&by_ten), Err(BenchmarkError::FoldCount { count: 10, .. })));
    assert_eq!(open(store, "webkb", &Variant::default()).counts(&by_ten).unwrap().len(), 10);
    // Five folds, each tested on later years than its training; cuts are between years.
    let counts = open(store, "aan", &Variant::default()).counts(&SplitOptions::new(SEED)).unwrap();
    let tested: Vec<usize> = counts.iter().map(|fold| fold.test.positives).collect();
    assert_eq!(tested, [11042, 14985, 13312, 19982, 9236]);
    assert_eq!(counts[0].train.positives + tested.iter().sum::<usize>(), 82937);
    assert_eq!(counts[4].train.positives, 82937 - 9236);
}

#[test]
fn unsupported_variants_and_missing_data_are_reported() {
    let empty = tempfile::tempdir().unwrap();
    let store = Store::open(empty.path());
    let error = Benchmark::open("uwcse", &store, &Variant::default()).unwrap_err().to_string();
    assert!(error.contains("run `lrbm datasets fetch uwcse`"), "{error}");
    let error = Benchmark::open("uwcs", &store, &Variant::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("unknown dataset `uwcs`; did you mean `uwcse`? expected one of uwcse, imdb, "),
        "{error}"
    );
    let by_time = Variant { folds: Some(FoldScheme::ByTime), ..Variant::default() };
    let error = Benchmark::open("uwcse", &store, &by_time).unwrap_err().to_string();
    assert_eq!(error, "dataset `uwcse` does not support `folds = \"by-time\"`; it supports `given`");
    let other = Variant { evidence: Some("all".into()), ..Variant::default() };
    let error = Benchmark::open("cora", &store, &other).unwrap_err().to_string();
    assert_eq!(error, "dataset `cora` has no evidence variant `all`; expected one of matches and base");
}

#[test]
fn a_changed_file_is_detected_on_opening() {
    let Some(mirror) = real().map(Store::root) else { return };
    let directory = tempfile::tempdir().unwrap();
    copy(&mirror.join("imdb"), &directory.path().join("imdb"));
    let store = Store::open(directory.path());
    let first = open(&store, "imdb", &Variant::default());
    assert_eq!(first.checksum(), open(&store, "imdb", &Variant::default()).checksum());
    let file = store.converted("imdb", "base/fold2/test/test_pos.txt");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend(b"workedunder(a,b).\n");
    std::fs::write(&file, bytes).unwrap();
    let error = Benchmark::open("imdb", &store, &Variant::default()).unwrap_err().to_string();
    assert!(error.contains("fold2/test/test_pos.txt has changed since it was converted"), "{error}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn longer_predicates_are_projected_to_binary_ones() {
    use lrbm::internal::data::benchmark::Arity;
    let Some(store) = real() else { return };
    let binary = Variant { arity: Arity::Binary, ..Variant::default() };
    for (id, longest, name) in [("uwcse", "ta", "ta_course_person"), ("mutagenesis", "bond", "bonded")] {
        let dataset = open(store, id, &binary);
        assert!(dataset.describe_binary().contains(&format!("  {name}(")));
        let fold = dataset.fold(0, &SplitOptions::new(SEED)).unwrap();
        for side in [&fold.train, &fold.test] {
            let db = &side.database;
            let facts = |name, arity| db.predicates.find(name, arity).map_or(0, |id| db.facts.relation(id).len());
            assert_eq!(facts(longest, 3), 0, "{id}");
            assert!(facts(name, 2) > 0, "{id}");
            assert!(db.schema.modes().iter().all(|mode| mode.args.len() <= 2), "{id}");
        }
    }
    assert!(open(store, "sports", &binary).describe_binary().contains("nothing changes"));
}

//! Invariants of any dataset, on small synthetic data.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use lrbm::internal::data::benchmark::{Arity, Benchmark, BenchmarkError, Reflexive, Variant};
use lrbm::internal::data::load::LoadOptions;
use lrbm::internal::data::manifest::{FoldScheme, NegativeScheme};
use lrbm::internal::data::report::DatasetReport;
use lrbm::internal::data::split::{Fold, FoldSide, SplitOptions};
use lrbm::internal::data::store::Store;
use lrbm::internal::kb::{TimeRule, TimeSource};
use proptest::prelude::*;
use tempfile::TempDir;

use super::lab::names;

/// Creates a directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn open(directory: &Path, variant: &Variant) -> Benchmark {
    Benchmark::of_directory(directory, &LoadOptions::default(), variant).unwrap_or_else(|error| panic!("{error}"))
}

fn show(side: &FoldSide) -> Vec<String> {
    let label = |positive| if positive { '+' } else { '-' };
    side.examples.iter().map(|e| format!("{}{}", label(e.positive), names(&side.database, e).join(","))).collect()
}

fn of(side: &FoldSide, positive: bool) -> BTreeSet<Vec<String>> {
    side.examples.iter().filter(|e| e.positive == positive).map(|e| names(&side.database, e)).collect()
}

const MODES: &str = "mode: t(+a,+b). mode: p(+a,-b). mode: p(-a,+b).";

/// Creates a directory with facts p(x,y) and examples of t(x,y) over x0… and y0….
fn world(facts: &[(u8, u8)], positives: &[(u8, u8)], negatives: &[(u8, u8)]) -> TempDir {
    let lines = |predicate: &str, pairs: &[(u8, u8)]| {
        let mut text = String::new();
        pairs.iter().for_each(|(x, y)| writeln!(text, "{predicate}(x{x},y{y}).").unwrap());
        text
    };
    let negatives: Vec<(u8, u8)> = negatives.iter().copied().filter(|pair| !positives.contains(pair)).collect();
    directory(&[
        ("bk.txt", MODES),
        ("facts.txt", &lines("p", facts)),
        ("pos.txt", &lines("t", positives)),
        ("neg.txt", &lines("t", &negatives)),
    ])
}

fn pairs(constants: u8, min: usize) -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0..constants, 0..constants), min..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn folds_partition_the_positives_and_negatives_are_new(
        facts in pairs(9, 1),
        positives in pairs(9, 6),
        negatives in pairs(9, 0),
        closed: bool,
        ratio in 0.0f64..4.0,
        k in 2usize..5,
        seed: u64,
    ) {
        let distinct: BTreeSet<(u8, u8)> = positives.iter().copied().collect();
        prop_assume!(distinct.len() >= k);
        let root = world(&facts, &positives, &negatives);
        let scheme = if closed { NegativeScheme::ClosedWorld } else { NegativeScheme::ListedThenClosedWorld };
        let dataset = open(root.path(), &Variant { negatives: Some(scheme), ..Variant::default() });
        let split = SplitOptions { folds: Some(k), negatives_per_positive: ratio, ..SplitOptions::new(seed) };
        let mut tested = BTreeSet::new();
        let expected: BTreeSet<Vec<String>> =
            distinct.iter().map(|(x, y)| vec![format!("x{x}"), format!("y{y}")]).collect();
        for index in 0..k {
            let fold = dataset.fold(index, &split).unwrap();
            let (train, test) = (&fold.train, &fold.test);
            // Every positive is on one side, and tested exactly once over all folds.
            prop_assert!(of(train, true).is_disjoint(&of(test, true)));
            prop_assert_eq!(&(&of(train, true) | &of(test, true)), &expected);
            for positive in of(test, true) {
                prop_assert!(tested.insert(positive));
            }
            prop_assert!(of(train, false).is_disjoint(&of(test, false)));
            for (side, counts) in [(train, &fold.counts.train), (test, &fold.counts.test)] {
                prop_assert!(of(side, false).is_disjoint(&expected));
                prop_assert_eq!(side.examples.len(), counts.positives + counts.negatives());
                prop_assert_eq!(of(side, false).len(), counts.negatives());
            }
            // The test side has the ratio except for missing negatives; the training side consists
            // of several groups.
            let test = &fold.counts.test;
            let needed = (ratio * test.positives as f64).round() as usize;
            prop_assert_eq!(test.negatives() + test.lacking, needed);
            if closed {
                prop_assert_eq!(test.listed, 0);
            }
        }
        prop_assert_eq!(tested, expected);
        let counts = dataset.counts(&split).unwrap();
        for (index, counts) in counts.iter().enumerate() {
            prop_assert_eq!(counts, &dataset.fold(index, &split).unwrap().counts);
        }
    }

    #[test]
    fn negatives_are_missing_only_if_all_pairs_are_used(positives in pairs(3, 4), ratio in 0.0f64..20.0, seed: u64) {
        let distinct: BTreeSet<(u8, u8)> = positives.iter().copied().collect();
        prop_assume!(distinct.len() >= 2);
        let root = world(&[(0, 0)], &positives, &[]);
        let dataset = open(root.path(), &Variant::default());
        let split = SplitOptions { folds: Some(2), negatives_per_positive: ratio, ..SplitOptions::new(seed) };
        let fold = dataset.fold(0, &split).unwrap();
        let used = of(&fold.train, false).len() + of(&fold.test, false).len();
        let lacking = fold.counts.train.lacking + fold.counts.test.lacking;
        let xs: BTreeSet<u8> = positives.iter().map(|p| p.0).chain([0]).collect();
        let ys: BTreeSet<u8> = positives.iter().map(|p| p.1).chain([0]).collect();
        let open = xs.len() * ys.len() - distinct.len();
        prop_assert!(used <= open);
        let needed: usize = [&fold.counts.train, &fold.counts.test]
            .map(|counts| (ratio * counts.positives as f64).round() as usize)
            .iter()
            .sum();
        prop_assert_eq!(used + lacking, needed);
        if lacking > 0 {
            prop_assert_eq!(used, open);
        }
    }

    #[test]
    fn folds_are_determined_by_the_seed(facts in pairs(9, 1), positives in pairs(9, 20), seed: u64) {
        let root = world(&facts, &positives, &[]);
        let dataset = open(root.path(), &Variant::default());
        let again = open(root.path(), &Variant::default());
        let folds = |dataset: &Benchmark, seed| -> Vec<Vec<String>> {
            (0..5).map(|i| dataset.fold(i, &SplitOptions::new(seed)).unwrap()).map(|f| [show(&f.train), show(&f.test)].concat()).collect()
        };
        prop_assert_eq!(folds(&dataset, seed), folds(&again, seed));
        prop_assert_eq!(dataset.checksum(), again.checksum());
        prop_assert_ne!(folds(&dataset, seed), folds(&dataset, seed ^ 1));
    }
}

#[test]
fn listed_negatives_come_first() {
    let positives: Vec<(u8, u8)> = (0..4).map(|i| (i, i)).collect();
    let negatives: Vec<(u8, u8)> = (0..4).map(|i| (i, i + 1)).collect();
    let root = world(&[(8, 8)], &positives, &negatives);
    let dataset = open(root.path(), &Variant::default());
    let split = SplitOptions { folds: Some(2), ..SplitOptions::new(3) };
    let fold = dataset.fold(0, &split).unwrap();
    assert_eq!((fold.counts.test.listed, fold.counts.test.drawn), (2, 2));
    assert_eq!(fold.counts.test.drawn_share(), 0.5);
    // Enough are listed: a subset is used, and nothing is drawn.
    let split = SplitOptions { negatives_per_positive: 0.5, ..split };
    let fold = dataset.fold(0, &split).unwrap();
    assert_eq!((fold.counts.test.listed, fold.counts.test.drawn), (1, 0));
    assert!(fold.train.examples.iter().all(|e| e.positive || e.line > 0));
    for ratio in [-1.0, f64::NAN, f64::INFINITY] {
        let split = SplitOptions { negatives_per_positive: ratio, ..split };
        assert!(matches!(dataset.fold(0, &split), Err(BenchmarkError::Ratio(_))), "{ratio}");
    }
    assert!(matches!(dataset.fold(2, &split), Err(BenchmarkError::NoSuchFold { index: 2, count: 2, .. })));
    for count in [0, 1, 5] {
        let split = SplitOptions { folds: Some(count), ..split };
        assert!(matches!(dataset.fold(0, &split), Err(BenchmarkError::FoldCount { .. })), "{count}");
    }
}

#[test]
fn target_facts_are_dropped_and_contradictions_rejected() {
    let facts = "p(x0,y0). t(x0,y1). t(x1,y1).";
    let files = [("bk.txt", MODES), ("facts.txt", facts), ("pos.txt", "t(x0,y0). t(x1,y1)."), ("neg.txt", "t(x1,y0).")];
    let root = directory(&files);
    let dataset = open(root.path(), &Variant::default());
    assert!(dataset.warnings().iter().any(|warning| warning.code == "target-in-evidence"));
    let fold = dataset.fold(0, &SplitOptions { folds: Some(2), ..SplitOptions::new(1) }).unwrap();
    assert!(fold.train.database.facts.relation(fold.train.target).is_empty());

    fs::write(root.path().join("neg.txt"), "t(x1,y0).\nt(x1,y1).\n").unwrap();
    let error = Benchmark::of_directory(root.path(), &LoadOptions::default(), &Variant::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("neg.txt:2:1: error[positive-and-negative]: t(x1, y1) is a negative example here"), "{text}");
}

fn given() -> TempDir {
    let bk = "mode: same(+v,+v). mode: word(+v,-w).";
    let train = "same(a,b). same(b,a). same(c,d). same(e,e).";
    let test = "same(b,a). same(f,g). same(f,f).";
    let words = |names: &str| names.split(' ').fold(String::new(), |text, v| text + &format!("word({v},w). "));
    directory(&[
        ("fold1/train/train_bk.txt", bk),
        ("fold1/train/train_facts.txt", &words("a b c d e")),
        ("fold1/train/train_pos.txt", train),
        ("fold1/train/train_neg.txt", "same(a,c). same(f,g)."),
        ("fold1/test/test_bk.txt", bk),
        ("fold1/test/test_facts.txt", &words("a b f g")),
        ("fold1/test/test_pos.txt", test),
        ("fold1/test/test_neg.txt", "same(a,f)."),
    ])
}

#[test]
fn given_folds_are_kept_and_their_overlaps_counted() {
    let root = given();
    let dataset = open(root.path(), &Variant::default());
    assert_eq!((dataset.fold_scheme(), dataset.fold_count(&SplitOptions::new(1)).unwrap()), (FoldScheme::Given, 1));
    let fold = dataset.fold(0, &SplitOptions::new(1)).unwrap();
    assert_eq!(fold.counts.shared_positives, 1);
    assert_eq!(fold.counts.contradicted, 1, "same(f,g) is a positive of the test");
    assert_eq!((fold.counts.train.listed, fold.counts.train.drawn), (1, 7));
    assert_eq!(fold.counts.test.reflexive_positives, 1);
    let expected = ["+a,b", "+b,a", "+c,d", "+e,e", "-a,c"];
    assert_eq!(show(&fold.train)[..5], expected);
    for side in [&fold.train, &fold.test] {
        assert!(side.examples.iter().all(|e| e.positive || e.args[0] != e.args[1]), "(a,a) is never drawn");
    }

    let strict = Variant { drop_shared: true, reflexive: Reflexive::Drop, ..Variant::default() };
    let fold = open(root.path(), &strict).fold(0, &SplitOptions::new(1)).unwrap();
    assert_eq!(show(&fold.train)[..2], ["+a,b", "+c,d"]);
    assert_eq!((fold.counts.dropped_shared, fold.counts.train.negatives()), (1, 4));
    assert_eq!(show(&fold.test)[..2], ["+b,a", "+f,g"]);
    let error = Benchmark::of_directory(
        root.path(),
        &LoadOptions::default(),
        &Variant { folds: Some(FoldScheme::Random), ..strict },
    );
    assert!(matches!(error, Err(BenchmarkError::Unsupported { key: "folds", .. })));
}

/// Creates papers p1 to p30, one a year, each citing those up to three years earlier.
fn papers() -> TempDir {
    let (mut facts, mut cites) = (String::new(), String::new());
    for paper in 1..=30 {
        writeln!(facts, "year(p{paper},{}). author(p{paper},a{}).", 1990 + paper, paper % 4).unwrap();
        (1.max(paper - 3)..paper).for_each(|cited| writeln!(cites, "cites(p{paper},p{cited}).").unwrap());
    }
    let bk = "mode: cites(+paper,+paper). mode: author(+paper,-author). mode: author(-paper,+author).";
    directory(&[("bk.txt", bk), ("facts.txt", &facts), ("pos.txt", &cites)])
}

#[test]
fn folds_by_time_train_on_the_past() {
    let root = papers();
    let time = TimeRule { source: TimeSource::Predicate("year".into()), by_argument: vec![] };
    let options = LoadOptions { time: Some(time), ..LoadOptions::default() };
    let by_time = Variant { folds: Some(FoldScheme::ByTime), ..Variant::default() };
    let dataset = Benchmark::of_directory(root.path(), &options, &by_time).unwrap();
    let year = |side: &FoldSide, k: usize| -> Vec<u32> {
        side.examples.iter().map(|e| names(&side.database, e)[k][1..].parse().unwrap()).collect()
    };
    let split = SplitOptions { folds: Some(4), ..SplitOptions::new(9) };
    for index in 0..4 {
        let Fold { train, test, .. } = dataset.fold(index, &split).unwrap();
        assert!(year(&train, 0).iter().max() < year(&test, 0).iter().min());
        for side in [&train, &test] {
            assert!(year(side, 0).iter().zip(year(side, 1)).all(|(&a, b)| b < a), "negatives lie in the past");
        }
    }
    let random = Benchmark::of_directory(root.path(), &options, &Variant::default()).unwrap();
    assert_eq!(random.fold_scheme(), FoldScheme::Random);
    let fold = random.fold(0, &split).unwrap();
    assert!(year(&fold.train, 0).iter().zip(year(&fold.train, 1)).all(|(&a, b)| b < a));
    let many = SplitOptions { folds: Some(40), ..split };
    assert!(matches!(dataset.fold(0, &many), Err(BenchmarkError::FoldCount { count: 40, .. })));
}

#[test]
fn generated_domains_open_like_other_datasets() {
    let nowhere = Store::open("does-not-exist");
    for id in ["movies", "movies-classes", "university", "citations"] {
        let dataset = Benchmark::open(id, &nowhere, &Variant { arity: Arity::Binary, ..Variant::default() }).unwrap();
        let split = SplitOptions::new(1);
        for index in 0..dataset.fold_count(&split).unwrap() {
            let fold = dataset.fold(index, &split).unwrap();
            let classes = id == "movies-classes";
            assert_eq!(of(&fold.test, false).is_empty(), classes, "{id}");
            assert!(of(&fold.train, true).is_disjoint(&of(&fold.test, true)), "{id}");
            assert!(fold.train.database.schema.modes().iter().all(|mode| mode.args.len() <= 2 || classes), "{id}");
        }
        let report = DatasetReport::new(&dataset, &nowhere, &split).unwrap();
        assert!(report.is_as_expected() && report.published.is_none());
    }
    let variant = Variant { evidence: Some("base".into()), ..Variant::default() };
    let error = Benchmark::open("movies", &nowhere, &variant).unwrap_err().to_string();
    assert!(error.contains("does not support `evidence = \"base\"`"), "{error}");
}

/// Fractions of the training examples are nested and stratified; facts and test examples stay.
#[test]
fn fractions_of_the_training_examples_are_nested() {
    let dataset = Benchmark::open("university", &Store::open("none"), &Variant::default()).unwrap();
    let of = |fraction| {
        let split = SplitOptions { folds: Some(4), train_fraction: fraction, ..SplitOptions::new(9) };
        dataset.fold(1, &split).unwrap()
    };
    let whole = of(1.0);
    let plain = dataset.fold(1, &SplitOptions { folds: Some(4), ..SplitOptions::new(9) }).unwrap();
    assert_eq!(whole.train.examples, plain.train.examples);
    let count = |fold: &Fold, label| fold.train.examples.iter().filter(|example| example.positive == label).count();
    let mut larger = whole.clone();
    for fraction in [0.7, 0.3, 0.1, 0.0001] {
        let smaller = of(fraction);
        assert!(smaller.train.examples.iter().all(|example| larger.train.examples.contains(example)), "{fraction}");
        for label in [true, false] {
            let expected = (fraction * count(&whole, label) as f64).ceil() as usize;
            assert_eq!(count(&smaller, label), expected, "{fraction} {label}");
        }
        assert_eq!(smaller.test.examples, whole.test.examples);
        assert!(std::sync::Arc::ptr_eq(&smaller.train.database, &smaller.test.database));
        assert_eq!(smaller.train.database.facts.len(), whole.train.database.facts.len());
        let counts = smaller.counts.train;
        assert_eq!((counts.positives, counts.negatives()), (count(&smaller, true), count(&smaller, false)));
        larger = smaller;
    }
    assert_eq!((count(&larger, true), count(&larger, false)), (1, 1));
    let seeded = |seed| {
        let split = SplitOptions { folds: Some(4), train_fraction: 0.2, ..SplitOptions::new(seed) };
        dataset.fold(1, &split).unwrap().train.examples
    };
    assert_eq!(seeded(3), seeded(3));
}

//! Labels cannot be looked up in the evidence, and sampling does not distinguish positives from
//! negatives.

use std::collections::BTreeSet;

use lrbm::internal::data::benchmark::{Benchmark, Variant};
use lrbm::internal::data::manifest::{FoldScheme, Manifest};
use lrbm::internal::data::split::{Fold, FoldSide, SplitOptions};
use lrbm::internal::kb::{Database, Example};
use lrbm::internal::logic::{Constant, PredicateId};

use super::lab::{SEED, names, open, real, variants};

/// Checks all invariants on every fold of every variant of a published dataset.
fn check(id: &str) {
    let Some(store) = real() else { return };
    let manifest = Manifest::find(id).unwrap();
    for variant in variants(manifest) {
        let dataset = open(store, id, &variant);
        let split = SplitOptions::new(SEED);
        // The folds of the citation graphs are large and drawn alike: the first and the last
        // suffice.
        let count = dataset.fold_count(&split).unwrap();
        let folds: Vec<usize> = if manifest.time.is_some() { vec![0, count - 1] } else { (0..count).collect() };
        for index in folds {
            let fold = dataset.fold(index, &split).unwrap();
            no_test_label_is_evidence_and_no_example_sees_itself(manifest, &fold);
            no_other_predicate_reveals_the_target(manifest, &dataset, &fold);
            no_example_is_in_both_sides_or_has_both_labels(manifest, &dataset, &fold);
            negatives_keep_the_ratio_and_are_distinct(manifest, &fold);
        }
    }
}

#[test]
fn uwcse_does_not_leak() {
    check("uwcse");
}

#[test]
fn imdb_does_not_leak() {
    check("imdb");
}

#[test]
fn cora_does_not_leak() {
    check("cora");
}

#[test]
fn sports_does_not_leak() {
    check("sports");
}

#[test]
fn mutagenesis_does_not_leak() {
    check("mutagenesis");
}

#[test]
fn yeast2_does_not_leak() {
    check("yeast2");
}

#[test]
fn webkb_does_not_leak() {
    check("webkb");
}

#[test]
fn aan_does_not_leak() {
    check("aan");
}

#[test]
fn icml_and_roofworld20_do_not_leak() {
    check("icml");
    check("roofworld20");
}

fn positives(side: &FoldSide) -> impl Iterator<Item = &Example> {
    side.examples.iter().filter(|example| example.positive)
}

fn negatives(side: &FoldSide) -> impl Iterator<Item = &Example> {
    side.examples.iter().filter(|example| !example.positive)
}

fn find(database: &Database, names: &[String]) -> Option<Vec<Constant>> {
    // The papers of one dataset are numbers.
    let one = |name: &String| match name.parse::<f64>() {
        Ok(value) => database.symbols.find_number(value),
        Err(_) => database.symbols.find(name),
    };
    names.iter().map(one).collect()
}

/// Returns the fraction of examples that are facts of a predicate, in the given order or swapped.
fn share(side: &FoldSide, predicate: PredicateId, positive: bool, swapped: bool) -> f64 {
    let relation = side.database.facts.relation(predicate);
    let examples = side.examples.iter().filter(|example| example.positive == positive);
    let (mut held, mut all) = (0, 0);
    for example in examples {
        let mut args = example.args.to_vec();
        if swapped {
            args.reverse();
        }
        all += 1;
        held += usize::from(relation.contains(&args));
    }
    f64::from(u32::try_from(held).unwrap()) / f64::from(u32::try_from(all.max(1)).unwrap())
}

fn no_test_label_is_evidence_and_no_example_sees_itself(manifest: &Manifest, fold: &Fold) {
    let name = &manifest.target.predicate;
    for side in [&fold.train, &fold.test] {
        let relation = side.database.facts.relation(side.target);
        if manifest.time.is_none() {
            assert!(relation.is_empty(), "{}: {name} is among the facts", manifest.id);
            continue;
        }
        // Training citations are evidence for later papers; test labels are never evidence.
        for example in &fold.test.examples {
            assert!(!relation.contains(&example.args), "{}: a test example is a fact", manifest.id);
        }
        for example in &side.examples {
            let limit = side.database.limit(side.target, &example.args);
            assert!(limit.is_some(), "{}: an example without a time", manifest.id);
            assert!(!side.database.visible(side.target, &example.args, limit), "{}", manifest.id);
        }
    }
}

fn no_other_predicate_reveals_the_target(manifest: &Manifest, dataset: &Benchmark, fold: &Fold) {
    let sfu = dataset.variant().evidence.as_deref() == Some("sfu");
    for side in [&fold.train, &fold.test] {
        let db = &side.database;
        let types = db.schema.argument_types(side.target).unwrap();
        if types.len() != 2 {
            continue;
        }
        for id in db.predicates.iter().filter(|&id| id != side.target) {
            let Some(own) = db.schema.argument_types(id).filter(|own| own.len() == 2) else { continue };
            for swapped in [false, true] {
                let fits = if swapped { own == [types[1], types[0]] } else { own == types };
                let held = if fits { share(side, id, true, swapped) } else { 0.0 };
                match (manifest.id.as_str(), db.predicates.name(id)) {
                    // Known leaks, documented in the manifests.
                    ("sports", "plays") => assert!(held < 0.25, "plays: {held}"),
                    ("mutagenesis", "bonded") if sfu => {}
                    (id, other) => assert!(held <= 0.05, "{id}: {other} holds for {held} of the positives"),
                }
            }
        }
    }
}

fn no_example_is_in_both_sides_or_has_both_labels(manifest: &Manifest, dataset: &Benchmark, fold: &Fold) {
    let all = |side: &FoldSide, positive: bool| -> BTreeSet<Vec<String>> {
        let examples = side.examples.iter().filter(|example| example.positive == positive);
        let mut set: BTreeSet<Vec<String>> = examples.map(|e| names(&side.database, e)).collect();
        if manifest.target.symmetric {
            let swapped: Vec<_> = set.iter().map(|args| vec![args[1].clone(), args[0].clone()]).collect();
            set.extend(swapped);
        }
        set
    };
    let [train, test] = [&fold.train, &fold.test].map(|side| [true, false].map(|label| all(side, label)));
    for [positives, _] in [&train, &test] {
        for [_, negatives] in [&train, &test] {
            assert_eq!(positives.intersection(negatives).next(), None, "{}", manifest.id);
        }
    }
    if dataset.fold_scheme() != FoldScheme::Given {
        assert!(train[0].is_disjoint(&test[0]) && train[1].is_disjoint(&test[1]), "{}", manifest.id);
    }
    if dataset.variant().drop_shared {
        assert!(train[0].is_disjoint(&test[0]), "{}", manifest.id);
    }
    if manifest.id != "cora" {
        assert_eq!(fold.counts.shared_positives, 0, "{}", manifest.id);
    }
    assert_eq!(fold.counts.contradicted, 0, "{}", manifest.id);
}

fn negatives_keep_the_ratio_and_are_distinct(manifest: &Manifest, fold: &Fold) {
    for (side, counts) in [(&fold.train, &fold.counts.train), (&fold.test, &fold.counts.test)] {
        let distinct: BTreeSet<Vec<String>> = side.examples.iter().map(|e| names(&side.database, e)).collect();
        assert_eq!(distinct.len(), side.examples.len(), "{}", manifest.id);
        assert_eq!(positives(side).count(), counts.positives);
        assert_eq!(negatives(side).count(), counts.negatives());
        assert_eq!((counts.negatives(), counts.lacking), (2 * counts.positives, 0), "{}", manifest.id);
        // Drawn negatives have no line.
        let reflexive = negatives(side).filter(|e| e.line == 0 && matches!(*e.args, [a, b] if a == b)).count();
        assert_eq!(reflexive, 0, "{}: (a,a) was drawn", manifest.id);
    }
}

#[test]
fn atoms_of_negatives_occur_in_positives() {
    let Some(store) = real() else { return };
    for evidence in ["known-half", "sfu"] {
        let variant = Variant { evidence: Some(evidence.into()), ..Variant::default() };
        let dataset = open(store, "mutagenesis", &variant);
        for index in 0..5 {
            let fold = dataset.fold(index, &SplitOptions::new(SEED)).unwrap();
            let atoms = |side: &FoldSide, positive: bool| -> BTreeSet<Constant> {
                side.examples.iter().filter(|e| e.positive == positive).map(|e| e.args[1]).collect()
            };
            for side in [&fold.train, &fold.test] {
                let targets = atoms(side, true);
                assert!(atoms(side, false).is_subset(&targets));
                if let Some(contains) = side.database.predicates.find("contains", 2) {
                    let known: BTreeSet<Constant> =
                        side.database.facts.relation(contains).values(1).into_iter().collect();
                    assert_eq!(known.len(), 4893 - 2467);
                    assert!(known.is_disjoint(&targets));
                } else {
                    assert_eq!(evidence, "sfu");
                }
            }
            // Atoms of training examples do not occur in test examples, with either label.
            assert!(atoms(&fold.train, true).is_disjoint(&atoms(&fold.test, true)));
        }
    }
}

/// Known atoms and those of examples have the same kind of facts except membership.
#[test]
fn known_and_target_atoms_have_the_same_kind_of_evidence() {
    let Some(store) = real() else { return };
    let fold = open(store, "mutagenesis", &Variant::default()).fold(0, &SplitOptions::new(SEED)).unwrap();
    let db = &fold.train.database;
    let relation = |name: &str, arity| db.facts.relation(db.predicates.find(name, arity).unwrap());
    let elements: BTreeSet<Constant> = relation("element", 2).values(0).into_iter().collect();
    assert_eq!(elements.len(), 4893);
    for (name, arity) in [("atomtype", 2), ("charge", 2)] {
        assert_eq!(relation(name, arity).values(0).len(), 4893, "{name}");
    }
    // Bonds are symmetric.
    let bond = relation("bond", 3);
    assert_eq!(bond.len(), 2 * 5243);
    assert!(bond.iter().all(|row| bond.contains(&[row.get(1), row.get(0), row.get(2)])));
    // Only facts of `contains` link a molecule and an atom.
    let molecules: BTreeSet<Constant> = relation("logp", 2).values(0).into_iter().collect();
    assert_eq!(molecules.len(), 188);
    for id in db.predicates.iter().filter(|&id| db.predicates.name(id) != "contains") {
        for row in db.facts.relation(id).iter() {
            let args = row.to_vec();
            let both = args.iter().any(|c| molecules.contains(c)) && args.iter().any(|c| elements.contains(c));
            assert!(!both, "{}", db.predicates.name(id));
        }
    }
}

#[test]
fn the_relational_dump_nearly_reveals_its_target_as_its_caveat_says() {
    let Some(store) = real() else { return };
    let variant = Variant { evidence: Some("sfu".into()), ..Variant::default() };
    let fold = open(store, "mutagenesis", &variant).fold(0, &SplitOptions::new(SEED)).unwrap();
    let (mut held, mut all) = (0, 0);
    for side in [&fold.train, &fold.test] {
        let bond = side.database.facts.relation(side.database.predicates.find("bond", 3).unwrap());
        for example in positives(side) {
            all += 1;
            let query = [Some(example.args[0]), Some(example.args[1]), None];
            held += u32::from(bond.lookup(&query).next().is_some());
        }
    }
    assert_eq!((held, all), (4657, 4805));
}

#[test]
fn negatives_of_citations_are_earlier_and_visible() {
    let Some(store) = real() else { return };
    for (id, to_the_future) in [("yeast2", 484), ("aan", 45)] {
        let dataset = open(store, id, &Variant::default());
        let counts = dataset.counts(&SplitOptions::new(SEED)).unwrap();
        let first = &counts[0];
        if id == "yeast2" {
            assert_eq!(first.train.positives_to_the_future + first.test.positives_to_the_future, to_the_future);
        } else {
            let last = &counts[4];
            assert_eq!(last.train.positives_to_the_future + last.test.positives_to_the_future, to_the_future);
        }
        for index in [0, 4] {
            let fold = dataset.fold(index, &SplitOptions::new(SEED)).unwrap();
            for side in [&fold.train, &fold.test] {
                check_citations(id, side);
            }
            if id == "aan" {
                let times = |side: &FoldSide| -> Vec<f64> {
                    side.examples.iter().filter_map(|e| side.database.limit(side.target, &e.args)).collect()
                };
                let latest = times(&fold.train).into_iter().fold(f64::MIN, f64::max);
                let earliest = times(&fold.test).into_iter().fold(f64::MAX, f64::min);
                assert!(latest < earliest, "training reaches {latest}, the test starts {earliest}");
            }
        }
    }
}

fn check_citations(id: &str, side: &FoldSide) {
    let db = &side.database;
    let times = db.times.as_ref().unwrap();
    let time = |position: usize, example: &Example| times.of_argument(side.target, position, example.args[position]);
    let citing: BTreeSet<Constant> = positives(side).map(|e| e.args[0]).collect();
    let author = db.predicates.find("author", 2).unwrap();
    let (mut seen, mut all) = ([0u32; 2], [0u32; 2]);
    let mut per_paper = std::collections::BTreeMap::<Constant, [i64; 2]>::new();
    for example in &side.examples {
        per_paper.entry(example.args[0]).or_default()[usize::from(example.positive)] += 1;
        let in_the_past = time(1, example).unwrap() <= time(0, example).unwrap();
        if !example.positive {
            assert!(citing.contains(&example.args[0]), "{id}: a negative of a paper that cites nothing");
            assert!(in_the_past, "{id}: a negative in the future");
        }
        if in_the_past {
            let limit = db.limit(side.target, &example.args);
            let rows = db.facts.relation(author);
            let visible =
                rows.lookup(&[Some(example.args[1]), None]).any(|row| db.visible(author, &row.to_vec(), limit));
            let label = usize::from(example.positive);
            all[label] += 1;
            seen[label] += u32::from(visible);
        }
    }
    for label in [0, 1] {
        let share = f64::from(seen[label]) / f64::from(all[label]);
        assert!(share > 0.999, "{id}: {share} of the papers can be seen (label {label})");
    }
    // A citing paper has negatives in proportion to its positives, so it does not reveal the label;
    // the few with too few earlier papers leave some to others.
    let uneven: i64 = per_paper.values().map(|[negatives, positives]| (negatives - 2 * positives).abs()).sum();
    let all = i64::try_from(side.examples.len()).unwrap();
    assert!(uneven * 100 < all, "{id}: {uneven} of {all}");
}

/// Every constant of a positive may also be drawn for a negative.
#[test]
fn every_constant_of_a_positive_may_be_drawn() {
    let Some(store) = real() else { return };
    for id in ["webkb", "sports", "mutagenesis"] {
        let closed = Variant {
            negatives: (id == "sports").then_some(lrbm::internal::data::manifest::NegativeScheme::ClosedWorld),
            ..Variant::default()
        };
        let dataset = open(store, id, &closed);
        // Over many seeds, every constant of a positive is drawn eventually.
        let mut left: [BTreeSet<Vec<String>>; 2] = Default::default();
        let mut drawn = left.clone();
        for seed in 0..40 {
            let fold =
                dataset.fold(0, &SplitOptions { negatives_per_positive: 4.0, ..SplitOptions::new(seed) }).unwrap();
            for side in [&fold.train, &fold.test] {
                for example in &side.examples {
                    let args = names(&side.database, example);
                    for (k, name) in args.into_iter().enumerate() {
                        if example.positive { &mut left[k] } else { &mut drawn[k] }.insert(vec![name]);
                    }
                }
            }
        }
        for k in 0..2 {
            assert_eq!(left[k].difference(&drawn[k]).next(), None, "{id}, argument {}", k + 1);
        }
    }
}

#[test]
fn published_negatives_contain_no_positive_by_name() {
    // The checks above rely on names being found; this is one known pair.
    let Some(store) = real() else { return };
    let fold = open(store, "uwcse", &Variant::default()).fold(0, &SplitOptions::new(SEED)).unwrap();
    let pair = ["person309", "person378"].map(str::to_owned);
    let args = find(&fold.test.database, &pair).unwrap();
    assert!(positives(&fold.test).any(|example| *example.args == *args));
    assert!(negatives(&fold.test).all(|example| *example.args != *args));
}

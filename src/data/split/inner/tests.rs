use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::data::benchmark::Variant;
use crate::data::load::LoadOptions;
use crate::data::split::FoldSide;
use crate::data::store::Store;

fn generated(id: &str) -> Benchmark {
    Benchmark::open(id, &Store::open("none"), &Variant::default()).unwrap()
}

fn atoms(side: &FoldSide, positive: bool) -> BTreeSet<String> {
    let here = side.examples.iter().filter(|example| example.positive == positive);
    here.map(|example| side.database.show_atom(side.target, &example.args)).collect()
}

fn facts(database: &Database) -> BTreeSet<String> {
    let of = |id| database.facts.relation(id).iter().map(move |row| database.show_atom(id, &row.to_vec()));
    database.predicates.iter().flat_map(of).collect()
}

/// Everything that a learner sees of a fold.
fn content(fold: &Fold) -> [BTreeSet<String>; 6] {
    let Fold { train, test, .. } = fold;
    let [seen, tested] = [train, test].map(|side| facts(&side.database));
    [atoms(train, true), atoms(train, false), seen, atoms(test, true), atoms(test, false), tested]
}

/// Four folds, each with entities, facts and listed examples of its own; fold `garbage` has a test
/// side with other labels and facts.
fn given(directory: &Path, folds: usize, garbage: Option<usize>) -> Benchmark {
    let write = |path: &Path, name: &str, text: String| std::fs::write(path.join(name), text).unwrap();
    let all = |of: &dyn Fn(usize) -> String, numbers: &[usize]| numbers.iter().map(|&n| of(n)).collect::<String>();
    let names = |n: usize, from: usize, to: usize| (from..to).map(move |i| format!("f{n}e{i}"));
    let positives = |n: usize| names(n, 0, 4).map(|e| format!("t({e}).\n")).collect::<String>();
    let negatives = |n: usize| names(n, 4, 12).map(|e| format!("t({e}).\n")).collect::<String>();
    // A fact of every fold, and facts of one fold.
    let evidence = |n: usize| names(n, 0, 12).map(|e| format!("q({e},x{n}).\n")).collect::<String>() + "q(all,x).\n";
    write(directory, "bk.txt", "mode: t(+e). mode: q(+e,-x). mode: q(-e,+x).".to_owned());
    for fold in 0..folds {
        let others: Vec<usize> = (0..folds).filter(|&n| n != fold).collect();
        let [train, test] = ["train", "test"].map(|side| directory.join(format!("fold{}/{side}", fold + 1)));
        for (path, numbers) in [(&train, others.as_slice()), (&test, &[fold])] {
            std::fs::create_dir_all(path).unwrap();
            let swap = garbage == Some(fold) && path == &test;
            let (pos, neg) = (all(&positives, numbers), all(&negatives, numbers));
            let (pos, neg) = if swap { (neg, pos) } else { (pos, neg) };
            write(path, "pos.txt", pos);
            write(path, "neg.txt", neg);
            write(path, "facts.txt", if swap { "q(f0e0,odd).".to_owned() } else { all(&evidence, numbers) });
        }
    }
    Benchmark::of_directory(directory, &LoadOptions::default(), &Variant::default()).unwrap()
}

#[test]
fn examples_of_random_folds_are_dealt_out_again() {
    let movies = generated("movies");
    let split = SplitOptions::new(7);
    for outer in 0..5 {
        let whole = movies.fold(outer, &split).unwrap();
        let part = movies.training_part(outer, &split, 3).unwrap();
        assert_eq!((part.count(), part.scheme()), (3, FoldScheme::Random));
        let mut tested = BTreeSet::new();
        for index in 0..3 {
            let fold = part.fold(index).unwrap();
            assert_eq!(content(&fold), content(&movies.training_part(outer, &split, 3).unwrap().fold(index).unwrap()));
            for positive in [true, false] {
                let [train, test, outer_train, outer_test] =
                    [&fold.train, &fold.test, &whole.train, &whole.test].map(|side| atoms(side, positive));
                assert!(train.is_disjoint(&test) && train.is_disjoint(&outer_test) && test.is_disjoint(&outer_test));
                assert!(train.is_subset(&outer_train) && test.is_subset(&outer_train));
                assert!(test.len().abs_diff(outer_train.len() / 3) <= 1, "{} of {}", test.len(), outer_train.len());
                if positive {
                    assert_eq!(train.len() + test.len(), outer_train.len());
                    assert!(test.iter().all(|atom| tested.insert(atom.clone())));
                }
            }
        }
        assert_eq!(tested, atoms(&whole.train, true));
        assert!(part.fold(3).is_err());
    }
    assert!(movies.training_part(5, &split, 3).is_err());
}

#[test]
fn known_positives_are_those_of_the_inner_training_side() {
    let movies = generated("movies");
    let split = SplitOptions { recursive: true, ..SplitOptions::new(7) };
    let fold = movies.training_part(1, &split, 2).unwrap().fold(1).unwrap();
    let known = facts(&fold.train.database);
    assert_eq!(known, facts(&fold.test.database));
    assert!(atoms(&fold.train, true).is_subset(&known));
    assert!(atoms(&fold.test, true).is_disjoint(&known));
    assert!(atoms(&movies.fold(1, &split).unwrap().test, true).is_disjoint(&known));
}

#[test]
fn given_folds_are_left_out_with_their_facts() {
    let directory = tempfile::tempdir().unwrap();
    let data = given(directory.path(), 4, None);
    let split = SplitOptions::new(7);
    for (count, sets) in [(3, [[1].as_slice(), &[2], &[3]].as_slice()), (2, &[&[1, 3], &[2]])] {
        let part = data.training_part(0, &split, count).unwrap();
        assert_eq!((part.count(), part.scheme()), (count, FoldScheme::Given));
        for (index, tested) in sets.iter().enumerate() {
            let fold = part.fold(index).unwrap();
            let of = |n: &usize| format!("f{n}e");
            let is_tested = |atom: &str| tested.iter().any(|n| atom.contains(&of(n)));
            for atom in content(&fold)[..3].iter().flatten() {
                assert!(!is_tested(atom) && !atom.contains("f0e"), "{atom}");
            }
            for atom in content(&fold)[3..].iter().flatten() {
                assert!(is_tested(atom) || atom == "q(all,x)", "{atom}");
            }
            // The fact of every fold is on both sides; each entity has one of its own.
            assert_eq!(facts(&fold.test.database).len(), 12 * tested.len() + 1);
            assert_eq!(facts(&fold.train.database).len(), 12 * (3 - tested.len()) + 1);
            assert_eq!(atoms(&fold.test, true).len(), 4 * tested.len());
            assert_eq!(atoms(&fold.test, false).len(), 8 * tested.len());
            assert_eq!(atoms(&fold.train, true).len(), 4 * (3 - tested.len()));
        }
    }
    let error = data.training_part(0, &split, 4).unwrap_err().to_string();
    assert!(error.contains("3 sets of facts") && error.contains("at most 3 inner folds"), "{error}");
}

#[test]
fn labels_and_facts_of_the_outer_test_side_have_no_effect() {
    for (folds, count) in [(4, 3), (4, 2), (2, 2)] {
        for outer in 0..folds {
            let [plain, garbage] = [None, Some(outer)].map(|garbage| {
                let directory = tempfile::tempdir().unwrap();
                // The name of the directory seeds random choices.
                let path = directory.path().join("same");
                std::fs::create_dir(&path).unwrap();
                let data = given(&path, folds, garbage);
                let part = data.training_part(outer, &SplitOptions::new(3), count).unwrap();
                let whole = data.fold(outer, &SplitOptions::new(3)).unwrap();
                (
                    (0..count).map(|index| content(&part.fold(index).unwrap())).collect::<Vec<_>>(),
                    atoms(&whole.test, true),
                )
            });
            assert_eq!(plain.0, garbage.0);
            assert_ne!(plain.1, garbage.1);
        }
    }
}

#[test]
fn one_set_of_facts_is_split_by_examples() {
    let directory = tempfile::tempdir().unwrap();
    let part = given(directory.path(), 2, None).training_part(0, &SplitOptions::new(1), 3).unwrap();
    assert_eq!(part.scheme(), FoldScheme::Random);
    let fold = part.fold(0).unwrap();
    assert_eq!(facts(&fold.train.database), facts(&fold.test.database));
    let error = given(directory.path(), 2, None).training_part(0, &SplitOptions::new(1), 5).unwrap_err().to_string();
    assert!(error.contains("training part of fold 1") && error.contains("only 4 positives"), "{error}");
}

#[test]
fn examples_with_times_are_split_by_time() {
    let variant = Variant { folds: Some(FoldScheme::ByTime), ..Variant::default() };
    let citations = Benchmark::open("citations", &Store::open("none"), &variant).unwrap();
    let split = SplitOptions::new(7);
    let part = citations.training_part(4, &split, 2).unwrap();
    assert_eq!(part.scheme(), FoldScheme::ByTime);
    let fold = part.fold(1).unwrap();
    let time = |side: &FoldSide| {
        let positives = side.examples.iter().filter(|example| example.positive);
        positives.filter_map(|e| side.database.limit(side.target, &e.args)).collect::<Vec<f64>>()
    };
    let latest = time(&fold.train).into_iter().fold(f64::MIN, f64::max);
    assert!(time(&fold.test).into_iter().all(|time| time > latest));
}

#[test]
fn examples_that_a_fraction_drops_are_in_no_inner_fold() {
    // With three negatives per positive, negatives are drawn; only dropped examples are left to
    // draw.
    for (folds, count, ratio) in [(4, 3, 2.0), (4, 2, 2.0), (2, 2, 2.0), (4, 3, 3.0), (2, 2, 3.0)] {
        let split = SplitOptions { train_fraction: 0.5, negatives_per_positive: ratio, ..SplitOptions::new(7) };
        let directory = tempfile::tempdir().unwrap();
        let data = given(directory.path(), folds, None);
        for outer in 0..folds {
            let kept = data.fold(outer, &split).unwrap();
            let whole = data.fold(outer, &SplitOptions { train_fraction: 1.0, ..split }).unwrap();
            let part = data.training_part(outer, &split, count).unwrap();
            let mut tested = BTreeSet::new();
            for index in 0..count {
                let fold = part.fold(index).unwrap();
                for side in [&fold.train, &fold.test] {
                    assert!(atoms(side, true).is_subset(&atoms(&kept.train, true)));
                    assert!(atoms(side, false).is_disjoint(&atoms(&whole.train, true)));
                    if ratio < 3.0 {
                        assert!(atoms(side, false).is_subset(&atoms(&kept.train, false)));
                    }
                }
                // Facts stay, as in the outer fold.
                let with_all =
                    data.training_part(outer, &SplitOptions { train_fraction: 1.0, ..split }, count).unwrap();
                let sides = |fold: &Fold| [&fold.train, &fold.test].map(|side| facts(&side.database));
                assert_eq!(sides(&fold), sides(&with_all.fold(index).unwrap()));
                tested.append(&mut atoms(&fold.test, true));
            }
            assert_eq!(tested, atoms(&kept.train, true));
        }
    }
}

#[test]
fn labels_of_the_outer_test_side_do_not_change_what_a_fraction_keeps() {
    for (folds, ratio) in [(4, 2.0), (4, 3.0), (2, 2.0), (2, 3.0)] {
        let split = SplitOptions { train_fraction: 0.5, negatives_per_positive: ratio, ..SplitOptions::new(3) };
        let [plain, garbage] = [None, Some(1)].map(|garbage| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("same");
            std::fs::create_dir(&path).unwrap();
            let part = given(&path, folds, garbage).training_part(1, &split, 2).unwrap();
            [0, 1].map(|index| content(&part.fold(index).unwrap()))
        });
        assert_eq!(plain, garbage);
    }
}

//! Positives as evidence for other examples: visibility, learning, and that no example sees its own
//! label.

use super::files::directory;
use crate::common::params::params;
use lrbm::internal::cover::Coverage;
use lrbm::internal::data::benchmark::{Benchmark, Variant};
use lrbm::internal::data::load::{Dataset, LoadOptions};
use lrbm::internal::data::split::SplitOptions;
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, Recursion, TimeRule, TimeSource, naive};
use lrbm::internal::learn::{Kind, LearnError, Model, TreeModel, train};
use lrbm::internal::logic::{Argument, Constant, Literal, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Variable};
use lrbm::internal::tree::assign;
use proptest::prelude::*;

/// A database with the target `t` and the evidence `q`, both binary; positives of `t` are known.
struct World {
    facts: Vec<(usize, [usize; 2])>,
    times: Option<Vec<u32>>,
    examples: Vec<([usize; 2], bool)>,
    symmetric: bool,
    /// Whether target facts have the time of their first argument.
    by_argument: bool,
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

impl World {
    fn new(seed: u64, timed: bool) -> World {
        let mut stream = Stream::new(seed, &["recursion"]);
        let mut pair = || [stream.index(5), stream.index(5)];
        let mut examples: Vec<([usize; 2], bool)> = (0..14).map(|i| (pair(), i % 2 == 0)).collect();
        examples.dedup_by_key(|example| example.0);
        let facts = (0..12).map(|i| (i % 2, pair())).collect();
        let times = timed.then(|| (0..5).map(|_| stream.index(3) as u32).collect());
        let (symmetric, by_argument) = (stream.index(2) == 0, stream.index(2) == 0);
        World { facts, times, examples, symmetric, by_argument }
    }

    /// Builds the database with these known positives; without recursion the target is an ordinary
    /// predicate.
    fn database(
        &self,
        known: impl Fn([usize; 2]) -> bool,
        recursive: bool,
    ) -> (Database, [PredicateId; 2], Vec<Constant>) {
        let mut builder = DatabaseBuilder::new();
        let constants: Vec<Constant> = NAMES.iter().map(|name| builder.symbols.intern(name).unwrap()).collect();
        for (name, symbols) in [("t", [ModeSymbol::Output; 2]), ("q", [ModeSymbol::Output; 2])] {
            let arg =
                |&symbol: &ModeSymbol| ModeArg::Typed { symbol, type_name: "x".into(), constant: None, limit: None };
            let declaration = ModeDeclaration {
                predicate: name.into(),
                args: symbols.iter().map(arg).collect(),
                withdrawn: false,
                max: None,
                max_per_input: None,
                target: None,
            };
            builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
        }
        let ids = ["t", "q"].map(|name| builder.predicates.find(name, 2).unwrap());
        for &(which, pair) in self.facts.iter().filter(|&&(which, pair)| which == 1 || known(pair)) {
            builder.fact(ids[which], &pair.map(|k| constants[k])).unwrap();
        }
        for &(pair, _) in self.examples.iter().filter(|&&(pair, positive)| positive && known(pair)) {
            builder.fact(ids[0], &pair.map(|k| constants[k])).unwrap();
        }
        let mut rule = None;
        if let Some(times) = &self.times {
            let year = builder.predicates.intern("year", 2);
            for (&name, &time) in constants.iter().zip(times) {
                let time = builder.symbols.intern_number(f64::from(time)).unwrap();
                builder.fact(year, &[name, time]).unwrap();
            }
            let by_argument = if self.by_argument { vec!["t".to_owned()] } else { Vec::new() };
            rule = Some(TimeRule { source: TimeSource::Predicate("year".into()), by_argument });
        }
        let (mut database, _) = builder.build(rule.as_ref()).unwrap();
        database.recursion = recursive.then_some(Recursion { target: ids[0], symmetric: self.symmetric });
        (database, ids, constants)
    }

    /// Whether a positive is visible to an example.
    fn may_know(&self, example: [usize; 2], fact: [usize; 2]) -> bool {
        let own = fact == example || (self.symmetric && fact == [example[1], example[0]]);
        let second = |pair: [usize; 2]| if self.by_argument { pair[0] } else { pair[1] };
        let time = |pair: [usize; 2]| self.times.as_ref().map(|times| times[pair[0]].max(times[second(pair)]));
        // The time of an example is that of its first argument.
        let limit = self.times.as_ref().map(|times| times[example[0]]);
        !own && (self.times.is_none() || time(fact) < limit)
    }
}

fn conjunction(stream: &mut Stream, ids: [PredicateId; 2], constants: &[Constant]) -> Vec<Literal> {
    let literal = |stream: &mut Stream| {
        let arg = |stream: &mut Stream| match stream.index(8) {
            0 => Argument::Constant(constants[stream.index(constants.len())]),
            _ => Argument::Variable(Variable(stream.index(4) as u32)),
        };
        let predicate = ids[usize::from(stream.index(3) == 0)];
        Literal { negated: stream.index(5) == 0, ..Literal::new(predicate, vec![arg(stream), arg(stream)]) }
    };
    (0..1 + stream.index(4)).map(|_| literal(stream)).collect()
}

proptest! {
    /// Compares each example in a database with all positives, by the search and by the reference
    /// evaluator, with a database built for it alone that lacks what it may not see.
    #[test]
    fn an_example_sees_the_same_as_in_its_own_database(seed: u64, timed: bool) {
        let world = World::new(seed, timed);
        let (database, ids, constants) = world.database(|_| true, true);
        let example = |&(pair, positive): &([usize; 2], bool)| Example {
            args: pair.map(|k| constants[k]).into(), positive, class: 0, weight: 1.0, line: 0,
        };
        let examples: Vec<Example> = world.examples.iter().map(example).collect();
        let coverage = Coverage::new(&database, ids[0], &examples, 1 << 20);
        let own: Vec<_> =
            world.examples.iter().map(|&(pair, _)| world.database(|fact| world.may_know(pair, fact), false)).collect();
        let mut stream = Stream::new(seed, &["conjunctions"]);
        for _ in 0..20 {
            let asked = conjunction(&mut stream, ids, &constants);
            let covered = coverage.cover(&asked);
            let counts = coverage.counts(&[&asked]).remove(0);
            for (i, (database_of_one, ids_of_one, _)) in own.iter().enumerate() {
                prop_assert_eq!(*ids_of_one, ids);
                let args = &examples[i].args;
                let count = naive::count(database_of_one, &asked, ids[0], args);
                prop_assert_eq!(naive::count(&database, &asked, ids[0], args), count, "slow: {:?} {:?}", &asked, args);
                prop_assert_eq!(counts.get(i) as usize, count.min(100), "counted: {:?} {:?}", &asked, args);
                prop_assert_eq!(covered.get(i), count > 0, "fast: {:?} {:?}", &asked, args);
            }
        }
    }

    /// Trees over such a database assign each example to the leaf that evaluating its tests
    /// reaches.
    #[test]
    fn recursive_trees_assign_examples_as_they_were_grown(seed: u64, timed: bool) {
        let world = World::new(seed, timed);
        let (database, ids, constants) = world.database(|_| true, true);
        let example = |&(pair, positive): &([usize; 2], bool)| Example {
            args: pair.map(|k| constants[k]).into(), positive, class: 0, weight: 1.0, line: 0,
        };
        let examples: Vec<Example> = world.examples.iter().map(example).collect();
        let params = params(Kind::LrbmBoost, &["recursive=true", "trees=3"]);
        let model = train(Kind::LrbmBoost, &database, ids[0], &examples, &params, 1, &mut |_| {}).unwrap().into_trees().unwrap().model;
        let coverage = Coverage::new(&database, ids[0], &examples, 1 << 20);
        for tree in model.bind(&database) {
            let reached = assign::leaves(&tree, &coverage);
            for (example, id) in examples.iter().zip(reached) {
                prop_assert_eq!(assign::leaf_naive(&tree, &database, ids[0], &example.args), id);
            }
        }
    }
}

/// Creates random labels for random pairs: only leaked labels could be learned from.
fn nothing_but_answers(symmetric: bool) -> (tempfile::TempDir, Dataset) {
    let mut stream = Stream::new(5, &["leak"]);
    let (mut positives, mut negatives) = (String::new(), String::new());
    for i in 0..60 {
        // Every constant occurs in one pair only, so no other example is evidence.
        let positive = stream.index(2) == 0;
        let file = if positive { &mut positives } else { &mut negatives };
        *file += &format!("t(x{i},y{i}). ");
        if symmetric {
            *file += &format!("t(y{i},x{i}). ");
        }
    }
    let modes = "mode: t(+x,+x). mode: t(+x,-x). mode: t(-x,+x). mode: q(+x).";
    directory([("bk", modes), ("facts", "q(x0). q(y1)."), ("pos", &positives), ("neg", &negatives)])
}

#[test]
fn a_planted_leak_is_not_used() {
    for symmetric in [false, true] {
        let (_home, mut data) = nothing_but_answers(symmetric);
        let learn = |data: &Dataset, settings: &[&str]| -> TreeModel {
            let trained = train(
                Kind::LrbmBoost,
                &data.database,
                data.target,
                &data.examples,
                &params(Kind::LrbmBoost, settings),
                1,
                &mut |_| {},
            );
            trained.unwrap().into_trees().unwrap().model
        };
        let accuracy = |model: &TreeModel, data: &Dataset| {
            let psi = model.score(&data.database, data.target, &data.examples).unwrap().scores;
            let right = psi.iter().zip(&data.examples).filter(|&(&psi, example)| (psi > 0.0) == example.positive);
            right.count() as f64 / data.examples.len() as f64
        };
        let name = data.database.predicates.name(data.target).to_owned();
        let plain = learn(&data, &[]);
        data.add_positives_to_evidence(symmetric, None).unwrap();
        let model = learn(&data, &["recursive=true"]);
        assert!(!model.describe().contains(&format!(":- {name}(")), "{}", model.describe());
        let gain = accuracy(&model, &data) - accuracy(&plain, &data);
        assert_eq!(gain, 0.0, "symmetric {symmetric}");
        if symmetric {
            // If the inverse pair counted as another example, the leak would be found: the test can
            // fail.
            data.use_target_facts_as_evidence(false);
            let leaking = learn(&data, &["recursive=true"]);
            assert_eq!(accuracy(&leaking, &data), 1.0);
        }
    }
}

/// Constants in a row, where the label of a pair follows from those of its neighbors: known labels
/// imply unknown ones.
#[test]
fn known_positives_of_others_are_used() {
    let mut stream = Stream::new(9, &["groups"]);
    let (mut positives, mut negatives) = (String::new(), String::new());
    let clubs: Vec<usize> = (0..40).map(|_| stream.index(2)).collect();
    for a in 0..40 {
        for b in (0..40).filter(|&b| b != a && stream.index(4) == 0).collect::<Vec<_>>() {
            let file = if clubs[a] == clubs[b] { &mut positives } else { &mut negatives };
            *file += &format!("friend(p{a},p{b}). ");
        }
    }
    let modes = "mode: friend(+p,+p). mode: friend(+p,-p). mode: friend(-p,+p). mode: tall(+p).";
    let (_home, mut data) =
        directory([("bk", modes), ("facts", "tall(p1)."), ("pos", &positives), ("neg", &negatives)]);
    let (training, test): (Vec<Example>, Vec<Example>) = {
        let mut part = Stream::new(1, &["part"]);
        data.examples.clone().into_iter().partition(|_| part.index(4) > 0)
    };
    data.examples = training;
    data.add_positives_to_evidence(false, None).unwrap();
    let settings = params(Kind::LrbmBoost, &["recursive=true"]);
    let trained = train(Kind::LrbmBoost, &data.database, data.target, &data.examples, &settings, 1, &mut |_| {});
    let model = trained.unwrap().into_trees().unwrap().model;
    let psi = model.score(&data.database, data.target, &test).unwrap().scores;
    let right = psi.iter().zip(&test).filter(|&(&psi, example)| (psi > 0.0) == example.positive).count();
    assert!(right as f64 > 0.9 * test.len() as f64, "{right} of {}\n{}", test.len(), model.describe());
    assert!(model.describe().contains("friend(A, C), friend(C, B)") || model.describe().contains("friend(C, A)"));
    // The model file records that positives were evidence.
    assert!(model.to_json().contains("\"recursive\": {\n    \"symmetric\": false\n  }"), "{}", model.to_json());
    let again = TreeModel::from_json(&model.to_json()).unwrap();
    assert_eq!(
        (again.header.signature.recursive, again.to_json()),
        (model.header.signature.recursive, model.to_json())
    );
}

#[test]
fn recursion_without_known_positives_is_an_error() {
    let (_home, data) = nothing_but_answers(false);
    let settings = params(Kind::LrbmBoost, &["recursive=true"]);
    let error = train(Kind::LrbmBoost, &data.database, data.target, &data.examples, &settings, 1, &mut |_| {});
    assert!(matches!(error, Err(LearnError::NotRecursive { .. })));
}

/// Training positives are evidence on both sides of a fold, test positives on neither.
#[test]
fn test_positives_are_never_evidence() {
    let store = lrbm::internal::data::store::Store::open("no such directory");
    for id in ["movies", "university", "citations"] {
        let dataset = Benchmark::open(id, &store, &Variant::default()).unwrap();
        let split = SplitOptions { recursive: true, ..SplitOptions::new(1) };
        for index in 0..2 {
            let fold = dataset.fold(index, &split).unwrap();
            let plain = dataset.fold(index, &SplitOptions::new(1)).unwrap();
            assert_eq!(fold.counts, plain.counts);
            assert_eq!((&fold.train.examples, &fold.test.examples), (&plain.train.examples, &plain.test.examples));
            for part in [&fold.train, &fold.test] {
                assert_eq!(part.database.recursion.map(|recursion| recursion.target), Some(part.target));
                let known = part.database.facts.relation(part.target);
                assert_eq!(known.len(), fold.counts.train.positives);
                assert!(fold.train.examples.iter().all(|e| known.contains(&e.args) == e.positive));
                assert!(fold.test.examples.iter().all(|e| !known.contains(&e.args)));
            }
            assert_eq!(plain.train.database.recursion, None);
        }
    }
}

/// Given folds have a symbol table per side: training positives must be translated to that of the
/// test.
#[test]
fn training_positives_are_evidence_on_both_sides_of_given_folds() {
    let home = tempfile::tempdir().unwrap();
    let write = |side: &str, name: &str, text: &str| {
        let directory = home.path().join("fold1").join(side);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(format!("{side}_{name}.txt")), text).unwrap();
    };
    for (side, pos, neg, facts) in [
        ("train", "t(a,b). t(c,d).", "t(a,d). t(c,b). t(b,a). t(d,c).", "q(a). q(7)."),
        ("test", "t(d,e). t(a,b).", "t(e,d). t(a,e). t(e,a). t(b,e).", "q(e)."),
    ] {
        write(side, "bk", "mode: t(+x,+x). mode: t(+x,-x). mode: q(+x).");
        write(side, "pos", pos);
        write(side, "neg", neg);
        write(side, "facts", facts);
    }
    let dataset = Benchmark::of_directory(home.path(), &LoadOptions::default(), &Variant::default()).unwrap();
    let fold = dataset.fold(0, &SplitOptions { recursive: true, ..SplitOptions::new(1) }).unwrap();
    let show = |part: &lrbm::internal::data::split::FoldSide| -> Vec<String> {
        let mut known: Vec<String> = part
            .database
            .facts
            .relation(part.target)
            .iter()
            .map(|row| part.database.show_atom(part.target, &row.to_vec()))
            .collect();
        known.sort();
        known
    };
    assert_eq!(show(&fold.train), ["t(a,b)", "t(c,d)"]);
    // `c` does not occur in the test files.
    assert_eq!(show(&fold.test), ["t(a,b)", "t(c,d)"]);
    let shared =
        fold.test.examples.iter().find(|e| fold.test.database.show_atom(fold.test.target, &e.args) == "t(a,b)");
    // A test example that is also a training example does not see itself either.
    let args = &shared.unwrap().args;
    let view = fold.test.database.view(fold.test.target, args);
    assert!(!fold.test.database.view_includes(&view, fold.test.target, args));
}

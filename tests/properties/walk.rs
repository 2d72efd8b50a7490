//! RRBM against naive oracles: enumerated walks, and the AUC bound of rankings by their counts.

use crate::common::area::auc_roc;
use crate::common::params::params;
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::folds::random_folds;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::determinism::HashMap;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, Mode, ModeSlot, TimeRule, TimeSource, naive};
use lrbm::internal::learn::rrbm::count::Counter;
use lrbm::internal::learn::rrbm::walk::{Direction, Step, TypeGraph, literals};
use lrbm::internal::learn::{Kind, LearnError, Model, Params, SavedModel, Stored, train};
use lrbm::internal::logic::parser::{Parsed, parse_sentence};
use lrbm::internal::logic::{Constant, Literal, ModeDeclaration, Notation, PredicateId, Sentence};
use proptest::prelude::*;

/// A database of two types with three binary predicates and a property, optionally with times.
struct World {
    database: Database,
    target: PredicateId,
}

/// Parses a mode.
fn mode(text: &str) -> ModeDeclaration {
    match parse_sentence(text, 0, true, Notation::Prolog, false) {
        Ok(Parsed { sentence: Sentence::Mode(mode), .. }) => mode,
        _ => panic!("{text} is not a mode"),
    }
}

fn world(facts: &[(u8, u8, u8)], timed: bool) -> World {
    let mut builder = DatabaseBuilder::new();
    let mut declare = |name: &str, types: &[&str]| {
        let args: Vec<String> = types.iter().map(|kind| format!("+{kind}")).collect();
        let mode = mode(&format!("mode: {name}({}).", args.join(",")));
        builder.schema.add(&mode, &mut builder.predicates, &mut builder.symbols).unwrap();
    };
    declare("t", &["a", "a"]);
    declare("p", &["a", "b"]);
    declare("q", &["b", "a"]);
    declare("r", &["a", "a"]);
    declare("s", &["a"]);
    let a: Vec<Constant> = (0..4).map(|k| builder.symbols.intern(&format!("a{k}")).unwrap()).collect();
    let b: Vec<Constant> = (0..3).map(|k| builder.symbols.intern(&format!("b{k}")).unwrap()).collect();
    for &(which, first, second) in facts {
        let (first, second) = (usize::from(first), usize::from(second));
        let (name, args) = match which {
            0 => ("p", vec![a[first], b[second % 3]]),
            1 => ("q", vec![b[first % 3], a[second]]),
            2 => ("r", vec![a[first], a[second]]),
            _ => ("s", vec![a[first]]),
        };
        let id = builder.predicates.intern(name, args.len());
        builder.fact(id, &args).unwrap();
    }
    let rule = TimeRule { source: TimeSource::Ids { type_name: "a".into() }, by_argument: vec!["r".into()] };
    let (database, _) = builder.build(timed.then_some(&rule)).unwrap();
    let target = database.predicates.find("t", 2).unwrap();
    World { database, target }
}

fn all_pairs(database: &Database) -> Vec<Example> {
    let a: Vec<Constant> = (0..4).map(|k| database.symbols.find(&format!("a{k}")).unwrap()).collect();
    let pair = |&first: &Constant, &second: &Constant| Example {
        args: Box::new([first, second]),
        positive: true,
        class: 0,
        weight: 1.0,
        line: 0,
    };
    a.iter().flat_map(|first| a.iter().map(move |second| pair(first, second))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Dynamic programming gives the counts of explicit enumeration.
    #[test]
    fn walk_counts_match_enumeration(
        facts in prop::collection::vec((0u8..4, 0u8..4, 0u8..4), 0..25),
        timed: bool,
        length in 1usize..=4,
    ) {
        let World { database, target } = world(&facts, timed);
        let types = database.schema.argument_types(target).unwrap();
        let found = TypeGraph::new(&database.schema, target).walks((types[0], types[1]), length, 60, 7);
        prop_assert!(!found.walks.is_empty());
        let examples = all_pairs(&database);
        let walks: Vec<Option<Vec<Step>>> = found.walks.iter().cloned().map(Some).collect();
        let counts = Counter::new(&database, target, &walks, 1 << 20).count(&examples);
        // The cache does not change the result.
        prop_assert_eq!(&Counter::new(&database, target, &walks, 0).count(&examples), &counts);
        for (example, counts) in examples.iter().zip(&counts) {
            for (number, walk) in (0u32..).zip(&found.walks) {
                let fast = counts.iter().find(|&&(walk, _)| walk == number).map_or(0.0, |&(_, count)| count);
                let slow = naive::count(&database, &literals(walk), target, &example.args);
                prop_assert_eq!(fast, slow as f64, "{:?} {:?}", walk, example.args);
            }
        }
    }

    /// The walks are exactly the well-typed step sequences.
    #[test]
    fn walks_match_brute_force_over_types(length in 1usize..=5) {
        let World { database, target } = world(&[], false);
        let steps: Vec<Step> = database
            .predicates
            .iter()
            .filter(|&id| id != target)
            .flat_map(|predicate| match database.predicates.arity(predicate) {
                1 => vec![Step { predicate, direction: Direction::Stay }],
                _ => [Direction::Forward, Direction::Backward].map(|direction| Step { predicate, direction }).to_vec(),
            })
            .collect();
        let types = |step: &Step| {
            let types = database.schema.argument_types(step.predicate).unwrap();
            match step.direction {
                Direction::Forward => (types[0], types[1]),
                Direction::Backward => (types[1], types[0]),
                Direction::Stay => (types[0], types[0]),
            }
        };
        let ends = database.schema.argument_types(target).unwrap();
        let mut slow: Vec<Vec<Step>> = Vec::new();
        let mut rows: Vec<Vec<Step>> = vec![Vec::new()];
        for _ in 0..length {
            rows = rows.iter().flat_map(|row| steps.iter().map(|&step| [&row[..], &[step]].concat())).collect();
            let fits = |row: &&Vec<Step>| {
                let joined = row.windows(2).all(|pair| {
                    types(&pair[0]).1 == types(&pair[1]).0 && pair.iter().any(|step| step.direction != Direction::Stay)
                });
                joined
                    && types(&row[0]).0 == ends[0]
                    && types(&row[row.len() - 1]).1 == ends[1]
                    && row.iter().any(|step| step.direction != Direction::Stay)
            };
            slow.extend(rows.iter().filter(fits).cloned());
        }
        let found = TypeGraph::new(&database.schema, target).walks((ends[0], ends[1]), length, 1_000_000, 1);
        prop_assert_eq!(found.possible, slow.len() as u64);
        let mut fast = found.walks;
        fast.sort_unstable();
        slow.sort_unstable();
        prop_assert_eq!(fast, slow);
    }
}

/// Returns the test AUC of the best ranking by `seen` alone: examples with equal features are tied,
/// and ranked by their true fraction of positives.
fn auc_bound(seen: &[Vec<u64>], truth: &[bool], test: &[usize], examples: &[Example]) -> f64 {
    let mut groups: HashMap<&Vec<u64>, (f64, f64)> = HashMap::default();
    for (seen, &truth) in seen.iter().zip(truth) {
        let (positives, all) = groups.entry(seen).or_default();
        *positives += f64::from(u8::from(truth));
        *all += 1.0;
    }
    let score: Vec<f64> = test.iter().map(|&i| groups[&seen[i]].0 / groups[&seen[i]].1).collect();
    auc_roc(&score, &test.iter().map(|&i| examples[i].clone()).collect::<Vec<_>>())
}

/// Returns existence or counts of every well-typed walk, by the naive evaluator.
fn features(data: &Dataset, examples: &[Example], length: usize, counts: bool) -> Vec<Vec<u64>> {
    let Dataset { database, target, .. } = data;
    let types = database.schema.argument_types(*target).unwrap();
    let found = TypeGraph::new(&database.schema, *target).walks((types[0], types[1]), length, usize::MAX, 1);
    let bodies: Vec<_> = found.walks.iter().map(|walk| literals(walk)).collect();
    let seen = |example: &Example| {
        let count = |body: &Vec<Literal>| match counts {
            true => naive::count(database, body, *target, &example.args) as u64,
            false => u64::from(naive::covers(database, body, *target, &example.args)),
        };
        bodies.iter().map(count).collect()
    };
    examples.iter().map(seen).collect()
}

/// Returns the test examples (the first of five folds) and the training examples.
fn split(examples: &[Example]) -> (Vec<usize>, Vec<Example>) {
    let folds = random_folds(examples, 5, 1, "test");
    let test = (0..folds.len()).filter(|&i| folds[i] == 0).collect();
    (test, examples.iter().zip(&folds).filter(|&(_, &fold)| fold != 0).map(|(example, _)| example.clone()).collect())
}

fn binary(domain: Domain, noise: f64) -> Dataset {
    let mut data = load_domain(domain, &GeneratorSettings::new(1, 7, noise).unwrap()).unwrap();
    // Walks need binary predicates: drop those of three arguments.
    let Database { schema, predicates, symbols, .. } = &mut data.database;
    let longer: Vec<Mode> = schema.modes().iter().filter(|mode| mode.args.len() > 2).cloned().collect();
    for mode in longer {
        let args: Vec<String> = mode
            .args
            .iter()
            .map(|ModeSlot { symbol, type_id, .. }| format!("{}{}", symbol.as_char(), schema.type_name(*type_id)))
            .collect();
        let mode = self::mode(&format!("noMode: {}({}).", predicates.name(mode.predicate), args.join(",")));
        schema.add(&mode, predicates, symbols).unwrap();
    }
    data
}

/// RRBM learns whatever its walks can express.
#[test]
fn rrbm_reaches_the_auc_bound_of_its_walks() {
    for (domain, length, noise) in [
        (Domain::Movies, 2, 0.0),
        (Domain::Movies, 2, 0.2),
        (Domain::University, 2, 0.0),
        (Domain::University, 2, 0.1),
        (Domain::Citations, 2, 0.0),
        (Domain::Citations, 2, 0.1),
    ] {
        let data = binary(domain, noise);
        // Noise changes labels only.
        let truth: Vec<bool> = binary(domain, 0.0).examples.iter().map(|example| example.positive).collect();
        let (test, training) = split(&data.examples);
        let tested: Vec<Example> = test.iter().map(|&i| data.examples[i].clone()).collect();
        for kind in [Kind::RrbmE, Kind::RrbmC] {
            let params = params(kind, &[&format!("walk_length={length}"), "max_walks=1000"]);
            let model = train(kind, &data.database, data.target, &training, &params, 1, &mut |_| {}).unwrap().model;
            let reached = auc_roc(&model.score(&data.database, data.target, &tested).unwrap().scores, &tested);
            let seen = features(&data, &data.examples, length, kind == Kind::RrbmC);
            let bound = auc_bound(&seen, &truth, &test, &data.examples);
            println!("{} {kind} length {length} noise {noise}: {reached:.4} of {bound:.4}", domain.info().id);
            // The bound knows the true rates of rare feature vectors; the learner does not.
            let slack = if noise == 0.0 { 0.03 } else { 0.06 };
            assert!(
                reached > bound - slack,
                "{} {kind} length {length} noise {noise}: {reached} of {bound}",
                domain.info().id
            );
        }
    }
}

#[test]
fn threads_and_files_do_not_change_a_model() {
    let data = binary(Domain::Movies, 0.1);
    for kind in [Kind::RrbmC, Kind::RrbmE, Kind::Lrnn] {
        let params = params(kind, &["epochs=3"]);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let trained = train(kind, &data.database, data.target, &data.examples, &params, 5, &mut |_| {});
                let model = trained.unwrap().model;
                let psi = model.score(&data.database, data.target, &data.examples).unwrap().scores;
                (model.to_json(), psi.into_iter().map(f64::to_bits).collect::<Vec<u64>>())
            })
        };
        let (text, psi) = run(1);
        assert!((text.clone(), psi.clone()) == run(2), "{kind}");
        let again = SavedModel::from_json(&text).unwrap();
        assert_eq!(again.to_json(), text);
        let scores = again.score(&data.database, data.target, &data.examples).unwrap().scores;
        assert_eq!(scores.into_iter().map(f64::to_bits).collect::<Vec<u64>>(), psi);
        // Scores do not depend on the other examples.
        let alone = again.score(&data.database, data.target, &data.examples[..1]).unwrap().scores;
        assert_eq!(alone[0].to_bits(), psi[0]);
        assert!(again.describe().contains(&format!("% {kind} for workedunder/2")));
    }
}

#[test]
fn unsupported_predicates_are_named_in_the_error() {
    let university = load_domain(Domain::University, &Domain::University.settings()).unwrap();
    let learn = |kind, data: &Dataset| {
        train(kind, &data.database, data.target, &data.examples, &Params::new(kind), 1, &mut |_| {}).unwrap_err()
    };
    let error = learn(Kind::RrbmC, &university);
    assert!(matches!(error, LearnError::Cannot { kind: Kind::RrbmC, .. }));
    assert_eq!(
        error.to_string(),
        "rrbm-c supports unary and binary predicates only, and the modes have ta/3, taughtby/3: set arity = \"binary\" in \
         the spec or pass --arity binary to decompose them, or drop their modes"
    );
    let citations = load_domain(Domain::Citations, &Domain::Citations.settings()).unwrap();
    assert_eq!(
        learn(Kind::Lrnn, &citations).to_string(),
        "lrnn does not support time limits, and the data have some: choose another kind, or data without time limits"
    );
}

#[test]
fn exceeded_walk_budget_is_reported() {
    let data = binary(Domain::University, 0.0);
    let learn = |settings: &[&str]| {
        let params = params(Kind::RrbmE, settings);
        train(Kind::RrbmE, &data.database, data.target, &data.examples, &params, 1, &mut |_| {}).unwrap()
    };
    let few = learn(&["max_walks=3", "walk_length=4", "epochs=1"]);
    let [warning] = &few.warnings[..] else { panic!("{:?}", few.warnings) };
    assert_eq!(warning.code, "walk-budget");
    assert!(warning.message.contains("walks, of which 60 were tried"), "{}", warning.message);
    let SavedModel::Walks(model) = &few.model else { panic!("expected an RRBM") };
    assert_eq!(model.walks().len(), 3);
    assert!(learn(&["max_walks=1000", "walk_length=2", "epochs=1"]).warnings.is_empty());
}

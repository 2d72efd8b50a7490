//! Numeric comparisons against the reference evaluator, and planted thresholds that must be found.

use super::files::directory;
use crate::common::params::params;
use lrbm::internal::cover::{Bits, Coverage};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, naive};
use lrbm::internal::learn::{Kind, Model, Params, TreeModel, train};
use lrbm::internal::logic::{Argument, Comparison, Constant, Literal, Number, PredicateId, Variable};
use lrbm::internal::tree::{GrowOptions, Grower, Language, LanguageOptions};
use proptest::prelude::*;

/// Constants including numbers, facts of one to three arguments, and examples of a binary target.
struct World {
    database: Database,
    target: PredicateId,
    predicates: Vec<PredicateId>,
    constants: Vec<Constant>,
    examples: Vec<Example>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut stream = Stream::new(seed, &["numbers"]);
        let mut builder = DatabaseBuilder::new();
        let mut constants: Vec<Constant> =
            ["ann", "bob", "cat"].iter().map(|name| builder.symbols.intern(name).unwrap()).collect();
        constants.extend([-1.5, 0.0, 0.25, 3.0, 7.0].map(|x| builder.symbols.intern_number(x).unwrap()));
        let target = builder.predicates.intern("target", 2);
        let predicates: Vec<PredicateId> =
            (1..=3).map(|arity| builder.predicates.intern(&format!("p{arity}"), arity)).collect();
        for (k, &predicate) in predicates.iter().enumerate() {
            for _ in 0..stream.index(20) {
                let args: Vec<Constant> = (0..=k).map(|_| constants[stream.index(constants.len())]).collect();
                builder.fact(predicate, &args).unwrap();
            }
        }
        let example = |stream: &mut Stream| Example {
            args: (0..2).map(|_| constants[stream.index(constants.len())]).collect(),
            positive: stream.index(2) == 0,
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples = (0..12).map(|_| example(&mut stream)).collect();
        let (database, _) = builder.build(None).unwrap();
        World { database, target, predicates, constants, examples }
    }

    fn conjunction(&self, stream: &mut Stream) -> Vec<Literal> {
        let arg = |stream: &mut Stream| match stream.index(6) {
            0 => Argument::Constant(self.constants[stream.index(self.constants.len())]),
            _ => Argument::Variable(Variable(stream.index(5) as u32)),
        };
        let literal = |stream: &mut Stream| {
            let negated = stream.index(5) == 0;
            if stream.index(2) == 0 {
                let comparison = Comparison::ALL[stream.index(2)];
                let right = match stream.index(2) {
                    0 => Argument::Number(Number::new([-1.5, 0.1, 3.0, f64::INFINITY][stream.index(4)])),
                    _ => arg(stream),
                };
                return Literal { negated, ..Literal::compare(arg(stream), comparison, right) };
            }
            let k = stream.index(self.predicates.len());
            Literal { negated, predicate: self.predicates[k], args: (0..=k).map(|_| arg(stream)).collect() }
        };
        (0..1 + stream.index(5)).map(|_| literal(stream)).collect()
    }
}

proptest! {
    #[test]
    fn comparisons_match_the_reference_evaluator(seed: u64) {
        let world = World::new(seed);
        let coverage = Coverage::new(&world.database, world.target, &world.examples, 1 << 20);
        let mut stream = Stream::new(seed, &["conjunctions"]);
        for _ in 0..30 {
            let conjunction = world.conjunction(&mut stream);
            // The conjunction without its last literal is cached first and reused.
            for asked in [&conjunction[..conjunction.len() - 1], &conjunction] {
                let holds = |i: usize| naive::covers(&world.database, asked, world.target, &world.examples[i].args);
                prop_assert_eq!(&*coverage.cover(asked), &Bits::from_fn(world.examples.len(), holds), "{:?}", asked);
            }
            let count = |i: usize| naive::count(&world.database, &conjunction, world.target, &world.examples[i].args);
            let counts = coverage.counts(&[&conjunction]).remove(0);
            for i in 0..world.examples.len() {
                prop_assert_eq!(counts.get(i) as usize, count(i).min(100), "{:?}", &conjunction);
            }
        }
    }
}

/// Creates machines with sensors: a machine fails if one of its heat sensors reads above 70.
fn machines(seed: u64) -> Dataset {
    let mut stream = Stream::new(seed, &["machines"]);
    let (mut facts, mut positives, mut negatives) = (String::new(), String::new(), String::new());
    for machine in 0..160 {
        let mut fails = false;
        for sensor in 0..3 {
            let kind = ["heat", "noise"][stream.index(2)];
            let value = (1000.0 * stream.unit()).round() / 10.0;
            facts += &format!("sensor(m{machine},s{machine}_{sensor}). kind(s{machine}_{sensor},{kind}). ");
            facts += &format!("reads(s{machine}_{sensor},{value}).\n");
            fails |= kind == "heat" && value > 70.0;
        }
        *(if fails { &mut positives } else { &mut negatives }) += &format!("fails(m{machine}).\n");
    }
    let background = "mode: fails(+machine). mode: sensor(+machine,-sensor). mode: kind(+sensor,#kind).
        mode: reads(+sensor,#value).";
    directory([("bk", background), ("facts", &facts), ("pos", &positives), ("neg", &negatives)]).1
}

fn learn(data: &Dataset, params: &Params) -> TreeModel {
    train(Kind::LrbmBoost, &data.database, data.target, &data.examples, params, 1, &mut |_| {})
        .unwrap()
        .into_trees()
        .unwrap()
        .model
}

/// Returns the accuracy at ψ = 0.
fn accuracy(model: &TreeModel, data: &Dataset) -> f64 {
    let psi = model.score(&data.database, data.target, &data.examples).unwrap().scores;
    let good = psi.iter().zip(&data.examples).filter(|&(&psi, example)| (psi > 0.0) == example.positive).count();
    good as f64 / data.examples.len() as f64
}

#[test]
fn a_planted_threshold_is_found_and_generalizes() {
    let (data, elsewhere) = (machines(1), machines(2));
    let settings = ["node_size=3", "cuts=39"];
    let with = learn(&data, &params(Kind::LrbmBoost, &settings));
    // The rule needs three literals and a threshold: sensor, kind and reading. The other data have
    // other readings.
    assert!(accuracy(&with, &data) > 0.98, "{}", accuracy(&with, &data));
    assert!(accuracy(&with, &elsewhere) > 0.97, "{}", accuracy(&with, &elsewhere));
    let text = with.describe();
    let near = text.split("> ").skip(1).filter_map(|rest| rest.split([',', '.', ' ']).next()?.parse::<f64>().ok());
    assert!(near.clone().any(|cut| (65.0..=75.0).contains(&cut)), "{text}");
    let without = learn(&data, &params(Kind::LrbmBoost, &["node_size=3"]));
    assert!(accuracy(&without, &elsewhere) < 0.85, "{}", accuracy(&without, &elsewhere));
}

#[test]
fn thresholds_survive_serialization_and_unseen_numbers() {
    let (data, elsewhere) = (machines(1), machines(2));
    let model = learn(&data, &params(Kind::LrbmBoost, &["node_size=3", "cuts=39", "trees=5"]));
    let text = model.to_json();
    assert!(text.contains("\"version\": 3"));
    let again = TreeModel::from_json(&text).unwrap();
    assert_eq!((again.to_json(), again.describe()), (text, model.describe()));
    for data in [&data, &elsewhere] {
        let score = |model: &TreeModel| model.score(&data.database, data.target, &data.examples).unwrap().scores;
        assert_eq!(score(&again), score(&model));
    }
    // Without comparisons the file format is unchanged.
    let plain = learn(&data, &params(Kind::LrbmBoost, &["trees=2"]));
    assert!(plain.to_json().contains("\"version\": 1"));
    assert!(!plain.to_json().contains("cuts"));
}

#[test]
fn comparisons_do_not_count_toward_the_size_of_a_test() {
    let files = [
        ("bk", "mode: t(+x). mode: size(+x,#number). mode: name(+x,#name)."),
        ("facts", "size(a,1). size(b,2). size(c,3.5). size(d,40). name(a,u). name(b,u). name(c,v). name(d,7)."),
        ("pos", "t(a). t(b)."),
        ("neg", "t(c). t(d)."),
    ];
    let (_home, data) = directory(files);
    let coverage = Coverage::new(&data.database, data.target, &data.examples, 1 << 20);
    let tests = |node_size: usize, cuts: usize| -> Vec<String> {
        let options = LanguageOptions { node_size, cuts, ..LanguageOptions::default() };
        let language = Language::new(&data.database, data.target, options);
        let grower = Grower::new(&coverage, &language, GrowOptions::default());
        let show = |test: &[Literal]| {
            lrbm::internal::logic::clause::show_conjunction(test, &data.database.predicates, &data.database.symbols)
                .to_string()
        };
        grower.candidates(&[]).iter().map(|(test, _, _)| show(test)).collect()
    };
    // Names that contain a digit are not numbers. Tests with the same coverage as an earlier one
    // are dropped.
    assert_eq!(
        tests(1, 3),
        [
            "name(A, u)",
            "name(A, v)",
            "name(A, 7)",
            "size(A, B), B <= 1",
            "size(A, B), B > 1",
            "size(A, B), B > 2",
            "size(A, B), B <= 3.5",
        ]
    );
    assert_eq!(tests(1, 0)[3..], ["size(A, 1)", "size(A, 2)"]);
    // Two comparisons in one test bound a number from both sides.
    assert!(tests(2, 3).contains(&"size(A, B), B > 1, size(A, C), C <= 3.5".to_owned()), "{:?}", tests(2, 3));
}

#[test]
fn numbers_of_one_type_are_compared_if_a_mode_allows_it() {
    // The label depends on who is older; no single number decides.
    let mut stream = Stream::new(3, &["ages"]);
    let (mut facts, mut positives, mut negatives) = (String::new(), String::new(), String::new());
    let ages: Vec<usize> = (0..20).map(|_| stream.index(1000)).collect();
    for (i, age) in ages.iter().enumerate() {
        facts += &format!("age(p{i},{age}). ");
    }
    for (i, a) in ages.iter().enumerate() {
        for (j, b) in ages.iter().enumerate().filter(|&(j, b)| i != j && b != a) {
            let _ = (j, b);
            *(if a > b { &mut positives } else { &mut negatives }) += &format!("older(p{i},p{j}). ");
        }
    }
    let background = "mode: older(+person,+person). mode: age(+person,-years). mode: >(+years,+years).";
    let (_home, data) = directory([("bk", background), ("facts", &facts), ("pos", &positives), ("neg", &negatives)]);
    let settings = ["node_size=3", "trees=5", "path_length=0"];
    let model = learn(&data, &params(Kind::LrbmBoost, &settings));
    assert_eq!(accuracy(&model, &data), 1.0, "{}", model.describe());
    assert!(model.describe().contains("age(A, C), age(B, D), C > D"), "{}", model.describe());
    // A threshold on variables of a type.
    let background = "mode: older(+person,+person). mode: age(+person,-years). mode: <=(+years,#years).";
    let (_home, data) = directory([("bk", background), ("facts", &facts), ("pos", &positives), ("neg", &negatives)]);
    let model = learn(&data, &params(Kind::LrbmBoost, &["cuts=9", "trees=5", "path_length=0"]));
    assert!(model.describe().contains(" <= "), "{}", model.describe());
    assert!(accuracy(&model, &data) > 0.7, "{}", accuracy(&model, &data));
}

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::*;
use crate::data::embedded::load_domain;
use crate::data::generate::{Domain, Settings};
use crate::kb::sample;

/// A learner that is slow before the first word of progress can be ended as well as others.
#[test]
fn every_learner_can_be_ended_from_within() {
    let movies = load_domain(Domain::Movies, &Settings::new(1, 7, 0.0).unwrap()).unwrap();
    let learn = |kind, look: &(dyn Fn() + Sync), progress: &mut dyn FnMut(Progress)| {
        let resources = Resources { interrupt: Interrupt::new(look), ..Resources::default() };
        let task =
            Task { database: &movies.database, target: movies.target, examples: &movies.examples, seed: 1, resources };
        fit(kind, &task, &Params::new(kind), progress).map(|trained| trained.model.to_json())
    };
    for kind in Kind::ALL {
        let looks = AtomicUsize::new(0);
        let count = || {
            looks.fetch_add(1, Relaxed);
        };
        let mut first = None;
        let model = learn(kind, &count, &mut |_| {
            first.get_or_insert(looks.load(Relaxed));
        });
        assert!(first.is_some_and(|first| first > 0), "{kind}: nobody looked before the first word");
        let half = looks.swap(0, Relaxed) / 2;
        let end = || {
            if looks.fetch_add(1, Relaxed) >= half {
                resume_unwind(Box::new("enough"));
            }
        };
        let ended = catch_unwind(AssertUnwindSafe(|| learn(kind, &end, &mut |_| {})));
        assert_eq!(ended.unwrap_err().downcast_ref::<&str>(), Some(&"enough"), "{kind}");
        // Nobody who only looks changes what is learned.
        assert_eq!(learn(kind, &|| {}, &mut |_| {}), model, "{kind}");
    }
}

/// Two pairs who know each other and two who do not, with these labels and weights.
fn weighted(labels: [bool; 4], weights: [f64; 4]) -> (Database, PredicateId, Vec<Example>) {
    let text = "mode: t(+p, +p). mode: knows(+p, -p). knows(a, b). knows(b, a). t(A, B) :- knows(A, B).";
    let (database, clauses, _) = sample::build(text, None);
    let [a, b] = sample::constants(&database, ["a", "b"]);
    let pairs = [[a, b], [b, a], [a, a], [b, b]];
    let example = |(k, args): (usize, [_; 2])| Example {
        args: args.into(),
        positive: labels[k],
        class: 0,
        weight: weights[k],
        line: 0,
    };
    let examples = pairs.into_iter().enumerate().map(example).collect();
    (database, clauses[0].0, examples)
}

#[test]
fn weights_that_are_all_0_are_named() {
    for (weights, message) in [
        ([0.0; 4], "the 2 positive and the 2 negative training examples of t/2 all have the weight 0"),
        ([0.0, 0.0, 1.0, 1.0], "the 2 positive training examples of t/2 all have the weight 0"),
        ([1.0, 0.0, 0.0, 0.0], "the 2 negative training examples of t/2 all have the weight 0"),
    ] {
        let (database, target, examples) = weighted([true, true, false, false], weights);
        let learn = |kind: Kind| train(kind, &database, target, &examples, &Params::new(kind), 1, &mut |_| {});
        for kind in [Kind::LrbmBoost, Kind::RdnBoost, Kind::RrbmC, Kind::RrbmE, Kind::Lrnn] {
            let expected = format!("{message}: give some of them a weight above 0");
            assert_eq!(learn(kind).unwrap_err().to_string(), expected, "{kind}");
        }
        // This one does not use weights, and says so.
        let trained = learn(Kind::MlnBoost).unwrap();
        assert!(trained.warnings.iter().any(|warning| warning.code == "weights-not-used"));
    }
}

#[test]
fn the_first_log_odds_are_those_of_the_weights() {
    let (database, target, examples) = weighted([true, true, false, false], [3.0, 3.0, 1.0, 1.0]);
    let params = Unchecked::new(Kind::RrbmE).set("epochs=0").unwrap().set("hidden_units=1").unwrap().check().unwrap();
    let model = train(Kind::RrbmE, &database, target, &examples, &params, 1, &mut |_| {}).unwrap().model;
    let SavedModel::Walks(model) = model else { panic!("no walks") };
    assert!((model.rbm().bias() - 3f64.ln()).abs() < 1e-15, "{}", model.rbm().bias());
}

#[test]
fn kinds_that_use_weights_are_told_from_others() {
    // Nothing tells the labels apart, so that all that is learned is how much they weigh.
    let (database, target, examples) = weighted([true, false, true, false], [2.0, 1.0, 1.0, 1.0]);
    // Progol finds no clause here, and without one there is nothing to weigh.
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Progol) {
        let learn = |examples: &[Example]| {
            let model = train(kind, &database, target, examples, &Params::new(kind), 1, &mut |_| {}).unwrap().model;
            model.score(&database, target, examples).unwrap()
        };
        let even: Vec<Example> = examples.iter().map(|example| Example { weight: 1.0, ..example.clone() }).collect();
        assert_eq!(learn(&even) != learn(&examples), kind.uses_weights(), "{kind}");
    }
}

use super::*;
use crate::kb::sample;
use crate::kb::{Database, Example};
use crate::logic::PredicateId;

/// Four pairs, of which the first two know each other, with these labels and weights.
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
fn zero_weight_classes_are_rejected() {
    for (weights, message) in [
        ([0.0; 4], "the 2 positive and the 2 negative training examples of t/2 all have the weight 0"),
        ([0.0, 0.0, 1.0, 1.0], "the 2 positive training examples of t/2 all have the weight 0"),
        ([1.0, 0.0, 0.0, 0.0], "the 2 negative training examples of t/2 all have the weight 0"),
    ] {
        let (database, target, examples) = weighted([true, true, false, false], weights);
        let learn = |kind: Kind| train(kind, &database, target, &examples, &Params::new(kind), 1, &mut |_| {});
        for kind in [Kind::LrbmBoost, Kind::RdnBoost, Kind::Progol, Kind::RrbmC, Kind::RrbmE, Kind::Lrnn] {
            let expected = format!("{message}: give some of them a weight above 0");
            assert_eq!(learn(kind).unwrap_err().to_string(), expected, "{kind}");
        }
        // MLN-Boost ignores weights, with a warning.
        let trained = learn(Kind::MlnBoost).unwrap();
        assert!(trained.warnings.iter().any(|warning| warning.code == "weights-not-used"));
    }
}

#[test]
fn initial_bias_is_the_weighted_log_odds() {
    let (database, target, examples) = weighted([true, true, false, false], [3.0, 3.0, 1.0, 1.0]);
    let params = Unchecked::new(Kind::RrbmE).set("epochs=0").unwrap().set("hidden_units=1").unwrap().check().unwrap();
    let model = train(Kind::RrbmE, &database, target, &examples, &params, 1, &mut |_| {}).unwrap().model;
    let SavedModel::Walks(model) = model else { panic!("expected an RRBM") };
    assert!((model.rbm().bias() - 3f64.ln()).abs() < 1e-15, "{}", model.rbm().bias());
}

#[test]
fn uses_weights_matches_the_behavior_of_each_kind() {
    // No literal separates the labels, so the models differ only by the class weights.
    let (database, target, examples) = weighted([true, false, true, false], [2.0, 1.0, 1.0, 1.0]);
    // Progol finds no clause here, hence no weights to fit.
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Progol) {
        let learn = |examples: &[Example]| {
            let model = train(kind, &database, target, examples, &Params::new(kind), 1, &mut |_| {}).unwrap().model;
            model.score(&database, target, examples).unwrap().scores
        };
        let uniform: Vec<Example> = examples.iter().map(|example| Example { weight: 1.0, ..example.clone() }).collect();
        assert_eq!(learn(&uniform) != learn(&examples), kind.uses_weights(), "{kind}");
    }
}

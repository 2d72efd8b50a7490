use super::*;
use crate::kb::sample;

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
        for kind in [Kind::LrbmBoost, Kind::RdnBoost, Kind::Progol, Kind::RrbmC, Kind::RrbmE, Kind::Lrnn] {
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

//! An example of weight 2 is equivalent to two copies of it.

use crate::common::params::params;
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::{Dataset, LoadError, LoadOptions, load};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::Example;
use lrbm::internal::learn::{Kind, Model, Params, TreeModel, train};
use lrbm::internal::tree::Node;

/// The kinds that support example weights.
const BOOSTED: [Kind; 4] = [Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost];

fn university() -> Dataset {
    load_domain(Domain::University, &GeneratorSettings::new(1, 7, 0.2).unwrap()).unwrap()
}

fn learn(kind: Kind, data: &Dataset, examples: &[Example], params: &Params) -> TreeModel {
    train(kind, &data.database, data.target, examples, params, 3, &mut |_| {}).unwrap().into_trees().unwrap().model
}

/// Checks for equal tests at equal nodes and values equal up to rounding; counts of examples may
/// differ.
fn assert_same(one: &TreeModel, other: &TreeModel, what: &str) {
    assert_eq!(one.trees().len(), other.trees().len(), "{what}");
    assert!((one.prior - other.prior).abs() < 1e-12, "{what}");
    for (one_tree, other_tree) in one.trees().iter().zip(other.trees()) {
        assert_eq!(one_tree.nodes().len(), other_tree.nodes().len(), "{what}");
        for pair in one_tree.nodes().iter().zip(other_tree.nodes()) {
            match pair {
                (Node::Split(a), Node::Split(b)) => assert_eq!(a, b, "{what}"),
                (Node::Leaf(a), Node::Leaf(b)) => {
                    assert!((a.value - b.value).abs() < 1e-9, "{what}: {} {}", a.value, b.value);
                }
                _ => panic!("{what}: a test here and a leaf there"),
            }
        }
    }
}

/// Returns examples with integer weights, and the same examples repeated as often as their weights.
fn weighted_and_repeated(data: &Dataset, seed: u64) -> (Vec<Example>, Vec<Example>) {
    let mut stream = Stream::new(seed, &["weights"]);
    let (mut weighted, mut repeated) = (Vec::new(), Vec::new());
    for example in data.examples.iter().filter(|_| stream.index(4) == 0).collect::<Vec<_>>() {
        let times = stream.index(4);
        weighted.push(Example { weight: times as f64, ..example.clone() });
        repeated.extend(vec![example.clone(); times]);
    }
    (weighted, repeated)
}

/// Seeds are fixed: if two tests score equally up to rounding, another order of summation may
/// choose the other one.
#[test]
fn a_weight_is_a_number_of_examples() {
    let data = university();
    let settings: [&[&str]; 5] = [
        &["order=batch"],
        // The random stream of an online fit depends on the rank of a candidate, which rounding may
        // change from the second tree on.
        &["order=online", "rescore=8", "learning_rate=0.05", "trees=1"],
        &["leaf_fit=closed-form", "expand=total"],
        &["min_leaf=3", "prior=log-odds"],
        &["positive_weight=2.5"],
    ];
    for (seed, settings) in
        settings.into_iter().enumerate().flat_map(|(k, s)| [(2 * k as u64, s), (2 * k as u64 + 1, s)])
    {
        let (weighted, repeated) = weighted_and_repeated(&data, seed);
        // A deep single tree ranks the candidates of small nodes separately, and node size depends
        // on counts.
        let shuffles = |kind: Kind| kind == Kind::LrbmNoBoost && settings.contains(&"order=online");
        for kind in BOOSTED.into_iter().filter(|&kind| !shuffles(kind)) {
            // Chains are searched around a sample of the examples, which differs between the two.
            let own: &[&str] = match kind {
                Kind::RdnBoost | Kind::LrbmBoost => &["path_length=0", "trees=5"],
                Kind::LrbmNoBoost => &["path_length=0", "max_depth=3"],
                _ => &["path_length=0", "trees=4", "distil_depth=2"],
            };
            let of_kind = |setting: &&&str| match kind {
                Kind::RdnBoost => setting.starts_with(['m', 'p', 'e', 't']),
                Kind::LrbmNoBoost => !setting.starts_with('t'),
                _ => true,
            };
            let params = params(kind, &own.iter().chain(settings.iter().filter(of_kind)).copied().collect::<Vec<_>>());
            let [one, other] = [&weighted, &repeated].map(|examples| learn(kind, &data, examples, &params));
            let what = format!("{kind} {settings:?} {seed}");
            // A copy may split a leaf whose error is only rounding; its predictions are the same.
            let exact = kind == Kind::LrbmNoBoost && settings.contains(&"leaf_fit=closed-form");
            if kind != Kind::LrbmExplainable && !exact {
                assert_same(&one, &other, &what);
            }
            let [one, other] =
                [one, other].map(|model| model.score(&data.database, data.target, &data.examples).unwrap().scores);
            assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-6), "{what}");
        }
    }
}

#[test]
fn a_class_weight_is_the_weight_of_each_of_its_examples() {
    let data = university();
    let of_class = |example: &Example| Example { weight: if example.positive { 3.0 } else { 1.0 }, ..example.clone() };
    let weighted: Vec<Example> = data.examples.iter().map(of_class).collect();
    for kind in BOOSTED {
        let by_hand = learn(kind, &data, &weighted, &Params::new(kind));
        let by_class = learn(kind, &data, &data.examples, &params(kind, &["positive_weight=3"]));
        assert_same(&by_hand, &by_class, kind.name());
        assert_eq!(by_class.header.parameters["positive_weight"].to_string(), "3");
        // Heavier positives have more influence: the mean ψ rises.
        let even = learn(kind, &data, &data.examples, &Params::new(kind));
        assert!(!even.header.parameters.contains_key("positive_weight"), "defaults are omitted from records");
        let mean = |model: &TreeModel| -> f64 {
            model.score(&data.database, data.target, &data.examples).unwrap().scores.iter().sum()
        };
        assert!(mean(&by_class) > mean(&even), "{kind}");
    }
}

fn directory(positives: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("bk.txt", "mode: t(+x). mode: p(+x).");
    write("facts.txt", "p(a). p(b).");
    write("pos.txt", positives);
    write("neg.txt", "0.25 t(d). t(e).");
    directory
}

#[test]
fn weights_are_read_in_both_notations() {
    let home = directory("weight: 0.5 t(a).\n2 t(b). wgt: 0 t(c).");
    let loaded = load(home.path(), &LoadOptions::default()).unwrap();
    let weights: Vec<f64> = loaded.examples.iter().map(|example| example.weight).collect();
    assert_eq!(weights, [0.5, 2.0, 0.0, 0.25, 1.0]);
}

#[test]
fn invalid_weights_are_rejected_with_their_location() {
    for (weight, shown) in [("-0.5", "-0.5"), ("+inf", "inf"), ("-infinity", "-inf"), ("1000.5", "1000.5")] {
        let home = directory(&format!("t(a).\nweight: {weight} t(b)."));
        let Err(LoadError::Invalid(diagnostics)) = load(home.path(), &LoadOptions::default()) else {
            panic!("{weight}")
        };
        let text = diagnostics.to_string();
        assert!(text.contains(&format!("example weight must be between 0 and 1000, got {shown}")), "{text}");
        assert!(text.contains("pos.txt:2:1"), "{text}");
    }
}

#[test]
fn examples_of_weight_zero_do_not_make_a_class() {
    let data = university();
    let nothing = |example: &Example| Example { weight: f64::from(u8::from(example.positive)), ..example.clone() };
    let examples: Vec<Example> = data.examples.iter().map(nothing).collect();
    let params = Params::new(Kind::LrbmBoost);
    let error = train(Kind::LrbmBoost, &data.database, data.target, &examples, &params, 1, &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("434 negative training examples of advisedby/2 all have the weight 0"),
        "{error}"
    );
}

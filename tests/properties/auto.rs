//! The choice of a preset on training examples alone.

use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::Example;
use lrbm::internal::learn::{
    Kind, Model, Params, Preset, Resources, SavedModel, Stored, Task, Trained, Unchecked, auto, fit, select_separately,
};
use lrbm::internal::metric::ranking::{Ranking, auc_roc};

fn university(noise: f64) -> Dataset {
    load_domain(Domain::University, &GeneratorSettings::new(1, 7, noise).unwrap()).unwrap()
}

fn task<'a>(data: &'a Dataset, examples: &'a [Example]) -> Task<'a> {
    Task { database: &data.database, target: data.target, examples, seed: 3, resources: Resources::default() }
}

fn params(kind: Kind, preset: Preset, settings: &[&str]) -> Params {
    let unchecked = Unchecked::new(kind).preset(preset);
    settings.iter().fold(unchecked, |all, setting| all.set(setting).unwrap()).check().unwrap()
}

fn learn(task: &Task<'_>, params: &Params) -> Trained<SavedModel> {
    fit(params.kind(), task, params, &mut |_| {}).unwrap()
}

#[test]
fn shared_coverage_gives_the_scores_of_separate_trainings() {
    let data = university(0.2);
    let variants: [(Kind, &[&str]); 5] = [
        (Kind::LrbmBoost, &["trees=6"]),
        (Kind::LrbmBoost, &["trees=4", "subsample=0.7", "positive_weight=3"]),
        (Kind::LrbmBoost, &["trees=4", "train_negatives=2", "redraw_negatives=true"]),
        (Kind::RdnBoost, &["trees=5", "prior=log-odds", "early_stopping=2"]),
        (Kind::LrbmNoBoost, &["max_depth=3"]),
    ];
    for (kind, settings) in variants {
        let (task, params) = (task(&data, &data.examples), params(kind, Preset::Auto, settings));
        let slow = select_separately(&params, &task, &mut |_| {}).unwrap();
        let choice = learn(&task, &params).choice.unwrap();
        let fast: Vec<Vec<f64>> = choice.compared.iter().map(|(_, scores)| scores.clone()).collect();
        // `paper` visits the examples of a leaf in a random order that depends on the ranks of
        // tests, and tests that only held-out examples distinguish are ranked as well.
        assert_eq!(fast[..2], slow.scores[..2], "{kind} {settings:?}");
        assert!(fast[..2].iter().all(|scores| !scores.is_empty()), "{kind} {settings:?}");
        assert_eq!(choice.compared.iter().map(|(preset, _)| *preset).collect::<Vec<_>>(), auto::PORTFOLIO);
    }
}

#[test]
fn several_classes_are_compared_as_by_separate_trainings() {
    let data = load_domain(Domain::MoviesClasses, &Domain::MoviesClasses.settings()).unwrap();
    let (task, params) = (task(&data, &data.examples), params(Kind::RdnBoost, Preset::Auto, &["trees=4"]));
    let slow = select_separately(&params, &task, &mut |_| {}).unwrap();
    let choice = learn(&task, &params).choice.unwrap();
    let fast: Vec<Vec<f64>> = choice.compared.iter().map(|(_, scores)| scores.clone()).collect();
    assert_eq!(fast[..2], slow.scores[..2]);
}

#[test]
fn the_model_is_that_of_the_chosen_preset_for_every_kind_and_number_of_threads() {
    let data = university(0.2);
    for kind in Kind::ALL.into_iter().filter(|kind| kind.has_presets()) {
        let settings: &[&str] = if kind.has_parameter("trees") { &["trees=4", "seed=9"] } else { &["seed=9"] };
        let task = task(&data, &data.examples);
        let auto = params(kind, Preset::Auto, settings);
        let chosen = learn(&task, &auto);
        let preset = chosen.choice.as_ref().unwrap().preset;
        let fixed = learn(&task, &params(kind, preset, settings));
        assert_eq!(chosen.model.to_json(), fixed.model.to_json(), "{kind}");
        assert_eq!(fixed.choice, None);
        let resolved = auto.resolved(&chosen.model.header().unwrap().parameters);
        assert_eq!(resolved, params(kind, preset, settings), "{kind}");
        for threads in [1, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| learn(&task, &auto));
            assert_eq!(
                (again.choice, again.model.to_json()),
                (chosen.choice.clone(), chosen.model.to_json()),
                "{kind}"
            );
        }
    }
}

#[test]
fn too_few_examples_give_the_defaults_with_a_warning() {
    let data = university(0.0);
    let of = |label| data.examples.iter().filter(move |example| example.positive == label).cloned();
    let few: Vec<Example> = of(true).take(8).chain(of(false).take(50)).collect();
    let task = task(&data, &few);
    let trained = learn(&task, &params(Kind::LrbmBoost, Preset::Auto, &[]));
    let choice = trained.choice.as_ref().unwrap();
    assert_eq!((choice.preset, choice.was_compared()), (Preset::Lookahead, false));
    let fixed = learn(&task, &params(Kind::LrbmBoost, Preset::Lookahead, &[]));
    assert_eq!(trained.model.to_json(), fixed.model.to_json());
    let warnings: Vec<String> = trained.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|text| text.contains("too few examples to compare presets")), "{warnings:?}");
}

#[test]
fn values_that_the_choice_decides_are_recorded_as_auto() {
    let text = |params: &Params, name: &str| params.to_values()[name].to_string();
    let open = params(Kind::LrbmBoost, Preset::Auto, &[]);
    assert_eq!((text(&open, "node_size"), text(&open, "trees")), ("\"auto\"".to_owned(), "20".to_owned()));
    let fixed = params(Kind::LrbmBoost, Preset::Auto, &["node_size=2"]);
    assert_eq!(text(&fixed, "node_size"), "2");
    assert_eq!((open.prefix_rounds(), open.is_auto(), open == fixed), (None, true, false));
}

/// With labels that say nothing, the choice finds nothing: over shuffles of all labels, the mean
/// AUC-ROC on other examples is one half.
#[test]
fn shuffled_labels_give_chance_on_other_examples() {
    let mut data = university(0.1);
    let (auto, shuffles) = (params(Kind::LrbmBoost, Preset::Auto, &["trees=6"]), 20);
    let mut sum = 0.0;
    for shuffle in 0..shuffles {
        let mut labels: Vec<bool> = data.examples.iter().map(|example| example.positive).collect();
        Stream::new(shuffle, &["shuffled labels"]).shuffle(&mut labels);
        data.examples.iter_mut().zip(labels).for_each(|(example, label)| example.positive = label);
        let half = |parity| data.examples.iter().skip(parity).step_by(2).cloned().collect::<Vec<Example>>();
        let (train, test) = (half(0), half(1));
        let model = learn(&task(&data, &train), &auto).model;
        let psi = model.score(&data.database, data.target, &test).unwrap().scores;
        let truth: Vec<bool> = test.iter().map(|example| example.positive).collect();
        sum += auc_roc(&Ranking::new(&psi, &truth).unwrap()).unwrap();
    }
    let mean = sum / shuffles as f64;
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
}

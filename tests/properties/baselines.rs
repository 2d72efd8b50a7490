//! Baseline systems of the paper: each is compared with what its features allow, computed by the
//! naive evaluator.

use std::fmt::Write;
use std::path::Path;

use crate::common::area::auc_roc;
use crate::common::params::params;
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::folds::random_folds;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::{Dataset, LoadOptions, load};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Example, naive};
use lrbm::internal::learn::{Kind, Model, Params, SavedModel, Stored, Trained, train};
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::rbm::network::Network;

fn learn(kind: Kind, data: &Dataset, examples: &[Example], params: &Params) -> Trained<SavedModel> {
    train(kind, &data.database, data.target, examples, params, 1, &mut |_| {}).unwrap()
}

/// Returns the mean AUC-ROC over five held-out folds, of a kind and of a fixed reference score.
fn areas(kind: Kind, data: &Dataset, params: &Params, score: &dyn Fn(&Example) -> f64) -> (f64, f64) {
    let folds = random_folds(&data.examples, 5, 1, "test");
    let (mut learned, mut allowed) = (0.0, 0.0);
    for fold in 0..5 {
        let subset = |inside: bool| -> Vec<Example> {
            let all = data.examples.iter().zip(&folds);
            all.filter(|&(_, &f)| (f == fold) == inside).map(|(example, _)| example.clone()).collect()
        };
        let (training, test) = (subset(false), subset(true));
        let model = learn(kind, data, &training, params).model;
        learned += auc_roc(&model.score(&data.database, data.target, &test).unwrap().scores, &test) / 5.0;
        allowed += auc_roc(&test.iter().map(score).collect::<Vec<_>>(), &test) / 5.0;
    }
    (learned, allowed)
}

const KINDS: [Kind; 3] = [Kind::MlnBoost, Kind::Rpt, Kind::Progol];

/// With 10% label noise no ranking beats that of the planted rule, except by chance.
#[test]
fn noisy_domains_reach_the_auc_of_the_planted_rules() {
    for domain in [Domain::Movies, Domain::University, Domain::Citations] {
        let data = load_domain(domain, &GeneratorSettings::new(1, 3, 0.1).unwrap()).unwrap();
        // The order of papers is no literal; time limits hide later facts from each example.
        let text = domain.info().rules.join("\n").replace(", Y < X", "");
        let rules = parse_rules(Path::new("planted"), &text).unwrap();
        let planted = Network::from_rules(&rules, 1.0).unwrap();
        let holds = |example: &Example| {
            let scores = planted.infer(&data.database, data.target, &example.args).scores;
            scores[1] - scores[0]
        };
        for kind in KINDS {
            let (learned, allowed) = areas(kind, &data, &Params::new(kind), &holds);
            let id = domain.info().id;
            assert!((0.7..0.97).contains(&allowed), "{id}: {allowed}");
            assert!(learned > allowed - 0.02, "{id} {kind}: {learned}, attainable {allowed}");
        }
    }
}

/// Generates people whose probability of liking something grows with their number of friends, and
/// an irrelevant predicate.
fn friends() -> (tempfile::TempDir, Dataset) {
    let mut stream = Stream::new(5, &["friends"]);
    let (mut facts, mut pos, mut neg) = (String::new(), String::new(), String::new());
    for person in 0..400 {
        let friends = stream.below(8);
        for friend in 0..friends {
            writeln!(facts, "friend(p{person}, q{person}_{friend}).").unwrap();
        }
        if stream.below(2) == 0 {
            writeln!(facts, "tall(p{person}).").unwrap();
        }
        let chance = 1.0 / (1.0 + (3.0 - friends as f64).exp());
        let file = if stream.unit() < chance { &mut pos } else { &mut neg };
        writeln!(file, "likes(p{person}).").unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    let modes = "mode: likes(+person).\nmode: friend(+person, -person).\nmode: tall(+person).\n";
    for (name, text) in [("facts", facts.as_str()), ("pos", &pos), ("neg", &neg), ("bk", modes)] {
        std::fs::write(home.path().join(format!("{name}.txt")), text).unwrap();
    }
    let loaded = load(home.path(), &LoadOptions::default()).unwrap();
    (home, loaded)
}

#[test]
fn grounding_counts_reach_the_attainable_auc() {
    let (_home, data) = friends();
    let friend = data.database.predicates.find("friend", 2).unwrap();
    let variable = |k| lrbm::internal::logic::Argument::Variable(lrbm::internal::logic::Variable(k));
    let body = [lrbm::internal::logic::Literal::new(friend, vec![variable(0), variable(1)])];
    let count = |example: &Example| naive::count(&data.database, &body, data.target, &example.args) as f64;
    for form in ["form=trees", "form=clauses"] {
        let (learned, allowed) = areas(Kind::MlnBoost, &data, &params(Kind::MlnBoost, &[form]), &count);
        assert!(allowed > 0.85, "{allowed}");
        assert!(learned > allowed - 0.02, "{form}: {learned}, attainable {allowed}");
    }
    // The existence of a friend is far less informative than the number of friends.
    let exists = |example: &Example| count(example).min(1.0);
    let (learned, allowed) = areas(Kind::RdnBoost, &data, &Params::new(Kind::RdnBoost), &exists);
    assert!(learned < 0.75 && allowed < 0.75, "{learned} {allowed}");
}

/// ψ of a counting model is the sum over formulas and groundings that its file defines.
#[test]
fn psi_is_the_sum_over_groundings() {
    let data = load_domain(Domain::University, &GeneratorSettings::new(1, 7, 0.2).unwrap()).unwrap();
    for form in ["form=trees", "form=clauses"] {
        let settings = [form, "trees=5", "max_leaves=6", "node_size=2"];
        let trained = learn(Kind::MlnBoost, &data, &data.examples, &params(Kind::MlnBoost, &settings));
        assert!(trained.warnings.is_empty(), "{:?}", trained.warnings);
        let SavedModel::Mln(model) = &trained.model else { panic!("not a counting model") };
        // Predicate names survive the round trip through JSON.
        let again = lrbm::internal::learn::MlnModel::from_json(&model.to_json()).unwrap();
        let sample: Vec<Example> = data.examples.iter().step_by(31).cloned().collect();
        let psi = again.score(&data.database, data.target, &sample).unwrap().scores;
        let find = |literals: &[lrbm::internal::logic::Literal]| -> Vec<lrbm::internal::logic::Literal> {
            let find =
                |literal| lrbm::internal::logic::rename::find(literal, again.names(), data.database.names()).unwrap();
            literals.iter().map(find).collect()
        };
        for (example, psi) in sample.iter().zip(psi) {
            let mut sum = again.prior;
            for formula in again.formulas() {
                let body = find(&formula.pattern.literals);
                let none_of: Vec<_> = formula.pattern.none_of.iter().map(|group| find(group)).collect();
                let count = naive::count_without(&data.database, &body, &none_of, data.target, &example.args);
                sum += formula.weight * count as f64;
            }
            assert!((sum - psi).abs() < 1e-9 * (1.0 + sum.abs()), "{form}: {sum} {psi}");
        }
        if form == "form=trees" {
            assert!(again.formulas().iter().any(|formula| !formula.pattern.none_of.is_empty()));
        } else {
            assert!(again.formulas().iter().all(|formula| formula.pattern.none_of.is_empty()));
        }
    }
}

#[test]
fn exhausted_count_budget_is_a_warning() {
    let data = load_domain(Domain::University, &GeneratorSettings::new(1, 7, 0.2).unwrap()).unwrap();
    let settings = params(Kind::MlnBoost, &["count_budget=1", "trees=2"]);
    let trained = learn(Kind::MlnBoost, &data, &data.examples, &settings);
    assert!(trained.warnings.iter().any(|warning| warning.code == "count-budget"), "{:?}", trained.warnings);
}

#[test]
fn clauses_vote_or_have_fitted_weights() {
    let data = load_domain(Domain::Citations, &GeneratorSettings::new(1, 7, 0.1).unwrap()).unwrap();
    for weights in ["clause_weights=fitted", "clause_weights=votes"] {
        let trained = learn(Kind::Progol, &data, &data.examples, &params(Kind::Progol, &[weights, "covers=10"]));
        let SavedModel::Network(network) = &trained.model else { panic!("not a network") };
        assert!(!network.hidden().is_empty());
        let psi = network.score(&data.database, data.target, &data.examples).unwrap().scores;
        let rules = network.bind(&data.database);
        let votes = |example: &Example| {
            let holds = |rule: &&Option<lrbm::internal::rbm::network::Rule>| {
                rule.as_ref().is_some_and(|r| r.witness(&data.database, data.target, &example.args).is_some())
            };
            rules.iter().filter(holds).count()
        };
        if weights == "clause_weights=votes" {
            // ψ is a strictly increasing function of the number of votes.
            let mut by_votes: Vec<(usize, f64)> =
                data.examples.iter().zip(&psi).step_by(7).map(|(example, &psi)| (votes(example), psi)).collect();
            by_votes.sort_by_key(|vote| vote.0);
            for pair in by_votes.windows(2) {
                let gap = pair[1].1 - pair[0].1;
                if pair[0].0 == pair[1].0 { assert!(gap.abs() < 1e-9) } else { assert!(gap > 0.0) }
            }
        }
        let area = auc_roc(&psi, &data.examples);
        assert!(area > 0.8, "{weights}: {area}");
    }
}

#[test]
fn damaged_mln_files_are_errors() {
    let data = load_domain(Domain::Movies, &Domain::Movies.settings()).unwrap();
    let text = learn(Kind::MlnBoost, &data, &data.examples, &params(Kind::MlnBoost, &["trees=1"])).model.to_json();
    let error = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        SavedModel::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert!(error("\"version\": 1", "\"version\": 2").contains("format version 2, and this program reads up to 1"));
    assert!(error("\"weight\":", "\"wieght\":").contains("not a model"));
    assert!(error("\"none_of\": [", "\"none_of\": [ [], ").contains("at least one literal"));
    assert!(error("\"prior\": ", "\"prior\": 1e999, \"x\": ").contains("not a model"));
    let trees = lrbm::internal::learn::TreeModel::from_json(&text).unwrap_err().to_string();
    assert!(trees.contains("expected trees, got "), "{trees}");
}

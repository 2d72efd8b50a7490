//! Targets for our own file formats: specs, manifests, models, networks.

use std::sync::OnceLock;

use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::experiment::Experiment;
use lrbm::internal::learn::{self, Kind};
use lrbm::internal::learn::{Method, Model, SavedModel, Stored, Unchecked};
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::rbm::Network;

use super::files_of;

pub fn specs_seeds() -> Vec<Vec<u8>> {
    files_of("experiments", "", ".toml")
}

pub fn specs(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    match Experiment::parse(text, "spec.toml", &[]) {
        Ok(experiment) => {
            let part = experiment.datasets.iter().map(|part| part.jobs(&part.seeds[..1], 1, experiment.limits).len());
            assert!(part.sum::<usize>() <= 100_000);
            // The frozen spec describes the same experiment.
            let again = Experiment::parse(&experiment.frozen, "spec.toml", &[]).unwrap();
            assert_eq!(again.name, experiment.name);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

pub fn manifests_seeds() -> Vec<Vec<u8>> {
    files_of("datasets", "", ".toml")
}

pub fn manifests(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    match Manifest::parse(text, "toy.toml") {
        Ok(manifest) => {
            for (source, file) in manifest.files() {
                // Only HTTP sources are allowed, and no path leaves the dataset directory.
                let address = source.address(file);
                assert!(["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)), "{address}");
                assert!(!file.path.split('/').any(|part| part == "..") && !file.path.starts_with('/'), "{}", file.path);
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Returns a small dataset for scoring models.
fn dataset() -> &'static Dataset {
    static DATASET: OnceLock<Dataset> = OnceLock::new();
    DATASET.get_or_init(|| {
        let mut loaded = load_domain(Domain::Movies, &GeneratorSettings::new(1, 7, 0.0).unwrap()).unwrap();
        loaded.examples.truncate(20);
        loaded
    })
}

fn trained(kind: Kind, preset: &str) -> SavedModel {
    let loaded = load_domain(Domain::Movies, &GeneratorSettings::new(1, 7, 0.0).unwrap()).unwrap();
    let preset = learn::Preset::find(preset).unwrap();
    // Not all kinds have presets or trees.
    let (plain, preset) = (Unchecked::new(kind), Unchecked::new(kind).preset(preset));
    let small = preset.clone().set("trees=2").unwrap().check();
    let params = small.or_else(|_| preset.check()).or_else(|_| plain.check()).unwrap();
    let trained = learn::train(kind, &loaded.database, loaded.target, &loaded.examples, &params, 7, &mut |_| {});
    trained.unwrap().model
}

pub fn models_seeds() -> Vec<Vec<u8>> {
    let mut seeds = files_of("tests/fixtures/learn", "", ".json");
    seeds.extend(Kind::ALL.map(|kind| trained(kind, "extended").to_json().into_bytes()));
    // Mutations within a large file rarely matter.
    seeds.retain(|seed| seed.len() < 1 << 16);
    assert!(seeds.len() > 8, "only {} models", seeds.len());
    seeds
}

pub fn models(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let model = match SavedModel::from_json(text) {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let again = model.to_json();
    assert_eq!(SavedModel::from_json(&again).unwrap().to_json(), again);
    assert!(!model.describe().is_empty());
    let dataset = dataset();
    if let Ok(scores) = model.score(&dataset.database, dataset.target, &dataset.examples) {
        assert!(scores.scores.iter().all(|score| score.is_finite()), "{scores:?}");
    }
    let Some(trees) = model.trees() else { return true };
    assert!(!trees.to_dot().is_empty());
    for method in Method::ALL {
        if let Ok(network) = trees.to_network(method) {
            check_network(&network);
        }
    }
    true
}

pub fn networks_seeds() -> Vec<Vec<u8>> {
    let exact = |kind| {
        let trees = trained(kind, "lookahead");
        trees.trees().unwrap().to_network(Method::Exact).unwrap().to_json().into_bytes()
    };
    let mut seeds = vec![exact(Kind::LrbmBoost), exact(Kind::RdnBoost)];
    for rules in super::texts::rules_seeds() {
        let rules = parse_rules(std::path::Path::new("rules"), std::str::from_utf8(&rules).unwrap()).unwrap();
        seeds.push(Network::from_rules(&rules, 1.0).unwrap().to_json().into_bytes());
    }
    seeds
}

pub fn networks(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    match Network::from_json(text) {
        Ok(network) => {
            check_network(&network);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Checks that an accepted network round-trips, prints, draws and scores with finite numbers.
pub fn check_network(network: &Network) {
    let text = network.to_json();
    assert_eq!(Network::from_json(&text).unwrap().to_json(), text);
    assert!(!Network::describe(network).is_empty() && !network.to_dot().is_empty());
    if network.hidden().len() < 40 {
        assert!(network.to_svg().ends_with("</svg>\n"));
    }
    let dataset = dataset();
    if let Ok(scores) = Model::score(network, &dataset.database, dataset.target, &dataset.examples) {
        assert!(scores.scores.iter().all(|score| score.is_finite()), "{scores:?}");
    }
    if network.target_arity() == 2 {
        let said = network.infer(&dataset.database, dataset.target, &dataset.examples[0].args);
        assert!(said.probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", said.probabilities);
    }
}

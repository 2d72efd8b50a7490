//! Ensembles that share their first rounds: one training gives the bytes of separate ones.

use crate::common::params::params;
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::learn::{Kind, Resources, Stored, Task, fit, fit_prefixes};

/// University with noise, every third example with another weight.
fn weighted() -> Dataset {
    let mut data = load_domain(Domain::University, &GeneratorSettings::new(1, 7, 0.2).unwrap()).unwrap();
    data.examples.iter_mut().step_by(3).for_each(|example| example.weight = 2.5);
    data
}

/// Compares one training of all lengths with separate trainings.
fn same_bytes(kind: Kind, task: &Task<'_>, settings: &[&str], lengths: &[u32]) {
    let common = params(kind, settings);
    let together = fit_prefixes(kind, task, &common, lengths, &mut |_| {}).unwrap();
    assert_eq!(together.len(), lengths.len());
    for (trained, length) in together.iter().zip(lengths) {
        let trees = format!("trees={length}");
        let alone = params(kind, &[settings, &[&trees]].concat());
        let separate = fit(kind, task, &alone, &mut |_| {}).unwrap();
        let what = format!("{kind} {settings:?} with {length} trees");
        assert_eq!(trained.model.to_json(), separate.model.to_json(), "{what}");
        assert_eq!(trained.statistics, separate.statistics, "{what}");
        let texts = |warnings: &[lrbm::internal::logic::Diagnostic]| -> Vec<String> {
            warnings.iter().map(ToString::to_string).collect()
        };
        assert_eq!(texts(&trained.warnings), texts(&separate.warnings), "{what}");
    }
}

#[test]
fn prefixes_of_every_boosted_kind_have_the_bytes_of_separate_trainings() {
    let data = weighted();
    let task = Task {
        database: &data.database,
        target: data.target,
        examples: &data.examples,
        seed: 5,
        resources: Resources::default(),
    };
    let variants: [(Kind, &[&str]); 9] = [
        (Kind::LrbmBoost, &[]),
        (Kind::LrbmBoost, &["order=online", "rescore=all", "node_size=1", "path_length=0"]),
        (Kind::LrbmBoost, &["subsample=0.6", "prior=log-odds"]),
        (Kind::LrbmBoost, &["early_stopping=2", "step=4"]),
        (Kind::LrbmBoost, &["counts=true", "max_leaves=8", "max_candidates=5"]),
        (Kind::RdnBoost, &["train_negatives=1", "redraw_negatives=true"]),
        (Kind::RdnBoost, &["train_negatives=1", "positive_weight=2"]),
        (Kind::MlnBoost, &["count_budget=3"]),
        (Kind::MlnBoost, &["form=clauses", "early_stopping=1"]),
    ];
    for (kind, settings) in variants {
        same_bytes(kind, &task, settings, &[1, 2, 3, 6]);
    }
    // A kind without rounds to share is trained separately.
    assert_eq!(params(Kind::Rpt, &[]).prefix_rounds(), None);
    assert_eq!(params(Kind::LrbmBoost, &["trees=1"]).prefix_rounds(), None);
    assert_eq!(params(Kind::MlnBoost, &["trees=1"]).prefix_rounds(), Some(1));
}

#[test]
fn prefixes_with_several_classes_have_the_bytes_of_separate_trainings() {
    let data = load_domain(Domain::MoviesClasses, &Domain::MoviesClasses.settings()).unwrap();
    let task = Task {
        database: &data.database,
        target: data.target,
        examples: &data.examples,
        seed: 5,
        resources: Resources::default(),
    };
    for kind in [Kind::LrbmBoost, Kind::RdnBoost] {
        same_bytes(kind, &task, &[], &[2, 5]);
        same_bytes(kind, &task, &["early_stopping=1"], &[2, 5]);
    }
}

#[test]
fn prefixes_of_recursive_ensembles_have_the_bytes_of_separate_trainings() {
    let mut data = load_domain(Domain::Citations, &GeneratorSettings::new(1, 7, 0.1).unwrap()).unwrap();
    data.add_positives_to_evidence(false, None).unwrap();
    let task = Task {
        database: &data.database,
        target: data.target,
        examples: &data.examples,
        seed: 5,
        resources: Resources::default(),
    };
    same_bytes(Kind::LrbmBoost, &task, &["recursive=true"], &[2, 4]);
}

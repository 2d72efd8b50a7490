//! Expansion of specs into jobs.

use std::collections::BTreeSet;

use lrbm::internal::experiment::Job;
use lrbm::internal::learn::params::Value;
use lrbm::internal::learn::{Kind, Preset};

use crate::lab::{all_shipped, experiment, experiment_with, jobs, kind, shipped, value};

#[test]
fn shipped_specs_are_valid_and_expand_to_their_jobs() {
    // datasets × rows × folds × seeds
    let expected = [
        ("ablation-leaf-fit.toml", 7 * 6 * 5 * 3),
        ("ablation-learning-rate.toml", 7 * 6 * 5 * 3),
        ("ablation-leaves.toml", 7 * 6 * 5 * 3),
        ("ablation-negatives.toml", 7 * 8 * 5 * 3),
        ("ablation-node-size.toml", 7 * 4 * 5 * 3),
        ("ablation-trees.toml", 7 * 14 * 5 * 3),
        ("archives.toml", 4 * 2 * 5),
        // Three models as they are; four, four and six trials on three inner folds.
        ("defaults.toml", 4 * (3 + 2 * (4 * 3 + 1) + 6 * 3 + 1) * 5),
        // Each of eight models has six trials on two inner folds.
        ("figures-tuned.toml", 4 * 8 * (6 * 2 + 1) * 5),
        ("figures.toml", (4 * 10 + 3) * (4 * 2 + 4) * 5),
        ("hybrid.toml", 4 * 4 * 5),
        ("learning-curve.toml", 7 * 5 * 5),
        ("multiclass.toml", 3 * 4 * 5),
        // WEBKB: half of the universes have four folds.
        ("multiverse.toml", 7 * (300 + 3 * 60) * 5 - (300 + 3 * 60) / 2),
        ("peers.toml", (7 * 5 + 2) * 12),
        ("quick.toml", 45),
        ("regression.toml", 7 * 4 * 5 * 5),
        ("sensitivity.toml", 5 * 8 * 5 + 8 * 5 + 8 * 4),
        ("table1.toml", 4 * 4 * 5 * 10),
        ("table2.toml", (5 * 10 + 2) * 6 * 5),
        ("temporal.toml", 4 * 2 * 5),
    ];
    let counted: Vec<(String, usize)> = all_shipped()
        .into_iter()
        .map(|name| {
            let experiment = experiment(&shipped(&name));
            assert_eq!(format!("{}.toml", experiment.name), name);
            assert!(experiment.about.contains('?') || experiment.about.contains("paper"), "{name} asks nothing");
            let jobs = jobs(&experiment);
            let mut directories: Vec<String> =
                jobs.iter().map(|job| job.directory().to_string_lossy().to_lowercase()).collect();
            directories.sort();
            directories.dedup();
            assert_eq!(directories.len(), jobs.len(), "{name}: two jobs have one directory");
            (name, jobs.len())
        })
        .collect();
    let expected: Vec<(String, usize)> = expected.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
    assert_eq!(counted, expected);
}

#[test]
fn presets_have_separate_rows_paths_and_columns() {
    let jobs = jobs(&experiment(&shipped("table2.toml")));
    let first: Vec<&Job> = jobs.iter().take(6).collect();
    let labels: Vec<String> = first.iter().map(|job| job.label()).collect();
    assert_eq!(
        labels,
        [
            "LRBM-Boost (paper)",
            "LRBM-Boost (lookahead)",
            "Explainable (paper)",
            "Explainable (lookahead)",
            "LRBM-NoBoost (paper)",
            "LRBM-NoBoost (lookahead)"
        ]
    );
    assert_eq!(first[0].directory().to_string_lossy(), "jobs/sports/LRBM-Boost/paper/fold1-seed20200120");
    let sizes: Vec<[Value; 2]> = first
        .iter()
        .map(|job| ["node_size", "path_length"].map(|name| value(&job.system.learner().unwrap().params, name)))
        .collect();
    let (paper, lookahead) = ([1, 0].map(Value::from), [2, 3].map(Value::from));
    assert_eq!(sizes, vec![vec![paper, lookahead]; 3].concat());
}

#[test]
fn an_explainable_model_distils_the_ensemble_of_the_same_fold() {
    let jobs = jobs(&experiment(&shipped("table2.toml")));
    let copies: Vec<&Job> = jobs.iter().filter(|job| kind(job) == Kind::LrbmExplainable).collect();
    assert_eq!(copies.len(), (5 * 10 + 2) * 2 * 5);
    for copy in copies {
        let ensemble = copy.ensemble().unwrap();
        let beside = jobs.iter().filter(|job| {
            (&job.dataset.name, &job.model, job.preset, job.fold, job.seed)
                == (&copy.dataset.name, &"LRBM-Boost".to_owned(), copy.preset, copy.fold, copy.seed)
        });
        let beside: Vec<&Job> = beside.collect();
        assert_eq!(beside.len(), 1);
        assert_eq!(beside[0].key("data").id(), ensemble.key("data").id());
        assert_eq!(*beside[0], ensemble);
    }
}

#[test]
fn datasets_may_have_their_own_seeds() {
    let text = SWEPT.replace("min_leaf = 3", "min_leaf = 3\nseeds = [5, 6, 7]");
    let seeds = |name: &str, settings: &[&str]| {
        let jobs = jobs(&experiment_with(&text, settings));
        let of_dataset = jobs.iter().filter(|job| job.dataset.name == name);
        of_dataset.map(|job| job.seed).collect::<BTreeSet<u64>>().into_iter().collect::<Vec<u64>>()
    };
    assert_eq!(seeds("movies", &[]), [1, 2]);
    assert_eq!(seeds("university", &[]), [5, 6, 7]);
    assert_eq!(seeds("university", &["seed=9"]), [5, 6, 7]);
    assert_eq!(seeds("movies", &["seed=9"]), [9]);
    assert_eq!(seeds("university", &["dataset.university.seeds=9"]), [9]);
    assert_eq!(jobs(&experiment(&text)).len(), (6 + 6 + 3) * 3 * (2 + 3));
}

const SWEPT: &str = r#"
name = "x"
datasets = ["movies", "university"]
seeds = [1, 2]
folds = 3

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 7

[[model]]
name = "Copy"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 4

[[model]]
name = "Single"
kind = "lrbm-noboost"

[dataset.university]
min_leaf = 3

[sweep]
trees = [1, 2]
negatives_per_positive = [1, 2, 3]

[[sweep.case]]
name = "quick fit"
leaf_fit = "closed-form"
"#;

#[test]
fn a_sweep_expands_to_all_combinations_of_applicable_parameters() {
    let jobs = jobs(&experiment(SWEPT));
    // Boost and Copy: 2 × 3 × 1; Single has no trees: 3 × 1. Times 2 datasets, 2 seeds, 3 folds.
    assert_eq!(jobs.len(), (6 + 6 + 3) * 2 * 2 * 3);
    let cases: Vec<String> = jobs.iter().take(15).map(|job| format!("{}: {}", job.model, job.case())).collect();
    assert_eq!(cases[0], "Boost: trees=1, negatives_per_positive=1, quick fit");
    assert_eq!(cases[1], "Boost: trees=1, negatives_per_positive=2, quick fit");
    assert_eq!(cases[5], "Boost: trees=2, negatives_per_positive=3, quick fit");
    assert_eq!(cases[12], "Single: negatives_per_positive=1, quick fit");
    let copy = &jobs[6 + 3];
    assert_eq!(
        ["trees", "distil_depth"].map(|name| value(&copy.system.learner().unwrap().params, name)),
        [2.into(), 4.into()]
    );
    let ensemble = copy.system.learner().unwrap().from.as_ref().unwrap();
    assert_eq!((value(&ensemble.params, "trees"), ensemble.model.as_deref()), (2.into(), Some("Boost")));
    assert_eq!(copy.split.negatives_per_positive, 1.0);
    assert_eq!(
        copy.directory().to_string_lossy().replace('\\', "/"),
        format!("jobs/movies/Copy/{}/fold1-seed1", directory_of("trees=2,negatives_per_positive=1,quick fit"))
    );
    // Dataset settings apply to the models of that dataset only.
    let min_leaf = |job: &Job| if job.dataset.name == "university" { 3 } else { 1 };
    assert!(jobs.iter().all(|job| value(&job.system.learner().unwrap().params, "min_leaf") == min_leaf(job).into()));
    // Jobs are ordered by dataset, then seed, then fold.
    let order: Vec<(&str, u64, usize)> =
        jobs.iter().map(|job| (job.dataset.name.as_str(), job.seed, job.fold_number())).collect();
    let mut sorted = order.clone();
    sorted.sort();
    assert_eq!(order, sorted);
}

fn directory_of(case: &str) -> String {
    lrbm::internal::experiment::job::safe_name(case)
}

#[test]
fn more_specific_parameters_take_precedence() {
    let text = r#"
name = "x"
datasets = ["movies"]
presets = ["paper"]

[[model]]
name = "A"
kind = "lrbm-boost"

[[model]]
name = "B"
kind = "lrbm-boost"
preset = "lookahead"
path_length = 1
max_leaves = 5

[[model]]
name = "C"
kind = "lrbm-explainable"
from = "B"
node_size = 3

[dataset.movies]
max_leaves = 6
"#;
    let jobs = jobs(&experiment(text));
    let of = |name: &str| jobs.iter().find(|job| job.model == name).unwrap();
    let shown = |job: &Job| {
        let sizes =
            ["node_size", "path_length", "max_leaves"].map(|name| value(&job.system.learner().unwrap().params, name));
        (job.preset, sizes)
    };
    assert_eq!(shown(of("A")), (Some(Preset::Paper), [1, 0, 6].map(Value::from)));
    assert_eq!(shown(of("B")), (Some(Preset::Lookahead), [2, 1, 6].map(Value::from)));
    assert_eq!(shown(of("C")), (Some(Preset::Lookahead), [3, 1, 6].map(Value::from)));
    assert_eq!(of("C").ensemble().unwrap(), of("B").clone());
    assert_eq!(jobs.len(), 3 * 5);
}

#[test]
fn a_dataset_may_be_listed_under_two_names() {
    let text = r#"
name = "x"
datasets = ["cora", "cora-base"]
[[model]]
name = "A"
kind = "lrbm-boost"
[dataset.cora-base]
id = "cora"
evidence = "base"
"#;
    let jobs = jobs(&experiment(text));
    assert_eq!(jobs.len(), 10);
    let evidence: Vec<&str> = jobs.iter().map(|job| job.dataset.variant.evidence.as_deref().unwrap()).collect();
    assert_eq!((evidence[0], evidence[5]), ("matches", "base"));
    assert_ne!(jobs[0].key("").id(), jobs[5].key("").id());
    assert_ne!(jobs[0].directory(), jobs[5].directory());
}

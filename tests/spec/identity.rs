//! Job identity: everything that can change a result, and nothing else.

use lrbm::internal::experiment::{Job, JobId, JobKey};
use lrbm::internal::learn::params::Value;
use lrbm::internal::learn::{Kind, Params, parameters};
use proptest::prelude::*;

use crate::lab::{experiment, jobs, kind};

const PLAIN: &str = r#"
name = "x"
about = "?"
seed = 3
folds = 5
negatives_per_positive = 2
datasets = ["movies"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 7
max_leaves = 5
learning_rate = 0.1

[[model]]
name = "Copy"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 4
"#;

fn ids(text: &str) -> Vec<JobId> {
    jobs(&experiment(text)).iter().map(|job| job.key("data").id()).collect()
}

#[test]
fn names_comments_and_limits_keep_job_ids() {
    let plain = ids(PLAIN);
    for (old, new) in [
        ("name = \"x\"", "name = \"another\""),
        ("about = \"?\"", "about = \"What else?\""),
        ("about = \"?\"", "# nothing\ntime_limit = 5\nmemory_limit = \"2 GiB\""),
        ("negatives_per_positive = 2", "negatives_per_positive = 2.0"),
        ("learning_rate = 0.1", "learning_rate = 1e-1"),
        ("trees = 7", "trees = 7\nnode_size = 2\npath_length = 3\nmax_depth = \"none\""),
        ("trees = 7", "trees = 7\npreset = \"lookahead\""),
        ("seed = 3", "seeds = [3]"),
        ("seed = 3", "seed = 3\narity = \"original\""),
        ("folds = 5", "folds   =   5 # five"),
        ("folds = 5\n", ""),
        ("name = \"Copy\"", "name = \"Explained\""),
    ] {
        let changed = PLAIN.replace(old, new);
        assert_ne!(changed, PLAIN);
        assert_eq!(ids(&changed), plain, "{new}");
    }
    let renamed = PLAIN.replace("\"Boost\"", "\"Ensemble\"");
    assert_eq!(ids(&renamed), plain);
    // A renamed model has another directory.
    assert_ne!(jobs(&experiment(&renamed))[0].directory(), jobs(&experiment(PLAIN))[0].directory());
}

#[test]
fn all_other_changes_change_job_ids() {
    let plain = ids(PLAIN);
    for (old, new) in [
        ("seed = 3", "seed = 4"),
        ("folds = 5", "folds = 6"),
        ("negatives_per_positive = 2", "negatives_per_positive = 2.5"),
        ("[\"movies\"]", "[\"university\"]"),
        ("seed = 3", "seed = 3\narity = \"binary\""),
        ("[[model]]\nname = \"Boost\"", "[dataset.movies]\nreflexive = \"drop\"\n\n[[model]]\nname = \"Boost\""),
        // Parameters of the ensemble, which also affect the distilled model.
        ("trees = 7", "trees = 8"),
        ("learning_rate = 0.1", "learning_rate = 0.2"),
        ("trees = 7", "trees = 7\npreset = \"paper\""),
    ] {
        let changed = PLAIN.replacen(old, new, 1);
        assert_ne!(changed, PLAIN);
        let changed = ids(&changed);
        assert!(changed.iter().all(|id| !plain.contains(id)), "{new}");
    }
    // Parameters of the distilled model only.
    let changed = ids(&PLAIN.replace("distil_depth = 4", "distil_depth = 5"));
    let same: Vec<bool> = changed.iter().zip(&plain).map(|(a, b)| a == b).collect();
    assert_eq!(same, [true, false].repeat(5));
    // Other data; and all ids are distinct.
    let first = &jobs(&experiment(PLAIN))[0];
    assert_ne!(first.key("data").id(), first.key("other").id());
    let mut all = plain.clone();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), plain.len());
}

#[test]
fn a_job_key_has_the_parameters_of_its_kind() {
    for job in jobs(&experiment(&crate::lab::shipped("regression.toml"))).iter().take(4) {
        let key = job.key("data");
        let mut used: Vec<&str> = parameters()
            .iter()
            .filter(|key| key.kinds.contains(&kind(job)) && key.entry.name != "seed")
            .map(|key| key.entry)
            // Parameters added later are omitted at their defaults, so that ids stay as they were.
            .filter(|entry| !entry.added_later)
            .map(|entry| entry.name)
            .collect();
        used.sort_unstable();
        let names: Vec<&str> = key.learner.parameters.keys().map(String::as_str).collect();
        assert_eq!(names, used, "{job}");
        assert_eq!(key.from.is_some(), kind(job) == Kind::LrbmExplainable);
        // Round trip through JSON.
        let text = serde_json::to_string(&key).unwrap();
        let again: JobKey = serde_json::from_str(&text).unwrap();
        assert_eq!(again, key);
        assert_eq!(again.id(), key.id());
    }
}

#[test]
fn job_ids_are_stable() {
    // Results of earlier versions are found by these ids. After raising a version, record them
    // again.
    let id = |job: &Job| job.key("data").id().short().to_owned();
    let jobs = jobs(&experiment(PLAIN));
    assert_eq!([id(&jobs[0]), id(&jobs[1])], FROZEN);
    assert_eq!(jobs[0].training_seed(), FROZEN_SEED);
}
const FROZEN: [&str; 2] = ["86c7b7fe260d", "34c0bdba5bf4"];
const FROZEN_SEED: u64 = 53_351_038_513_341;

/// Returns an allowed value of a parameter that is not its default.
pub fn another_value(name: &str) -> Value {
    match name {
        "node_size" | "path_length" | "largest_part" | "variable_depth" | "cuts" => 4.into(),
        "walk_length" => 3.into(),
        "max_leaves" | "max_depth" | "distil_leaves" | "distil_depth" | "trees" | "min_leaf" | "early_stopping"
        | "rescore" | "max_candidates" | "clauses_per_step" | "beam" | "count_budget" | "clause_length" | "recall"
        | "min_positives" | "search_limit" | "max_seeds" | "max_walks" | "hidden_units" | "epochs" | "batch"
        | "max_groundings" | "min_split" | "max_path_literals" | "max_searches" | "covers" | "max_clauses"
        | "groups" | "train_negatives" => 11.into(),
        "step" | "learning_rate" | "subsample" | "held_out" | "prior" | "count_margin" | "look_ahead_margin"
        | "laplace" | "clause_noise" | "l2" | "shrinkage" | "positive_weight" | "min_variance" | "min_share"
        | "max_share" | "test_seeds" | "regression_target" => 0.25.into(),
        "leaf_fit" => "closed-form".into(),
        "schedule" => "sqrt".into(),
        "order" => "online".into(),
        "counts" | "recursive" | "redraw_negatives" => true.into(),
        "balance" | "require_gain" => false.into(),
        "distil_settings" => "ensemble".into(),
        "expand" => "total".into(),
        "look_ahead" => "head".into(),
        "form" => "clauses".into(),
        "clause_weights" => "votes".into(),
        "count_scale" => "linear".into(),
        "family" => "avg".into(),
        other => panic!("`{other}` is new: give it a value here"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Order, whitespace and comments keep the id; every parameter value changes it.
    #[test]
    fn job_ids_depend_on_values_not_on_order_or_whitespace(
        kind in prop::sample::select(&Kind::ALL[..]),
        chosen in prop::collection::vec(any::<bool>(), parameters().len()),
        order in Just((0..parameters().len()).collect::<Vec<_>>()).prop_shuffle(),
        noise in prop::collection::vec(0usize..4, parameters().len()),
    ) {
        let defaults = Params::new(kind).to_values();
        let usable = |i: &usize| {
            let name = parameters()[*i].entry.name;
            // A value that is a change for most kinds is the default of some.
            name != "seed" && defaults.get(name).is_some_and(|default| *default != another_value(name))
        };
        let spec = |order: &[usize], noise: &[usize]| {
            let mut text = "name = \"x\"\ndatasets = [\"movies\"]\n[[model]]\nname = \"M\"\n".to_owned();
            for &i in order.iter().filter(|&i| chosen[*i] && usable(i)) {
                text += ["", "\n\n", "# a comment\n", "   "][noise[i]];
                text += &format!("{} = {}\n", parameters()[i].entry.name, another_value(parameters()[i].entry.name));
            }
            text + &format!("kind = \"{kind}\"\n")
        };
        let plain: Vec<usize> = (0..parameters().len()).collect();
        let text = spec(&plain, &vec![0; parameters().len()]);
        let first = ids(&text);
        prop_assert_eq!(&ids(&spec(&order, &noise)), &first);
        for &i in order.iter().filter(|&i| chosen[*i] && usable(i)) {
            let line = format!("{} = {}\n", parameters()[i].entry.name, another_value(parameters()[i].entry.name));
            let without = ids(&text.replacen(&line, "", 1));
            prop_assert!(without.iter().all(|id| !first.contains(id)), "{} does not count", parameters()[i].entry.name);
        }
    }
}

#[test]
fn a_fraction_of_the_training_examples_and_a_chosen_preset_are_part_of_the_key() {
    let plain = ids(PLAIN);
    let whole = ids(&format!("{PLAIN}\n[sweep]\ntrain_fraction = [1.0]\n"));
    assert_eq!(whole, plain);
    let parts = format!("{PLAIN}\n[sweep]\ntrain_fraction = [0.5, 1.0]\n");
    assert_eq!(ids(&parts).iter().filter(|id| plain.contains(id)).count(), plain.len());
    let [half, _] = &jobs(&experiment(&parts))[..2] else { panic!() };
    assert_eq!((half.split.train_fraction, half.case()), (0.5, "train_fraction=0.5".to_owned()));
    let auto = ids(&PLAIN.replace("trees = 7", "trees = 7\npreset = \"auto\""));
    let set = ids(&PLAIN.replace("trees = 7", "trees = 7\nnode_size = 2\npreset = \"auto\""));
    let of = |ids: &[JobId]| ids[0].clone();
    assert!(of(&auto) != of(&plain) && of(&set) != of(&auto) && of(&set) != of(&plain));
}

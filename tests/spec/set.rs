//! `--set` on the command line, and its effect on the stored spec.

use crate::lab::{experiment, experiment_with, jobs, refusal, shipped, value};

#[test]
fn keys_models_and_datasets_can_be_set() {
    let text = shipped("table2.toml");
    let settings =
        ["datasets=imdb,cora", "seeds=1,2", "LRBM-Boost.trees=5", "max_leaves=8", "dataset.cora.evidence=base"];
    let changed = experiment_with(&text, &settings);
    assert_eq!(changed.seeds, [1, 2]);
    let jobs = jobs(&changed);
    assert_eq!(jobs.len(), 2 * 6 * 5 * 2);
    for job in &jobs {
        assert_eq!(value(&job.system.learner().unwrap().params, "max_leaves"), 8.into(), "{job}");
        if job.model != "LRBM-NoBoost" {
            assert_eq!(value(&job.system.learner().unwrap().params, "trees"), 5.into(), "{job}");
        }
        let evidence = job.dataset.variant.evidence.as_deref();
        assert_eq!(evidence, Some("base"), "{job}");
    }
    assert_eq!(experiment_with(&text, &["folds=5"]).datasets, experiment(&text).datasets);
    let toml = experiment_with(&text, &["datasets=[\"imdb\"]", "presets=paper", "time_limit=2 min"]);
    assert_eq!(crate::lab::jobs(&toml).len(), 3 * 5 * 10);
    assert_eq!(toml.limits.time, Some(std::time::Duration::from_secs(120)));
}

#[test]
fn settings_are_stored_in_the_spec() {
    for (name, settings) in [
        ("table2.toml", &["datasets=imdb,cora", "seeds=1,2", "LRBM-Boost.trees=5", "node_size=2"][..]),
        ("quick.toml", &["datasets=movies", "dataset.movies.noise=0.2", "distil_depth=3", "prior=-1"]),
        ("ablation-leaf-fit.toml", &["folds=5", "datasets=imdb", "max_leaves=none"]),
        ("ablation-trees.toml", &["about=\"what?\"", "learning_rate=0.1", "memory_limit=2 GiB"]),
        ("regression.toml", &["RDN-Boost.trees=3", "seeds=5"]),
    ] {
        let set = experiment_with(&shipped(name), settings);
        assert!(set.frozen.starts_with("# spec.toml with --set "), "{}", set.frozen);
        let mut again = experiment(&set.frozen);
        again.frozen.clone_from(&set.frozen);
        assert_eq!(again, set, "{name}");
        assert_eq!(jobs(&again), jobs(&set));
    }
    // Without settings the text is unchanged, including comments.
    let text = shipped("table2.toml");
    assert_eq!(experiment(&text).frozen, text);
}

#[test]
fn invalid_settings_are_rejected() {
    let text = shipped("ablation-trees.toml");
    let with = |setting: &str| refusal(&text, &[setting]);
    for (setting, expected) in [
        ("tree=3", "unknown key or parameter `tree`: did you mean `trees`? `lrbm train --help`"),
        ("folds", "expected KEY=VALUE, such as `--set trees=10`"),
        ("folds=many", "folds = \"many\": must be a whole number from 2 to 1000"),
        ("trees=3", "`trees` is varied by the sweep: change [sweep], or select jobs with `--only`"),
        ("distil_depth=3", "no model of the experiment has a parameter `distil_depth`"),
        ("learning_rate=7", "model[0].learning_rate = 7: must be a number above 0, up to 1"),
        ("RDN-Boost.learning_rate=0.1", "model[1].learning_rate = 0.1: rdn-boost does not have this parameter"),
        (
            "RND-Boost.trees=3",
            "unknown model `RND-Boost`: did you mean `RDN-Boost`? the experiment has `LRBM-Boost` and",
        ),
        ("model=3", "`model` is a table and cannot be set on the command line"),
        ("datasets=imbd", "datasets[0] = \"imbd\": unknown dataset: did you mean `imdb`?"),
        ("dataset.cora.evidenc=base", "dataset.cora.evidenc: unknown key: did you mean `evidence`?"),
    ] {
        let message = with(setting);
        assert!(message.starts_with(&format!("--set {setting}: {expected}")), "{message}");
    }
    let own = "name = \"x\"\ndatasets = [\"movies\"]\n[dataset.movies]\ntrees = 3\n[[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\n";
    assert!(
        refusal(own, &["trees=4"])
            .contains("[dataset.movies] sets its own `trees`: use `--set dataset.movies.trees=…`")
    );
    let own_trees = jobs(&experiment_with(own, &["dataset.movies.trees=4"]));
    assert_eq!(value(&own_trees[0].system.learner().unwrap().params, "trees"), 4.into());
}

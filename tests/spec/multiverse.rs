//! `[multiverse]`: universes are balanced, seeded and named; datasets offer what they have.

use std::collections::{BTreeMap, BTreeSet};

use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::Store;
use lrbm::internal::experiment::spec::ModelConfig;
use lrbm::internal::experiment::{Experiment, Plan};

use crate::lab::{experiment, shipped};

fn choices(count: usize, alternatives: &str) -> String {
    let choice = |k: usize| {
        format!("[[multiverse.choice]]\nname = \"c{k}\"\nstated = \"Not stated.\"\nalternatives = {alternatives}\n")
    };
    (0..count).map(choice).collect()
}

fn spec(sample: usize, datasets: &str, choices: &str) -> String {
    format!(
        "name = \"m\"\nseed = 3\nfolds = 5\ndatasets = {datasets}\nkeep = [\"metrics\", \"scores\"]\n\
         [[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\n[multiverse]\nsample = {sample}\n{choices}"
    )
}

/// Three choices with alternatives that only some datasets offer.
const OFFERS: &str = r#"
[[multiverse.choice]]
name = "evidence"
stated = "Not stated."
alternatives = [
    { name = "matches", evidence = "matches" },
    { name = "base", evidence = "base" },
    { name = "sfu", evidence = "sfu" },
]

[[multiverse.choice]]
name = "words"
stated = "Not stated."
alternatives = [{ name = "no" }, { name = "yes", modes = "constants" }]

[[multiverse.choice]]
name = "recursion"
stated = "Not stated."
alternatives = [{ name = "no" }, { name = "shown", recursive = true, modes = "archive", mirror = "show" }]

[[multiverse.choice]]
name = "folds"
stated = "Not stated."
alternatives = [{ name = "random", fold_scheme = "random" }, { name = "given", fold_scheme = "given" }]

[[multiverse.choice]]
name = "depth"
stated = "Not stated."
alternatives = [{ name = "1", max_depth = 1 }, { name = "2", max_depth = 2 }, { name = "3", max_depth = 3 }]
"#;

fn counts<'a>(rows: &'a [ModelConfig], choice: &str) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        if let Some(alternative) = row.settings.get(choice) {
            *counts.entry(alternative.as_str()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn datasets_realize_balanced_universes_with_what_they_offer() {
    let text = spec(24, "[\"cora\", \"imdb\", \"webkb\", \"movies\"]", OFFERS);
    let parsed = experiment(&text);
    let [cora, imdb, webkb, movies] = parsed.datasets.as_slice() else { panic!() };
    // 2 × 2 × 2 × 3 on CORA, which has given folds; its evidence `sfu` is another dataset's.
    assert_eq!(cora.rows.len(), 24);
    assert_eq!(counts(&cora.rows, "evidence"), BTreeMap::from([("base", 12), ("matches", 12)]));
    assert_eq!(counts(&cora.rows, "words"), BTreeMap::from([("no", 12), ("yes", 12)]));
    assert_eq!(counts(&cora.rows, "folds"), BTreeMap::new());
    // IMDB has words as constants, no archive modes, and no other folds: 2 × 3.
    assert_eq!((imdb.rows.len(), webkb.rows.len(), movies.rows.len()), (6, 6, 3));
    assert_eq!(counts(&imdb.rows, "depth"), BTreeMap::from([("1", 2), ("2", 2), ("3", 2)]));
    let multiverse = parsed.multiverse.as_ref().unwrap();
    let left = |dataset: &str, choice: &str| -> Vec<&str> {
        let of = multiverse.left_out.iter().filter(|left| left.dataset == dataset && left.choice == choice);
        of.map(|left| left.alternative.as_str()).collect()
    };
    assert_eq!(left("cora", "evidence"), ["sfu"]);
    assert_eq!(left("imdb", "evidence"), ["matches", "sfu"]);
    assert_eq!(left("movies", "recursion"), ["shown"]);
    assert_eq!(left("cora", "folds"), ["random"]);
    // The reference is the first universe, and names are distinct.
    for part in &parsed.datasets {
        let names: BTreeSet<&str> = part.rows.iter().map(|row| row.settings["universe"].as_str()).collect();
        assert_eq!(names.len(), part.rows.len());
    }
    assert_eq!(cora.rows[0].settings["depth"], "1");
    assert!(cora.rows[0].source.is_none(), "the reference of CORA is the dataset itself");
    // Options of several choices add up; folds follow the scheme.
    let both = cora.rows.iter().find(|row| row.settings["words"] == "yes" && row.settings["recursion"] == "shown");
    let variant = &both.unwrap().source.as_ref().unwrap().variant;
    assert_eq!(variant.modes.as_deref(), Some("archive+constants"));
    let given = webkb.rows.iter().find(|row| row.settings["folds"] == "given").unwrap();
    assert_eq!(given.folds, Some(4));
    assert_eq!(parsed, experiment(&text));
}

#[test]
fn excluded_combinations_do_not_occur() {
    let exclude = "exclude = [{ c0 = \"b\", c1 = \"c\" }]\n";
    let alternatives = "[{ name = \"a\", trees = 1 }, { name = \"b\", trees = 2 }, { name = \"c\", trees = 3 }]";
    let text = spec(30, "[\"movies\"]", &(exclude.to_owned() + &choices(4, alternatives)));
    let parsed = experiment(&text);
    let rows = &parsed.datasets[0].rows;
    assert_eq!(rows.len(), 30);
    assert!(!rows.iter().any(|row| row.settings["c0"] == "b" && row.settings["c1"] == "c"));
    for choice in ["c2", "c3"] {
        assert!(counts(rows, choice).values().all(|&count| count == 10), "{:?}", counts(rows, choice));
    }
    // Later choices override earlier ones.
    let trees = |row: &ModelConfig| row.system.learner().unwrap().params.to_values()["trees"].to_string();
    assert!(
        rows.iter().all(|row| trees(row)
            == (["a", "b", "c"].iter().position(|a| *a == row.settings["c3"]).unwrap() + 1).to_string())
    );
}

#[test]
fn a_hundred_thousand_jobs_can_be_planned() {
    let alternatives = "[{ name = \"a\", trees = 1 }, { name = \"b\", trees = 2 }]";
    let text = spec(20_000, "[\"movies\"]", &choices(16, alternatives));
    let parsed = experiment(&text);
    let plan = Plan::new(&parsed, &Store::open("no such directory")).unwrap();
    assert_eq!(plan.jobs.len(), 100_000);
    let more = text.replace("sample = 20000", "sample = 20001");
    let error = Experiment::parse(&more, "m.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("at most 100000 are allowed"), "{error}");
    // All 2^16 combinations on five folds are too many as well.
    let all = text.replace("sample = 20000\n", "");
    let error = Experiment::parse(&all, "m.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("327680 jobs"), "{error}");
}

/// The committed spec names every point of the paper that its results are about.
#[test]
fn the_shipped_multiverse_has_three_hundred_universes_per_dataset() {
    let parsed = experiment(&shipped("multiverse.toml"));
    for part in &parsed.datasets {
        let of = |model: &str| part.rows.iter().filter(|row| row.model == model).count();
        assert_eq!((of("LRBM-Boost"), of("LRBM-NoBoost"), of("Explainable")), (300, 60, 60), "{}", part.source.name);
        // Each alternative that a dataset offers is drawn about equally often.
        let boost: Vec<ModelConfig> = part.rows.iter().filter(|row| row.model == "LRBM-Boost").cloned().collect();
        for choice in boost[0].settings.keys().filter(|key| *key != "universe") {
            let counts = counts(&boost, choice);
            let (least, most) = (counts.values().min().unwrap(), counts.values().max().unwrap());
            assert!(most - least <= 30, "{} {choice}: {counts:?}", part.source.name);
        }
    }
}

/// Modes of predicates that the evidence lacks are left out, and options add up.
#[test]
fn mode_options_follow_the_evidence() {
    let cora = Manifest::find("cora").unwrap();
    let modes = |names: &str, evidence: &str| cora.option_modes(names, cora.evidence(Some(evidence)).unwrap());
    let own = ["mode: samevenue(+venue,-venue).", "mode: samevenue(-venue,+venue)."];
    assert_eq!(modes("archive", "base").unwrap(), own);
    assert_eq!(modes("archive", "matches").unwrap().len(), 5);
    assert_eq!(modes("archive+constants", "matches").unwrap().len(), 8);
    let error = modes("archive+words", "base").unwrap_err().to_string();
    assert_eq!(error, "dataset `cora` has no mode option `words`; expected one of constants and archive");
}

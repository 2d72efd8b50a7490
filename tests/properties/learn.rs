//! The learners against naive oracles, on small generated data.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::common::params::params;
use lrbm::internal::cancel::{self, Check};
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::{Dataset, LoadOptions, load};
use lrbm::internal::files::json::FileError;
use lrbm::internal::kb::{Database, naive};
use lrbm::internal::learn::{
    Kind, LearnError, Learner, LrbmExplainable, Model, Params, Progress, Resources, SavedModel, Stored, Task, Trained,
    TrainedModel, TreeModel, train,
};
use lrbm::internal::logic::Literal;
use lrbm::internal::tree::Tree;

fn domain(domain: Domain, noise: f64) -> Dataset {
    load_domain(domain, &GeneratorSettings::new(1, 7, noise).unwrap()).unwrap()
}

fn learn_any(kind: Kind, data: &Dataset, params: &Params, seed: u64) -> Trained<SavedModel> {
    train(kind, &data.database, data.target, &data.examples, params, seed, &mut |_| {}).unwrap()
}

fn learn(kind: Kind, data: &Dataset, params: &Params, seed: u64) -> TrainedModel {
    learn_any(kind, data, params, seed).into_trees().unwrap()
}

/// Evaluates a tree by its printed form: the first clause whose body is covered decides.
fn naive_value<L>(
    tree: &Tree<L>,
    data: &Database,
    target: lrbm::internal::logic::PredicateId,
    args: &[lrbm::internal::logic::Constant],
) -> f64 {
    for path in tree.paths() {
        let body: Vec<Literal> = path.literals.iter().map(|&literal| literal.clone()).collect();
        if naive::covers(data, &body, target, args) {
            return path.leaf.value;
        }
    }
    panic!("the last clause has no body")
}

#[test]
fn tree_sums_match_the_naive_evaluator() {
    let data = domain(Domain::University, 0.2);
    for kind in Kind::ALL.into_iter().filter(|kind| kind.grows_trees()) {
        let trained = learn(kind, &data, &params(kind, &["min_leaf=3"]), 3);
        let model = &trained.model;
        let sampled: Vec<_> = data.examples.iter().step_by(29).cloned().collect();
        let psi = model.score(&data.database, data.target, &sampled).unwrap().scores;
        let trees = model.bind(&data.database);
        for (example, psi) in sampled.iter().zip(psi) {
            let mut sum = model.prior;
            for tree in &trees {
                sum += model.step * naive_value(tree, &data.database, data.target, &example.args);
            }
            assert_eq!(sum, psi, "{kind}");
        }
    }
}

#[test]
fn models_do_not_depend_on_the_number_of_threads() {
    for kind in Kind::ALL {
        // Walks need binary predicates.
        let walks = matches!(kind, Kind::RrbmC | Kind::RrbmE);
        let data = domain(if walks { Domain::Movies } else { Domain::University }, 0.2);
        let settings: &[&str] = if kind == Kind::LrbmBoost { &["subsample=0.7", "early_stopping=3"] } else { &[] };
        let params = params(kind, settings);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = learn_any(kind, &data, &params, 11).model;
                let psi = model.score(&data.database, data.target, &data.examples).unwrap().scores;
                let bits: Vec<u64> = psi.iter().map(|psi| psi.to_bits()).collect();
                (model.to_json(), bits)
            })
        };
        let one = run(1);
        assert!(run(2) == one, "{kind}: two threads differ from one");
        assert!(run(8) == one, "{kind}: eight threads differ from one");
    }
}

/// Time and memory limits rely on every learner and model polling for cancellation in all threads.
#[test]
fn every_kind_can_be_cancelled() {
    let data = domain(Domain::Movies, 0.2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let cancel_after = |max_polls: usize, work: &(dyn Fn() + Sync)| {
        polls.store(0, Relaxed);
        let counter = Arc::clone(&polls);
        let check: Check = Arc::new(move || {
            if counter.fetch_add(1, Relaxed) >= max_polls {
                resume_unwind(Box::new("cancelled"));
            }
        });
        pool.broadcast(|_| cancel::set(Some(check.clone())));
        let ended = pool.install(|| catch_unwind(AssertUnwindSafe(work)));
        (polls.load(Relaxed), ended.map_err(|payload| payload.downcast_ref::<&str>().copied()))
    };
    let check = |name: &str, work: &(dyn Fn() + Sync), min_polls: usize| {
        let (all, ended) = cancel_after(usize::MAX, work);
        assert_eq!(ended, Ok(()));
        assert!(all >= min_polls, "{name} polled {all} times");
        // Two threads may repeat work, so the number of polls varies.
        for max_polls in [0, all / 2] {
            assert_eq!(cancel_after(max_polls, work).1, Err(Some("cancelled")), "{name}: {max_polls} of {all}");
        }
    };
    check("data", &|| drop(domain(Domain::Movies, 0.2)), 5);
    for kind in Kind::ALL {
        let params = Params::new(kind);
        let learn = || drop(learn_any(kind, &data, &params, 11));
        let model = learn_any(kind, &data, &params, 11).model;
        let score = || drop(model.score(&data.database, data.target, &data.examples).unwrap().scores);
        check(&format!("learning {kind}"), &learn, 10);
        check(&format!("scoring {kind}"), &score, 1);
    }
}

#[test]
fn models_round_trip_through_files() {
    let data = domain(Domain::Movies, 0.1);
    let directory = tempfile::tempdir().unwrap();
    for kind in Kind::ALL {
        let model = learn_any(kind, &data, &Params::new(kind), 5).model;
        let path = directory.path().join(format!("{kind}.json"));
        model.save(&path).unwrap();
        let again = SavedModel::load(&path).unwrap();
        assert_eq!(again.to_json(), model.to_json());
        assert_eq!(again.describe(), model.describe());
        let score = |model: &SavedModel| model.score(&data.database, data.target, &data.examples).unwrap().scores;
        assert_eq!(score(&again), score(&model));
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), Kind::ALL.len());
}

/// A small dataset with the rule `happy(X) :- friend(X, Y), rich(Y)` and a numeric level.
fn toy() -> (tempfile::TempDir, Dataset) {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write(
        "bk.txt",
        "mode: happy(+person).\nmode: friend(+person,-person).\nmode: rich(+person).\nmode: level(+person,#level).\n",
    );
    write(
        "facts.txt",
        "friend(a,b). friend(c,b). friend(d,e). friend(f,d). rich(b). rich(f). level(d,3). level(a,high).",
    );
    write("pos.txt", "happy(a). happy(c).");
    write("neg.txt", "happy(d). happy(f). happy(b).");
    let loaded = load(directory.path(), &LoadOptions::default()).unwrap();
    (directory, loaded)
}

fn golden() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/learn/model-v1.json");
    std::fs::read_to_string(path).unwrap()
}

/// The file was written by version 1 of the format and must stay readable: never regenerate it.
#[test]
fn format_version_1_still_loads() {
    let model = TreeModel::from_json(&golden()).unwrap();
    assert_eq!((model.header.kind, model.target_name(), model.target_arity()), (Kind::LrbmBoost, "happy", 1));
    assert_eq!((model.prior, model.step, model.header.seed, model.header.trained_on), (-1.8, 0.5, 9, (2, 3)));
    assert_eq!(
        model.describe().lines().skip(3).collect::<Vec<_>>(),
        [
            "% The value of a tree is that of its first clause whose body holds; `!` ends the search.",
            "",
            "% tree 1",
            "happy(A, 0.8) :- friend(A, B), rich(B), !. % 2 positive, 0 negative; d=0.1000 c=0.2000 W=0.3000 \
             U0=0.4000 U1=0.5000",
            "happy(A, -0.25) :- \\+ level(A, 3), !. % 0 positive, 1 negative",
            "happy(A, -0.5). % 0 positive, 2 negative",
            "",
            "% tree 2",
            "happy(A, 0.0625) :- level(A, \"no such level\"), !. % 0 positive, 0 negative",
            "happy(A, 0.125). % 2 positive, 3 negative",
        ]
    );
    let (_directory, toy) = toy();
    let psi = model.score(&toy.database, toy.target, &toy.examples).unwrap().scores;
    // a and c have a rich friend; d has level 3; b and f do not. No example has the unknown level.
    // Negatives are in the order b, d, f.
    assert_eq!(psi, [0.8, 0.8, -0.25, -0.5, -0.25].map(|value: f64| -1.8 + 0.5 * value + 0.5 * 0.125));
    // Only the name of the format has changed since.
    assert_eq!(model.to_json(), golden().replace("\"lrbm model\"", "\"lrbm-trees\""));
    assert!(model.to_dot().contains("t0n0 [shape=box, label=\"friend(A, B), rich(B)\"];"));
    assert!(model.to_dot().contains("label=\"level(A, \\\"no such level\\\")\""));
}

#[test]
fn unknown_predicates_cover_nothing() {
    // Without levels, the negated literal covers every example, the other none.
    let text = golden();
    let model = TreeModel::from_json(&text).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("bk.txt", "mode: happy(+person).\nmode: friend(+person,-person).\n");
    write("facts.txt", "friend(a,b). friend(d,e).");
    write("pos.txt", "happy(a).");
    write("neg.txt", "happy(d).");
    let other = load(directory.path(), &LoadOptions::default()).unwrap();
    let psi = model.score(&other.database, other.target, &other.examples).unwrap().scores;
    assert_eq!(psi, [-1.8 + 0.5 * -0.25 + 0.5 * 0.125; 2]);
}

#[test]
fn invalid_model_files_are_rejected() {
    let error = |text: &str| TreeModel::from_json(text).unwrap_err().to_string();
    assert!(error("{").starts_with("not a model: EOF"));
    assert!(error("{}").contains("it has no format; expected \"lrbm-trees\""));
    let newer = golden().replace("\"version\": 1", "\"version\": 9");
    assert!(matches!(TreeModel::from_json(&newer), Err(FileError::Newer { found: 9, .. })));
    let many = golden().replacen("\"yes\": 1", "\"at_least\": 101, \"yes\": 1", 1);
    assert!(error(&many).contains("a test requires 101 groundings; expected 1 to 100"));
    assert!(error(&golden().replace("lrbm-boost", "lrbm-bost")).contains("unknown kind of model `lrbm-bost`"));
    assert!(error(&golden().replace("\"yes\": 1", "\"yes\": 7")).contains("tree 0: node 0"));
    assert!(
        error(&golden().replace("\"variable\": 1", "\"variable\": 4000000000"))
            .contains("variable number must be at most 9999, got 4000000000")
    );
    let wide = golden().replacen("\"arity\": ", "\"arity\": 400000000", 1);
    let message = error(&wide);
    assert!(message.contains("arity must be at most 9999, got 400000000"), "{message}");
    assert!(error(&golden().replace("\"prior\": -1.8", "\"prior\": \"x\"")).contains("prior"));
    let missing = TreeModel::load(Path::new("no/such/model.json")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/model.json: "), "{missing}");
}

/// People with three friends or more are happy: only a count test separates them.
#[test]
fn count_tests_are_learned_and_round_trip() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let friends = |person: usize| (0..1 + person % 5).map(move |k| format!("friend(p{person},q{k}{person})."));
    let happy =
        |is: bool| (0..40).filter(move |person| (person % 5 >= 2) == is).map(|person| format!("happy(p{person})."));
    write("bk.txt", "mode: happy(+person).\nmode: friend(+person,-person).\n");
    write("facts.txt", &(0..40).flat_map(friends).collect::<String>());
    write("pos.txt", &happy(true).collect::<String>());
    write("neg.txt", &happy(false).collect::<String>());
    let data = load(directory.path(), &LoadOptions::default()).unwrap();
    let settings = ["trees=1", "max_leaves=2", "node_size=1", "leaf_fit=closed-form"];
    let without = learn(Kind::LrbmBoost, &data, &params(Kind::LrbmBoost, &settings), 1).model;
    assert_eq!(without.trees()[0].leaves(), 1);
    let with = params(Kind::LrbmBoost, &[&settings[..], &["counts=true"]].concat());
    let model = learn(Kind::LrbmBoost, &data, &with, 1).model;
    let text = model.describe();
    assert!(text.contains(" :- at_least(3, (friend(A, C))), !. % 24 positive, 0 negative"), "{text}");
    assert!(model.to_dot().contains("label=\"at_least(3, (friend(A, C)))\""));

    let json = model.to_json();
    assert!(json.contains("\"version\": 2") && json.contains("\"at_least\": 3"));
    let again = TreeModel::from_json(&json).unwrap();
    assert_eq!(again.to_json(), json);
    let score = |model: &TreeModel| model.score(&data.database, data.target, &data.examples).unwrap().scores;
    assert_eq!(score(&again), score(&model));
    for (psi, example) in score(&model).into_iter().zip(&data.examples) {
        // The prior plus twice the mean gradient of a side: 1 − P or −P.
        let p = 1.0 / (1.0 + 1.8f64.exp());
        let expected = -1.8 + 2.0 * if example.positive { 1.0 - p } else { -p };
        assert!((psi - expected).abs() < 1e-12, "{psi} is not {expected}");
    }
}

#[test]
fn toy_rule_is_learned() {
    let (_directory, toy) = toy();
    let trained = learn(Kind::RdnBoost, &toy, &params(Kind::RdnBoost, &["trees=1"]), 1);
    // P = σ(−1.8) = 0.14185…: the positives' gradient is 1 − P, the negatives' is −P.
    let p = 1.0 / (1.0 + 1.8f64.exp());
    let leaves: Vec<(f64, u32, u32)> = trained.model.trees()[0]
        .paths()
        .iter()
        .map(|path| (path.leaf.value, path.leaf.positives, path.leaf.negatives))
        .collect();
    assert_eq!(leaves.len(), 2);
    assert!((leaves[0].0 - (1.0 - p)).abs() < 1e-12 && (leaves[1].0 + p).abs() < 1e-12, "{leaves:?}");
    assert_eq!((leaves[0].1, leaves[0].2, leaves[1].1, leaves[1].2), (2, 0, 0, 3));
    assert!(trained.model.describe().contains(":- friend(A, B), rich(B), !. % 2 positive, 0 negative"));
    assert!(trained.warnings.is_empty());
}

fn directory(background: &str, facts: &str) -> Dataset {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("bk.txt", background);
    write("facts.txt", facts);
    write("pos.txt", "t(a). t(b).");
    write("neg.txt", "t(c). t(d).");
    load(directory.path(), &LoadOptions::default()).unwrap()
}

#[test]
fn constant_models_are_reported_with_the_reason() {
    // Mean leaves: coordinate descent stops early and may prefer even a useless test.
    let codes = |background: &str, facts: &str| {
        let data = directory(background, facts);
        let trained = learn(Kind::RdnBoost, &data, &Params::new(Kind::RdnBoost), 1);
        let psi = trained.model.score(&data.database, data.target, &data.examples).unwrap().scores;
        assert!(psi.iter().all(|&one| one == psi[0] && one.is_finite()), "{psi:?}");
        assert_eq!(trained.model.trees().len(), 20);
        trained.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("mode: t(+x).", "p(a)."), ["no-modes"]);
    assert_eq!(codes("mode: t(+x). mode: q(+x).", "p(a)."), ["no-facts", "nothing-learned"]);
    assert_eq!(codes("mode: t(+x). mode: p(+x). mode: q(+x).", "p(a). p(c)."), ["no-facts", "nothing-learned"]);
    assert_eq!(codes("mode: t(+x). mode: p(+x).", "p(a). p(b). p(c). p(d)."), ["nothing-learned"]);
}

#[test]
fn rules_of_growth_are_named_where_they_may_have_rejected_a_test() {
    // `p` separates the examples, but a node of four is too small to split.
    let data = directory("mode: t(+x). mode: p(+x).", "p(a). p(b).");
    let params = lrbm::params::Unchecked::new(Kind::RdnBoost).preset(lrbm::Preset::Paper).check().unwrap();
    let warnings = learn(Kind::RdnBoost, &data, &params, 1).warnings;
    assert_eq!(warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), ["nothing-learned"]);
    let message = &warnings[0].message;
    assert!(
        message.contains("passes the rules of growth (min_split, min_variance, max_share, test_seeds)"),
        "{message}"
    );
}

#[test]
fn single_class_data_are_rejected() {
    let data = directory("mode: t(+x). mode: p(+x).", "p(a).");
    let only: Vec<_> = data.examples.iter().filter(|example| example.positive).cloned().collect();
    for kind in Kind::ALL {
        let error = train(kind, &data.database, data.target, &only, &Params::new(kind), 1, &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "t/1 has 2 positive and 0 negative training examples: give at least one of each");
        let none = train(kind, &data.database, data.target, &[], &Params::new(kind), 1, &mut |_| {});
        assert!(matches!(none, Err(LearnError::OneClass { positives: 0, negatives: 0, .. })));
    }
}

#[test]
fn scoring_another_arity_is_rejected() {
    let model = TreeModel::from_json(&golden()).unwrap();
    let movies = domain(Domain::Movies, 0.0);
    let error = model.score(&movies.database, movies.target, &movies.examples).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model predicts happy/1, and the examples are of workedunder/2: use a model of the same arity"
    );
}

#[test]
fn distilled_tree_matches_its_ensemble() {
    let data = domain(Domain::Movies, 0.1);
    let ensemble = learn(Kind::LrbmBoost, &data, &Params::new(Kind::LrbmBoost), 5).model;
    let (database, target, examples) = (&data.database, data.target, data.examples.as_slice());
    let task = Task { database, target, examples, seed: 5, resources: Resources::default() };
    let learner = LrbmExplainable { params: LrbmExplainable::params().build().unwrap(), from: Some(ensemble) };
    let from_model = learner.fit(&task, &mut |_| {}).unwrap().model;
    assert_eq!(from_model.trees().len(), 1);
    assert!(from_model.fidelity.unwrap().r_squared > 0.9, "{:?}", from_model.fidelity);
    // Learning the ensemble first gives the same ensemble, hence the same tree.
    let from_scratch = learn(Kind::LrbmExplainable, &data, &Params::new(Kind::LrbmExplainable), 5).model;
    assert_eq!(from_scratch.to_json(), from_model.to_json());
}

#[test]
fn early_stopping_keeps_the_best_trees() {
    let data = domain(Domain::University, 0.3);
    let all = learn(Kind::RdnBoost, &data, &params(Kind::RdnBoost, &["trees=60"]), 2);
    let few = learn(Kind::RdnBoost, &data, &params(Kind::RdnBoost, &["trees=60", "early_stopping=3"]), 2);
    assert_eq!(all.model.trees().len(), 60);
    assert!((1..60).contains(&few.model.trees().len()));
    assert_eq!(few.statistics.trees as usize, few.model.trees().len());
}

#[test]
fn progress_reports_every_tree() {
    let data = domain(Domain::Movies, 0.0);
    let mut reports = Vec::new();
    let params = params(Kind::LrbmBoost, &["trees=4"]);
    let mut report = |at: Progress<'_>| reports.push((at.done, at.of, at.log_likelihood()));
    train(Kind::LrbmBoost, &data.database, data.target, &data.examples, &params, 1, &mut report).unwrap();
    assert_eq!(reports.iter().map(|&(done, of, _)| (done, of)).collect::<Vec<_>>(), [(1, 4), (2, 4), (3, 4), (4, 4)]);
    assert!(reports.windows(2).all(|pair| pair[1].2 > pair[0].2), "{reports:?}");
}

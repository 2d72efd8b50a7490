//! Multi-class targets, from the files to the network.

use std::fs;
use std::path::Path;

use crate::common::params::params;
use crate::common::program;
use lrbm::internal::data::benchmark::{Benchmark, Variant};
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::Domain;
use lrbm::internal::data::load::{Dataset, LoadOptions, load};
use lrbm::internal::data::split::SplitOptions;
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::Example;
use lrbm::internal::learn::{Kind, LearnError, Method, Model, Params, ScoreError, TreeModel, train};
use lrbm::internal::math::sigmoid;
use lrbm::internal::rbm::Network;

fn learn(kind: Kind, data: &Dataset, params: &Params) -> TreeModel {
    let trained = train(kind, &data.database, data.target, &data.examples, params, 1, &mut |_| {});
    trained.unwrap().into_trees().unwrap().model
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(directory).unwrap();
    for (name, text) in files {
        fs::write(directory.join(format!("{name}.txt")), text).unwrap();
    }
}

fn read(files: &[(&str, &str)]) -> Result<Dataset, String> {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), files);
    load(home.path(), &LoadOptions::default()).map_err(|error| error.to_string())
}

fn movies() -> Dataset {
    load_domain(Domain::MoviesClasses, &Domain::MoviesClasses.settings()).unwrap()
}

fn log_odds(model: &dyn Model, data: &Dataset) -> Vec<Vec<f64>> {
    model.score_classes(&data.database, data.target, &data.examples).unwrap().scores
}

/// Returns the accuracy of the most likely class.
fn accuracy(model: &dyn Model, data: &Dataset) -> f64 {
    let odds = log_odds(model, data);
    let own = |(i, example): &(usize, &Example)| {
        let own = odds[example.class as usize][*i];
        odds.iter().all(|row| row[*i] <= own)
    };
    data.examples.iter().enumerate().filter(own).count() as f64 / data.examples.len() as f64
}

#[test]
fn class_argument_is_removed_from_the_target() {
    let modes =
        "mode: likes(+person,+thing,#level!1). mode: near(+person,+thing). mode: far(+thing,-thing), target=likes/3.";
    let data = read(&[
        ("bk", modes),
        ("facts", "near(ann,tea). far(tea,mud). likes(ann,tea,low)."),
        ("pos", "likes(ann,tea,10). likes(bob,tea,9). likes(bob,mud,low). 2 likes(ann,mud,9)."),
        ("neg", ""),
    ])
    .unwrap();
    assert_eq!(data.database.predicates.show(data.target).to_string(), "likes/2");
    assert_eq!(data.database.classes_of(data.target).unwrap(), ["9", "10", "low"]);
    let labels: Vec<(usize, u32, f64)> = data.examples.iter().map(|e| (e.args.len(), e.class, e.weight)).collect();
    assert_eq!(labels, [(2, 0, 2.0), (2, 1, 1.0), (2, 2, 1.0), (2, 0, 1.0)]);
    let of_files: Vec<u32> = data.file_order.iter().map(|&i| data.examples[i as usize].class).collect();
    assert_eq!(of_files, [1, 0, 2, 0]);
    // No mode uses facts with the class, and modes of the target lose the class argument.
    let labelled = data.database.predicates.find("likes", 3).unwrap();
    assert!(data.database.schema.modes().iter().all(|mode| mode.predicate != labelled));
    assert!(data.database.schema.modes().iter().any(|mode| mode.target == Some(data.target)));
    // With negatives, the last argument is an ordinary one.
    let plain = read(&[("bk", modes), ("facts", "near(ann,tea)."), ("pos", "likes(a,b,1)."), ("neg", "likes(a,b,2).")]);
    let plain = plain.unwrap();
    assert_eq!(plain.database.predicates.show(plain.target).to_string(), "likes/3");
    assert!(plain.database.classes.is_none());
}

#[test]
fn examples_have_exactly_one_class() {
    let files = |pos| [("bk", "mode: h(+x,#c!1). mode: p(+x)."), ("facts", "p(a)."), ("pos", pos), ("neg", "")];
    let error = read(&files("h(a,1).\nh(b,1).\nh(a,2).")).unwrap_err();
    assert!(error.contains("error[two-classes]: h(a, 1) in line 1 and h(a, 2) in line 3"), "{error}");
    // Duplicates are merged.
    assert_eq!(read(&files("h(a,1). h(b,2). h(a,1).")).unwrap().examples.len(), 2);
    let one = read(&files("h(a,1). h(b,1).")).unwrap();
    let error =
        train(Kind::LrbmBoost, &one.database, one.target, &one.examples, &Params::new(Kind::LrbmBoost), 1, &mut |_| {});
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "all training examples of h/1 are of class 1: give examples of at least two classes");
}

#[test]
fn classes_of_one_example_are_reported() {
    let background = "mode: h(+x,#c!1). mode: p(+x).";
    let warnings = |pos: String| -> Vec<String> {
        let data = read(&[("bk", background), ("facts", "p(a0)."), ("pos", pos.as_str()), ("neg", "")]).unwrap();
        let single = data.warnings.warnings().filter(|warning| warning.code == "single-example");
        single.map(|warning| format!("{}; {}", warning.message, warning.help)).collect()
    };
    let examples = |classes: &[&str], n: usize| -> String {
        (0..n).map(|i| format!("h(a{i}, {}). ", classes[i % classes.len()])).collect()
    };
    assert_eq!(warnings(examples(&["low", "high"], 12)), [""; 0]);
    let misspelt = examples(&["low", "high"], 12) + "h(b, hihg).";
    let help = "did you mean `high`? a class needs examples both to learn from and to test with";
    assert_eq!(warnings(misspelt), [format!("only 1 of 13 examples of h has class hihg; {help}")]);
    // Few examples say nothing.
    assert_eq!(warnings("h(a, low). h(b, high).".to_owned()), [""; 0]);
}

#[test]
fn planted_rules_of_four_classes_are_learned() {
    let data = movies();
    for kind in [Kind::LrbmBoost, Kind::LrbmNoBoost, Kind::LrbmExplainable, Kind::RdnBoost] {
        let model = learn(kind, &data, &Params::new(kind));
        assert!(accuracy(&model, &data) > 0.97, "{kind}: {}", accuracy(&model, &data));
        assert_eq!(model.class_names().unwrap(), ["0", "1", "2", "3"]);
        assert_eq!(model.trees().len() % 4, 0);
        // Probabilities sum to one.
        let odds = log_odds(&model, &data);
        for i in 0..data.examples.len() {
            let total: f64 = odds.iter().map(|row| sigmoid(row[i])).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
        // Leaves count the examples of their class.
        let classes = model.classes.as_ref().unwrap();
        for (class, trees) in model.sums().enumerate() {
            let leaves = trees[0].nodes().iter().filter_map(|node| match node {
                lrbm::internal::tree::Node::Leaf(leaf) => Some((u64::from(leaf.positives), u64::from(leaf.negatives))),
                lrbm::internal::tree::Node::Split(_) => None,
            });
            let (own, others) = leaves.fold((0, 0), |sum, leaf| (sum.0 + leaf.0, sum.1 + leaf.1));
            assert_eq!((own, own + others), (classes.trained_on[class], data.examples.len() as u64), "{kind}");
        }
        if kind == Kind::LrbmExplainable {
            assert!(model.fidelity.unwrap().r_squared > 0.8, "{:?}", model.fidelity);
        }
    }
    // Other kinds as well.
    let settings = lrbm::internal::data::generate::GeneratorSettings::new(1, 77, 0.0).unwrap();
    let elsewhere = load_domain(Domain::MoviesClasses, &settings).unwrap();
    let model = learn(Kind::LrbmBoost, &data, &Params::new(Kind::LrbmBoost));
    assert!(accuracy(&model, &elsewhere) > 0.97, "{}", accuracy(&model, &elsewhere));
}

#[test]
fn subsampling_and_early_stopping_are_stratified_by_class() {
    let data = movies();
    let settings = ["trees=8", "subsample=0.5", "early_stopping=3", "held_out=0.2"];
    let model = learn(Kind::LrbmBoost, &data, &params(Kind::LrbmBoost, &settings));
    assert!(accuracy(&model, &data) > 0.9, "{}", accuracy(&model, &data));
    let few = read(&[
        ("bk", "mode: h(+x,#c!1). mode: p(+x)."),
        ("facts", "p(a)."),
        ("pos", "h(a,1). h(b,1). h(c,2)."),
        ("neg", ""),
    ])
    .unwrap();
    let settings = params(Kind::LrbmBoost, &settings);
    let error = train(Kind::LrbmBoost, &few.database, few.target, &few.examples, &settings, 1, &mut |_| {});
    assert_eq!(error.unwrap_err(), LearnError::TooFewOfClass { class: "2".into() });
}

/// Trees with mean gradients differ only in sign between two classes, so their log-odds move twice
/// per round.
#[test]
fn two_classes_equal_one_psi_at_half_the_step() {
    let mut binary = load_domain(Domain::Movies, &Domain::Movies.settings()).unwrap();
    // Examples with classes are in the order of their arguments, whatever their class.
    binary.examples.sort_by(|a, b| a.args.cmp(&b.args));
    let home = tempfile::tempdir().unwrap();
    lrbm::internal::data::generate::write_directory(Domain::Movies, &Domain::Movies.settings(), home.path()).unwrap();
    // The same examples, with the label as class.
    let atoms: Vec<String> = binary
        .examples
        .iter()
        .map(|example| {
            let atom = binary.database.show_atom(binary.target, &example.args);
            format!("{},{}).", atom.trim_end_matches(')'), u8::from(example.positive))
        })
        .collect();
    let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
    for path in names {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let new = if name.contains("pos") {
            atoms.join("\n")
        } else if name.contains("neg") {
            String::new()
        } else {
            text.replace("workedunder(+person,+person)", "workedunder(+person,+person,#label!1)")
        };
        fs::write(path, new).unwrap();
    }
    let options = LoadOptions { target: Some("workedunder".into()), ..LoadOptions::default() };
    let classes = load(home.path(), &options).unwrap();
    assert_eq!(classes.database.classes_of(classes.target).unwrap(), ["0", "1"]);
    for kind in [Kind::RdnBoost, Kind::LrbmBoost] {
        let leaf = if kind == Kind::LrbmBoost { &["leaf_fit=closed-form"][..] } else { &[] };
        let settings = |step| params(kind, &[&["trees=6", "prior=log-odds", step], leaf].concat());
        let one = learn(kind, &binary, &settings("step=1"));
        let two = learn(kind, &classes, &settings("step=0.5"));
        let psi = one.score(&binary.database, binary.target, &binary.examples).unwrap().scores;
        let odds = log_odds(&two, &classes);
        for (i, psi) in psi.iter().enumerate() {
            assert!((odds[1][i] - psi).abs() < 1e-9 * (1.0 + psi.abs()), "{kind}: {} {psi}", odds[1][i]);
            assert!((odds[0][i] + psi).abs() < 1e-9 * (1.0 + psi.abs()));
        }
    }
}

#[test]
fn class_facts_do_not_leak() {
    // Random classes without predictive facts, but with the class facts among the facts.
    let mut stream = Stream::new(3, &["leak"]);
    let (mut pos, mut facts) = (String::new(), String::from("thing(t0)."));
    for i in 0..120 {
        let class = stream.index(3);
        pos += &format!("kind(t{i},c{class}).\n");
        facts += &format!("thing(t{i}). kind(t{i},c{class}). same(t{i},t{i}).\n");
    }
    let modes =
        "mode: kind(+thing,#class!1). mode: kind(+thing,-class). mode: thing(+thing). mode: same(+thing,-thing).";
    let data = read(&[("bk", modes), ("facts", &facts), ("pos", &pos), ("neg", "")]).unwrap();
    for preset in [&[][..], &["node_size=3", "path_length=3"]] {
        let model = learn(Kind::LrbmBoost, &data, &params(Kind::LrbmBoost, preset));
        assert!(accuracy(&model, &data) < 0.5, "{}", model.describe());
        assert!(!model.describe().contains("kind(A, c"), "{}", model.describe());
    }
    // A dataset removes the class facts.
    let home = tempfile::tempdir().unwrap();
    write(home.path(), &[("bk", modes), ("facts", &facts), ("pos", &pos), ("neg", "")]);
    let dataset = Benchmark::of_directory(home.path(), &LoadOptions::default(), &Variant::default()).unwrap();
    let fold = dataset.fold(0, &SplitOptions::new(1)).unwrap();
    let labelled = fold.train.database.predicates.find("kind", 2).unwrap();
    assert!(fold.train.database.facts.relation(labelled).is_empty());
    assert!(dataset.warnings().to_string().contains("target-in-evidence"));
}

#[test]
fn multiclass_network_equals_the_ensemble() {
    let data = movies();
    let model = learn(Kind::LrbmBoost, &data, &params(Kind::LrbmBoost, &["trees=5"]));
    let before = log_odds(&model, &data);
    let close = |network: &Network| {
        for (a, b) in before.iter().flatten().zip(log_odds(network, &data).iter().flatten()) {
            assert!((sigmoid(*a) - sigmoid(*b)).abs() < 1e-12, "{a} {b}");
        }
    };
    let network = model.to_network(Method::Exact).unwrap();
    assert_eq!(Network::classes(&network), ["0", "1", "2", "3"]);
    close(&network);
    close(&network.merged());
    assert!(network.merged().hidden().len() < network.hidden().len());
    close(&Network::from_json(&network.to_json()).unwrap());
    assert!(network.to_json().contains("\"version\": 1"), "networks always knew several classes");
    assert!(model.to_network(Method::Paper).unwrap_err().to_string().contains("use --method exact"));
}

#[test]
fn models_store_classes_and_reject_others() {
    let data = movies();
    let model = learn(Kind::LrbmBoost, &data, &params(Kind::LrbmBoost, &["trees=2"]));
    let text = model.to_json();
    assert!(text.contains("\"version\": 4"));
    let again = TreeModel::from_json(&text).unwrap();
    assert_eq!((again.to_json(), &again.classes), (text.clone(), &model.classes));
    assert_eq!(log_odds(&again, &data), log_odds(&model, &data));
    assert!(model.describe().contains("% tree 2 of class 3") && model.describe().contains("of class 0, "));
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut wrong = |change: &dyn Fn(&mut serde_json::Value), message: &str| {
        let before = file.clone();
        change(&mut file);
        let error = TreeModel::from_json(&file.to_string()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        file = before;
    };
    wrong(&|file| file["classes"]["names"][1] = "0".into(), "two of its classes have the same name");
    wrong(&|file| drop(file["classes"]["priors"].as_array_mut().unwrap().pop()), "3 priors and 4 numbers of examples");
    wrong(
        &|file| drop(file["trees"].as_array_mut().unwrap().pop()),
        "expected the same number of trees for each of 4 classes, got 7 trees",
    );
    wrong(&|file| file["classes"]["names"] = serde_json::json!(["0"]), "expected at least two classes");
    // Queries of the wrong type of model.
    let error = model.score(&data.database, data.target, &data.examples).unwrap_err();
    assert!(matches!(error, ScoreError::Classes { .. }));
}

#[test]
fn binary_only_options_are_rejected_for_classes() {
    let mut data = movies();
    for (setting, words) in
        [("recursive=true", "recursive = true supports binary targets only"), ("positive_weight=2", "positive_weight")]
    {
        let params = params(Kind::LrbmBoost, &[setting]);
        let error = train(Kind::LrbmBoost, &data.database, data.target, &data.examples, &params, 1, &mut |_| {});
        assert!(error.unwrap_err().to_string().contains(words));
    }
    // An example of weight 2 equals two copies.
    let double = |example: &Example| Example { weight: 2.0, ..example.clone() };
    let twice: Vec<Example> = data.examples.iter().flat_map(|example| [example.clone(), example.clone()]).collect();
    let weighted: Vec<Example> = data.examples.iter().map(double).collect();
    let settings = params(Kind::RdnBoost, &["trees=2", "prior=log-odds"]);
    data.examples = twice;
    let repeated = learn(Kind::RdnBoost, &data, &settings);
    data.examples = weighted;
    let weighted = learn(Kind::RdnBoost, &data, &settings);
    for (a, b) in log_odds(&repeated, &data).iter().flatten().zip(log_odds(&weighted, &data).iter().flatten()) {
        assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn folds_are_stratified_by_class() {
    let nowhere = lrbm::internal::data::store::Store::open("does-not-exist");
    let dataset = Benchmark::open("movies-classes", &nowhere, &Variant::default()).unwrap();
    let counts = |examples: &[Example]| -> Vec<usize> {
        (0..4).map(|class| examples.iter().filter(|example| example.class == class).count()).collect()
    };
    let folds: Vec<_> = (0..5).map(|index| dataset.fold(index, &SplitOptions::new(7)).unwrap()).collect();
    for class in 0..4 {
        let sizes: Vec<usize> = folds.iter().map(|fold| counts(&fold.test.examples)[class]).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
    }
    assert!(
        folds.iter().all(|fold| fold.counts.test.negatives() == 0 && fold.train.examples.iter().all(|e| e.positive))
    );
}

#[test]
fn last_argument_of_a_target_can_become_the_class() {
    let home = tempfile::tempdir().unwrap();
    let modes = "mode: plays(+team,+sport). mode: member(-person,+team). mode: does(+person,+sport). mode: does(-person,+sport).";
    let (mut pos, mut facts) = (String::new(), String::new());
    for (k, sport) in ["chess", "golf", "polo"].into_iter().enumerate() {
        for i in 0..10 {
            pos += &format!("plays(t{k}_{i},{sport}). ");
            facts += &format!("member(p{k}_{i},t{k}_{i}). does(p{k}_{i},{sport}). ");
        }
    }
    pos += "plays(both,golf). plays(both,polo). plays(one,dice). plays(two,dice).";
    write(home.path(), &[("bk", modes), ("facts", &facts), ("pos", &pos), ("neg", "plays(t0_0,golf).")]);
    let variant = Variant { classes: true, class_size: 3, ..Variant::default() };
    let dataset = Benchmark::of_directory(home.path(), &LoadOptions::default(), &variant).unwrap();
    assert!(dataset.warnings().to_string().contains("2 examples of plays are dropped"), "{}", dataset.warnings());
    assert!(dataset.warnings().to_string().contains("fewer than 3 have class dice"), "{}", dataset.warnings());
    let fold = dataset.fold(0, &SplitOptions::new(1)).unwrap();
    let database = &fold.train.database;
    assert_eq!(database.classes_of(fold.train.target).unwrap(), ["chess", "golf", "polo"]);
    let shown: Vec<String> = database
        .schema
        .modes()
        .iter()
        .map(|mode| database.schema.show(mode, &database.predicates, &database.symbols).to_string())
        .collect();
    assert!(
        shown.contains(&"does(+person,#sport)".to_owned()) && shown.contains(&"plays(+team)".to_owned()),
        "{shown:?}"
    );
    let params = Params::new(Kind::LrbmBoost);
    let trained = train(Kind::LrbmBoost, database, fold.train.target, &fold.train.examples, &params, 1, &mut |_| {});
    let model = trained.unwrap().model;
    let part = &fold.test;
    let odds = model.score_classes(&part.database, part.target, &part.examples).unwrap().scores;
    for (i, example) in part.examples.iter().enumerate() {
        assert!(odds.iter().all(|row| row[i] <= odds[example.class as usize][i]), "{}", model.describe());
    }
    let error = Benchmark::open("movies", &lrbm::internal::data::store::Store::open("nowhere"), &variant)
        .unwrap_err()
        .to_string();
    assert!(error.contains("does not support `classes"), "{error}");
}

fn lrbm(home: &Path, line: &str) -> (Option<i32>, String, String) {
    program::lrbm(home, &line.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn commands_support_classes() {
    let home = tempfile::tempdir().unwrap();
    let done = |line: &str| {
        let (code, out, err) = lrbm(home.path(), line);
        assert_eq!(code, Some(0), "{line}: {err}");
        out
    };
    done("datasets generate movies-classes --out data");
    let out = done("train --data data --target collaborated --out m.json --set trees=5 --audit -q");
    assert!(
        out.contains("lrbm-boost for collaborated/2, 20 trees") && out.contains("of the classes 0, 1, 2, 3"),
        "{out}"
    );
    let out = done("predict --model m.json --data data --out scores.csv --all-metrics");
    assert!(out.starts_with("AUC-ROC 1.0") || out.starts_with("AUC-ROC 0.99"), "{out}");
    for word in
        ["(mean over 4 classes)", "accuracy 0.9", "f1_macro", "log_loss", "examples of 3", "probability_2 is of 2"]
    {
        assert!(out.contains(word) || out.contains(&word.replace("0.9", "1.0")), "{word}: {out}");
    }
    let scores = fs::read_to_string(home.path().join("scores.csv")).unwrap();
    let mut lines = scores.lines();
    assert_eq!(lines.next(), Some("example,class,decision,probability_0,probability_1,probability_2,probability_3"));
    let row: Vec<&str> = lines.next().unwrap().split(',').collect();
    let total: f64 = row[row.len() - 4..].iter().map(|p| p.parse::<f64>().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-12 && row[0].starts_with("\"collaborated("), "{row:?}");
    // Networks: converted, pruned, scored and explained.
    let out = done("convert --model m.json --data data --simplify --out n.json --svg n.svg");
    assert!(out.contains("4 classes") && out.contains("P differs by") && out.contains("accuracy"), "{out}");
    let of = |text: &str| text.lines().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(of(&done("predict --model n.json --data data")), of(&done("predict --model m.json --data data")));
    done("convert --model n.json --data data --max-hidden 6 --out small.json");
    let small = done("predict --model small.json --data data");
    assert!(small.starts_with("AUC-ROC 0.9") || small.starts_with("AUC-ROC 1.0"), "{small}");
    let pos = fs::read_to_string(home.path().join("data/train_pos.txt")).unwrap();
    let first = pos.lines().find(|line| line.starts_with("collaborated(")).unwrap();
    let args: Vec<&str> = first.trim_start_matches("collaborated(").trim_end_matches(").").split(',').collect();
    let query = format!("collaborated({},{})", args[0].trim(), args[1].trim());
    for model in ["m.json", "n.json"] {
        let why = done(&format!("explain --model {model} --data data --query {query}"));
        assert!(why.contains("probabilities: 0 ") && why.contains("in the data it is an example of class"), "{why}");
        let why = done(&format!("explain --model {model} --data data --query {query} --class 2"));
        assert!(why.contains("the log-odds of 2 against"), "{why}");
    }
    let measured = done("explain --model n.json --data data --importance");
    assert!(measured.contains("of class 3") && measured.contains("actedin/2"), "{measured}");
    let (code, _, err) = lrbm(home.path(), &format!("explain --model m.json --data data --query {query} --class 7"));
    assert!(code == Some(2) && err.contains("the classes are 0, 1, 2, 3"), "{err}");
    // Rules of several classes, with weights fitted to data.
    let rules = "0 collaborated(_, _) = 0. collaborated(A, B) = 1 :- actedin(A, M), directedby(M, B).
        collaborated(A, B) = 2 :- directedby(M, A), actedin(B, M). collaborated(A, B) = 3 :- actedin(A, M), actedin(B, M).";
    fs::write(home.path().join("rules.txt"), rules).unwrap();
    done("train --kind lrbm-weights --rules rules.txt --data data --target collaborated --out w.json");
    let out = done("predict --model w.json --data data");
    assert!(out.contains("accuracy 0.9") || out.contains("accuracy 1.0"), "{out}");
    // A class unknown to the model, and data without classes.
    write(
        &home.path().join("other"),
        &[("facts", "actedin(a,m)."), ("pos", "collaborated(a,b,1). collaborated(b,c,9).")],
    );
    let (code, _, err) = lrbm(home.path(), "predict --model m.json --data other");
    assert!(code == Some(2) && err.contains("there are examples of class 9"), "{err}");
    write(
        &home.path().join("plain"),
        &[("facts", "actedin(a,m)."), ("pos", "collaborated(a,b)."), ("neg", "collaborated(b,c).")],
    );
    let (code, _, err) = lrbm(home.path(), "predict --model m.json --data plain");
    assert!(code == Some(2) && err.contains("examples are positive or negative"), "{err}");
    let (code, _, err) = lrbm(home.path(), "train --data data --target collaborated --out m.json --set recursive=true");
    assert!(code == Some(2) && err.contains("is a multi-class target"), "{err}");
}

#[test]
fn runs_and_reports_support_classes() {
    let home = tempfile::tempdir().unwrap();
    let spec = |datasets: &str| {
        format!(
            "name = \"mine\"\nabout = \"Which class?\"\nfolds = 2\ndatasets = [{datasets}]\n
            [[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\ntrees = 2\n
            [[model]]\nname = \"One tree\"\nkind = \"lrbm-explainable\"\nfrom = \"Boost\"\n
            [dataset.noisy]\nid = \"movies-classes\"\nnoise = 0.2\n"
        )
    };
    fs::write(home.path().join("mine.toml"), spec("\"movies-classes\", \"noisy\", \"movies\"")).unwrap();
    let done = |line: &str| {
        let (code, out, err) = lrbm(home.path(), line);
        assert_eq!(code, Some(0), "{line}: {err}");
        out
    };
    done("run mine.toml --out run -q");
    let table = fs::read_to_string(home.path().join("run/metrics.csv")).unwrap();
    let heading = table.lines().next().unwrap();
    for column in ["accuracy", "f1_macro", "log_loss", "auc_roc"] {
        assert!(heading.split(',').any(|name| name == column), "{heading}");
    }
    // One prediction per example and class, as in the files.
    let job = "run/jobs/movies-classes/Boost/default";
    let job = fs::read_dir(home.path().join(job)).unwrap().next().unwrap().unwrap().path();
    let record: serde_json::Value = serde_json::from_str(&fs::read_to_string(job.join("run.json")).unwrap()).unwrap();
    assert!(record["result"]["classes"]["accuracy"].as_f64().unwrap() > 0.9, "{record}");
    assert!(record["key"].to_string().contains("movies-classes") && !record["key"].to_string().contains("class_size"));
    done("report run");
    let read = |name: &str| fs::read_to_string(home.path().join("run/tables").join(name)).unwrap();
    // None for the dataset without classes.
    let decisions = read("classes.md");
    assert!(
        decisions.contains("| noisy") && decisions.contains("accuracy") && !decisions.contains("| movies "),
        "{decisions}"
    );
    let variants = read("variants-movies-classes.md");
    assert!(variants.contains("movies-classes |") && variants.contains("noisy |"), "{variants}");
    let page = fs::read_to_string(home.path().join("run/report.html")).unwrap();
    assert!(page.contains("Decisions between classes") && page.contains("Variants of movies-classes side by side"));
    // Without classes both are absent.
    fs::write(
        home.path().join("plain.toml"),
        spec("\"movies\"").replace("[dataset.noisy]", "[dataset.movies]").replace("-classes", ""),
    )
    .unwrap();
    done("run plain.toml --out plain -q");
    let table = fs::read_to_string(home.path().join("plain/metrics.csv")).unwrap();
    assert!(!table.lines().next().unwrap().contains("accuracy"));
    done("report plain");
    assert!(!home.path().join("plain/tables/classes.md").exists());
}

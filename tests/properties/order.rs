//! A dataset is a set: neither the order of files nor anything that does not matter changes a
//! model or a prediction.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use lrbm::internal::data::load::{Dataset, LoadOptions, load};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{TimeRule, TimeSource};
use lrbm::internal::learn::{Kind, Model, SavedModel, Stored, Unchecked, train};
use lrbm::internal::logic::natural;
use lrbm::{LearnError, Preset};
use serde_json::Value;

/// An atom with the line prefix of a weight.
type Atom = (&'static str, Vec<String>);

/// What a random database has besides facts, modes and two labels.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Feature {
    None,
    Classes,
    Recursion,
    Times,
    Weights,
}

impl Feature {
    const ALL: [Feature; 5] = [Feature::None, Feature::Classes, Feature::Recursion, Feature::Times, Feature::Weights];

    fn supports(self, kind: Kind) -> bool {
        let boosted = matches!(kind, Kind::LrbmBoost | Kind::LrbmNoBoost | Kind::LrbmExplainable | Kind::RdnBoost);
        boosted || !matches!(self, Feature::Classes | Feature::Recursion)
    }
}

/// A random database as text, not yet in any order.
#[derive(Clone, Debug)]
struct Content {
    feature: Feature,
    facts: Vec<Atom>,
    modes: Vec<String>,
    positives: Vec<(String, Atom)>,
    negatives: Vec<(String, Atom)>,
}

impl Content {
    fn random(feature: Feature, seed: u64) -> Content {
        let mut stream = Stream::new(seed, &["order of files"]);
        let mut chance = |percent: usize| stream.index(100) < percent;
        let people: Vec<String> = (5..13).map(|i| format!("p{i}")).collect();
        let things: Vec<String> = ["b2", "b10", "Box", "a"].map(|name| name.replace("Box", "\"Box\"")).to_vec();
        let mut facts: Vec<Atom> = Vec::new();
        for (i, person) in people.iter().enumerate() {
            let other = people.iter().filter(|_| chance(25)).collect::<Vec<_>>();
            facts.extend(other.into_iter().map(|other| ("knows", vec![person.clone(), other.clone()])));
            for (k, thing) in things.iter().enumerate() {
                if chance(35) {
                    facts.push(("owns", vec![person.clone(), thing.clone()]));
                }
                if chance(12) {
                    facts.push(("lent", vec![person.clone(), thing.clone(), things[k / 2].clone()]));
                }
            }
            facts.push(("age", vec![person.clone(), ["10", "9", "-1.5", "30"][i % 4].to_owned()]));
            if chance(40) {
                facts.push(("old", vec![person.clone()]));
            }
            if feature == Feature::Times {
                facts.push(("since", vec![person.clone(), (i % 3).to_string()]));
            }
        }
        let mut modes: Vec<String> = [
            "knows(+person, -person)",
            "knows(-person, +person)",
            "owns(+person, -thing)",
            "owns(-person, +thing)",
            "owns(+person, #thing)",
            "lent(+person, -thing, #thing)",
            "lent(-person, +thing, -thing)",
            "age(+person, #years)",
            "age(+person, -years)",
            "old(+person)",
        ]
        .map(str::to_owned)
        .to_vec();
        modes.push(match feature {
            Feature::Classes => "t(+person, +person, #level!1)".to_owned(),
            _ => "t(+person, +person)".to_owned(),
        });
        match feature {
            Feature::Recursion => modes.push("recursive_t(+person, -person)".to_owned()),
            Feature::Times => modes.push("since(+person, #time)".to_owned()),
            _ => {}
        }
        let (mut positives, mut negatives) = (Vec::new(), Vec::new());
        for a in &people {
            for b in &people {
                if !chance(40) {
                    continue;
                }
                let weight = if feature == Feature::Weights && chance(50) { "1.5 " } else { "" }.to_owned();
                let owns = |who: &String, thing: &String| facts.contains(&("owns", vec![who.clone(), thing.clone()]));
                let shared = things.iter().any(|thing| owns(a, thing) && owns(b, thing));
                let label = shared != chance(20);
                let mut args = vec![a.clone(), b.clone()];
                if feature == Feature::Classes {
                    args.push(["10", "9", "low"][usize::from(label) + usize::from(chance(30))].to_owned());
                }
                let to = if label || feature == Feature::Classes { &mut positives } else { &mut negatives };
                to.push((weight, ("t", args)));
            }
        }
        Content { feature, facts, modes, positives, negatives }
    }

    /// Writes the files in an order of their own; `extra` facts follow, and some are imported.
    fn write(&self, home: &Path, stream: &mut Stream, extra: &str, names: &dyn Fn(&str) -> String) {
        let show = |(predicate, args): &Atom| {
            let args: Vec<String> = args.iter().map(|arg| names(arg)).collect();
            format!("{}({}).", names(predicate), args.join(","))
        };
        let mut write = |name: &str, mut lines: Vec<String>, before: &str, after: &str| {
            stream.shuffle(&mut lines);
            std::fs::write(home.join(name), format!("{before}{}\n{after}", lines.join("\n"))).unwrap();
        };
        let mode = |mode: &String| {
            let (predicate, rest) = mode.split_once('(').unwrap();
            let predicate = match predicate.strip_prefix("recursive_") {
                Some(target) => format!("recursive_{}", names(target)),
                None => names(predicate),
            };
            format!("mode: {predicate}({rest}.")
        };
        let (one, other) = self.facts.split_at(self.facts.len() / 3);
        write("bk.txt", self.modes.iter().map(mode).collect(), "", "");
        write("facts.txt", one.iter().map(show).collect(), "import: \"more.txt\".\n", extra);
        write("more.txt", other.iter().map(show).collect(), "", "");
        for (name, examples) in [("pos.txt", &self.positives), ("neg.txt", &self.negatives)] {
            let lines = examples.iter().map(|(weight, atom)| format!("{weight}{}", show(atom)));
            write(name, lines.collect(), "", "");
        }
    }

    fn load(&self, home: &Path, target: &str, since: &str, kind: Kind) -> Dataset {
        let source = TimeSource::Predicate(since.to_owned());
        let time = (self.feature == Feature::Times).then(|| TimeRule { source, by_argument: Vec::new() });
        let options = LoadOptions { target: Some(target.to_owned()), time: time.clone(), ..LoadOptions::default() };
        let mut data = load(home, &options).unwrap();
        if matches!(kind, Kind::RrbmC | Kind::RrbmE) {
            data.make_binary(time.as_ref()).unwrap();
        }
        if self.feature == Feature::Recursion {
            data.add_positives_to_evidence(false, time.as_ref()).unwrap();
        }
        data
    }
}

/// All kinds with their presets, and settings that keep trainings short and use random choices.
fn learners(feature: Feature) -> Vec<(Kind, Unchecked)> {
    let mut learners = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|&kind| feature.supports(kind)) {
        let presets: Vec<Option<Preset>> = match kind.grows_trees() {
            true => Preset::ALL.map(|(_, preset)| Some(preset)).to_vec(),
            false => vec![None],
        };
        for preset in presets {
            let mut params = Unchecked::new(kind);
            if let Some(preset) = preset {
                params = params.preset(preset);
            }
            let settings: &[&str] = match kind {
                Kind::LrbmBoost | Kind::RdnBoost => &["trees=2", "subsample=0.8"],
                Kind::LrbmExplainable | Kind::MlnBoost => &["trees=2"],
                Kind::Progol => &["max_seeds=4"],
                Kind::RrbmC | Kind::RrbmE => &["epochs=2", "hidden_units=2", "max_walks=10"],
                Kind::Lrnn => &["epochs=2", "max_seeds=3"],
                _ => &[],
            };
            params = settings.iter().fold(params, |params, setting| params.set(setting).unwrap());
            if feature == Feature::Recursion {
                params = params.set("recursive=true").unwrap();
            }
            learners.push((kind, params));
        }
    }
    learners
}

/// Returns the model as text, and the score of each example by its text.
fn learn(kind: Kind, params: &Unchecked, data: &Dataset) -> (String, BTreeMap<String, Vec<u64>>) {
    let params = params.clone().check().unwrap();
    let trained = train(kind, &data.database, data.target, &data.examples, &params, 5, &mut |_| {});
    match trained {
        Ok(trained) => (trained.model.to_json(), scores(&trained.model, data)),
        // Unsupported data are unsupported in any order.
        Err(LearnError::Cancelled) => panic!("nothing cancels"),
        Err(error) => (error.to_string(), BTreeMap::new()),
    }
}

fn scores(model: &SavedModel, data: &Dataset) -> BTreeMap<String, Vec<u64>> {
    let mut scores: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut add = |psi: Vec<f64>| {
        for (example, psi) in data.examples.iter().zip(psi) {
            let atom = data.database.show_atom(data.target, &example.args);
            scores.entry(atom).or_default().push(psi.to_bits());
        }
    };
    match data.database.classes {
        None => add(model.score(&data.database, data.target, &data.examples).unwrap().scores),
        Some(_) => {
            let of_classes = model.score_classes(&data.database, data.target, &data.examples).unwrap().scores;
            of_classes.into_iter().for_each(add);
        }
    }
    scores
}

/// Compares the models of `change`d files with those of the files as they are.
fn assert_unchanged(what: &str, change: impl Fn(&mut Content, &mut Stream) -> String) {
    for feature in Feature::ALL {
        for seed in 0..1 {
            let content = Content::random(feature, seed);
            let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let mut stream = Stream::new(seed, &["order of lines"]);
            let same = |name: &str| name.to_owned();
            content.write(homes[0].path(), &mut stream, "", &same);
            let mut changed = content.clone();
            let extra = change(&mut changed, &mut stream);
            changed.write(homes[1].path(), &mut stream, &extra, &same);
            for (kind, params) in learners(feature) {
                let [first, second] = [&homes[0], &homes[1]].map(|home| {
                    let data = content.load(home.path(), "t", "since", kind);
                    learn(kind, &params, &data)
                });
                assert!(first == second, "{what}: {kind} {feature:?} {seed}\n{}\n{}", first.0, second.0);
            }
        }
    }
}

#[test]
fn the_order_of_files_and_their_number_do_not_matter() {
    // The imported file has other facts than before.
    assert_unchanged("shuffled", |content, stream| {
        stream.shuffle(&mut content.facts);
        String::new()
    });
}

#[test]
fn duplicates_do_not_matter() {
    assert_unchanged("duplicated", |content, _| {
        content.facts.extend(content.facts.clone());
        content.modes.extend(content.modes.clone());
        content.positives.extend(content.positives.clone());
        String::new()
    });
}

#[test]
fn facts_without_a_mode_do_not_matter() {
    assert_unchanged("extended", |_, stream| {
        let mut extra = String::new();
        for i in 0..8 {
            let (a, b) = (stream.index(20), stream.index(20));
            writeln!(extra, "aa(p{a}, aaa{b}, {i}). owns(p{a}, b{b}, {i}). zz(z{a}).").unwrap();
        }
        extra
    });
}

/// Returns names with the same order as the given ones: `prefix` and a number.
fn renamed<'a>(names: impl Iterator<Item = &'a str>, prefix: &str) -> BTreeMap<String, String> {
    let mut sorted: Vec<&str> = names.collect::<BTreeSet<&str>>().into_iter().collect();
    sorted.sort_by(|a, b| natural::compare(a.as_bytes(), b.as_bytes()));
    sorted.iter().enumerate().map(|(i, name)| ((*name).to_owned(), format!("{prefix}{}", 3 * i))).collect()
}

/// Replaces every text that is a key of `names`.
fn replace(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, names)),
        Value::Object(items) => items.values_mut().for_each(|item| replace(item, names)),
        _ => {}
    }
}

#[test]
fn order_preserving_names_give_the_same_model() {
    for feature in Feature::ALL {
        let content = Content::random(feature, 3);
        let atoms = || {
            let examples = content.positives.iter().chain(&content.negatives).map(|(_, atom)| atom);
            content.facts.iter().chain(examples)
        };
        let is_name = |arg: &&str| arg.parse::<f64>().is_err();
        let constants = renamed(atoms().flat_map(|(_, args)| args).map(String::as_str).filter(is_name), "k");
        let predicates = renamed(atoms().map(|(predicate, _)| *predicate), "pred");
        let names: BTreeMap<String, String> = constants.into_iter().chain(predicates).collect();
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut stream = Stream::new(1, &["order of lines"]);
        content.write(homes[0].path(), &mut stream, "", &|name| name.to_owned());
        let other = |name: &str| names.get(name).map_or_else(|| name.to_owned(), String::clone);
        content.write(homes[1].path(), &mut stream, "", &other);
        for (kind, params) in learners(feature) {
            // Projected predicates and latent ones have names of their own.
            if matches!(kind, Kind::RrbmC | Kind::RrbmE | Kind::Lrnn) {
                continue;
            }
            let first = learn(kind, &params, &content.load(homes[0].path(), "t", "since", kind));
            let second = learn(kind, &params, &content.load(homes[1].path(), &other("t"), &other("since"), kind));
            let values = |scores: &BTreeMap<String, Vec<u64>>| {
                let mut all: Vec<Vec<u64>> = scores.values().cloned().collect();
                all.sort();
                all
            };
            let parse = |text: &str| serde_json::from_str::<Value>(text);
            if let (Ok(mut one), Ok(two)) = (parse(&first.0), parse(&second.0)) {
                replace(&mut one, &names);
                assert!(one == two, "{kind} {feature:?}\n{one}\n{two}");
            }
            assert_eq!(values(&first.1), values(&second.1), "{kind} {feature:?}");
        }
    }
}

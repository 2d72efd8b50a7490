use super::*;

fn boost() -> Unchecked {
    Unchecked::new(Kind::LrbmBoost)
}

/// The value of a whole number.
fn number(params: &Params, name: &str) -> u64 {
    params.get(name).and_then(|value| value.as_u64()).unwrap()
}

fn numbers<const N: usize>(params: &Params, names: [&str; N]) -> [u64; N] {
    names.map(|name| number(params, name))
}

fn error(unchecked: Result<Unchecked, ParamError>) -> String {
    unchecked.and_then(|unchecked| unchecked.check()).unwrap_err().to_string()
}

#[test]
fn defaults_and_presets_are_frozen() {
    let print = |params: &Params| {
        let values = params.to_values();
        values.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<String>>().join(" ")
    };
    let params = boost().check().unwrap();
    assert_eq!(params, Params::new(Kind::LrbmBoost));
    let defaults = "count_margin=0.05 counts=false early_stopping=0 expand=\"mean\" held_out=0.2 \
         leaf_fit=\"coordinate-descent\" learning_rate=0.02 max_candidates=50000 max_depth=\"none\" max_leaves=4 \
         min_leaf=1 node_size=2 order=\"batch\" path_length=3 prior=-1.8 rescore=1 schedule=\"authors\" seed=1 \
         step=2 subsample=1 trees=20";
    assert_eq!(print(&params), defaults);
    let preset = |preset| print(&boost().preset(preset).check().unwrap());
    assert_eq!(preset(Preset::Lookahead), defaults);
    let extended =
        [("counts=false", "counts=true"), ("path_length=3", "path_length=4"), ("max_leaves=4", "max_leaves=8")];
    let extended = extended.into_iter().fold(defaults.to_owned(), |text, (from, to)| text.replace(from, to));
    assert_eq!(preset(Preset::Extended), extended);
    let paper = [
        ("learning_rate=0.02", "learning_rate=0.05"),
        ("node_size=2", "node_size=1"),
        ("order=\"batch\"", "order=\"online\""),
        ("path_length=3", "path_length=0"),
        ("rescore=1 ", "require_gain=false rescore=\"all\" "),
        ("min_leaf=1 ", "max_share=\"authors\" min_leaf=3 min_split=10 min_variance=0.0025 "),
        ("step=2 subsample=1 ", "step=1 subsample=1 test_seeds=5 "),
    ];
    assert_eq!(
        preset(Preset::Paper),
        paper.iter().fold(defaults.to_owned(), |text, (from, to)| text.replace(from, to))
    );
    // A single tree has limits of its own.
    let single = Unchecked::new(Kind::LrbmNoBoost).preset(Preset::Paper).check().unwrap();
    let limits = ["max_depth", "max_leaves", "max_path_literals", "max_searches", "min_leaf", "min_split"];
    assert_eq!(numbers(&single, limits), [10, 21, 12, 20, 3, 10]);
    assert_eq!(single.get("prior"), Some(Value::Number(0.0)));
    assert_eq!(single.get("min_variance"), Some(Value::Number(0.0001)));
    assert_eq!(single.get("regression_target"), Some(Value::Number(4.0)));
    // Kinds that the authors' program does not have keep their own limits.
    let rpt = Unchecked::new(Kind::Rpt).preset(Preset::Paper).check().unwrap();
    assert_eq!(numbers(&rpt, ["min_leaf", "node_size"]), [5, 1]);
    let explainable = Unchecked::new(Kind::LrbmExplainable).preset(Preset::Paper).check().unwrap();
    assert_eq!(explainable.get("distil_settings"), Some("ensemble".into()));
    // Presets set only what a kind has.
    let mln = Unchecked::new(Kind::MlnBoost).preset(Preset::Extended).check().unwrap();
    assert_eq!((number(&mln, "path_length"), mln.get("counts")), (4, None));
    // A single tree is added unscaled, whatever the step of ensembles.
    assert_eq!(Params::new(Kind::LrbmNoBoost).get("step"), Some(Value::Number(1.0)));
}

#[test]
fn recorded_values_can_be_set_again() {
    for kind in Kind::ALL {
        let params = Params::new(kind);
        let mut again = Unchecked::new(kind);
        for (key, value) in params.to_values() {
            again = again.spec(&key, value);
        }
        assert_eq!(again.check().unwrap(), params);
    }
}

#[test]
fn sources_have_their_precedence() {
    let background = [("nodeSize".to_owned(), Term::Number(3.0)), ("numOfClauses".to_owned(), Term::Number(7.0))];
    let from_file = boost().background(&background);
    let params = from_file.check().unwrap();
    let sizes = ["node_size", "max_leaves", "path_length"];
    assert_eq!(numbers(&params, sizes), [3, 8, 3]);
    let preset = from_file.clone().preset(Preset::Paper);
    let params = preset.check().unwrap();
    assert_eq!(numbers(&params, sizes), [1, 8, 0]);
    let spec = preset.spec("node_size", 4).spec("max_leaves", 5);
    assert_eq!(number(&spec.check().unwrap(), "node_size"), 4);
    let set = spec.set("node_size=2").unwrap().set("max_depth = none").unwrap().set("rescore=all").unwrap();
    let params = set.check().unwrap();
    assert_eq!(numbers(&params, ["node_size", "max_leaves"]), [2, 5]);
    assert_eq!(["max_depth", "rescore"].map(|name| params.get(name)), ["none", "all"].map(|word| Some(word.into())));
    // The defaults that make a single tree large take precedence over the background file.
    let single = Unchecked::new(Kind::LrbmNoBoost).background(&background).check().unwrap();
    assert_eq!((single.get("trees"), single.get("max_leaves")), (None, Some("none".into())));
    assert_eq!(numbers(&single, ["max_depth", "node_size"]), [10, 3]);
}

#[test]
fn a_bad_value_names_key_value_and_range() {
    assert_eq!(
        error(boost().set("learning_rate=0")),
        "--set: `learning_rate` must be a number above 0, up to 1, got 0"
    );
    assert_eq!(
        error(Ok(boost().spec("max_leaves", 1))),
        "parameters: `max_leaves` must be a whole number from 2 to 1000000, or \"none\", got 1"
    );
    assert_eq!(
        error(boost().set("prior=log")),
        "--set: `prior` must be a number from -100 to 100, or \"log-odds\", got \"log\""
    );
    assert_eq!(error(boost().set("tree=3")), "--set: unknown parameter `tree`; did you mean `trees`?");
    assert_eq!(error(boost().set("trees")), "--set trees: expected KEY=VALUE, as in `--set trees=10`");
    assert_eq!(
        error(Unchecked::new(Kind::LrbmNoBoost).set("trees=3")),
        "--set: lrbm-noboost has no parameter `trees`, which is for lrbm-boost, lrbm-explainable, rdn-boost, \
         mln-boost; remove it"
    );
    let background = [("numOfClauses".to_owned(), Term::Name("many".to_owned()))];
    assert_eq!(
        error(Ok(boost().background(&background))),
        "setParam in the background file: `numOfClauses` must be a whole number from 1 to 999999, got \"many\""
    );
    let background = [("NODESIZE".to_owned(), Term::Number(9.0))];
    assert!(error(Ok(boost().background(&background))).contains("a whole number from 1 to 4"));
    // A value that another source overrides is also checked.
    assert!(boost().spec("trees", 0).set("trees=5").unwrap().check().is_err());
    for bad in ["trees=0", "trees=1.5", "trees=-1", "node_size=5", "step=nan", "step=inf", "subsample=1.1"] {
        assert!(boost().set(bad).unwrap().check().is_err(), "{bad}");
    }
}

#[test]
fn presets_have_names() {
    assert_eq!(Preset::find("paper"), Ok(Preset::Paper));
    assert_eq!(boost().preset(Preset::Lookahead).check().unwrap(), Params::new(Kind::LrbmBoost));
    let message = Preset::find("papers").unwrap_err().to_string();
    assert_eq!(message, "unknown preset `papers`; expected one of paper, lookahead, extended, auto");
}

#[test]
fn typed_setters_agree_with_names_and_check_ranges() {
    use crate::learn::LrbmBoost;
    use crate::learn::params::shared::Prior;
    let typed = LrbmBoost::params().trees(7).max_leaves(8).max_depth(None).prior(-1.0).counts(true).build().unwrap();
    let mut named = boost();
    for setting in ["trees=7", "max_leaves=8", "max_depth=none", "prior=-1", "counts=true"] {
        named = named.set(setting).unwrap();
    }
    assert_eq!(named.check().unwrap().typed(), Ok(typed));
    let error = LrbmBoost::params().trees(0).prior(Prior::LogOdds).build().unwrap_err();
    assert_eq!(error.to_string(), "parameters: `trees` must be a whole number from 1 to 1000000, got 0");
    assert!(LrbmBoost::params().step(f64::NAN).build().is_err());
}

#[test]
fn a_name_means_the_same_for_all_kinds() {
    for parameter in crate::learn::parameters() {
        for &kind in &parameter.kinds {
            let params = Params::new(kind);
            let value = params.get(parameter.entry.name).unwrap();
            assert!(parameter.entry.shape.accepts(&value), "{kind} {}", parameter.entry.name);
        }
    }
    for kind in Kind::ALL {
        for entry in Params::new(kind).entries() {
            assert_eq!(parameter(entry.name).unwrap().entry, entry, "{kind}");
            let long = entry.help.chars().count();
            assert!(long <= 160 && !entry.help.ends_with('.'), "{}", entry.name);
        }
    }
}

use super::*;

fn boost() -> Unchecked {
    Unchecked::new(Kind::LrbmBoost)
}

fn error(unchecked: Result<Unchecked, ParamError>) -> String {
    unchecked.and_then(|unchecked| unchecked.check()).unwrap_err().to_string()
}

#[test]
fn defaults_and_presets_are_frozen() {
    let print = |params: &Params| {
        let values = params.to_values(Kind::LrbmBoost);
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
        ("rescore=1 ", "rescore=64 "),
        ("step=2", "step=1"),
    ];
    assert_eq!(
        preset(Preset::Paper),
        paper.iter().fold(defaults.to_owned(), |text, (from, to)| text.replace(from, to))
    );
    // What a kind has no use for, a preset leaves as it is.
    let mln = Unchecked::new(Kind::MlnBoost).preset(Preset::Extended).check().unwrap();
    assert_eq!((mln.path_length, mln.counts), (4, false));
    // One tree is added as it is, whatever the step of an ensemble.
    assert_eq!(Params::new(Kind::LrbmNoBoost).step, 1.0);
}

#[test]
fn what_is_printed_can_be_set_again() {
    for kind in Kind::ALL {
        let params = Params::new(kind);
        let mut again = Unchecked::new(kind);
        for (key, value) in params.to_values(kind) {
            again = again.spec(&key, value);
        }
        assert_eq!(again.check().unwrap(), params);
    }
}

#[test]
fn the_first_in_line_wins() {
    let background = [("nodeSize".to_owned(), Term::Number(3.0)), ("numOfClauses".to_owned(), Term::Number(7.0))];
    let from_file = boost().background(&background);
    let params = from_file.check().unwrap();
    assert_eq!((params.node_size, params.max_leaves, params.path_length), (3, Some(8), 3));
    let preset = from_file.clone().preset(Preset::Paper);
    let params = preset.check().unwrap();
    assert_eq!((params.node_size, params.max_leaves, params.path_length), (1, Some(8), 0));
    let spec = preset.spec("node_size", 4).spec("max_leaves", 5);
    assert_eq!(spec.check().unwrap().node_size, 4);
    let set = spec.set("node_size=2").unwrap().set("max_depth = none").unwrap().set("rescore=all").unwrap();
    let params = set.check().unwrap();
    assert_eq!((params.node_size, params.max_leaves, params.max_depth, params.rescore), (2, Some(5), None, None));
    // What makes a single tree a single tree is not for the background file to change.
    let single = Unchecked::new(Kind::LrbmNoBoost).background(&background).check().unwrap();
    assert_eq!((single.trees, single.max_leaves, single.max_depth, single.node_size), (1, None, Some(10), 3));
}

#[test]
fn a_bad_value_names_key_value_and_range() {
    assert_eq!(
        error(boost().set("learning_rate=0")),
        "--set: learning_rate = 0 is not allowed: it must be a number above 0, up to 1"
    );
    assert_eq!(
        error(Ok(boost().spec("max_leaves", 1))),
        "parameters: max_leaves = 1 is not allowed: it must be a whole number from 2 to 1000000, or \"none\""
    );
    assert_eq!(
        error(boost().set("prior=log")),
        "--set: prior = \"log\" is not allowed: it must be a number from -100 to 100, or \"log-odds\""
    );
    assert_eq!(error(boost().set("tree=3")), "--set: no parameter is called `tree`: did you mean `trees`?");
    assert_eq!(error(boost().set("trees")), "--set trees: this is not KEY=VALUE: write it as in `--set trees=10`");
    assert_eq!(
        error(Unchecked::new(Kind::LrbmNoBoost).set("trees=3")),
        "--set: lrbm-noboost has no parameter `trees`, which is for lrbm-boost, lrbm-explainable, rdn-boost, \
         mln-boost: leave it out"
    );
    let background = [("numOfClauses".to_owned(), Term::Name("many".to_owned()))];
    assert_eq!(
        error(Ok(boost().background(&background))),
        "setParam in the background file: numOfClauses = \"many\" is not allowed: it must be a whole number from 1 to \
         999999"
    );
    let background = [("NODESIZE".to_owned(), Term::Number(9.0))];
    assert!(error(Ok(boost().background(&background))).contains("a whole number from 1 to 4"));
    // An overridden mistake is still a mistake.
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
    assert_eq!(message, "no preset is called `papers`: choose one of paper, lookahead, extended");
}

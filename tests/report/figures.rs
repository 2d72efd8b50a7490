//! Figures of small runs on generated domains: nothing overlaps, names are escaped, and output is
//! deterministic.

use std::fs;
use std::path::PathBuf;

use lrbm::internal::experiment::Results;
use lrbm::internal::metric::Column;
use lrbm::internal::report::drawing;
use lrbm::internal::report::figure::{self, Figure, FigureError, FigureScene, PublishedMean};

use crate::common::program::succeeds;

/// A run in a temporary directory.
struct Lab {
    home: tempfile::TempDir,
}

impl Lab {
    fn new(spec: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("spec.toml"), spec).unwrap();
        succeeds(home.path(), &["run", "spec.toml", "--out", "out", "--quiet"]);
        Lab { home }
    }

    fn out(&self) -> PathBuf {
        self.home.path().join("out")
    }

    fn results(&self) -> Results {
        Results::read(&self.out()).unwrap()
    }
}

const HOSTILE: &str = "<script>alert('&')</script>";

/// Two presets, three models: one distills another, and one has markup in its name.
const TABLE: &str = r#"
name = "table"
about = "Everything that a run without a sweep can show."
seeds = [1, 2]
folds = 2
datasets = ["movies", "university"]
presets = ["paper", "lookahead"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 2

[[model]]
name = "Explainable"
kind = "lrbm-explainable"
from = "Boost"
distil_depth = 2

[[model]]
name = "<script>alert('&')</script>"
kind = "lrbm-noboost"
max_depth = 2

[dataset.movies]
noise = 0.2
"#;

const SWEEP: &str = r#"
name = "sweep"
about = "A sweep over numbers, and a model that it leaves alone."
seed = 1
folds = 2
datasets = ["movies", "university", "citations"]

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "NoBoost"
kind = "lrbm-noboost"
max_depth = 2

[sweep]
trees = [1, 2, 16]
"#;

const TWO_PARAMETERS: &str = r#"
name = "grid"
about = "A sweep over two parameters, one of them of names, with lines that coincide."
seed = 1
folds = 2
datasets = ["movies", "university"]

[[model]]
name = "Boost"
kind = "lrbm-boost"

[[model]]
name = "RDN"
kind = "rdn-boost"

[sweep]
trees = [2, 4, 8]
expand = ["mean", "total"]
"#;

const CASES: &str = r#"
name = "cases"
about = "A sweep over named cases."
seed = 1
folds = 2
datasets = ["movies", "university"]

[[model]]
name = "Boost"
kind = "lrbm-boost"
trees = 2

[[sweep.case]]
name = "one literal"
node_size = 1

[[sweep.case]]
name = "a case with a name that is much too long to stand beside a panel in full"
node_size = 2
"#;

fn names(scenes: &[FigureScene]) -> Vec<&str> {
    scenes.iter().map(|figure| figure.name.as_str()).collect()
}

fn check(scenes: &[FigureScene]) {
    for figure in scenes {
        assert_eq!(figure.scene.layout_problems(), [""; 0], "{}", figure.name);
        assert!(
            !figure.caption.is_empty()
                && figure.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,=+".contains(c))
        );
    }
}

fn check_file(figure: &Figure) {
    let Figure { name, svg, png, .. } = figure;
    assert!(svg.starts_with("<svg xmlns") && svg.trim_end().ends_with("</svg>"), "{name}");
    assert!(!svg.contains("<script") && !svg.contains(" id=") && !svg.contains("class=") && !svg.contains("<style"));
    for tag in ["svg", "text"] {
        assert_eq!(svg.matches(&format!("<{tag}")).count(), svg.matches(&format!("</{tag}>")).count(), "{name}");
    }
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    // Not empty: PNGs of one color are smaller.
    assert!(png.len() > 8000, "{name}: {}", png.len());
}

#[test]
fn runs_without_a_sweep_have_all_figures() {
    let lab = Lab::new(TABLE);
    let results = lab.results();
    let published =
        [PublishedMean { dataset: "movies".into(), model: "Boost".into(), column: Column::AucRoc, mean: 0.8 }];
    let scenes = figure::scenes(&results, &published).unwrap();
    let expected = [
        "bars-auc-roc",
        "bars-auc-pr",
        "curves-movies",
        "curves-university",
        "calibration-paper",
        "calibration-lookahead",
        "fidelity-Explainable-paper",
        "fidelity-Explainable-lookahead",
        "time-auc-roc",
    ];
    assert_eq!(names(&scenes), expected);
    check(&scenes);
    let bars = &scenes[0];
    assert!(bars.scene.texts().any(|text| text.text == "published"), "the published number has a place in the legend");
    assert!(bars.caption.contains("published"));
    assert!(!scenes[1].caption.contains("published"), "none is known for the other column");
    let figures = figure::figures(&results, &published).unwrap();
    figures.iter().for_each(check_file);
    assert!(figures[0].svg.contains("&lt;script&gt;"), "{HOSTILE} is shown as it is");
    assert_eq!(figures, figure::figures(&results, &published).unwrap());
    // One tree of each kind of model.
    for group in results.groups() {
        let model = results.model(group.jobs[0]).unwrap();
        let trees = model.trees().unwrap();
        for svg in [drawing::tree(trees, 0), drawing::ensemble(trees, 4)] {
            assert!(svg.starts_with("<svg") && svg.contains("ψ ") && !svg.contains("NaN"));
        }
    }
    // Missing predictions are an error that names the file.
    let file = lab.out().join(&results.stored[0].directory).join("predictions.parquet");
    fs::remove_file(&file).unwrap();
    let error = figure::curves(&results).unwrap_err();
    assert!(matches!(error, FigureError::Results(_)) && error.to_string().contains("predictions.parquet"), "{error}");
}

#[test]
fn sweeps_have_their_own_figures() {
    let (numbers, cases) = (Lab::new(SWEEP), Lab::new(CASES));
    let results = numbers.results();
    let scenes = figure::scenes(&results, &[]).unwrap();
    assert_eq!(names(&scenes), ["sweep-trees-auc-roc", "sweep-trees-auc-pr"]);
    check(&scenes);
    let has = |text: &str| scenes[0].scene.texts().any(|t| t.text.contains(text));
    assert!(has("log scale") && has("Boost") && has("NoBoost") && has("citations"));
    let scenes = figure::scenes(&cases.results(), &[]).unwrap();
    assert_eq!(names(&scenes), ["cases-auc-roc", "cases-auc-pr"]);
    check(&scenes);
    let figure = &scenes[0];
    assert!(figure.scene.texts().any(|text| text.text.starts_with("a case with") && text.text.ends_with('…')));
    assert!(figure::bars(&results, Column::AucRoc, &[]).is_empty(), "a sweep has too many bars");
}

#[test]
fn sweeps_over_two_parameters_have_heat_maps() {
    let lab = Lab::new(TWO_PARAMETERS);
    let results = lab.results();
    let scenes = figure::scenes(&results, &[]).unwrap();
    check(&scenes);
    let heat = scenes.iter().find(|figure| figure.name == "heat-trees-expand-auc-roc").unwrap();
    assert!(names(&scenes).contains(&"sweep-trees-auc-roc"), "lines beside it");
    let texts: Vec<&str> = heat.scene.texts().map(|text| text.text.as_str()).collect();
    for text in ["movies, Boost", "university, RDN", "total", "8", "expand"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    // One number for each dataset, model, number of trees and way to expand.
    assert_eq!(texts.iter().filter(|text| text.len() == 5 && text.contains('.')).count(), 2 * 2 * 3 * 2);
    for group in results.groups() {
        let mean = format!("{:.3}", group.average(Column::AucRoc).unwrap().mean);
        assert!(texts.contains(&mean.as_str()), "{mean}: {texts:?}");
    }
    scenes.into_iter().for_each(|scene| check_file(&scene.paint().unwrap()));
    assert!(figure::heat(&Lab::new(SWEEP).results(), Column::AucRoc).is_none(), "one parameter");
}

/// With three models, two datasets can never differ by the critical difference; three can.
#[test]
fn ranks_are_drawn_only_if_they_can_differ() {
    let datasets = ["movies", "university", "citations"];
    let noise = datasets.map(|dataset| format!("[dataset.{dataset}]\nnoise = 0.2\n")).concat();
    let model = |name: &str, more: &str| format!("[[model]]\nname = \"{name}\"\n{more}\n");
    let models = model("Many", "kind = \"lrbm-boost\"\ntrees = 20")
        + &model("One", "kind = \"lrbm-boost\"\ntrees = 1\nmax_leaves = 2")
        + &model("Tree", "kind = \"lrbm-noboost\"\nmax_depth = 3");
    let spec = |count: usize| {
        let names: Vec<String> = datasets[..count].iter().map(|dataset| format!("\"{dataset}\"")).collect();
        let noise: String = noise.split_inclusive("noise = 0.2\n").take(count).collect();
        format!("name = \"ranks\"\nfolds = 2\ndatasets = [{}]\n{noise}{models}", names.join(", "))
    };
    let scenes = |count: usize| figure::scenes(&Lab::new(&spec(count)).results(), &[]).unwrap();
    assert!(!scenes(2).iter().any(|figure| figure.name.starts_with("ranks")));
    let scenes = scenes(3);
    let ranks = scenes.iter().find(|figure| figure.name == "ranks-auc-roc").unwrap();
    check(std::slice::from_ref(ranks));
    // Nothing horizontal is longer than the axis, from 250 to 470.
    let lines = ranks.scene.shapes.iter().filter_map(|shape| match shape {
        figure::scene::Primitive::Line(at, _) if at.len() == 2 && at[0].1 == at[1].1 => Some((at[1].0 - at[0].0).abs()),
        _ => None,
    });
    let lengths: Vec<f64> = lines.collect();
    assert!(lengths.contains(&220.0) && lengths.iter().all(|&length| length <= 220.0), "{lengths:?}");
}

#[test]
fn unfinished_runs_show_available_results() {
    let lab = Lab::new(TABLE);
    let mut results = lab.results();
    results.stored.retain(|stored| stored.record.row.dataset == "movies" && stored.record.row.fold == 1).unwrap();
    let scenes = figure::scenes(&results, &[]).unwrap();
    check(&scenes);
    assert!(names(&scenes).contains(&"curves-movies") && !names(&scenes).contains(&"ranks-auc-roc"));
    results.stored.retain(|_| false).unwrap();
    assert!(figure::figures(&results, &[]).unwrap().is_empty());
}

/// A model without presets appears in each preset of the others.
#[test]
fn models_without_presets_appear_in_each_preset() {
    let model = |name: &str, kind: &str| format!("\n[[model]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
    let spec = format!(
        "name = \"mixed\"\nseed = 1\nfolds = 2\narity = \"binary\"\ndatasets = [\"movies\", \"university\"]\n\
         presets = [\"paper\", \"lookahead\"]\n{}trees = 2\n{}{}",
        model("Boost", "lrbm-boost"),
        model("Tree", "rpt"),
        model("Clauses", "progol"),
    );
    let lab = Lab::new(&spec);
    let scenes = figure::scenes(&lab.results(), &[]).unwrap();
    let expected = [
        "bars-auc-roc-paper",
        "bars-auc-roc-lookahead",
        "bars-auc-pr-paper",
        "bars-auc-pr-lookahead",
        "curves-movies",
        "curves-university",
        "calibration-paper",
        "calibration-lookahead",
        "time-auc-roc",
    ];
    assert_eq!(names(&scenes), expected);
    check(&scenes);
    let texts = |name: &str| -> Vec<String> {
        let figure = scenes.iter().find(|figure| figure.name == name).unwrap();
        figure.scene.texts().map(|text| text.text.clone()).collect()
    };
    for preset in ["paper", "lookahead"] {
        let has = |figure: &str, text: &str| texts(&format!("{figure}-{preset}")).iter().any(|t| t == text);
        assert!(["Boost", "Tree", "Clauses"].iter().all(|model| has("calibration", model)), "{preset}");
        assert!(has("bars-auc-pr", &format!("Boost ({preset})")) && has("bars-auc-pr", "Clauses"));
    }
    let panels: Vec<String> =
        texts("curves-movies").into_iter().filter(|t| t.starts_with("PR") || t.starts_with("ROC")).collect();
    assert_eq!(panels, ["ROC, paper", "PR, paper", "ROC, lookahead", "PR, lookahead"]);
    // With one preset there is one figure of each kind.
    let lab = Lab::new(&spec.replace(", \"lookahead\"]", "]"));
    let scenes = figure::scenes(&lab.results(), &[]).unwrap();
    assert_eq!(names(&scenes)[..2], ["bars-auc-roc", "bars-auc-pr"]);
    assert_eq!(names(&scenes)[4..], ["calibration-paper", "time-auc-roc"]);
    check(&scenes);
}

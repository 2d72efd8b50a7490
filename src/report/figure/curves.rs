//! ROC and precision-recall curves of a dataset, with a band over folds.

use super::average::{Curve, vertical};
use super::axis::Axis;
use super::error::FigureError;
use super::legend::{LegendSymbol, legend};
use super::output::FigureScene;
use super::panel::{Panel, PanelMargins, grid, reference};
use super::rows::{RunRows, positive_share};
use super::scene::Scene;
use super::style::{SeriesStyle, WIDTH};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{Group, StoredJob};
use crate::experiment::job::safe_name;
use crate::metric::ranking::{pr_curve, roc_curve};
use crate::metric::{Ranking, Undefined};
use crate::report::rows::applies_to_preset;

/// Number of segments of a mean curve.
const STEPS: usize = 100;

type CurveOf = fn(&Ranking) -> Result<Curve, Undefined>;

/// A kind of curve.
struct CurveKind {
    name: &'static str,
    x: &'static str,
    y: &'static str,
    curve: CurveOf,
}

const CURVE_KINDS: [CurveKind; 2] = [
    CurveKind { name: "ROC", x: "false positive rate", y: "true positive rate", curve: roc_curve },
    CurveKind { name: "PR", x: "recall", y: "precision", curve: pr_curve },
];

/// Lays out the curves of each dataset, one figure each, for a run without a sweep.
///
/// # Errors
/// If the predictions of a job cannot be read.
pub fn curves(results: &Results) -> Result<Vec<FigureScene>, FigureError> {
    let rows = RunRows::of(results);
    if rows.has_sweep() {
        return Ok(Vec::new());
    }
    let scenes = rows.datasets().into_iter().map(|dataset| of_dataset(&rows, dataset));
    Ok(scenes.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A row with the rankings of its jobs, by fold.
struct RowRankings<'a, 'r> {
    group: &'a Group<'r>,
    folds: Vec<Vec<Ranking>>,
}

fn of_dataset(rows: &RunRows<'_>, dataset: &str) -> Result<Option<FigureScene>, FigureError> {
    let mut ranked: Vec<RowRankings<'_, '_>> = Vec::new();
    for group in rows.groups.iter().filter(|group| group.key.dataset == dataset) {
        let mut folds: IndexMap<usize, Vec<Ranking>> = IndexMap::default();
        for stored in group.done() {
            if let Some(ranking) = ranking(rows.results, stored)? {
                folds.entry(stored.record.row.fold).or_default().push(ranking);
            }
        }
        ranked.push(RowRankings { group, folds: folds.into_values().collect() });
    }
    let drawable =
        |ranked: &RowRankings<'_, '_>| ranked.folds.iter().flatten().any(|ranking| roc_curve(ranking).is_ok());
    ranked.retain(drawable);
    let models: IndexSet<&str> = ranked.iter().map(|ranked| ranked.group.key.model.as_str()).collect();
    let mut presets = rows.presets();
    let here = |preset: &str| {
        let applies = |group: &Group<'_>| applies_to_preset(group.kind(), &group.key.preset, preset);
        ranked.iter().filter(move |ranked| applies(ranked.group)).collect::<Vec<_>>()
    };
    presets.retain(|preset| !here(preset).is_empty());
    if models.is_empty() {
        return Ok(None);
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut entries: Vec<(LegendSymbol, String)> =
        models.iter().map(|model| (LegendSymbol::Line(rows.model_style(model)), (*model).to_owned())).collect();
    entries.push((LegendSymbol::Reference, "chance".to_owned()));
    let top = legend(&mut scene, &entries, (58.0, 6.0), WIDTH - 10.0);
    let margins = PanelMargins { left: 58.0, top: 26.0, bottom: 42.0 };
    let (positions, width, bottom) = grid(2 * presets.len(), 2, (0.0, top, WIDTH), 250.0, margins);
    for (position, (preset, kind)) in
        positions.iter().zip(presets.iter().flat_map(|preset| CURVE_KINDS.iter().map(move |kind| (preset, kind))))
    {
        let (x, y) = (Axis::linear(0.0, 1.0), Axis::linear(0.0, 1.0));
        let panel = Panel { left: position.0, top: position.1, width, height: 250.0, x, y };
        let here = here(preset).into_iter().map(|ranked| (ranked, rows.model_style(&ranked.group.key.model)));
        draw(&mut scene, &panel, kind, here.collect());
        let heading = if preset.is_empty() { kind.name.to_owned() } else { format!("{}, {preset}", kind.name) };
        panel.heading(&mut scene, &heading);
    }
    scene.height = bottom;
    Ok(Some(FigureScene {
        name: format!("curves-{}", safe_name(dataset)),
        title: format!("ROC and precision-recall curves on {dataset}"),
        caption:
            "Mean curves over folds by vertical averaging (seeds averaged first); bands are one standard deviation \
                  over folds to each side. Precision is interpolated after Davis and Goadrich; dotted lines are chance."
                .to_owned(),
        scene,
    }))
}

/// Ranks the test examples of a job; `None` if no predictions are stored.
fn ranking(results: &Results, stored: &StoredJob) -> Result<Option<Ranking>, FigureError> {
    let Some(predictions) = results.predictions(stored)? else { return Ok(None) };
    let (scores, labels): (Vec<f64>, Vec<bool>) = predictions.iter().map(|row| (row.psi, row.label)).unzip();
    Ranking::new(&scores, &labels).map(Some).map_err(FigureError::predictions(stored))
}

fn draw(scene: &mut Scene, panel: &Panel, kind: &CurveKind, ranked: Vec<(&RowRankings<'_, '_>, SeriesStyle)>) {
    let ticks = panel.y.ticks(5);
    panel.y_ticks(scene, &ticks, true);
    panel.x_ticks(scene, &ticks, true);
    panel.frame(scene);
    match kind.name {
        "ROC" => scene.line([panel.at(0.0, 0.0), panel.at(1.0, 1.0)], reference()),
        _ => {
            let jobs = ranked.iter().flat_map(|(ranked, _)| &ranked.group.jobs).map(|stored| &stored.record);
            panel.level(scene, positive_share(jobs).unwrap_or(0.0));
        }
    }
    let curve_of = |rankings: &Vec<Ranking>| rankings.iter().filter_map(|ranking| (kind.curve)(ranking).ok()).collect();
    let means: Vec<_> = ranked
        .iter()
        .map(|(ranked, style)| (vertical(&ranked.folds.iter().map(curve_of).collect::<Vec<_>>(), STEPS), *style))
        .collect();
    // All bands are below all lines.
    for (mean, style) in &means {
        let ends =
            mean.iter().map(|(x, a)| (*x, a.mean - a.deviation.unwrap_or(0.0), a.mean + a.deviation.unwrap_or(0.0)));
        panel.band(scene, &ends.collect::<Vec<_>>(), *style);
    }
    for (mean, style) in &means {
        let start = (kind.name == "ROC").then_some((0.0, 0.0));
        let points: Vec<(f64, f64)> = start.into_iter().chain(mean.iter().map(|(x, a)| (*x, a.mean))).collect();
        panel.curve(scene, &points, *style);
    }
    panel.x_label(scene, kind.x);
    panel.y_label(scene, kind.y, 38.0);
}

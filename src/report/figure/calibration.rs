//! Reliability diagrams with the number of examples per bin.

use super::axis::{Axis, Tick};
use super::error::FigureError;
use super::legend::{LegendSymbol, legend};
use super::naming::{figure_name, figure_title};
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, axis_names, grid, panel_height, reference};
use super::rows::RunRows;
use super::scene::Scene;
use super::style::{SeriesStyle, WIDTH};
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::frame::Group;
use crate::experiment::store::PREDICTIONS;
use crate::metric::Probabilities;
use crate::metric::calibration::{BINS, Bin, reliability};

const HEIGHT: f64 = 128.0;
/// Gap between a diagram and its histogram, and the height of the histogram.
const GAP: f64 = 15.0;
const COUNTS: f64 = 36.0;
/// Marker radius of a nearly empty bin, and of the fullest one.
const SMALLEST: f64 = 1.6;
const LARGEST: f64 = 4.4;

/// Lays out one figure per preset with one panel per dataset, for a run without a sweep.
///
/// # Errors
/// If the predictions of a job cannot be read.
pub fn calibration(results: &Results) -> Result<Vec<FigureScene>, FigureError> {
    let rows = RunRows::of(results);
    if rows.has_sweep() {
        return Ok(Vec::new());
    }
    let scenes = rows.presets().iter().map(|preset| of_preset(&rows, preset)).collect::<Result<Vec<_>, _>>()?;
    Ok(scenes.into_iter().flatten().collect())
}

/// Returns the figure of a preset; `None` if no predictions are stored.
fn of_preset(rows: &RunRows<'_>, preset: &str) -> Result<Option<FigureScene>, FigureError> {
    let has_predictions = |group: &&Group<'_>| group.done().any(|stored| stored.has_file(PREDICTIONS));
    let groups: Vec<&Group<'_>> = rows.in_preset(preset).filter(has_predictions).collect();
    if groups.is_empty() {
        return Ok(None);
    }
    let models: IndexSet<&str> = groups.iter().map(|group| group.key.model.as_str()).collect();
    let datasets: IndexSet<&str> = groups.iter().map(|group| group.key.dataset.as_str()).collect();
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut entries: Vec<(LegendSymbol, String)> =
        models.iter().map(|model| (LegendSymbol::PointedLine(rows.model_style(model)), (*model).to_owned())).collect();
    entries.push((LegendSymbol::Reference, "as likely as predicted".to_owned()));
    let top = legend(&mut scene, &entries, (50.0, 6.0), WIDTH - 10.0);
    let margins = PanelMargins { left: 40.0, top: 24.0, bottom: 22.0 };
    let across = datasets.len().min(COLUMNS);
    let area = (18.0, top, WIDTH);
    let height = panel_height(across, area, margins, HEIGHT);
    let (positions, width, bottom) = grid(datasets.len(), across, area, height + GAP + COUNTS, margins);
    for (dataset, (left, top)) in datasets.iter().zip(positions) {
        let unit = Axis::linear(0.0, 1.0);
        let panel = Panel { left, top, width, height, x: unit, y: unit };
        panel.y_ticks(&mut scene, &unit.ticks(2), true);
        panel.x_ticks(&mut scene, &unit.ticks(5), false);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        scene.line([panel.at(0.0, 0.0), panel.at(1.0, 1.0)], reference());
        let mut all: Vec<([Bin; BINS], SeriesStyle)> = Vec::new();
        for group in groups.iter().filter(|group| group.key.dataset == **dataset) {
            all.push((bins(rows.results, group)?, rows.model_style(&group.key.model)));
        }
        for (bins, style) in &all {
            line(&mut scene, &panel, bins, *style);
        }
        counts(&mut scene, Panel { top: panel.bottom() + GAP, height: COUNTS, ..panel }, &all);
    }
    axis_names(&mut scene, (top, bottom), "predicted probability", "share of positives (bars: examples)");
    Ok(Some(FigureScene {
        name: figure_name("calibration", Some(preset)),
        title: figure_title("Calibration", Some(preset)),
        caption: format!(
            "Test examples of all folds in {BINS} bins of predicted probability: for each bin the mean prediction and the share \
             that is positive, larger if it holds more examples; below, how many these are, each bin with its models in the order of the legend. Points above the diagonal are predicted too low."
        ),
        scene,
    }))
}

/// Returns the bins of a row over the test examples of all folds and seeds.
fn bins(results: &Results, group: &Group<'_>) -> Result<[Bin; BINS], FigureError> {
    let mut all = [Bin::default(); BINS];
    for stored in group.done() {
        let Some(predictions) = results.predictions(stored)? else { continue };
        let (values, labels): (Vec<f64>, Vec<bool>) =
            predictions.iter().filter_map(|row| Some((row.probability?, row.label))).unzip();
        let probabilities = Probabilities::new(&values, &labels).map_err(FigureError::predictions(stored))?;
        for (sum, bin) in all.iter_mut().zip(reliability(&probabilities)) {
            sum.examples += bin.examples;
            sum.positives += bin.positives;
            sum.probability_sum += bin.probability_sum;
        }
    }
    Ok(all)
}

fn line(scene: &mut Scene, panel: &Panel, bins: &[Bin; BINS], style: SeriesStyle) {
    let filled = bins.iter().filter(|bin| bin.examples > 0);
    let point = |bin: &Bin| {
        let n = bin.examples as f64;
        (bin.probability_sum / n, bin.positives as f64 / n)
    };
    let max = bins.iter().map(|bin| bin.examples).max().unwrap_or(1) as f64;
    panel.curve(scene, &filled.clone().map(point).collect::<Vec<_>>(), style);
    for bin in filled {
        let (x, y) = point(bin);
        let radius = SMALLEST + (LARGEST - SMALLEST) * (bin.examples as f64 / max).sqrt();
        style.marker.draw(scene, panel.at(x, y), radius, style.color);
    }
}

/// Draws the histogram of examples per bin, one bar per row.
fn counts(scene: &mut Scene, panel: Panel, all: &[([Bin; BINS], SeriesStyle)]) {
    let max = all.iter().flat_map(|(bins, _)| bins.iter().map(|bin| bin.examples)).max().unwrap_or(0);
    let panel = Panel { y: Axis::linear(0.0, max.max(1) as f64), ..panel };
    let ends = [0, max.max(1)].map(|n| Tick { at: n as f64, label: n.to_string() });
    panel.y_ticks(scene, &ends, true);
    panel.x_ticks(scene, &panel.x.ticks(2), true);
    let wide = 0.84 / (BINS * all.len().max(1)) as f64;
    for (i, (bins, style)) in all.iter().enumerate() {
        for (bin, Bin { examples, .. }) in bins.iter().enumerate().filter(|(_, bin)| bin.examples > 0) {
            let left = (bin as f64 + 0.08) / BINS as f64 + i as f64 * wide;
            let corner = panel.at(left, *examples as f64);
            scene.rectangle(corner, panel.at(left + wide, 0.0), style.color, 1.0);
        }
    }
    panel.frame(scene);
}

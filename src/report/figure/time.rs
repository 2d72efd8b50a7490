//! Training time against a metric, one panel per dataset.

use super::axis::Axis;
use super::legend::{LegendSymbol, legend};
use super::naming::{axis_label, slug};
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, axis_names, grid};
use super::rows::{RunRows, unit_axis};
use super::scene::{Scene, Stroke};
use super::style::WIDTH;
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey};
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

const HEIGHT: f64 = 118.0;
/// Shortest time shown; clocks are unreliable below it.
const SHORTEST: f64 = 1e-4;

/// Lays out one marker per dataset and row, for a run without a sweep.
pub fn time(results: &Results, column: Column) -> Option<FigureScene> {
    let rows = RunRows::of(results);
    if rows.has_sweep() || !rows.groups.iter().any(|group| group.average(column).is_some()) {
        return None;
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let key = |label: &str| rows.groups.iter().find(|group| group.key.label() == label).map(|group| &group.key);
    let entry = |label: &str| Some((LegendSymbol::Marker(rows.style(key(label)?)), label.to_owned()));
    let entries: Vec<(LegendSymbol, String)> = rows.labels().filter_map(entry).collect();
    let top = legend(&mut scene, &entries, (50.0, 6.0), WIDTH - 10.0);
    let datasets = rows.datasets();
    let margins = PanelMargins { left: 36.0, top: 24.0, bottom: 22.0 };
    let across = datasets.len().min(COLUMNS);
    let (positions, width, bottom) = grid(datasets.len(), across, (18.0, top, WIDTH), HEIGHT, margins);
    // All panels share the time axis, which ends at powers of ten.
    let times = || rows.groups.iter().map(seconds);
    let low = times().fold(f64::INFINITY, f64::min).log10().floor();
    let high = times().fold(SHORTEST, f64::max).log10().ceil().max(low + 1.0);
    let x = Axis::log(10f64.powf(low), 10f64.powf(high));
    for (dataset, (left, top)) in datasets.iter().zip(positions) {
        let groups = || rows.groups.iter().filter(|group| group.key.dataset == *dataset);
        let y = unit_axis(groups().filter_map(|group| group.average(column)));
        let panel = Panel { left, top, width, height: HEIGHT, x, y };
        panel.y_ticks(&mut scene, &y.ticks(4), true);
        panel.x_ticks(&mut scene, &x.ticks(5), true);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        for group in groups() {
            if let Some(average) = group.average(column) {
                mark(&mut scene, &panel, &rows, &group.key, seconds(group), average);
            }
        }
    }
    axis_names(&mut scene, (top, bottom), "seconds of training, log scale", axis_label(column));
    let is_copy = |group: &Group<'_>| group.jobs.iter().any(|stored| stored.record.key.from.is_some());
    let copies = match rows.groups.iter().any(is_copy) {
        true => "; an explainable tree counts without the ensemble that it copies",
        false => "",
    };
    let axis = match datasets.len() {
        1 => "The vertical axis does not start at 0.",
        _ => "Each panel has its own vertical axis, which does not start at 0.",
    };
    Some(FigureScene {
        name: format!("time-{}", slug(column.name())),
        title: format!("Time of training against {}", axis_label(column)),
        caption: format!(
            "Means over folds and seeds; bars are one standard deviation over folds. Times are those of the machine and the \
             load that the run had{copies}. {axis}"
        ),
        scene,
    })
}

/// Returns the mean training time of a row.
fn seconds(group: &Group<'_>) -> f64 {
    let times: Vec<f64> = group.done().map(|stored| stored.record.machine.train_seconds).collect();
    if times.is_empty() { SHORTEST } else { mean(&times).max(SHORTEST) }
}

fn mark(scene: &mut Scene, panel: &Panel, rows: &RunRows<'_>, key: &RowKey, seconds: f64, average: Average) {
    let (style, Average { mean, deviation, .. }) = (rows.style(key), average);
    let within = |y: f64| panel.at(seconds, y.clamp(panel.y.low, panel.y.high));
    if let Some(deviation) = deviation {
        scene.line([within(mean - deviation), within(mean + deviation)], Stroke::new(style.color, 1.0));
    }
    panel.mark(scene, seconds, mean, style);
}

//! What good results cost: time of training against a column, a panel for each dataset.

use super::Sheet;
use super::axis::Axis;
use super::legend::{Sign, legend};
use super::panel::{COLUMNS, Margins, Panel, axis_names, grid};
use super::rows::{Rows, average, shown};
use super::scene::{Scene, Stroke};
use super::style::WIDTH;
use super::sweep::{dashes, share_axis};
use crate::experiment::Results;
use crate::experiment::results::{Group, RowKey};
use crate::metric::summary::mean;
use crate::metric::{Average, Column};

const HEIGHT: f64 = 118.0;
/// Clocks are not to be trusted below this.
const SHORTEST: f64 = 1e-4;

/// A marker for each dataset and row, in a run without a sweep.
pub fn time(results: &Results, column: Column) -> Option<Sheet> {
    let rows = Rows::of(results);
    if rows.swept() || !rows.groups.iter().any(|group| average(group, column).is_some()) {
        return None;
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let key = |label: &str| rows.groups.iter().find(|group| group.key.label() == label).map(|group| &group.key);
    let entry = |label: &str| Some((Sign::Marker(rows.look(key(label)?)), label.to_owned()));
    let entries: Vec<(Sign, String)> = rows.labels().filter_map(entry).collect();
    let top = legend(&mut scene, &entries, (50.0, 6.0), WIDTH - 10.0);
    let datasets = rows.datasets();
    let margins = Margins { left: 36.0, top: 24.0, bottom: 22.0 };
    let across = datasets.len().min(COLUMNS);
    let (places, width, bottom) = grid(datasets.len(), across, (18.0, top, WIDTH), HEIGHT, margins);
    // All panels have the same axis of time, which ends at powers of ten.
    let times = || rows.groups.iter().map(seconds);
    let low = times().fold(f64::INFINITY, f64::min).log10().floor();
    let high = times().fold(SHORTEST, f64::max).log10().ceil().max(low + 1.0);
    let x = Axis::log(10f64.powf(low), 10f64.powf(high));
    for (dataset, (left, top)) in datasets.iter().zip(places) {
        let groups = || rows.groups.iter().filter(|group| group.key.dataset == *dataset);
        let y = share_axis(groups().filter_map(|group| average(group, column)));
        let panel = Panel { left, top, width, height: HEIGHT, x, y };
        panel.y_ticks(&mut scene, &y.ticks(4), true);
        panel.x_ticks(&mut scene, &x.ticks(5), true);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        for group in groups() {
            if let Some(average) = average(group, column) {
                mark(&mut scene, &panel, &rows, &group.key, seconds(group), average);
            }
        }
    }
    axis_names(&mut scene, (top, bottom), "seconds of training, log scale", shown(column));
    Some(Sheet {
        name: format!("time-{}", dashes(column.name())),
        title: format!("Time of training against {}", shown(column)),
        caption: "Means over folds and seeds; bars are one standard deviation over folds. Times are those of the machine and the \
                  load that the run had; an explainable tree counts without the ensemble that it copies. Each panel has its own \
                  upright axis, which does not start at 0."
            .to_owned(),
        scene,
    })
}

/// The mean time that a row took to learn.
fn seconds(group: &Group<'_>) -> f64 {
    let times: Vec<f64> = group.done().map(|stored| stored.record.machine.train_seconds).collect();
    if times.is_empty() { SHORTEST } else { mean(&times).max(SHORTEST) }
}

fn mark(scene: &mut Scene, panel: &Panel, rows: &Rows<'_>, key: &RowKey, seconds: f64, average: Average) {
    let (look, Average { mean, deviation, .. }) = (rows.look(key), average);
    let within = |y: f64| panel.at(seconds, y.clamp(panel.y.low, panel.y.high));
    if let Some(deviation) = deviation {
        scene.line([within(mean - deviation), within(mean + deviation)], Stroke::new(look.colour, 1.0));
    }
    panel.mark(scene, seconds, mean, look);
}

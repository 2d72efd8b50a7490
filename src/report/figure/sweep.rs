//! Sweeps over numbers: one panel per dataset, one line with a band per model.

use super::axis::{Axis, Tick};
use super::legend::{LegendSymbol, legend};
use super::naming::{axis_label, slug};
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, axis_names, grid};
use super::rows::{RunRows, high_end, low_end, unit_axis};
use super::scene::Scene;
use super::style::{SeriesStyle, WIDTH};
use crate::determinism::{IndexMap, IndexSet};
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey};
use crate::experiment::job::case_text;
use crate::experiment::store::JobRecord;
use crate::learn::parameter;
use crate::metric::{Average, Column};

const HEIGHT: f64 = 118.0;

/// Lays out a metric against the numeric parameter of a sweep, one panel per dataset. If the
/// sweep sets several parameters, the one with the most values is the axis, and the others
/// distinguish lines.
pub fn sweep(results: &Results, column: Column) -> Option<FigureScene> {
    let rows = RunRows::of(results);
    let key = axis_of(&rows)?;
    let series = Series::of(&rows, &key, column);
    if series.lines.values().all(|line| line.values().all(Vec::is_empty)) {
        return None;
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let entries = series.lines.keys().enumerate();
    let entries: Vec<_> =
        entries.map(|(i, name)| (LegendSymbol::MarkedLine(SeriesStyle::of(i, i)), name.clone())).collect();
    let top = legend(&mut scene, &entries, (50.0, 6.0), WIDTH - 10.0);
    let datasets = rows.datasets();
    let margins = PanelMargins { left: 36.0, top: 24.0, bottom: 22.0 };
    let across = datasets.len().min(COLUMNS);
    let (positions, width, bottom) = grid(datasets.len(), across, (18.0, top, WIDTH), HEIGHT, margins);
    let x = series.axis();
    for (dataset, position) in datasets.iter().zip(positions) {
        let y = series.range(dataset);
        let panel = Panel { left: position.0, top: position.1, width, height: HEIGHT, x, y };
        panel.y_ticks(&mut scene, &y.ticks(4), true);
        panel.x_ticks(&mut scene, &series.ticks(), true);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        series.draw(&mut scene, &panel, dataset);
    }
    let below = format!("{}{}", key_name(&key), if x.log { ", log scale" } else { "" });
    axis_names(&mut scene, (top, bottom), &below, axis_label(column));
    let skew = match (key.as_str(), column) {
        ("negatives_per_positive", Column::AucPr) => {
            " More negatives are in the test as well, so compare lines at the same number, not along a line."
        }
        _ => "",
    };
    Some(FigureScene {
        name: format!("sweep-{}-{}", slug(&key), slug(column.name())),
        title: format!("{} against {key}", axis_label(column)),
        caption: format!(
            "Means over folds (seeds of given folds averaged first); bands are one standard deviation over folds to each side. Each panel \
             has its own vertical axis, which does not start at 0.{skew}"
        ),
        scene,
    })
}

/// Returns the axis label of a parameter.
fn key_name(key: &str) -> String {
    let about = parameter(key).map(|known| known.entry.help);
    match (key, about) {
        ("negatives_per_positive", _) => "negatives for each positive".to_owned(),
        ("train_fraction", _) => "fraction of the training examples".to_owned(),
        (_, Some(about)) if about.len() < 60 => format!("{key}: {about}"),
        _ => key.to_owned(),
    }
}

fn record<'r>(group: &Group<'r>) -> &'r JobRecord {
    &group.jobs[0].record
}

/// Returns the numeric parameter with the most values, at least two.
fn axis_of(rows: &RunRows<'_>) -> Option<String> {
    let mut values: IndexMap<&str, IndexSet<&str>> = IndexMap::default();
    for (key, value) in rows.groups.iter().flat_map(|group| &record(group).row.settings) {
        values.entry(key).or_default().insert(value);
    }
    let number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    values.retain(|_, values| values.len() > 1 && values.iter().all(number));
    // Ties go to the first.
    let max = values.values().map(IndexSet::len).max()?;
    values.into_iter().find(|(_, values)| values.len() == max).map(|(key, _)| key.to_owned())
}

/// Averages by parameter value.
type Points = Vec<(f64, Average)>;

struct Series {
    /// Lines by name, then by dataset, sorted by parameter value. Rows that the sweep does not
    /// affect have the value NaN.
    lines: IndexMap<String, IndexMap<String, Points>>,
    /// Parameter values with their texts.
    numbers: Vec<(f64, String)>,
}

impl Series {
    fn of(rows: &RunRows<'_>, key: &str, column: Column) -> Self {
        let mut lines: IndexMap<String, IndexMap<String, Points>> = IndexMap::default();
        let mut numbers: IndexMap<String, f64> = IndexMap::default();
        for group in &rows.groups {
            let mut others = record(group).row.settings.clone();
            let at = others.shift_remove(key).and_then(|text| Some((text.parse::<f64>().ok()?, text)));
            let case = case_text(&others);
            let name = RowKey { case, ..group.key.clone() }.label();
            let line = lines.entry(name).or_default().entry(group.key.dataset.clone()).or_default();
            let x = at.as_ref().map_or(f64::NAN, |(number, _)| *number);
            numbers.extend(at.map(|(number, text)| (text, number)));
            line.extend(group.average(column).map(|average| (x, average)));
        }
        for line in lines.values_mut().flat_map(IndexMap::values_mut) {
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let mut numbers: Vec<(f64, String)> = numbers.into_iter().map(|(text, number)| (number, text)).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series { lines, numbers }
    }

    /// Returns the axis over all values, with a small margin; logarithmic for a wide range.
    fn axis(&self) -> Axis {
        let (low, high) = match (self.numbers.first(), self.numbers.last()) {
            (Some((low, _)), Some((high, _))) => (*low, *high),
            _ => (0.0, 1.0),
        };
        if low > 0.0 && high / low >= 8.0 {
            let space = (high / low).powf(0.05);
            return Axis::log(low / space, high * space);
        }
        let space = 0.05 * (high - low);
        Axis::linear(low - space, high + space)
    }

    fn ticks(&self) -> Vec<Tick> {
        self.numbers.iter().map(|(at, label)| Tick { at: *at, label: label.clone() }).collect()
    }

    fn range(&self, dataset: &str) -> Axis {
        let points = self.lines.values().filter_map(|line| line.get(dataset)).flatten();
        unit_axis(points.map(|(_, average)| *average))
    }

    fn draw(&self, scene: &mut Scene, panel: &Panel, dataset: &str) {
        let lines = || {
            let lines = self.lines.values().enumerate();
            lines.filter_map(|(i, line)| Some((drawn(line.get(dataset)?, panel.x), SeriesStyle::of(i, i))))
        };
        for (points, style) in lines() {
            let ends = points.iter().map(|(x, a)| (*x, low_end(a), high_end(a)));
            panel.band(scene, &ends.collect::<Vec<_>>(), style);
        }
        for (points, style) in lines() {
            panel.curve(scene, &points.iter().map(|(x, a)| (*x, a.mean)).collect::<Vec<_>>(), style);
            for (x, average) in &points {
                panel.mark(scene, *x, average.mean, style);
            }
        }
    }
}

/// Returns the points to draw: rows that the sweep does not affect become a horizontal line.
fn drawn(points: &Points, x: Axis) -> Points {
    let ends = |average: Average| [(x.low, average), (x.high, average)];
    let levels = points.iter().filter(|(x, _)| x.is_nan()).flat_map(|&(_, average)| ends(average));
    let levels: Points = levels.collect();
    if levels.is_empty() { points.clone() } else { levels }
}

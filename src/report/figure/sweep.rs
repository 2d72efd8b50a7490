//! Sweeps over numbers: one panel per dataset, one line with a band per model.

use super::axis::{Axis, Tick};
use super::legend::{LegendSymbol, legend};
use super::naming::{axis_label, slug};
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, axis_names, grid};
use super::rows::{RunRows, high_end, low_end, unit_axis};
use super::scene::{Position, Scene, Stroke};
use super::style::{DATA_LINE, RADIUS, SeriesStyle, WIDTH};
use super::swept::{key_name, swept};
use crate::determinism::IndexMap;
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey};
use crate::experiment::job::case_text;
use crate::experiment::store::JobRecord;
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
    let is_single = series.lines.len() == 1;
    let symbol = if is_single { LegendSymbol::MarkedLine } else { LegendSymbol::PointedLine };
    let entries: Vec<_> = entries.map(|(i, name)| (symbol(SeriesStyle::of(i, i)), name.clone())).collect();
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
    let spread = if is_single { "bands" } else { "lines that coincide are drawn side by side, and whiskers" };
    Some(FigureScene {
        name: format!("sweep-{}-{}", slug(&key), slug(column.name())),
        title: format!("{} against {key}", axis_label(column)),
        caption: format!(
            "Means over folds (seeds of given folds averaged first); {spread} are one standard deviation over folds to each side. Each panel \
             has its own vertical axis, which does not start at 0.{skew}"
        ),
        scene,
    })
}

fn record<'r>(group: &Group<'r>) -> &'r JobRecord {
    &group.jobs[0].record
}

/// Returns the numeric parameter with the most values; ties go to the first.
fn axis_of(rows: &RunRows<'_>) -> Option<String> {
    let mut numeric = swept(rows);
    numeric.retain(|parameter| parameter.is_numeric);
    let max = numeric.iter().map(|parameter| parameter.values.len()).max()?;
    numeric.into_iter().find(|parameter| parameter.values.len() == max).map(|parameter| parameter.key)
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
        let lines = self.lines.values().enumerate();
        let lines: Vec<Line<'_>> = lines
            .filter_map(|(i, line)| Some(Line { points: line.get(dataset)?, style: SeriesStyle::of(i, i), index: i }))
            .collect();
        if let [line] = &lines[..]
            && self.lines.len() == 1
        {
            let ends = line.points.iter().map(|(x, a)| (*x, low_end(a), high_end(a)));
            panel.band(scene, &ends.collect::<Vec<_>>(), line.style);
        }
        let step = self.step(panel);
        let middle = (self.lines.len() as f64 - 1.0) / 2.0;
        for (place, line) in lines.iter().enumerate() {
            let aside = step * (line.index as f64 - middle);
            let positions: Vec<Position> = line
                .drawn(panel.x)
                .iter()
                .map(|&(x, y, is_point)| {
                    let (left, top) = panel.at(x, y.mean.clamp(panel.y.low, panel.y.high));
                    (left + if is_point { aside } else { 0.0 }, top + lane(&lines, place, x, panel))
                })
                .collect();
            if self.lines.len() > 1 {
                line.whiskers(scene, panel, aside);
            }
            scene.line(positions.clone(), Stroke::new(line.style.color, DATA_LINE).dashed(line.style.dash));
            for position in positions {
                line.style.marker.draw(scene, position, RADIUS, line.style.color);
            }
        }
    }

    /// Returns the distance between the points of neighboring lines at one value: about a marker,
    /// less if values are close.
    fn step(&self, panel: &Panel) -> f64 {
        let positions: Vec<f64> = self.numbers.iter().map(|(at, _)| panel.at(*at, panel.y.low).0).collect();
        let gaps = positions.windows(2).map(|pair| pair[1] - pair[0]);
        // The first and last value are as far from the edges.
        let ends = positions
            .first()
            .zip(positions.last())
            .map(|(first, last)| 2.0 * (first - panel.left).min(panel.right() - last));
        let gap = gaps.chain(ends).fold(f64::INFINITY, f64::min);
        (2.0 * RADIUS).min(0.8 * gap / self.lines.len().max(1) as f64).max(0.0)
    }
}

/// Distance between lines that coincide.
const LANE: f64 = DATA_LINE + 0.6;

/// Returns the vertical shift of a line at a value: lines within one width of each other are drawn
/// side by side, in the order of the legend.
fn lane(lines: &[Line<'_>], place: usize, x: f64, panel: &Panel) -> f64 {
    let height = |line: &Line<'_>| Some(panel.at(panel.x.low, line.at(x)?.clamp(panel.y.low, panel.y.high)).1);
    let Some(here) = height(&lines[place]) else { return 0.0 };
    let coincides = |line: &&Line<'_>| height(line).is_some_and(|there| (there - here).abs() < DATA_LINE);
    let before = lines[..place].iter().filter(coincides).count() as f64;
    let all = lines.iter().filter(coincides).count() as f64;
    // Within the panel.
    let first = (here - LANE * (all - 1.0) / 2.0).min(panel.bottom() - LANE * (all - 1.0)).max(panel.top);
    first + LANE * before - here
}

/// A line of a panel.
struct Line<'s> {
    points: &'s Points,
    style: SeriesStyle,
    /// Position in the legend.
    index: usize,
}

impl Line<'_> {
    /// Returns the level of a row that the sweep does not affect.
    fn level(&self) -> Option<Average> {
        self.points.iter().find(|(x, _)| x.is_nan()).map(|(_, average)| *average)
    }

    /// Returns the mean at a value of the parameter, or at the nearest value.
    fn at(&self, x: f64) -> Option<f64> {
        let distance = |point: &&(f64, Average)| (point.0 - x).abs();
        let nearest = self.points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map(|(_, average)| average.mean)
    }

    /// Returns the points to draw, and whether each is at a value of the parameter: a row that the
    /// sweep does not affect becomes a horizontal line.
    fn drawn(&self, x: Axis) -> Vec<(f64, Average, bool)> {
        match self.level() {
            Some(average) => vec![(x.low, average, false), (x.high, average, false)],
            None => self.points.iter().map(|&(x, average)| (x, average, true)).collect(),
        }
    }

    /// Draws the standard deviation at each value.
    fn whiskers(&self, scene: &mut Scene, panel: &Panel, aside: f64) {
        for (x, average) in self.points.iter().filter(|(x, average)| !x.is_nan() && average.deviation.is_some()) {
            let end = |value: f64| {
                let (left, top) = panel.at(*x, value.clamp(panel.y.low, panel.y.high));
                (left + aside, top)
            };
            scene.line([end(low_end(average)), end(high_end(average))], Stroke::new(self.style.color, 0.9));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coinciding_lines_are_separated_and_others_stay() {
        let average = |mean| Average { mean, deviation: None, n: 2 };
        let points = [
            vec![(1.0, average(0.5)), (2.0, average(1.0))],
            vec![(1.0, average(0.8)), (2.0, average(1.0))],
            vec![(f64::NAN, average(1.0))],
        ];
        let line = |index: usize| Line { points: &points[index], style: SeriesStyle::of(index, index), index };
        let lines = [line(0), line(1), line(2)];
        let panel = |high: f64| Panel {
            left: 0.0,
            top: 0.0,
            width: 300.0,
            height: 128.0,
            x: Axis::linear(0.0, 3.0),
            y: Axis::linear(0.0, high),
        };
        let shifts = |x: f64, high: f64| [0, 1, 2].map(|place| lane(&lines, place, x, &panel(high)));
        let near = |found: [f64; 3], expected: [f64; 3]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        };
        near(shifts(1.0, 2.0), [0.0; 3]);
        near(shifts(2.0, 2.0), [-LANE, 0.0, LANE]);
        // Not above the panel.
        near(shifts(2.0, 1.0), [0.0, LANE, 2.0 * LANE]);
        // At the ends of a level line, the nearest points count.
        near(shifts(3.0, 2.0), [-LANE, 0.0, LANE]);
    }
}

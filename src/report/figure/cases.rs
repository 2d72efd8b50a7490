//! Sweeps over named cases: one panel per dataset, one dot with whiskers per case.

use super::axis::Axis;
use super::font;
use super::legend::{LegendSymbol, legend};
use super::naming::{axis_label, slug};
use super::output::FigureScene;
use super::panel::{COLUMNS, Panel, PanelMargins, grid};
use super::rows::{RunRows, series_label, unit_axis};
use super::scene::{Anchor, Scene, Stroke, Text};
use super::style::{LABEL, SeriesStyle, TICK, WIDTH};
use super::sweep::sweep;
use crate::determinism::IndexSet;
use crate::experiment::Results;
use crate::experiment::frame::{Group, RowKey};
use crate::metric::{Average, Column};

/// Height of a dot with its whiskers.
const LANE: f64 = 13.0;
/// Gap between cases.
const GAP: f64 = 7.0;
/// Largest width of case names.
const NAMES: f64 = 190.0;

/// Lays out a metric for each case of a sweep that is not numeric, one panel per dataset.
pub fn cases(results: &Results, column: Column) -> Option<FigureScene> {
    let rows = RunRows::of(results);
    if !rows.has_sweep() || sweep(results, column).is_some() {
        return None;
    }
    let has = rows.groups.iter().any(|group| group.average(column).is_some());
    let list = CaseList::of(&rows);
    let datasets = rows.datasets();
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut top = 6.0;
    if list.series.len() > 1 {
        let entries =
            list.series.iter().enumerate().map(|(i, name)| (LegendSymbol::Marker(SeriesStyle::of(i, i)), name.clone()));
        top = legend(&mut scene, &entries.collect::<Vec<_>>(), (50.0, 6.0), WIDTH - 10.0);
    }
    let lanes: usize = list.cases.iter().map(|(_, series)| series.len()).sum();
    let height = lanes as f64 * LANE + list.cases.len() as f64 * GAP;
    let names = list.cases.iter().map(|(name, _)| font::reserved_width(name, TICK)).fold(0.0, f64::max).min(NAMES);
    let left = names + 6.0;
    let across = datasets.len().min(COLUMNS);
    let margins = PanelMargins { left: 18.0, top: 24.0, bottom: 24.0 };
    let (positions, width, bottom) = grid(datasets.len(), across, (left, top, WIDTH), height, margins);
    for (i, (dataset, position)) in datasets.iter().zip(positions).enumerate() {
        let groups = || rows.groups.iter().filter(|group| group.key.dataset == **dataset);
        let x = unit_axis(groups().filter_map(|group| group.average(column)));
        let panel = Panel { left: position.0, top: position.1, width, height, x, y: Axis::linear(0.0, height) };
        panel.x_ticks(&mut scene, &x.ticks(3), true);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        list.draw(&mut scene, &panel, i % across == 0, &|key| groups().find(|group| list.is(group, key)), column);
    }
    let middle = (left + WIDTH) / 2.0;
    scene.text(Text::new(axis_label(column), (middle, bottom + LABEL), LABEL).anchored(Anchor::Middle));
    scene.height = bottom + LABEL + 8.0;
    has.then(|| FigureScene {
        name: format!("cases-{}", slug(column.name())),
        title: format!("{} by case", axis_label(column)),
        caption: "Dots are means over folds (seeds of given folds averaged first), whiskers one standard deviation over folds. Each panel has \
                  its own level axis, which does not start at 0."
            .to_owned(),
        scene,
    })
}

/// The list of cases, from top to bottom.
struct CaseList {
    /// Each case, or model without cases, with its rows as indices into `series`.
    cases: Vec<(String, Vec<usize>)>,
    /// Models with presets.
    series: Vec<String>,
}

/// A case and one of its series.
type Lane<'l> = (&'l str, &'l str);

/// Returns the list entry of a row: its case, or its label without one.
fn listed(key: &RowKey) -> String {
    if key.case.is_empty() { series_label(key) } else { key.case.clone() }
}

impl CaseList {
    fn of(rows: &RunRows<'_>) -> Self {
        let series: IndexSet<String> = rows.groups.iter().map(|group| series_label(&group.key)).collect();
        // Cases first, then rows that the sweep does not affect.
        let (touched, untouched): (Vec<_>, Vec<_>) = rows.groups.iter().partition(|group| !group.key.case.is_empty());
        let names: IndexSet<String> = touched.into_iter().chain(untouched).map(|group| listed(&group.key)).collect();
        let has = |name: &str, series: &str| {
            rows.groups.iter().any(|group| listed(&group.key) == name && series_label(&group.key) == series)
        };
        let lanes = |name: &String| {
            series.iter().enumerate().filter(|(_, series)| has(name, series)).map(|(i, _)| i).collect::<Vec<_>>()
        };
        let cases = names.iter().map(|name| (name.clone(), lanes(name))).collect();
        CaseList { cases, series: series.into_iter().collect() }
    }

    fn is(&self, group: &Group<'_>, (case, series): Lane<'_>) -> bool {
        listed(&group.key) == case && series_label(&group.key) == series
    }

    fn draw<'a, 'r: 'a>(
        &self,
        scene: &mut Scene,
        panel: &Panel,
        figure_name: bool,
        find: &dyn Fn(Lane<'_>) -> Option<&'a Group<'r>>,
        column: Column,
    ) {
        let mut top = panel.top;
        for (name, series) in &self.cases {
            let height = series.len() as f64 * LANE + GAP;
            if figure_name {
                let (name, y) = (font::truncated(name, TICK, NAMES), top + height / 2.0);
                scene.text(Text::new(name, (panel.left - 6.0, y), TICK).anchored(Anchor::End).centered_vertically());
            }
            for (lane, &i) in series.iter().enumerate() {
                let y = top + GAP / 2.0 + (lane as f64 + 0.5) * LANE;
                let average = find((name, &self.series[i])).and_then(|group| group.average(column));
                if let Some(average) = average {
                    dot(scene, panel, y, average, SeriesStyle::of(i, i));
                }
            }
            top += height;
        }
    }
}

fn dot(scene: &mut Scene, panel: &Panel, y: f64, average: Average, style: SeriesStyle) {
    let position = |value: f64| panel.at(value.clamp(panel.x.low, panel.x.high), 0.0).0;
    let (Average { mean, .. }, spread) = (average, average.deviation.unwrap_or(0.0));
    let (low, high) = (position(mean - spread), position(mean + spread));
    let stroke = Stroke::new(style.color, 1.3);
    scene.line([(low, y), (high, y)], stroke);
    for x in [low, high] {
        scene.line([(x, y - 2.5), (x, y + 2.5)], stroke);
    }
    style.marker.draw(scene, (position(mean), y), 3.4, style.color);
}

//! Bar charts as in the paper: datasets as groups, models as bars.

use super::axis::Axis;
use super::color::Color;
use super::font;
use super::legend::{LegendSymbol, bar, legend, published as diamond};
use super::naming::{axis_label, figure_name, figure_title, slug};
use super::output::{FigureScene, PublishedMean};
use super::panel::{Panel, reference};
use super::rows::{RunRows, positive_share};
use super::scene::{Anchor, Scene, Stroke, Text};
use super::style::{TICK, WIDTH};
use crate::experiment::Results;
use crate::experiment::frame::Group;
use crate::metric::{Average, Column};

const LEFT: f64 = 52.0;
const HEIGHT: f64 = 220.0;
/// Gap between datasets.
const GAP: f64 = 16.0;
/// Smallest width of a bar; if bars do not fit, datasets continue in another row.
const MIN_WIDTH: f64 = 7.0;
const MAX_WIDTH: f64 = 34.0;

/// Lays out a bar chart of a metric for a run without a sweep; one per preset if models without
/// presets accompany several presets.
pub fn bars(results: &Results, column: Column, published: &[PublishedMean]) -> Vec<FigureScene> {
    let rows = RunRows::of(results);
    if rows.has_sweep() {
        return Vec::new();
    }
    let of = |(preset, rows): (Option<String>, RunRows<'_>)| of_rows(&rows, preset.as_deref(), column, published);
    rows.by_preset().into_iter().filter_map(of).collect()
}

fn of_rows(
    rows: &RunRows<'_>,
    preset: Option<&str>,
    column: Column,
    published: &[PublishedMean],
) -> Option<FigureScene> {
    if !rows.groups.iter().any(|group| group.average(column).is_some()) {
        return None;
    }
    let datasets = rows.datasets();
    let floor = floor(rows, column);
    let mut entries: Vec<(LegendSymbol, String)> = Vec::new();
    for label in rows.labels() {
        let key = &rows.groups.iter().find(|group| group.key.label() == label)?.key;
        entries.push((LegendSymbol::Bar(rows.style(key)), label.to_owned()));
    }
    let level = chance(&rows.groups, column).filter(|&chance| chance > floor);
    entries.extend(level.map(|_| (LegendSymbol::Reference, "chance".to_owned())));
    let marked = |group: &Group<'_>| mark_of(group, column, published);
    if rows.groups.iter().any(|group| marked(group).is_some()) {
        entries.push((LegendSymbol::Published, "published".to_owned()));
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut top = legend(&mut scene, &entries, (LEFT, 6.0), WIDTH - 10.0) + 8.0;
    let width = WIDTH - LEFT - 10.0;
    let min_width = rows.labels().count() as f64 * MIN_WIDTH;
    let names = datasets.iter().map(|name| font::reserved_width(name, TICK).min(width / 3.0)).fold(min_width, f64::max);
    let per_row = ((width / (names + GAP)) as usize).clamp(1, datasets.len());
    // Balanced rows: eight datasets are split four and four, not seven and one.
    let per_row = datasets.len().div_ceil(datasets.len().div_ceil(per_row));
    for chunk in datasets.chunks(per_row) {
        let (x, y) = (Axis::linear(0.0, per_row as f64), Axis::linear(floor, 1.0));
        let panel = Panel { left: LEFT, top, width, height: HEIGHT, x, y };
        panel.y_ticks(&mut scene, &panel.y.ticks(6), true);
        panel.y_label(&mut scene, axis_label(column), 36.0);
        for (i, dataset) in chunk.iter().enumerate() {
            group(&mut scene, &panel, i, dataset, rows, column, &marked);
        }
        scene.line([panel.at(0.0, floor), panel.at(per_row as f64, floor)], Stroke::new(Color::INK, 1.0));
        top = panel.bottom() + 30.0;
    }
    scene.height = top - 4.0;
    let axis = match (column, floor) {
        (_, 0.0) => String::new(),
        (Column::AucRoc, 0.5) => " The axis starts at 0.5, which is chance.".to_owned(),
        _ => format!(" The axis starts at {floor:.1}, not at 0."),
    };
    let chance = match column {
        _ if level.is_none() => "",
        Column::AucPr => " The dotted line is chance: the share of positives.",
        _ => " The dotted line is chance.",
    };
    let diamonds = entries.iter().any(|(symbol, _)| *symbol == LegendSymbol::Published);
    let diamonds = if diamonds { " Diamonds are published numbers, not ours." } else { "" };
    let is_shown = |group: &Group<'_>| {
        datasets.contains(&group.key.dataset.as_str()) && rows.labels().any(|label| label == group.key.label())
    };
    let refused = if refused(rows.results).iter().any(is_shown) {
        " Where a bar says refused, the kind of model does not support the data."
    } else {
        ""
    };
    Some(FigureScene {
        name: figure_name(&format!("bars-{}", slug(column.name())), preset),
        title: figure_title(&format!("{} by dataset and model", axis_label(column)), preset),
        caption: format!(
            "Bars are means over folds (seeds of given folds averaged first), whiskers one standard deviation over folds.\
             {axis}{chance}{diamonds}{refused}"
        ),
        scene,
    })
}

/// Returns the rows without a result because the kind of model does not support the dataset.
fn refused(results: &Results) -> Vec<Group<'_>> {
    let mut groups = results.groups();
    groups.retain(|group| group.jobs.iter().all(|stored| stored.record.status.is_refused()));
    groups
}

/// Returns the start of the axis: chance for ROC, 0 for PR, or lower if a bar or whisker is.
fn floor(rows: &RunRows<'_>, column: Column) -> f64 {
    let start = if column == Column::AucRoc { 0.5 } else { 0.0 };
    let lower_end = |average: Average| average.mean - average.deviation.unwrap_or(0.0);
    let ends = rows.groups.iter().filter_map(|group| group.average(column)).map(lower_end);
    let lowest = ends.fold(start, f64::min);
    ((lowest * 10.0 + 1e-9).floor() / 10.0).max(0.0)
}

/// Returns the chance level of a metric.
fn chance<'a, 'r: 'a>(groups: impl IntoIterator<Item = &'a Group<'r>>, column: Column) -> Option<f64> {
    match column {
        Column::AucRoc | Column::AucRocJar => Some(0.5),
        Column::AucPr | Column::AucPrJar | Column::AveragePrecision => {
            positive_share(groups.into_iter().flat_map(|group| group.jobs.iter().map(|stored| &stored.record)))
        }
        _ => None,
    }
}

/// Returns the published number of a row. Presets that go beyond the paper have none.
fn mark_of(group: &Group<'_>, column: Column, published: &[PublishedMean]) -> Option<f64> {
    let key = &group.key;
    let same = |p: &&PublishedMean| p.dataset == key.dataset && p.model == key.model && p.column == column;
    let of_paper = key.preset.is_empty() || key.preset == "paper";
    published.iter().find(same).filter(|_| of_paper).map(|published| published.mean)
}

fn group(
    scene: &mut Scene,
    panel: &Panel,
    position: usize,
    dataset: &str,
    rows: &RunRows<'_>,
    column: Column,
    marked: &dyn Fn(&Group<'_>) -> Option<f64>,
) {
    let count = rows.labels().count() as f64;
    let (from, to) = (panel.at(position as f64, 0.0).0, panel.at(position as f64 + 1.0, 0.0).0);
    let wide = ((to - from - GAP) / count).min(MAX_WIDTH);
    let first = f64::midpoint(from, to) - wide * count / 2.0;
    let chance = chance(rows.groups.iter().filter(|group| group.key.dataset == dataset), column);
    let refused = refused(rows.results);
    for (i, label) in rows.labels().enumerate() {
        let (left, right) = (first + wide * i as f64, first + wide * (i + 1) as f64);
        let middle = f64::midpoint(left, right);
        if refused.iter().any(|group| group.key.dataset == dataset && group.key.label() == label) {
            let size = (TICK - 2.0).min(wide + 1.0);
            scene.text(Text::new("refused", (middle, panel.bottom() - 4.0), size).rotated().centered_vertically());
        }
        let Some(group) = rows.find(dataset, label) else { continue };
        let height = |value: f64| panel.at(0.0, value.clamp(panel.y.low, panel.y.high)).1;
        if let Some(Average { mean, deviation, .. }) = group.average(column) {
            bar(scene, (left + 0.5, height(mean)), (right - 0.5, panel.bottom()), rows.style(&group.key));
            if let Some(deviation) = deviation {
                whisker(scene, middle, height(mean - deviation), height(mean + deviation), wide);
            }
        }
        if let Some(mark) = marked(group) {
            diamond(scene, (middle, height(mark)));
        }
    }
    if let Some(chance) = chance.filter(|chance| *chance > panel.y.low + 1e-9) {
        let y = panel.at(0.0, chance).1;
        scene.line([(from + 3.0, y), (to - 3.0, y)], reference());
    }
    let name = font::truncated(dataset, TICK + 1.0, to - from);
    let below = (f64::midpoint(from, to), panel.bottom() + 16.0);
    scene.text(Text::new(name, below, TICK + 1.0).anchored(Anchor::Middle));
}

fn whisker(scene: &mut Scene, x: f64, low: f64, high: f64, wide: f64) {
    let (stroke, half) = (Stroke::new(Color::INK, 1.1), (wide / 4.0).min(4.0));
    scene.line([(x, low), (x, high)], stroke);
    for y in [low, high] {
        scene.line([(x - half, y), (x + half, y)], stroke);
    }
}

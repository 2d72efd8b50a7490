//! Figures of a history: one panel per dataset, one line per model over commits.

use super::change::{Change, ChangePoint, Series};
use super::file::History;
use super::row::HistoryRow;
use crate::determinism::{IndexMap, IndexSet};
use crate::metric::summary::mean;
use crate::report::figure::FigureScene;
use crate::report::figure::axis::{Axis, Tick};
use crate::report::figure::color::{Color, Dash};
use crate::report::figure::legend::{LegendSymbol, legend};
use crate::report::figure::panel::{Panel, PanelMargins, axis_names, grid};
use crate::report::figure::scene::{Scene, Stroke};
use crate::report::figure::style::{SeriesStyle, WIDTH};

const HEIGHT: f64 = 130.0;
/// Panels in a row; commits need space.
const COLUMNS: usize = 2;
/// Digits of a commit that are shown.
const DIGITS: usize = 7;

/// Lays out AUC-ROC, AUC-PR and seconds over commits; a series without values has no figure.
pub fn figures(history: &History, points: &[ChangePoint]) -> Vec<FigureScene> {
    let all = [Series::Metric(0), Series::Metric(1), Series::Seconds];
    all.into_iter().filter_map(|series| figure(history, points, series)).collect()
}

fn figure(history: &History, points: &[ChangePoint], series: Series) -> Option<FigureScene> {
    let commits: Vec<&str> = history.commits().into_iter().collect();
    let lines = Lines::of(history, series);
    if lines.values.is_empty() {
        return None;
    }
    let mut scene = Scene::new(WIDTH, 0.0);
    let symbol = |i: usize| LegendSymbol::PointedLine(SeriesStyle::of(i, i));
    let entries: Vec<_> = lines.labels.iter().enumerate().map(|(i, label)| (symbol(i), label.clone())).collect();
    let top = legend(&mut scene, &entries, (50.0, 6.0), WIDTH - 10.0);
    let margins = PanelMargins { left: 40.0, top: 24.0, bottom: 22.0 };
    let across = lines.datasets.len().min(COLUMNS);
    let (positions, width, bottom) = grid(lines.datasets.len(), across, (18.0, top, WIDTH), HEIGHT, margins);
    let x = Axis::linear(0.5, commits.len() as f64 + 0.5);
    let name = |commit: &str| commit.chars().take(DIGITS).collect();
    let ticks: Vec<Tick> =
        commits.iter().enumerate().map(|(i, commit)| Tick { at: i as f64 + 1.0, label: name(commit) }).collect();
    for (dataset, (left, top)) in lines.datasets.iter().zip(positions) {
        let y = lines.axis(dataset, series);
        let panel = Panel { left, top, width, height: HEIGHT, x, y };
        panel.y_ticks(&mut scene, &y.ticks(4), true);
        panel.x_ticks(&mut scene, &ticks, true);
        panel.frame(&mut scene);
        panel.heading(&mut scene, dataset);
        for point in points.iter().filter(|point| point.series == series && point.key.dataset == *dataset) {
            mark_change(&mut scene, &panel, point);
        }
        for (i, label) in lines.labels.iter().enumerate() {
            let Some(line) = lines.values.get(&(dataset.clone(), label.clone())) else { continue };
            let style = SeriesStyle::of(i, i);
            panel.curve(&mut scene, line, style);
            line.iter().for_each(|&(x, y)| panel.mark(&mut scene, x, y, style));
        }
    }
    let (aside, more) = match series {
        Series::Metric(_) => (series.name().replace('_', "-").to_uppercase(), ""),
        Series::Seconds => ("Processor seconds of a job".to_owned(), " Times depend on the machine."),
    };
    axis_names(&mut scene, (top, bottom), "commit", &aside);
    Some(FigureScene {
        name: series.name().replace('_', "-"),
        title: format!("{aside} over commits"),
        caption: format!(
            "Means over folds and seeds, commits in the order in which they were recorded. A vertical line is a change point of one \
             of the models: solid for a change by the rule of the gate, dotted for other data. Each panel has its own vertical \
             axis, which does not start at 0.{more}"
        ),
        scene,
    })
}

fn mark_change(scene: &mut Scene, panel: &Panel, point: &ChangePoint) {
    let at = point.commit as f64 + 1.0;
    let dash = if point.change == Change::OtherData { Dash::Dotted } else { Dash::Solid };
    scene.line([panel.at(at, panel.y.low), panel.at(at, panel.y.high)], Stroke::new(Color::GREY, 1.4).dashed(dash));
}

/// Means by dataset, label and commit.
struct Lines {
    datasets: IndexSet<String>,
    labels: IndexSet<String>,
    values: IndexMap<(String, String), Vec<(f64, f64)>>,
}

impl Lines {
    fn of(history: &History, series: Series) -> Self {
        let commits = history.commits();
        let mut cells: IndexMap<(String, String), IndexMap<usize, Vec<f64>>> = IndexMap::default();
        let mut add = |row: &HistoryRow, value: f64| {
            let at = commits.get_index_of(row.commit.as_str()).unwrap_or_default();
            let line = cells.entry((row.key.dataset.clone(), row.key.label())).or_default();
            line.entry(at).or_default().push(value);
        };
        for row in &history.rows {
            if let Some(value) = series.value(row) {
                add(row, value);
            }
        }
        let points = |line: IndexMap<usize, Vec<f64>>| {
            let mut points: Vec<(f64, f64)> =
                line.into_iter().map(|(at, values)| (at as f64 + 1.0, mean(&values))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let values: IndexMap<_, _> = cells.into_iter().map(|(key, line)| (key, points(line))).collect();
        let datasets = values.keys().map(|(dataset, _)| dataset.clone()).collect();
        let labels = values.keys().map(|(_, label)| label.clone()).collect();
        Lines { datasets, labels, values }
    }

    fn axis(&self, dataset: &str, series: Series) -> Axis {
        let values = || {
            let lines = self.values.iter().filter(|((name, _), _)| name == dataset);
            lines.flat_map(|(_, line)| line).map(|&(_, value)| value)
        };
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        match series {
            Series::Metric(_) => Axis::share(low, high),
            Series::Seconds => Axis::log(low / 1.5, high * 1.5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::change_points;
    use super::*;
    use crate::experiment::frame::RowKey;

    #[test]
    fn texts_do_not_overlap() {
        let text = |text: &str| text.to_owned();
        let mut rows = Vec::new();
        for commit in 0..40 {
            for (dataset, model) in (0..5).flat_map(|dataset| (0..6).map(move |model| (dataset, model))) {
                let (dataset, model) = (format!("dataset {dataset}"), format!("A long name of model {model}"));
                let key = RowKey { dataset, model, preset: text(""), case: text("") };
                let value = if commit < 20 { 0.5 } else { 0.7 };
                rows.push(HistoryRow {
                    commit: format!("{commit:012}"),
                    date: text(""),
                    platform: text(""),
                    data: text(if commit < 30 { "a" } else { "b" }),
                    key,
                    fold: 1,
                    seed: 1,
                    values: [Some(value), Some(value), None],
                    seconds: Some(0.01 * (commit + 1) as f64),
                });
            }
        }
        let history = History { rows, ..History::default() };
        let points = change_points(&history);
        assert!(points.iter().any(|point| point.change == Change::Improved && point.commit == 20));
        let figures = figures(&history, &points);
        assert_eq!(figures.len(), 3);
        for figure in figures {
            assert_eq!(figure.scene.layout_problems(), [""; 0], "{}", figure.name);
        }
    }
}
